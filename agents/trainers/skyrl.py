"""skyrl-gym: a text environment. It is registered under an id of your choice by the entry point
`sobremesa.agents.trainers.skyrl:Table`.
"""

from collections.abc import Mapping
from dataclasses import fields
from threading import Lock
from typing import Any

from sobremesa.agents.trainers.deals import Deals, metrics
from sobremesa.envs.core.errors import MissingExtra

try:
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
except ImportError:
    raise MissingExtra("the environment for skyrl-gym", "skyrl") from None

_SETTINGS = {field.name for field in fields(Deals)}


class Table(BaseTextEnv):
    """One deal. A row's column `seed` sets it; rows that repeat in a group share a deal.

    `step` takes the text of an answer and no number, so it counts for the decision that the last call returned. Steps
    that overlap are refused.

    Args:
        env_config: the fields of `Deals`, the same for all rows.
        extras: the columns of the row: `seed`, optionally fields of `Deals` and `max_turns`, a limit of answers.

    Raises:
        ValueError: there is no `seed`, or a setting is not allowed.
    """

    def __init__(self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        row = dict(extras or {})
        if "seed" not in row:
            raise ValueError(f"a row needs the column 'seed'; this one has {', '.join(row) or 'no columns'}")
        self.deals = Deals(**{**(env_config or {}), **{name: row[name] for name in _SETTINGS & row.keys()}})
        self.episode = self.deals.episode(int(row["seed"]))
        self.max_turns = int(row.get("max_turns", 0))  # 0: no limit apart from the game's own
        self._stepping = Lock()

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Return the first messages of the episode, which replace the prompt of the row, and its metadata."""
        return list(self.episode.messages), {"seat": self.episode.seat, "seed": self.episode.seed}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Read an answer; return the next message, and at the end of the episode its reward.

        After the end of the episode or the last turn an answer is not read. Raises ValueError for an answer while
        another one is read: it would count for a decision that the model has not seen.
        """
        if not self._stepping.acquire(blocking=False):
            raise ValueError("another step of this episode is not finished; wait for its observation")
        try:
            if not self._done:
                self.turns += 1
                self.episode.answer(action)
            return BaseTextEnvStepOutput(
                observations=[] if self._done else self.episode.messages[-1:],
                reward=self.deals.reward(self.episode) if self._done else 0.0,
                done=self._done,
                metadata={"forfeited": self.episode.forfeited},
            )
        finally:
            self._stepping.release()

    @property
    def _done(self) -> bool:
        return self.episode.over or 0 < self.max_turns <= self.turns

    def get_metrics(self) -> dict[str, Any]:
        """Return the counts of the episode."""
        return metrics(self.episode)
