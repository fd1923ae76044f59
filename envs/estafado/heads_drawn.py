"""The furry animals of *Estafado*, as heads that look at us; each about 60 wide and high around the origin."""

from sobremesa.envs.core.drawing import place
from sobremesa.envs.estafado.pieces import BLACK, WHITE, both, eyes, line, oval, shape, turned

_PINK = "#f0a8a0"


def _nose(y: float, fill: str = BLACK, wide: float = 3.4) -> str:
    top, foot, half = y - 1.6, y + 2.6, wide / 2
    upper = f"M{-wide},{top:g} Q0,{y - 3.4:g} {wide},{top:g}"
    return shape(f"{upper} Q{half:g},{foot:g} 0,{foot:g} Q{-half:g},{foot:g} {-wide},{top:g} Z", fill)


def _smile(y: float, colour: str = BLACK, wide: float = 5) -> str:
    return line(
        f"M{-wide},{y} Q{-wide / 2:g},{y + 4} 0,{y} Q{wide / 2:g},{y + 4} {wide},{y} M0,{y} V{y - 3}", colour, 1.3
    )


def _whiskers(y: float, colour: str) -> str:
    return both(line(f"M9,{y} L25,{y - 3} M9,{y + 2.5} L24,{y + 5}", colour, 0.9))


def _teeth(y: float) -> str:
    return (
        f'<rect x="-4" y="{y}" width="8" height="8" rx="1.6" fill="#fffdf2" stroke="#9a8468" stroke-width=".8"/>'
        + line(f"M0,{y} v8", "#9a8468", 0.8)
    )


def _round_ears(x: float, y: float, size: float, fur: str, inner: str) -> str:
    return both(oval(x, y, size, size, fur) + oval(x, y + 0.6, size * 0.58, size * 0.58, inner))


def fox(fur: str = "#e2762d", deep: str = "#b9531b") -> str:
    """Draw a fox."""
    return (
        both(
            shape("M-21,-5 L-24,-29 Q-12,-25 -5,-16 Z", fur)
            + shape("M-19.5,-11 L-21,-24 Q-14,-21 -10,-16 Z", "#4a2a1f")
        )
        + shape(
            "M-24,-4 C-23,-17 -10,-20 0,-19 C10,-20 23,-17 24,-4 C25,1 27,4 28,7 C17,10 8,18 0,26 C-8,18 "
            "-17,10 -28,7 C-27,4 -25,1 -24,-4 Z",
            fur,
        )
        + both(shape("M-28,7 C-24,4 -14,-2 -7,4 C-3,8 -1,14 0,26 C-8,18 -17,10 -28,7 Z", WHITE))
        + shape("M0,-19 C3,-12 4,-2 3.4,8 Q0,10 -3.4,8 C-4,-2 -3,-12 0,-19 Z", deep, 'fill-opacity=".35"')
        + eyes(10, -2, 2.9)
        + oval(0, 22.5, 4, 3.3, BLACK)
        + oval(1.2, 21.4, 1.2, 0.8, "#fff")
    )


def vixen() -> str:
    """Draw the vixen: a lighter fox with long lashes and a flower at her ear."""
    petals = "".join(turned(72 * turn, oval(0, -4, 2.9, 3.6, "#fff")) for turn in range(5))
    lashes = both(line("M-12.6,-4 l-4,-2.2 M-12,-5.5 l-3,-3.2", BLACK, 1.2))
    return fox("#f0994e", "#cf6d2c") + lashes + place(17, -17, petals + oval(0, 0, 2.5, 2.5, "#f7c33b"), 1.2)


def coyote() -> str:
    """Draw a coyote: lean and grey."""
    return place(0, 0, fox("#a58f72", "#6e5a45")) + both(line("M-15,5 q4,1 6,4", "#c9b79b", 1.6))


