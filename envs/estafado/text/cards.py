"""Names and effects of the cards of *Estafado*, in English and Spanish."""

from sobremesa.envs.estafado import cards as c

EFFECT_WORDS = {
    "en": {
        c.RABBIT: "a rabbit; rolls that it may get away by: {}",
        c.YIKES: "the Fox runs back to where his step began (yikes!)",
        c.OUCH: "the Fox loses his next turn (ouch!)",
        c.LOSE_TURN: "the Fox loses his next turn",
        c.LEAP: "the Fox may leap in a straight line, exactly {} away",
        c.TUNNEL: "the Fox may tunnel to one of the eight cards around, later too",
        c.PEEK_ADJACENT: "the Fox may look at face-down cards next to him, {} at most",
        c.PEEK_ANYWHERE: "the Fox may look at face-down cards anywhere, {} at most",
        c.SWAP_TWO: "the Fox may swap two cards unseen",
        c.WATER_DIVE: "the Eagle may dive at once, {} spaces at most",
        c.BEAR_SKIP: "the Bear will not move next time",
        c.STEAL: "the last rabbit caught slips back among the face-down cards",
        c.HURRICANE_BLOWS: "the face-down cards are mixed",
    },
    "es": {
        c.RABBIT: "un conejo; tiradas con las que puede escapar: {}",
        c.YIKES: "el Zorro vuelve a donde empezó su movimiento (¡qué susto!)",
        c.OUCH: "el Zorro pierde su próximo turno (¡ay!)",
        c.LOSE_TURN: "el Zorro pierde su próximo turno",
        c.LEAP: "el Zorro puede saltar en línea recta, exactamente a {} de distancia",
        c.TUNNEL: "el Zorro puede ir por el túnel a una de las ocho cartas de alrededor, también más tarde",
        c.PEEK_ADJACENT: "el Zorro puede mirar cartas boca abajo contiguas, {} como mucho",
        c.PEEK_ANYWHERE: "el Zorro puede mirar cartas boca abajo en cualquier sitio, {} como mucho",
        c.SWAP_TWO: "el Zorro puede cambiar dos cartas sin verlas",
        c.WATER_DIVE: "el Águila puede zambullirse en el acto, {} espacios como mucho",
        c.BEAR_SKIP: "el Oso no se moverá la próxima vez",
        c.STEAL: "el último conejo atrapado vuelve a esconderse entre las cartas boca abajo",
        c.HURRICANE_BLOWS: "se mezclan las cartas boca abajo",
    },
}
_CARD_WORDS = {
    "en": {
        "none": "nothing happens",
        "keeps_up": "stays face-up",
        "no_swap": "do not swap",
        "one_shot": "then it goes to the discard pile",
        "stands": "cannot be replaced from the hand",
    },
    "es": {
        "none": "no pasa nada",
        "keeps_up": "se queda boca arriba",
        "no_swap": "no se cambia",
        "one_shot": "después va a los descartes",
        "stands": "no se puede reemplazar con una de la mano",
    },
}


def card_name(kind: int, language: str) -> str:
    """Return the name of a kind of card."""
    return c.CARDS[kind].name if language == "en" else c.CARDS[kind].spanish


def card_effect(kind: int, language: str) -> str:
    """Return the effect of a kind of card in words."""
    card, words = c.CARDS[kind], _CARD_WORDS[language]
    does = [EFFECT_WORDS[language][effect].format(amount) for effect, amount in card.effects] or [words["none"]]
    return "; ".join(does + [words[flag] for flag in ("keeps_up", "no_swap", "one_shot") if getattr(card, flag)])


def card_explained(kind: int, language: str) -> str:
    """Return the effect of a kind of card, and whether no card of the hand can replace it (C5.3)."""
    stands = c.CARDS[kind].no_swap or kind < c.NUM_RABBITS
    return card_effect(kind, language) + (f"; {_CARD_WORDS[language]['stands']}" if stands else "")
