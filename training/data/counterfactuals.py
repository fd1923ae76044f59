"""Deals that a policy plays with itself or with what it was, and what else it could have done: samples for
counterfactual.py.

At some of its decisions the choice that was made and some others are each played on, all seats choosing as they do in
deals, to the end of the deal, or to where a field of the record changes (a round is over); there a value network says
what the seat may expect. All of it is one kernel. A deal is a unit of its own, in which all chance follows from
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

from sobremesa.agents.search.network import Network
from sobremesa.agents.search.policies import Arrays, Policy, playing
from sobremesa.agents.search.program import INPUTS, OUTPUT
from sobremesa.envs.core.chance import STREAM, below, derive, start, uniform
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer, table_kernels
from sobremesa.training.networks.compiled import form_of, judged
from sobremesa.training.networks.policy import Net, PolicyNet

MOST_SAMPLES, MOST_VIEWS = 256, 256  # of one deal; what is beyond is played and not learnt from
NOBODY = -1  # instead of an action: no candidate, or nobody advises


class Wishes(NamedTuple):
    """What is thought about in deals, and how."""

    shares: np.ndarray  # (K,) which part of the decisions of each stage
    stage: int  # where the stages are told apart in an observation
    explore: float  # chance that another candidate is played where one thinks
    temperature: float  # candidates are drawn from softmax(logits / temperature)
    worlds: int  # in which each is played on
    redealt: bool  # whether these are fair guesses, or all are the true one with chance of their own


class Samples(NamedTuple):
    """Decisions of which is known what some actions bring."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8, what the seat saw
    advice: np.ndarray  # (k,) int16, NOBODY where nobody advises
    candidates: np.ndarray  # (k, C) int16: first what was chosen, NOBODY where there are fewer
    gains: np.ndarray  # (k, C) float32: how much more each brought than the first


class Begun(NamedTuple):
    """What all seats saw where a part of a deal began at which rollouts end, and what they were paid in the end."""

    table: np.ndarray  # (b,) int64
    codes: np.ndarray  # (b, W) uint8
    paid: np.ndarray  # (b,) float32


class Deals(NamedTuple):
    """What came of some deals."""

    samples: Samples
    begun: Begun
    payoffs: np.ndarray  # (n, S) float32
    lengths: np.ndarray  # (n,) int64, decisions


