"""The rules of *Ese Toro enamorado*, clause by clause; C, O and H numbers refer to its RULES.md."""

import numpy as np
import pytest

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.envs.ese_toro_enamorado import GAME, board as b, state as s
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT
from sobremesa.envs.ese_toro_enamorado.rules import legal, reset

pytestmark = pytest.mark.kernels

CROSSINGS = set(b.NODE_NAMES[b.OUTER :])
SHORES = {f"S{shore}" for shore in range(b.NUM_SHORES)}
WATERS = {f"W{shore}" for shore in range(b.NUM_SHORES)}
PHASES = (b.CRESCENT, b.FULL, b.WANING, b.NEW)
OTHER_PHASES = (b.CRESCENT, b.FULL, b.WANING)


@kernel
def _reset(states, seed):
    reset(states[0], seed)


_STEP = step_kernels(GAME).step


@kernel
def _legal(states, mask):
    legal(states[0], mask)


@kernel
def _step(states, action):
    _STEP(states[0], action, np.empty(s.NUM_ACTIONS, np.int8))


@kernel
def _payoff(states, out):
    share_win(states[0], out)


def new_table(seats=2, **setup):
    """Return a table with the default setup but for `setup`, and no deal."""
    table = np.zeros(1, s.STATE)
    defaults = {"rosemary_chain": 1, "shore_tiles": 1, "max_vueltas": s.MAX_VUELTAS, "max_rounds": s.MAX_ROUNDS}
    for name, number in (defaults | {"seats": seats, "stream": 2026} | setup).items():
        table[name] = number
    return table


def dealt(seed, seats=2, **setup):
    table = new_table(seats, **setup)
    _reset(table, seed)
    return table


def position(
    stage, homes, tiles, *, phase=b.CRESCENT, moon="S4", first=0, seat=None, owners=None, markers=(), **fields
):
    """Return a table where bulls live on `homes` ("M0 M2") and `tiles` lie on the board ({"O3": FENCE})."""
    homes = homes.split()
    table = new_table(len(homes), **({"round_number": 1} | fields))
    state = table[0]
    state.stage, state.phase, state.first, state.moon = stage, phase, first, int(moon[1:])
    state.seat = first if seat is None else seat
    state.turns = (state.seat - first) % len(homes)
    state.home[:] = [int(home[1:]) for home in homes] + [b.NO_MOUNTAIN] * (b.MAX_SEATS - len(homes))
    state.bull[:] = [b.MOUNTAIN + home if home < b.NO_MOUNTAIN else b.NO_NODE for home in state.home.tolist()]
    state.tile[:] = b.NO_TILE
    state.owner[:] = s.NOBODY
    for name, kind in (tiles or {}).items():
        state.tile[place(name)] = kind
        state.owner[place(name)] = (owners or {}).get(name, 0)
        state.face_up[place(name)] = stage != s.DAY and phase != b.NEW
    for holder, held in enumerate(markers):
        state.markers[holder] = held
    return table


def night(bulls, tiles=None, *, homes=None, stage=s.NIGHT, **fields):
    """Return a night: `bulls` ("I0 M2") by seat; tiles lie face down in new moon and face up else."""
    bulls = bulls.split()
    table = position(stage, homes or " ".join(f"M{seat}" for seat in range(len(bulls))), tiles, **fields)
    table[0].bull[: len(bulls)] = [place(bull) for bull in bulls]
    return table


def day(hands, tiles=None, *, homes="M0 M2", **fields):
    """Return a day: `hands` lists by seat the kinds not yet laid; `tiles` lie face down."""
    table = position(s.DAY, homes, tiles, **fields)
    for seat, kinds in enumerate(hands):
        for kind in kinds:
            table[0].hand[seat, kind] += 1
    return table


def place(name):
    return b.PLACE_NAMES.index(name)


def where(table, seat):
    return b.NODE_NAMES[table[0].bull[seat]]


def allowed(table):
    mask = np.zeros(s.NUM_ACTIONS, np.int8)
    _legal(table, mask)
    assert set(mask.tolist()) <= {0, 1}
    return np.flatnonzero(mask).tolist()


def name_of(action):
    """Return "stay", the node gone to, the mountain chosen, or (kind, place) for a tile laid."""
    if action == s.A_STAY:
        return "stay"
    if action >= s.A_GO:
        return b.NODE_NAMES[action - s.A_GO]
    if action >= s.A_LILY:
        return b.LILY, b.PLACE_NAMES[b.WATER + action - s.A_LILY]
    if action >= s.A_LAY:
        return (action - s.A_LAY) // b.NUM_CROSSINGS, b.NODE_NAMES[b.OUTER + (action - s.A_LAY) % b.NUM_CROSSINGS]
    return b.NODE_NAMES[b.MOUNTAIN + action - s.A_CHOOSE]


def moves(table):
    """Return the names of the legal actions."""
    return {name_of(action) for action in allowed(table)}


def play(table, *names):
    """Play the named actions one after the other; each must be legal."""
    for name in names:
        actions = {name_of(action): action for action in allowed(table)}
        assert name in actions, f"{name} is not among {sorted(map(str, actions))}"
        _step(table, actions[name])


def pass_round(table):
    """Lay tiles on the last places that take them and stay wherever possible, until the round is over."""
    now = int(table[0].round_number)
    while table[0].round_number == now and not table[0].over:
        _step(table, allowed(table)[-1])


def payoffs(table):
    out = np.full(b.MAX_SEATS, 7, np.float32)
    _payoff(table, out)
    return out.tolist()


def view(table, seat):
    out = np.zeros(LAYOUT.size, np.float32)
    table_kernels(GAME).observe(table, seat, out)
    return LAYOUT.split(out)


def markers(table, phase=None):
    """Return each seat's markers: all, or those of `phase`."""
    held = table[0].markers[: table[0].seats]
    return (held.sum(axis=1) if phase is None else held[:, phase]).tolist()


# C3: setting up


def test_c3_1_seats_choose_free_mountains_in_turn_order():
    table = dealt(3, seats=3)
    first = int(table[0].first)
    assert table[0].stage == s.CHOOSE
    free = {"M0", "M1", "M2", "M3"}
    for turn, mountain in enumerate(("M2", "M3", "M0")):
        assert table[0].seat == (first + turn) % 3
        assert moves(table) == free
        play(table, mountain)
        assert where(table, (first + turn) % 3) == mountain
        free -= {mountain}
    assert table[0].stage == s.DAY
    for turn, mountain in enumerate((2, 3, 0)):
        assert table[0].home[(first + turn) % 3] == mountain
        assert table[0].bull[(first + turn) % 3] == b.MOUNTAIN + mountain
    assert table[0].home[3] == b.NO_MOUNTAIN
    assert table[0].bull[3] == b.NO_NODE


