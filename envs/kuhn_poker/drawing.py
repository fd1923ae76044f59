"""The table of Kuhn poker as an SVG scene."""

import numpy as np

from sobremesa.envs.core.picture.card_table import Hand, card_table
from sobremesa.envs.kuhn_poker.notation import card_seen, describe, seat_line
from sobremesa.envs.kuhn_poker.rules import NUM_SEATS


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as an SVG, its own card below; None sees all (K4)."""
    state, below = table[0], NUM_SEATS - 1 if seat is None else seat
    hands = [
        Hand(seat_line(state, owner, language), card_seen(state, owner, seat), int(state.pot[owner]))
        for owner in (1 - below, below)
    ]
    return card_table(hands, [], describe(table, seat, language).splitlines()[-1] if state.over else "")
