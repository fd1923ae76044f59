"""Self-play deals with rollouts of several actions at sampled decisions, the samples of algorithms/counterfactual.py.

Each rollout plays the deal on by the same policies, to its end, or to the next change of a field of the state (the
round), where a value network estimates the seat's payoff. All of this is one kernel. All chance of a deal follows from
its seed, so that samples are the same to the bit for any number of threads.

Letters: `n` deals, `L` samples of one deal, `k` samples, `B` views of one deal, `b` views, `C` candidates, `K` stages,
`S` seats, `P` policies, `W` bytes of an observation, `A` actions.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.networks.compiler import Network
from sobremesa.agents.networks.program import INPUTS, OUTPUT
from sobremesa.agents.search.policies import Arrays, Policy, playing
from sobremesa.envs.core.chance import STREAM, below, derive, start, uniform
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.device.rollouts import field_reader
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer, table_kernels
from sobremesa.training.networks.compiled import form_of, judged
from sobremesa.training.networks.policy import Net, PolicyNet

MOST_SAMPLES, MOST_VIEWS = 256, 256  # of one deal; later decisions are played and not sampled
NOBODY = -1  # no candidate, or no advice


class RolloutSettings(NamedTuple):
    """Settings of rollouts."""

    shares: np.ndarray  # (K,) part of the decisions of each stage to sample
    stage: int  # start of the block of stages in an observation
    explore: float  # chance to play another candidate at a sampled decision
    temperature: float  # candidates are drawn from softmax(logits / temperature)
    worlds: int  # rollouts of each candidate
    redealt: bool  # in determinizations, or in the true state with other chance


class Samples(NamedTuple):
    """Decisions with the measured gains of some actions."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8 observations
    advice: np.ndarray  # (k,) int16, NOBODY without an advisor
    candidates: np.ndarray  # (k, C) int16: the choice first, then others, NOBODY behind them
    gains: np.ndarray  # (k, C) float32 over the first candidate


class Begun(NamedTuple):
    """Observations of all seats at the starts of rounds, and their payoffs at the end of the deal."""

    table: np.ndarray  # (b,) int64
    codes: np.ndarray  # (b, W) uint8
    paid: np.ndarray  # (b,) float32


class Deals(NamedTuple):
    """Results of some deals."""

    samples: Samples
    begun: Begun
    payoffs: np.ndarray  # (n, S) float32
    lengths: np.ndarray  # (n,) int64, decisions


