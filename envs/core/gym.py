"""One seat of any game as a Gymnasium environment, single or vector; agents play the other seats.

A step goes from a decision of mine to my next one: whatever the others do meanwhile happens inside, and the reward is
what the game pays me in between, which is my payoff when the deal ends and 0 before.
"""

from collections.abc import Sequence
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymVectorEnv

from sobremesa.envs.core import render as rendering
from sobremesa.envs.core.agent import Agent, make_view, new_stream
from sobremesa.envs.core.encoders import load_encoder
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game, check_language
from sobremesa.envs.core.match import OUTSIDE, Match
from sobremesa.envs.core.seeds import DEAL, seed_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.vector import check_actions, check_seat, check_seed, check_whole

LEARNER = 0  # the place of OUTSIDE among a match's agents here


class SeatVectorEnv(GymVectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One seat at each of N tables; a table whose deal ends starts the next one in the same step.

    `infos["action_mask"]` is `(N, A)` int8. When deals end, `infos["final_obs"]` holds the last observation of mine at
    those tables and `infos["_final_obs"]` says which they are. Observations and masks are the match's own buffers
    unless `copy` is given: they are overwritten by the next step.

    Args:
        game: the game.
        num_envs: N, the number of tables.
        opponents: agents for the other seats; each seat of each deal gets one of them, drawn by `weights`.
        weights: how often each opponent is drawn; None draws them alike. May be changed while running.
        seat: my seat, or None for another one each deal, all alike.
        seed: a whole number from 0 to 2**63 - 1.
        copy: return fresh arrays instead of the buffers.
        threads: the most threads to use; None chooses.
        setup: the game's setup fields, each one value for all tables or a sequence of N.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Agent],
        *,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        seed: int = 0,
        copy: bool = False,
        threads: int | None = None,
        **setup: Any,
    ) -> None:
        num_envs = check_whole("num_envs", num_envs, 1)
        setups = game.new_tables(num_envs, setup)
        others = _others(opponents, int(setups["seats"].max()))
        self.game = game
        self.num_envs = num_envs
        self.weights = np.ones(len(others)) if weights is None else np.asarray(weights, float)
        fine = self.weights.shape == (len(others),) and (self.weights >= 0).all()
        if not (fine and 0 < self.weights.sum() < np.inf):
            raise ValueError(f"weights={weights!r} is not allowed; it takes {len(others)} numbers, not all zero")
        self.seat = check_seat(game, "seat", seat, int(setups["seats"].min()))
        self.copy = copy
        self.match = Match(game, [OUTSIDE, *others], setups, threads)
        self.single_observation_space = load_encoder("flat").space(game)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = spaces.MultiDiscrete(np.full(num_envs, game.num_actions))
        self.learner_seats = np.zeros(num_envs, np.int64)
        self.undecided = 0  # deals that ended before I had a decision; they are dealt anew
        self._rows = np.arange(num_envs)
        self._deals = np.zeros(num_envs, np.int64)
        self._seed = check_seed(seed)

    @property
    def action_masks(self) -> np.ndarray:
        """`(N, A)` int8, what I may do at each table."""
        return self.match.masks

    def reseed(self, seed: int) -> None:
        """Have the next `reset` begin at `seed`."""
        self._seed = check_seed(seed)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal at every table and play up to my first decision there."""
        if seed is not None:
            self.reseed(seed)
        self._chance = np.random.default_rng(self._seed)
        self._deals[:] = 0
        self.undecided = 0
        self._deal(self._rows)
        return self._seen(), self._infos()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play `actions` `(N,)` and up to my next decision at each table.

        Raises IllegalAction, with no table changed, if one of them is not allowed.
        """
        match = self.match
        match.step(self._rows, check_actions(self.game, actions, self.num_envs))
        match.settle()
        terminated = match.over
        rewards = np.where(terminated, match.payoffs[self._rows, self.learner_seats], 0.0).astype(np.float32)
        done = np.flatnonzero(terminated)
        infos: dict[str, Any] = {}
        if len(done):
            infos["final_obs"] = self._final(done)
            infos["_final_obs"] = terminated
            self._deal(done)
        return self._seen(), rewards, terminated, np.zeros(self.num_envs, np.bool_), infos | self._infos()

    def _deal(self, rows: np.ndarray) -> None:
        match = self.match
        while len(rows):
            counts = match.setups["seats"][rows]
            opponents = 1 + self._chance.choice(
                len(self.weights), (len(rows), self.game.max_seats), p=self.weights / self.weights.sum()
            )
            mine = (self._chance.random(len(rows)) * counts).astype(np.int64)
            if self.seat is not None:
                mine[:] = self.seat
            match.seating[rows] = opponents
            match.seating[rows, mine] = LEARNER
            self.learner_seats[rows] = mine
            self._deals[rows] += 1
            seeds = [seed_of(DEAL, self._seed, row, self._deals[row]) for row in rows]
            match.deal(rows, np.array(seeds))
            match.settle()
            rows = rows[match.over[rows]]
            self.undecided += len(rows)

    def _final(self, done: np.ndarray) -> np.ndarray:
        final = np.full(self.num_envs, None, object)
        for row in done:
            observation = np.zeros(self.game.layout.size, np.float32)
            seat = int(self.learner_seats[row])
            table_kernels(self.game).observe(self.match.states[row : row + 1], seat, observation)
            final[row] = observation
        return final

    def _seen(self) -> np.ndarray:
        return self.match.observations.copy() if self.copy else self.match.observations

    def _infos(self) -> dict[str, Any]:
        masks = self.match.masks
        return {"action_mask": masks.copy() if self.copy else masks}


