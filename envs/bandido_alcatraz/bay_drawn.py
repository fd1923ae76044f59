"""What surrounds the tunnels of *Bandido Alcatraz*: the bay by night, the prison on its island, and the earth below.

All of it stays the same from state to state but for the ending: a boat under the moon, or searchlights.
"""

from collections.abc import Iterator
from functools import cache

from sobremesa.envs.bandido_alcatraz import pieces
from sobremesa.envs.bandido_alcatraz.pieces import NIGHT
from sobremesa.envs.core.drawing import place

WIDTH, HEIGHT = 1000, 1000
SHORE, WALL = 128, 806  # where the earth begins and ends
ESCAPED, CAUGHT, RUNNING = "escaped", "caught", "running"


def _dice(seed: int) -> Iterator[float]:
    """Yield numbers from 0 to 1, always the same for a seed."""
    while True:
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        yield (seed >> 8) / (1 << 23)


@cache
def surroundings(mood: str) -> str:
    """Draw sky, bay, island, earth and the wall below, in the mood of the ending."""
    return _gradients() + _sky() + _beams(mood) + _sea() + _island() + _earth() + _ending(mood) + _wall()


def _gradients() -> str:
    stops = {
        "alcatraz-sky": (("0", "#070f24"), (".6", "#1b3561"), ("1", "#4a6a95")),
        "alcatraz-sea": (("0", "#3d6591"), ("1", "#0b2140")),
        "alcatraz-earth": (("0", "#3a281a"), (".35", "#2c1e14"), ("1", "#170f0b")),
    }
    ramps = "".join(
        f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">'
        + "".join(f'<stop offset="{offset}" stop-color="{colour}"/>' for offset, colour in colours)
        + "</linearGradient>"
        for name, colours in stops.items()
    )
    lamps = "".join(
        f'<radialGradient id="{name}"><stop offset="0" stop-color="{colour}" stop-opacity=".8"/>'
        f'<stop offset="1" stop-color="{colour}" stop-opacity="0"/></radialGradient>'
        for name, colour in (("alcatraz-lamp", "#ffcf5a"), ("alcatraz-wet", "#9fe3ff"), ("alcatraz-moon", "#fff0c0"))
    )
    return f"<defs>{ramps}{lamps}</defs>"


def _sky() -> str:
    dice = _dice(7)
    stars = "".join(
        f'<circle cx="{next(dice) * WIDTH:.0f}" cy="{next(dice) * 92:.0f}" r="{0.5 + next(dice):.1f}" '
        f'fill-opacity="{0.35 + next(dice) * 0.6:.2f}"/>'
        for _ in range(90)
    )
    moon = (
        '<circle r="58" fill="url(#alcatraz-moon)" opacity=".6"/><circle r="23" fill="#fff3cf"/>'
        '<g fill="#e8d6a4"><circle cx="-8" cy="-6" r="5"/><circle cx="7" cy="3" r="4"/><circle cx="-3" cy="10" r="3"/>'
        '<circle cx="8" cy="-11" r="2.4"/></g>'
    )
    return (
        f'<rect width="{WIDTH}" height="{SHORE + 20}" fill="url(#alcatraz-sky)"/><g fill="#fff">{stars}</g>'
        f"{place(838, 44, moon)}"
        '<path d="M0,104 Q60,92 130,100 T300,98 T420,104 H0 Z M680,104 Q760,90 840,99 T1000,94 V104 Z" fill="#1d345a"/>'
    )


def _beams(mood: str) -> str:
    """Draw the searchlight of the lighthouse, red alarm beams when he is caught."""
    colour = "#ff6a5a" if mood == CAUGHT else "#fff0b0"
    beams = ["M709,34 L1000,-26 V34 Z", "M709,34 L0,-10 V78 Z"] if mood == CAUGHT else ["M709,34 L1010,66 V112 Z"]
    if mood == ESCAPED:
        beams = ["M709,34 L330,-30 L520,-30 Z"]
    return f'<path d="{" ".join(beams)}" fill="{colour}" fill-opacity=".2"/>'


def _sea() -> str:
    dice = _dice(21)
    glints = "".join(
        f"M{next(dice) * WIDTH:.0f},{106 + next(dice) * 26:.0f}h{8 + next(dice) * 22:.0f} " for _ in range(46)
    )
    path = "".join(f"M{838 - w},{y}h{2 * w} " for y, w in ((106, 9), (110, 16), (114, 11), (118, 20), (123, 13)))
    return (
        f'<rect y="103" width="{WIDTH}" height="60" fill="url(#alcatraz-sea)"/>'
        f'<path d="{glints}" stroke="#9cc2e6" stroke-opacity=".45" stroke-width="1.2"/>'
        f'<path d="{path}" stroke="#fff0c0" stroke-opacity=".7" stroke-width="1.6"/>'
    )


