"""How the pieces of *Bandido Alcatraz* look: fragments of SVG, each drawn around its own origin.

Nothing here knows the rules or a state; tunnels_drawn.py draws cards, bay_drawn.py the island, and scene.py lays it all
out. What lies on a card is drawn for a half of 100 by 100.
"""

from functools import cache

from sobremesa.envs.core.drawing import text, width_of

# Told apart by every common kind of colour vision: a light and a dark of warm and of cold; ink to write on it.
SEAT_COLOURS = ("#e2562b", "#56b4e9", "#f4cf4a", "#8d5cc4")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff")

INK = "#20130b"
NIGHT = "#0d1626"
PANEL, PANEL_EDGE = "#18222f", "#4c5c6e"
PAPER, FAINT = "#f6ecd6", "#a9b4bd"
GOLD, RED = "#ffc94d", "#d8433b"


@cache
def badge(right: float, y: float, words: str, fill: str = GOLD, ink: str = INK) -> str:
    """Write `words` on a badge that ends at `right`, its middle at height `y`."""
    width = 16 + 11 * width_of(words)
    return (
        f'<rect x="{right - width:.1f}" y="{y - 9:.1f}" width="{width:.1f}" height="18" rx="9" fill="{fill}"/>'
        + text(right - width / 2, y + 4, words, 11, ink)
    )


@cache
def seat_sign(seat: int) -> str:
    """Draw the sign of a seat: a disc in its colour with its number; 24 across."""
    return f'<circle r="12" fill="{SEAT_COLOURS[seat]}" stroke="{PAPER}" stroke-width="1.5"/>' + text(
        0, 5, str(seat), 14, SEAT_INKS[seat]
    )


# The man.


@cache
def bandit() -> str:
    """Draw Bandido in his stripes and mask, a spoon in his hand; about 52 wide and 66 high."""
    coat = "M-15,6 C-15,0 -8,-2 0,-2 C8,-2 15,0 15,6 L16,30 H-16 Z"
    stripes = "".join(f'<path d="M{-15.2 - y / 40:.1f},{y} H{15.2 + y / 40:.1f}"/>' for y in (5, 13, 21, 28))
    arm = '<path d="M{0},5 Q{1},12 {2},18" fill="none" stroke="{3}" stroke-width="{4}" stroke-linecap="round"/>'
    arms = "".join(
        arm.format(sign * 13, sign * 20, sign * 21, colour, thick)
        for sign in (-1, 1)
        for colour, thick in ((INK, 10), ("#f4efe2", 7.4))
    )
    spoon = (
        f'<path d="M22,20 L29,-6" stroke="{INK}" stroke-width="4.6"/><path d="M22,20 L29,-6" stroke="#cfd6da" '
        f'stroke-width="2.4"/><ellipse cx="30" cy="-12" rx="4.4" ry="7" transform="rotate(14 30 -12)" fill="#e6ebee" '
        f'stroke="{INK}" stroke-width="1.3"/>'
    )
    cap = "M-12.5,-20 C-13,-31 -7,-33.5 0,-33.5 C7,-33.5 13,-31 12.5,-20 Z"
    return (
        '<ellipse cy="31" rx="22" ry="5" fill="#000" fill-opacity=".35"/>'
        f'{arms}{spoon}<path d="{coat}" fill="#f4efe2" stroke="{INK}" stroke-width="1.6" stroke-linejoin="round"/>'
        f'<g stroke="#1d1d22" stroke-width="4">{stripes}</g>'
        f'<path d="{coat}" fill="none" stroke="{INK}" stroke-width="1.6" stroke-linejoin="round"/>'
        f'<circle cx="-21" cy="19" r="4.4" fill="#e9b48a" stroke="{INK}" stroke-width="1.2"/>'
        f'<circle cx="21.5" cy="19" r="4.4" fill="#e9b48a" stroke="{INK}" stroke-width="1.2"/>'
        f'<circle cy="-14" r="13" fill="#e9b48a" stroke="{INK}" stroke-width="1.6"/>'
        f'<path d="{cap}" fill="#f4efe2" stroke="{INK}" stroke-width="1.5"/>'
        '<path d="M-12,-26.5 H12 M-12.6,-21 H12.6" stroke="#1d1d22" stroke-width="3"/>'
        '<path d="M-13,-17.5 Q0,-13.5 13,-17.5 L12.6,-10.5 Q6.5,-8 0,-11.5 Q-6.5,-8 -12.6,-10.5 Z" fill="#1d1d22"/>'
        '<circle cx="-5.2" cy="-13" r="2.5" fill="#fff"/><circle cx="5.2" cy="-13" r="2.5" fill="#fff"/>'
        '<circle cx="-4.4" cy="-12.7" r="1.2"/><circle cx="6" cy="-12.7" r="1.2"/>'
        f'<path d="M-4,-5.5 Q1,-2.5 5.5,-6.5" fill="none" stroke="{INK}" stroke-width="1.5" stroke-linecap="round"/>'
    )


# What lies on blank halves.


