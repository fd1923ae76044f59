"""What sits at a table: an agent is given a view and answers with an action; it never sees the record itself."""

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sobremesa.envs.core.chance import COUNTER, LEFT, STREAM, derive_aside, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import AGENT, seed_of
from sobremesa.envs.core.table import table_kernels


@kernel
def _begin(streams, seed):
    streams[0].seed = seed
    start(streams[0], seed)


@kernel
def _guess_seed(streams, seen):
    return derive_aside(streams[0], seen)  # without a draw: an agent meets the same chance with and without a view


class View(NamedTuple):
    """What `seat` may know at its decision. All arrays are the agent's own to keep or change."""

    game: Game
    seat: int
    observation: np.ndarray  # (D,) float32
    mask: np.ndarray  # (A,) int8, 1 = allowed
    state: np.ndarray  # (1,) a world that this seat holds possible, *not* the true one (`Game.redeal`)
    stream: np.ndarray  # (1,) chance.STREAM, the agent's own random stream


@runtime_checkable
class Agent(Protocol):
    """An agent. Only `name` and `act` are needed; the other two let it play many tables at once.

    - `kernel`: a kernel `(observation, mask, stream) -> action`, run inside the vector environment at full speed.
    - `act_batch(observations (n, D), masks (n, A), streams (n,)) -> (n,) actions`: one call for many tables.

    A recurrent agent has `memory` too, how many numbers it carries from one decision of a deal to its next. Its
    `act_batch` is given them as a fourth argument, `(n, memory)` float32, zero at the first decision of each seat in
    each deal, and writes there what it will be given next.

    An agent that keeps anything else of a deal has `forget(seeds)`, called with the seeds of its streams in deals that
    begin, perhaps again; the arena plays no deal twice at once with it, so that these tell its deals apart.
    """

    name: str

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        ...


def forget_deals(agents: Iterable[Any], seeds: Iterable[int]) -> None:
    """Tell `agents` that deals begin, perhaps again, in which their streams have these `seeds`."""
    for agent in agents:
        forget = getattr(agent, "forget", None)
        if forget is not None:
            forget(seeds)


def memory_size(agent: Any) -> int:
    """Return how many numbers `agent` carries from one decision to its next; 0 for most agents."""
    return int(getattr(agent, "memory", 0))


class Afterstates(NamedTuple):
    """What each choice of a seat would leave, as numbers from which its worth can be learnt.

    `look` is a kernel (observation (D,), mask (A,), actions, features, settled, whole) -> how many choices there are.
    It writes for each the legal action that begins it into `actions` (most,) int64, what it would leave into `features`
    (most, size) float32, into `settled` (most,) int8 whether that is won, 1, lost, -1, or open, 0, and into `whole`
    (most,) int8 1 if that action is all of it, 0 if the seat has to say more. Where it finds no choice, the first legal
    action is played.
    """

    size: int
    most: int
    look: Any


class KernelAgent:
    """An agent that is a kernel over the observation.

    Its `outlook`, if it has one, is a kernel (observation, mask) -> how it thinks that the deal will end, 0 to 1; its
    `afterstates`, if it has them, say what each choice would leave.
    """

    def __init__(self, name: str, kernel: Any, outlook: Any = None, afterstates: Afterstates | None = None) -> None:
        self.name = name
        self.kernel = kernel
        self.outlook = outlook
        self.afterstates = afterstates

    def act(self, view: View) -> int:
        return int(self.kernel(view.observation, view.mask, view.stream[0]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def make_view(game: Game, states: np.ndarray, seat: int, stream: np.ndarray) -> View:
    """Return what `seat` may know of the `(1,)` state `states`; the redealt world follows from `stream`."""
    kernels = table_kernels(game)
    observation = np.zeros(game.layout.size, np.float32)
    mask = np.zeros(game.num_actions, np.int8)
    kernels.observe(states, seat, observation)
    if int(states["seat"][0]) == seat:
        kernels.legal(states, mask)
    world = states.copy()
    # The guess follows from what the seat sees and from nothing else: not even from how many plies were played.
    seen = int.from_bytes(hashlib.blake2b(observation.tobytes(), digest_size=7).digest(), "little")
    kernels.redeal(world, seat, int(_guess_seed(stream, seen)))
    return View(game, seat, observation, mask, world, stream)


def agent_seed(deal_seed: int, seat: int) -> int:
    """Return the seed of the random stream of the agent at `seat` in the deal of `deal_seed`.

    A one-way function: from its stream an agent can work out neither the deal's chance nor that of other agents.
    """
    return seed_of(AGENT, deal_seed, seat)


def is_new(stream: np.ndarray) -> bool:
    """Say whether nothing has been drawn from the `(1,)` random stream `stream` yet, as at the beginning of a deal."""
    words = stream["stream"][0]
    return not (words[COUNTER] or words[LEFT])


def new_stream(seed: int) -> np.ndarray:
    """Return a `(1,)` random stream that begins at `seed`."""
    stream = np.zeros(1, STREAM)
    _begin(stream, seed)
    return stream
