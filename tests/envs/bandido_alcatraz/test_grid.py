"""The byte grid of *Bandido Alcatraz*, compared with a slow look at every cell of the state."""

import numpy as np
import pytest
from scale import scaled

from sobremesa.envs import load
from sobremesa.envs.bandido_alcatraz import grid as g
from sobremesa.envs.bandido_alcatraz.cards import FLOODED, MOST_SPAN, TUNNELS
from sobremesa.envs.bandido_alcatraz.grid import grid_around, most_places, neighbours
from sobremesa.envs.bandido_alcatraz.state import MOST_ENDS, NO_CELL, lay
from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.deal import random_deal

pytestmark = pytest.mark.kernels

GAME = load("bandido_alcatraz")
BESIDE = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west


def cells_of(state):
    """Return what lies on top of each cell that is covered: `{(x, y): (tunnels, wet)}`."""
    found = {}
    for cell in range(state.cells):
        laid, half = state.cell_laid[cell], state.cell_half[cell]
        kind = state.laid_kind[laid]
        wet = FLOODED[kind] == half
        found[int(state.cell_x[cell]), int(state.cell_y[cell])] = int(TUNNELS[kind, state.laid_turn[laid], half]), wet
    return found


def met_at(cells, x, y):
    """Return what a half meets at a place, two bits a side."""
    met = 0
    for side, (dx, dy) in enumerate(BESIDE):
        if (x, y) in cells:
            tunnel = cells[x, y][0] >> side & 1
        elif (x + dx, y + dy) in cells:
            tunnel = cells[x + dx, y + dy][0] >> (side + 2) % 4 & 1
        else:
            continue
        met |= (g.TUNNEL if tunnel else g.EARTH) << 2 * side
    return met


@pytest.mark.parametrize("difficulty", ["easy", "normal"])
def test_the_grid_shows_each_cell_and_its_neighbours(difficulty):
    floods = 0
    for seed in range(scaled(4)):
        for ply in random_deal(GAME, seed, {"seats": 2, "difficulty": difficulty}):
            state = ply.states[0]
            cells = cells_of(state)
            looks, left, top, across = as_python(grid_around)(state, 2, -3, 4, np.empty(1 << 13, np.uint8))
            met = as_python(neighbours)(state, looks, left, top, across, np.empty(1 << 13, np.uint8))
            assert left <= min(-2, *(x for x, _ in cells)) - g.MARGIN
            assert top <= min(-7, *(y for _, y in cells)) - g.MARGIN
            assert left + across > max(6, *(x for x, _ in cells)) + g.MARGIN
            assert top + len(looks) // across > max(1, *(y for _, y in cells)) + g.MARGIN
            for at in range(across + 1, len(looks) - across - 1):
                x, y = left + at % across, top + at // across
                tunnels, wet = cells.get((x, y), (0, False))
                assert looks[at] == ((x, y) in cells) * g.COVERED_BIT + wet * g.WET_BIT + tunnels
                floods += wet
                if wet or ((x, y) not in cells and 0 < at % across < across - 1):
                    assert met[at] == met_at(cells, x, y)
    assert floods > 0


def test_open_ends_are_those_that_a_look_at_all_cells_finds():
    for seed in range(scaled(10)):
        for ply in random_deal(GAME, seed, {"seats": 1 + seed % 4}):
            state = ply.states[0]
            cells = cells_of(state)
            found = {
                (x, y, side)
                for (x, y), (tunnels, _) in cells.items()
                for side, (dx, dy) in enumerate(BESIDE)
                if tunnels >> side & 1 and (x + dx, y + dy) not in cells
            }
            there = [int(slot) for slot in np.flatnonzero(state.end_cell != NO_CELL)]
            places = [(int(state.cell_x[cell]), int(state.cell_y[cell])) for cell in state.end_cell[there]]
            assert len(there) == state.ends <= MOST_ENDS
            assert sorted(
                (*place, int(state.end_side[slot])) for place, slot in zip(places, there, strict=True)
            ) == sorted(found)


def test_a_state_whose_last_card_is_not_on_top_is_refused():
    states = next(ply.states for ply in random_deal(GAME, 1, {"seats": 2}) if ply.states["laid"][0] > 3)
    assert GAME.problems(states) == []
    under = states.copy()
    under["cell_laid"][0, 0] = under["laid"][0] - 1  # a card on the tile
    beside = states.copy()
    beside["laid_x"][0, 2] += 40  # a card where there is no cell
    for broken in (under, beside):
        assert "what was laid last in a place does not lie on top" in GAME.problems(broken)


@pytest.mark.parametrize("reach", [0, 7])
def test_there_is_room_for_the_largest_grid(reach):
    added = 2 + 2 * g.MARGIN + reach
    assert most_places(reach) == max((wide + added) * (MOST_SPAN - wide + added) for wide in range(1, MOST_SPAN))


def test_a_network_larger_than_its_cards_reach_is_refused():
    states = next(random_deal(GAME, 1, {"seats": 2})).states.copy()
    assert GAME.problems(states) == []
    lay(states[0], 0, 60, 63, 0)
    assert "cells lie too far apart" in GAME.problems(states)
