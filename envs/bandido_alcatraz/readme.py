"""Tables of the README next to this file, by their marks: a head and rows. `make fresh` writes them."""

from sobremesa.envs.bandido_alcatraz import cards

_PICTURES = {cards.PLAIN: "", cards.RAINCOAT: "raincoat", cards.ROPE: "rope", cards.EXIT: "EXIT"}
_CARDS = [
    (card.a, card.b or "none", "ab"[card.flooded] if card.flooded != cards.NO_HALF else "", _PICTURES[card.picture],
     str(card.copies))
    for card in cards.CARDS
]  # fmt: skip
_TOTAL = ("", "", "", "", str(cards.NUM_CARDS))

TABLES = {"cards": (("tunnels of half a", "of half b", "flooded", "shows", "copies"), [*_CARDS, _TOTAL])}