def bear() -> str:
    """Draw a black bear."""
    return (
        _round_ears(18, -17, 9, "#2c2728", "#6b4f41")
        + oval(0, 0, 26, 24, "#2c2728")
        + oval(0, 10, 13, 11.5, "#a77a55")
        + both(line("M-14,-10 q4,-3 8,-1", "#4a4142", 2))
        + eyes(10, -4, 3, "#120f10")
        + both(oval(-10, -4, 4.2, 4.6, "none", 'stroke="#6b5a52" stroke-width=".8"'))
        + _nose(5, BLACK, 5)
        + _smile(14.5, "#3a2419", 5)
    )


def rabbit() -> str:
    """Draw a young cottontail."""
    ear = oval(0, -23, 6, 15, "#b98f66") + oval(0, -22, 3, 11, "#f1bfae")
    return (
        f'<g transform="translate(-7 2) rotate(-9)">{ear}</g><g transform="translate(7 2) rotate(12)">{ear}</g>'
        + oval(0, 8, 21, 18.5, "#c39a70")
        + both(oval(-12, 14, 8.5, 7, "#e9d3b4"))
        + oval(0, 15, 8, 7, WHITE)
        + both(oval(-15, 10, 3.4, 2.2, _PINK, 'fill-opacity=".7"'))
        + eyes(9.5, 4, 3.4)
        + _nose(11, "#d9776f", 2.8)
        + _smile(16.5, "#7d5238", 4)
    )


def raccoon() -> str:
    """Draw a raccoon behind its mask."""
    return (
        _round_ears(18, -17, 8.5, "#6f6a6c", "#d8d2cc")
        + shape("M-26,4 C-26,-14 -14,-22 0,-22 C14,-22 26,-14 26,4 C20,10 12,24 0,24 C-12,24 -20,10 -26,4 Z", "#8f898b")
        + both(shape("M-26,4 C-22,-8 -10,-12 -2,-3 C-4,6 -14,10 -26,4 Z", "#2e2a2d"))
        + both(line("M-22,-7 C-16,-13 -8,-12 -2.5,-7", "#f4efe8", 3.2))
        + oval(0, 13, 8.5, 9, "#f4efe8")
        + shape("M-3,-20 H3 L2.5,6 H-2.5 Z", "#4b4648")
        + eyes(10.5, -1, 2.9, "#0d0b0c")
        + both(oval(-10.5, -1, 3.8, 4.1, "none", 'stroke="#cfc6bd" stroke-width=".7"'))
        + _nose(11, BLACK, 4)
        + _smile(17, BLACK, 3.6)
    )


def _rodent(fur: str, muzzle: str, ear: str) -> str:
    return (
        _round_ears(17, -15, 6.5, fur, ear)
        + shape("M-22,0 C-22,-16 -12,-21 0,-21 C12,-21 22,-16 22,0 C25,14 14,23 0,23 C-14,23 -25,14 -22,0 Z", fur)
        + both(oval(-9, 11, 10, 8, muzzle))
        + eyes(10, -4, 2.8)
        + _teeth(15)
        + _nose(5, "#3a2720", 4.6)
        + line("M0,7 V13", "#3a2720", 1.2)
    )


def beaver() -> str:
    """Draw a beaver with its tail."""
    tail = oval(0, 0, 9, 17, "#5b4334") + line("M-6,-8 l12,6 M-7,-1 l14,6 M6,-8 l-12,6 M7,-1 l-14,6", "#3f2d23", 1)
    return f'<g transform="translate(21 8) rotate(38)">{tail}</g>' + _rodent("#7b5236", "#b98a62", "#4b3122")


def groundhog() -> str:
    """Draw a groundhog."""
    return (
        _rodent("#9a8364", "#d9c3a0", "#6a5640")
        + both(line("M-16,-12 q4,-4 9,-5", "#7c6749", 2))
        + _whiskers(10, "#5d4b36")
    )