def test_c3_1_two_seats_are_both_asked_and_see_an_empty_board():
    table = dealt(1, mountains=s.CHOSEN)
    assert (table[0].home == b.NO_MOUNTAIN).all()
    assert (table[0].bull == b.NO_NODE).all()
    assert (table[0].tile == b.NO_TILE).all()
    assert (table[0].owner == s.NOBODY).all()
    play(table, "M3")
    assert table[0].stage == s.CHOOSE
    assert moves(table) == {"M0", "M1", "M2"}


def test_c3_1_the_fourth_seat_takes_the_last_mountain():
    table = dealt(5, seats=4)
    first = int(table[0].first)
    play(table, "M3", "M0", "M2")
    assert table[0].stage == s.DAY
    assert table[0].ply == 3
    assert [table[0].home[(first + turn) % 4] for turn in range(4)] == [3, 0, 2, 1]
    assert table[0].seat == first


@pytest.mark.parametrize(("seats", "homes"), [(2, [0, 2]), (3, [0, 1, 2]), (4, [0, 1, 2, 3])])
def test_o2_fixed_mountains(seats, homes):
    table = dealt(4, seats=seats, mountains=s.FIXED)
    assert table[0].stage == s.DAY
    assert table[0].ply == 0
    assert table[0].home[:seats].tolist() == homes
    assert table[0].bull[:seats].tolist() == [b.MOUNTAIN + home for home in homes]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("mountains", [s.CHOSEN, s.FIXED])
def test_c3_2_the_first_seat_is_random(seats, mountains):
    counts = np.zeros(seats)
    for seed in range(400):
        table = dealt(seed, seats, mountains=mountains)
        assert table[0].seat == table[0].first
        counts[table[0].first] += 1
    assert (abs(counts - 400 / seats) < 50).all()


def test_c3_2_the_next_round_is_opened_by_the_next_seat():
    table = dealt(2, seats=3, mountains=s.FIXED, max_vueltas=1)
    opened = []
    for _ in range(4):
        assert table[0].seat == table[0].first
        opened.append(int(table[0].first))
        pass_round(table)
    assert opened == [(opened[0] + turn) % 3 for turn in range(4)]


def test_c3_2_the_opener_is_first_by_day_and_by_night():
    table = day([[b.FENCE], [b.POPPY], [b.ROSEMARY]], homes="M0 M1 M2", first=2)
    seats = []
    for lay in ((b.ROSEMARY, "S0"), (b.FENCE, "S2"), (b.POPPY, "S4"), "stay", "stay", "stay"):
        seats.append(int(table[0].seat))
        play(table, lay)
    assert seats == [2, 0, 1, 2, 0, 1]


def test_c3_3_the_phases_follow_each_other_and_begin_again():
    table = dealt(2, mountains=s.FIXED, max_vueltas=1)
    seen = []
    for _ in range(6):
        seen.append(int(table[0].phase))
        pass_round(table)
    assert seen == [b.CRESCENT, b.FULL, b.WANING, b.NEW, b.CRESCENT, b.FULL]


def test_c3_4_the_first_shore_is_random():
    counts = np.zeros(b.NUM_SHORES)
    for seed in range(800):
        counts[dealt(seed, mountains=s.FIXED)[0].moon] += 1
    assert (abs(counts - 100) < 40).all()


def test_c3_4_the_moon_comes_after_the_mountains():
    table = dealt(6)
    assert table[0].moon == b.NO_SHORE
    play(table, "M0")
    assert table[0].moon == b.NO_SHORE
    play(table, "M1")
    assert 0 <= table[0].moon < b.NUM_SHORES


@pytest.mark.parametrize(("moon", "after"), [("S2", 4), ("S5", 7), ("S6", 0), ("S7", 1)])
def test_c3_5_the_next_phase_starts_one_shore_further(moon, after):
    table = night("M0 M1", moon=moon, vuelta=s.MAX_VUELTAS - 1)
    play(table, "stay", "stay")  # the moon steps once, then the round is over
    assert table[0].round_number == 2
    assert table[0].moon == after


# C4: the day


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_c4_1_two_of_the_eight_tiles_to_each_seat(seats):
    totals = np.zeros((b.MAX_SEATS, b.NUM_KINDS))
    for seed in range(400):
        hand = dealt(seed, seats, mountains=s.FIXED)[0].hand
        assert hand.sum(axis=1).tolist() == [2] * seats + [0] * (b.MAX_SEATS - seats)
        assert (hand.sum(axis=0) <= b.TILE_COUNTS).all()
        totals += hand
    assert (abs(totals[:seats] / 400 - b.TILE_COUNTS / 4) < 0.1).all()


def test_c4_1_tiles_are_shuffled_anew_each_round():
    table = dealt(1, seats=4, mountains=s.FIXED, max_vueltas=1)
    hands = set()
    for _ in range(6):
        assert table[0].hand.sum(axis=0).tolist() == b.TILE_COUNTS.tolist()
        hands.add(table[0].hand.tobytes())
        pass_round(table)
    assert len(hands) > 1


def test_c4_2_one_tile_a_turn_and_two_laps():
    table = day([[b.FENCE, b.FENCE], [b.POPPY, b.ROSEMARY]], first=1)
    assert table[0].seat == 1
    play(table, (b.POPPY, "S0"))
    assert table[0].seat == 0
    play(table, (b.FENCE, "I1"))
    assert table[0].stage == s.DAY
    assert table[0].seat == 1
    assert table[0].hand.sum(axis=1)[:2].tolist() == [1, 1]
    play(table, (b.ROSEMARY, "O3"), (b.FENCE, "S7"))
    assert table[0].stage == s.NIGHT
    assert table[0].seat == 1
    assert table[0].hand.sum() == 0
    for name, kind, owner in (("S0", b.POPPY, 1), ("I1", b.FENCE, 0), ("O3", b.ROSEMARY, 1), ("S7", b.FENCE, 0)):
        assert table[0].tile[place(name)] == kind
        assert table[0].owner[place(name)] == owner


