"""Insects and a spider of *Estafado*, mostly seen from above; each about 60 wide and high around the origin."""

from sobremesa.envs.core.drawing import place
from sobremesa.envs.estafado.pieces import BLACK, WHITE, both, eyes, line, oval, shape, turned

_WING = 'stroke="#7fa3b5" stroke-width=".8" fill-opacity=".85"'


def _legs(colour: str, reach: float = 18) -> str:
    knee = reach * 0.7
    way = f"M-5,-6 L-{knee:g},-11 L-{reach:g},-18 M-6,2 L-{reach:g},2 M-5,9 L-{knee:g},15 L-{reach:g},23"
    return both(line(way, colour, 1.8))


def _feelers(colour: str) -> str:
    return both(line("M-2,-19 Q-5,-27 -11,-29", colour, 1.5))


def mosquito() -> str:
    """Draw a mosquito."""
    return (
        both(line("M-2,-4 L-14,-12 L-22,-2 M-2,0 L-17,4 L-24,16 M-2,4 L-11,14 L-15,28", "#4c4652", 1.3))
        + both(shape("M-1,-6 C-14,-16 -28,-6 -26,2 C-18,6 -6,4 -1,-2 Z", "#dbeaf0", _WING))
        + oval(0, 10, 3.4, 16, "#6b6273")
        + line("M-3,6 h6 M-3,12 h6 M-2.6,18 h5.2", "#cfc6d6", 1.3)
        + oval(0, -7, 5.5, 6, "#544c5c")
        + oval(0, -15, 4, 4, "#3f3946")
        + both(oval(-2.4, -16, 1.7, 1.7, "#d9534a"))
        + line("M0,-19 V-30", "#3f3946", 1.5)
    )


def _striped(yellow: str, furry: bool) -> str:
    body = shape("M-11,0 Q-12,16 0,28 Q12,16 11,0 Q0,-5 -11,0 Z", yellow) if not furry else oval(0, 11, 13, 15, yellow)
    return (
        _legs("#2c2420")
        + both(shape("M-2,-6 C-18,-26 -32,-14 -27,-4 C-22,3 -8,3 -2,-1 Z", "#e6f1f4", _WING))
        + body
        + line("M-10.5,5 Q0,9 10.5,5 M-9.5,12 Q0,16 9.5,12 M-6.5,19 Q0,22 6.5,19", "#2c2420", 3.6)
        + oval(0, -7, 8, 7.5, "#5b3f1e" if furry else "#2c2420")
        + oval(0, -16, 6.4, 5.6, yellow if not furry else "#3b2c1c")
        + eyes(3.6, -16.5, 2)
        + _feelers("#2c2420")
    )


def wasp() -> str:
    """Draw a yellow jacket."""
    return line("M0,26 V31", "#2c2420", 1.8) + _striped("#f6cb2e", False)


def bee() -> str:
    """Draw a honey bee."""
    return _striped("#eba937", True)


def firefly() -> str:
    """Draw a firefly that glows."""
    rays = "".join(turned(angle, line("M0,24 V29", "#e9c52f", 2)) for angle in range(-75, 76, 25))
    return (
        oval(0, 14, 22, 18, "#ffe66b", 'fill-opacity=".45"')
        + oval(0, 15, 14, 13, "#fff3a0", 'fill-opacity=".8"')
        + place(0, 4, rays)
        + _legs("#3a2c2c", 16)
        + shape("M-9,-4 Q-10,18 0,25 Q10,18 9,-4 Z", "#f7e04a")
        + both(shape("M0,-6 C-12,-8 -14,8 -8,17 Q-2,8 0,-6 Z", "#4a3838"))
        + oval(0, -8, 8, 6.5, "#c9553f")
        + oval(0, -15, 5.4, 4.4, "#2f2426")
        + eyes(3, -16, 1.6, "#fff")
        + _feelers("#2f2426")
    )


def dragonfly() -> str:
    """Draw a dragonfly."""
    wings = shape("M-2,-8 C-16,-20 -31,-16 -30,-10 C-26,-4 -10,-4 -2,-5 Z", "#cfe9f2", _WING) + shape(
        "M-2,-3 C-14,0 -29,2 -28,9 C-22,13 -8,4 -2,0 Z", "#b8dfee", _WING
    )
    return (
        both(wings)
        + shape("M-3,-6 Q-2.6,16 -1.4,29 Q0,31 1.4,29 Q2.6,16 3,-6 Z", "#2f8fa8")
        + line("M-2.2,6 h4.4 M-2,12 h4 M-1.8,18 h3.6 M-1.5,24 h3", "#bde8f0", 1.2)
        + oval(0, -8, 5, 6, "#237488")
        + oval(0, -17, 5, 4, "#2f8fa8")
        + both(oval(-4.2, -18, 3.8, 3.8, "#b5443c") + oval(-3.6, -19.2, 1, 1, "#fff"))
    )


