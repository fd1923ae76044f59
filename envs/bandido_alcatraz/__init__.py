"""*Bandido Alcatraz*: a cooperative game in which all players dig one network of tunnels."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sobremesa.envs.bandido_alcatraz import knowledge, notation, observe, rules, state
from sobremesa.envs.bandido_alcatraz.drawing import narrow, scene
from sobremesa.envs.bandido_alcatraz.points import points
from sobremesa.envs.bandido_alcatraz.problems import problems
from sobremesa.envs.bandido_alcatraz.text.moves import asks, entry
from sobremesa.envs.bandido_alcatraz.text.refusals import why
from sobremesa.envs.bandido_alcatraz.text.story import tell
from sobremesa.envs.bandido_alcatraz.text.table import describe, read
from sobremesa.envs.bandido_alcatraz.text.words import TEXTS, plain
from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.picture.drawing import unnamed
from sobremesa.envs.core.wording import ListWords, Narrow, PictureWords, PlainWords, PromptWords
from sobremesa.envs.core.words import renamed, section

OPTIONS = (
    Option("seats", 2, range(1, 5), "players at the table; one plays the solitaire"),
    Option("difficulty", "normal", ("easy", "normal"), "side of the start tile: five tunnels or six (O1)"),
    Option("solo_hand", "three", ("three", "six"), "cards in the solitaire's hand: six is easier (O2)"),
    Option("early_stop", False, (False, True), "stop once nobody can win any more (O3)"),
    Option("signals", False, (False, True), "say one of seven things before playing (O4)"),
)


def figures(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return the figures of ended deals `(N,)`: turns, open tunnels, gathered and flooded cards, band, ending."""
    names = np.array(["", "all closed, escaped", "all closed, not escaped", "no cards left", "stopped early"])
    how = np.where(ends["ending"] == state.CLOSED, np.where(ends["won"] == 1, 1, 2), ends["ending"] + 1)
    stopped = ends["ending"] == state.IMPOSSIBLE
    return {
        "first": ends["first"],
        "turns": ends["turns"],
        "open tunnels": ends["ends"],
        "raincoats": ends["raincoats"],
        "ropes": ends["ropes"],
        "floods in sight": (ends["flood"] != state.NO_CELL).sum(axis=1),
        "band": np.where(stopped, np.nan, rules.band_of(ends["ends"], ends["exit_laid"])),
        "end": names[how],
    }


@dataclass(frozen=True, kw_only=True)
class BandidoWords(PictureWords, ListWords, PlainWords, PromptWords):
    """The texts and pictures of *Bandido Alcatraz*."""


GAME = Game(
    name="bandido_alcatraz",
    version=1,
    package=__name__,
    state=state.STATE,
    reset=rules.reset,
    legal=rules.legal,
    play=rules.play,
    go_on=rules.go_on,
    payoff=rules.payoff,
    observe=observe.observe,
    redeal=knowledge.redeal,
    reshuffle=knowledge.reshuffle,
    num_actions=state.NUM_ACTIONS,
    layout=observe.LAYOUT,
    options=OPTIONS,
    max_plies=state.MAX_PLIES,
    words=BandidoWords(
        title={"en": "Bandido Alcatraz", "es": "Bandido Alcatraz"},
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        renamed=renamed(TEXTS),
        describe=describe,
        read=read,
        asks=asks,
        entry=entry,
        typed_entry=False,
        plain=plain,
        scene=unnamed(scene.scene),
        followed=scene.scene,
        tell=tell,
        help=section(TEXTS, "help"),
        details=section(TEXTS, "details"),
        setup=TEXTS["setup"],
        points=partial(points, scene.WIDE),
        narrow=Narrow(narrow.scene, partial(points, narrow.FIELD)),
        public=True,
        why=why,
    ),
    problems=problems,
    all_there=state.is_complete,
    figures=figures,
    cooperative=True,
)

env, raw_env = constructors(GAME)
