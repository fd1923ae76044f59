"""Records with fields as attributes."""

import pickle

import numpy as np
import pytest

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import Record, with_attributes
from sobremesa.envs.core.record import record

pytestmark = pytest.mark.kernels

FIELDS = [("ply", np.int32), ("hand", np.int8, (2, 3))]


@kernel
def lay(record):
    record.ply += 2
    record.hand[1, 2] = record.ply


def test_fields_are_attributes_in_python_and_in_kernels():
    states = np.zeros(3, with_attributes(FIELDS))
    state = states[1]
    state.ply = 5
    state.hand[0] = 1
    state.hand[1] += 4
    lay(state)
    assert states["ply"].tolist() == [0, 7, 0]
    assert states["hand"][1].tolist() == [[1, 1, 1], [4, 4, 7]]
    assert state.ply == states[1].ply == 7


def test_each_number_lies_at_a_multiple_of_its_size():
    kind = with_attributes([("told", np.uint8, 3), ("facts", np.int64), ("last", np.uint8)])
    longer = with_attributes([*kind.descr, ("weights", np.float64, 2)])
    assert [longer.fields[name][1] for name in ("facts", "last", "weights")] == [8, 16, 24]


def test_a_field_that_is_not_there_is_refused():
    state = np.zeros(1, with_attributes(FIELDS))[0]
    with_attributes([("moon", np.int8)])
    for name in ("sun", "moon"):  # the latter is a field of others
        with pytest.raises(AttributeError, match=f"no field '{name}'; it has ply, hand"):
            getattr(state, name)
        assert not hasattr(state, name)
        with pytest.raises(ValueError, match=name):
            setattr(state, name, 1)


def test_alignment_bytes_are_not_listed_as_fields():
    state = np.zeros(1, record(("bid", np.int8)))[0]
    with pytest.raises(AttributeError, match=r"no field 'bidd'; it has stream, ply, seat, seats, over, bid$"):
        _ = state.bidd


def test_unpickled_records_have_fields_as_attributes():
    state = np.zeros(1, np.dtype((Record, [("unheard_of", np.int8)])))[0]
    state.unheard_of = 3
    assert state.unheard_of == 3
    assert not hasattr(state, "heard_of")


def test_records_are_copied_and_sent_as_they_are():
    states = np.zeros(2, with_attributes(FIELDS))
    states["ply"] = 1, 2
    for again in (states.copy(), pickle.loads(pickle.dumps(states)), np.concatenate([states])):
        assert again.dtype == states.dtype
        assert isinstance(again[1], Record)
        assert again[1].ply == 2
