"""Birds, frogs, reptiles, plants and the storm of *Estafado*, and the picture of each card.

Each is about 60 wide and high around the origin. A card whose name is not drawn gets a picture by its first effect.
"""

from functools import cache

from sobremesa.envs.core.drawing import place
from sobremesa.envs.estafado import heads_drawn, insects_drawn
from sobremesa.envs.estafado.cards import (
    BEAR_SKIP,
    CARDS,
    HURRICANE_BLOWS,
    LEAP,
    LOSE_TURN,
    NO_EFFECT,
    OUCH,
    PEEK_ADJACENT,
    PEEK_ANYWHERE,
    RABBIT,
    STEAL,
    SWAP_TWO,
    TUNNEL,
    WATER_DIVE,
    YIKES,
)
from sobremesa.envs.estafado.pieces import BLACK, both, line, oval, shape, turned

# Birds.


def owl() -> str:
    """Draw a horned owl."""
    return (
        both(shape("M-20,-12 L-23,-30 Q-10,-24 -3,-16 Z", "#6b4a2f"))
        + oval(0, 3, 24, 25, "#8a6440")
        + oval(0, 14, 15, 13, "#d8b98c")
        + line("M-8,10 q3,3 6,0 M2,10 q3,3 6,0 M-4,16 q3,3 6,0 M-11,17 q3,3 5,0 M5,17 q3,3 6,0", "#8a6440", 1.3)
        + both(
            oval(-10, -5, 10.5, 10.5, "#e8d3ad")
            + oval(-10, -5, 7, 7, "#f6bd3a")
            + oval(-10, -5, 3.8, 4, BLACK)
            + oval(-8.8, -6.6, 1.3, 1.3, "#fff")
        )
        + shape("M-3.4,-2 H3.4 L0,7 Z", "#3c2a1e")
        + both(shape("M-24,2 Q-30,16 -17,26 Q-15,12 -24,2 Z", "#5d3f28"))
    )


def _raptor(crown: str, cheek: str, beak: str, brow: str) -> str:
    return (
        shape("M-22,28 C-20,14 -22,6 -20,-6 C-18,-22 -4,-27 6,-24 C16,-21 20,-12 20,-6 C16,2 14,6 16,28 Z", crown)
        + shape("M-22,28 q1,-7 0,-12 l6,5 l2,-8 l6,9 l4,-8 l5,8 l5,-7 l4,5 q2,4 6,8 Z", cheek)
        + shape("M13,-14 C24,-14 30,-6 28,6 C26,1 22,-1 14,-1 Q10,-8 13,-14 Z", beak)
        + line("M14,-5 Q20,-4 25,-2", brow, 1)
        + oval(7, -10, 4, 4, "#fff3b8")
        + oval(7.6, -10, 2.4, 2.6, BLACK)
        + oval(8.4, -11, 0.8, 0.8, "#fff")
        + line("M0,-15 Q7,-17 13,-13", brow, 2.4)
    )


def hawk() -> str:
    """Draw a hawk."""
    return _raptor("#8e5632", "#e9cfa6", "#4a4d57", "#5b3218") + line(
        "M-15,-8 q3,3 2,6 M-12,2 q3,3 2,6 M-4,0 q2,3 1,6", "#5b3218", 1.6
    )


def eagle() -> str:
    """Draw the bald eagle."""
    return _raptor("#fdfbf5", "#4d3527", "#f2b134", "#b98419")


def crow(apple: bool = True) -> str:
    """Draw the crow, with the apple that she is about to lose."""
    fruit = oval(27, 0, 6, 6, "#d5402f") + oval(25, -2, 1.5, 1.5, "#ff9c8d") + line("M27,-6 q1,-3 3,-4", "#5c3a1e", 1.3)
    return (
        shape(
            "M-26,24 C-22,8 -24,2 -16,-10 C-10,-22 4,-25 12,-18 C16,-14 17,-9 16,-4 C14,8 10,12 8,24 Q-10,30 -26,24 Z",
            "#2d2a3e",
        )
        + shape("M-24,22 C-20,8 -14,2 -2,2 C0,14 -8,24 -24,22 Z", "#4a4569")
        + line("M-19,16 Q-12,8 -4,6 M-16,20 Q-8,14 -3,11", "#6d6796", 1.4)
        + shape("M13,-15 Q24,-13 30,-6 Q22,-4 15,-4 Z", "#55525f")
        + shape("M15,-6 Q21,-5 25,-2 Q20,0 15,-2 Z", "#3f3c48")
        + oval(8, -11, 3.8, 3.8, "#fff")
        + oval(8.8, -10.6, 2, 2.2, BLACK)
        + oval(9.5, -11.4, 0.7, 0.7, "#fff")
        + (fruit if apple else "")
    )


