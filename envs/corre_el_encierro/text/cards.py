"""The cards of *Corre el encierro* in words: effects and synonyms."""

from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.game import check_language
from sobremesa.envs.corre_el_encierro.cards import (
    ACURRUCADO,
    AVANZAR,
    BARRERA,
    CAPOTE,
    CARDS,
    CARRERA,
    CHULIN,
    CONSEJO,
    DESAYUNO,
    ENGLISH_OBJECTS,
    GIGANTES,
    GLORIA,
    HEMINGWAY,
    INTERCAMBIO,
    KILIKIS,
    LINEA_ROJA,
    LIQUIDO,
    MIRON,
    NUM_CARDS,
    OBJECT_NAMES,
    OLE,
    OTRA_VEZ,
    PERDIDOS,
    PILLO,
    RECORTE,
    SANTO_PATRON,
    SELFIE,
    TORO_VOLTEADO,
    TXIKI,
    ZALDIKO,
    ZAPATILLAS,
    costs_card,
    is_bull,
    is_fall,
)

# Other words for cards; English takes the Spanish ones too.
CARD_WORDS = {
    "es": {
        OLE: ("olé",),
        SANTO_PATRON: ("patrón", "san fermín"),
        TORO_VOLTEADO: ("volteado", "voltear"),
        GIGANTES: ("baile de los gigantes", "gigantes"),
        DESAYUNO: ("desayuno",),
        HEMINGWAY: ("hemingway",),
        TXIKI: ("txiki",),
        GLORIA: ("minuto de gloria", "gloria"),
        MIRON: ("mirón",),
        CONSEJO: ("consejo",),
        PILLO: ("pillo",),
        BARRERA: ("barrera",),
        OTRA_VEZ: ("otra vez",),
        AVANZAR: ("avanzar", "avanzo", "tramo"),
        CARRERA: ("carrera de tu vida", "carrera"),
        INTERCAMBIO: ("cambio", "cambiar"),
        PERDIDOS: ("perdidos", "recuperar", "recuperar un objeto"),
        LIQUIDO: ("líquido", "agarre"),
        ZAPATILLAS: ("zapatillas molonas",),
    },
    "en": {
        TORO_VOLTEADO: ("send the bull", "send bull", "send"),
        HEMINGWAY: ("the writer", "writer"),
        TXIKI: ("children's run",),
        CONSEJO: ("a veteran's advice", "veteran's advice"),
        OTRA_VEZ: ("better luck", "cancel"),
        AVANZAR: ("one stretch on", "advance", "run"),
        CARRERA: ("the run of your life", "run of my life"),
        INTERCAMBIO: ("swap", "swap with"),
        PERDIDOS: ("lost and found", "recover an object", "recover"),
        LIQUIDO: ("liquid", "grip"),
        ZAPATILLAS: ("shoes",),
    },
}

# Effects of cards, addressed to the holder; cards with the same words form one group in the help.
_EFFECTS = {
    "en": {
        RECORTE: "repel a bull",
        TORO_VOLTEADO: "send a bull that hits you on to another runner",
        SANTO_PATRON: "repel a bull; with Ernest Hemingway, advance two",
        GIGANTES: "repel a fall",
        HEMINGWAY: "repel a fall; with Patron Saint, advance two",
        GLORIA: "a runner of your choice, on your location or the next one, loses an object",
        KILIKIS: "a runner of your choice loses an object",
        LINEA_ROJA: "a runner of your choice loses a card, unseen, from the hand",
        PILLO: "take a card, unseen, from any hand, behind the barrier too",
        BARRERA: "a runner of your choice misses the next turn",
        OTRA_VEZ: "cancel an attack on you, but no bull and no fall",
        AVANZAR: "advance one location",
        CARRERA: "with Advance a Stretch, advance two",
        INTERCAMBIO: "change places with a runner who is exactly one location ahead of you",
        PERDIDOS: "take back a lost object",
        CAPOTE: "once laid, repel a bull, or lose it in place of an object",
        LIQUIDO: "once laid, repel a fall, or lose it in place of an object",
        ZAPATILLAS: "once laid, advance two with Advance a Stretch, or lose them in place of an object",
        CHULIN: "a bull for all on the drawer's location",
        SELFIE: "a fall for all on the drawer's location",
    },
    "es": {
        RECORTE: "esquiva un toro",
        TORO_VOLTEADO: "manda a otro corredor un toro que va a por ti",
        SANTO_PATRON: "esquiva un toro; con Ernest Hemingway, avanza dos",
        GIGANTES: "evita una caída",
        HEMINGWAY: "evita una caída; con Santo Patrón, avanza dos",
        GLORIA: "el corredor que elijas, en tu lugar o en el siguiente, pierde un objeto",
        KILIKIS: "el corredor que elijas pierde un objeto",
        LINEA_ROJA: "el corredor que elijas pierde una carta de la mano, al azar",
        PILLO: "quita una carta al azar a quien sea, también tras la barrera",
        BARRERA: "el corredor que elijas pierde su próximo turno",
        OTRA_VEZ: "anula un ataque contra ti, pero no un toro ni una caída",
        AVANZAR: "avanza un lugar",
        CARRERA: "con Avanzar tramo, avanza dos",
        INTERCAMBIO: "cámbiate el sitio con un corredor que esté justo un lugar por delante de ti",
        PERDIDOS: "recupera un objeto perdido",
        CAPOTE: "una vez bajado, esquiva un toro, o se pierde en lugar de un objeto",
        LIQUIDO: "una vez bajado, evita una caída, o se pierde en lugar de un objeto",
        ZAPATILLAS: "una vez bajadas, con Avanzar tramo avanza dos, o se pierden en lugar de un objeto",
        CHULIN: "un toro para todos los del lugar de quien lo roba",
        SELFIE: "una caída para todos los del lugar de quien la roba",
    },
}
_LIKE = {  # cards with the effect of another
    **dict.fromkeys((OLE, ACURRUCADO), RECORTE),
    **dict.fromkeys((ZALDIKO, DESAYUNO, TXIKI), GIGANTES),
    **dict.fromkeys((MIRON, CONSEJO), GLORIA),
    **dict.fromkeys(filter(as_python(costs_card), range(NUM_CARDS)), LINEA_ROJA),
    **dict.fromkeys(filter(as_python(is_bull), range(NUM_CARDS)), CHULIN),
    **dict.fromkeys(filter(as_python(is_fall), range(NUM_CARDS)), SELFIE),
}


def effect(card: int, language: str) -> str:
    """Return the effect of a card in words."""
    return _EFFECTS[language][_LIKE.get(card, card)]


def card_name(card: int, language: str) -> str:
    """Return the name of a card: the Spanish one is printed on it."""
    return CARDS[card].english if language == "en" else CARDS[card].name


def object_name(number: int, language: str) -> str:
    """Return the name of one of the five objects of a runner."""
    return (ENGLISH_OBJECTS if language == "en" else OBJECT_NAMES)[number]


def terms(language: str) -> dict[str, str]:
    """Return what each card does, by its name in labels; in English, Spanish names too, which cards show."""
    check_language(language)
    cards = {card_name(card, language): effect(card, language) for card in range(NUM_CARDS)}
    if language != "en":
        return cards
    spanish = {card.name: f"{card.english}: {effect(kind, 'en')}" for kind, card in enumerate(CARDS)}
    return spanish | dict(zip((*OBJECT_NAMES, "Cabestros"), (*ENGLISH_OBJECTS, "Steers"), strict=True)) | cards
