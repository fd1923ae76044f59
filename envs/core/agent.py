"""Agents: the protocol of an agent, its optional abilities, and the view that it gets instead of the state."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sobremesa.envs.core.chance import COUNTER, LEFT, STREAM, derive_aside, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import Saying, words_of
from sobremesa.envs.core.seeds import AGENT, seed_of
from sobremesa.envs.core.table import table_kernels


@kernel
def _begin(streams, seed):
    streams[0].seed = seed
    start(streams[0], seed)


@kernel
def _guess_seed(streams, seen):
    return derive_aside(streams[0], seen)  # without a draw from the stream itself


class View(NamedTuple):
    """The information of `seat` at one of its decisions. The arrays are copies: an agent may change them."""

    game: Game
    seat: int
    observation: np.ndarray  #: (D,) float32
    mask: np.ndarray  #: (A,) int8, 1 = allowed
    state: np.ndarray  #: (1,) a determinization: hidden information is resampled (`Game.redeal`)
    stream: np.ndarray  #: (1,) the agent's own random stream; `envs.below(stream[0], n)` draws from it
    #: for an agent with `history_language`: what the seat saw before each of its decisions, a group of sentences each
    history: tuple[tuple[str, ...], ...] = ((),)
    sayings: tuple[Saying, ...] = ()  #: sentences of the tale in players' own words


@runtime_checkable
class Agent(Protocol):
    """An agent: a `name` and `act`. Further abilities are the protocols below; each is optional."""

    name: str

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        ...


@runtime_checkable
class CompiledAgent(Protocol):
    """An agent with a kernel `(observation, mask, stream) -> action`, which runs inside compiled loops."""

    kernel: Any


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that chooses for many tables in one call.

    `act_batch(observations (n, D), masks (n, A), streams (n,))` returns `(n,)` actions. A recurrent agent gets a fourth
    argument; see `RecurrentAgent`.
    """

    act_batch: Callable[..., np.ndarray]


@runtime_checkable
class RecurrentAgent(Protocol):
    """An agent that carries `memory` numbers from one decision of a deal to the next; 0 for none.

    Its `act_batch` gets them as a fourth argument, `(n, memory)` float32: zeros at the first decision of each seat in
    each deal. It overwrites them with the numbers for the next decision.
    """

    memory: int


@runtime_checkable
class DealAgent(Protocol):
    """An agent that stores something of each deal under way.

    The arena plays a deal with it at one table at a time, since the seed of its stream is the key of a deal.
    """

    def forget(self, seeds: Iterable[int]) -> None:
        """Drop the deals in which the streams have these `seeds`: they begin, perhaps again."""
        ...


@runtime_checkable
class HistoryAgent(Protocol):
    """An agent whose views have a `history`, in the language `history_language` ("en" or "es")."""

    history_language: str


@runtime_checkable
class LimitedAgent(Protocol):
    """An agent that plays at `tables` seats of tables at most at the same time."""

    tables: int


@runtime_checkable
class PolicyAgent(Protocol):
    """An agent that returns its policy as masked logits `(n, A)` float32."""

    logits: Callable[..., np.ndarray]  #: (observations, masks), and the memory of a recurrent agent


@runtime_checkable
class StochasticAgent(Protocol):
    """An agent that returns the probability of each action, `(n, A)` float64."""

    chances: Callable[..., np.ndarray]  #: (observations, masks), and the memory of a recurrent agent


@runtime_checkable
class SearchAgent(Protocol):
    """An agent that also returns the results of its search."""

    def think(self, view: View) -> Any:
        """Return the action for `view.seat` and the result for each candidate."""
        ...


@runtime_checkable
class ProcessAgent(Protocol):
    """An agent in its own process."""

    def ready(self, game: Game, seat: int) -> None:
        """Start the process of `seat` if it does not run."""
        ...

    def stop(self) -> None:
        """End all processes."""
        ...


def forget_deals(agents: Iterable[Any], seeds: Iterable[int]) -> None:
    """Call `forget` of all `agents` that have it, with the seeds of their streams in deals that begin."""
    for agent in agents:
        if isinstance(agent, DealAgent):
            agent.forget(seeds)


def memory_size(agent: Any) -> int:
    """Return how many numbers `agent` carries from one decision to the next; 0 for most agents."""
    return int(agent.memory) if isinstance(agent, RecurrentAgent) else 0


def kernel_of(agent: Any) -> Any:
    """Return the kernel of `agent`; None without one."""
    return agent.kernel if isinstance(agent, CompiledAgent) else None


def value_estimate_of(agent: Any) -> Any:
    """Return the value estimate of `agent`, a kernel as in `KernelAgent`; None without one."""
    return agent.value_estimate if isinstance(agent, KernelAgent) else None


