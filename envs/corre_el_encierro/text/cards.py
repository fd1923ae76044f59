"""The cards of *Corre el encierro* in words: effects and synonyms."""

from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.game import check_language
from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.cards import costs_card, is_bull, is_fall

# Other words for cards; English takes the Spanish ones too.
CARD_WORDS = {
    "es": {
        c.OLE: ("olé",),
        c.SANTO_PATRON: ("patrón", "san fermín"),
        c.TORO_VOLTEADO: ("volteado", "voltear"),
        c.GIGANTES: ("baile de los gigantes", "gigantes"),
        c.DESAYUNO: ("desayuno",),
        c.HEMINGWAY: ("hemingway",),
        c.TXIKI: ("txiki",),
        c.GLORIA: ("minuto de gloria", "gloria"),
        c.MIRON: ("mirón",),
        c.CONSEJO: ("consejo",),
        c.PILLO: ("pillo",),
        c.BARRERA: ("barrera",),
        c.OTRA_VEZ: ("otra vez",),
        c.AVANZAR: ("avanzar", "avanzo", "tramo"),
        c.CARRERA: ("carrera de tu vida", "carrera"),
        c.INTERCAMBIO: ("cambio", "cambiar"),
        c.PERDIDOS: ("perdidos", "recuperar", "recuperar un objeto"),
        c.LIQUIDO: ("líquido", "agarre"),
        c.ZAPATILLAS: ("zapatillas molonas",),
    },
    "en": {
        c.TORO_VOLTEADO: ("send the bull", "send bull", "send"),
        c.HEMINGWAY: ("the writer", "writer"),
        c.TXIKI: ("children's run",),
        c.CONSEJO: ("a veteran's advice", "veteran's advice"),
        c.OTRA_VEZ: ("better luck", "cancel"),
        c.AVANZAR: ("one stretch on", "advance", "run"),
        c.CARRERA: ("the run of your life", "run of my life"),
        c.INTERCAMBIO: ("swap", "swap with"),
        c.PERDIDOS: ("lost and found", "recover an object", "recover"),
        c.LIQUIDO: ("liquid", "grip"),
        c.ZAPATILLAS: ("shoes",),
    },
}

# Effects of cards, addressed to the holder; cards with the same words form one group in the help.
_EFFECTS = {
    "en": {
        c.RECORTE: "repel a bull",
        c.TORO_VOLTEADO: "send a bull that hits you on to another runner",
        c.SANTO_PATRON: "repel a bull; with Ernest Hemingway, advance two",
        c.GIGANTES: "repel a fall",
        c.HEMINGWAY: "repel a fall; with Patron Saint, advance two",
        c.GLORIA: "a runner of your choice, on your location or the next one, loses an object",
        c.KILIKIS: "a runner of your choice loses an object",
        c.LINEA_ROJA: "a runner of your choice loses a card, unseen, from the hand",
        c.PILLO: "take a card, unseen, from any hand, behind the barrier too",
        c.BARRERA: "a runner of your choice misses the next turn",
        c.OTRA_VEZ: "cancel an attack on you, but no bull and no fall",
        c.AVANZAR: "advance one location",
        c.CARRERA: "with Advance a Stretch, advance two",
        c.INTERCAMBIO: "change places with a runner who is exactly one location ahead of you",
        c.PERDIDOS: "take back a lost object",
        c.CAPOTE: "once laid, repel a bull, or lose it in place of an object",
        c.LIQUIDO: "once laid, repel a fall, or lose it in place of an object",
        c.ZAPATILLAS: "once laid, advance two with Advance a Stretch, or lose them in place of an object",
        c.CHULIN: "a bull for all on the drawer's location",
        c.SELFIE: "a fall for all on the drawer's location",
    },
    "es": {
        c.RECORTE: "esquiva un toro",
        c.TORO_VOLTEADO: "manda a otro corredor un toro que va a por ti",
        c.SANTO_PATRON: "esquiva un toro; con Ernest Hemingway, avanza dos",
        c.GIGANTES: "evita una caída",
        c.HEMINGWAY: "evita una caída; con Santo Patrón, avanza dos",
        c.GLORIA: "el corredor que elijas, en tu lugar o en el siguiente, pierde un objeto",
        c.KILIKIS: "el corredor que elijas pierde un objeto",
        c.LINEA_ROJA: "el corredor que elijas pierde una carta de la mano, al azar",
        c.PILLO: "quita una carta al azar a quien sea, también tras la barrera",
        c.BARRERA: "el corredor que elijas pierde su próximo turno",
        c.OTRA_VEZ: "anula un ataque contra ti, pero no un toro ni una caída",
        c.AVANZAR: "avanza un lugar",
        c.CARRERA: "con Avanzar tramo, avanza dos",
        c.INTERCAMBIO: "cámbiate el sitio con un corredor que esté justo un lugar por delante de ti",
        c.PERDIDOS: "recupera un objeto perdido",
        c.CAPOTE: "una vez bajado, esquiva un toro, o se pierde en lugar de un objeto",
        c.LIQUIDO: "una vez bajado, evita una caída, o se pierde en lugar de un objeto",
        c.ZAPATILLAS: "una vez bajadas, con Avanzar tramo avanza dos, o se pierden en lugar de un objeto",
        c.CHULIN: "un toro para todos los del lugar de quien lo roba",
        c.SELFIE: "una caída para todos los del lugar de quien la roba",
    },
}
_LIKE = {  # cards with the effect of another
    **dict.fromkeys((c.OLE, c.ACURRUCADO), c.RECORTE),
    **dict.fromkeys((c.ZALDIKO, c.DESAYUNO, c.TXIKI), c.GIGANTES),
    **dict.fromkeys((c.MIRON, c.CONSEJO), c.GLORIA),
    **dict.fromkeys(filter(as_python(costs_card), range(c.NUM_CARDS)), c.LINEA_ROJA),
    **dict.fromkeys(filter(as_python(is_bull), range(c.NUM_CARDS)), c.CHULIN),
    **dict.fromkeys(filter(as_python(is_fall), range(c.NUM_CARDS)), c.SELFIE),
}


def effect(card: int, language: str) -> str:
    """Return the effect of a card in words."""
    return _EFFECTS[language][_LIKE.get(card, card)]


def card_name(card: int, language: str) -> str:
    """Return the name of a card: the Spanish one is printed on it."""
    return c.CARDS[card].english if language == "en" else c.CARDS[card].name


def object_name(number: int, language: str) -> str:
    """Return the name of one of the five objects of a runner."""
    return (c.ENGLISH_OBJECTS if language == "en" else c.OBJECT_NAMES)[number]


def terms(language: str) -> dict[str, str]:
    """Return what each card does, by its name in labels; in English, Spanish names too, which cards show."""
    check_language(language)
    cards = {card_name(card, language): effect(card, language) for card in range(c.NUM_CARDS)}
    if language != "en":
        return cards
    spanish = {card.name: f"{card.english}: {effect(kind, 'en')}" for kind, card in enumerate(c.CARDS)}
    return spanish | dict(zip((*c.OBJECT_NAMES, "Cabestros"), (*c.ENGLISH_OBJECTS, "Steers"), strict=True)) | cards


def printed_names(language: str) -> tuple[str, ...]:
    """Return the names of all cards, locations and objects, in both languages since texts mix them."""
    check_language(language)
    cards = [name for card in c.CARDS for name in (card.name, card.english)]
    return (*cards, *c.LOCATION_NAMES, *c.OBJECT_NAMES, *c.ENGLISH_OBJECTS)
