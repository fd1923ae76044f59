"""The cards of *Estafado*, as a table: to correct a card, change its row (clause C1 of RULES.md).

The symbols of most printed cards are unknown. Each row has the source of its name and effects: "rulebook",
"public" (a page on the parent game) or "house" (chosen, see H1). Rules use the arrays below the table; only the
Hurricane, with its own back, is used by name.
"""

from typing import NamedTuple

import numpy as np

# Effects, each with an amount where one is named. What follows a leap or a tunnel on a card does not happen.
(
    NO_EFFECT,  # the end of a card's effects
    RABBIT,  # an encounter with so many rolls
    YIKES,  # back to where this step began
    OUCH,  # the next turn is lost
    LOSE_TURN,  # the same, by another symbol
    LEAP,  # may jump exactly so far in a straight line
    TUNNEL,  # may move to one of the eight neighbours; also a way to leave the card
    PEEK_ADJACENT,  # may look at so many face-down neighbours
    PEEK_ANYWHERE,  # may look at so many face-down cards
    SWAP_TWO,  # may swap two cards unseen
    WATER_DIVE,  # the eagle may move up to so many spaces now
    BEAR_SKIP,  # the bear does not move next time
    STEAL,  # the last rabbit caught gets away
    HURRICANE_BLOWS,  # face-down cards are shuffled
) = range(14)
NUM_EFFECTS = 14
MOST_EFFECTS = 2  # on one card


class Card(NamedTuple):
    """A kind of card."""

    name: str
    spanish: str
    copies: int
    effects: tuple[tuple[int, int], ...] = ()  # (effect, amount), in order
    keeps_up: bool = False  # is not turned down again
    no_swap: bool = False  # the symbol "do not swap"
    one_shot: bool = False  # goes to the discard pile once resolved
    name_from: str = "house"
    effects_from: str = "house"


CARDS = (
    Card("Rabbit #0", "Conejo #0", 1, ((RABBIT, 0),), keeps_up=True, name_from="rulebook", effects_from="public"),
    Card("Rabbit #1", "Conejo #1", 1, ((RABBIT, 1),), keeps_up=True, name_from="rulebook", effects_from="public"),
    Card("Rabbit #2", "Conejo #2", 1, ((RABBIT, 2),), keeps_up=True, name_from="rulebook", effects_from="public"),
    Card("Hurricane", "Huracán", 1, ((HURRICANE_BLOWS, 0),), one_shot=True, name_from="rulebook"),
    Card("Coyote", "Coyote", 1, keeps_up=True, name_from="rulebook"),  # Rivals is inactive, by the rulebook
    Card("Mosquito", "Mosquito", 2, ((BEAR_SKIP, 0),), name_from="public"),
    Card("Yellow Jacket", "Avispa", 1, ((OUCH, 0),), name_from="rulebook"),
    Card("Vegetation", "Vegetación", 2, name_from="public"),
    Card("Fruit & Seeds", "Frutas y semillas", 2, name_from="public"),
    Card("Beaver", "Castor", 1, keeps_up=True, no_swap=True, name_from="public"),
    Card("Yellow Bullhead Catfish", "Bagre amarillo", 1, ((WATER_DIVE, 2),), name_from="public"),
    Card("Raccoon", "Mapache", 1, ((STEAL, 0),), name_from="public"),
    Card("Bullfrog", "Rana toro", 2, ((LEAP, 1),), name_from="public", effects_from="public"),
    Card("Field Cricket", "Grillo", 2, ((LEAP, 1),)),
    Card("Praying Mantis", "Mantis religiosa", 1, ((LEAP, 1),)),
    Card("Eastern Gray Squirrel", "Ardilla gris", 2, ((LEAP, 2),)),
    Card("Fowler's Toad", "Sapo de Fowler", 1, ((LEAP, 1),), name_from="public"),
    Card("Eastern Mole", "Topo", 1, ((TUNNEL, 0),), keeps_up=True),
    Card("Eastern Chipmunk", "Ardilla listada", 1, ((TUNNEL, 0),), keeps_up=True),
    Card("Groundhog", "Marmota", 1, ((TUNNEL, 0),), keeps_up=True),
    Card("Striped Skunk", "Mofeta", 1, ((LOSE_TURN, 0),)),
    Card("Virginia Opossum", "Zarigüeya", 1, ((LOSE_TURN, 0),)),
    Card("Timber Rattlesnake", "Serpiente de cascabel", 1, ((OUCH, 0),)),
    Card("Copperhead", "Víbora cobriza", 1, ((OUCH, 0),)),
    Card("Black Widow", "Viuda negra", 1, ((OUCH, 0),)),
    Card("Snapping Turtle", "Tortuga mordedora", 1, ((OUCH, 0),)),
    Card("Porcupine", "Puercoespín", 1, ((OUCH, 0),), keeps_up=True, no_swap=True),
    Card("Great Horned Owl", "Búho cornudo", 1, ((YIKES, 0),)),
    Card("Red-tailed Hawk", "Ratonero de cola roja", 1, ((YIKES, 0),)),
    Card("Eastern Box Turtle", "Tortuga de caja", 1),
    Card("Spotted Salamander", "Salamandra moteada", 2, name_from="public"),
    Card("Firefly", "Luciérnaga", 2, ((PEEK_ADJACENT, 2),)),
    Card("Dragonfly", "Libélula", 2, ((PEEK_ANYWHERE, 1),)),
    Card("Monarch Butterfly", "Mariposa monarca", 2, ((SWAP_TWO, 0),)),
    Card("Ladybug", "Mariquita", 1, ((PEEK_ADJACENT, 4),)),
    Card("Honey Bee", "Abeja", 1, ((PEEK_ANYWHERE, 1),)),
    Card("Bobcat", "Lince rojo", 1, ((YIKES, 0),), name_from="public"),
    Card("Fisher", "Marta pescadora", 1, ((YIKES, 0),), name_from="public"),
)

