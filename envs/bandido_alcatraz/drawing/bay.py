"""Background of the picture of *Bandido Alcatraz*: the bay by night, the prison on its island, and the earth below.

It changes only at the end: a boat under the moon, or searchlights. Stars, glints, stones and roots are generated here;
the rest comes from bay.svg.
"""

from functools import cache
from pathlib import Path

from sobremesa.envs.bandido_alcatraz.drawing.pieces import ART as PIECES
from sobremesa.envs.core.picture.drawing import dice_of, place, symbols

WIDTH, HEIGHT = 1000, 900
_WALL = 706  # where the earth ends
SHORE = 62.0  # where it begins in a narrow picture
ESCAPED, CAUGHT, RUNNING = "escaped", "caught", "running"

_ART = symbols(Path(__file__).with_name("bay.svg"))
_BURIED = (
    (80, 250, "anchor", -14), (905, 300, "skull", 8), (935, 330, "bone", 32), (130, 620, "bone", -22),
    (60, 480, "shell", 0), (890, 560, "key", 24), (270, 650, "bottle", -12), (700, 645, "shell", 60),
    (600, 212, "bone", 70), (310, 238, "key", -40), (915, 655, "anchor", 20), (460, 648, "skull", -12),
)  # fmt: skip


@cache
def surroundings(mood: str) -> str:
    """Draw sky, bay, island, earth and the wall below, in the mood of the ending."""
    drawn = (
        _ART["gradients"],
        _above(mood),
        _earth(),
        place(884, 112, _ART["boat"].format(bandit=PIECES["bandit"])) if mood == ESCAPED else "",
        _ART["wall"].format(joints=_joints()),
    )
    return "".join(drawn)


@cache
def narrow_surroundings(mood: str, height: int) -> str:
    """Draw the same surroundings behind a narrow picture: sky and island small, and earth down to its foot."""
    earth = f'<rect width="390" height="{height}" fill="#140d0c"/>' + place(0, SHORE - 138, _earth())
    boat = place(330, SHORE - 12, _ART["boat"].format(bandit=PIECES["bandit"]), 0.6) if mood == ESCAPED else ""
    return _ART["gradients"] + earth + place(0, 0, _above(mood), SHORE / 138) + boat


def _above(mood: str) -> str:
    """Draw sky, sea and island."""
    sky = _ART["sky"].format(stars=_stars()) + _ART[f"beams_{mood}"]
    return sky + _ART["sea"].format(glints=_glints()) + _ART["island"]


def _earth() -> str:
    finds = "".join(
        f'<g transform="translate({x} {y}) rotate({turn})">{_ART[name]}</g>' for x, y, name, turn in _BURIED
    )
    return _ART["earth"].format(stones=_stones(), roots=_roots(), finds=finds)


def _stars() -> str:
    dice = dice_of(7)
    return "".join(
        f'<circle cx="{next(dice) * WIDTH:.0f}" cy="{next(dice) * 92:.0f}" r="{0.5 + next(dice):.1f}" '
        f'fill-opacity="{0.35 + next(dice) * 0.6:.2f}"/>'
        for _ in range(90)
    )


def _glints() -> str:
    dice = dice_of(21)
    return "".join(
        f"M{next(dice) * WIDTH:.0f},{106 + next(dice) * 26:.0f}h{8 + next(dice) * 22:.0f} " for _ in range(46)
    )


def _stones() -> str:
    dice = dice_of(3)
    drawn = []
    for number in range(210):
        x, y = next(dice) * WIDTH, 168 + next(dice) * (_WALL - 180)
        across = 2.5 + next(dice) ** 3 * 17
        tall, turn = across * (0.5 + next(dice) * 0.3), next(dice) * 60 - 30
        colour = ("#5c5049", "#4a3e37", "#6a5a4b", "#3f342e")[number % 4]
        light = (
            f'<ellipse cx="{-across * 0.2:.1f}" cy="{-tall * 0.35:.1f}" rx="{across * 0.5:.1f}" ry="{tall * 0.3:.1f}" '
            'fill="#fff" fill-opacity=".1"/>'
        )
        drawn.append(
            f'<g transform="translate({x:.0f} {y:.0f}) rotate({turn:.0f})"><ellipse rx="{across:.1f}" ry="{tall:.1f}" '
            f'fill="{colour}" stroke="#1a110c"/>{light if across > 6 else ""}</g>'
        )
    return "".join(drawn)


def _roots() -> str:
    """Return the ways of roots that hang from the grass."""
    dice = dice_of(11)
    ways = []
    for number in range(26):
        x, y = 14 + number * 39 + next(dice) * 18, 138.0
        way = f"M{x:.0f},{y:.0f}"
        for _ in range(2 + int(next(dice) * 3)):
            bend = f"{next(dice) * 16 - 8:.0f},{9 + next(dice) * 6:.0f}"
            way += f"q{bend} {next(dice) * 22 - 11:.0f},{17 + next(dice) * 12:.0f}"
        ways.append(way)
    return " ".join(ways)


def _joints() -> str:
    """Return the joints of the wall in front, where the hands are laid out."""
    joints = [f"M0,{y}H{WIDTH}" for y in range(_WALL + 25, HEIGHT, 28)]
    for row, y in enumerate(range(_WALL - 3, HEIGHT, 28)):
        joints += [f"M{x},{y}v{min(28, HEIGHT - y)}" for x in range(30 if row % 2 else -6, WIDTH, 72)]
    return "".join(joints)