def test_c4_2_tiles_go_to_any_free_crossing():
    table = day([[b.FENCE, b.ROSEMARY], [b.POPPY]], {"I4": b.POPPY})
    assert moves(table) == {(kind, name) for kind in (b.FENCE, b.ROSEMARY) for name in CROSSINGS - {"I4"}}


def test_c4_2_the_lily_goes_on_water_alone():
    assert moves(day([[b.LILY, b.LILY], [b.POPPY]])) == {(b.LILY, name) for name in WATERS}
    table = day([[b.LILY, b.POPPY], [b.POPPY]])
    assert moves(table) == {(b.LILY, name) for name in WATERS} | {(b.POPPY, name) for name in CROSSINGS}
    play(table, (b.LILY, "W5"))
    assert table[0].tile[place("W5")] == b.LILY
    assert table[0].hand[0].tolist() == [0, 1, 0, 0]


def test_c4_2_laying_is_compulsory_and_face_down():
    table = day([[b.FENCE, b.POPPY], [b.POPPY, b.LILY]])
    assert "stay" not in moves(table)
    play(table, (b.FENCE, "O1"), (b.LILY, "W0"), (b.POPPY, "O2"))
    assert table[0].stage == s.DAY
    assert not table[0].face_up.any()


@pytest.mark.parametrize(("mountain", "near"), [("M0", "O0 O7"), ("M1", "O1 O2"), ("M2", "O3 O4"), ("M3", "O5 O6")])
def test_c4_3_the_crossings_near_a_bull_never_both_hold_tiles(mountain, near):
    for one, other in (near.split(), near.split()[::-1]):
        table = day([[b.FENCE], [b.POPPY]], {one: b.POPPY}, homes=f"{mountain} M{(int(mountain[1]) + 2) % 4}")
        assert moves(table) == {(b.FENCE, name) for name in CROSSINGS - {one, other}}


def test_c4_3_holds_for_every_seat():
    table = day([[b.FENCE], [b.POPPY], []], {"O2": b.POPPY, "O4": b.FENCE}, homes="M0 M1 M2", seat=0)
    assert moves(table) == {(b.FENCE, name) for name in CROSSINGS - {"O1", "O2", "O3", "O4"}}


def test_c4_3_mountains_without_a_bull_are_free():
    table = day([[b.FENCE], [b.POPPY]], {"O1": b.POPPY, "O6": b.FENCE}, homes="M0 M2")
    assert moves(table) == {(b.FENCE, name) for name in CROSSINGS - {"O1", "O6"}}


@pytest.mark.parametrize("phase", OTHER_PHASES)
def test_c4_4_all_tiles_are_turned_up_at_nightfall(phase):
    table = day([[b.FENCE], [b.LILY]], {"S1": b.ROSEMARY}, phase=phase)
    play(table, (b.FENCE, "I0"))
    assert not table[0].face_up.any()
    play(table, (b.LILY, "W2"))
    assert table[0].stage == s.NIGHT
    assert {b.PLACE_NAMES[index] for index in np.flatnonzero(table[0].face_up)} == {"S1", "I0", "W2"}


def test_c4_4_in_new_moon_tiles_stay_face_down():
    table = day([[b.FENCE], [b.LILY]], {"S1": b.ROSEMARY}, phase=b.NEW)
    play(table, (b.FENCE, "I0"), (b.LILY, "W2"))
    assert table[0].stage == s.NIGHT
    assert not table[0].face_up.any()


# C5: the night


@pytest.mark.parametrize(
    ("node", "near"),
    [("M0", "O0 O7"), ("O0", "M0 O1 I0"), ("I0", "O0 I1 I7 S0"), ("S0", "I0 S1 S7"), ("S7", "I7 S0 S6")],
)
def test_c5_1_a_bull_stays_or_goes_along_one_path(node, near):
    table = night(f"{node} M1", moon="S4")
    assert moves(table) == {"stay", *near.split()}
    play(table, near.split()[0])
    assert where(table, 0) == near.split()[0]
    assert table[0].seat == 1
    play(table, "stay")
    assert where(table, 1) == "M1"
    assert table[0].seat == 0


def test_c5_1_bulls_may_share_a_node():
    table = night("I0 I1")
    play(table, "I1")
    assert [where(table, seat) for seat in (0, 1)] == ["I1", "I1"]
    play(table, "I0")
    assert where(table, 1) == "I0"


def test_c5_1_a_bull_may_go_back_and_onto_other_mountains():
    table = night("O0 O0")
    play(table, "M0", "M0")
    assert [where(table, seat) for seat in (0, 1)] == ["M0", "M0"]