@cache
def raincoat(fill: str = "#ffd23b", edge: str = "#7a4d05") -> str:
    """Draw a yellow raincoat with its hood; about 40 wide and 46 high."""
    return (
        f'<g fill="{fill}" stroke="{edge}" stroke-width="2" stroke-linejoin="round">'
        '<path d="M-9,-9 L-21,12 L-13,16 L-10,9 L-12,23 H12 L10,9 L13,16 L21,12 L9,-9 Z"/>'
        '<path d="M-10,-8 C-13,-24 13,-24 10,-8 Q0,-2 -10,-8 Z"/></g>'
        f'<path d="M-5.5,-9 C-7,-18 7,-18 5.5,-9 Q0,-6 -5.5,-9 Z" fill="{edge}"/>'
        f'<path d="M0,-4 V23 M-10,9 L-9,0 M10,9 L9,0" fill="none" stroke="{edge}" stroke-width="1.5"/>'
        f'<g fill="{edge}"><circle cx="3.4" cy="4" r="1.4"/><circle cx="3.4" cy="11" r="1.4"/>'
        '<circle cx="3.4" cy="18" r="1.4"/></g>'
    )


@cache
def rope(fill: str = "#efd9ac", edge: str = "#6b4420") -> str:
    """Draw a coiled rope with its loose end; about 42 wide and 44 high."""
    coil = "".join(
        f'<ellipse cy="{y}" rx="{rx}" ry="9" fill="none" stroke="{colour}" stroke-width="{thick}"/>'
        for y, rx in ((9, 17), (3, 16), (-3, 15), (-9, 14))
        for colour, thick in ((edge, 7.4), (fill, 4.8))
    )
    tail = "M12,-13 C20,-20 8,-25 16,-21 M-14,11 C-24,16 -22,24 -12,22"
    twist = "M-15,8 l4,5 M-6,14 l4,4 M4,14 l5,3 M13,10 l4,3 M-14,-1 l4,4 M13,2 l4,3"
    return (
        f'<g fill="none" stroke-linecap="round"><path d="{tail}" stroke="{edge}" stroke-width="6.4"/>'
        f'<path d="{tail}" stroke="{fill}" stroke-width="3.8"/></g>{coil}'
        f'<path d="{twist}" stroke="{edge}" stroke-width="1.2"/>'
    )


@cache
def way_out() -> str:
    """Draw the exit: a shaft of moonlight with a ladder, and the moon above; about 66 wide and 84 high."""
    rungs = "".join(f"M-9,{y} H9 " for y in range(-30, 32, 9))
    return (
        '<path d="M-17,-42 H17 L27,27 Q0,42 -27,27 Z" fill="#7fb4e8" fill-opacity=".5"/>'
        '<path d="M-9,-42 H9 L16,30 Q0,38 -16,30 Z" fill="#e9f4ff" fill-opacity=".5"/>'
        '<path d="M-22,-24 C-22,-46 22,-46 22,-24 Q0,-17 -22,-24 Z" fill="#14284e" stroke="#bcd8f5" stroke-width="2"/>'
        '<circle cx="8" cy="-31" r="6.5" fill="#fff3c4"/><circle cx="11" cy="-33" r="5.4" fill="#14284e"/>'
        '<g fill="#fff"><circle cx="-12" cy="-30" r="1.4"/><circle cx="-5" cy="-35" r="1"/>'
        '<circle cx="-3" cy="-27" r=".9"/></g>'
        f'<path d="M-9,-27 V36 M9,-27 V36 {rungs}" fill="none" stroke="#4a2c12" stroke-width="6.2" '
        'stroke-linecap="round"/>'
        f'<path d="M-9,-27 V36 M9,-27 V36 {rungs}" fill="none" stroke="#d79a55" stroke-width="3.4" '
        'stroke-linecap="round"/>'
    )


@cache
def torch() -> str:
    """Draw a torch on the wall; about 12 wide and 26 high."""
    return (
        '<circle cy="-7" r="12" fill="#ffb13d" fill-opacity=".22"/>'
        f'<path d="M-2.4,0 H2.4 L1.4,14 H-1.4 Z" fill="#7a4a22" stroke="{INK}" stroke-width="1"/>'
        f'<path d="M-4.4,-2 H4.4 L3,3 H-3 Z" fill="#4b4f55" stroke="{INK}" stroke-width=".8"/>'
        '<path d="M-4,-2 C-7.5,-9 -1,-10 -1,-16.5 C5,-12 7,-7 4,-2 Z" fill="#ff8a1f"/>'
        '<path d="M-2,-2 C-4,-6.5 .3,-7 .4,-11 C3.4,-8 4,-5 2,-2 Z" fill="#ffe27a"/>'
    )


# Numbers at the open ends and on the water.

LIT, UNLIT, CALM, LOST = "lit", "unlit", "calm", "lost"  # lanterns: a card fits there, none does, unasked, left open
_LANTERNS = {
    LIT: ("#ffe28a", INK, "#fff6d2"),
    UNLIT: ("#4d3a2a", "#e9d9bd", "#a98a5c"),
    CALM: ("#e9b44c", INK, "#ffe6a8"),
    LOST: ("#a8271f", "#fff", "#ffb4a5"),
}