class SeatEnv(gymnasium.Env[Any, int]):
    """One seat of one table; agents play the others.

    The mask is in `info["action_mask"]` and comes from `action_masks()` too, where sb3-contrib looks for it. With the
    last step `info["figures"]` says what else there is to say of the deal, as in `TableEnv`.

    Args:
        game: the game.
        opponents: agents for the other seats, drawn anew for each seat of each deal.
        seat: my seat, or None for another one each deal, all alike.
        render_mode: None, "ansi", "svg", "rgb_array" or "human"; pictures show what my seat sees.
        encoder: how observations are written, as in `TableEnv`.
        language: of texts and pictures, "en" or "es".
        setup: the game's setup fields.
    """

    metadata = {"render_modes": list(rendering.MODES), "render_fps": rendering.FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Agent],
        *,
        seat: int | None = None,
        render_mode: str | None = None,
        encoder: str = "flat",
        language: str = "en",
        **setup: Any,
    ) -> None:
        self.game = game
        setups = game.new_tables(1, setup)
        self.seat = check_seat(game, "seat", seat, int(setups["seats"][0]))
        self.render_mode = render_mode
        self.language = check_language(language)
        self._camera = rendering.Camera(game, render_mode, language)
        self._encoder = load_encoder(encoder)
        others = _others(opponents, int(setups["seats"][0]))
        self._match = Match(game, [OUTSIDE, *others], setups)
        self.my_seat = 0
        self.observation_space = self._encoder.space(game)
        self.action_space = spaces.Discrete(game.num_actions)  # type: ignore[assignment]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal and play up to my first decision; deals that end before it are dealt anew."""
        super().reset(seed=seed)
        match, first = self._match, np.zeros(1, np.int64)
        count = int(match.setups["seats"][0])
        while True:
            self.my_seat = int(self.np_random.integers(count)) if self.seat is None else self.seat
            match.seating[0] = self.np_random.integers(1, len(match.agents), self.game.max_seats)
            match.seating[0, self.my_seat] = LEARNER
            match.deal(first, self.np_random.integers(2**63, size=1))
            match.settle()
            if not match.over[0]:
                break
        if self.render_mode == "human":
            self.render()
        return self._seen(), {"action_mask": match.masks[0].copy()}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play `action` and up to my next decision; raise IllegalAction, with nothing changed, if it is not allowed."""
        match = self._match
        if match.over[0]:
            raise IllegalAction(f"{self.game.id}: the deal is over, or none has begun; call reset")
        try:
            number = -1 if isinstance(action, bool) else index(action)
        except TypeError:
            number = -1
        if not (0 <= number < self.game.num_actions and match.masks[0, number]):
            raise IllegalAction.at(self.game, match.states, action, match.masks[0])
        match.step(np.zeros(1, np.int64), np.array([number]))
        match.settle()
        over = bool(match.over[0])
        reward = float(match.payoffs[0, self.my_seat]) if over else 0.0
        if self.render_mode == "human":
            self.render()
        info: dict[str, Any] = {"action_mask": match.masks[0].copy()}
        if over:
            info["figures"] = self.game.ended(match.states)
        return self._seen(), reward, over, False, info

    def action_masks(self) -> np.ndarray:
        """Return what I may do now, `(A,)` bool."""
        allowed: np.ndarray = self._match.masks[0] == 1
        return allowed

    def render(self) -> Any:
        """Return text, SVG or `(height, width, 3)` uint8 of what my seat sees; with "human" show it in a window."""
        return self._camera.draw(self._match.states, self.my_seat)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._camera.close()

    def _seen(self) -> Any:
        view = make_view(self.game, self._match.states, self.my_seat, new_stream(0))
        return self._encoder.encode(view, self.language)


def _others(opponents: Sequence[Agent], seats: int) -> list[Agent | None]:
    """Return who sits at the other seats: at a table of one nobody does, and nobody need be named."""
    if (not opponents and seats > 1) or not all(isinstance(agent, Agent) for agent in opponents):
        raise ValueError(f"opponents={opponents!r} is not allowed; it takes agents, one at least")
    return list(opponents) or [OUTSIDE]
