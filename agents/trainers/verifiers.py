"""verifiers: deals as a taskset, and an environment in which the library plays the other seats.

verifiers finds a taskset by the name of a top-level module, so give it one of yours that exports these two classes:

    from sobremesa.agents.trainers.verifiers import DealEnv, DealTaskset

    __all__ = ["DealEnv", "DealTaskset"]
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from sobremesa.agents.trainers.deals import Deals, metrics
from sobremesa.envs.core.errors import MissingExtra

try:
    import verifiers.v1 as vf
    from pydantic import Field
except ImportError:
    raise MissingExtra("the environment for verifiers", "verifiers") from None

__all__ = ["DealEnv", "DealTaskset"]


class DealsConfig(vf.TasksetConfig):
    """The fields of `Deals`, and the seeds: `deals` of them from `first_seed`."""

    game: str
    opponents: str | list[str] = "strong"
    seat: int | None = None
    language: str = "en"
    actions: bool = True
    history: bool = False
    attempts: int = 3
    penalty: float = 1.0
    setup: dict[str, Any] = Field(default_factory=dict)
    first_seed: int = 0
    deals: int = 1000


class DealData(vf.TaskData):
    """The seed of a deal; all rollouts of the task share it."""

    seed: int


class DealTask(vf.Task[DealData]):
    """One deal."""


class DealTaskset(vf.Taskset[DealTask, DealsConfig]):
    """A task for each seed, with the rules as its system prompt and the first decision as its prompt."""

    @cached_property
    def deals(self) -> Deals:
        """The deals of the configuration."""
        return Deals(**{name: getattr(self.config, name) for name in Deals.__dataclass_fields__})

    def load(self) -> Iterator[DealTask]:
        """Yield a task for each seed whose deal has a decision of the player."""
        first = self.config.first_seed
        for seed in range(first, first + self.config.deals):
            episode = self.deals.episode(seed)
            if not episode.over:
                rules, prompt = (message["content"] for message in episode.messages)
                data = DealData(name=f"{self.config.game}#{seed}", prompt=prompt, system_prompt=rules, seed=seed)
                yield DealTask(data, self.config.task)


class DealEnvConfig(vf.EnvConfig):
    """One seat for a model, without tools and without a sandbox, which a conversation does not need."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())


class DealEnv(vf.Env[DealEnvConfig]):
    """Plays a deal: prompts go to the model as the messages of the user, its replies are read as answers.

    A trace has two rewards: `payoff`, of a deal played to its end, and `forfeit`, the penalty of one that was forfeited
    or not finished. The other of the two is 0.
    """

    async def run(self, task: DealTask, agents: vf.Agents) -> None:
        """Play one episode of `task`."""
        deals = self.taskset.deals
        episode = deals.episode(task.data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                episode.answer(segment.last_reply, interaction.trace.is_truncated)
                if episode.over:
                    break
                segment = await interaction.turn(episode.prompt)
        trace, counts = interaction.trace, metrics(episode)
        lost = bool(counts["forfeit"] or counts["unfinished"])
        trace.record_reward("payoff", 0.0 if lost else deals.reward(episode))
        trace.record_reward("forfeit", deals.reward(episode) if lost else 0.0)
        trace.record_metrics(counts | {"seat": float(episode.seat)})
        trace.info["forfeited"] = episode.forfeited
