"""Guided first deals: short lessons on the position, read from `home/guide.toml` of the game's package.

The condition of a lesson is matched with texts that its player is shown: the table in words, the names of the legal
moves and the event log, all in English. So a lesson cannot reveal hidden information, and it is true however the person
has played before.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.builtin import names
from sobremesa.agents.levels import agent_of
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import make_view
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.report.players import clean_name
from sobremesa.serve.opponents import Opponents, levels_of
from sobremesa.serve.seated import PERSON, Seated
from sobremesa.serve.table import Opening, Table

LEVEL = "easy"  # of the opponents of a guide that names none
NONE = -1  # in place of a lesson

_FILE = "guide.toml"


class Lesson(NamedTuple):
    """A lesson; it is due where each of its patterns, if any, is found."""

    text: Mapping[str, str]  # by language
    table: re.Pattern[str] | None  # in the table in words
    move: re.Pattern[str] | None  # in the name of a legal move
    told: re.Pattern[str] | None  # in a sentence of the event log
    over: bool  # whether it belongs to the end of the deal


class Guide(NamedTuple):
    """The guided deal of a game."""

    seed: int
    seat: int  # of the person
    setup: dict[str, Any]
    opponent: str  # agent at the other seats; "" for that of LEVEL
    lessons: tuple[Lesson, ...]  # where several are due, the first that has not been shown comes


def has_guide(game: Game) -> bool:
    """Return whether `game` has a guided deal, and an agent to play it with."""
    if not home.matching(game, _FILE):
        return False
    return LEVEL in levels_of(game) or "opponent" in home.table(game, _FILE)


@cache
def guide_of(game: Game) -> Guide:
    """Return the guided deal of `game`; raise ValueError if its file is damaged, or a key or language is missing."""
    found = home.table(game, _FILE)
    try:
        fields = found["seed"], found["seat"], found["setup"], found.get("opponent", "")
        guide = Guide(*fields, tuple(map(_lesson, found["lessons"])))
        seats = guide.setup["seats"]
    except KeyError as error:
        raise ValueError(f"home/{_FILE} of {game.name}: {error.args[0]} is missing") from None
    except (TypeError, AttributeError, re.error) as error:
        raise ValueError(f"home/{_FILE} of {game.name}: {error}") from None
    game.new_tables(1, guide.setup)  # raises ValueError for a setup that the game does not know
    if guide.opponent and guide.opponent not in names(game):
        allowed = ", ".join(names(game))
        raise ValueError(
            f"home/{_FILE} of {game.name}: opponent={guide.opponent!r:.60} is not allowed; it takes {allowed}"
        )
    if guide.seat not in range(seats):
        raise ValueError(f"home/{_FILE} of {game.name}: seat={guide.seat!r} is not allowed; it takes 0 to {seats - 1}")
    return guide


def _lesson(row: Mapping[str, Any]) -> Lesson:
    table, move, told = (
        re.compile(row[what], re.MULTILINE) if what in row else None for what in ("table", "move", "told")
    )
    return Lesson({language: row[language] for language in LANGUAGES}, table, move, told, row.get("over", False))


def guided(game: Game, opponents: Opponents, name: str) -> Opening:
    """Return the table of the guided deal of `game`: a person, and the opponent of the guide at the other seats.

    Raises ValueError for a game without one.
    """
    if not has_guide(game):
        raise ValueError(f"{game.name} has no guided deal; choose “quick” or the seats")
    guide = guide_of(game)
    person = Seated(PERSON, clean_name(name))
    other = opponents.seat(game, guide.opponent or agent_of(LEVEL, game))
    seated = tuple(person if seat == guide.seat else other for seat in range(guide.setup["seats"]))
    return Opening(game.name, guide.setup, guide.seed, seated, guide.seat, guided=True)


def lesson(table: Table, viewer: int, language: str) -> str:
    """Return the text of the lesson that `viewer` sees now, "" without one; the caller holds the lock of the table.

    It comes with a decision of the viewer and stays until the next one.
    """
    if not table.opening.guided or viewer != table.opening.host:
        return ""
    lessons = guide_of(table.game).lessons
    plies = table.deal.plies
    asked = [number for number, ply in enumerate(plies) if ply.seat == viewer]
    if table.deal.over or table.to_act(viewer):
        asked.append(len(plies))
    shown = table.lessons
    for ply in asked[len(shown) :]:
        shown.append((ply, _due(table, viewer, ply, {number for _, number in shown})))
    number = shown[-1][1] if shown else NONE
    return "" if number == NONE else lessons[number].text[language]


def _due(table: Table, viewer: int, ply: int, shown: set[int]) -> int:
    """Return the number of the lesson for the decision of `viewer` at `ply`, or for the end of the deal."""
    over = table.deal.over and ply == len(table.deal.plies)
    view = make_view(table.game, table.deal.at(ply), viewer, table.stream(viewer, ply))
    words = table.game.words
    moves = [] if over else [words.action_name(action, "en") for action in np.flatnonzero(view.mask).tolist()]
    texts = (words.describe(view.state, viewer, "en"), "\n".join(moves), "\n".join(table.deal.log(viewer, "en", ply)))
    for number, one in enumerate(guide_of(table.game).lessons):
        patterns = zip((one.table, one.move, one.told), texts, strict=True)
        if one.over == over and number not in shown and all(not want or want.search(text) for want, text in patterns):
            return number
    return NONE