class Player:
    """Plays deals of `game` by networks made of `parts`, in so many threads (`workers`).

    `until` names the field of the record at whose changes rollouts end; "": they go to the end of the deal. All
    take what they think best, if `greedy`, or draw from their policies.
    """

    def __init__(self, game: Game, parts: dict[str, Any], until: str, workers: int, greedy: bool) -> None:
        self._game, self._until, self._workers, self._greedy = game, until, workers, greedy
        self._policy_form = form_of(game, False, json.dumps(parts))
        self._value_form = form_of(game, True, json.dumps(value_parts(parts)))
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="thinking")

    def take_over(self, policy: PolicyNet, value: Net, others: np.ndarray) -> None:
        """Play by these weights from here on, and by the `others` `(P, M)`, numbers as `numbers_of` returns them.

        Raises Untakeable where the networks are too large for kernels.
        """
        advise = policy.advisor.kernel if policy.advisor else None
        mine, judge = self._policy_form.network(policy), self._value_form.network(value)
        self._players = []
        for _ in range(self._workers):
            own, judges = playing(mine, advise, self._greedy), Network(judge.program, judge.numbers.copy())
            numbers = np.concatenate([mine.numbers[None], others])
            self._players.append((own, _Players(own.arrays, numbers, judges, advise is not None)))

    def numbers_of(self, policy: PolicyNet) -> np.ndarray:
        """Return the weights of `policy`, and room, as one that plays here: `(M,)` float32."""
        return self._policy_form.network(policy).numbers

    def play(
        self, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int, wishes: Wishes
    ) -> Deals:
        """Play a deal at each of `tables` `(n,)`, which hold a setup and no deal, from its own of `seeds` `(n,)`.

        `seating` `(n, S)` int64 says who sits where: 0 for the policy that learns, k for number k - 1 of the others.
        """
        deals_kernel(self._game, self._players[0][0].choose, self._until)  # made once, before threads ask for it
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
        self, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int, wishes: Wishes,
        part: np.ndarray, policy: Policy, players: "_Players",
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return what comes of the deals `part`, as `Deals` has it."""
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
    """Return what value networks are made of beside policies of `parts`: nobody advises them."""
    return parts | {"advised_by": ""}


class _Players(NamedTuple):
    """Who plays and who judges, in one thread."""

    policy: Arrays  # of the one that learns; others have its program, and numbers of their own
    numbers: np.ndarray  # (1 + P, M) float32
    value: Network
    advised: bool


class _Room(NamedTuple):
    """What one thread works on."""

    codes: np.ndarray  # (W,) uint8
    observation: np.ndarray  # (D,) float32
    mask: np.ndarray  # (A,) int8
    after: np.ndarray  # (A,) int8, the mask of a rollout
    logits: np.ndarray  # (A,) float32
    worth: np.ndarray  # (A,) float64
    streams: np.ndarray  # (2,): of what is thought about, and of rollouts
    paid: np.ndarray  # (S,) float32


class _Sheets(NamedTuple):
    """What comes of deals, line by line; of one deal, without the `n`."""

    codes: np.ndarray  # (n, L, W) uint8
    advice: np.ndarray  # (n, L) int16
    candidates: np.ndarray  # (n, L, C) int16
    gains: np.ndarray  # (n, L, C) float32
    views: np.ndarray  # (n, B, W) uint8, what is seen where parts begin
    seats: np.ndarray  # (n, B) int8, by whom
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
    """Write into `chosen` `(C,)` `first` and other actions that `mask` allows, NOBODY behind them; return how many.

    The others are drawn from softmax(logits / temperature) without putting back (Gumbel's top); `worth` is scratch.
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
def _reader(until: str) -> Any:
    """Compile what tells parts of a deal apart: the field `until` of the record, or nothing."""
    if not until:

        @kernel
        def nothing(state):
            return 0

        return nothing

    @kernel
    def read(state):
        return np.int64(state[until])

    return read


@cache
def _chooser(choose: Any) -> Any:
    """Compile (who, mask, stream, room, players) -> what the policy number `who` chooses, seeing room.observation."""
    choose = shared(choose)

    @kernel
    def chosen_by(who, mask, stream, room, players):
        own = players.policy
        arrays = Arrays(own.program, players.numbers[who], own.actions, own.features, own.marks)
        return choose(room.observation, mask, stream, arrays)

    return chosen_by


@cache
def _thinker(game: Game, choose: Any, until: str) -> Any:
    """Compile (states, chance, candidates, count, gains, seating, wishes, room, players): a sample about states[0]."""
    part_of, observe, choose_by = shared(_reader(until)), shared(observer(game)), shared(_chooser(choose))
    (_, step), redeal = step_kernels(game), shared(table_kernels(game).redeal)
    legal, payoff, cuts = shared(game.legal), shared(game.payoff), bool(until)

    @kernel
    def played_on(state, begun, seat, seating, room, players):
        """Return what `seat` is paid if all play on, or what it may expect where the part `begun` is over."""
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
        """Write into `gains` what each of `count` candidates brings more than the first, on average over worlds."""
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
def share_of(observation, wishes):
    """Return which part of the decisions of this stage is thought about."""
    stage = 0
    while stage < wishes.shares.shape[0] - 1 and observation[wishes.stage + stage] == 0:
        stage += 1
    return wishes.shares[stage]


@cache
def _teacher(game: Game, choose: Any, until: str) -> Any:
    """Compile (states, seed, action, seating, wishes, sheet, room, players) -> what is played, a sample being noted."""
    think, size = shared(_thinker(game, choose, until)), game.layout.size

    @kernel
    def learn(states, seed, action, seating, wishes, sheet, room, players):
        """Note a sample about `action` and others; return what is played, now and then another candidate."""
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
    """Compile deals by the kernel `choose` of a network; see `Player.play`."""
    part_of, observe, encode = shared(_reader(until)), shared(observer(game)), shared(game.observe)
    (reset, step), choose_by = step_kernels(game), shared(_chooser(choose))
    learn, payoff, cuts = shared(_teacher(game, choose, until)), shared(game.payoff), bool(until)

    @kernel
    def look_round(state, seating, sheet):
        """Note what the seats that learn see where a part of the deal begins."""
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
            wanted = who == 0 and uniform(stream) < share_of(room.observation, wishes)
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