class Player:
    """Plays deals of `game` by networks of `parts` in `workers` threads.

    Rollouts end where the field `until` of the state changes ("": at the end of the deal). All players are `greedy`, or
    sample from their policies.
    """

    def __init__(self, game: Game, parts: dict[str, Any], until: str, workers: int, greedy: bool) -> None:
        self._game, self._until, self._workers, self._greedy = game, until, workers, greedy
        self._policy_form = form_of(game, False, json.dumps(parts))
        self._value_form = form_of(game, True, json.dumps(value_parts(parts)))
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="thinking")

    def take_over(self, policy: PolicyNet, value: Net, others: np.ndarray) -> None:
        """Set the weights of the policies; `others` `(P, M)` are as `numbers_of` returns them.

        Raises UnsupportedGraph for networks that are too large for kernels.
        """
        advise = policy.advisor.kernel if policy.advisor else None
        mine, judge = self._policy_form.network(policy), self._value_form.network(value)
        self._players = []
        for _ in range(self._workers):
            own, judges = playing(mine, advise, self._greedy), Network(judge.program, judge.numbers.copy())
            numbers = np.concatenate([mine.numbers[None], others])
            self._players.append((own, _Players(own.arrays, numbers, judges, advise is not None)))

    def numbers_of(self, policy: PolicyNet) -> np.ndarray:
        """Return the weights of `policy`, and scratch space, in the form of kernels, `(M,)` float32."""
        return self._policy_form.network(policy).numbers

    def play(
        self, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int, wishes: RolloutSettings
    ) -> Deals:
        """Play a deal at each of `tables` `(n,)`, which have a setup and no deal, from `seeds` `(n,)`.

        `seating` `(n, S)` int64 has the player of each seat: 0 for the learner, k for number k - 1 of the others.
        """
        deals_kernel(self._game, self._players[0][0].choose, self._until)  # compiled once, before the threads start
        parts = np.array_split(np.arange(len(tables)), min(self._workers, len(tables)))
        work = [(part, *player) for part, player in zip(parts, self._players, strict=False)]
        found = list(self._pool.map(lambda one: self._part(tables, seeds, seating, candidates, wishes, *one), work))
        samples, begun = (
            kind(*map(np.concatenate, zip(*(one[place] for one in found), strict=True)))
            for place, kind in enumerate((Samples, Begun))
        )
        payoffs, lengths = (np.concatenate([one[place] for one in found]) for place in (2, 3))
        return Deals(samples, begun, payoffs, lengths)

    def _part(
        self, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int, wishes: RolloutSettings,
        part: np.ndarray, policy: Policy, players: "_Players",
    ) -> tuple[Any, ...]:  # fmt: skip
        """Play the deals `part`; return the fields of `Deals`."""
        game, most = self._game, MOST_VIEWS if self._until else 0
        sheets = _new_sheets(game, len(part), min(candidates, game.num_actions), most)
        play = deals_kernel(game, policy.choose, self._until)
        states = np.zeros(3, game.state)
        play(
            tables[part], seeds[part].astype(np.int64), seating[part], wishes, sheets, states, _new_room(game), players
        )
        taught = np.arange(MOST_SAMPLES) < sheets.counts[:, SAMPLES, None]
        seen = np.arange(most) < sheets.counts[:, VIEWS, None]
        paid = np.take_along_axis(sheets.payoffs, sheets.seats.astype(np.int64), 1)
        samples = (sheets.codes, sheets.advice, sheets.candidates, sheets.gains)
        return (
            Samples(part[np.nonzero(taught)[0]], *(one[taught] for one in samples)),
            Begun(part[np.nonzero(seen)[0]], sheets.views[seen], paid[seen]),
            sheets.payoffs, sheets.counts[:, DECISIONS],
        )  # fmt: skip


