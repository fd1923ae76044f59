"""*Ese Toro enamorado*, by Julián Castro and Memé Candia: bulls walk down to the lake to meet the moon."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.picture.drawing import unnamed
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.wording import ListWords, Narrow, PictureWords, PromptWords, SpellingWords
from sobremesa.envs.core.words import renamed, section
from sobremesa.envs.ese_toro_enamorado import board, knowledge, notation, observe, rules, state
from sobremesa.envs.ese_toro_enamorado.drawing import narrow, scene
from sobremesa.envs.ese_toro_enamorado.points import points
from sobremesa.envs.ese_toro_enamorado.problems import problems
from sobremesa.envs.ese_toro_enamorado.symmetry import SYMMETRIES
from sobremesa.envs.ese_toro_enamorado.text.refusals import why
from sobremesa.envs.ese_toro_enamorado.text.story import tell
from sobremesa.envs.ese_toro_enamorado.text.table import asks, describe, read
from sobremesa.envs.ese_toro_enamorado.text.words import TEXTS, TITLE

OPTIONS = (
    Option("seats", 2, range(2, 5), "players at the table"),
    Option("board", "standard", ("standard", "small"), "28 nodes in three rings, or the 5 x 5 lattice (O1)"),
    Option(
        "mountains", "chosen", ("chosen", "fixed", "by_night"),
        "whether the seats choose mountains; by night chance also lays the first tiles (O2)", later=1,
    ),
    Option(
        "round_end", "moon_steps", ("moon_steps", "moon_waits", "full_lap"),
        "after the first encounter the moon makes its step, waits, or goes round the lake (O3)",
    ),
    Option("rosemary", "one_step", ("one_step", "anywhere"), "reach of the extra move (O4)"),
    Option("rosemary_chain", True, (False, True), "whether an extra move may win another (O5)"),
    Option("fence_bounce", "turn_ends", ("turn_ends", "try_again"), "effect of running into an unseen fence (O6)"),
    Option("shore_tiles", True, (False, True), "whether tiles may lie on shores (O7)"),
    Option(
        "duplicates", "supply", ("supply", "unlimited", "forbidden"),
        "second markers of a phase: if enough remain, always, or never (O8)",
    ),
    Option("max_vueltas", state.MAX_VUELTAS, range(1, state.MAX_VUELTAS + 1), "turns of the table in a night (O9)"),
    Option("max_rounds", state.MAX_ROUNDS, range(1, state.MAX_ROUNDS + 1), "rounds in a deal (O9)"),
)  # fmt: skip


def figures(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return the first seat and the number of rounds of deals that ended as `ends` `(N,)`."""
    return {"first": (ends["first"] - ends["round_number"] + 1) % ends["seats"], "rounds": ends["round_number"]}


def too_long(ends: np.ndarray) -> np.ndarray:
    """Return which of the deals that ended as `ends` `(N,)` ended by the cap of rounds (C8.3)."""
    return np.asarray((ends["markers"] > 0).sum(axis=2).max(axis=1) < board.NUM_PHASES)


@dataclass(frozen=True, kw_only=True)
class ToroWords(PictureWords, ListWords, PromptWords, SpellingWords):
    """The texts and pictures of *Ese Toro enamorado*."""


GAME = Game(
    name="ese_toro_enamorado",
    version=1,
    package=__name__,
    state=state.STATE,
    reset=rules.reset,
    legal=rules.legal,
    play=rules.play,
    payoff=share_win,
    observe=observe.observe,
    redeal=knowledge.redeal,
    num_actions=state.NUM_ACTIONS,
    layout=observe.LAYOUT,
    options=OPTIONS,
    max_plies=state.MAX_PLIES,
    words=ToroWords(
        title=TITLE,
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        renamed=renamed(TEXTS),
        spellings=notation.spellings,
        describe=describe,
        read=read,
        asks=asks,
        entry=notation.entry,
        typed_entry=False,
        scene=unnamed(scene.scene),
        followed=scene.scene,
        tell=tell,
        help=section(TEXTS, "help"),
        details=notation.details,
        setup=TEXTS["setup"],
        points=partial(points, scene.places),
        narrow=Narrow(narrow.scene, partial(points, narrow.places)),
        public=True,
        why=why,
    ),
    problems=problems,
    all_there=state.is_complete,
    figures=figures,
    too_long=too_long,
    symmetries=SYMMETRIES,
)

env, raw_env = constructors(GAME)
