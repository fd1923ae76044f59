"""Invariants of the state of Kuhn poker."""

import numpy as np

from sobremesa.envs.kuhn_poker.rules import BET, NONE, NUM_CARDS, NUM_SEATS, PASS


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is impossible; empty for a possible state."""
    state, found = table[0], []
    if sorted(state.deck) != list(range(NUM_CARDS)):
        found.append(f"cards {state.deck}")
    if not set(state.pot.tolist()) <= {1, 2}:
        found.append(f"pot {state.pot}")
    if state.last not in (PASS, BET, NONE) or (state.last == NONE and state.pot.sum() > NUM_SEATS):
        found.append(f"last action {state.last} with {state.pot} in the pot")
    if not 0 <= state.seat < NUM_SEATS:
        found.append(f"seat {state.seat} to act")
    return found
