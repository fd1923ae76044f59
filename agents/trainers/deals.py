"""The deals of a trainer's environment, and the reward of an episode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sobremesa import envs
from sobremesa.agents.language.prompt import ATTEMPTS, Style
from sobremesa.agents.loading import load
from sobremesa.agents.trainers.episode import Episode
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.game import Game


@dataclass(frozen=True)
class Deals:
    """Episodes of one game against fixed opponents. The seed sets the deal, so a group with one seed shares a deal.

    The reward of an episode that is played to its end is its payoff. An episode that the player forfeits, or does not
    finish, has the reward `-penalty`.

    Args:
        game: the name of the game.
        opponents: the names of agents, for the other seats in order; fewer are repeated in turn.
        seat: the player's seat; None takes another seat for each seed in turn.
        language: "en" or "es".
        actions: whether prompts list the legal actions.
        history: whether prompts have all events that the player has seen.
        attempts: answers to one decision.
        penalty: subtracted for a forfeit and for an unfinished episode, in place of a payoff.
        setup: the game's setup fields.
    """

    game: str
    opponents: str | Sequence[str] = "strong"
    seat: int | None = None
    language: str = "en"
    actions: bool = True
    history: bool = False
    attempts: int = ATTEMPTS
    penalty: float = 1.0
    setup: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _rules(self) -> Game:
        return envs.load(self.game)

    @cached_property
    def _agents(self) -> list[Agent]:
        """The opponents, loaded once for all episodes."""
        several = [self.opponents] if isinstance(self.opponents, str) else self.opponents
        return [load(one, self._rules) for one in several]

    @cached_property
    def _seats(self) -> int:
        return int(self._rules.new_tables(1, dict(self.setup))["seats"][0])

    def episode(self, seed: int, tool: str = "") -> Episode:
        """Begin the episode of `seed`; `tool` is that of `Style`.

        Raises ValueError if a setting of the deals or the seed is not allowed.
        """
        seed = check_seed(seed)
        return Episode(
            self._rules,
            self._agents,
            seat=seed % self._seats if self.seat is None else self.seat,
            seed=seed,
            style=Style(self.language, self.actions, self.history, tool),
            attempts=self.attempts,
            **self.setup,
        )

    def reward(self, episode: Episode) -> float:
        """Return the payoff of `episode`, or `-penalty` if the player forfeited or did not finish it."""
        return -self.penalty if episode.forfeited or episode.payoff is None else episode.payoff


def metrics(episode: Episode) -> dict[str, float]:
    """Return counts of an episode: forfeits, unfinished episodes, decisions and refused answers, each as a number."""
    read = [one for decision in episode.decisions for one in decision.read]
    return {
        "forfeit": float(bool(episode.forfeited)),
        "unfinished": float(not episode.over),
        "decisions": float(sum(one.action is not None for one in read)),
        "refused": float(sum(one.action is None for one in read)),
    }
