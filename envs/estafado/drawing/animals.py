"""Pictures on the cards of *Estafado*: birds, frogs and reptiles, furry heads, insects, plants and the storm.

They are drawn in .svg files under the names of their cards, about 60 wide and high around the origin.
"""

import re
from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import symbols
from sobremesa.envs.estafado import cards
from sobremesa.envs.estafado.cards import CARDS, NO_EFFECT

ART = {
    name: drawn
    for family in ("animals", "heads", "insects", "land")
    for name, drawn in symbols(Path(__file__).with_name(f"{family}.svg")).items()
}
# The picture of a card whose name is not drawn, by its first effect.
_BY_EFFECT = {
    NO_EFFECT: "vegetation", cards.RABBIT: "rabbit", cards.YIKES: "great-horned-owl", cards.OUCH: "yellow-jacket",
    cards.LOSE_TURN: "striped-skunk", cards.LEAP: "bullfrog", cards.TUNNEL: "eastern-mole",
    cards.PEEK_ADJACENT: "firefly", cards.PEEK_ANYWHERE: "dragonfly", cards.SWAP_TWO: "monarch-butterfly",
    cards.WATER_DIVE: "yellow-bullhead-catfish", cards.BEAR_SKIP: "mosquito", cards.STEAL: "raccoon",
    cards.HURRICANE_BLOWS: "hurricane",
}  # fmt: skip


def storm(cloud: str = "#5b7186", wind: str = "#e9f1f5") -> str:
    """Draw the eye of the hurricane."""
    return ART["hurricane"].format(cloud=cloud, wind=wind)


def fern(fill: str) -> str:
    """Draw a frond that grows up and to the right from the origin."""
    return ART["fern"].format(fill=fill)


@cache
def picture(kind: int) -> str:
    """Draw the picture of a kind of card."""
    card = CARDS[kind]
    name = "-".join(re.findall("[a-z]+", card.name.lower()))
    if name not in ART:
        name = _BY_EFFECT[card.effects[0][0] if card.effects else NO_EFFECT]
    return storm() if name == "hurricane" else ART[name]
