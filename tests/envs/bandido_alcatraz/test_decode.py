"""Decoding of observations of *Bandido Alcatraz* (C11.1)."""

import numpy as np
import pytest
from readings import check_decode

import sobremesa
from sobremesa.envs.bandido_alcatraz import state as s
from sobremesa.envs.bandido_alcatraz.cards import CARDS, COPIES, EXIT, MOST_ENDS, NO_CARD, NO_HALF, NUM_KINDS
from sobremesa.envs.bandido_alcatraz.observe import COVERED, CROP, SEEN, WET, decode

GAME = sobremesa.load("bandido_alcatraz")
SETUPS = (
    {"seats": 1, "solo_hand": "six", "difficulty": "easy"},
    {"seats": 2, "signals": True},
    {"seats": 4, "signals": True, "early_stop": True},
)
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west


def tops(state):
    """Return by cell what lies on top: its tunnels as bits, and whether it is flooded."""
    found = {}
    for number in range(int(state["laid"])):
        kind, turn = int(state["laid_kind"][number]), int(state["laid_turn"][number])
        if kind < NUM_KINDS:
            halves, wet = (CARDS[kind].a, CARDS[kind].b), CARDS[kind].flooded
        else:
            halves, wet = ("NS" if state["difficulty"] == 0 else "WNS", "NES"), NO_HALF
        step = STEPS[(1 + turn) % 4]
        for half, sides in enumerate(halves):
            x, y = int(state["laid_x"][number]) + half * step[0], int(state["laid_y"][number]) + half * step[1]
            numbers = [(side + turn) % 4 for side in ["NESW".index(letter) for letter in sides] + [1 + 2 * half]]
            found[x, y] = sum(1 << side for side in numbers), wet == half
    return found


def expected(state, seat):
    """Return by field what `seat` may know of a state, as a reader of the rules would put it."""
    seats, mine = int(state["seats"]), state["seat"] == seat and not state["over"]
    turned, absent = [(seat + other) % seats for other in range(seats)], s.MAX_SEATS - seats
    cells = tops(state)
    places = {}
    for number, (cell, side) in enumerate(zip(state["end_cell"], state["end_side"], strict=True)):
        if cell != s.NO_CELL:
            places[number] = (int(state["cell_x"][cell]) + STEPS[side][0], int(state["cell_y"][cell]) + STEPS[side][1])
    middle = tuple(sum(axis) // len(places) for axis in zip(*places.values(), strict=True)) if places else (0, 0)
    places |= {
        MOST_ENDS + number: (int(state["cell_x"][cell]), int(state["cell_y"][cell]))
        for number, cell in enumerate(state["flood"])
        if cell != s.NO_CELL
    }
    hand = state["hand"][seat]
    under = np.bincount(state["pile"][state["put_under"] == seat], minlength=NUM_KINDS)
    own = np.bincount(hand[hand != NO_CARD], minlength=NUM_KINDS) + state["played"] + under
    aside = state["aside"][state["aside"] != NO_CARD]
    if state["aside_by"] == seat:
        own = own + np.bincount(aside, minlength=NUM_KINDS)
    wanted = {
        **{name: int(state[name]) for name in ("difficulty", "solo_hand", "signals", "seats", "ends", "raincoats")},
        **{name: int(state[name]) for name in ("ropes", "exit_laid", "pile_size")},
        "turn": turned.index(int(state["seat"])),
        "asked": int(state["stage"]) if mine else s.NUM_QUESTIONS,
        "chosen": int(state["where"]) if mine and state["stage"] == s.HOW else s.NOT_CHOSEN,
        "hand": hand,
        "hand_sizes": [*(state["hand"][turned] != NO_CARD).sum(axis=1), *[0] * absent],
        "middle": middle,
        "map": crop(cells, middle, CROP),
        "near": np.zeros((5, 5), int),
        "has_exit": int(any(kind != NO_CARD and CARDS[kind].picture == EXIT for kind in hand)),
        "unseen": COPIES - own,
        "under": under,
        "aside": len(aside),
        "aside_mine": int(state["aside_by"] == seat),
        "said": [*state["said"][turned], *[s.NUM_SIGNALS] * absent],
        **{name: np.zeros(s.NUM_WHERES, int) for name in ("there", "x", "y", "settled", "tunnels", "room")},
        "ways": np.array([[int(bits).bit_count() * mine for bits in row] for row in state["fits"]]),
    }
    for where, (x, y) in places.items():
        wanted["there"][where], wanted["x"][where], wanted["y"][where] = 1, x - middle[0], y - middle[1]
        wanted["tunnels"][where] = cells[x, y][0] if (x, y) in cells else 0
        for side, (step_x, step_y) in enumerate(STEPS):
            tunnels, flooded = cells.get((x + step_x, y + step_y), (0, True))
            wanted["room"][where] |= flooded << side
            if where >= MOST_ENDS:
                wanted["settled"][where] = 15
            elif (x + step_x, y + step_y) in cells:
                wanted["settled"][where] |= 1 << side
                wanted["tunnels"][where] |= (tunnels >> (side + 2) % 4 & 1) << side
        if where == wanted["chosen"]:
            wanted["near"] = crop(cells, (x, y), 5)
    return wanted


def crop(cells, middle, across):
    """Return the cells around `middle` by row, as `decode` writes them."""
    found = np.zeros((across, across), int)
    for (x, y), (tunnels, flooded) in cells.items():
        column, row = x - middle[0] + across // 2, y - middle[1] + across // 2
        if 0 <= column < across and 0 <= row < across:
            found[row, column] = COVERED | tunnels | WET * flooded
    return found


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: str(setup["seats"]))
def test_c11_1_an_observation_says_all_that_a_seat_may_know(setup):
    check_decode(GAME, setup, range(2), decode, SEEN, expected, every=3, given=np.zeros)