# Frogs, reptiles, a newt and a fish.


def _frog(skin: str, belly: str, spots: str) -> str:
    return (
        both(shape("M-14,10 C-30,4 -31,20 -22,26 L-30,28 H-10 Z", skin))
        + oval(0, 8, 22, 18, skin)
        + oval(0, 15, 14, 11, belly)
        + both(
            oval(-12, -14, 8.5, 8.5, skin)
            + oval(-12, -15, 5.8, 5.8, "#f8e27a")
            + oval(-12, -15, 2.6, 4.2, BLACK)
            + oval(-11, -17, 1.1, 1.1, "#fff")
        )
        + line("M-16,3 Q0,14 16,3", "#2f4021", 1.8)
        + both(oval(-4, -2, 1, 0.8, "#2f4021"))
        + spots
        + both(line("M-7,27 l-3,-10 M-10,28 h7", "#2f4021", 1.2))
    )


def bullfrog() -> str:
    """Draw a bullfrog."""
    return _frog("#6d9a3d", "#e6edb0", both(oval(-16, 10, 3, 2.4, "#4e7629") + oval(-18, 16, 2, 1.6, "#4e7629")))


def toad() -> str:
    """Draw a toad with warts."""
    warts = both(
        oval(-14, 8, 2.6, 2.2, "#6d4c2d") + oval(-18, 14, 2, 1.7, "#6d4c2d") + oval(-7, -6, 1.7, 1.4, "#6d4c2d")
    )
    return _frog("#a5825a", "#eadbbd", warts + oval(0, -4, 1.8, 1.5, "#6d4c2d"))


def _snake(skin: str, mark: str, tail: str) -> str:
    coil = "M-24,20 C-8,30 22,30 26,18 C28,8 4,6 -12,8 C-26,8 -26,-4 -12,-6 C-2,-8 4,-10 4,-16"
    return (
        tail
        + line(coil, skin, 10)
        + line(coil, mark, 5, 'stroke-dasharray="1 9"')
        + shape("M-4,-14 C-7,-24 2,-31 9,-29 C17,-28 20,-20 15,-15 C10,-9 0,-8 -4,-14 Z", skin)
        + oval(7, -21, 2.6, 2.8, "#fbe58a")
        + oval(7.4, -21, 1, 2.3, BLACK)
        + line("M16,-19 l8,1 m0,0 l4,-3 m-4,3 l4,3", "#d1372d", 1.4)
    )


def rattlesnake() -> str:
    """Draw a rattlesnake."""
    rattle = "".join(
        oval(-27 + 1.2 * ring, 14 - 5 * ring, 3.8 - 0.5 * ring, 3.2, "#e2c78c", 'stroke="#8a6a35" stroke-width=".8"')
        for ring in range(4)
    )
    return _snake("#b59a62", "#5c4526", rattle)


def copperhead() -> str:
    """Draw a copperhead."""
    return _snake("#cf8a58", "#8a4522", line("M-24,20 L-29,12", "#cf8a58", 4))


def snapping_turtle() -> str:
    """Draw a snapping turtle, its beak open."""
    ridges = line("M-18,6 l5,-9 M-7,2 l2,-10 M4,2 l-2,-10", "#3c4630", 1.8)
    return (
        shape("M-26,14 L-31,22 L-20,18 Z", "#6f7752")
        + shape("M-20,14 v11 h9 l1,-9 Z M2,14 v11 h9 l1,-10 Z", "#6f7752")
        + shape("M10,10 C14,2 18,-6 24,-8 L31,-4 L25,0 L30,5 Q22,14 12,16 Z", "#818a60")
        + shape(
            "M-26,15 L-21,4 L-19,6 L-15,-7 L-11,-4 L-5,-12 L-1,-6 L6,-7 L8,-1 L14,3 L14,15 Q-6,20 -26,15 Z", "#55603c"
        )
        + ridges
        + oval(22, -3, 2.2, 2.2, "#fbe58a")
        + oval(22.5, -3, 1, 1.4, BLACK)
        + line("M-24,15 Q-6,19 13,15", "#9aa276", 2.4)
    )


