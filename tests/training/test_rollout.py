"""Rollout buffer: each decision is learned from once, each payoff counts once."""

import itertools

import numpy as np
import plank
import pytest
from rooms import KUHN, TORO
from runs import tiny

from sobremesa.envs.core.agent import new_stream
from sobremesa.training.data.opponents import LEARNER, OpponentPool
from sobremesa.training.data.rollout_buffer import NONE, RolloutBuffer, draw_actions
from sobremesa.training.data.tables import NOBODY, Tables

pytestmark = pytest.mark.kernels
GAMMA, LAMBDA = 0.9, 0.8
CASES = [
    (KUHN, {}, {"self": 1}),
    (KUHN, {}, {"self": 0.5, "random": 0.5}),
    (TORO, {"seats": [2, 3, 4], "max_rounds": 1}, {"self": 1}),
    (TORO, {"seats": [2, 3, 4], "max_rounds": 1}, {"self": 0.4, "random": 0.6}),
    (plank.GAME, {"seats": [2, 3, 4, 5]}, {"self": 1}),
    (plank.GAME, {"seats": [2, 3, 4, 5]}, {"self": 0.3, "random": 0.7}),
    (plank.GAME, {"seats": 5}, {"random": 1}),
]


class Watched(Tables):
    """Writes down each decision and the end of each deal; a decision's number is its value, which the batch holds."""

    def __init__(self, config, game, pool):
        self.decisions, self.ends, self.count = {}, {}, itertools.count(1)
        super().__init__(config, game, pool)

    def look(self, codes, masks, memory):
        numbers = np.zeros(len(codes), np.float32)
        for table, (deal, seat) in enumerate(zip(self.deals, self.match.seats, strict=True)):
            numbers[table] = number = next(self.count)
            self.decisions[number] = (table, int(deal), int(seat))
        logits = np.zeros((len(codes), self.match.masks.shape[1]), np.float32)
        return logits, numbers, memory

    def _end(self, rows):
        for row in rows:
            seated = self.match.seating[row] == LEARNER
            self.ends[int(row), int(self.deals[row])] = (self.match.payoffs[row].copy(), seated)
        super()._end(rows)


def played(game, setup, opponents, tables=12, horizon=7, batches=12):
    """Return tables that were watched, and of each closed batch the numbers, rewards and advantages to learn from."""
    config = tiny(game=game.name, setup=setup, opponents=opponents, tables=tables, seed=5)
    watched, learnt = Watched(config, game, OpponentPool(config, game)), []
    buffer = RolloutBuffer(game, tables, horizon)
    for _ in range(batches):
        watched.play(watched.look, buffer)
        ready = buffer.close(GAMMA, LAMBDA)
        assert buffer.masks[ready].any(axis=1).all()
        assert np.take_along_axis(buffer.masks[ready], buffer.actions[ready, None], 1).all()
        learnt.append((buffer.values[ready].astype(int), buffer.rewards[ready].copy(), buffer.advantages[ready].copy()))
        buffer.carry()
    return watched, learnt


def test_a_shorter_batch_holds_the_first_decisions():
    config = tiny(game=TORO.name, setup={"seats": 2}, opponents={"self": 1}, tables=12, seed=5)
    whole, short = (RolloutBuffer(TORO, 12, 7) for _ in range(2))

    def look(codes, masks, memory):
        return np.zeros((len(codes), TORO.num_actions), np.float32), codes.sum(1), memory

    for buffer in (whole, short):
        tables = Tables(config, TORO, OpponentPool(config, TORO))
        for batch in range(3):
            if buffer is short and batch == 2:
                buffer.limit(12 * 3 + 5)
            tables.play(look, buffer)
            buffer.close(GAMMA, LAMBDA)
            buffer.carry()
    assert (short.horizon, short.decisions, whole.decisions) == (4, 12 * 3 + 5, 12 * 7)
    cut = short.carried + 12 * 3 + 5
    assert short.taken[short.carried :].sum() == 12 * 3 + 5
    for name in ("codes", "actions", "values", "log_probs", "seats"):
        first = slice(short.carried, cut)
        np.testing.assert_array_equal(getattr(short, name)[first], getattr(whole, name)[first])
    assert not short.ready[cut:].any()
    assert not short.codes[cut:].any()  # nor anything of a batch before, which a run that is resumed lacks
    short.limit(99)
    assert short.decisions == 12 * 3 + 5


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0].name} {case[1]} {case[2]}")
def history(request):
    return played(*request.param)


def by_trajectory(watched):
    """Return the numbers of the decisions of each (table, deal, seat), in order."""
    found = {}
    for number, trajectory in watched.decisions.items():
        found.setdefault(trajectory, []).append(number)
    return found


def test_every_decision_is_learnt_from_once_or_still_waits(history):
    watched, learnt = history
    numbers = np.concatenate([batch[0] for batch in learnt])
    assert len(set(numbers)) == len(numbers)
    waiting = set(watched.decisions) - set(numbers)
    last = {
        numbers[-1] for (table, deal, _), numbers in by_trajectory(watched).items() if (table, deal) not in watched.ends
    }
    assert waiting == last


def test_rewards_sum_to_the_payoffs_of_the_finished_deals(history):
    watched, learnt = history
    total = sum(float(batch[1].sum()) for batch in learnt)
    asked = {(table, deal, seat) for table, deal, seat in watched.decisions.values()}
    paid = sum(
        float(payoffs[seat])
        for (table, deal), (payoffs, _) in watched.ends.items()
        for seat in range(len(payoffs))
        if (table, deal, seat) in asked
    )
    assert total == pytest.approx(paid, abs=1e-3)
    assert len(watched.ends) > 3