def chipmunk() -> str:
    """Draw a chipmunk with full cheeks."""
    return (
        _round_ears(14, -19, 6.5, "#b96f35", "#7d4620")
        + oval(0, 0, 20, 21, "#c9803f")
        + both(oval(-14, 9, 11, 10, "#e7b077"))
        + shape("M-3,-21 H3 L2,-5 H-2 Z", "#4b2a18")
        + both(line("M-8,-19 L-6,-9", WHITE, 3) + line("M-12,-17 L-10,-8", "#4b2a18", 2.4))
        + both(line("M-17,-5 Q-9,-9 -4,-2", "#f8e6cb", 2.6))
        + eyes(9, -1, 3)
        + oval(0, 12, 7, 6, "#fbeeda")
        + _nose(8, "#3b2118", 3)
        + _smile(13, "#3b2118", 3.4)
    )


def squirrel() -> str:
    """Draw a grey squirrel before its tail."""
    return (
        shape("M6,27 C34,26 34,-4 27,-14 C24,-30 4,-30 6,-18 C16,-20 16,-8 12,0 Z", "#a7a5a6")
        + line("M14,22 C28,18 28,-4 20,-16", "#d4d1d0", 3)
        + both(shape("M-16,-9 L-17,-25 Q-8,-21 -5,-13 Z", "#8a8788"))
        + shape("M-14.5,-14 L-15,-21 Q-10,-18 -9,-14 Z", "#e0b9a0")
        + oval(-1, 3, 19, 19, "#8f8c8d")
        + place(-1, 0, both(oval(-7, 11, 9, 8, "#f1ece6")))
        + place(-1, 0, eyes(9, -1, 3.2) + _nose(6, "#3b2a28", 3) + _smile(12, "#5a4a46", 4))
    )


def mole() -> str:
    """Draw a mole that comes out of its hill."""
    paw = shape("M-22,18 q-6,-9 0,-12 l2,6 l1,-8 q3,-1 4,1 l0,7 l3,-6 q4,1 3,4 l-3,10 Z", "#eab7a8")
    return (
        oval(0, 2, 19, 22, "#4a4550")
        + oval(-6, -8, 6, 8, "#605a68", 'fill-opacity=".6"')
        + eyes(7, -6, 1.7)
        + shape("M-8,0 Q0,-6 8,0 Q6,11 0,13 Q-6,11 -8,0 Z", "#f0b9ae")
        + oval(0, 4, 4.4, 3.6, "#d9776f")
        + both(paw)
        + _whiskers(6, "#2c2830")
        + shape("M-30,28 Q-24,16 -12,20 Q0,13 12,20 Q24,16 30,28 Z", "#7a5233")
        + both(oval(-15, 24, 3, 2, "#5a3a22"))
    )


def skunk() -> str:
    """Draw a skunk, its tail raised."""
    return (
        shape("M-4,-6 C-26,-10 -20,-32 2,-30 C26,-30 32,-12 18,6 Z", "#2a272b")
        + shape("M-2,-12 C-14,-16 -8,-27 3,-26 C18,-25 24,-12 14,0 C14,-12 8,-16 -2,-12 Z", WHITE)
        + _round_ears(12, -8, 5, "#2a272b", "#6a5f63")
        + shape("M-19,8 C-19,-8 -10,-11 0,-11 C10,-11 19,-8 19,8 C16,16 8,26 0,26 C-8,26 -16,16 -19,8 Z", "#2a272b")
        + shape("M-4,-11 Q0,-13 4,-11 Q5,2 1.8,14 H-1.8 Q-5,2 -4,-11 Z", WHITE)
        + both(oval(-9, 4, 4.3, 4.4, "#4d474e"))
        + eyes(9, 4, 2.6, "#0d0b0c")
        + _nose(20, "#e7a29b", 3)
    )


