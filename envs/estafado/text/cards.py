"""Names and effects of the cards of *Estafado*, in English and Spanish."""

from sobremesa.envs.estafado import cards as c
from sobremesa.envs.estafado.text.words import EFFECTS


def card_name(kind: int, language: str) -> str:
    """Return the name of a kind of card."""
    return c.CARDS[kind].name if language == "en" else c.CARDS[kind].spanish


def card_names(language: str) -> list[str]:
    """Return the names of all kinds of cards."""
    return [card_name(kind, language) for kind in range(c.NUM_KINDS)]


def card_effect(kind: int, language: str) -> str:
    """Return the effect of a kind of card in words."""
    card, words = c.CARDS[kind], EFFECTS[language]
    does = [words[f"effect{effect}"].format(amount) for effect, amount in card.effects] or [words["none"]]
    return "; ".join(does + [words[flag] for flag in ("keeps_up", "no_swap", "one_shot") if getattr(card, flag)])


def card_explained(kind: int, language: str) -> str:
    """Return the effect of a kind of card, and whether no card of the hand can replace it (C5.3)."""
    stands = c.CARDS[kind].no_swap or kind < c.NUM_RABBITS
    return card_effect(kind, language) + (f"; {EFFECTS[language]['stands']}" if stands else "")
