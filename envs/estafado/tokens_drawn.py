"""The tokens of *Estafado*: fox, vixen and bear on the floor; eagle, crow and sun on the ring."""

from functools import cache

from sobremesa.envs.core.drawing import place
from sobremesa.envs.estafado import heads_drawn
from sobremesa.envs.estafado.animals_drawn import crow as crow_drawn
from sobremesa.envs.estafado.animals_drawn import eagle as eagle_drawn
from sobremesa.envs.estafado.cards_drawn import paw
from sobremesa.envs.estafado.pieces import GOLD, INK, SEAT_COLOURS, line, oval, shape, turned

_SHADOW = oval(1, 20, 18, 6, "#000", 'fill-opacity=".3"')


def _disc(fill: str, edge: str, body: str, scale: float = 0.62) -> str:
    """Draw a token of radius 21."""
    return _SHADOW + f'<circle r="21" fill="{fill}" stroke="{edge}" stroke-width="2.6"/>' + place(0, 0, body, scale)


@cache
def fox() -> str:
    """Draw the figure of the fox."""
    return _disc("#fff3df", SEAT_COLOURS[0], place(0, -1, heads_drawn.fox()), 0.64)


@cache
def vixen() -> str:
    """Draw the token of the vixen."""
    return _disc("#fbe3ea", "#d0567f", heads_drawn.vixen(), 0.64)


@cache
def bear(angle: int | None) -> str:
    """Draw the bear's token, its arrow turned clockwise from north by `angle` to where it came from, if anywhere."""
    arrow = (
        ""
        if angle is None
        else turned(
            angle,
            shape(
                "M-9,-19 L0,-33 L9,-19 Z", SEAT_COLOURS[1], 'stroke="#fff" stroke-width="1.6" stroke-linejoin="round"'
            ),
        )
    )
    return arrow + _disc("#e4dcf2", SEAT_COLOURS[1], heads_drawn.bear(), 0.64)


@cache
def eagle() -> str:
    """Draw the eagle's token."""
    return _disc("#bfe0f2", SEAT_COLOURS[0], place(-2, 0, eagle_drawn()), 0.6)


@cache
def crow(apple: bool) -> str:
    """Draw the crow's token, with or without her apple."""
    return _disc("#e4dcf2", SEAT_COLOURS[1], place(-2, 0, crow_drawn(apple)), 0.6)


@cache
def sun(gone: int, last: int) -> str:
    """Draw the sun when it has gone `gone` spaces of `last`: golden, then red, in the end the moon."""
    if gone == last:
        return _disc("#2b3566", "#cfd6f2", moon("#f6efc9"), 0.85)
    fill, rays = (
        ("#ffcf3f", "#f29c1f") if gone < 15 else ("#ff9f45", "#e0562b") if gone < 18 else ("#f26b43", "#a83250")
    )
    drawn = "".join(turned(30 * turn, shape("M-4,-15 L0,-24 L4,-15 Z", rays)) for turn in range(12))
    smile = (
        line("M-5,4 Q0,9 5,4", "#8a3d10", 1.8) + oval(-5, -2, 1.9, 2.3, "#8a3d10") + oval(5, -2, 1.9, 2.3, "#8a3d10")
    )
    cheeks = oval(-8.5, 3, 2.4, 1.6, "#f28a4a") + oval(8.5, 3, 2.4, 1.6, "#f28a4a")
    return f'{drawn}<circle r="15.5" fill="{fill}" stroke="{rays}" stroke-width="1.6"/>{cheeks}{smile}'


def moon(fill: str) -> str:
    """Draw a crescent, 24 high."""
    return shape("M5,-12 A13,13 0 1 0 12,7 A11,11 0 0 1 5,-12 Z", fill)


@cache
def setting() -> str:
    """Draw the place where the sun sets."""
    return '<circle r="11" fill="#33407a" stroke="#fff" stroke-width="1.4"/>' + place(-0.5, 0.5, moon("#fff0b8"), 0.55)


@cache
def halo() -> str:
    """Draw the ring around the token that is to move."""
    return f'<circle r="27" fill="{GOLD}" fill-opacity=".4" stroke="{GOLD}" stroke-width="2.4"/>'


@cache
def burst(radius: float) -> str:
    """Draw the star of a capture."""
    spikes = "".join(
        turned(
            24 * turn,
            shape(f"M-{radius * 0.2:g},-{radius * 0.5:g} L0,-{radius:g} L{radius * 0.2:g},-{radius * 0.5:g} Z", GOLD),
        )
        for turn in range(15)
    )
    return spikes + f'<circle r="{radius * 0.62:g}" fill="#ffe27a"/>'


@cache
def tracks() -> str:
    """Draw two prints of the fox's paw."""
    return place(-9, 6, turned(-14, paw("#fff")), 0.55) + place(9, -6, turned(-14, paw("#fff")), 0.55)


@cache
def doze() -> str:
    """Draw the breath of a sleeper."""
    strokes = "M-7,6 h7 l-7,8 h7 M4,-4 h6 l-6,7 h6 M12,-13 h5 l-5,6 h5"
    return line(strokes, "#fff", 4) + line(strokes, INK, 1.9)