def box_turtle() -> str:
    """Draw a box turtle under its painted shell."""
    return (
        shape("M-18,14 v9 q4,4 9,0 v-7 Z M5,14 v9 q4,4 9,0 v-8 Z", "#a58a45")
        + oval(22, 5, 8.4, 7.4, "#b3974d")
        + shape("M-27,16 C-27,-12 -10,-18 -4,-18 C8,-18 18,-6 18,16 Q-4,21 -27,16 Z", "#5d4023")
        + line(
            "M-16,8 l-4,-6 M-16,8 l0,-8 M-16,8 l4,-7 M-3,4 l-4,-12 M-3,4 v-13 M-3,4 l5,-11 M9,9 l-2,-8 "
            "M9,9 l3,-7 M-10,15 v-4 M3,15 v-5",
            "#efb93f",
            2,
        )
        + line("M-26,15 Q-4,20 17,15", "#d8a645", 3)
        + oval(24.5, 3, 1.9, 2.1, BLACK)
        + oval(25, 2.3, 0.6, 0.6, "#fff")
        + line("M22,9 q4,2 7,-1", "#5d4023", 1.3)
    )


def salamander() -> str:
    """Draw a spotted salamander."""
    body = "M-25,22 C-12,28 -2,18 -8,8 C-14,-4 0,-8 6,-12"
    spots = "".join(
        oval(x, y, 2.2, 2.2, "#f6cc35")
        for x, y in ((-18, 24), (-9, 21), (-5, 13), (-11, 5), (-6, -4), (2, -8), (7, -15), (12, -21))
    )
    return (
        line("M-6,12 L8,18 l5,-2 M-12,6 L-24,4 l-3,-5 M2,-8 L12,2 l6,-1 M0,-11 L-11,-19 l-1,-5", "#33314a", 3.4)
        + line(body, "#33314a", 10.5)
        + oval(11, -18, 11, 8.6, "#33314a", 'transform="rotate(-38 11 -18)"')
        + spots
        + oval(8, -24, 2.2, 2.2, "#fff")
        + oval(17, -17, 2.2, 2.2, "#fff")
        + oval(8.5, -24.4, 1.1, 1.1, BLACK)
        + oval(17.4, -17.4, 1.1, 1.1, BLACK)
    )


def catfish() -> str:
    """Draw a catfish in the water."""
    return (
        oval(0, 5, 29, 21, "#a9d9e6", 'fill-opacity=".75"')
        + shape("M-12,3 L-29,-9 Q-25,3 -29,15 Z", "#c59a35")
        + shape("M-4,-9 Q2,-20 9,-10 Z M-2,14 Q0,24 7,15 Z", "#a97f26")
        + shape("M-17,3 C-8,-12 14,-13 24,-4 C28,2 26,8 22,11 C10,19 -8,15 -17,3 Z", "#d9ae45")
        + shape("M24,6 C16,17 -4,16 -14,6 C0,11 14,11 24,6 Z", "#f4e0a0")
        + line("M23,8 Q31,12 27,20 M20,10 Q22,19 15,22 M22,-4 Q30,-12 26,-18", "#8a671c", 1.5)
        + oval(15, -2, 2.8, 2.8, "#fff")
        + oval(15.6, -2, 1.5, 1.7, BLACK)
        + line("M-22,-14 q4,-3 8,0 t8,0 M2,25 q4,-3 8,0 t8,0", "#5aa4bb", 1.5)
    )


# Plants and the storm.


def _leaf(fill: str) -> str:
    return shape("M0,0 C-11,-7 -9,-22 0,-29 C9,-22 11,-7 0,0 Z", fill) + line(
        "M0,0 V-22 M0,-7 l-4,-4 M0,-7 l4,-4 M0,-14 l-3,-4 M0,-14 l3,-4", "#e4f0c4", 1.1
    )


def vegetation() -> str:
    """Draw a plant of the undergrowth."""
    leaves = ((-72, "#5f9440"), (72, "#5f9440"), (-36, "#74ab4c"), (36, "#74ab4c"), (0, "#8abf5c"))
    return place(0, 24, "".join(turned(angle, _leaf(fill)) for angle, fill in leaves), 1.25) + shape(
        "M-16,26 Q0,18 16,26 Z", "#7a5233"
    )


