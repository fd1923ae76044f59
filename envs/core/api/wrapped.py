"""The AEC environment with PettingZoo's three usual wrappers built in, at a fraction of their cost."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from sobremesa.envs.core.api.aec import ILLEGAL_REWARD, TableEnv
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game


class GuardedTableEnv(TableEnv):
    """`TableEnv` with the checks of PettingZoo's `env()`.

    - An illegal action ends the deal with a warning, reward -1 for that agent and 0 for others
      (TerminateIllegalWrapper).
    - An action outside the action space raises AssertionError (AssertOutOfBoundsWrapper).
    - Methods before `reset` raise, `agent_iter` needs a `step` in its loop, and a step after the end warns
      (OrderEnforcingWrapper).

    The arguments are those of `TableEnv`; `unwrapped` is the `TableEnv` without the checks, as from `raw_env`.
    """

    def __init__(self, *positional: Any, **arguments: Any) -> None:
        super().__init__(*positional, **arguments)
        del self.agents
        self._has_reset = False
        self._has_updated = False

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and not self.__dict__.get("_has_reset", True):
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def unwrapped(self) -> TableEnv:
        """The same table without the checks; the two share all state."""
        bare: TableEnv | None = self.__dict__.get("_bare")
        if bare is None:
            bare = self._bare = object.__new__(TableEnv)
            bare.__dict__ = self.__dict__  # one table, behind two classes
        return bare

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._has_reset = self._has_updated = True

    def step(self, action: int | None) -> None:
        """Play `action` for `agent_selection`; an illegal one ends the deal, one outside the space raises."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        try:
            super().step(action)
        except IllegalAction:
            assert self.action_space(self.agent_selection).contains(action), "action is not in action space"
            EnvLogger.warn_on_illegal_move()
            self._forfeit()

    def _forfeit(self) -> None:
        loser = self.agent_selection
        self.terminations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0) | {loser: ILLEGAL_REWARD}
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, Any]:
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> np.ndarray:
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> Any:
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # type: ignore[override]
        """Yield `agent_selection` until all agents are done; call `step` or `reset` in each iteration."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._turns(max_iter)

    def _turns(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            assert self._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_updated = False
            max_iter -= 1
            yield self.agent_selection

    def set_state(self, saved: bytes) -> None:
        super().set_state(saved)
        self._has_reset = self._has_updated = True


def constructors(game: Game) -> tuple[Callable[..., GuardedTableEnv], Callable[..., TableEnv]]:
    """Return `env` and `raw_env` of `game`, the two functions of every PettingZoo module."""

    def raw_env(**arguments: Any) -> TableEnv:
        return TableEnv(game, **arguments)

    def env(**arguments: Any) -> GuardedTableEnv:
        return GuardedTableEnv(game, **arguments)

    raw_env.__doc__ = f"Make a bare AEC environment of {game.name}; see `TableEnv` for the arguments."
    env.__doc__ = f"Make an AEC environment of {game.name} with PettingZoo's usual checks; see `GuardedTableEnv`."
    return env, raw_env
