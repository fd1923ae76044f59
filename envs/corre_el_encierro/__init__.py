"""*Corre el encierro*: runners race before the bulls to the Plaza de Toros."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.picture.drawing import unnamed
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.wording import ListWords, Narrow, PictureWords, SpellingWords, StoredWords, TermWords
from sobremesa.envs.core.words import renamed, section
from sobremesa.envs.corre_el_encierro import knowledge, notation, observe, rules, state
from sobremesa.envs.corre_el_encierro.drawing import narrow, scene
from sobremesa.envs.corre_el_encierro.points import points
from sobremesa.envs.corre_el_encierro.problems import problems
from sobremesa.envs.corre_el_encierro.text.cards import printed_names, terms
from sobremesa.envs.corre_el_encierro.text.refusals import why
from sobremesa.envs.corre_el_encierro.text.story import tell
from sobremesa.envs.corre_el_encierro.text.table import asks, describe
from sobremesa.envs.corre_el_encierro.text.words import TEXTS, TITLE

OPTIONS = (
    Option("seats", 3, range(2, 6), "players at the table"),
    Option(
        "deck", "standard", ("standard", "conflict", "last_stretch"),
        "numbers of the cards, or only the last stretch of the run (O1)", later=1,
    ),
)  # fmt: skip


def figures(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return first seat, turns, sweeps and ending of deals that ended as `ends` `(N,)`."""
    names = np.array(["", "at the Plaza", "last runner", "all swept"])
    return {
        "first": ends["first"],
        "turns": ends["turns"],
        "sweeps": ends["closed"],
        "end": names[ends["ending"]],
    }


@dataclass(frozen=True, kw_only=True)
class EncierroWords(PictureWords, ListWords, TermWords, SpellingWords, StoredWords):
    """The texts and pictures of *Corre el encierro*."""


GAME = Game(
    name="corre_el_encierro",
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
    words=EncierroWords(
        title=TITLE,
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        renamed=renamed(TEXTS, printed_names),
        spellings=notation.spellings,
        names_now=notation.names_now,
        stored_name=notation.stored_name,
        describe=describe,
        asks=asks,
        entry=notation.entry,
        scene=unnamed(scene.scene),
        followed=scene.scene,
        tell=tell,
        help=notation.help_text,
        details=section(TEXTS, "details"),
        setup=TEXTS["setup"],
        terms=terms,
        points=partial(points, scene.places),
        narrow=Narrow(narrow.scene, partial(points, narrow.places)),
        why=why,
    ),
    problems=problems,
    hidden=("pieces", "turns"),
    all_there=state.is_complete,
    figures=figures,
)

env, raw_env = constructors(GAME)
