"""What a search finds: as figures for `watch --think`, as verdicts for people who ask for a hint."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.score import nature
from sobremesa.agents.search.improve import Improve, Line, SearchResult
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.wording import shown_name, typed_entries
from sobremesa.report.verdicts import Move, fair_vote, hints

BEST = 4  # actions shown
USUAL = "search(strong)"
HINT = "search(strong, worlds=200, seconds=3)"  # for a person who waits
WITHIN = 1.96  # standard errors: an interval of 95 %
FEW = 12  # trials of an action, below which its figure says little
CLOSE = 0.02  # of the wins
APART = 3.0  # standard errors between two actions that are told apart

_WORDS = {
    "en": {
        "thinks": "thinks", "visits": "visits", "worlds": "worlds",
    },
    "es": {
        "thinks": "piensa", "visits": "visitas", "worlds": "mundos",
    },
}  # fmt: skip


def hint_spec(game: Game, spec: str) -> str:
    """Return the search `spec`, over the best scripted agent of a `game` that has no `strong`."""
    known = agents.scripted_names(game)
    return spec if "strong" in known else spec.replace("(strong", f"({known[-1]}")


class Figure(NamedTuple):
    """The estimate of an action as a part of the win, or of the team's success, with an interval of 95 %."""

    action: int
    part: float
    low: float
    high: float
    error: float  # standard error of `part`
    line: Line


class Thinker:
    """Search over the decisions of other agents, with its own random stream."""

    def __init__(self, game: Game, spec: str = USUAL) -> None:
        agent = agents.load(spec, game)
        if not isinstance(agent, (Improve, Ismcts)):
            raise ValueError(f"{spec} does not search; give search(AGENT) or ismcts(AGENT)")
        self._game, self._agent = game, agent
        self._told: dict[tuple[bytes, str], str] = {}  # a film repeats each ply for every viewer

    def at(self, ply: Ply, language: str) -> str:
        """Return the estimates for the player to act at `ply`, from that player's view; "" at the end."""
        if ply.action == OVER:
            return ""
        asked = ply.states.tobytes(), language
        if asked not in self._told:
            view = make_view(self._game, ply.states, ply.seat, new_stream(ply.seat))
            self._told[asked] = self.of(view, language)
        return self._told[asked]

    def of(self, view: View, language: str) -> str:
        """Return one line for `view`: the best actions with their win probability and an interval, the best first."""
        thought = self._agent.think(view)
        found = ranked(self._game, thought, int(view.state["seats"][0]))
        told = " · ".join(_figures(self._game, figure, language) for figure in found)
        told = told or self._game.words.action_name(thought.action, language)
        return f"{self._agent.name} {_WORDS[language]['thinks']}: {told}"

    def hints(self, view: View, languages: Iterable[str], *, typed: bool = False) -> dict[str, list[tuple[int, str]]]:
        """Return the best actions for `view`, each with a sentence, the best first, in each language, from one search.

        Actions have the names of their buttons or, with `typed`, names that a person can type. The stream of `view` is
        not used up, so asking again gives the same answer.
        """
        words = self._game.words
        shown = not typed or typed_entries(words)
        name_of = partial(shown_name, words, state=view.state) if shown else words.action_name
        thought = self._agent.think(view._replace(stream=view.stream.copy()))
        seats = int(view.state["seats"][0])
        if self._game.fair_vote(view.observation, view.mask) is not None:
            return {one: [(thought.action, fair_vote(name_of(thought.action, one), one))] for one in languages}
        return {language: judged(self._game, thought, seats, language, name_of) for language in languages}


def ranked(game: Game, thought: SearchResult, seats: int) -> list[Figure]:
    """Return the best actions of a search by their figures, the highest first, with the choice among them.

    Rollouts compare an action with the base's choice in the same worlds, so its figure is that of the base's choice in
    all worlds, plus its gain. An action that was dropped after a few lucky worlds does not lead by them.
    """
    base = next((line.payoff for line in thought.lines if line.action == thought.base), np.nan)
    figures = [_figure(game, line, base, seats) for line in thought.lines]
    figures.sort(key=lambda figure: -figure.part)
    shown = figures[:BEST]
    if not any(figure.action == thought.action for figure in shown):
        shown[BEST - 1 :] = [figure for figure in figures if figure.action == thought.action]
    return shown


def _figure(game: Game, line: Line, base: float, seats: int) -> Figure:
    tree = np.isnan(line.error)
    payoff = line.payoff if tree or np.isnan(base) else base + line.gain
    part = min(max(_part(game, payoff, seats), 0.0), 1.0)
    if tree:  # the spread of as many independent deals
        error = float(np.sqrt(part * (1 - part) / line.trials))
        low, high = part - WITHIN * error, part + WITHIN * error
    else:
        wide = min(line.error, 2.0)  # payoffs are at most 2 apart
        low, high = (_part(game, payoff + side * WITHIN * wide, seats) for side in (-1, 1))
        error = (high - low) / (2 * WITHIN)
    return Figure(line.action, part, max(low, 0.0), min(high, 1.0), error, line)


def _figures(game: Game, figure: Figure, language: str) -> str:
    """Return an action with its figures: `go S3 75% [65%, 85%] (8 worlds)`."""
    words, line = _WORDS[language], figure.line
    name = game.words.action_name(figure.action, language)
    counted = words["visits"] if np.isnan(line.error) else words["worlds"]
    if not line.error > 0:  # equal results in all worlds: no interval
        return f"{name} {figure.part:.0%} ({line.trials} {counted})"
    return f"{name} {figure.part:.0%} [{figure.low:.0%}, {figure.high:.0%}] ({line.trials} {counted})"


def judged(
    game: Game, thought: SearchResult, seats: int, language: str, name_of: Callable[[int, str], str]
) -> list[tuple[int, str]]:
    """Return a sentence about each of the best actions of a search, its choice first (see verdicts.py)."""
    figures = ranked(game, thought, seats)
    figures.sort(key=lambda figure: figure.action != thought.action)
    if not figures:
        choice = Move(thought.action, name_of(thought.action, language), 0.0, certain=False, even=True)
        return hints([choice], language, 1.0, team=False, few=False)
    even = [_is_tied(figure, figures[0]) for figure in figures]
    moves = [
        Move(
            figure.action,
            name_of(figure.action, language),
            figure.part,
            certain=figure.line.error == 0,
            even=any(even[number:]),
        )
        for number, figure in enumerate(figures)
    ]
    few = max(figure.line.trials for figure in figures) < FEW
    sides = 2 if game.cooperative else seats
    return hints(moves, language, 1 / sides, team=game.cooperative and seats > 1, few=few)


def _is_tied(figure: Figure, first: Figure) -> bool:
    """Return whether a search cannot tell an action from the first one.

    Each of several actions may look worse by chance, most of all one that was dropped early.
    """
    apart = max(CLOSE, APART * float(np.hypot(figure.error, first.error)))
    return figure.line.trials < FEW or first.part - figure.part <= apart


def _part(game: Game, payoff: float, seats: int) -> float:
    """Return the part of the win, or the team's success, that `payoff` of one of `seats` means."""
    return float(nature(game).worth(np.full(seats, payoff))[0])
