"""The picture of a table with one card per seat, for small card games."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from sobremesa.envs.core.picture.drawing import place, text, titled

_ACROSS, _DOWN, _CARD = 360, 250, (56, 80)
_CLOTH, _EDGE, _PAPER, _INK, _RED, _BACK, _CHIP = (
    "#1f5c46", "#123a2c", "#fbf7ea", "#1d1b19", "#b3232c", "#7a2f3b", "#e2b84a",
)  # fmt: skip
_CHIPS_IN_SIGHT = 13


class Hand(NamedTuple):
    """The card and the chips of a seat."""

    words: str  # its name, and whether it is to act
    card: str  # its sign, "" for a card face down
    chips: int


def card_table(hands: Sequence[Hand], middle: Sequence[str], words: str) -> str:
    """Return an SVG of two `hands`, the first above, the cards `middle` between them, and `words` below."""
    cards = "".join(
        _card(_ACROSS / 2 + (number - (len(middle) - 1) / 2) * (_CARD[0] + 8), _DOWN / 2 - 12, sign)
        for number, sign in enumerate(middle)
    )
    above, below = (_hand(hand, y) for hand, y in zip(hands, (52, _DOWN - 76), strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_ACROSS} {_DOWN}" font-family="sans-serif">'
        f"<title>{escape(words)}</title>"
        f'<rect width="{_ACROSS}" height="{_DOWN}" fill="{_EDGE}"/>'
        f'<rect x="6" y="6" width="{_ACROSS - 12}" height="{_DOWN - 36}" rx="70" fill="{_CLOTH}"/>'
        f"{above}{cards}{below}"
        f"{text(_ACROSS / 2, _DOWN - 10, words, 13, _PAPER, room=_ACROSS - 20)}</svg>"
    )


def _hand(hand: Hand, y: float) -> str:
    chips = "".join(
        f'<circle cx="{12 * number}" cy="0" r="8" fill="{_CHIP}" stroke="{_EDGE}" stroke-width="2"/>'
        for number in range(min(hand.chips, _CHIPS_IN_SIGHT))
    )
    named = text(_ACROSS / 2 + 38, y - 20, hand.words, 12, _PAPER, 'font-weight="bold"', room=_ACROSS / 2 - 60)
    return _card(_ACROSS / 2, y, hand.card) + named + place(_ACROSS / 2 + 46, y, titled(str(hand.chips), chips))


def _card(x: float, y: float, sign: str) -> str:
    """Return a card centred at (x, y), face down if it has no sign."""
    across, down = _CARD
    red = any(suit in sign for suit in "♥♦")
    face = text(0, 9, sign, 26, _RED if red else _INK) if sign else f'<circle r="15" fill="none" stroke="{_PAPER}"/>'
    sheet = (
        f'<rect x="{-across / 2}" y="{-down / 2}" width="{across}" height="{down}" rx="7" '
        f'fill="{_PAPER if sign else _BACK}" stroke="{_INK}"/>'
    )
    return place(x, y, sheet + face, 0.8)
