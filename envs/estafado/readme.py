"""Generated tables of RULES.md, by their marks: a head and rows. `make fresh` writes them."""

from sobremesa.envs.estafado import cards

_EFFECTS = {
    cards.RABBIT: "rabbit #{}", cards.YIKES: "yikes", cards.OUCH: "ouch", cards.LOSE_TURN: "lose a turn",
    cards.LEAP: "leap {}", cards.TUNNEL: "tunnel", cards.PEEK_ADJACENT: "peeks at {} neighbours",
    cards.PEEK_ANYWHERE: "peeks at {} anywhere", cards.SWAP_TWO: "swap two", cards.WATER_DIVE: "water dive {}",
    cards.BEAR_SKIP: "bear skips", cards.STEAL: "steal", cards.HURRICANE_BLOWS: "hurricane",
}  # fmt: skip


def _symbols(card: cards.Card) -> str:
    """Return the effects of a card in order, and its other symbols."""
    effects = [_EFFECTS[effect].format(amount) for effect, amount in card.effects]
    marks = {"keeps face-up": card.keeps_up, "do not swap": card.no_swap, "serves once": card.one_shot}
    return ", ".join([*effects, *(name for name in marks if marks[name])]) or "nothing"


_CARDS = [
    (card.name, card.spanish, str(card.copies), _symbols(card), card.name_from, card.effects_from)
    for card in cards.CARDS
]
_TOTAL = ("", "", str(sum(card.copies for card in cards.CARDS)), "", "", "")

TABLES = {"cards": (("card", "in Spanish", "copies", "what it does", "name from", "effects from"), [*_CARDS, _TOTAL])}
