"""N tables played by agents: the engine under the single-seat environments, the arena and the trainers.

Letters: `N` tables, `S` seats of the largest table, `A` actions, `D` numbers in an observation, `W` bytes in one.
"""

from collections.abc import Sequence
from functools import cache
from operator import index
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.agent import (
    Agent,
    BatchAgent,
    History,
    HistoryAgent,
    View,
    agent_seed,
    forget_deals,
    histories,
    kernel_of,
    make_view,
    memory_size,
)
from sobremesa.envs.core.chance import STREAM, start
from sobremesa.envs.core.compile.kernel import as_python, kernel, shared
from sobremesa.envs.core.compile.records import put_state
from sobremesa.envs.core.compile.threads import run
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import first_illegal, observer

OUTSIDE = None  # in a list of agents: the caller plays for this one


class _Way(NamedTuple):
    """How an agent is asked: its kernel, its `act_batch`, and the size of its memory."""

    kernel: Any
    batch: Any
    memory: int


def _way_of(agent: Agent | None) -> _Way:
    return _Way(kernel_of(agent), agent.act_batch if isinstance(agent, BatchAgent) else None, memory_size(agent))


class Match:
    """N tables of `game`, where the agent at seat s of table i is `agents[seating[i, s]]`.

    `deal` starts deals and `put` continues given states. `advance` plays until every table is over or waits for an
    OUTSIDE agent, and `step` plays for those agents. Kernel agents run inside the compiled loop, agents with
    `act_batch` get all their tables in one call, and other agents get one view at a time. Each seat has a random stream
    that starts with the deal. So a deal depends only on its seed, setup and seating, not on N, threads or other tables.

    Args:
        game: the game.
        agents: agents, and OUTSIDE for those that the caller plays.
        setups: `(N,)` states with the setup fields, from `Game.new_tables`.
        threads: the most threads to use; None chooses.
        stepwise: stop at every decision, so that the caller can inspect it: `step(rows, decide(rows))`.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent | None],
        setups: np.ndarray,
        threads: int | None = None,
        stepwise: bool = False,
    ) -> None:
        count = len(setups)
        self.game = game
        self.agents = list(agents)
        self.threads = threads
        self.setups = setups
        self.states = setups.copy()
        self.states["over"] = 1  # until dealt
        self.seating = np.zeros((count, game.max_seats), np.int64)  # (N, S) agents' places in `agents`
        self.seeds = np.zeros(count, np.int64)  # (N,) of the deals in play
        self.observations = np.zeros((count, game.layout.size), np.float32)  # (N, D), of the seat to act
        self.codes = np.zeros((count, game.layout.width), np.uint8)  # (N, W), their bytes
        self.masks = np.zeros((count, game.num_actions), np.int8)  # (N, A)
        self.payoffs = np.zeros((count, game.max_seats), np.float32)  # (N, S), zero while running
        self.seconds = np.zeros((count, game.max_seats), np.float32)  # (N, S) that the deal's seats have used so far
        self._streams = np.zeros((count, game.max_seats), STREAM)
        most = max((memory_size(agent) for agent in self.agents), default=0)
        self._memory = np.zeros((count, game.max_seats, most), np.float32)  # of recurrent agents
        # The history of an agent has every event, so there is no decision inside the compiled loop.
        self._writes = any(isinstance(agent, HistoryAgent) for agent in self.agents)
        self._stepwise = stepwise or self._writes
        self._histories: list[dict[int, History]] = [{} for _ in range(count)]  # of each table, by seat
        self._given = len(self.agents)
        self._bind()

    def _bind(self) -> None:
        self._ways = [_way_of(agent) for agent in self.agents]
        inside = [way.kernel for way in self._ways]
        # Each once and in a fixed order, so that another seating of the same agents is not compiled again.
        kernels = [] if self._stepwise else sorted({one for one in inside if one is not None}, key=_name)
        self._kernels = _match_kernels(self.game, tuple(kernels))
        # For each agent its index among the kernels; -1: it is asked from Python.
        self._inside = np.array([kernels.index(one) if one in kernels else -1 for one in inside], np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_kernels", "_ways")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._bind()

    @property
    def seats(self) -> np.ndarray:
        """The `(N,)` seats to act."""
        return self.states["seat"]

    @property
    def over(self) -> np.ndarray:
        """The tables whose deal is over, `(N,)` bool."""
        over: np.ndarray = self.states["over"] == 1
        return over

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that change during play, by name; write them into an equal match to continue.

        `codes` are not among them: `encode` makes them again.
        """
        names = ("states", "seating", "seeds", "observations", "masks", "payoffs", "_streams", "_memory")
        return {name.removeprefix("_"): getattr(self, name) for name in names}

    def encode(self) -> None:
        """Set `codes` from `observations`; raise ValueError for numbers that no observation has."""
        self.codes[:] = self.game.layout.encode(self.observations)

    def waiting(self) -> np.ndarray:
        """Return the indices `(N,)` in `agents` of the agents to act, -1 for a table that is over."""
        places = self.seating[np.arange(len(self.states)), self.seats]
        return np.where(self.over, -1, places)

    def add(self, agent: Agent) -> int:
        """Add another agent, which is no kernel; return its index in `agents`."""
        assert kernel_of(agent) is None
        assert memory_size(agent) <= self._memory.shape[2]
        self.agents.append(agent)
        self._ways.append(_way_of(agent))
        self._inside = np.append(self._inside, -1)
        return len(self.agents) - 1

    def replace_agent(self, place: int, agent: Agent) -> int:
        """Replace `agents[place]` by `agent` at all its seats; return the index of `agent`, -1 if it has no seat.

        This is for agents that change: `agent` is in the state of the other one at the start of the deals. It takes the
        place of an added agent that has no seat any more, or is added.
        """
        seated = self.seating == place
        if not seated.any():
            return -1
        left = [added for added in range(self._given, len(self.agents)) if not (self.seating == added).any()]
        if left:
            self.agents[left[0]], self._ways[left[0]] = agent, _way_of(agent)
        self.seating[seated] = taken = left[0] if left else self.add(agent)
        return taken

    def deal(self, rows: np.ndarray, seeds: np.ndarray, keys: np.ndarray | None = None) -> None:
        """Start new deals at the tables `rows` from `seeds`; set `seating` first.

        The seeds of the agents derive from `keys` `(k,)`; None takes the seeds of the deals.
        """
        stream_seeds = self._begin(rows, seeds, keys)
        arrays = (self.states, self.setups, self.seeds, self._streams, stream_seeds, self.masks)
        run(self._kernels.reset, len(rows), self.threads, rows, *arrays)
        self._play_on(rows)

    def put(self, rows: np.ndarray, states: np.ndarray, seeds: np.ndarray, memory: np.ndarray | None = None) -> None:
        """Continue at the tables `rows` from `states` `(k,)` instead of new deals; set `seating` first.

        All further chance, of the game and the agents, follows from `seeds` `(k,)`. Chance that a state has already,
        such as the order of a deck, stays (`table.reshuffled` draws it anew). `memory` `(k, S, M)` is that of recurrent
        agents, as in "memory" of `arrays`; None is zeros, as at the start of a deal.
        """
        stream_seeds = self._begin(rows, seeds)
        if memory is not None:
            self._memory[rows] = memory
        arrays = (self.states, states, self.seeds, self._streams, stream_seeds, self.masks)
        run(self._kernels.put, len(rows), self.threads, rows, *arrays)
        self._play_on(rows)

    def decide(self, rows: np.ndarray) -> np.ndarray:
        """Return the actions `(k,)` of the agents to act at the tables `rows`, without playing them.

        Each table must wait for an agent that is not OUTSIDE.
        """
        rows = np.asarray(rows, np.int64)
        waiting, actions = self.waiting()[rows], np.zeros(len(rows), np.int64)
        for place in np.unique(waiting):
            assert place >= 0
            actions[waiting == place] = self._ask(place, rows[waiting == place])
        return actions

    def step(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Play `actions` at the tables `rows`, and then the kernel agents.

        Raises IllegalAction, with no table changed, if an action is illegal.
        """
        rows, actions = np.asarray(rows, np.int64), np.asarray(actions, np.int64)
        wrong = first_illegal(rows, actions, self.masks)
        if wrong < len(rows):
            row = rows[wrong]
            raise IllegalAction.at(
                self.game, self.states[row : row + 1], actions[wrong], self.masks[row], table=int(row)
            )
        before = self.states[rows] if self._writes else None
        run(self._kernels.step, len(rows), self.threads, rows, actions, self.states, self.masks)
        if before is not None:
            self._write_histories(rows, before, actions)
        self._play_on(rows)

    def _write_histories(self, rows: np.ndarray, before: np.ndarray, actions: np.ndarray) -> None:
        for number, row in enumerate(rows):
            for history in self._histories[row].values():
                history.add(before[number : number + 1], int(actions[number]), self.states[row : row + 1])

    def _begin(self, rows: np.ndarray, seeds: np.ndarray, keys: np.ndarray | None = None) -> np.ndarray:
        """Set the `seeds` of new deals and clear the memories; return the seeds of the agents' streams `(k, S)`."""
        self.seeds[rows] = seeds
        self._memory[rows] = 0
        for row in rows if self._writes else ():
            self._histories[row] = histories(self.game, [self.agents[place] for place in self.seating[row]])
        # The time of a kernel inside the compiled loop cannot be separated from that of the rules.
        self.seconds[rows] = np.where(self._inside[self.seating[rows]] >= 0, np.nan, 0)
        seats = range(self.game.max_seats)
        keys = seeds if keys is None else keys
        stream_seeds = np.array([[agent_seed(key, seat) for seat in seats] for key in keys], np.int64)
        self._streams["seed"][rows] = stream_seeds
        forget_deals(self.agents, stream_seeds.ravel().tolist())
        return stream_seeds

    def advance(self) -> None:
        """Play until every table waits for an OUTSIDE agent or is over."""
        while True:
            waiting = self.waiting()
            asked = [place for place in np.unique(waiting) if place >= 0 and self.agents[place] is not OUTSIDE]
            if not asked:
                return
            for place in asked:
                rows = np.flatnonzero(waiting == place)
                self.step(rows, self._ask(place, rows))

    def _ask(self, place: int, rows: np.ndarray) -> np.ndarray:
        agent, seats = self.agents[place], self.seats[rows]
        assert agent is not OUTSIDE
        inside, batch, size = self._ways[place]
        if inside is not None:  # stepwise
            actions = np.zeros(len(rows), np.int64)
            arrays = (self.observations, self.masks, self._streams, actions)
            run(_ask_kernel(inside), len(rows), self.threads, rows, np.asarray(seats, np.int64), *arrays)
            return actions
        if batch is not None:
            began = perf_counter()
            streams = self._streams[rows, seats]
            if size:
                memory = self._memory[rows, seats, :size]
                actions = np.asarray(batch(self.observations[rows], self.masks[rows], streams, memory))
                self._memory[rows, seats, :size] = memory
            else:
                actions = np.asarray(batch(self.observations[rows], self.masks[rows], streams))
            self._streams[rows, seats] = streams
            self.seconds[rows, seats] += (perf_counter() - began) / len(rows)
            if actions.shape != rows.shape or actions.dtype.kind not in "iu":
                raise IllegalAction(
                    f"{self.game.id}: {agent.name} was asked for {len(rows)} whole numbers, one action a table; "
                    f"it gave {actions.dtype} of shape {actions.shape}"
                )
            return actions
        actions = np.zeros(len(rows), np.int64)
        for number, (row, seat) in enumerate(zip(rows, seats, strict=True)):
            view = self.view(int(row))
            began = perf_counter()
            try:
                action = agent.act(view)
            finally:
                self.seconds[row, seat] += perf_counter() - began
            self._streams[row, seat] = view.stream[0]
            try:
                actions[number] = index(action)
            except (TypeError, OverflowError):
                states = self.states[row : row + 1]
                raise IllegalAction.at(self.game, states, action, self.masks[row], table=int(row)) from None
        return actions

    def view(self, row: int) -> View:
        """Return the view of the seat to act at table `row`; its stream is a copy."""
        seat = int(self.seats[row])
        stream = self._streams[row, seat : seat + 1].copy()  # a slice would expose other streams
        return make_view(self.game, self.states[row : row + 1], seat, stream, self._histories[row].get(seat))

    def _play_on(self, rows: np.ndarray) -> None:
        seen = self.codes, self.observations, self.masks
        arrays = (self.states, self._streams, self.seating, self._inside, *seen, self.payoffs)
        run(self._kernels.play_on, len(rows), self.threads, rows, *arrays)


class _MatchKernels(NamedTuple):
    """Functions over slices `low..high` of `rows`, indices of tables."""

    reset: Any
    put: Any
    step: Any
    play_on: Any


@cache
def _match_kernels(game: Game, kernels: tuple[Any, ...]) -> _MatchKernels:
    reset, step = step_kernels(game)
    legal, payoff, observe = map(shared, (game.legal, game.payoff, observer(game)))
    choose = _choose(kernels)

    @kernel
    def reset_rows(rows, states, setups, seeds, streams, stream_seeds, masks, low, high):
        for k in range(low, high):
            i = rows[k]
            put_state(states, i, setups[i])
            reset(states[i], seeds[i], masks[i])
            _start_all(streams[i], stream_seeds[k])

    @kernel
    def put_rows(rows, states, given, seeds, streams, stream_seeds, masks, low, high):
        for k in range(low, high):
            i = rows[k]
            put_state(states, i, given[k])
            start(states[i], seeds[i])
            masks[i, :] = 0
            legal(states[i], masks[i])
            _start_all(streams[i], stream_seeds[k])

    @kernel
    def step_rows(rows, actions, states, masks, low, high):
        for k in range(low, high):
            i = rows[k]
            step(states[i], actions[k], masks[i])

    @kernel
    def play_on(rows, states, streams, seating, inside, codes, observations, masks, payoffs, low, high):
        for k in range(low, high):
            i = rows[k]
            state = states[i]
            while not state.over:
                observe(state, state.seat, codes[i], observations[i])
                index = inside[seating[i, state.seat]]
                if index < 0:
                    break
                step(state, choose(index, observations[i], masks[i], streams[i, state.seat]), masks[i])
            payoff(state, payoffs[i])

    return _MatchKernels(reset_rows, put_rows, step_rows, play_on)


@kernel
def _start_all(streams, seeds):
    for seat in range(streams.shape[0]):
        start(streams[seat], seeds[seat])


@cache
def _ask_kernel(act: Any) -> Any:
    """Return the kernel that asks one agent at many tables."""
    act = shared(act)

    @kernel
    def ask(rows, seats, observations, masks, streams, actions, low, high):
        for k in range(low, high):
            i = rows[k]
            actions[k] = act(observations[i], masks[i], streams[i, seats[k]])

    return ask


def _name(act: Any) -> str:
    return str(as_python(act).__code__.co_qualname)


def _choose(kernels: tuple[Any, ...]) -> Any:
    """Return one kernel that calls number `place` of `kernels`; Numba cannot index a tuple of functions."""
    if not kernels:
        return _nobody
    first, rest = shared(kernels[0]), _choose(kernels[1:])

    @kernel
    def choose(place, observation, mask, stream):
        if place == 0:
            return first(observation, mask, stream)
        return rest(place - 1, observation, mask, stream)

    return choose


@kernel
def _nobody(place, observation, mask, stream):
    return -1