def test_each_seat_gets_its_own_payoff(history):
    watched, learnt = history
    rewards = {number: reward for batch in learnt for number, reward in zip(batch[0], batch[1], strict=True)}
    losses = 0
    for (table, deal, seat), numbers in by_trajectory(watched).items():
        for number in numbers[:-1]:
            assert rewards[number] == 0
        if (table, deal) in watched.ends:
            payoffs, seated = watched.ends[table, deal]
            assert seated[seat]
            assert rewards[numbers[-1]] == payoffs[seat]
            losses += payoffs[seat] < 0
    assert losses > 3


def test_advantages_are_those_of_the_definition(history):
    watched, learnt = history
    trajectories = by_trajectory(watched)
    following = {one: two for numbers in trajectories.values() for one, two in itertools.pairwise(numbers)}
    for numbers, rewards, advantages in learnt:
        found = dict(zip(numbers, advantages, strict=True))
        for number, reward in zip(numbers, rewards, strict=True):
            after = following.get(number)
            delta = reward + GAMMA * (after or 0) - number
            expected = delta + GAMMA * LAMBDA * found.get(after, 0)  # what is carried has no advantage yet
            assert found[number] == pytest.approx(expected, rel=1e-5, abs=1e-3)


def test_where_the_learner_holds_all_seats_rewards_sum_to_zero():
    for game, setup in ((KUHN, {}), (plank.GAME, {"seats": [2, 3, 4, 5]})):
        watched, _ = played(game, setup, {"self": 1}, horizon=60, batches=1)
        for payoffs, seated in watched.ends.values():
            assert payoffs[seated].sum() == pytest.approx(0, abs=1e-6)


def test_fallen_seats_are_paid_at_the_end():
    watched, learnt = played(plank.GAME, {"seats": 5}, {"self": 1}, horizon=40, batches=2)
    trajectories, early = by_trajectory(watched), 0
    rewards = {number: reward for batch in learnt for number, reward in zip(batch[0], batch[1], strict=True)}
    for (table, deal), (payoffs, _) in watched.ends.items():
        ends = {seat: trajectories[table, deal, seat][-1] for seat in range(5) if (table, deal, seat) in trajectories}
        for seat, number in ends.items():
            if payoffs[seat] < 0:
                assert rewards[number] == pytest.approx(-0.25)
                early += number < max(ends.values())
    assert early > 10


def test_seats_that_a_table_lacks_hold_nobody():
    watched, _ = played(plank.GAME, {"seats": [2, 5]}, {"self": 0.5, "random": 0.5}, batches=2)
    seating = watched.match.seating
    assert (seating[::2, 2:] == NOBODY).all()
    assert (seating[::2, :2] != NOBODY).all()
    assert (seating[1::2] != NOBODY).all()
    assert (seating == LEARNER).any(axis=1).all()


def test_pieces_hold_every_ready_transition_once():
    config = tiny(game="plank", setup={"seats": [2, 3, 4, 5]}, opponents={"self": 1}, tables=12)
    watched, buffer = Watched(config, plank.GAME, OpponentPool(config, plank.GAME)), RolloutBuffer(plank.GAME, 12, 40)
    for _ in range(3):
        watched.play(watched.look, buffer)
        ready = buffer.close(GAMMA, LAMBDA)
        pieces = buffer.pieces(4)
        assert sorted(pieces[pieces != NONE]) == ready.tolist()
        assert pieces.shape[1] == 4
        longest = buffer.pieces(10**9)  # no trajectory is cut, and none is as long
        assert longest.shape[1] < 100
        assert sorted(longest[longest != NONE]) == ready.tolist()
        for piece in pieces:
            numbers = buffer.values[piece[piece != NONE]].astype(int)
            assert (piece[len(numbers) :] == NONE).all()
            (trajectory,) = {watched.decisions[number] for number in numbers}
            whole = by_trajectory(watched)[trajectory]
            start = whole.index(numbers[0])
            assert whole[start : start + len(numbers)] == numbers.tolist()
        buffer.carry()


def test_actions_are_drawn_from_the_softmax_over_the_mask():
    logits = np.array([[0.0, 2.0, 1.0, 9.0]] * 4000, np.float32)
    masks = np.array([[1, 1, 1, 0]] * 4000, np.int8)
    streams = np.concatenate([new_stream(seed) for seed in range(4000)])
    actions, log_probs = np.zeros(4000, np.int64), np.zeros(4000, np.float32)
    assert draw_actions(logits, masks, streams, actions, log_probs) == 4000
    odds = np.exp(logits[0, :3])
    odds /= odds.sum()
    np.testing.assert_allclose(np.bincount(actions, minlength=4)[:3] / 4000, odds, atol=0.03)
    np.testing.assert_allclose(log_probs, np.log(odds)[actions], rtol=1e-5)


def test_a_mask_that_allows_nothing_is_told():
    masks = np.ones((3, 2), np.int8)
    masks[1] = 0
    streams = np.concatenate([new_stream(seed) for seed in range(3)])
    assert (
        draw_actions(np.zeros((3, 2), np.float32), masks, streams, np.zeros(3, np.int64), np.zeros(3, np.float32)) == 1
    )