def butterfly() -> str:
    """Draw a monarch."""
    wing = (
        shape("M-2,-4 C-8,-26 -28,-30 -30,-20 C-32,-8 -18,2 -2,0 Z", "#2b2221")
        + shape("M-4,-5 C-9,-21 -24,-26 -26,-19 C-27,-9 -16,-2 -4,-2 Z", "#ee7f24")
        + shape("M-2,0 C-18,0 -28,10 -22,20 C-16,28 -4,18 -2,4 Z", "#2b2221")
        + shape("M-4,2 C-16,3 -23,11 -19,17 C-15,23 -6,15 -4,5 Z", "#f59a35")
        + line("M-4,-3 L-20,-18 M-4,-2 L-24,-11 M-5,3 L-17,16", "#2b2221", 1.5)
        + oval(-27, -18, 1.3, 1.3, "#fff")
        + oval(-28, -13, 1.1, 1.1, "#fff")
        + oval(-20, 20, 1.3, 1.3, "#fff")
        + oval(-23, 15, 1.1, 1.1, "#fff")
    )
    return (
        both(wing)
        + oval(0, 3, 2.6, 14, "#2b2221")
        + oval(0, -12, 3.2, 3.2, "#2b2221")
        + both(line("M-1,-14 Q-4,-24 -9,-26", "#2b2221", 1.3))
    )


def ladybug() -> str:
    """Draw a ladybird."""
    return (
        _legs("#2a2222", 25)
        + oval(0, 5, 22, 22, "#d83a2c")
        + shape("M-16,-10 Q0,-26 16,-10 Q0,-3 -16,-10 Z", "#2a2222")
        + both(oval(-8, -12, 3.4, 2.6, WHITE) + oval(-10, 2, 4, 4, "#2a2222") + oval(-9, 15, 3.6, 3.6, "#2a2222"))
        + line("M0,-6 V27", "#2a2222", 1.8)
        + both(line("M-3,-19 Q-6,-26 -11,-27", "#2a2222", 1.6))
        + oval(-8, -4, 5, 2.6, "#fff", 'fill-opacity=".25" transform="rotate(-28)"')
    )


def cricket() -> str:
    """Draw a cricket, ready to leap."""
    return (
        line("M2,10 L-8,-12 L-27,22 M8,11 L0,-4 L-16,25", "#4b3a22", 3)
        + shape("M-28,4 C-20,-6 4,-8 14,-4 C24,-4 28,4 24,10 C12,16 -12,14 -28,4 Z", "#7a6032")
        + shape("M-26,4 C-16,-5 0,-6 10,-4 C4,4 -10,8 -26,4 Z", "#a3854a")
        + line("M12,11 L10,24 M18,10 L22,23", "#4b3a22", 2)
        + oval(20, 2, 7, 7.6, "#5d4926")
        + oval(22, 0, 2.5, 2.7, BLACK)
        + oval(22.8, -1, 0.8, 0.8, "#fff")
        + line("M22,-5 Q24,-22 8,-28 M24,-4 Q32,-16 29,-26", "#4b3a22", 1.3)
    )


def mantis() -> str:
    """Draw a praying mantis."""
    return (
        line("M-2,4 L-18,12 L-22,26 M2,6 L16,16 L20,27 M-1,12 L-9,20 L-10,29", "#5a8a35", 2)
        + shape("M-4,-4 Q4,-6 6,4 Q10,20 4,30 Q-8,22 -4,-4 Z", "#7fb24a")
        + line("M0,-14 V2", "#6fa13f", 5)
        + both(line("M-1,-6 L-15,-2 L-9,-15", "#5a8a35", 3.4))
        + shape("M-11,-24 Q0,-28 11,-24 Q6,-14 0,-11 Q-6,-14 -11,-24 Z", "#8fc457")
        + both(oval(-9, -23, 3.6, 4.2, "#e9f0a8") + oval(-9, -22.4, 1.5, 1.8, BLACK))
        + both(line("M-3,-26 Q-6,-31 -12,-31", "#5a8a35", 1.2))
    )


def spider() -> str:
    """Draw a black widow on her thread."""
    legs = both(
        line("M-6,-4 L-18,-16 L-22,-4 M-7,0 L-24,-4 L-28,10 M-7,4 L-22,8 L-24,22 M-5,8 L-14,16 L-13,28", "#221d22", 2)
    )
    return (
        line("M0,-31 V-10", "#9a8f8a", 1)
        + legs
        + oval(0, 10, 12.5, 14, "#221d22")
        + oval(0, -8, 7.4, 6.6, "#2f282f")
        + shape("M-5,2 H5 L1,10 L5,18 H-5 L-1,10 Z", "#d9352b")
        + eyes(3, -10, 1.6, "#fff")
        + oval(-5, 4, 2.4, 4, "#fff", 'fill-opacity=".22"')
    )
