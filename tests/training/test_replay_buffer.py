"""Replay buffer: successors and payoffs of decisions."""

import numpy as np
import pytest
from kuhn import BET, GAME as KUHN, PASS
from rooms import TORO
from runs import tiny

from sobremesa import envs
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.data.replay_buffer import END, OPEN, Tables


@pytest.fixture(autouse=True)
def kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)


KUHN_KEYS = {"game": "kuhn", "algorithm": "dmc", "setup": {}, "tables": 2, "batch_size": 8, "replay": 8, "steps": 100}
TORO_KEYS = {"algorithm": "dmc", "tables": 4, "batch_size": 8, "replay": 64, "setup": {"seats": [2, 3, 4, 2]}}


def first_legal(observations, seen):
    return seen.masks.argmax(1)


def kept(keys):
    """Return tables made by `keys` of `tiny`."""
    keys = tiny(**keys)
    return Tables(keys, envs.load(keys.game))


@pytest.mark.kernels
def test_the_successor_is_the_next_decision_of_the_seat():
    tables = kept(KUHN_KEYS)
    plan = iter([PASS, BET, BET])  # seat 0 passes, seat 1 bets, seat 0 calls: two chips are won

    def planned(observations, seen):
        return np.full(2, next(plan))

    tables.play(planned, 2)
    replay = tables.replay
    assert replay.after[:4].tolist() == [OPEN] * 4
    assert not replay.paid.any()
    tables.play(planned, 1)
    assert replay.after[:6].tolist() == [4, 5, END, END, END, END]  # row 2 * k + i is decision k at table i
    assert replay.before[:6].tolist() == [-1, -1, -1, -1, 0, 1]
    assert replay.paid.tolist() == [True] * 6 + [False] * 2
    assert np.abs(replay.payoffs[:6]).tolist() == [1] * 6
    assert (replay.payoffs[:2] == replay.payoffs[4:6]).all()
    assert (replay.payoffs[:2] == -replay.payoffs[2:4]).all()
    for most, whether_last in ((1, [False, True, True]), (2, [True, True, True])):
        ahead = replay.ahead(np.array([0, 2, 4]), most)
        assert [part.tolist() for part in ahead] == [[4, 2, 4], [1, 0, 0], whether_last]


@pytest.mark.kernels
def test_the_oldest_make_room_and_nothing_leads_to_what_is_gone():
    tables = kept(TORO_KEYS)
    replay, game = tables.replay, TORO
    seen = []  # every decision: observation, seat's own next by hand
    for _ in range(60):
        tables.play(lambda observations, now: seen.append(observations.copy()) or now.masks.argmax(1), 1)
        live = np.arange(max(0, int(replay.written[0]) - replay.room), int(replay.written[0]))
        rows = live % replay.room
        assert (replay.observations(rows) == np.concatenate(seen)[live]).all()
        following = replay.after[rows]
        later = following >= 0
        assert (following[later] > live[later]).all()
        assert (replay.before[following[later] % replay.room] == live[later]).all()
        assert not replay.paid[rows[following == OPEN]].any()
        assert replay.paid[rows[following == END]].all()
    assert game.max_seats == replay.latest.shape[1]


@pytest.mark.kernels
def test_n_decisions_ahead_stops_where_no_more_are_known():
    tables = kept(TORO_KEYS)
    tables.play(first_legal, 14)
    replay = tables.replay
    rows = np.flatnonzero(replay.after[:56] != OPEN)
    one, three = replay.ahead(rows, 1), replay.ahead(rows, 3)
    again = replay.ahead(replay.ahead(one.rows, 1).rows, 1)
    assert (three.rows == again.rows).all()
    assert (three.later >= one.later).all()
    assert three.later.max() == 3
    assert (three.last == ((replay.after[three.rows] == END) & (three.later < 3))).all()


@pytest.mark.kernels
def test_tables_go_on_where_their_arrays_say():
    one, other = kept(TORO_KEYS), kept(TORO_KEYS)
    one.play(first_legal, 20)
    for part, arrays in other.arrays().items():
        for name, array in arrays.items():
            array[...] = one.arrays()[part][name]
    for tables in (one, other):
        tables.play(first_legal, 20)
    for part, arrays in other.arrays().items():
        for name, array in arrays.items():
            assert array.tobytes() == one.arrays()[part][name].tobytes(), name


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"setup": {"seats": 9}}, "setup: .*seats=9"),
        ({"replay": 7}, "replay=7 is not allowed; it takes at least `tables` and at least `batch_size`"),
        ({"steps": 3}, "steps=3 is not allowed; it takes at least the number of tables"),
    ],
)
def test_what_cannot_be_played_is_refused(changes, told):
    with pytest.raises(ConfigError, match=told):
        kept(TORO_KEYS | changes)
