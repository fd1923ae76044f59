"""The cards of *Corre el encierro*: kinds, numbers and purposes (clause C1 of RULES.md).

The rulebook names all the cards and counts few: 48 and 6 in all, Avanzar tramo 7 times, Toro volteado more than once.
Each row marks its number as stated there or chosen for this library (H1).
"""

from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel

MAX_SEATS = 5
HAND_LIMIT = 5
NUM_OBJECTS = 5  # Ropa básica and four others
NUM_LOCATIONS = 7
LAST_LOCATION = NUM_LOCATIONS  # the Plaza de Toros; locations are numbered from 1
STANDARD, CONFLICT, LAST_STRETCH = 0, 1, 2  # option deck (O1)


class Card(NamedTuple):
    """A kind of card of the draw deck."""

    name: str  # in Spanish, as on the card
    english: str
    copies: tuple[int, int]  # in the standard deck, in the one with more conflict
    number: str  # of copies: "stated" by the rulebook, or "chosen" (H1)


# In the order of the constants below: those that a hand may hold, then those that must be shown.
CARDS = (
    Card("Recorte", "Sidestep", (1, 1), "chosen"),
    Card("Olé maestro", "Olé Master", (1, 1), "chosen"),
    Card("Santo Patrón", "Patron Saint", (1, 1), "chosen"),
    Card("Acurrucado", "Curled Up", (1, 1), "chosen"),
    Card("Toro volteado", "Bull Turned Round", (2, 2), "chosen"),  # stated: two or more
    Card("El baile de los gigantes", "Dance of the Giants", (1, 1), "chosen"),
    Card("Zaldiko", "Little Horse", (1, 1), "chosen"),
    Card("Desayuno de campeones", "Breakfast of Champions", (1, 1), "chosen"),
    Card("Ernest Hemingway", "Ernest Hemingway", (1, 1), "chosen"),
    Card("Encierro Txiki", "Run for Children", (1, 1), "chosen"),
    Card("Tu minuto de gloria", "Your Minute of Glory", (1, 1), "chosen"),
    Card("Por mirón", "For Gawking", (1, 1), "chosen"),
    Card("Consejo de veterano", "Advice of a Veteran", (1, 1), "chosen"),
    Card("Kilikis", "Big Heads", (1, 2), "chosen"),
    Card("Línea roja", "Red Line", (1, 1), "chosen"),
    Card("Chupete", "Dummy", (1, 1), "chosen"),
    Card("Garrotazo", "Blow with a Stick", (1, 1), "chosen"),
    Card("El Pillo", "The Rogue", (2, 2), "chosen"),
    Card("Desde la barrera", "From the Barrier", (2, 1), "chosen"),
    Card("Otra vez será", "Better Luck Next Time", (3, 3), "chosen"),
    Card("Avanzar tramo", "Advance a Stretch", (7, 7), "stated"),
    Card("La carrera de tu vida", "Run of Your Life", (2, 2), "chosen"),
    Card("Intercambio", "Exchange", (2, 2), "chosen"),
    Card("Objetos perdidos", "Lost Property", (3, 3), "chosen"),
    Card("Capote", "Cape", (2, 2), "chosen"),
    Card("Líquido de agarre", "Grip Liquid", (2, 2), "chosen"),
    Card("Zapatillas", "Running Shoes", (2, 2), "chosen"),
    Card("Chulín", "Chulín", (1, 1), "chosen"),
    Card("Tornasol", "Tornasol", (1, 1), "chosen"),
    Card("Manchado", "Manchado", (1, 1), "chosen"),
    Card("Perdigón", "Perdigón", (1, 1), "chosen"),
    Card("Bravucón", "Bravucón", (1, 1), "chosen"),
    Card("Hurón", "Hurón", (1, 1), "chosen"),
    Card("Selfie", "Selfie", (1, 1), "chosen"),
    Card("Entre Pintxos", "Among Pintxos", (1, 1), "chosen"),
    Card("Pobre de ti", "Poor You", (1, 1), "chosen"),
)