class Afterstates(NamedTuple):
    """The choices of a seat as features of the positions that they lead to (afterstates).

    `look` is a kernel (observation (D,), mask (A,), actions, features, settled, whole) -> number of choices. For each
    choice it writes the legal action that begins it into `actions` (most,) int64; the features of the position after
    it into `features` (most, size) float32; 1 for a won, -1 for a lost and 0 for an open position into `settled`
    (most,) int8; and into `whole` (most,) int8 1 if that action completes the choice, 0 if more decisions follow.
    Without a choice the first legal action is played.

    The last features may be `groups[0]` groups of `groups[1]` numbers, for parts of the position that are alike: the
    first number of a group is 1 if it is there, and a group of zeros is none.
    """

    size: int
    most: int
    look: Any
    groups: tuple[int, int] = (0, 0)


class KernelAgent:
    """An agent that is a kernel over the observation.

    `value_estimate`, if there is one, is a kernel (observation, mask) -> the expected payoff at the end of the deal,
    0 to 1. `afterstates`, if there are any, describe its choices; `detailed` has other features of them by name.
    """

    def __init__(
        self,
        name: str,
        kernel: Any,
        value_estimate: Any = None,
        afterstates: Afterstates | None = None,
        detailed: Mapping[str, Afterstates] | None = None,
    ) -> None:
        self.name = name
        self.kernel = kernel
        self.value_estimate = value_estimate
        self.afterstates = afterstates
        self.detailed = detailed or {}

    def act(self, view: View) -> int:
        return int(self.kernel(view.observation, view.mask, view.stream[0]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Restricted(NamedTuple):
    """Another agent of the game, which may not take some of its actions.

    `restrict` is a kernel (observation, mask) that sets actions in `mask` to 0, and leaves at least one.
    """

    name: str
    base: str  # name of the other agent
    restrict: Any


def check_without_history(agent: Any, where: str) -> None:
    """Raise ValueError, beginning with `where`, for a `HistoryAgent`."""
    if isinstance(agent, HistoryAgent):
        name = getattr(agent, "name", agent)
        raise ValueError(f"{where}: {name} needs the history of each deal, which views do not have here")


class History:
    """The events that `seat` has seen in one deal, as sentences in `language`, grouped by its decisions."""

    def __init__(self, game: Game, seat: int, language: str) -> None:
        self._game, self._seat, self._language = game, seat, language
        self._groups: list[list[str]] = [[]]

    def add(self, before: np.ndarray, action: int, after: np.ndarray, sayings: Sequence[Saying] = ()) -> None:
        """Add the events of `action` between two `(1,)` states; an action of the seat itself begins a group.

        `sayings`: the sentences in players' own words so far.
        """
        if int(before["seat"][0]) == self._seat:
            self._groups.append([])
        words = words_of(self._game, sayings, fenced=True)
        self._groups[-1] += words.tell(before, action, after, self._seat, self._language)

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups for `View.history`."""
        return tuple(map(tuple, self._groups))


def histories(game: Game, seated: Iterable[Any]) -> dict[int, History]:
    """Return an empty history for each seat of `seated` with a `HistoryAgent`."""
    return {
        seat: History(game, seat, agent.history_language)
        for seat, agent in enumerate(seated)
        if isinstance(agent, HistoryAgent)
    }


def make_view(game: Game, states: np.ndarray, seat: int, stream: np.ndarray, history: History | None = None) -> View:
    """Return the view of `seat` in the `(1,)` state `states`; the determinization follows from `stream`."""
    if (reading := game.reading) is not None:
        view = make_view(reading.base, states, seat, stream, history)
        seen, allowed = view.observation[reading.numbers], view.mask[reading.actions]
        return view._replace(game=game, observation=seen, mask=allowed)
    kernels = table_kernels(game)
    observation = np.zeros(game.layout.size, np.float32)
    mask = np.zeros(game.num_actions, np.int8)
    kernels.observe(states, seat, observation)
    if int(states["seat"][0]) == seat:
        kernels.legal(states, mask)
    world = states.copy()
    # The determinization depends on the observation alone, not even on the number of plies.
    seen = int.from_bytes(hashlib.blake2b(observation.tobytes(), digest_size=7).digest(), "little")
    kernels.redeal(world, seat, int(_guess_seed(stream, seen)))
    return View(game, seat, observation, mask, world, stream, history.groups() if history else ((),))


def agent_seed(deal_seed: int, seat: int) -> int:
    """Return the seed of the random stream of the agent at `seat` in the deal of `deal_seed`.

    A one-way function: the stream reveals neither the chance of the deal nor the streams of other agents.
    """
    return seed_of(AGENT, deal_seed, seat)


def is_new(stream: np.ndarray) -> bool:
    """Return whether the `(1,)` random stream `stream` is unused, as at the beginning of a deal."""
    words = stream["stream"][0]
    return not (words[COUNTER] or words[LEFT])


def new_stream(seed: int) -> np.ndarray:
    """Return a `(1,)` random stream that begins at `seed`."""
    stream = np.zeros(1, STREAM)
    _begin(stream, seed)
    return stream
