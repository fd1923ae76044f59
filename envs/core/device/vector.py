"""Any game as N tables on a GPU, stepped in one call; results are PyTorch tensors that stay there.

Letters: `N` tables, `S` seats of the largest table, `A` actions, `D` numbers in an observation, `W` bytes in one.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from gymnasium.vector import AutoresetMode

from sobremesa.envs.core.api.vector import check_seed, check_whole, reset_rows
from sobremesa.envs.core.api.vector_state import KEPT, SavedState, check_state, named
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.compile.retarget import ALIGNMENT
from sobremesa.envs.core.device.decode import Decoder
from sobremesa.envs.core.device.entries import bot_program, vector_program
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.device.program import check_compiler, described
from sobremesa.envs.core.errors import IllegalAction, one_line
from sobremesa.envs.core.game import Game

OF_BOTS = ("bots", "begun")  # further arrays of `get_state`: the streams of `act`, which `VectorEnv` lacks
DTYPES = {"uint8": torch.uint8, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class TensorStep(NamedTuple):
    """The result of `reset` and `step`: tensors on the device of the environment."""

    observations: torch.Tensor  #: (N, D) of the float dtype; (N, W) uint8 in slots or if so asked; of the seat to act
    masks: torch.Tensor  #: (N, A) int8, 1 = allowed; never all zero
    seats: torch.Tensor  #: (N,) int8, the seat to act
    payoffs: torch.Tensor  #: (N, S) float32, of the deals that this step ended; 0 elsewhere
    dones: torch.Tensor  #: (N,) bool, tables whose deal this step ended


class TensorEnv(SavedState):
    """N tables of one game on one device, with the deals, the views and the results of `VectorEnv`, to the bit.

    A table whose deal ends starts the next deal in the same step, as in `VectorEnv`, which describes the seeds. A step
    copies nothing to the processor, so an illegal action cannot raise immediately: its table keeps its view, and
    `check` raises the error, as do `reset`, `get_state` and `close`. `step` can be recorded in a CUDA graph.

    Args:
        game: the game.
        num_envs: N, the number of tables.
        seed: a whole number from 0 to 2**63 - 1.
        device: "cuda", "cuda:1" and so on, "cpu" for checks without a GPU, or a `torch.device`.
        copy: return fresh tensors. False is faster: the next `step` overwrites the results of `step` and `sample`.
        dtype: "float32", "float16", "bfloat16", or "uint8" for observations as bytes, which `decoder` converts.
        first_table: the number of the first of these tables among all tables, for several environments with one seed.
        setup: the game's setup fields, each one value for all tables or a sequence of N.

    Raises:
        TypeError, ValueError: for an unknown setup field, or a bad value of it or of an argument.
        CudaError: for a missing or old driver or GPU.
        NotPortable: for a game whose kernels allocate memory.
        MemoryError: if the tables do not fit.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012
    _reserved: ClassVar[dict[torch.device, int]] = {}  # bytes, by environments so far
    staged = True  #: False for a comparison: rows are read and written byte by byte in the device's memory

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seed: int = 0,
        *,
        device: Any = "cuda",
        copy: bool = True,
        dtype: str = "float32",
        first_table: int = 0,
        **setup: Any,
    ) -> None:
        self.game, self.num_envs, self.copy = game, check_whole("num_envs", num_envs, 1), copy
        self.device = device_of(device)
        self.first_table = check_whole("first_table", first_table)
        self.seed = check_seed(seed)
        if dtype not in DTYPES:
            raise ValueError(f"dtype={dtype!r} is not allowed; it takes {', '.join(map(repr, DTYPES))}")
        check_compiler()
        self._check_memory()
        setups = game.new_tables(num_envs, setup)
        with torch.inference_mode(False):
            self.decoder = Decoder(game.layout, DTYPES[dtype]).to(self.device) if dtype != "uint8" else None
        self._program = vector_program(game, self.staged, self.device)
        self._check_memory(self.reserved_bytes)
        self._tensors = self._new_tensors(setups)
        self._out = self.new_slots(())
        self._drawn = self._sampling = False  # whether samples exist for these masks, and are used
        self._untouched = True  # since the constructor
        self._deal(torch.ones(num_envs, dtype=torch.bool, device=self.device))
        self._reserved[self.device] = max(self.reserved_bytes, self._reserved.get(self.device, 0))

    @property
    def table_bytes(self) -> int:
        """The bytes of device memory that the tensors of one table take."""
        game = self.game
        rows = 2 * padded(game.state.itemsize) + padded(game.layout.width) + padded(game.num_actions)
        return rows + STREAM.itemsize * (1 + game.max_seats) + 8 * (5 + game.max_seats) + 4 * game.max_seats + 2

    @property
    def reserved_bytes(self) -> int:
        """The bytes of device memory that the driver reserves for the local memory of threads; 0 on the processor.

        They are for as many threads as fit on the card, whatever the number of tables, and for all environments there.
        """
        local = max((one["local bytes"] for one in self._program.usage().values()), default=0)
        card = torch.cuda.get_device_properties(self.device) if local else None
        return local * card.max_threads_per_multi_processor * card.multi_processor_count if card else 0

    def _check_memory(self, reserved: int = 0) -> None:
        needed = self.num_envs * self.table_bytes
        if self.device.type == "cuda":
            free = torch.cuda.mem_get_info(self.device)[0] - max(0, reserved - self._reserved.get(self.device, 0))
            if needed > free:
                raise MemoryError(
                    f"{self.num_envs} tables of {self.game.name} take {needed / 1e9:.1f} GB, and {self.device} has "
                    f"{max(free, 0) / 1e9:.1f} GB free, without {reserved / 1e9:.1f} GB that the driver reserves; at "
                    f"most {max(free, 0) // self.table_bytes} tables fit"
                )

    def _new_tensors(self, setups: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the tensors that only the environment uses, by name; those of records are their bytes."""
        count, seats, size = self.num_envs, self.game.max_seats, self.game.state.itemsize
        numbers = {name: self._zeros(torch.int64, count) for name in ("deals", "seeds", "sampled")}
        rows = {name: self._rows(torch.uint8, (), size) for name in ("states", "setups")}
        rows["setups"].copy_(torch.from_numpy(_bytes_of(setups)))
        rows["states"].copy_(rows["setups"])
        return numbers | rows | {
            "streams": self._zeros(torch.uint8, count, STREAM.itemsize),
            "refused": self._zeros(torch.int64, count, 2),
            "bots": self._zeros(torch.uint8, count, seats * STREAM.itemsize),
            "begun": self._zeros(torch.int64, count, seats).fill_(-1),
        }  # fmt: skip

    def _zeros(self, dtype: torch.dtype, *shape: int) -> torch.Tensor:
        with torch.inference_mode(False):  # a tensor made in this mode can be written in it alone
            return torch.zeros(shape, dtype=dtype, device=self.device)

    def _rows(self, dtype: torch.dtype, front: tuple[int, ...], size: int) -> torch.Tensor:
        """Return a `(*front, N, size)` view of one-byte entries whose rows begin at multiples of 16 bytes."""
        return self._zeros(dtype, *front, self.num_envs, padded(size))[..., :size]

    def new_slots(self, front: tuple[int, ...] | int) -> TensorStep:
        """Return tensors for `out=` of `step`, with the axes `front` before those of a step.

        `slots = env.new_slots(64)` has 64 steps; `TensorStep(*(tensor[k] for tensor in slots))` is slot k, as is
        `env.slot(slots, k)`. Observations are bytes `(*front, N, W)` for any dtype of the environment.
        """
        front = (front,) if isinstance(front, int) else tuple(front)
        count, game = self.num_envs, self.game
        return TensorStep(
            observations=self._rows(torch.uint8, front, game.layout.width),
            masks=self._rows(torch.int8, front, game.num_actions),
            seats=self._zeros(torch.int8, *front, count),
            payoffs=self._zeros(torch.float32, *front, count, game.max_seats),
            dones=self._zeros(torch.bool, *front, count),
        )

    @staticmethod
    def slot(slots: TensorStep, number: int) -> TensorStep:
        """Return slot `number` of `new_slots(count)`."""
        return TensorStep(*(tensor[number] for tensor in slots))

    @property
    def deal_seeds(self) -> torch.Tensor:
        """A copy of the `(N,)` seeds of the deals in play; `env.reset(seed=...)` of an AEC environment repeats one."""
        return self._tensors["seeds"].clone()

    def reset(self, seed: int | None = None, *, options: dict[str, Any] | None = None) -> TensorStep:
        """Start a deal at every table, or at those of `{"reset_mask": mask}`, as `VectorEnv.reset`.

        Raises:
            TypeError, ValueError: for another seed, option or mask; no table has been changed.
            IllegalAction: for illegal actions before.
        """
        begin = None if seed is None else check_seed(seed)
        given = _on_processor(options)
        masked = reset_rows(self.game, given, self.num_envs, begin is None, "a tensor or a NumPy array")
        self.check()
        chosen = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)
        chosen[slice(None) if masked is None else torch.from_numpy(masked).to(self.device)] = True
        if begin is not None:
            self.seed = begin
            self._tensors["deals"].zero_()
        elif masked is not None or not self._untouched:
            self._tensors["deals"] += chosen
        self._untouched = False
        self._out.payoffs.zero_()
        self._out.dones.zero_()
        if masked is None:
            self._drawn = self._sampling = False  # the streams restart, as in a new environment
        self._deal(chosen)
        return self._result(self._out)

    def _deal(self, chosen: torch.Tensor) -> None:
        """Start the present deals at the chosen tables; draw samples there if the other tables have some."""
        self._tensors["begun"][chosen] = -1
        self._run("reset", chosen=chosen, sampling=self._drawn)

    def _run(self, name: str, out: TensorStep | None = None, **given: Any) -> None:
        columns = {**self._tensors, **(out or self._out)._asdict(), "seed": self.seed, **given}
        self._program(name, self.num_envs, self.first_table, columns)

    def step(self, actions: torch.Tensor, out: TensorStep | None = None) -> TensorStep:
        """Play one action at each table.

        Args:
            actions: `(N,)` int64 on the device, each legal in its row of the masks.
            out: a slot to write into, as `slot` returns it; the masks of the next step are read from there.

        Returns:
            `out` with observations as bytes, or the step's tensors.

        Raises:
            IllegalAction: for another shape, dtype or device; illegal actions raise later, see `check`.
        """
        if _form(actions) != (torch.int64, (self.num_envs,), self.device):
            raise IllegalAction(
                f"{self.game.name}: step takes a tensor of {self.num_envs} int64 on {self.device}, one action a table; "
                f"got {described(actions)}"
            )
        if out is not None:
            self._check_slot(out)
        legal, self._untouched = self._out.masks, False
        into = self._out if out is None else out
        self._run("step", into, actions=actions, legal=legal, sampling=self._sampling)
        self._drawn, self._out = self._sampling, into
        return self._result(into) if out is None else out

    def observe(self, out: TensorStep | None = None) -> TensorStep:
        """Return the present view of each table, or copy it to the slot `out`, from which the next step continues."""
        if out is None:
            return self._result(self._out)
        self._check_slot(out)
        if out is not self._out:
            for into, of in zip(out, self._out, strict=True):
                into.copy_(of)
        self._out = out
        return out

    def _check_slot(self, out: TensorStep) -> None:
        """Raise ValueError unless `out` has the shapes, dtypes and device of a slot."""
        if not isinstance(out, TensorStep):
            raise ValueError(f"{self.game.name}: out is {described(out)}; it takes a slot, as `slot` returns it")
        for name, one, own in zip(TensorStep._fields, out, self._out, strict=True):
            if _form(one) != _form(own):
                raise ValueError(
                    f"{self.game.name}: {name} of the slot is {described(one)}; it takes {described(own)}, as "
                    "`new_slots` makes it"
                )

    def sample(self) -> torch.Tensor:
        """Return one random legal action for each table, `(N,)` int64, from the tables' own streams."""
        if not self._drawn:
            self._run("sample")
        self._drawn, self._sampling = False, True  # from now on `step` samples too
        return self._tensors["sampled"].clone() if self.copy else self._tensors["sampled"]

    def act(self, bot: Any, where: torch.Tensor | None = None, out: torch.Tensor | None = None) -> torch.Tensor:
        """Return the actions `(N,)` int64 of a scripted bot for the seats to act.

        Args:
            bot: an agent with a kernel, such as `sobremesa.agents.load("strong", game)`.
            where: `(N,)` bool, the tables at which it acts; None for all. The others keep what `out` held.
            out: `(N,)` int64 to write into; None makes zeros.

        Raises ValueError for an agent without a kernel, such as a network, and for another `where` or `out`.
        """
        kernel = getattr(bot, "kernel", None)
        if not hasattr(kernel, "part"):
            raise ValueError(
                f"{self.game.name}: {one_line(repr(bot), 100)} has no kernel; give a scripted bot, as "
                f"sobremesa.agents.load('strong', {self.game.name!r}) returns it, and run a network in PyTorch"
            )
        actions = self._zeros(torch.int64, self.num_envs) if out is None else out
        everywhere = torch.ones(self.num_envs, dtype=torch.bool, device=self.device) if where is None else where
        for name, given, dtype in (("where", everywhere, torch.bool), ("out", actions, torch.int64)):
            if _form(given) != (dtype, (self.num_envs,), self.device):
                kind = str(dtype).removeprefix("torch.")
                raise ValueError(
                    f"{self.game.name}: {name} is {described(given)}; it takes {kind} of shape ({self.num_envs},) on "
                    f"{self.device}"
                )
        columns = {**self._tensors, **self._out._asdict(), "chosen": everywhere, "actions": actions}
        bot_program(self.game, kernel, self.device)("act", self.num_envs, self.first_table, columns)
        return actions

    def check(self) -> None:
        """Wait for the device; raise IllegalAction for the first table that got an illegal action since the last check.

        The states of such tables did not change, and they continued with the next legal action.
        """
        refused = self._tensors["refused"]
        wrong = torch.nonzero(refused[:, 0])
        if len(wrong) == 0:
            return
        table, times = int(wrong[0]), int(refused[:, 0].sum())
        action = int(refused[table, 1])
        refused.zero_()
        some = f"{times} illegal actions" if times > 1 else "1 illegal action"
        name = "no action of this game"
        if 0 <= action < self.game.num_actions:
            name = self.game.words.action_name(action, "en")
        raise IllegalAction(
            f"{self.game.id}: {some} at {len(wrong)} of {self.num_envs} tables since the last check, the first "
            f"at table {table}: {action} ({name}); these tables did not move"
        )

    def get_state(self) -> dict[str, Any]:
        """Return the environment as NumPy arrays and numbers, for `set_state` of an equal one on any device.

        It holds hidden information. Raises IllegalAction for illegal actions before.
        """
        self.check()
        kept = {name: (self._tensors | self._out._asdict())[name].numpy(force=True).copy() for name in KEPT}
        records = {"states": self.game.state, "setups": self.game.state, "streams": STREAM}
        for name, kind in records.items():
            kept[name] = np.ascontiguousarray(kept[name]).view(kind)[:, 0]
        of_bots = {name: self._tensors[name].numpy(force=True).copy() for name in OF_BOTS}
        return named(self.game) | kept | of_bots | {"seed": self.seed, "drawn": self._drawn, "sampling": self._sampling}

    def set_state(self, state: Mapping[str, Any]) -> TensorStep:
        """Continue from `state`, which `get_state` of this class or of `VectorEnv` returned; return the present view.

        Raises ValueError, with nothing changed, unless it has the tables and the record of this environment.
        """
        state = check_state(self.game, self.num_envs, state)
        if wrong := [name for name in OF_BOTS if name in state and _form(state[name])[1] != self._tensors[name].shape]:
            raise ValueError(
                f"{self.game.name}: {wrong[0]} of the state has another shape; give what get_state returned"
            )
        self.seed = check_seed(state["seed"])
        self._out = self.new_slots(())
        for name in KEPT:
            into = self._tensors[name] if name in self._tensors else getattr(self._out, name)
            array = state[name]
            into.copy_(torch.from_numpy(_bytes_of(array) if array.dtype.names else np.ascontiguousarray(array)))
        self._drawn, self._sampling = bool(state["drawn"]), bool(state["sampling"])
        self._untouched = False
        self._tensors["begun"].fill_(-1)
        for name in OF_BOTS:
            if name in state:
                self._tensors[name].copy_(torch.from_numpy(np.ascontiguousarray(state[name])))
        self._tensors["refused"].zero_()
        self._run("show")
        return self._result(self._out)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_program"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._program = vector_program(self.game, self.staged, self.device)

    def close(self) -> None:
        """Raise IllegalAction for illegal actions before; there are no resources to release."""
        self.check()

    def _result(self, out: TensorStep) -> TensorStep:
        if self.copy:
            out = TensorStep(*(tensor.clone() for tensor in out))
        return out if self.decoder is None else out._replace(observations=self.decoder(out.observations))


def _form(value: Any) -> tuple[Any, ...]:
    """Return the dtype, the shape and the device of a tensor, or None for each that `value` lacks."""
    return tuple(getattr(value, name, None) for name in ("dtype", "shape", "device"))


def padded(size: int) -> int:
    """Return `size` bytes rounded up to a multiple of 16."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def _bytes_of(records: np.ndarray) -> np.ndarray:
    """Return `(N,)` records as `(N, bytes)` uint8."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), -1)


def _on_processor(options: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the options of a reset with a mask of NumPy instead of a tensor."""
    if not isinstance(options, Mapping):
        return options
    return {name: one.cpu().numpy() if isinstance(one, torch.Tensor) else one for name, one in options.items()}