def value_parts(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of the value network next to a policy of `parts`: it has no advisor."""
    return parts | {"advised_by": ""}


class _Players(NamedTuple):
    """Policies and value network of one thread."""

    policy: Arrays  # of the learner; others have its program and their own numbers
    numbers: np.ndarray  # (1 + P, M) float32
    value: Network
    advised: bool


class _Room(NamedTuple):
    """Scratch space of one thread."""

    codes: np.ndarray  # (W,) uint8
    observation: np.ndarray  # (D,) float32
    mask: np.ndarray  # (A,) int8
    after: np.ndarray  # (A,) int8, the mask of a rollout
    logits: np.ndarray  # (A,) float32
    worth: np.ndarray  # (A,) float64
    streams: np.ndarray  # (2,): of samples, and of rollouts
    paid: np.ndarray  # (S,) float32


class _Sheets(NamedTuple):
    """Results of deals, row by row; of one deal, without the `n`."""

    codes: np.ndarray  # (n, L, W) uint8
    advice: np.ndarray  # (n, L) int16
    candidates: np.ndarray  # (n, L, C) int16
    gains: np.ndarray  # (n, L, C) float32
    views: np.ndarray  # (n, B, W) uint8 observations at the starts of rounds
    seats: np.ndarray  # (n, B) int8, their seats
    payoffs: np.ndarray  # (n, S) float32
    counts: np.ndarray  # (n, 3) int64: of samples, of views, of decisions


SAMPLES, VIEWS, DECISIONS = range(3)  # in counts


def _new_room(game: Game) -> _Room:
    actions = game.num_actions
    return _Room(
        np.zeros(game.layout.width, np.uint8), np.zeros(game.layout.size, np.float32), np.zeros(actions, np.int8),
        np.zeros(actions, np.int8), np.zeros(actions, np.float32), np.zeros(actions), np.zeros(2, STREAM),
        np.zeros(game.max_seats, np.float32),
    )  # fmt: skip


def _new_sheets(game: Game, deals: int, candidates: int, views: int) -> _Sheets:
    width, samples = game.layout.width, (deals, MOST_SAMPLES)
    return _Sheets(
        np.zeros((*samples, width), np.uint8), np.full(samples, NOBODY, np.int16),
        np.full((*samples, candidates), NOBODY, np.int16), np.zeros((*samples, candidates), np.float32),
        np.zeros((deals, views, width), np.uint8), np.zeros((deals, views), np.int8),
        np.zeros((deals, game.max_seats), np.float32), np.zeros((deals, 3), np.int64),
    )  # fmt: skip


@kernel
def draw_candidates(logits, mask, first, temperature, stream, worth, chosen):
    """Write `first` and other legal actions into `chosen` `(C,)`, padded with `NOBODY`; return their number.

    The others are drawn from softmax(logits / temperature) without replacement (Gumbel top-k); `worth` is scratch.
    """
    chosen[:] = NOBODY
    chosen[0] = first
    for action in range(mask.shape[0]):
        worth[action] = -np.inf
        if mask[action] and action != first:
            worth[action] = logits[action] / temperature - np.log(-np.log(uniform(stream)))
    for place in range(1, chosen.shape[0]):
        top = np.argmax(worth)
        if worth[top] == -np.inf:
            return place
        chosen[place] = top
        worth[top] = -np.inf
    return chosen.shape[0]


@cache
def _chooser(choose: Any) -> Any:
    """Compile (who, mask, stream, room, players) -> the action of policy `who` at room.observation."""
    choose = shared(choose)

    @kernel
    def chosen_by(who, mask, stream, room, players):
        own = players.policy
        arrays = Arrays(own.program, players.numbers[who], own.actions, own.features, own.marks)
        return choose(room.observation, mask, stream, arrays)

    return chosen_by


@cache
def _thinker(game: Game, choose: Any, until: str) -> Any:
    """Compile (states, chance, candidates, count, gains, seating, wishes, room, players): rollouts from states[0]."""
    part_of, observe, choose_by = shared(field_reader(until)), shared(observer(game)), shared(_chooser(choose))
    (_, step), redeal = step_kernels(game), shared(table_kernels(game).redeal)
    legal, payoff, cuts = shared(game.legal), shared(game.payoff), bool(until)

    @kernel
    def played_on(state, begun, seat, seating, room, players):
        """Return the payoff of `seat` at the end, or the value estimate at the end of the part `begun`."""
        while not state.over:
            if cuts and part_of(state) != begun:
                observe(state, seat, room.codes, room.observation)
                return judged(players.value, room.observation)
            observe(state, state.seat, room.codes, room.observation)
            step(state, choose_by(seating[state.seat], room.after, room.streams[1], room, players), room.after)
        payoff(state, room.paid)
        return room.paid[seat]

    @kernel
    def think(states, chance, candidates, count, gains, seating, wishes, room, players):
        """Write the mean gains of `count` candidates over the first one into `gains`."""
        seat, after = int(states[0].seat), states[2]
        gains[:] = 0
        for number in range(wishes.worlds):
            states[1] = states[0]
            luck = derive(chance, number, 0)  # the same for all candidates
            if wishes.redealt:
                redeal(states[1:2], seat, derive(chance, number, 1))
            begun = part_of(states[1])
            for place in range(count):
                states[2] = states[1]
                start(after, luck)
                start(room.streams[1], derive(luck, 1, 0))  # not the deal's own chance once more
                room.after[:] = 0
                legal(after, room.after)
                step(after, candidates[place], room.after)
                gains[place] += played_on(after, begun, seat, seating, room, players) / wishes.worlds
        gains[:count] -= gains[0]

    return think


@kernel
def share_of(shares, first, observation):
    """Return the part of the decisions of this stage to sample; a block of ones and zeros begins at `first`."""
    stage = 0
    while stage < shares.shape[0] - 1 and observation[first + stage] == 0:
        stage += 1
    return shares[stage]


@cache
def _teacher(game: Game, choose: Any, until: str) -> Any:
    """Compile (states, seed, action, seating, wishes, sheet, room, players) -> the action to play, with a sample."""
    think, size = shared(_thinker(game, choose, until)), game.layout.size

    @kernel
    def learn(states, seed, action, seating, wishes, sheet, room, players):
        """Write a sample of `action` and others; return the action to play, sometimes another candidate."""
        number, stream, mask = sheet.counts[SAMPLES], room.streams[0], room.mask
        program, numbers = players.policy.program, players.numbers[0]
        sheet.codes[number] = room.codes
        room.logits[:] = numbers[program[OUTPUT] : program[OUTPUT] + mask.shape[0]]
        if players.advised:
            told = program[INPUTS] + size
            sheet.advice[number] = np.argmax(numbers[told : told + mask.shape[0]])
        chosen = sheet.candidates[number]
        count = draw_candidates(room.logits, mask, action, wishes.temperature, stream, room.worth, chosen)
        chance = derive(seed, 1, number)
        think(states, chance, chosen, count, sheet.gains[number], seating, wishes, room, players)
        sheet.counts[SAMPLES] += 1
        return chosen[1 + below(stream, count - 1)] if uniform(stream) < wishes.explore else action

    return learn


@cache
def deals_kernel(game: Game, choose: Any, until: str) -> Callable[..., None]:
    """Compile deals by the kernel `choose` of a policy; see `Player.play`."""
    part_of, observe, encode = shared(field_reader(until)), shared(observer(game)), shared(game.observe)
    (reset, step), choose_by = step_kernels(game), shared(_chooser(choose))
    learn, payoff, cuts = shared(_teacher(game, choose, until)), shared(game.payoff), bool(until)

    @kernel
    def look_round(state, seating, sheet):
        """Write the observations of the learner's seats at the start of a round."""
        for seat in range(int(state.seats)):
            count = sheet.counts[VIEWS]
            if seating[seat] == 0 and count < sheet.views.shape[0]:
                encode(state, seat, sheet.views[count])
                sheet.seats[count] = seat
                sheet.counts[VIEWS] += 1

    @kernel
    def deal(seed, seating, wishes, sheet, states, room, players):
        state, stream, counts, last = states[0], room.streams[0], sheet.counts, np.int64(0)
        reset(state, derive(seed, 0, 0), room.mask)
        start(stream, derive(seed, 0, 1))
        while not state.over:
            if cuts and (counts[DECISIONS] == 0 or part_of(state) != last):
                last = part_of(state)
                look_round(state, seating, sheet)
            observe(state, state.seat, room.codes, room.observation)
            who = seating[state.seat]
            action = choose_by(who, room.mask, stream, room, players)
            wanted = who == 0 and uniform(stream) < share_of(wishes.shares, wishes.stage, room.observation)
            if wanted and counts[SAMPLES] < sheet.codes.shape[0]:
                action = learn(states, seed, action, seating, wishes, sheet, room, players)
            counts[DECISIONS] += 1
            step(state, action, room.mask)
        payoff(state, sheet.payoffs)

    @kernel
    def play(tables, seeds, seating, wishes, sheets, states, room, players):
        for one in range(seeds.shape[0]):
            states[0] = tables[one]
            sheet = _Sheets(
                sheets.codes[one], sheets.advice[one], sheets.candidates[one], sheets.gains[one], sheets.views[one],
                sheets.seats[one], sheets.payoffs[one], sheets.counts[one],
            )  # fmt: skip
            deal(seeds[one], seating[one], wishes, sheet, states, room, players)

    return play  # type: ignore[no-any-return]
