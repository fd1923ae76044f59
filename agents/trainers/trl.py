"""TRL: an environment class for `GRPOTrainer(environment_factory=...)`. It does not import TRL."""

from collections.abc import Iterable
from typing import Any

from sobremesa.agents.trainers.deals import Deals
from sobremesa.agents.trainers.episode import Episode

__all__ = ["Table", "rows"]


def rows(seeds: Iterable[int]) -> list[dict[str, Any]]:
    """Return a row of a training dataset for each seed; the environment adds the text of the deal to the prompt.

    The trainer repeats a row for each completion of its group, so the group shares a deal.
    """
    return [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in seeds]


class Table:
    """A table at which the model plays by calling the tool `play`; TRL makes one for each completion of a batch.

    Pass `functools.partial(Table, deals)` as the factory, or a dict of several. All public methods except `reset` and
    `get_reward` are tools.
    """

    def __init__(self, deals: Deals) -> None:
        self._deals = deals
        self._episode: Episode | None = None

    def reset(self, seed: int, **row: Any) -> str:
        """Begin the deal of `seed`, a column of the dataset; return the text for the model. Ignore other columns."""
        self._episode = self._deals.episode(seed, tool="play")
        return "\n\n".join(message["content"] for message in self._episode.messages)

    def play(self, answer: str) -> str:
        """
        Play an action at the table.

        Args:
            answer: The name of one legal action.

        Returns:
            The next decision, the reason why the answer was refused, or the end of the game.
        """
        if self._episode is None:
            raise ValueError("no game has begun")
        self._episode.answer(str(answer))
        return self._episode.prompt

    def get_reward(self) -> float:
        """Return the reward of the deal; an unfinished one has that of a forfeit."""
        return self._deals.reward(self._episode) if self._episode else 0.0