NUM_KINDS = len(CARDS)  # also the value that means no card
NO_CARD = NUM_KINDS
NUM_RABBITS = 3  # the first kinds
_NAMES = [card.name for card in CARDS]
HURRICANE = _NAMES.index("Hurricane")  # its back differs from all others

# What each effect may be given; SWAP_TWO ends a card too, since it may take the card itself away.
_AMOUNTS = {
    RABBIT: (0, 1, 2),
    LEAP: (1, 2),
    PEEK_ADJACENT: (1, 2, 3, 4),
    PEEK_ANYWHERE: (1, 2, 3, 4),
    WATER_DIVE: (1, 2),
}
_LAST = (YIKES, LEAP, TUNNEL, SWAP_TWO)
for _card in CARDS:
    for _place, (_effect, _amount) in enumerate(_card.effects):
        if _amount not in _AMOUNTS.get(_effect, (0,)) or len(_card.effects) > MOST_EFFECTS:
            raise ValueError(f"{_card.name}: effects {_card.effects} are not allowed; amounts are {_AMOUNTS}")
        if (_effect in _LAST and _place + 1 < len(_card.effects)) or (_effect in _LAST and _card.one_shot):
            raise ValueError(f"{_card.name}: nothing can follow effect {_effect}")

COPIES = np.array([card.copies for card in CARDS], np.int8)
EFFECTS = np.zeros((NUM_KINDS, MOST_EFFECTS + 1, 2), np.int8)  # (kind, place, effect or amount); NO_EFFECT at the end
for _kind, _card in enumerate(CARDS):
    EFFECTS[_kind, : len(_card.effects)] = np.array(_card.effects, np.int8).reshape(-1, 2)
KEEPS_UP = np.array([card.keeps_up for card in CARDS])
NO_SWAP = np.array([card.no_swap for card in CARDS])
TUNNELS = np.array([any(effect == TUNNEL for effect, _ in card.effects) for card in CARDS])
ONE_SHOT = np.array([card.one_shot for card in CARDS])

LEADS_ON = int(sum(card.copies for card in CARDS if {LEAP, TUNNEL} & {effect for effect, _ in card.effects}))
FLOOR_SIZE, HAND_SIZE = 25, 5
NUM_CARDS = int(COPIES.sum())
DECK_SIZE = NUM_CARDS - FLOOR_SIZE - HAND_SIZE  # 18 to draw from (C2.4)

# At dusk (O1): the rabbits that are caught, the one that is left, cards of which two lie face-down with it and two make
# the deck, and those that lie face-up on the other cells, in order.
DUSK_PREY, DUSK_RABBIT, DUSK_DECK_SIZE = (0, 2), 1, 2
DUSK_CARDS = np.array([_NAMES.index(name) for name in ("Yellow Jacket", "Vegetation", "Bullfrog", "Bullfrog")], np.int8)
NUM_DUSK_CARDS = len(DUSK_CARDS)
_OTHERS = [kind for kind in range(NUM_RABBITS, NUM_KINDS) for _ in range(CARDS[kind].copies)]
for _kind in (*DUSK_CARDS.tolist(), HURRICANE):
    _OTHERS.remove(_kind)
DUSK_FLOOR = np.array([kind for kind in _OTHERS if not TUNNELS[kind]][: FLOOR_SIZE - 3], np.int8)

# Features of a card in an observation: a row by kind. Cards with the same symbols are alike in play.
FEATURES = (
    "rabbit #0", "rabbit #1", "rabbit #2", "yikes", "loses the next turn", "leap 1", "leap 2", "tunnel",
    "peeks", "peeks anywhere", "swaps two", "water dive", "bear skips", "steal", "hurricane", "keeps face-up",
    "do not swap", "harmless",
)  # fmt: skip
NUM_FEATURES = len(FEATURES)


def _features(card: Card) -> list[float]:
    worth = dict.fromkeys(FEATURES, 0.0)
    worth["keeps face-up"], worth["do not swap"] = float(card.keeps_up), float(card.no_swap)
    worth["harmless"] = float(not card.effects)
    names = {
        YIKES: "yikes", OUCH: "loses the next turn", LOSE_TURN: "loses the next turn", TUNNEL: "tunnel",
        SWAP_TWO: "swaps two", WATER_DIVE: "water dive", BEAR_SKIP: "bear skips", STEAL: "steal",
        HURRICANE_BLOWS: "hurricane",
    }  # fmt: skip
    for effect, amount in card.effects:
        if effect == RABBIT:
            worth[f"rabbit #{amount}"] = 1.0
        elif effect == LEAP:
            worth[f"leap {amount}"] = 1.0
        elif effect in (PEEK_ADJACENT, PEEK_ANYWHERE):
            worth["peeks"] = amount / 4
            worth["peeks anywhere"] = float(effect == PEEK_ANYWHERE)
        else:
            worth[names[effect]] = 1.0
    return list(worth.values())


FEATURES_OF = np.array([_features(card) for card in CARDS], np.float32)  # (kind, feature)
