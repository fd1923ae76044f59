"""One seat of many tables as a Stable-Baselines3 VecEnv."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.api.vector import check_options


class SeatVecEnv(VecEnv):
    """`SeatVectorEnv` for SB3; `env_method("action_masks")` returns the masks `(N, A)`.

    A transition runs from one decision of the learner to its next. At the end of a deal `info["episode"]` has the
    payoff `r` and the learner's decisions `l`, and `terminal_observation` the learner's last observation.
    """

    def __init__(self, env: SeatVectorEnv) -> None:
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions = np.zeros(env.num_envs, np.int64)
        self._decisions = np.zeros(env.num_envs, np.int64)
        self._nothing: list[dict[str, Any]] = [{} for _ in range(env.num_envs)]

    def reset(self) -> np.ndarray:
        observations, _ = self.env.reset()
        self._decisions[:] = 0
        return observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, dones, _, seen = self.env.step(self._actions)
        self._decisions += 1
        infos = self._nothing
        if dones.any():
            infos = infos.copy()
            for row in np.flatnonzero(dones):
                ended = {"r": float(rewards[row]), "l": int(self._decisions[row])}
                infos[row] = {"episode": ended, "terminal_observation": seen["final_obs"][row]}
            self._decisions[dones] = 0
        return observations.copy(), rewards, dones, infos

    def close(self) -> None:
        self.env.close()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Return the masks `(n, A)` bool for `action_masks`; raise AttributeError for any other method."""
        if method_name != "action_masks":
            raise AttributeError(f"the tables have no method {method_name!r}, only 'action_masks'")
        masks = self.env.action_masks.astype(np.bool_)
        return masks if indices is None else masks[self._rows(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks" or hasattr(self.env, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"cannot set {attr_name!r}: the tables are not separate objects")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(self._rows(indices))

    def set_options(self, options: Any = None) -> None:
        """Raise ValueError for any options of `reset`."""
        for one in [options] if isinstance(options, dict) else options or ():
            check_options(self.env.game, one)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Start the next `reset` at `seed`; later resets continue with new deals."""
        if seed is not None:
            self.env.reseed(seed)
        return [seed] * self.num_envs

    def _rows(self, indices: Any) -> list[int]:
        return list(self._get_indices(indices))
