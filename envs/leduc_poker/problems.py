"""Invariants of the state of Leduc poker; the bets are replayed in plain Python, apart from the rules."""

from typing import Any

import numpy as np

from sobremesa.envs.leduc_poker import rules as r

_BETS = ("pot", "betting_round", "acted", "raises", "seat", "over")


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is impossible; empty for a possible state."""
    state, found = table[0], []
    cards = [*state.card.tolist(), int(state.public)]
    if not all(0 <= card < r.NUM_CARDS for card in cards[: r.NUM_SEATS]) or len(set(cards)) < len(cards):
        found.append(f"cards {cards}")
    if (state.betting_round == 0) != (state.public == r.NO_CARD) or not 0 <= state.public <= r.NO_CARD:
        found.append(f"public card {state.public} in round {state.betting_round}")
    bets = _bets(state.history)
    if bets is None:
        return [*found, f"history {state.history.tolist()}"]
    held = [np.asarray(state[name]).tolist() for name in _BETS]
    return found + [f"{name} {had}, not {has}" for name, had, has in zip(_BETS, held, bets, strict=True) if had != has]


def _bets(history: Any) -> list[Any] | None:
    """Return `_BETS` as the actions of `history` (rounds, actions) make them; None if one may not be (L2, L3)."""
    pot, seat, over, number, acted, raises = [r.ANTE, r.ANTE], 0, 0, 0, 0, 0
    for played, actions in enumerate(history.tolist()):
        behind = [action for action in actions if action != r.NONE]
        if actions != behind + [r.NONE] * (len(actions) - len(behind)) or (behind and played != number):
            return None
        for action in behind:
            due = pot[1 - seat] - pot[seat]
            fits = action == r.CALL or (action == r.FOLD and due) or (action == r.RAISE and raises < r.MOST_RAISES)
            if over or played != number or not fits:
                return None
            acted += 1
            if action == r.FOLD:
                over = 1
                continue
            pot[seat] += due
            if action == r.RAISE:
                pot[seat] += (r.SMALL, r.BIG)[number]
                raises += 1
            elif acted > 1 and number + 1 == r.NUM_ROUNDS:
                over = 1
                continue
            elif acted > 1:
                number, acted, raises, seat = number + 1, 0, 0, 0
                continue
            seat = 1 - seat
    return [pot, number, acted, raises, seat, over]
