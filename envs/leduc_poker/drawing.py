"""The table of Leduc poker as an SVG scene."""

import numpy as np

from sobremesa.envs.core.picture.card_table import Hand, card_table
from sobremesa.envs.leduc_poker.notation import CARDS, card_seen, headline, seat_line
from sobremesa.envs.leduc_poker.rules import NO_CARD, NUM_SEATS


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as an SVG, its own card below; None sees all (L5)."""
    state, below = table[0], NUM_SEATS - 1 if seat is None else seat
    hands = [
        Hand(seat_line(state, owner, language), card_seen(state, owner, seat), int(state.pot[owner]))
        for owner in (1 - below, below)
    ]
    return card_table(hands, [CARDS[state.public]] if state.public != NO_CARD else [], headline(state, language))
