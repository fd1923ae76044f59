"""The tokens of *Estafado*: fox, vixen and bear on the floor; eagle, crow and sun on the ring."""

from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import place, symbols
from sobremesa.envs.estafado.drawing.animals import ART
from sobremesa.envs.estafado.drawing.pieces import GOLD, SEAT_COLOURS, shape, turned

_TOKENS = symbols(Path(__file__).with_name("tokens.svg"))
HALO, TRACKS, DOZE, SETTING = (_TOKENS[name] for name in ("halo", "tracks", "doze", "setting"))


def _disc(fill: str, edge: str, body: str, scale: float = 0.62) -> str:
    """Draw a token of radius 21."""
    disc = f'<circle r="21" fill="{fill}" stroke="{edge}" stroke-width="2.6"/>'
    return _TOKENS["shadow"] + disc + place(0, 0, body, scale)


@cache
def fox() -> str:
    """Draw the figure of the fox."""
    return _disc("#fff3df", SEAT_COLOURS[0], place(0, -1, ART["fox"]), 0.64)


@cache
def vixen() -> str:
    """Draw the token of the vixen."""
    return _disc("#fbe3ea", "#d0567f", ART["vixen"], 0.64)


@cache
def bear(angle: int | None) -> str:
    """Draw the bear's token, with an arrow at `angle` clockwise from north to its last card, if any."""
    edge = 'stroke="#fff" stroke-width="1.6" stroke-linejoin="round"'
    arrow = shape("M-9,-19 L0,-33 L9,-19 Z", SEAT_COLOURS[1], edge)
    return ("" if angle is None else turned(angle, arrow)) + _disc("#e4dcf2", SEAT_COLOURS[1], ART["bear"], 0.64)


@cache
def eagle() -> str:
    """Draw the eagle's token."""
    return _disc("#bfe0f2", SEAT_COLOURS[0], place(-2, 0, ART["eagle"]), 0.6)


@cache
def crow(apple: bool) -> str:
    """Draw the crow's token, with or without its apple."""
    return _disc("#e4dcf2", SEAT_COLOURS[1], place(-2, 0, ART["crow"] + (ART["apple"] if apple else "")), 0.6)


@cache
def sun(gone: int, last: int) -> str:
    """Draw the sun when it has gone `gone` spaces of `last`: golden, then red, in the end the moon."""
    if gone == last:
        return _disc("#2b3566", "#cfd6f2", _TOKENS["moon"].format(fill="#f6efc9"), 0.85)
    fill, rays = (
        ("#ffcf3f", "#f29c1f") if gone < 15 else ("#ff9f45", "#e0562b") if gone < 18 else ("#f26b43", "#a83250")
    )
    return _TOKENS["sun"].format(fill=fill, rays=rays)


@cache
def burst(radius: float) -> str:
    """Draw the star of a capture."""
    way = f"M-{radius * 0.2:g},-{radius * 0.5:g} L0,-{radius:g} L{radius * 0.2:g},-{radius * 0.5:g} Z"
    spikes = "".join(turned(24 * turn, shape(way, GOLD)) for turn in range(15))
    return spikes + f'<circle r="{radius * 0.62:g}" fill="#ffe27a"/>'