def _island() -> str:
    """Draw the prison and its lighthouse on the rock."""
    rock = (
        "M330,134 C380,126 400,112 440,108 C470,98 500,96 540,92 H700 "
        "C740,96 760,110 800,116 C840,120 850,130 890,136 Z"
    )
    windows = "".join(f"M{x},{y}h5" for x in range(523, 680, 13) for y in (68, 80) if (x * y) % 5)
    lit = "".join(f"M{x},{y}h5" for x in range(523, 680, 13) for y in (68, 80) if (x * y) % 5 == 0)
    tower = (
        '<path d="M-6,0 H6 L9,58 H-9 Z" fill="#cfc4ae"/><path d="M2,0 H6 L9,58 H3 Z" fill="#8f8878"/>'
        f'<path d="M-8,0 H8 V-3 H5 V-12 L0,-18 L-5,-12 V-3 H-8 Z" fill="{NIGHT}"/>'
        '<circle cy="-7" r="13" fill="url(#alcatraz-moon)"/><circle cy="-7" r="3.6" fill="#fff7d8"/>'
    )
    water_tower = (
        '<path d="M-9,0 V20 M9,0 V20 M0,0 V20 M-9,4 L9,18 M9,4 L-9,18" stroke="#15243d" stroke-width="1.8"/>'
        '<path d="M-11,-13 H11 V1 H-11 Z M-12,-13 L0,-20 L12,-13 Z" fill="#15243d"/>'
    )
    return (
        f'<path d="{rock}" fill="#1c1a1c"/>'
        '<path d="M440,108 Q560,90 700,93" stroke="#3d4f3a" stroke-width="3" fill="none"/>'
        f'{place(486, 79, water_tower)}<path d="M512,94 V60 H518 V56 H684 V60 H690 V94 Z" fill="#2c3a52"/>'
        '<path d="M512,60 H518 V56 H684 V60 H690 V63 H512 Z" fill="#46587a"/>'
        '<path d="M580,56 V48 H622 V56 Z" fill="#2c3a52"/><path d="M578,48 H624 V45 H578 Z" fill="#46587a"/>'
        f'<path d="{windows}" stroke="#131c2e" stroke-width="6"/><path d="{lit}" stroke="#ffce5e" stroke-width="6"/>'
        f"{place(709, 41, tower)}"
        '<path d="M404,112 V100 M424,108 V97 M444,106 V95 M464,102 V92 M404,102 L424,99 L444,97 L464,94" '
        'stroke="#5b6470" stroke-width="1.3" fill="none"/>'
    )


def _earth() -> str:
    """Draw the cut through the island: layers, stones, roots and what lies buried there."""
    edge = "M0,152 C60,150 120,142 200,136 C330,124 420,132 520,126 C640,120 760,134 860,134 C930,136 960,146 1000,150"
    strata = "".join(
        f'<path d="M0,{y} C180,{y - bend} 320,{y + bend} 520,{y} S860,{y - bend} 1000,{y + bend} V{y + thick} '
        f'C820,{y + thick - bend} 700,{y + thick + bend} 480,{y + thick} S160,{y + thick + bend} 0,{y + thick} Z" '
        f'fill="{colour}" fill-opacity=".35"/>'
        for y, bend, thick, colour in (
            (210, 24, 46, "#4a3220"), (350, -30, 60, "#21160f"), (470, 26, 34, "#45301f"), (590, -22, 66, "#1d130d"),
            (710, 20, 40, "#3a281b"),
        )
    )  # fmt: skip
    return (
        f'<path d="{edge} V{WALL} H0 Z" fill="url(#alcatraz-earth)"/>{strata}{_stones()}{_roots()}{_finds()}'
        f'<path d="{edge}" fill="none" stroke="#5d6b3a" stroke-width="7"/>'
        f'<path d="{edge}" fill="none" stroke="#8fa05a" stroke-width="2.5" transform="translate(0 -3)"/>'
    )


def _stones() -> str:
    dice = _dice(3)
    drawn = []
    for number in range(210):
        x, y = next(dice) * WIDTH, 168 + next(dice) * (WALL - 180)
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
    return f'<g opacity=".8">{"".join(drawn)}</g>'


def _roots() -> str:
    """Draw roots that hang from the grass."""
    dice = _dice(11)
    ways = []
    for number in range(26):
        x, y = 14 + number * 39 + next(dice) * 18, 138.0
        way = f"M{x:.0f},{y:.0f}"
        for _ in range(2 + int(next(dice) * 3)):
            bend = f"{next(dice) * 16 - 8:.0f},{9 + next(dice) * 6:.0f}"
            way += f"q{bend} {next(dice) * 22 - 11:.0f},{17 + next(dice) * 12:.0f}"
        ways.append(way)
    lines = " ".join(ways)
    return f'<path d="{lines}" fill="none" stroke="#6d4d30" stroke-width="2.2" stroke-linecap="round" opacity=".75"/>'


