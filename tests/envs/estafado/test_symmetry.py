"""Symmetries of *Estafado*: deals turned and mirrored against the same deals unturned."""

import numpy as np
import pytest
from rooms import ESTAFADO
from turning import differing, same_to_seats

from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.estafado.board import NO_SPACE, NOWHERE
from sobremesa.envs.estafado.state import E_HURRICANE, E_STEAL
from sobremesa.envs.estafado.symmetry import SYMMETRIES, turns

TABLE = table_kernels(ESTAFADO)
TOKENS = ("fox", "fox_start", "bear", "bear_before", "vixen", "chosen")
FLOOR = ("cards", "up", "shown", "known", "no_rabbit", "swappable")


def turned(states, cells, spaces):
    """Return the `(n,)` states of the same tables with floor and ring turned; the sun stays."""
    found = states.copy()
    for name in TOKENS:
        found[name] = np.append(cells, NOWHERE)[states[name]]
    for name in ("eagle", "crow"):
        found[name] = np.append(spaces, NO_SPACE)[states[name]]
    for name in FLOOR:
        found[name][..., cells] = states[name]
    return found


@pytest.mark.parametrize("number", range(len(SYMMETRIES)))
@pytest.mark.parametrize("setup", [{}, {"reading": "rulebook", "bear_blocks": False}, {"reading": "dusk"}])
def test_a_turned_deal_is_played_alike(number, setup):
    (cells, spaces), symmetry = turns()[number], SYMMETRIES[number]
    tables, mixed = VectorEnv(ESTAFADO, 40, seed=number, **setup), 0
    observation, mask = np.zeros(ESTAFADO.layout.size, np.float32), np.zeros(ESTAFADO.num_actions, np.int8)
    for _ in range(60):
        actions, before = tables.sample(), tables.states.copy()
        for row, action in enumerate(actions):
            state, other = before[row : row + 1], turned(before[row : row + 1], cells, spaces)
            same_to_seats(ESTAFADO, state, other, symmetry, 2)
            TABLE.step(state, int(action), observation, mask)
            TABLE.step(other, int(symmetry.actions[action]), observation, mask)
            alike, wrong = turned(state, cells, spaces), differing(ESTAFADO, turned(state, cells, spaces), other)
            if wrong:  # cards were mixed, one cell after another, which is as likely either way
                mixed += 1
                assert {E_STEAL, E_HURRICANE} & set(state["news"][0, : state["news_count"][0], 0].tolist())
                assert wrong <= {"cards", "deck"}
                held = [np.sort(np.append(one["cards"], one["deck"])) for one in (alike, other)]
                np.testing.assert_array_equal(*held)
        tables.step(actions)
    assert mixed < 40