@cache
def lantern(number: int, mood: str, radius: float) -> str:
    """Draw the lantern of an open end with its number, so many units in radius."""
    fill, ink, edge = _LANTERNS[mood]
    r = radius
    glow = f'<circle r="{r * 2.3:.3g}" fill="url(#alcatraz-lamp)"/>' if mood == LIT else ""
    body = (
        f'{glow}<path d="M{-r * 0.55:.3g},{-r * 0.85:.3g} Q0,{-r * 1.9:.3g} {r * 0.55:.3g},{-r * 0.85:.3g}" '
        f'fill="none" stroke="{INK}" stroke-width="{r * 0.16:.3g}"/>'
        f'<circle r="{r:.3g}" fill="{fill}" stroke="{INK}" stroke-width="{r * 0.26:.3g}"/>'
        f'<circle r="{r * 0.86:.3g}" fill="none" stroke="{edge}" stroke-width="{r * 0.12:.3g}"/>'
    )
    return body + text(0, r * 0.44, str(number), r * 1.22, ink)


@cache
def drop(number: int, mood: str, radius: float) -> str:
    """Draw the drop that numbers a flooded half, so many units in radius."""
    r = radius
    fill, ink = ("#eafaff", "#0a3f66") if mood == LIT else ("#0e5a92", "#fff") if mood != LOST else ("#a8271f", "#fff")
    glow = f'<circle r="{r * 2.1:.3g}" fill="url(#alcatraz-wet)"/>' if mood == LIT else ""
    shape = (
        f"M0,{-r * 1.75:.3g} C{r * 0.5:.3g},{-r:.3g} {r:.3g},{-r * 0.5:.3g} {r:.3g},0 "
        f"A{r:.3g},{r:.3g} 0 1 1 {-r:.3g},0 C{-r:.3g},{-r * 0.5:.3g} {-r * 0.5:.3g},{-r:.3g} 0,{-r * 1.75:.3g} Z"
    )
    return (
        f'{glow}<path d="{shape}" fill="{fill}" stroke="#e6f7ff" stroke-width="{r * 0.16:.3g}"/>'
        f"{text(0, r * 0.44, str(number), r * 1.25, ink)}"
    )


@cache
def props(side: int) -> str:
    """Draw the timbers around an open mouth, the middle of the half at the origin, on the side so numbered."""
    posts = "".join(
        f'<rect x="{x}" y="-58" width="9" height="20" rx="1.5" fill="#a8743c" stroke="{INK}" stroke-width="1.6"/>'
        for x in (-33, 24)
    )
    beyond = '<path d="M-17,-49 H17 L13,-57 Q0,-64 -13,-57 Z" fill="#0e0805"/>'
    return f'<g transform="rotate({90 * side})">{beyond}{posts}</g>'


# Other things.


@cache
def card_back() -> str:
    """Draw the back of a card: the lighthouse of the island at night; 200 by 100 around the origin."""
    waves = "".join(f"M-92,{y} q11.5,-8 23,0 t23,0 t23,0 t23,0 t23,0 t23,0 t23,0 t23,0 " for y in (33, 41))
    return (
        '<rect x="-98" y="-48" width="196" height="96" rx="12" fill="#142b4d" stroke="#0a1526" stroke-width="4"/>'
        '<rect x="-90" y="-40" width="180" height="80" rx="7" fill="none" stroke="#5f86b8" stroke-width="2.4"/>'
        '<path d="M0,-18 L-84,-34 V-8 Z M0,-18 L84,-34 V-8 Z" fill="#ffe28a" fill-opacity=".4"/>'
        '<path d="M-6,-14 H6 L10,30 H-10 Z" fill="#f2ead8"/><path d="M-7.3,0 H7.3 L8.6,14 H-8.6 Z" fill="#c8433a"/>'
        '<path d="M-8,-14 H8 V-18 H5 V-24 L0,-30 L-5,-24 V-18 H-8 Z" fill="#2b3b52"/>'
        '<circle cy="-20" r="4" fill="#fff3c4"/><path d="M-40,32 Q0,20 40,32 Z" fill="#0a1526"/>'
        f'<path d="{waves}" fill="none" stroke="#4f8fc4" stroke-width="2.4"/>'
    )


@cache
def compass(letters: str) -> str:
    """Draw a compass with the letters of north, east, south and west; about 68 across."""
    rays = "".join(
        f'<path d="M0,-21 L4.5,-4.5 L0,0 Z" fill="{GOLD}" transform="rotate({turn})"/>'
        f'<path d="M0,-21 L-4.5,-4.5 L0,0 Z" fill="#8f6a1c" transform="rotate({turn})"/>'
        for turn in (0, 90, 180, 270)
    )
    spots = ((0, -24), (29, 4), (0, 33), (-29, 4))
    signs = "".join(text(x, y, sign, 12, PAPER) for (x, y), sign in zip(spots, letters, strict=True))
    return f'<circle r="15" fill="{NIGHT}" fill-opacity=".6" stroke="{GOLD}" stroke-width="1.2"/>{rays}{signs}'