def opossum() -> str:
    """Draw an opossum."""
    return (
        both(oval(-17, -15, 8, 9, "#35303a") + oval(-17, -13, 5, 6, "#c99aa0"))
        + shape(
            "M-24,2 C-24,-14 -12,-20 0,-20 C12,-20 24,-14 24,2 C18,10 8,16 4,25 Q0,28 -4,25 C-8,16 -18,10 -24,2 Z",
            "#efeae4",
        )
        + shape("M-9,-19 Q0,-22 9,-19 Q3,-10 0,-2 Q-3,-10 -9,-19 Z", "#a8a1a4")
        + both(oval(-9, -2, 5, 5.4, "#8d868b", 'fill-opacity=".7"'))
        + eyes(9, -2, 2.9)
        + oval(0, 23.5, 3.8, 3, "#e58f8b")
        + line("M-7,14 l3,2 M-8,17 l3,1 M7,14 l-3,2 M8,17 l-3,1", "#8d868b", 0.9)
    )


def porcupine() -> str:
    """Draw a porcupine among its quills."""
    quills = "".join(
        turned(
            angle,
            shape(
                "M-2.2,-12 L0,-31 L2.2,-12 Z",
                "#5b4a3d" if turn % 2 else "#efe2c4",
                'stroke="#4a3b30" stroke-width=".6"',
            ),
        )
        for turn, angle in enumerate(range(-117, 118, 13))
    )
    return (
        place(0, 4, quills)
        + oval(0, 8, 18, 17, "#6f5846")
        + both(oval(-11, -4, 4, 4, "#56432f"))
        + oval(0, 15, 9.5, 8, "#c5a684")
        + eyes(8, 4, 2.8)
        + _nose(12, "#2c1f18", 3.8)
        + _smile(17.5, "#4a3527", 3.6)
    )


def bobcat() -> str:
    """Draw a bobcat, ears tufted."""
    return (
        both(
            shape("M-22,-4 L-21,-26 Q-9,-22 -5,-15 Z", "#b98350")
            + line("M-21,-25 l-2,-6", BLACK, 2)
            + shape("M-19,-10 L-18.5,-21 Q-12,-18 -9,-14 Z", "#f3ddc0")
        )
        + shape(
            "M-23,2 C-23,-14 -12,-20 0,-20 C12,-20 23,-14 23,2 L28,12 L20,13 L21,20 L13,18 Q8,24 0,24 "
            "Q-8,24 -13,18 L-21,20 L-20,13 L-28,12 Z",
            "#cc9961",
        )
        + both(
            line("M-4,-19 L-3,-11 M-10,-17 L-8,-11 M-22,4 L-15,6 M-21,10 L-15,10", "#6d4526", 2)
            + oval(-5, 13, 7.5, 6.4, "#fbeeda")
        )
        + both(oval(-10, -2, 5, 4.2, "#f3e2a0"))
        + eyes(10, -2, 2.5)
        + _nose(8, "#c4665f", 3.4)
        + _smile(13.5, "#5b3a22", 4)
        + _whiskers(13, "#6d5540")
    )


def fisher() -> str:
    """Draw a fisher, dark and sleek."""
    return (
        _round_ears(17, -14, 7.5, "#3c2a20", "#8d6a50")
        + shape("M-23,0 C-23,-15 -12,-20 0,-20 C12,-20 23,-15 23,0 C20,14 10,25 0,25 C-10,25 -20,14 -23,0 Z", "#4d3628")
        + oval(0, -11, 12, 7, "#7a5b43", 'fill-opacity=".6"')
        + oval(0, 14, 9.5, 8.5, "#8d6a50")
        + both(oval(-10, -2, 4.2, 3.6, "#e3c56a"))
        + eyes(10, -2, 2.3)
        + _nose(10, BLACK, 4)
        + shape("M-6,16 H6 L4,19 L2.4,17 L0,19 L-2.4,17 L-4,19 Z", "#fff")
        + _whiskers(13, "#2a1c14")
    )
