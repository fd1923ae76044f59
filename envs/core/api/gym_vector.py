"""One seat at each of many tables as a Gymnasium vector environment; agents play the other seats."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv as GymVectorEnv

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.aec import ILLEGAL_REWARD
from sobremesa.envs.core.api.encoders import load_encoder
from sobremesa.envs.core.api.gym import LEARNER, MASK, check_illegal, seated_others, with_mask
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.api.spec import WithSpec
from sobremesa.envs.core.api.vector import check_actions, check_seat, check_seed, check_whole, reset_rows
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game, check_language
from sobremesa.envs.core.picture import render as rendering
from sobremesa.envs.core.seeds import DEAL, seed_of
from sobremesa.envs.core.table import first_illegal, table_kernels


class SeatVectorEnv(WithSpec, GymVectorEnv[Any, np.ndarray, np.ndarray]):
    """One seat at each of N tables; a table whose deal ends starts the next deal in the same step.

    Infos are those of Gymnasium's vector environments: `infos["action_mask"]` is `(N, A)` int8. When deals end,
    `infos["final_obs"]` has the last observation at those tables, and `infos["final_info"]` the mask (all zero) and
    the figures of each. A key with a leading `_` marks the tables that have it, `(N,)` bool.

    Args:
        game: the game.
        num_envs: N, the number of tables.
        opponents: agents for the other seats, drawn by `weights` for each seat of each deal.
        weights: relative frequencies of the opponents; None means equal. You may change them between steps.
        seat: your seat; None draws one for each deal, with equal chances.
        seed: a whole number from 0 to 2**63 - 1.
        copy: return fresh arrays. False is faster: observations and masks are buffers that the next step overwrites.
        illegal: as in `SeatEnv`.
        dict_keys: as in `SeatEnv`.
        render_mode: as in `SeatEnv`; `render` draws every table, "human" shows the first one.
        language: of pictures, "en" or "es".
        threads: the most threads to use; None chooses.
        setup: the game's setup fields, each one value for all tables or a sequence of N.
    """

    metadata = {  # noqa: RUF012
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(rendering.MODES),
        "render_fps": rendering.FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Agent],
        *,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        seed: int = 0,
        copy: bool = True,
        illegal: str = "lose",
        dict_keys: Sequence[str] | None = None,
        render_mode: str | None = None,
        language: str = "en",
        threads: int | None = None,
        **setup: Any,
    ) -> None:
        num_envs = check_whole("num_envs", num_envs, 1)
        setups = game.new_tables(num_envs, setup)
        others = seated_others(opponents, int(setups["seats"].max()))
        self.game = game
        self.num_envs = num_envs
        self.weights = np.ones(len(others)) if weights is None else np.asarray(weights, float)
        fine = self.weights.shape == (len(others),) and (self.weights >= 0).all()
        if not (fine and 0 < self.weights.sum() < np.inf):
            raise ValueError(f"weights={weights!r} is not allowed; it takes {len(others)} numbers, not all zero")
        self.seat = check_seat(game, "seat", seat, int(setups["seats"].min()))
        self.copy = copy
        self.illegal = check_illegal(illegal)
        self.render_mode = render_mode
        self._camera = rendering.Camera(game, render_mode, check_language(language))
        self.match = Match(game, [OUTSIDE, *others], setups, threads)
        self.single_observation_space, self._pack = with_mask(load_encoder("flat").space(game), game, dict_keys)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = spaces.MultiDiscrete(np.full(num_envs, game.num_actions))
        self.learner_seats = np.zeros(num_envs, np.int64)
        self.undecided = 0  # deals without a decision of the seat, which were repeated
        self._rows = np.arange(num_envs)
        self._deals = np.zeros(num_envs, np.int64)
        self._seed = check_seed(seed)
        self._next: int | None = self._seed  # the seed of the next reset; None continues

    @property
    def action_masks(self) -> np.ndarray:
        """The legal actions at each table, `(N, A)` int8."""
        return self.match.masks

    def reseed(self, seed: int) -> None:
        """Start the next `reset` at `seed`."""
        self._next = check_seed(seed)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a deal at every table and play up to the first decision of your seat there.

        The first reset, and a reset with `seed`, start all tables at the seed of the constructor or at `seed`. Other
        resets continue with the next deals, which follow from the last seed.

        Args:
            seed: a whole number from 0 to 2**63 - 1 for all tables, or None.
            options: `{"reset_mask": mask}`, `(N,)` bool with at least one True, resets only these tables. It cannot be
                combined with a seed or with the first reset.

        Raises:
            TypeError, ValueError: for another seed, option or mask; no table has been changed.
        """
        begin = self._next if seed is None else check_seed(seed)
        masked = reset_rows(self.game, options, self.num_envs, begin is None)
        if begin is not None:
            self._seed, self._next = begin, None
            self._chance = np.random.default_rng(begin)
            self._deals[:] = 0
            self.undecided = 0
        self._deal(self._rows if masked is None else masked)
        self._show()
        return self._seen(), self._infos()

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play `actions` `(N,)` and continue to your next decision at each table.

        Raises IllegalAction, with no table changed, for numbers outside the action space, and for illegal actions with
        `illegal="raise"`.
        """
        if not self._deals[0]:
            raise IllegalAction(f"{self.game.id}: no deal has begun; call reset")
        match, rows = self.match, self._rows
        actions = check_actions(self.game, actions, self.num_envs)
        wrong = self._forbidden(actions)
        lost = wrong & (self.illegal == "lose")
        if wrong.any() and self.illegal == "resample":
            actions = actions.copy()
            for row in np.flatnonzero(wrong):
                actions[row] = self._chance.choice(np.flatnonzero(match.masks[row]))
        if lost.any():
            rows, actions = np.flatnonzero(~lost), actions[~lost]
        if len(rows):
            match.step(rows, actions)
            match.advance()
        rewards = np.where(match.over, match.payoffs[self._rows, self.learner_seats], 0.0).astype(np.float32)
        rewards[lost] = ILLEGAL_REWARD
        terminated = match.over | lost
        self._show()
        infos = self._ended(terminated, wrong)
        if terminated.any():
            self._deal(np.flatnonzero(terminated))
        return self._seen(), rewards, terminated, np.zeros(self.num_envs, np.bool_), infos | self._infos()

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each table from your seat; "human" shows the first one in a window."""
        rows = self._rows[:1] if self.render_mode == "human" else self._rows
        states, seats = self.match.states, self.learner_seats
        drawn = tuple(self._camera.draw(states[row : row + 1], int(seats[row])) for row in rows)
        return None if self.render_mode == "human" else drawn

    def close_extras(self, **arguments: Any) -> None:
        """Close the window, if there is one."""
        self._camera.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _forbidden(self, actions: np.ndarray) -> np.ndarray:
        """Return `(N,)` bool, the tables with an illegal action that `illegal` can handle."""
        match, size = self.match, self.game.num_actions
        if self.illegal == "raise" or first_illegal(self._rows, actions, match.masks) == self.num_envs:
            return np.zeros(self.num_envs, np.bool_)
        for row in np.flatnonzero((actions < 0) | (actions >= size)):
            states = match.states[row : row + 1]
            raise IllegalAction.at(self.game, states, actions[row], match.masks[row], table=int(row))
        return np.asarray(match.masks[self._rows, actions] == 0)

    def _ended(self, terminated: np.ndarray, wrong: np.ndarray) -> dict[str, Any]:
        """Return the infos of ended deals and of illegal actions, for these tables only."""
        over, at_last = self.match.over, wrong & terminated
        infos = _where("illegal", wrong ^ at_last, wrong ^ at_last)
        if not terminated.any():
            return infos
        figures: dict[str, Any] = {}
        for name, values in self.game.figures(self.match.states[over]).items() if over.any() else ():
            if values.dtype.kind == "U":  # libraries store infos as numbers
                continue
            told = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), bool)  # NaN: no result
            rows = np.flatnonzero(over)[told]
            figures |= _where(name, _spread(values[told], rows, len(over)), np.isin(np.arange(len(over)), rows))
        final = _where(MASK, np.zeros_like(self.match.masks), terminated)
        final |= _where("figures", figures, over) | _where("illegal", at_last, at_last)
        infos |= _where("final_obs", self._final(np.flatnonzero(terminated)), terminated)
        return infos | _where("final_info", final, terminated)

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
            match.advance()
            rows = rows[match.over[rows]]
            self.undecided += len(rows)

    def _final(self, done: np.ndarray) -> np.ndarray:
        final = np.full(self.num_envs, None, object)
        for row in done:
            observation = np.zeros(self.game.layout.size, np.float32)
            seat = int(self.learner_seats[row])
            table_kernels(self.game).observe(self.match.states[row : row + 1], seat, observation)
            final[row] = self._pack(observation, np.zeros(self.game.num_actions, np.int8))
        return final

    def _seen(self) -> Any:
        return self._pack(self._fresh(self.match.observations), self._fresh(self.match.masks))

    def _infos(self) -> dict[str, Any]:
        return _where(MASK, self._fresh(self.match.masks), np.ones(self.num_envs, np.bool_))

    def _fresh(self, buffer: np.ndarray) -> np.ndarray:
        return buffer.copy() if self.copy else buffer


def _where(name: str, values: Any, rows: np.ndarray) -> dict[str, Any]:
    """Return `values` of the tables `rows` `(N,)` bool in the form of Gymnasium's infos; {} for no table."""
    return {name: values, f"_{name}": rows.copy()} if rows.any() else {}


def _spread(values: np.ndarray, rows: np.ndarray, tables: int) -> np.ndarray:
    """Return `values`, one for each table in `rows`, as an array of `(tables,)`."""
    kind = {"b": bool, "i": int, "u": int, "f": float}.get(values.dtype.kind, object)
    out: np.ndarray = np.full(tables, None if kind is object else 0, kind)
    out[rows] = values.tolist()
    return out