def _finds() -> str:
    """Draw what lies buried: bones, an anchor, a key, a shell, a bottle with a letter."""
    line = 'fill="none" stroke="#8d7a61" stroke-linecap="round" stroke-linejoin="round"'
    anchor = (
        f'<g {line} stroke-width="3.4"><circle cy="-19" r="4"/>'
        '<path d="M0,-15 V18 M-9,-9 H9 M-18,6 Q-14,20 0,19 Q14,20 18,6 M-18,6 l-3,6 M18,6 l3,6"/></g>'
    )
    bone = (
        '<path d="M-13,-2.5 H13 M-13,2.5 H13" stroke="#b5a68a" stroke-width="5.5"/><g fill="#b5a68a">'
        '<circle cx="-15" cy="-4" r="4.4"/><circle cx="-15" cy="4" r="4.4"/><circle cx="15" cy="-4" r="4.4"/>'
        '<circle cx="15" cy="4" r="4.4"/></g>'
    )
    skull = (
        '<path d="M-12,0 C-14,-19 14,-19 12,0 C12,5 8,6 7,8 V14 H-7 V8 C-8,6 -12,5 -12,0 Z" fill="#b5a68a"/>'
        '<g fill="#20150e"><circle cx="-5" cy="-1" r="3.4"/><circle cx="5" cy="-1" r="3.4"/>'
        '<path d="M0,3 l2,4 h-4 z M-3.6,10 h1 v4 h-1 z M2.6,10 h1 v4 h-1 z"/></g>'
    )
    key = f'<g {line} stroke-width="3"><circle cx="-12" r="5"/><path d="M-7,0 H14 M9,0 V6 M14,0 V6"/></g>'
    shell = (
        f'<g {line} stroke-width="2.6">'
        '<path d="M2,1 a2,2 0 0 1 -4,0 a4,4 0 0 1 8,0 a7,7 0 0 1 -14,0 a10,10 0 0 1 20,0 q0,5 -3,8"/></g>'
    )
    bottle = (
        '<path d="M-16,-6 H4 Q9,-3 12,-3 H18 V3 H12 Q9,3 4,6 H-16 Z" fill="#3d6b57" fill-opacity=".6" '
        'stroke="#7fae94"/>'
        '<path d="M-12,-2.5 H2 V2.5 H-12 Z" fill="#d8c9a0"/><path d="M18,-3 h4 v6 h-4 z" fill="#8a5a30"/>'
    )
    spots = (
        (80, 250, anchor, -14), (905, 300, skull, 8), (935, 330, bone, 32), (130, 690, bone, -22), (60, 480, shell, 0),
        (890, 560, key, 24), (270, 742, bottle, -12), (700, 735, shell, 60), (600, 212, bone, 70), (310, 238, key, -40),
        (915, 745, anchor, 20), (460, 725, skull, -12),
    )  # fmt: skip
    drawn = (f'<g transform="translate({x} {y}) rotate({turn})">{body}</g>' for x, y, body, turn in spots)
    return f'<g opacity=".62">{"".join(drawn)}</g>'


def _ending(mood: str) -> str:
    """Draw the boat in which he rows away."""
    if mood != ESCAPED:
        return ""
    boat = (
        f'{place(0, -14, pieces.bandit(), 0.62)}<path d="M-32,0 H32 Q26,15 16,16 H-16 Q-26,15 -32,0 Z" fill="#7a4a22" '
        'stroke="#20130b" stroke-width="1.6"/><path d="M-30,5 H30" stroke="#c98a3f" stroke-width="2"/>'
        '<path d="M12,-6 L44,14 M-12,-6 L-44,14" stroke="#d9b98a" stroke-width="2.6"/>'
        '<path d="M-52,17 q9,-6 18,0 t18,0 t18,0 t18,0 t18,0 t18,0" fill="none" stroke="#d9f4ff" stroke-width="1.8"/>'
    )
    return place(884, 112, boat)


def _wall() -> str:
    """Draw the prison wall in front, where the hands are laid out."""
    joints = [f"M0,{y}H{WIDTH}" for y in range(WALL + 25, HEIGHT, 28)]
    for row, y in enumerate(range(WALL - 3, HEIGHT, 28)):
        joints += [f"M{x},{y}v28" for x in range(30 if row % 2 else -6, WIDTH, 72)]
    return (
        f'<rect y="{WALL}" width="{WIDTH}" height="{HEIGHT - WALL}" fill="#2b323b"/>'
        f'<path d="{"".join(joints)}" stroke="#1b2129" stroke-width="2.4"/>'
        f'<rect y="{WALL - 6}" width="{WIDTH}" height="9" fill="#505b66"/>'
        f'<rect y="{WALL + 3}" width="{WIDTH}" height="4" fill="#12161b"/>'
    )