def test_c5_2_the_moon_steps_clockwise_after_all_bulls():
    table = night("M0 M1 M2", moon="S6", first=1)
    for turn in range(6):
        assert table[0].seat == (1 + turn) % 3
        assert (table[0].moon, table[0].vuelta) == ((6, 0), (7, 1))[turn // 3]
        play(table, "stay")
    assert (table[0].moon, table[0].vuelta) == (0, 2)


# C6: the tiles


@pytest.mark.parametrize("phase", [b.CRESCENT, b.WANING])
def test_c6_1_a_fence_bars_the_way(phase):
    table = night("I0 O1", {"I1": b.FENCE}, phase=phase)
    assert moves(table) == {"stay", "O0", "I7", "S0"}
    play(table, "stay")
    assert moves(table) == {"stay", "O0", "M1"}
    play(table, "stay")
    assert table[0].tile[place("I1")] == b.FENCE


def test_c6_1_in_full_moon_fences_have_no_effect():
    table = night("I0 M1", {"I1": b.FENCE}, phase=b.FULL)
    assert moves(table) == {"stay", "O0", "I1", "I7", "S0"}
    play(table, "I1", "stay", "stay", "stay")
    assert where(table, 0) == "I1"
    assert table[0].tile[place("I1")] == b.FENCE
    play(table, "I2")
    assert where(table, 0) == "I2"


def test_c6_1_in_new_moon_a_hidden_fence_turns_the_bull_back():
    table = night("I0 O1", {"I1": b.FENCE}, phase=b.NEW, owners={"I1": 1})
    assert moves(table) == {"stay", "O0", "I1", "I7", "S0"}
    play(table, "I1")
    assert where(table, 0) == "I0"
    assert table[0].face_up[place("I1")]
    assert table[0].tile[place("I1")] == b.FENCE
    assert not table[0].gone.any()
    assert table[0].stage == s.NIGHT
    assert table[0].seat == 1
    assert moves(table) == {"stay", "O0", "M1"}  # known to all from now on
    play(table, "stay")
    assert moves(table) == {"stay", "O0", "I7", "S0"}


def test_c6_1_in_new_moon_the_owner_of_a_hidden_fence_may_try_it():
    table = night("I0 M1", {"I1": b.FENCE}, phase=b.NEW, owners={"I1": 0})
    play(table, "I1")
    assert where(table, 0) == "I0"
    assert table[0].face_up[place("I1")]


def test_c6_1_a_hidden_fence_ends_an_extra_move():
    table = night("I0 M1", {"I1": b.FENCE}, phase=b.NEW, stage=s.EXTRA)
    play(table, "I1")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("I0", 1, s.NIGHT)


def test_o6_after_a_hidden_fence_the_turn_ends_or_goes_on():
    for option, seat in ((s.TURN_ENDS, 1), (s.TRY_AGAIN, 0)):
        table = night("I0 M1", {"I1": b.FENCE}, phase=b.NEW, fence_bounce=option)
        play(table, "I1")
        assert table[0].seat == seat
        assert table[0].turns == seat
    assert moves(table) == {"stay", "O0", "I7", "S0"}
    play(table, "S0")
    assert (where(table, 0), table[0].seat) == ("S0", 1)


def test_o6_trying_again_keeps_an_extra_move():
    table = night("I0 M1", {"I1": b.FENCE}, phase=b.NEW, stage=s.EXTRA, fence_bounce=s.TRY_AGAIN)
    play(table, "I1")
    assert (table[0].seat, table[0].stage) == (0, s.EXTRA)


def test_h1_a_bull_without_a_way_out_is_not_asked():
    table = night("O4 M1 M2", {"O1": b.FENCE, "O2": b.FENCE})
    assert moves(table) == {"stay", "M2", "O5", "I4"}
    play(table, "stay")
    assert (table[0].seat, table[0].turns, table[0].ply) == (2, 2, 1)
    assert where(table, 1) == "M1"


def test_h1_a_bull_found_sealed_when_turning_back_is_not_asked():
    table = night("M0 M1", {"O0": b.FENCE, "O7": b.FENCE}, phase=b.NEW, fence_bounce=s.TRY_AGAIN)
    play(table, "O0")
    assert table[0].seat == 0
    play(table, "O7")
    assert table[0].seat == 1


def test_h1_a_single_poppy_is_walked_onto_without_asking():
    table = night("O4 O1 M2", {"I1": b.POPPY})
    play(table, "stay")
    assert where(table, 1) == "I1"
    assert (table[0].seat, table[0].turns, table[0].ply) == (2, 2, 1)


def test_h1_all_seats_in_turn_may_be_forced():
    table = night("O4 O1 O6", {"I1": b.POPPY, "I6": b.POPPY}, moon="S0")
    play(table, "stay")
    assert [where(table, seat) for seat in (1, 2)] == ["I1", "I6"]
    assert (table[0].seat, table[0].moon, table[0].ply) == (0, 1, 1)


@pytest.mark.parametrize("phase", OTHER_PHASES)
def test_c6_2_poppy_draws_the_bull(phase):
    assert moves(night("I0 M1", {"I1": b.POPPY}, phase=phase)) == {"I1"}


def test_c6_2_rosemary_and_the_moon_do_not_release_from_a_poppy():
    assert moves(night("S0 M1", {"S1": b.POPPY, "I0": b.ROSEMARY}, moon="S7")) == {"S1"}


def test_c6_2_of_two_poppies_the_seat_chooses():
    table = night("I0 M1", {"I1": b.POPPY, "S0": b.POPPY, "I7": b.FENCE})
    assert moves(table) == {"I1", "S0"}
    play(table, "S0")
    assert where(table, 0) == "S0"
    assert table[0].tile[place("I1")] == b.POPPY
    assert table[0].tile[place("S0")] == b.NO_TILE


def test_c6_2_the_first_bull_takes_the_poppy_and_frees_others():
    table = night("I0 I2", {"I1": b.POPPY})
    play(table, "I1")
    assert (where(table, 0), table[0].seat) == ("I1", 1)
    assert moves(table) == {"stay", "O2", "I1", "I3", "S2"}


def test_c6_2_a_poppy_draws_only_on_the_bulls_own_turn():
    table = night("O0 O1", {"I0": b.POPPY, "I1": b.POPPY}, seat=1)
    assert moves(table) == {"I1"}
    table = night("I2 M1", {"I0": b.POPPY})
    play(table, "I1")
    assert where(table, 0) == "I1"
    assert table[0].tile[place("I0")] == b.POPPY
    play(table, "stay")
    assert where(table, 0) == "I0"  # its turn has come, and it was not asked (H1)


def test_c6_2_a_poppy_two_paths_away_does_not_draw():
    assert moves(night("M0 M1", {"O0": b.FENCE, "O1": b.POPPY, "I7": b.POPPY})) == {"stay", "O7"}


def test_c6_2_a_poppy_beats_an_extra_move_but_not_declining_it():
    table = night("I0 M1", {"I1": b.POPPY}, stage=s.EXTRA)
    assert moves(table) == {"stay", "I1"}
    play(table, "stay")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("I0", 1, s.NIGHT)


def test_c6_2_a_single_poppy_does_not_force_an_extra_move():
    table = night("O0 M1", {"I0": b.ROSEMARY, "I1": b.POPPY})
    play(table, "I0")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("I0", 0, s.EXTRA)
    assert moves(table) == {"stay", "I1"}
    play(table, "I1")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("I1", 1, s.NIGHT)


@pytest.mark.parametrize("phase", PHASES)
def test_c6_3_a_poppy_is_discarded_and_the_turn_ends(phase):
    table = night("I0 M1", {"I1": b.POPPY}, phase=phase)
    play(table, "I1")
    assert where(table, 0) == "I1"
    assert table[0].tile[place("I1")] == b.NO_TILE
    assert table[0].owner[place("I1")] == s.NOBODY
    assert not table[0].face_up.any()
    assert table[0].gone.tolist() == [0, 1, 0, 0]
    assert (table[0].seat, table[0].stage) == (1, s.NIGHT)


def test_c6_3_in_new_moon_poppies_do_not_draw():
    table = night("I0 M1", {"I1": b.POPPY}, phase=b.NEW)
    assert moves(table) == {"stay", "O0", "I1", "I7", "S0"}
    play(table, "stay", "stay")
    assert (where(table, 0), table[0].tile[place("I1")]) == ("I0", b.POPPY)


@pytest.mark.parametrize("phase", PHASES)
def test_c6_4_rosemary_is_eaten_for_an_extra_move(phase):
    table = night("O0 M1", {"I0": b.ROSEMARY}, phase=phase)
    play(table, "I0")
    assert (table[0].seat, table[0].turns, table[0].stage) == (0, 0, s.EXTRA)
    assert table[0].tile[place("I0")] == b.NO_TILE
    assert table[0].owner[place("I0")] == s.NOBODY
    assert not table[0].face_up.any()
    assert table[0].gone.tolist() == [0, 0, 1, 0]
    assert moves(table) == {"stay", "O0", "I1", "I7", "S0"}
    play(table, "S0")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("S0", 1, s.NIGHT)


def test_c6_4_the_extra_move_may_be_declined():
    table = night("O0 M1", {"I0": b.ROSEMARY})
    play(table, "I0", "stay")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("I0", 1, s.NIGHT)


def test_c6_4_the_extra_move_heeds_fences():
    table = night("O0 M1", {"I0": b.ROSEMARY, "S0": b.FENCE})
    play(table, "I0")
    assert moves(table) == {"stay", "O0", "I1", "I7"}


def test_c6_4_an_extra_move_is_asked_for_where_one_way_is_open():
    table = night("M0 M1", {"O0": b.ROSEMARY, "O1": b.FENCE, "I0": b.FENCE})
    play(table, "O0")
    assert (table[0].seat, table[0].stage) == (0, s.EXTRA)
    assert moves(table) == {"stay", "M0"}
    table = night("M0 M1", {"O0": b.ROSEMARY, "O1": b.POPPY, "I0": b.FENCE})
    play(table, "O0")
    assert (table[0].seat, table[0].stage) == (0, s.EXTRA)
    assert moves(table) == {"stay", "O1"}


def test_c6_4_a_second_rosemary_gives_another_extra_move():
    table = night("O0 M1", {"I0": b.ROSEMARY, "S0": b.ROSEMARY})
    play(table, "I0", "S0")
    assert (table[0].seat, table[0].stage) == (0, s.EXTRA)
    assert table[0].gone.tolist() == [0, 0, 2, 0]
    play(table, "S1")
    assert (where(table, 0), table[0].seat) == ("S1", 1)


def test_o5_without_chain_a_second_rosemary_is_only_eaten():
    table = night("O0 M1", {"I0": b.ROSEMARY, "S0": b.ROSEMARY}, rosemary_chain=0)
    play(table, "I0", "S0")
    assert (where(table, 0), table[0].seat, table[0].stage) == ("S0", 1, s.NIGHT)
    assert table[0].gone.tolist() == [0, 0, 2, 0]


def test_c6_4_the_moon_is_met_before_the_extra_move():
    table = night("I0 M1", {"S0": b.ROSEMARY}, moon="S0")
    play(table, "S0")
    assert table[0].stage == s.EXTRA
    assert markers(table) == [1, 0]
    play(table, "I0")
    assert markers(table) == [1, 0]


def test_c6_4_the_moon_is_met_after_the_extra_move():
    table = night("O0 M1", {"I0": b.ROSEMARY}, moon="S0")
    play(table, "I0")
    assert markers(table) == [0, 0]
    play(table, "S0")
    assert markers(table) == [1, 0]


def test_o4_rosemary_leads_to_a_neighbour_or_anywhere():
    tiles = {"I0": b.ROSEMARY, "S4": b.FENCE, "O3": b.POPPY}
    table = night("O0 M0", tiles, rosemary=s.ONE_STEP)
    play(table, "I0")
    assert moves(table) == {"stay", "O0", "I1", "I7", "S0"}
    table = night("O0 M0", tiles, rosemary=s.ANYWHERE)
    assert moves(table) == {"stay", "M0", "O1", "I0"}  # the move itself is by a path
    play(table, "I0")
    assert moves(table) == {"stay"} | CROSSINGS - {"I0", "S4"}
    play(table, "S2")
    assert (where(table, 0), table[0].seat) == ("S2", 1)


def test_o4_anywhere_heeds_the_poppy_next_door():
    table = night("I0 M1", {"I1": b.POPPY}, stage=s.EXTRA, rosemary=s.ANYWHERE)
    assert moves(table) == {"stay", "I1"}


def test_o4_anywhere_means_any_crossing_of_the_board():
    table = night("S0 M1", stage=s.EXTRA, rosemary=s.ANYWHERE, board=b.SMALL)
    assert moves(table) == {"stay"} | CROSSINGS - {"S0", "I4", "I5", "I6", "I7"}


def test_o4_anywhere_leads_out_of_a_ring_of_fences():
    ring = {"I0": b.FENCE, "S1": b.FENCE, "S7": b.FENCE}
    table = night("M0 M1", ring | {"O0": b.ROSEMARY, "S0": b.ROSEMARY}, rosemary=s.ANYWHERE)
    play(table, "O0", "S0")
    assert (table[0].seat, table[0].stage) == (0, s.EXTRA)
    assert moves(table) == {"stay"} | CROSSINGS - {"S0", *ring}
    play(table, "stay", "stay")
    assert (where(table, 0), table[0].seat) == ("S0", 1)  # no way out, and not asked (H1)


def test_o4_anywhere_in_full_moon_leads_onto_fences_too():
    table = night("S0 M1", {"O3": b.FENCE}, stage=s.EXTRA, rosemary=s.ANYWHERE, phase=b.FULL)
    assert moves(table) == {"stay"} | CROSSINGS - {"S0"}


@pytest.mark.parametrize("phase", PHASES)
def test_c6_5_the_lily_hides_the_moon(phase):
    table = night("I3 I3", {"W3": b.LILY}, moon="S3", phase=phase)
    play(table, "S3", "stay")
    assert where(table, 0) == "S3"
    assert table[0].round_number == 1
    assert not table[0].met
    assert markers(table) == [0, 0]
    assert table[0].tile[place("W3")] == b.LILY


@pytest.mark.parametrize("phase", PHASES)
def test_c6_5_the_lily_hides_the_moon_that_comes_to_it(phase):
    table = night("S0 M1", {"W0": b.LILY}, moon="S7", phase=phase)
    play(table, "stay", "stay")
    assert table[0].moon == 0
    assert table[0].round_number == 1
    assert markers(table) == [0, 0]


def test_c6_5_the_lily_stops_no_piece_and_hides_one_shore():
    table = night("S0 M1", {"W0": b.LILY}, moon="S0")
    assert moves(table) == {"stay", "I0", "S1", "S7"}
    play(table, "S1", "stay")
    assert markers(table, b.CRESCENT) == [1, 0]  # the moon has gone on to S1


def test_h4_fences_may_shut_a_mountain_off():
    table = day([[b.FENCE], [b.LILY]], {"O0": b.FENCE, "O6": b.FENCE})
    play(table, (b.FENCE, "I7"), (b.LILY, "W0"))
    assert moves(table) == {"stay", "O7"}
    play(table, "O7", "stay")
    assert moves(table) == {"stay", "M0"}


# C7: meeting the moon


@pytest.mark.parametrize("phase", PHASES)
def test_c7_1_a_bull_that_comes_to_the_moon_meets_it(phase):
    table = night("I0 M1", moon="S0", phase=phase)
    play(table, "S0")
    assert table[0].markers[0].tolist() == [int(phase == one) for one in PHASES]
    assert table[0].scored.tolist() == [1, 0, 0, 0]
    assert table[0].met == 1


def test_c7_1_the_moon_is_met_on_its_shore_alone():
    for node in ("S1", "I0", "O0"):
        table = night(f"{node} M1", moon="S0")
        play(table, "stay", "stay")
        assert (table[0].round_number, markers(table)) == (1 + (node == "S1"), [int(node == "S1"), 0])


def test_c7_1_a_bull_that_stays_meets_the_moon():
    table = night("S0 M1", moon="S0")
    play(table, "stay")
    assert markers(table) == [1, 0]


def test_c7_1_only_the_bull_that_has_moved_is_tested():
    table = night("M0 S0", moon="S0")
    play(table, "stay")
    assert markers(table) == [0, 0]


def test_c7_1_the_moon_meets_every_bull_where_it_steps():
    table = night("S1 M1 S1 S1", moon="S0")
    play(table, "stay", "stay", "stay")
    assert markers(table) == [0, 0, 0, 0]
    play(table, "stay")
    assert markers(table, b.CRESCENT) == [1, 0, 1, 1]


def test_c7_2_one_marker_of_the_phase_a_round():
    table = night("I0 M1", {"S0": b.ROSEMARY}, moon="S0", phase=b.WANING, duplicates=s.UNLIMITED)
    play(table, "S0", "stay")
    assert table[0].markers[0].tolist() == [0, 0, 1, 0]


def test_c7_2_following_the_moon_gives_no_second_marker():
    table = night("I0 M1", moon="S0", round_end=s.FULL_LAP, duplicates=s.UNLIMITED)
    play(table, "S0", "stay", "S1", "stay", "S2", "stay")
    assert where(table, 0) == "S2"
    assert markers(table) == [1, 0]
    assert table[0].round_number == 1


def test_c7_3_the_vuelta_is_completed_with_the_moons_step():
    table = night("I0 I0 S1 I1", moon="S0")
    play(table, "S0")
    assert (table[0].round_number, table[0].seat) == (1, 1)
    play(table, "S0", "stay")
    assert markers(table) == [1, 1, 0, 0]
    play(table, "stay")
    assert markers(table) == [1, 1, 1, 0]  # the bull on S1, by the moon's step
    assert (table[0].round_number, table[0].phase, table[0].moon) == (2, b.FULL, 2)


def test_c7_3_an_encounter_at_the_moons_step_ends_the_round():
    table = night("S1 I2", moon="S0")
    play(table, "stay", "S2")
    assert markers(table) == [1, 0]  # the moon does not go on to S2
    assert (table[0].round_number, table[0].moon) == (2, 2)


def test_c7_3_without_encounter_the_night_goes_on():
    table = night("M0 M1", moon="S0")
    play(table, *["stay"] * 20)
    assert (table[0].round_number, table[0].vuelta, table[0].stage) == (1, 10, s.NIGHT)


def test_o3_moon_steps_or_waits_after_an_encounter():
    for option, won, moon in ((s.MOON_STEPS, [1, 1], 2), (s.MOON_WAITS, [1, 0], 1)):
        table = night("I0 S1", moon="S0", round_end=option)
        play(table, "S0", "stay")
        assert markers(table) == won
        assert (table[0].round_number, table[0].moon) == (2, moon)


def test_o3_moon_waits_only_after_an_encounter():
    table = night("M0 S1", moon="S0", round_end=s.MOON_WAITS)
    play(table, "stay", "stay")
    assert markers(table) == [0, 1]
    assert (table[0].round_number, table[0].moon) == (2, 2)


def test_o3_full_lap_lasts_until_the_moon_is_back():
    table = night("I0 S3", moon="S0", round_end=s.FULL_LAP)
    play(table, "S0", *["stay"] * 14)
    assert (table[0].round_number, table[0].vuelta, table[0].moon) == (1, 7, 7)
    assert markers(table) == [1, 1]
    play(table, "stay")
    assert (table[0].round_number, table[0].moon) == (2, 1)


def test_o3_full_lap_without_encounter_begins_another():
    table = night("M0 M1", moon="S0", round_end=s.FULL_LAP)
    play(table, *["stay"] * 16)
    assert (table[0].round_number, table[0].vuelta) == (1, 8)
    table["bull"][0, 0] = place("S1")
    play(table, *["stay"] * 15)
    assert (table[0].round_number, table[0].vuelta) == (1, 15)
    play(table, "stay")
    assert table[0].round_number == 2


def meet_again(held, option, seats=2):
    """Return whether seat 0 wins a marker where the seats hold `held` of the phase."""
    table = night(" ".join(["I0", "M1", "M2", "M3"][:seats]), moon="S0", duplicates=option)
    table[0].markers[:seats, b.CRESCENT] = held
    play(table, "S0")
    assert table[0].scored[0]
    assert table[0].met
    return table[0].markers[0, b.CRESCENT] == held[0] + 1


@pytest.mark.parametrize(
    ("held", "won"),
    [
        ([1, 0], True),
        ([2, 0], True),
        ([3, 0], False),
        ([3, 1], False),
        ([2, 1], True),
        ([1, 2], True),
        ([2, 2], False),
        ([0, 3], True),
        ([1, 0, 0], True),
        ([2, 0, 0], False),
        ([2, 1, 0], False),
        ([1, 2, 1], False),
        ([1, 1, 1], True),
        ([0, 2, 1], True),
        ([1, 0, 0, 0], False),
        ([1, 1, 1, 0], False),
        ([1, 1, 1, 1], False),
        ([0, 1, 1, 1], True),
    ],
)
def test_c7_4_duplicates_leave_a_marker_for_each_who_lacks_one(held, won):
    assert meet_again(held, s.SUPPLY, len(held)) == won


def test_c7_4_the_first_in_turn_order_is_served_first():
    for bulls, held in (("S1 S1 S1", [1, 2, 1]), ("S1 M1 S1", [1, 1, 2])):
        table = night(bulls, moon="S0", first=1, duplicates=s.SUPPLY)
        table[0].markers[:3, b.CRESCENT] = 1
        play(table, "stay", "stay", "stay")
        assert markers(table, b.CRESCENT) == held


@pytest.mark.parametrize(("option", "won"), [(s.SUPPLY, False), (s.UNLIMITED, True), (s.FORBIDDEN, False)])
def test_o8_duplicates_when_the_supply_is_out(option, won):
    assert meet_again([3, 1], option) == won


@pytest.mark.parametrize(("option", "won"), [(s.SUPPLY, True), (s.UNLIMITED, True), (s.FORBIDDEN, False)])
def test_o8_duplicates_when_there_is_supply(option, won):
    assert meet_again([1, 1], option) == won
    assert meet_again([0, 1], option)


def test_h2_an_encounter_without_marker_ends_the_round():
    table = night("I0 M1", moon="S0", duplicates=s.FORBIDDEN, markers=[[1, 0, 0, 0]])
    play(table, "S0", "stay")
    assert markers(table) == [1, 0]
    assert table[0].round_number == 2


def test_c7_5_after_24_vueltas_the_phase_is_lost():
    table = night("M0 M1", vuelta=22)
    play(table, "stay", "stay")
    assert (table[0].round_number, table[0].vuelta) == (1, 23)
    play(table, "stay", "stay")
    assert (table[0].round_number, table[0].phase) == (2, b.FULL)
    assert markers(table) == [0, 0]


def test_c7_5_an_encounter_in_the_last_vuelta_counts():
    table = night("S5 M1", vuelta=23, moon="S4")
    play(table, "stay", "stay")
    assert markers(table) == [1, 0]
    assert table[0].round_number == 2


def test_o9_max_vueltas():
    table = night("M0 M1", max_vueltas=3, moon="S0")
    play(table, *["stay"] * 4)
    assert table[0].round_number == 1
    play(table, *["stay"] * 2)
    assert (table[0].round_number, table[0].moon) == (2, 4)


def test_o9_max_vueltas_also_ends_a_full_lap():
    table = night("I0 M1", max_vueltas=3, moon="S0", round_end=s.FULL_LAP)
    play(table, "S0", *["stay"] * 5)
    assert table[0].round_number == 2


# C8: a new round, and the end


def test_c8_1_a_new_round_begins_afresh():
    tiles = {"I3": b.FENCE, "O4": b.POPPY, "W5": b.LILY}
    table = night("I0 O5 O6", tiles, homes="M3 M1 M0", moon="S0", vuelta=6, first=2, seat=1, gone=[0, 0, 1, 0])
    table[0].bull[1] = place("S1")
    play(table, "stay")
    state = table[0]
    assert (state.round_number, state.stage, state.phase, state.first, state.seat) == (2, s.DAY, b.FULL, 0, 0)
    assert (state.turns, state.vuelta, state.met) == (0, 0, 0)
    assert [where(table, seat) for seat in range(3)] == ["M3", "M1", "M0"]
    assert state.bull[3] == b.NO_NODE
    assert (state.tile == b.NO_TILE).all()
    assert (state.owner == s.NOBODY).all()
    assert not state.face_up.any()
    assert not state.gone.any()
    assert not state.scored.any()
    assert state.hand.sum(axis=1).tolist() == [2, 2, 2, 0]
    assert markers(table) == [0, 1, 0]


THREE = [1, 1, 1, 0]  # waxing, full and waning: new moon alone is lacking


def test_c8_2_four_phases_win_at_the_end_of_the_round():
    table = night("I0 M1 M2", moon="S0", phase=b.NEW, markers=[THREE])
    play(table, "S0")
    assert not table[0].over
    play(table, "stay", "stay")
    assert table[0].over == 1
    assert table[0].winner.tolist() == [1, 0, 0, 0]
    assert table[0].round_number == 1
    assert moves(table) == set()


def test_c8_2_four_markers_of_three_phases_do_not_win():
    table = night("I0 M1", moon="S0", phase=b.WANING, markers=[[1, 2, 1, 0]])
    play(table, "S0", "stay")
    assert not table[0].over
    assert (table[0].round_number, table[0].winner.any()) == (2, False)


def test_c8_2_of_several_the_most_markers_win():
    table = night("I0 I0 M2", moon="S0", phase=b.NEW, markers=[THREE, [1, 2, 1, 0], [2, 2, 2, 0]])
    play(table, "S0", "S0", "stay")
    assert table[0].over
    assert table[0].winner.tolist() == [0, 1, 0, 0]  # the third seat has most markers but three phases


def test_c8_2_of_several_with_equal_markers_all_win():
    table = night("I0 M1 S1", moon="S0", phase=b.NEW, markers=[THREE, [3, 2, 3, 0], THREE])
    play(table, "S0", "stay", "stay")
    assert table[0].over
    assert table[0].winner.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("held", "winner"),
    [
        ([[1, 1, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]], [1, 0, 0, 0]),
        ([[1, 1, 0, 0], [2, 0, 1, 0], [1, 0, 0, 0]], [0, 1, 0, 0]),
        ([[1, 1, 0, 0], [0, 0, 1, 1], [2, 0, 0, 0]], [1, 1, 0, 0]),
        ([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [1, 1, 1, 0]),
    ],
)
def test_c8_3_at_the_last_round_phases_decide_then_markers(held, winner):
    table = night("M0 M1 M2", round_number=s.MAX_ROUNDS, vuelta=s.MAX_VUELTAS - 1, markers=held)
    play(table, "stay", "stay", "stay")
    assert table[0].over
    assert table[0].winner.tolist() == winner


def test_o9_max_rounds():
    for rounds in (1, 5):
        table = dealt(1, mountains=s.FIXED, max_rounds=rounds, max_vueltas=1)
        for number in range(1, rounds + 1):
            assert not table[0].over
            assert table[0].round_number == number
            pass_round(table)
        assert table[0].over
        assert table[0].round_number == rounds


@pytest.mark.parametrize(
    ("seats", "winners", "paid"),
    [
        (2, [0], [1, -1]),
        (2, [0, 1], [0, 0]),
        (3, [1], [-1 / 2, 1, -1 / 2]),
        (3, [0, 2], [1 / 4, -1 / 2, 1 / 4]),
        (3, [0, 1, 2], [0, 0, 0]),
        (4, [3], [-1 / 3, -1 / 3, -1 / 3, 1]),
        (4, [1, 2], [-1 / 3, 1 / 3, 1 / 3, -1 / 3]),
        (4, [0, 1, 3], [1 / 9, 1 / 9, -1 / 3, 1 / 9]),
        (4, [0, 1, 2, 3], [0, 0, 0, 0]),
    ],
)
def test_c8_4_payoffs(seats, winners, paid):
    table = night(" ".join(["M0", "M1", "M2", "M3"][:seats]))
    table["over"] = 1
    table["winner"][0, winners] = 1
    assert payoffs(table) == pytest.approx(paid + [0] * (b.MAX_SEATS - seats))


def test_c8_4_nothing_is_paid_before_the_end():
    assert payoffs(night("M0 M1", markers=[[1, 1, 1, 0]])) == [0, 0, 0, 0]


# C9: what a seat sees


def test_c9_1_only_owners_see_hands_and_tiles_face_down():
    table = day([[b.FENCE, b.LILY], [b.ROSEMARY, b.FENCE]], {"I0": b.POPPY, "S3": b.POPPY}, owners={"I0": 0, "S3": 1})
    other = day([[b.FENCE, b.LILY], [b.POPPY, b.POPPY]], {"I0": b.POPPY, "S3": b.FENCE}, owners={"I0": 0, "S3": 1})
    mine, same = view(table, 0), view(other, 0)
    assert all((mine[name] == same[name]).all() for name in mine)
    assert mine["known_tiles"].sum() == 1
    assert mine["known_tiles"][b.POPPY, place("I0")] == 1
    assert mine["hidden_tiles"][[place("I0"), place("S3")]].tolist() == [1, 1]
    assert mine["tile_owners"][0, place("I0")] == mine["tile_owners"][1, place("S3")] == 1
    assert mine["hand"].tolist() == [0.5, 0, 0, 0.5]
    assert mine["hands"].tolist() == [1, 1, 0, 0]
    assert mine["unseen"].tolist() == pytest.approx([2 / 3, 1 / 2, 1, 0])
    theirs = view(table, 1)
    assert theirs["known_tiles"].sum() == theirs["known_tiles"][b.POPPY, place("S3")] == 1


def test_c9_1_all_see_face_up_tiles_and_the_lily_on_water():
    table = night(
        "M0 M1", {"I0": b.FENCE, "I1": b.POPPY, "W3": b.LILY}, phase=b.NEW, owners={"I1": 1, "I0": 1, "W3": 1}
    )
    table["face_up"][0, place("I0")] = 1
    mine = view(table, 0)
    assert mine["known_tiles"].sum() == mine["known_tiles"][b.FENCE, place("I0")] == 1
    assert mine["hidden_tiles"].sum() == mine["hidden_tiles"][place("I1")] == 1
    assert np.flatnonzero(mine["lily"]).tolist() == [3]
    assert mine["unseen"].tolist() == pytest.approx([2 / 3, 1, 1, 0])


def test_c9_1_tiles_that_have_gone_are_remembered():
    table = night("I0 M1", {"S0": b.ROSEMARY, "I3": b.POPPY}, owners={"S0": 1, "I3": 1}, phase=b.NEW)
    play(table, "S0", "stay")
    assert view(table, 1)["unseen"].tolist() == pytest.approx([1, 1 / 2, 1 / 2, 1])
    assert view(table, 0)["unseen"].tolist() == pytest.approx([1, 1, 1 / 2, 1])


def test_c9_1_with_four_seats_an_unseen_lily_is_in_a_hand():
    table = day(
        [[b.FENCE], [b.FENCE, b.POPPY], [b.ROSEMARY, b.LILY], [b.FENCE, b.ROSEMARY]],
        {"I0": b.POPPY},
        homes="M0 M1 M2 M3",
    )
    for seed in range(60):
        hands = redealt(GAME)(table, 3, seed)[0].hand
        assert hands.sum(axis=1).tolist() == [1, 2, 2, 2]
        assert hands[:3, b.LILY].sum() == 1


# Other options


def test_o1_standard_board():
    table = night("M0 M1", board=b.STANDARD)
    assert moves(table) == {"stay", "O0", "O7"}
    assert (
        b.NEIGHBOURS[b.STANDARD, b.OUTER :] < b.NO_NODE
    ).sum() == 24 * 3 + 8  # three paths at a crossing, four at an inner one


@pytest.mark.parametrize(
    ("node", "near"),
    [("M2", "O3 O4"), ("O0", "M0 I0 S0"), ("I0", "O0 O1 S1"), ("S0", "O0 O7 S1 S7"), ("S1", "I0 S0 S2")],
)
def test_o1_small_board(node, near):
    assert moves(night(f"{node} M1", board=b.SMALL)) == {"stay", *near.split()}


def test_o1_small_board_takes_tiles_on_its_twenty_crossings():
    table = day([[b.FENCE], [b.POPPY]], board=b.SMALL)
    assert moves(table) == {(b.FENCE, name) for name in CROSSINGS - {"I4", "I5", "I6", "I7"}}


def test_o7_tiles_lie_on_shores_or_not():
    for option, places in ((1, CROSSINGS), (0, CROSSINGS - SHORES)):
        table = day([[b.FENCE, b.LILY], [b.POPPY]], shore_tiles=option)
        assert moves(table) == {(b.FENCE, name) for name in places} | {(b.LILY, name) for name in WATERS}
