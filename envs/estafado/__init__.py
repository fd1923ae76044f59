"""*Estafado*: a fox hunts rabbits among hidden cards, against a crow who moves the cards and owns a bear."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.picture.drawing import unnamed
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.wording import ListWords, Narrow, PictureWords, SpellingWords, TermWords
from sobremesa.envs.core.words import renamed, section
from sobremesa.envs.estafado import knowledge, notation, observe, rules, state
from sobremesa.envs.estafado.drawing import narrow, scene
from sobremesa.envs.estafado.points import points
from sobremesa.envs.estafado.problems import problems
from sobremesa.envs.estafado.symmetry import SYMMETRIES
from sobremesa.envs.estafado.text.cards import card_names
from sobremesa.envs.estafado.text.refusals import why
from sobremesa.envs.estafado.text.story import tell
from sobremesa.envs.estafado.text.table import asks, describe
from sobremesa.envs.estafado.text.words import SEATS, TEXTS

OPTIONS = (
    Option("seats", 2, range(2, 3), "players at the table: the fox's and the crow's"),
    Option(
        "reading", "balanced", ("balanced", "rulebook", "dusk"),
        "the eagle's start and burying rabbits, or only the last two rounds (O1)", later=1,
    ),
    Option("evading_faces", 2, range(1, 6), "faces of the die, of six, on which a rabbit gets away (O2)"),
    Option("rolls", "all", ("all", "any"), "number of rolls in which a rabbit must fail (O3)"),
    Option("bear_blocks", True, (False, True), "whether the fox cannot enter the bear's card (O4)"),
)  # fmt: skip


def figures(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return rounds, rabbits caught, swaps with the deck and ending of deals that ended as `ends` `(N,)`."""
    names = np.array(["", "three rabbits (fox)", "eagle on crow (fox)", "sunset (crow)", "bear on fox (crow)"])
    return {
        "rounds": np.minimum(ends["sun"] + 1, 20),
        "rabbits": ends["catches"],
        "swaps with the deck": np.where(ends["reading"] == state.DUSK, 0, state.DECK_SWAPS - ends["deck_swaps"]),
        "end": names[ends["ending"]],
    }


@dataclass(frozen=True, kw_only=True)
class EstafadoWords(PictureWords, ListWords, TermWords, SpellingWords):
    """The texts and pictures of *Estafado*."""


GAME = Game(
    name="estafado",
    version=1,
    package=__name__,
    state=state.STATE,
    reset=rules.reset,
    legal=rules.legal,
    play=rules.play,
    go_on=rules.go_on,
    payoff=share_win,
    observe=observe.observe,
    redeal=knowledge.redeal,
    reshuffle=knowledge.reshuffle,
    num_actions=state.NUM_ACTIONS,
    layout=observe.LAYOUT,
    options=OPTIONS,
    max_plies=state.MAX_PLIES,
    words=EstafadoWords(
        title={"en": "Estafado: Fox against Crow", "es": "Estafado"},
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        spellings=notation.spellings,
        names_now=notation.names_now,
        describe=describe,
        asks=asks,
        scene=unnamed(scene.scene),
        followed=scene.scene,
        tell=tell,
        help=notation.help_text,
        details=section(TEXTS, "details"),
        setup=TEXTS["setup"],
        points=partial(points, scene.places),
        narrow=Narrow(narrow.scene, partial(points, narrow.places)),
        public=True,
        entry=notation.entry,
        ordered=notation.ordered,
        why=why,
        renamed=renamed(TEXTS, card_names),
        terms=notation.terms,
    ),
    problems=problems,
    all_there=state.is_complete,
    figures=figures,
    roles=SEATS,
    symmetries=SYMMETRIES,
)

env, raw_env = constructors(GAME)
