"""Observations of *Bandido Alcatraz*, as named blocks and back (C11.1).

A seat sees the table, its own hand, and the cards that it put under the pile or set aside. Other seats do not see the
place that the seat to act has chosen until the card is there.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.fits import exists, place_of
from sobremesa.envs.bandido_alcatraz.grid import COVERED_BIT, WET_BIT, grid_around, most_places, step_to
from sobremesa.envs.bandido_alcatraz.knowledge import count_unseen
from sobremesa.envs.bandido_alcatraz.state import floods_there, open_ends_at
from sobremesa.envs.core.blocks import Coding, each, numbers, one_of, reader, set_of, up_to
from sobremesa.envs.core.codes import SIGNED, clear, put
from sobremesa.envs.core.compile.bits import lowest_bit, rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.layout import FLOAT, Block, Layout
from sobremesa.envs.core.seats import turned

CROP = 15  # cells across the map
NUM_FEATURES = 11  # of a card: tunnels of a (W, N, S) and b (E, N, S), flooded, raincoat, rope, EXIT, there
_OPTIONS = ("difficulty", "solo_hand", "signals")  # early_stop is not observable (O3)
_PER_END = 15 + s.BIG_HAND  # numbers about an end or a flood
_NEAR = 5  # cells across the patch around the cell that was chosen
_PLANES = "covered, tunnels N, E, S, W, flooded"
_PLANE_BITS = np.array([COVERED_BIT, 1, 2, 4, 8, WET_BIT])
_PARTS = (1, CROP, CROP, *(1,) * 12, *(c.NUM_WAYS,) * s.BIG_HAND)  # of the numbers about an end

# The features of each kind of card (kind, feature).
FEATURES_OF = np.array(
    [
        [side in card.a for side in "WNS"]
        + [side in card.b for side in "ENS"]
        + [card.flooded != c.NO_HALF, card.picture == c.RAINCOAT, card.picture == c.ROPE, card.picture == c.EXIT, True]
        for card in c.CARDS
    ],
    np.uint8,
)

# The kind whose features, the last apart, make a number as bits.
_KIND_OF = np.full(1 << (NUM_FEATURES - 1), c.NO_CARD)
_KIND_OF[(FEATURES_OF[:, :-1] @ (1 << np.arange(NUM_FEATURES - 1))).astype(int)] = np.arange(c.NUM_KINDS)


@kernel
def _kind_of(observation, start, _):
    """Return the kind of the card in a slot of the hand; NO_CARD."""
    there = observation[start + NUM_FEATURES - 1] > 0
    return _KIND_OF[set_of(observation, start, NUM_FEATURES - 1)] if there else c.NO_CARD


# Seats are turned so that the observer is number 0; missing seats are zeros.
LAYOUT = Layout(
    Block("hand", (s.BIG_HAND, NUM_FEATURES), "my cards by slot: tunnels of half a (W, N, S) and b (E, N, S), flooded, "
          "raincoat, rope, EXIT, there", about=((s.A_LAY, c.NUM_WAYS), (s.A_GATHER, 1)),
          seen=Coding("hand", _kind_of)),
    Block("asked", (s.NUM_QUESTIONS,), "what I am asked: signal, where, how; zeros if another is",
          seen=one_of("asked")),
    Block("chosen", (s.NUM_WHERES,), "where I am about to lay a card", seen=one_of("chosen")),
    Block("turn", (s.MAX_SEATS,), "the seat whose turn it is", seen=one_of("turn")),
    Block("present", (s.MAX_SEATS,), "seats at the table", seen=up_to("seats")),
    Block("ends", (c.MOST_ENDS, _PER_END), "open ends by number: there; of the next cell x, y (from the middle of the "
          "map, in its widths), sides that are settled (N, E, S, W), tunnels there, sides where a card can go on; ways "
          "to lay each of my cards there, in eighths, zeros if another is asked", low=-16.0, high=16.0, per=_PARTS,
          about=((s.A_WHERE, 1),)),
    Block("floods", (c.NUM_FLOODS, _PER_END), "flooded halves by number, likewise", low=-16.0, high=16.0, per=_PARTS,
          about=((s.A_WHERE + c.MOST_ENDS, 1),)),
    Block("near", (6, _NEAR, _NEAR), f"the network around the cell that I chose: {_PLANES}; zeros before I have"),
    Block("map", (6, CROP, CROP), f"the network where the open ends are: {_PLANES}"),
    Block("middle", (2,), "x and y of the middle of the map from the tile, in its widths", low=-16.0, high=16.0,
          per=CROP, seen=numbers("middle")),
    Block("open", (1,), f"open ends, in {c.MOST_ENDS}rds", per=c.MOST_ENDS, seen=each("ends")),
    Block("gathered", (2,), "raincoats in thirds, ropes in halves", per=(c.RAINCOATS, c.ROPES),
          seen=each("raincoats", "ropes")),
    Block("exit", (3,), "EXIT: laid, in my hand, neither", seen=(*each("exit_laid", "has_exit"), None)),
    Block("hand_sizes", (s.MAX_SEATS,), f"cards in each hand, in {s.BIG_HAND}ths", per=FLOAT,
          seen=numbers("hand_sizes", s.BIG_HAND)),
    Block("pile", (1,), f"cards left to draw, in {c.NUM_CARDS}ths", per=c.NUM_CARDS, seen=each("pile_size")),
    Block("unseen", (c.NUM_KINDS,), "cards that I have not located, as a share of each kind", per=c.COPIES,
          seen=numbers("unseen")),
    Block("under", (c.NUM_KINDS,), "cards that I put under the pile, as a share of each kind", per=c.COPIES,
          seen=numbers("under")),
    Block("aside", (2,), f"cards set aside, in {s.BIG_HAND}ths, and whether they were mine", per=(FLOAT, 1),
          seen=(numbers("aside", s.BIG_HAND), numbers("aside_mine"))),
    Block("said", (s.MAX_SEATS, s.NUM_SIGNALS), "each seat's last signal", seen=one_of("said")),
    Block("setup", (len(_OPTIONS),), ", ".join(_OPTIONS), seen=each(*_OPTIONS)),
)  # fmt: skip

_HAND, _ASKED, _CHOSEN, _TURN = (LAYOUT.start(name) for name in ("hand", "asked", "chosen", "turn"))
_PRESENT, _ENDS, _FLOODS, _AROUND = (LAYOUT.start(name) for name in ("present", "ends", "floods", "near"))
_MAP, _MIDDLE, _OPEN, _GATHERED = (LAYOUT.start(name) for name in ("map", "middle", "open", "gathered"))
_EXIT, _HAND_SIZES, _PILE, _UNSEEN = (LAYOUT.start(name) for name in ("exit", "hand_sizes", "pile", "unseen"))
_UNDER, _ASIDE, _SAID, _SETUP = (LAYOUT.start(name) for name in ("under", "aside", "said", "setup"))
_WIDE, _WIDE_SIZES, _WIDE_ASIDE = LAYOUT.tail, LAYOUT.start_wide("hand_sizes"), LAYOUT.start_wide("aside")

# Questions, ends, floods and signals are the number after the last where there is none.
COVERED, WET = 16, 32  # a cell holds its tunnels as bits and these; 0 if nothing lies there
SEEN, _decode_blocks = reader(
    LAYOUT,
    ("there", np.int64, s.NUM_WHERES),  # 1 for an end or a flood of that number; zeros below for none
    ("x", np.int64, s.NUM_WHERES),  # of the cell to be covered, from the middle of the map
    ("y", np.int64, s.NUM_WHERES),
    ("settled", np.int64, s.NUM_WHERES),  # its sides that are settled, as bits
    ("tunnels", np.int64, s.NUM_WHERES),  # tunnels there
    ("room", np.int64, s.NUM_WHERES),  # sides to which a card can go on
    ("ways", np.int64, (s.NUM_WHERES, s.BIG_HAND)),  # how many there are to lay each card; of equal ones the first
    ("near", np.int64, (_NEAR, _NEAR)),  # cells by row around the one that I chose; zeros before I have
    ("map", np.int64, (CROP, CROP)),  # cells by row
)

# Features of a cell to be covered, as bits: sides that are settled, tunnels there, sides where a card can go on.
_SETTLED, _TUNNELS, _ROOM = 0, 4, 8
_LOOK = 63  # all bits of the content of a cell
_PLACES = most_places(CROP // 2)


def _beyond(side: int, look: int) -> int:
    """Return the features of a cell that follow from the content `look` of its neighbour on a side."""
    settled, tunnel, room = look & COVERED_BIT, look >> (side ^ 2) & 1, not look & COVERED_BIT or look & WET_BIT
    return (bool(settled) << _SETTLED | tunnel << _TUNNELS | bool(room) << _ROOM) << side


_BEYOND = np.array([[_beyond(side, look) for look in range(64)] for side in range(4)], np.int64)
put_sides, count_ways = rows_of(12).put, rows_of(s.BIG_HAND).counts
having_wide, having_near = rows_of(CROP + 1).having, rows_of(_NEAR).having
# Hands are written as sixths added up in float32: five of them are not the float32 that is five sixths.
_SIXTHS = np.zeros(s.BIG_HAND + 1, np.float32)
for _count in range(s.BIG_HAND):
    _SIXTHS[_count + 1] = np.float64(_SIXTHS[_count]) + 1 / s.BIG_HAND


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` `(W,)` uint8 (C11.1)."""
    clear(out, 0, _MAP)
    clear(out, _MIDDLE, out.shape[0])
    ends, floods = open_ends_at(state), floods_there(state)
    x, y = middle(state)
    looks, left, top, across = grid_around(state, x, y, CROP // 2, scratch(_PLACES, np.uint8))
    asked = state.seat == seat and not state.over
    if asked:
        out[_ASKED + int(state.stage)] = 1
        if state.stage == s.HOW:
            out[_CHOSEN + int(state.where)] = 1
            at_x, at_y = place_of(state, state.where)
            _observe_near(looks, (at_y - top) * across + at_x - left, across, out)
    _observe_map(looks, (y - top) * across + x - left, across, out)
    out[_MIDDLE] = x & SIGNED
    out[_MIDDLE + 1] = y & SIGNED
    out[_TURN + turned(state, seat, state.seat)] = 1
    _observe_cards(state, seat, out)
    while ends | floods:
        if ends:
            where = lowest_bit(ends)
            ends &= ends - 1
        else:
            where = c.MOST_ENDS + lowest_bit(floods)
            floods &= floods - 1
        cell_x, cell_y = place_of(state, where)
        first = _ENDS + where * _PER_END
        out[first] = 1
        out[first + 1] = (cell_x - x) & SIGNED
        out[first + 2] = (cell_y - y) & SIGNED
        put_sides(out, first + 3, _sides(looks, (cell_y - top) * across + cell_x - left, across))
        if state.seat == seat:
            count_ways(out, first + 15, state.fits[where], 0)
    out[_OPEN] = state.ends
    out[_SETUP] = state.difficulty
    out[_SETUP + 1] = state.solo_hand
    out[_SETUP + 2] = state.signals


@kernel
def middle(state):
    """Return the middle `(x, y)` of the cells next to open ends, or the tile if no end is open."""
    x, y = 0, 0
    if state.ends == 0:
        return x, y
    for where in range(c.MOST_ENDS):
        if exists(state, where):
            end_x, end_y = place_of(state, where)
            x += end_x
            y += end_y
    return x // int(state.ends), y // int(state.ends)


@kernel
def _observe_map(looks, middle, across, out):
    """Write the planes of the map around `looks[middle]`; this overwrites the numbers behind them."""
    corner = middle - CROP // 2 * (across + 1)
    for plane in range(6):
        for row in range(CROP):  # one place too many, where the next row goes: so many are written at once
            having_wide(out, _MAP + (plane * CROP + row) * CROP, looks, corner + row * across, _PLANE_BITS[plane])


@kernel
def _observe_near(looks, middle, across, out):
    """Write the planes of the patch around `looks[middle]`."""
    corner = middle - _NEAR // 2 * (across + 1)
    for plane in range(6):
        for row in range(_NEAR):
            having_near(out, _AROUND + (plane * _NEAR + row) * _NEAR, looks, corner + row * across, _PLANE_BITS[plane])


@kernel
def _sides(looks, at, across):
    """Return the features of a cell to be covered, as bits."""
    own, bits = looks[at] & _LOOK, np.int64(0)
    for side in range(4):
        bits |= _BEYOND[side, looks[at + step_to(side, across)] & _LOOK]
    if own:  # it is flooded: all is settled, and its tunnels are there
        bits = (bits & 15 << _ROOM) | (own & 15) << _TUNNELS | 15 << _SETTLED
    return bits


@kernel
def _observe_cards(state, seat, out):
    wide = out[_WIDE:].view(np.float32)
    for slot in range(s.BIG_HAND):
        kind = state.hand[seat, slot]
        if kind != c.NO_CARD:
            put(out, _HAND + slot * NUM_FEATURES, FEATURES_OF[kind])
            out[_EXIT + 1] += c.PICTURE[kind] == c.EXIT
    out[_EXIT] = state.exit_laid
    out[_EXIT + 2] = 1 - out[_EXIT] - out[_EXIT + 1]
    for other in range(state.seats):
        row = turned(state, seat, other)
        out[_PRESENT + row] = 1
        wide[_WIDE_SIZES + row] = _SIXTHS[_count_cards(state.hand[other])]
        out[_SAID + row * s.NUM_SIGNALS + int(state.said[other])] = 1
    out[_GATHERED] = state.raincoats
    out[_GATHERED + 1] = state.ropes
    out[_PILE] = state.pile_size
    count_unseen(state, seat, out[_UNSEEN : _UNSEEN + c.NUM_KINDS], out[_UNDER : _UNDER + c.NUM_KINDS])
    wide[_WIDE_ASIDE] = _SIXTHS[_count_cards(state.aside)]
    out[_ASIDE + 1] = state.aside_by == seat


@kernel
def _count_cards(slots):
    count = 0
    for slot in range(s.BIG_HAND):
        count += slots[slot] != c.NO_CARD
    return count


@kernel
def decode(observation, seen):
    """Fill `seen`, a zeroed record of SEEN, from an observation."""
    _decode_blocks(observation, seen)
    if seen.chosen != s.NOT_CHOSEN:
        _decode_cells(observation, _AROUND, _NEAR, seen.near)
    _decode_cells(observation, _MAP, CROP, seen.map)
    for where in range(s.NUM_WHERES):
        _decode_where(observation, where, seen)


@kernel
def _decode_cells(observation, first, across, cells):
    size = across * across
    for row in range(across):
        for column in range(across):
            at = first + row * across + column
            if observation[at] > 0:
                cell = COVERED
                for side in range(4):
                    cell |= int(observation[at + (1 + side) * size]) << side
                cells[row, column] = cell | (WET if observation[at + 5 * size] > 0 else 0)


@kernel
def _decode_where(observation, where, seen):
    at = _ENDS + where * _PER_END if where < c.MOST_ENDS else _FLOODS + (where - c.MOST_ENDS) * _PER_END
    if observation[at] == 0:
        return
    seen.there[where] = 1
    seen.x[where] = round(observation[at + 1] * CROP)
    seen.y[where] = round(observation[at + 2] * CROP)
    seen.settled[where] = set_of(observation, at + 3, 4)
    seen.tunnels[where] = set_of(observation, at + 7, 4)
    seen.room[where] = set_of(observation, at + 11, 4)
    for slot in range(s.BIG_HAND):
        seen.ways[where, slot] = int(observation[at + 15 + slot] * c.NUM_WAYS)  # eighths are exact
