"""TRL: an environment class for `GRPOTrainer(environment_factory=...)`. It does not import TRL."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from sobremesa.agents.decisions import check_names
from sobremesa.agents.trainers.deals import Deals
from sobremesa.agents.trainers.tool import ToolCalls

__all__ = ["Table", "rows"]


def rows(seeds: Iterable[int]) -> list[dict[str, Any]]:
    """Return a row of a training dataset for each seed; the environment adds the text of the deal to the prompt.

    The trainer repeats a row for each completion of its group, so the group shares a deal.
    """
    return [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in seeds]


def _named(tool: Callable[..., str]) -> Callable[..., str]:
    """Return a method with an error of one line for wrong and missing arguments, which models read."""
    known = list(inspect.signature(tool).parameters)[1:]

    @functools.wraps(tool)
    def call(self: Any, **arguments: Any) -> str:
        check_names(tool.__name__, arguments, known, known)
        return tool(self, **arguments)

    return call


class Table:
    """A table at which the model plays by calling the tool `play`; TRL makes one for each completion of a batch.

    Pass `functools.partial(Table, deals)` as the factory, or a dict of several. All public methods except `reset` and
    `get_reward` are tools. A message ends with the number of the decision, which a call names. TRL runs all calls of
    one answer of the model; the second one is refused, since the model has not seen that decision.
    """

    def __init__(self, deals: Deals) -> None:
        self._deals = deals
        self._calls: ToolCalls | None = None

    def reset(self, seed: int, **row: Any) -> str:
        """Begin the deal of `seed`, a column of the dataset; return the text for the model. Ignore other columns."""
        episode = self._deals.episode(seed, tool="play")
        self._calls = ToolCalls(episode, str(episode.seed).encode())
        return "\n\n".join([*(message["content"] for message in episode.messages[:-1]), self._calls.shown])

    @_named
    def play(self, decision: int, answer: str) -> str:
        """
        Play an action at the table.

        Args:
            decision: The number of the decision, which is in the last line of its text.
            answer: The name of one legal action.

        Returns:
            The next decision, the reason why the answer was refused, or the end of the game.
        """
        return self._begun.call(decision, str(answer))

    @property
    def decision(self) -> int:
        """The number of the present decision, for a model whose answer has one call at most and no number."""
        return self._begun.decisions.number

    @property
    def _begun(self) -> ToolCalls:
        if self._calls is None:
            raise ValueError("no game has begun; reset the table first")
        return self._calls

    def get_reward(self) -> float:
        """Return the reward of the deal; an unfinished one has that of a forfeit."""
        return self._deals.reward(self._calls.episode) if self._calls else 0.0