NUM_CARDS = len(CARDS)  # kinds of cards; also the value that means none
NO_CARD = NUM_CARDS
RECORTE, OLE, SANTO_PATRON, ACURRUCADO, TORO_VOLTEADO = range(5)
GIGANTES, ZALDIKO, DESAYUNO, HEMINGWAY, TXIKI = range(5, 10)
GLORIA, MIRON, CONSEJO, KILIKIS, LINEA_ROJA, CHUPETE, GARROTAZO, PILLO, BARRERA = range(10, 19)
OTRA_VEZ, AVANZAR, CARRERA, INTERCAMBIO, PERDIDOS = range(19, 24)
CAPOTE, LIQUIDO, ZAPATILLAS = range(24, 27)
CHULIN, TORNASOL, MANCHADO, PERDIGON, BRAVUCON, HURON, SELFIE, PINTXOS, POBRE = range(27, 36)

NUM_HAND_CARDS = CHULIN  # kinds that a hand may hold: all before the first that must be shown
FIRST_FALL = SELFIE
NUM_DEFENCES = TXIKI + 1
FIRST_ATTACK, NUM_ATTACKS = GLORIA, BARRERA - GLORIA + 1
FIRST_SPECIAL, NUM_SPECIALS = CAPOTE, ZAPATILLAS - CAPOTE + 1


@kernel
def stops_bull(card: int) -> bool:
    """Return whether a card repels a bull from the hand; Toro volteado sends it on (C5.2, C5.3)."""
    return RECORTE <= card <= ACURRUCADO


@kernel
def stops_fall(card: int) -> bool:
    """Return whether a card repels a fall from the hand (C5.2)."""
    return GIGANTES <= card <= TXIKI


@kernel
def is_attack(card: int) -> bool:
    """Return whether a card is aimed at another runner in one's turn (C6)."""
    return GLORIA <= card <= BARRERA


@kernel
def is_aimed_near(card: int) -> bool:
    """Return whether an attack is aimed at a runner on the same location or one ahead (C6.1)."""
    return GLORIA <= card <= CONSEJO


@kernel
def costs_object(card: int) -> bool:
    """Return whether an attack costs an object (C6.2)."""
    return GLORIA <= card <= KILIKIS


@kernel
def costs_card(card: int) -> bool:
    """Return whether an attack costs a card of the hand, which goes to the discard pile (C6.3)."""
    return LINEA_ROJA <= card <= GARROTAZO


@kernel
def is_special(card: int) -> bool:
    """Return whether a card is a special object, which is laid down before it serves (C7)."""
    return CAPOTE <= card <= ZAPATILLAS


@kernel
def is_bull(card: int) -> bool:
    """Return whether a card is a bull."""
    return CHULIN <= card <= HURON


@kernel
def is_fall(card: int) -> bool:
    """Return whether a card is a fall."""
    return SELFIE <= card <= POBRE


@kernel
def is_shown_on_draw(card: int) -> bool:
    """Return whether a card must be shown when it is drawn: a bull or a fall, which no hand has (C5.1)."""
    return CHULIN <= card <= POBRE


COPIES = np.array([card.copies for card in CARDS], np.int8).T.copy()  # (deck, kind)
DECK_SIZE = int(COPIES[STANDARD].sum())
CARDS_OF = np.array([STANDARD, CONFLICT, STANDARD], np.int8)  # deck -> the row of COPIES that it is made of

# On the last stretch (O1): cards that do not lie on the discard pile yet, how many a hand is dealt, objects left.
LATE_CARDS = np.zeros(NUM_CARDS, np.int8)
LATE_CARDS[[RECORTE, KILIKIS, PILLO, OTRA_VEZ, AVANZAR, CHULIN, SELFIE]] = 1
LATE_HAND, LATE_OBJECTS = 2, 3

LOCATION_NAMES = (  # number 1 to 7; the rulebook names the first and the last, the others are those of the real run
    "Cuesta de Santo Domingo",
    "Ayuntamiento",
    "Mercaderes",
    "Estafeta",
    "Telefónica",
    "Callejón",
    "Plaza de Toros",
)
# In the order in which they are kept: Ropa básica is lost last, the others from the right.
OBJECT_NAMES = ("Ropa básica", "Pañuelico", "Faja", "Boina", "Periódico enroscado")
ENGLISH_OBJECTS = ("White Clothes", "Neckerchief", "Sash", "Beret", "Rolled Newspaper")
