"""Value estimates of a search in words: as figures for `watch --think`, as sentences for people who ask for a hint."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.score import nature
from sobremesa.agents.search.improve import Improve, Line, Thought
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER

BEST = 4  # actions shown
USUAL = "search(strong)"
WITHIN = 1.96  # standard errors: an interval of 95 %
FEW = 12  # trials of an action, below which its figure says little
CLOSE = 0.02  # of the wins
LOW = 0.5  # of an equal share of the wins: a chance below is called low

_WORDS = {
    "en": {
        "thinks": "thinks", "visits": "visits", "worlds": "worlds",
        "only": "{name} – the search sees no other move to compare it with.",
        "first": "{name} – the best. You win {part} of the deals that the search played on after it.",
        "first_even": "{name} – the best, if only just. You win {part} of the deals that the search played on "
                      "after it.",
        "first_team": "{name} – the best. The team succeeds in {part} of the deals that the search played on after it.",
        "first_even_team": "{name} – the best, if only just. The team succeeds in {part} of the deals after it.",
        "first_few": "{name} – the choice of the search, which had time for few deals.",
        "few": "{name} – perhaps as good.",
        "low": " No move promises much here.",
        "even": "{name} – about as good ({part}).",
        "worse": "{name} – not so good ({part}).",
    },
    "es": {
        "thinks": "piensa", "visits": "visitas", "worlds": "mundos",
        "only": "{name} – la búsqueda no ve otra jugada con que compararla.",
        "first": "{name} – la mejor. Ganas el {part} de las partidas que la búsqueda siguió tras ella.",
        "first_even": "{name} – la mejor, por poco. Ganas el {part} de las partidas que la búsqueda siguió tras ella.",
        "first_team": "{name} – la mejor. El equipo lo logra en el {part} de las partidas seguidas con ella.",
        "first_even_team": "{name} – la mejor, por poco. El equipo lo logra en el {part} de las partidas con ella.",
        "first_few": "{name} – la que elige la búsqueda, que tuvo tiempo de pocas partidas.",
        "few": "{name} – quizá igual de buena.",
        "low": " Aquí ninguna jugada promete mucho.",
        "even": "{name} – más o menos igual de buena ({part}).",
        "worse": "{name} – no tan buena ({part}).",
    },
}  # fmt: skip


class Figure(NamedTuple):
    """The estimate of an action as a part of the win, or of the team's success, with an interval of 95 %."""

    action: int
    part: float
    low: float
    high: float
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

        Actions have the names of their buttons or, with `typed`, names that a person can type. An action whose interval
        overlaps that of the first one is "about as good". If the search tried no action, only its choice is returned.
        """
        words = self._game.words
        shown = not typed or words.typed_entry
        name_of = partial(words.shown_name, state=view.state) if shown else words.action_name
        thought, found = self._agent.think(view), {}
        seats = int(view.state["seats"][0])
        best = ranked(self._game, thought, seats)
        for language in languages:
            found[language] = _hints(self._game, best, thought.action, language, seats, name_of)
            if not best:
                name = name_of(thought.action, language)
                found[language] = [(thought.action, _WORDS[language]["only"].format(name=name))]
        return found


def ranked(game: Game, thought: Thought, seats: int) -> list[Figure]:
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
        error = min(line.error, 2.0)  # payoffs are at most 2 apart
        low, high = (_part(game, payoff + side * WITHIN * error, seats) for side in (-1, 1))
    return Figure(line.action, part, max(low, 0.0), min(high, 1.0), line)


def _figures(game: Game, figure: Figure, language: str) -> str:
    """Return an action with its figures: `go S3 75% [65%, 85%] (8 worlds)`."""
    words, line = _WORDS[language], figure.line
    name = game.words.action_name(figure.action, language)
    counted = words["visits"] if np.isnan(line.error) else words["worlds"]
    if not line.error > 0:  # equal results in all worlds: no interval
        return f"{name} {figure.part:.0%} ({line.trials} {counted})"
    return f"{name} {figure.part:.0%} [{figure.low:.0%}, {figure.high:.0%}] ({line.trials} {counted})"


def _hints(
    game: Game, figures: list[Figure], choice: int, language: str, seats: int, name_of: Callable[[int, str], str]
) -> list[tuple[int, str]]:
    """Return a sentence for each action: why the first one, and how near the others come to it.

    The first sentence adds that no move promises much if its figure is below `LOW` of an equal share. Figures of fewer
    than `FEW` trials are noise: then the `choice` of the search comes first, and no figure is shown.
    """
    words, found = _WORDS[language], []
    few = max((figure.line.trials for figure in figures), default=0) < FEW
    if few:
        figures = sorted(figures, key=lambda figure: figure.action != choice)
    sides = 2 if game.cooperative else seats
    even = [few or _as_good(figure, figures[0]) for figure in figures]
    for number, figure in enumerate(figures):
        if number:
            key = "few" if few else "even" if any(even[number:]) else "worse"
        else:
            key = "first_even" if any(even[1:]) else "first"
            key = "first_few" if few else key + "_team" * (game.cooperative and seats > 1)
        name = name_of(figure.action, language)
        part = f"{figure.part:.0%}" if language == "en" else f"{100 * figure.part:.0f}\N{NO-BREAK SPACE}%"
        low = not few and not number and figure.part * sides < LOW
        found.append((figure.action, words[key].format(name=name, part=part) + words["low"] * low))
    return found


def _as_good(figure: Figure, first: Figure) -> bool:
    """Return whether an action may be as good as the first one: within its interval, or within `CLOSE` of it."""
    return figure.high >= first.low or first.part - figure.part <= CLOSE


def _part(game: Game, payoff: float, seats: int) -> float:
    """Return the part of the win, or the team's success, that `payoff` of one of `seats` stands for."""
    return float(nature(game).worth(np.full(seats, payoff))[0])
