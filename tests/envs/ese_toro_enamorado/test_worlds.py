"""Determinizations of *Ese Toro enamorado* against a slow reference sampler (C9.1)."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from worlds import counts_differ
from worlds_ese_toro_enamorado import sample_world, unseen_crossings

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.ese_toro_enamorado import GAME
from sobremesa.envs.ese_toro_enamorado.board import FENCE, FULL, LILY, NEW, PLACE_NAMES, POPPY, ROSEMARY
from sobremesa.envs.ese_toro_enamorado.knowledge import redeal
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT
from sobremesa.envs.ese_toro_enamorado.problems import problems
from sobremesa.envs.ese_toro_enamorado.rules import legal
from sobremesa.envs.ese_toro_enamorado.state import A_GO, A_LAY, A_LILY, DAY, FIXED, NIGHT, NUM_ACTIONS, STATE

WORLDS = 800
_RESET, _STEP = step_kernels(GAME)


@kernel
def _reset(states, seed):
    _RESET(states[0], seed, np.zeros(NUM_ACTIONS, np.int8))


@kernel
def _legal(states, mask):
    legal(states[0], mask)


@kernel
def _step(states, action):
    _STEP(states[0], action, np.zeros(NUM_ACTIONS, np.int8))


@kernel
def _redeal(states, seat, seed):
    redeal(states[0], seat, seed)


def place(name):
    return PLACE_NAMES.index(name)


def day(hands, phase):
    """Return the first day of a round where the seats hold `hands`, lists of kinds; seat 0 begins."""
    table = np.zeros(1, STATE)
    setup = {"seats": len(hands), "mountains": FIXED, "rosemary_chain": 1, "shore_tiles": 1}
    for name, number in (setup | {"max_vueltas": 24, "max_rounds": 48}).items():
        table[name] = number
    _reset(table, 1)
    state = table[0]
    state.first, state.seat, state.phase, state.round_number, state.hand[:] = 0, 0, phase, phase + 1, 0
    for seat, kinds in enumerate(hands):
        for kind in kinds:
            state.hand[seat, kind] += 1
    return table


def lay(table, *tiles):
    """Lay tiles, pairs of kind and place name, one a turn."""
    for kind, name in tiles:
        action = A_LILY + place(name) - place("W0") if kind == LILY else A_LAY + kind * 24 + place(name) - place("O0")
        _step(table, action)
    return table


def two_seats_by_day():
    return lay(day([[FENCE, POPPY], [FENCE, LILY]], FULL), (POPPY, "I0"), (FENCE, "S2"))


def two_seats_by_day_and_my_lily():
    return lay(day([[FENCE, LILY], [FENCE, POPPY]], FULL), (FENCE, "I0"))


def three_seats_by_day():
    table = day([[FENCE, ROSEMARY], [POPPY, FENCE], [ROSEMARY, LILY]], NEW)
    return lay(table, (FENCE, "I0"), (POPPY, "O2"), (ROSEMARY, "S5"))


def two_seats_in_new_moon():
    table = day([[FENCE, ROSEMARY], [POPPY, FENCE]], NEW)
    return lay(table, (FENCE, "I0"), (POPPY, "I1"), (ROSEMARY, "O0"), (FENCE, "I2"))


def three_seats_in_new_moon_with_lily():
    table = day([[FENCE, ROSEMARY], [POPPY, LILY], [FENCE, POPPY]], NEW)
    return lay(table, (FENCE, "I0"), (POPPY, "I1"), (FENCE, "S1"), (ROSEMARY, "S2"), (LILY, "W0"), (POPPY, "I7"))


def four_seats_in_new_moon():
    """The bulls have found one fence and eaten one rosemary."""
    table = day([[FENCE, ROSEMARY], [POPPY, LILY], [FENCE, POPPY], [FENCE, ROSEMARY]], NEW)
    lay(table, (FENCE, "O2"), (POPPY, "I1"), (FENCE, "S1"), (ROSEMARY, "O0"))
    lay(table, (ROSEMARY, "S2"), (LILY, "W0"), (POPPY, "I7"), (FENCE, "S4"))
    for node in ("O0", "I0", "O2"):  # seat 0 eats rosemary and walks on, seat 1 runs into the fence
        _step(table, A_GO + place(node))
    return table


POSITIONS = (
    two_seats_by_day,
    two_seats_by_day_and_my_lily,
    three_seats_by_day,
    two_seats_in_new_moon,
    three_seats_in_new_moon_with_lily,
    four_seats_in_new_moon,
)
CASES = [(position, seat) for position in POSITIONS for seat in range(int(position()[0].seats))]
cases = pytest.mark.parametrize(("position", "seat"), CASES)


def assignment(table, crossings):
    """Return the parts that may differ between worlds: the tiles on `crossings` and all hands."""
    return tuple(table[0].tile[crossings].tolist()), table[0].hand.tobytes()


def counts(worlds, crossings):
    return Counter(assignment(world, crossings) for world in worlds)


def redealt(table, seat, seed):
    world = table.copy()
    _redeal(world, seat, seed)
    return world


@cache
def sampled(position, seat):
    table, rng = position(), np.random.default_rng(5)
    worlds = (sample_world(table, seat, rng) for _ in range(WORLDS))
    return counts(worlds, unseen_crossings(table, seat))


@cache
def redealt_once(position, seat):
    table = position()
    return counts((redealt(table, seat, seed) for seed in range(WORLDS)), unseen_crossings(table, seat))


@cache
def redealt_twice(position, seat):
    table = position()
    worlds = (redealt(redealt(table, seat, WORLDS + seed), seat, 2 * WORLDS + seed) for seed in range(WORLDS))
    return counts(worlds, unseen_crossings(table, seat))


def seen(table, seat):
    """Return the observation of `seat`, and the mask if it is to act."""
    view = np.zeros(LAYOUT.size, np.float32)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    table_kernels(GAME).observe(table, seat, view)
    if table[0].seat == seat:
        _legal(table, mask)
    return view.tobytes(), mask.tobytes()


def test_positions_are_what_they_say():
    for position in POSITIONS:
        table = position()
        assert problems(table) == []
        assert table[0].stage == (DAY if "day" in position.__name__ else NIGHT)
    table = four_seats_in_new_moon()
    assert table[0].gone.tolist() == [0, 0, 1, 0]
    assert table[0].face_up.sum() == table[0].face_up[place("O2")] == 1


@cases
def test_redeal_and_the_sampler_agree(position, seat):
    assert not counts_differ(redealt_once(position, seat), sampled(position, seat))


@cases
def test_redeal_of_a_redealt_world_is_distributed_as_redeal(position, seat):
    assert not counts_differ(redealt_once(position, seat), redealt_twice(position, seat))


@cases
def test_worlds_look_alike_to_the_seat(position, seat):
    table = position()
    before = seen(table, seat)
    streams = set()
    rng = np.random.default_rng(7)
    for seed in range(100):
        for world in (redealt(table, seat, seed), sample_world(table, seat, rng)):
            assert seen(world, seat) == before
            assert problems(world) == []
            streams.add(world[0].stream.tobytes())
    assert len(streams) == 200
    assert table[0].stream.tobytes() not in streams


@cases
def test_redeal_touches_hidden_fields_alone(position, seat):
    table = position()
    for seed in range(100):
        world = redealt(table, seat, seed)
        changed = {name for name in table.dtype.names if (table[name] != world[name]).any()}
        assert changed <= {"stream", "tile", "hand"}
        assert (world[0].hand.sum(axis=1) == table[0].hand.sum(axis=1)).all()


def lily_in_the_bag(table, seat, rng):
    """Sample a world in which no hand has the lily."""
    while True:
        world = sample_world(table, seat, rng)
        if not world[0].hand[:, LILY].any():
            return world


def test_wrong_samplers_are_caught():
    table, seat = two_seats_by_day(), 0
    crossings = unseen_crossings(table, seat)
    rng = np.random.default_rng(9)
    right = sampled(two_seats_by_day, seat)
    unchanged = Counter({assignment(table, crossings): WORLDS})
    biased = counts((lily_in_the_bag(table, seat, rng) for _ in range(WORLDS)), crossings)
    again = counts((sample_world(table, seat, rng) for _ in range(WORLDS)), crossings)
    assert counts_differ(right, unchanged)
    assert counts_differ(right, biased)
    assert not counts_differ(right, again)
