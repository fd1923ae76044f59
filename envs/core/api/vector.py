"""Any game as N tables that are stepped in one call.

Letters: `N` tables, `S` seats of the largest table, `A` actions, `D` numbers in an observation, `W` bytes in one.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode

from sobremesa.envs.core.api.vector_state import KEPT, SavedState, check_state, named
from sobremesa.envs.core.chance import STREAM, derive
from sobremesa.envs.core.compile.threads import run
from sobremesa.envs.core.errors import IllegalAction, one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import batch_kernels, first_illegal

DTYPES = ("float32", "uint8")  # that observations may have
RESET_MASK = "reset_mask"  # the name of Gymnasium's option


class VectorStep(NamedTuple):
    """The result of `reset` and `step`: fresh arrays, or the buffers of the environment with `copy=False`."""

    observations: np.ndarray  #: (N, D) float32, or (N, W) uint8 if so asked, of the seat to act
    masks: np.ndarray  #: (N, A) int8, 1 = allowed; never all zero
    seats: np.ndarray  #: (N,) int8, the seat to act
    payoffs: np.ndarray  #: (N, S) float32, of the deals that this step ended; 0 elsewhere
    dones: np.ndarray  #: (N,) bool, tables whose deal this step ended


class VectorEnv(SavedState):
    """N tables of one game, stepped together; the seat to act plays at each.

    A table whose deal ends starts the next deal in the same step (`metadata["autoreset_mode"]`). Its row of `payoffs`
    and `dones` belongs to the ended deal; its observation, mask and seat belong to the new one. Deal k of table i has
    the seed `deal_seed(seed, i, k)` and equals an AEC environment with that seed, for any number of threads. The
    constructor starts deal 0 at every table.

    Args:
        game: the game.
        num_envs: N, the number of tables.
        seed: a whole number from 0 to 2**63 - 1.
        copy: return fresh arrays. False is faster: the next `step` overwrites the results of `step` and `sample`.
        threads: the most threads to use; None chooses by N and the processors.
        dtype: "float32", or "uint8" for observations as bytes, which are faster; `game.layout.decode` converts them.
        first_table: the number of the first of these tables among all tables, for several environments with one seed.
        setup: the game's setup fields, each one value for all tables or a sequence of N.

    Raises:
        TypeError, ValueError: for an unknown setup field, or a bad value of it or of `dtype`.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seed: int = 0,
        *,
        copy: bool = True,
        threads: int | None = None,
        dtype: str = "float32",
        first_table: int = 0,
        **setup: Any,
    ) -> None:
        num_envs = check_whole("num_envs", num_envs, 1)
        self.game = game
        self.num_envs = num_envs
        self.copy = copy
        self.first_table = check_whole("first_table", first_table)
        self.threads = None if threads is None else check_whole("threads", threads, 1)
        if dtype not in DTYPES:
            raise ValueError(f"dtype={dtype!r} is not allowed; it takes {' or '.join(map(repr, DTYPES))}")
        coded = self._coded = dtype == "uint8"
        self._kernels = batch_kernels(game, coded)
        self._setups = game.new_tables(num_envs, setup)
        self._states = self._setups.copy()
        self._rows = np.arange(num_envs)
        self._streams = np.zeros(num_envs, STREAM)
        self._deals = np.zeros(num_envs, np.int64)
        self._seeds = np.zeros(num_envs, np.int64)
        self._sampled = np.zeros(num_envs, np.int64)
        self._out = VectorStep(
            observations=np.zeros((num_envs, game.layout.width if coded else game.layout.size), dtype),
            masks=np.zeros((num_envs, game.num_actions), np.int8),
            seats=np.zeros(num_envs, np.int8),
            payoffs=np.zeros((num_envs, game.max_seats), np.float32),
            dones=np.zeros(num_envs, np.bool_),
        )
        self._drawn = self._sampling = False  # whether samples exist for these masks, and are used
        self._untouched = True  # since the constructor
        self.seed = check_seed(seed)
        self._deal(self._rows)

    @property
    def states(self) -> np.ndarray:
        """The `(N,)` states, hidden information included; do not write to them."""
        return self._states

    @property
    def deal_seeds(self) -> np.ndarray:
        """A copy of the `(N,)` seeds of the deals in play; `env.reset(seed=...)` of an AEC environment repeats one."""
        return self._seeds.copy()

    def reset(self, seed: int | None = None, *, options: dict[str, Any] | None = None) -> VectorStep:
        """Start a deal at every table.

        With `seed` all tables start at deal 0 of that seed. Without it each table continues with its next deal; a reset
        directly after the constructor returns the deals of the constructor.

        Args:
            seed: a whole number from 0 to 2**63 - 1, or None.
            options: `{"reset_mask": mask}` resets only the tables of the mask, `(N,)` bool with at least one True. It
                cannot be combined with a seed, which all tables share.

        Raises:
            TypeError, ValueError: for another seed, option or mask; no table has been changed.
        """
        begin = None if seed is None else check_seed(seed)
        masked = reset_rows(self.game, options, self.num_envs, begin is None)
        rows = self._rows if masked is None else masked
        if begin is not None:
            self.seed = begin
            self._deals[:] = 0
        elif masked is not None or not self._untouched:
            self._deals[rows] += 1
        self._untouched = False
        self._out.payoffs[:] = 0
        self._out.dones[:] = False
        self._deal(rows)
        return self._result()

    def _deal(self, rows: np.ndarray) -> None:
        """Start the deals numbered `_deals` at the tables `rows`."""
        self._seeds[rows] = [
            derive(self.seed, self.first_table + table, int(self._deals[table])) for table in rows.tolist()
        ]
        out = self._out
        arrays = (self._states, self._setups, self._seeds, self._streams, out.observations, out.masks, out.seats)
        if rows is self._rows:
            run(self._kernels.reset, self.num_envs, self.threads, *arrays)
            self._drawn = self._sampling = False  # the streams restart, as in a new environment
            return
        some = [array[rows] for array in arrays]
        run(self._kernels.reset, len(rows), self.threads, *some)
        for array, part in zip(arrays, some, strict=True):
            array[rows] = part
        if self._drawn:  # the other tables have samples already
            masks, streams, sampled = out.masks[rows], self._streams[rows], self._sampled[rows]
            run(self._kernels.sample, len(rows), self.threads, masks, streams, sampled)
            self._streams[rows], self._sampled[rows] = streams, sampled

    def step(self, actions: Any) -> VectorStep:
        """Play one action at each table.

        Args:
            actions: `(N,)` whole numbers, each legal in its row of the masks.

        Raises:
            IllegalAction: names the first table with an illegal action; no table has been changed.
        """
        actions = self._check(actions)
        out = self._out
        self._untouched = False
        run(
            self._kernels.step, self.num_envs, self.threads, self.first_table, self._states, actions, self._setups,
            self.seed, self._deals, self._seeds, out.observations, out.masks, out.seats, out.payoffs, out.dones,
            self._streams, self._sampled, self._sampling,
        )  # fmt: skip
        self._drawn = self._sampling
        return self._result()

    def sample(self) -> np.ndarray:
        """Return one random legal action for each table, `(N,)` int64, from the tables' own streams."""
        if not self._drawn:
            run(self._kernels.sample, self.num_envs, self.threads, self._out.masks, self._streams, self._sampled)
        self._drawn, self._sampling = False, True  # from now on `step` samples too, while the masks are in the caches
        return self._sampled.copy() if self.copy else self._sampled

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that change during play, by name, without the streams of `sample`.

        Write them into an equal environment to continue there.
        """
        kept = {"states": self._states, "deals": self._deals, "seeds": self._seeds}
        return kept | self._out._asdict()

    def get_state(self) -> dict[str, Any]:
        """Return the environment as copies of its arrays and numbers, for `set_state` of an equal one on any device.

        It holds hidden information. `np.savez(file, **state)` stores it without pickle, as `save_state` does.
        """
        arrays = {name.removeprefix("_"): array for name, array in vars(self).items()} | self._out._asdict()
        kept: dict[str, Any] = {name: arrays[name].copy() for name in KEPT}
        return named(self.game) | kept | {"seed": self.seed, "drawn": self._drawn, "sampling": self._sampling}

    def set_state(self, state: Mapping[str, Any]) -> VectorStep:
        """Continue from `state`, which `get_state` returned, or `np.load` of its file; return the present view.

        Raises ValueError, with nothing changed, unless it has the tables and the record of this environment.
        """
        state = check_state(self.game, self.num_envs, state)
        self.seed = check_seed(state["seed"])
        for name in KEPT:
            into = getattr(self._out, name) if hasattr(self._out, name) else getattr(self, f"_{name}")
            into[...] = state[name]
        self._drawn, self._sampling = bool(state["drawn"]), bool(state["sampling"])
        self._untouched = False
        out = self._out
        run(self._kernels.show, self.num_envs, self.threads, self._states, out.observations, out.seats)
        return self._result()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_kernels"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._kernels = batch_kernels(self.game, self._coded)

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def _check(self, actions: Any) -> np.ndarray:
        checked = check_actions(self.game, actions, self.num_envs)
        if np.may_share_memory(checked, self._sampled) and checked is not self._sampled:
            checked = checked.copy()  # a view of the buffer, which the step would overwrite while it reads
        wrong = first_illegal(self._rows, checked, self._out.masks)
        if wrong < self.num_envs:
            raise IllegalAction.at(
                self.game, self._states[wrong : wrong + 1], checked[wrong], self._out.masks[wrong], table=wrong
            )
        return checked

    def _result(self) -> VectorStep:
        return VectorStep(*(array.copy() for array in self._out)) if self.copy else self._out


def deal_seed(seed: int, table: int, deal: int) -> int:
    """Return the seed of deal number `deal` at `table` of a vector environment with `seed`.

    Raises ValueError unless all three are whole numbers from 0 to 2**63 - 1.
    """
    return int(derive(check_seed(seed), check_whole("table", table), check_whole("deal", deal)))


def check_actions(game: Game, actions: Any, tables: int) -> np.ndarray:
    """Return `actions` as `(tables,)` int64; raise IllegalAction for another shape or type."""
    actions = np.asarray(actions)
    if actions.shape != (tables,) or actions.dtype.kind not in "iu":
        raise IllegalAction(
            f"{game.name}: step takes {tables} whole numbers, one action a table; "
            f"got {actions.dtype} of shape {actions.shape}"
        )
    return np.asarray(actions, np.int64)


def check_seat(game: Game, name: str, seat: Any, seats: int) -> int | None:
    """Return `seat`, the argument called `name`; raise ValueError unless it is None or a seat at a table of `seats`."""
    whole = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if seat is not None and not (whole and 0 <= seat < seats):
        raise ValueError(f"{game.name}: {name}={seat!r} is not allowed; it takes None or a seat from 0 to {seats - 1}")
    return None if seat is None else int(seat)


def check_seed(seed: Any) -> int:
    """Return `seed` as an int; raise ValueError unless it is a whole number from 0 to 2**63 - 1."""
    return check_whole("seed", seed)


def check_options(game: Game, options: Mapping[str, Any] | None, allowed: Sequence[str] = ()) -> None:
    """Raise TypeError or ValueError unless the `options` of a reset are None or a dict of `allowed` ones."""
    if options is not None and not isinstance(options, Mapping):
        given = one_line(repr(options), 100)
        raise TypeError(f"{game.name}: options={given} is not allowed; reset takes None or a dict")
    for name in options or ():
        if name in {option.name for option in game.options}:
            raise ValueError(f"{game.name}: {name} is set when the environment is made, not by reset")
        if name not in allowed:
            known = f"it has {', '.join(map(repr, allowed))}" if allowed else "it has none"
            raise ValueError(f"{game.name}: reset has no option {one_line(repr(name), 100)}; {known}")


def reset_rows(
    game: Game, options: Mapping[str, Any] | None, tables: int, goes_on: bool, kind: str = "a NumPy array"
) -> np.ndarray | None:
    """Return the tables `(k,)` int64 of the `options` of a vector reset; None for all tables.

    `kind` is what the environment takes as a mask, for errors.

    Raises TypeError or ValueError for anything but `{"reset_mask": (tables,) bool}` with at least one True, and for a
    mask with a seed or in a first reset (`goes_on` is false).
    """
    check_options(game, options, [RESET_MASK])
    if not options:
        return None
    mask = options[RESET_MASK]
    wanted = f"it takes {kind} of bool, of shape ({tables},), with at least one True"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        given = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else one_line(repr(mask), 100)
        raise TypeError(f"{game.name}: {RESET_MASK} is {given}; {wanted}")
    if mask.shape != (tables,) or not mask.any():
        given = f"bool of shape {mask.shape}{'' if mask.any() else ' without a True'}"
        raise ValueError(f"{game.name}: {RESET_MASK} is {given}; {wanted}")
    if not goes_on:
        raise ValueError(
            f"{game.name}: {RESET_MASK} cannot be combined with a seed or with the first reset; all tables begin "
            "at one seed, so call reset without a mask first"
        )
    return np.flatnonzero(mask)


def check_whole(name: str, value: Any, lowest: int = 0) -> int:
    """Return `value` as an int; raise ValueError unless it is a whole number from `lowest` on."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not lowest <= int(value) < 2**63:
        given = one_line(repr(value), 100)
        raise ValueError(f"{name}={given} is not allowed; it takes a whole number from {lowest} to 2**63 - 1")
    return int(value)