def fruit() -> str:
    """Draw berries and an acorn."""
    berries = "".join(
        oval(x, y, 7.6, 7.6, fill) + oval(x - 2.4, y - 2.6, 2, 1.6, "#fff", 'fill-opacity=".7"')
        for x, y, fill in ((-13, 2, "#c62f45"), (-20, 14, "#d94358"), (-6, 15, "#b3263c"))
    )
    acorn = (
        shape("M4,6 Q5,24 15,27 Q25,24 26,6 Z", "#c48a46")
        + shape("M2,8 Q2,-5 15,-5 Q28,-5 28,8 Q15,12 2,8 Z", "#7c5430")
        + line("M15,-5 q0,-5 3,-8", "#7c5430", 2.4)
    )
    return (
        line("M-13,-4 Q-12,-16 -2,-22 M-20,8 Q-22,-8 -2,-22", "#4b7a32", 2)
        + place(-2, -20, turned(66, _leaf("#6fa548")), 0.8)
        + berries
        + acorn
    )


def storm(cloud: str = "#5b7186", wind: str = "#e9f1f5") -> str:
    """Draw the eye of the hurricane."""
    arm = "M0,0 m-3,-5 C-18,-6 -22,-22 -6,-27 C10,-31 24,-22 26,-8 C16,-20 2,-20 2,-10 Z"
    arms = shape(arm, cloud) + turned(180, shape(arm, cloud))
    return (
        turned(-15, arms)
        + oval(0, 0, 13, 13, cloud)
        + line("M-8,2 A8,8 0 0 1 7,-4 M8,-2 A8,8 0 0 1 -7,4", wind, 2)
        + oval(0, 0, 3.6, 3.6, wind)
        + line("M-20,-24 q6,-6 14,-6 M20,24 q-6,6 -14,6 M27,2 q2,8 -3,14 M-27,-2 q-2,-8 3,-14", cloud, 2)
    )


_PICTURES = {
    "Rabbit #0": heads_drawn.rabbit, "Rabbit #1": heads_drawn.rabbit, "Rabbit #2": heads_drawn.rabbit,
    "Hurricane": storm, "Coyote": heads_drawn.coyote, "Mosquito": insects_drawn.mosquito,
    "Yellow Jacket": insects_drawn.wasp, "Vegetation": vegetation, "Fruit & Seeds": fruit,
    "Beaver": heads_drawn.beaver, "Yellow Bullhead Catfish": catfish, "Raccoon": heads_drawn.raccoon,
    "Bullfrog": bullfrog, "Field Cricket": insects_drawn.cricket, "Praying Mantis": insects_drawn.mantis,
    "Eastern Gray Squirrel": heads_drawn.squirrel, "Fowler's Toad": toad, "Eastern Mole": heads_drawn.mole,
    "Eastern Chipmunk": heads_drawn.chipmunk, "Groundhog": heads_drawn.groundhog, "Striped Skunk": heads_drawn.skunk,
    "Virginia Opossum": heads_drawn.opossum, "Timber Rattlesnake": rattlesnake, "Copperhead": copperhead,
    "Black Widow": insects_drawn.spider, "Snapping Turtle": snapping_turtle, "Porcupine": heads_drawn.porcupine,
    "Great Horned Owl": owl, "Red-tailed Hawk": hawk, "Eastern Box Turtle": box_turtle,
    "Spotted Salamander": salamander, "Firefly": insects_drawn.firefly, "Dragonfly": insects_drawn.dragonfly,
    "Monarch Butterfly": insects_drawn.butterfly, "Ladybug": insects_drawn.ladybug, "Honey Bee": insects_drawn.bee,
    "Bobcat": heads_drawn.bobcat, "Fisher": heads_drawn.fisher,
}  # fmt: skip
_BY_EFFECT = {
    NO_EFFECT: vegetation, RABBIT: heads_drawn.rabbit, YIKES: owl, OUCH: insects_drawn.wasp,
    LOSE_TURN: heads_drawn.skunk, LEAP: bullfrog, TUNNEL: heads_drawn.mole, PEEK_ADJACENT: insects_drawn.firefly,
    PEEK_ANYWHERE: insects_drawn.dragonfly, SWAP_TWO: insects_drawn.butterfly, WATER_DIVE: catfish,
    BEAR_SKIP: insects_drawn.mosquito, STEAL: heads_drawn.raccoon, HURRICANE_BLOWS: storm,
}  # fmt: skip


@cache
def picture(kind: int) -> str:
    """Draw what a kind of card shows."""
    card = CARDS[kind]
    first = card.effects[0][0] if card.effects else NO_EFFECT
    return _PICTURES.get(card.name, _BY_EFFECT[first])()
