"""Value estimates of a search in words, for `watch --think`, `play --hint` and `serve`."""

from collections.abc import Iterable

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.score import nature
from sobremesa.agents.search.improve import Improve, Line
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER

BEST = 4  # actions shown
USUAL = "search(strong)"
WITHIN = 1.96  # standard errors: an interval of 95 %

_WORDS = {
    "en": {"thinks": "thinks", "visits": "visits", "worlds": "worlds"},
    "es": {"thinks": "piensa", "visits": "visitas", "worlds": "mundos"},
}


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
        """Return one line for `view`: the best actions with their win probability and an interval."""
        told = " · ".join(told for _, told in self.lines(view, language))
        return f"{self._agent.name} {_WORDS[language]['thinks']}: {told}"

    def lines(self, view: View, language: str) -> list[tuple[int, str]]:
        """Return the best actions for `view`, each with its estimate; only the choice if the search tried no action."""
        return self.lines_in(view, [language])[language]

    def lines_in(self, view: View, languages: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        """Return `lines` in each of `languages`, from one search."""
        thought, seats, found = self._agent.think(view), int(view.state["seats"][0]), {}
        for language in languages:
            told = [(line.action, _told(self._game, line, seats, language)) for line in thought.lines[:BEST]]
            found[language] = told or [(thought.action, self._game.words.action_name(thought.action, language))]
        return found


def _told(game: Game, line: Line, seats: int, language: str) -> str:
    words = _WORDS[language]
    name = game.words.action_name(line.action, language)
    counted = words["visits"] if np.isnan(line.error) else words["worlds"]
    worth = _part(game, line.payoff, seats)
    if not line.error > 0:  # equal results in all worlds: no interval
        return f"{name} {worth:.0%} ({line.trials} {counted})"
    low, high = (_part(game, line.payoff + side * WITHIN * line.error, seats) for side in (-1, 1))
    return f"{name} {worth:.0%} [{max(low, 0):.0%}, {min(high, 1):.0%}] ({line.trials} {counted})"


def _part(game: Game, payoff: float, seats: int) -> float:
    """Return the part of the win, or the team's success, that `payoff` of one of `seats` stands for."""
    return float(nature(game).worth(np.full(seats, payoff))[0])
