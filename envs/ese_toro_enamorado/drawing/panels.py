"""Panels beside the meadow of *Ese Toro enamorado*: seats with markers and tiles, and the tiles of the round."""

from typing import Any

from sobremesa.envs.core.picture.drawing import place
from sobremesa.envs.ese_toro_enamorado.board import NUM_KINDS, NUM_PHASES, TILE_COUNTS, TILE_NAMES, TILES_EACH
from sobremesa.envs.ese_toro_enamorado.drawing import pieces
from sobremesa.envs.ese_toro_enamorado.drawing.pieces import ART, GOLD, LIGHTS, SEAT_COLOURS, text

KEY_BOX = (690.0, 606.0, 300.0, 144.0)  # the tiles of the round, with margins
_PANELS, _PANEL_WIDTH, _PANEL_HEIGHT, _PANEL_STEP = 696, 284, 138, 148  # one below the other
_SLOTS = tuple((101 + 35 * slot, 113) for slot in range(TILES_EACH))  # of tiles in hand, on a panel
_KEY_TOP = 612

_WORDS = {
    "en": {
        "seat": "Seat", "you": "you", "turn": "to play", "wins": "wins", "opens": "opens the round",
        "met": "met the moon", "tiles": "Tiles of the round", "hand": "{} in hand",
    },
    "es": {
        "seat": "Asiento", "you": "tú", "turn": "le toca", "wins": "gana", "opens": "abre la ronda",
        "met": "vio a la luna", "tiles": "Fichas de la ronda", "hand": "{} en mano",
    },
}  # fmt: skip


def _card(height: int, light: dict[str, str], edge: str) -> str:
    return (
        f'<rect width="{_PANEL_WIDTH}" height="{height}" rx="14" fill="{light["card"]}" '
        f'fill-opacity="{light["card_opacity"]}" {edge}/>'
    )


def panel(state: Any, seat: int, viewer: int | None, language: str, mood: str) -> str:
    """Draw a seat: bull, name, turn mark, markers and tiles in hand."""
    words, light = _WORDS[language], LIGHTS[mood]
    wins = bool(state.over and state.winner[seat])
    marked = wins or (int(state.seat) == seat and not state.over)
    edge = f'stroke="{GOLD}" stroke-width="3.5"' if marked else f'stroke="{light["faint"]}" stroke-width=".8"'
    drawn = [
        _card(_PANEL_HEIGHT, light, edge),
        f'<rect x="12" y="14" width="60" height="110" rx="10" fill="{SEAT_COLOURS[seat]}" fill-opacity=".3"/>',
        place(42, 68, pieces.bull(seat), 1.3),
        pieces.badge(_PANEL_WIDTH - 16, 0, words["wins" if wins else "turn"]) if marked else "",
    ]
    name = f"{words['seat']} {seat}" + (f"  ·  {words['you']}" if seat == viewer else "")
    drawn.append(text(86, 31, name, 17, light["ink"], 'font-weight="bold"'))
    status = [words["opens"]] if int(state.first) == seat and not state.over else []
    status += [words["met"]] if state.scored[seat] else []
    drawn.append(text(86, 48, "  ·  ".join(status), 10.5, light["faint"], ""))
    for phase in range(NUM_PHASES):
        drawn.append(place(101 + 44 * phase, 74, pieces.marker(phase, int(state.markers[seat, phase]), light["faint"])))
    drawn.append(_hand(state, seat, viewer is None or viewer == seat, language, light))
    return place(_PANELS, 20 + _PANEL_STEP * seat, "".join(drawn))


def hand_kinds(state: Any, seat: int) -> list[int]:
    """Return the kind of each tile in a hand, in the order in which they are drawn."""
    return [kind for kind in range(NUM_KINDS) for _ in range(int(state.hand[seat, kind]))]


def panel_box(seat: int) -> tuple[float, float, float, float]:
    """Return the box of a seat's panel in the picture, margins included."""
    return 690.0, 8.0 + _PANEL_STEP * seat, 300.0, float(_PANEL_STEP)


def hand_spot(seat: int, slot: int) -> tuple[float, float]:
    """Return the position of a tile in hand in the picture."""
    return _PANELS + _SLOTS[slot][0], 20 + _PANEL_STEP * seat + _SLOTS[slot][1]


def _hand(state: Any, seat: int, seen: bool, language: str, light: dict[str, str]) -> str:
    """Draw the hand of `seat` with its empty slots; tiles show their faces if `seen` (C9.1)."""
    kinds = hand_kinds(state, seat)
    words = ", ".join(TILE_NAMES[language][kind] for kind in kinds)
    if not seen:
        words = _WORDS[language]["hand"].format(len(kinds)) if kinds else ""
    drawn = []
    for slot in range(TILES_EACH):
        if slot < len(kinds):
            shape = pieces.tile(kinds[slot] if seen else None, seen, SEAT_COLOURS[seat])
        else:
            shape = ART["empty_slot"].format(colour=light["faint"])
        drawn.append(place(*_SLOTS[slot], shape, 0.82))
    return "".join(drawn) + text(158, 117, words, 12, light["ink"], "")


def key(state: Any, language: str, mood: str) -> str:
    """Draw the four kinds of tile with their names, and a pip for each of a round, hollow once it is gone (C6.3)."""
    light = LIGHTS[mood]
    drawn = [
        _card(132, light, f'stroke="{light["faint"]}" stroke-width=".8"'),
        text(16, 23, _WORDS[language]["tiles"], 12, light["faint"], 'font-weight="bold"'),
    ]
    for kind in range(NUM_KINDS):
        x, y = 34 + 140 * (kind % 2), 54 + 48 * (kind // 2)
        drawn.append(place(x, y, pieces.tile(kind, True, light["stone_edge"])))
        drawn.append(text(x + 26, y - 1, TILE_NAMES[language][kind], 13, light["ink"], ""))
        left = int(TILE_COUNTS[kind]) - int(state.gone[kind])
        for pip in range(int(TILE_COUNTS[kind])):
            fill = light["accent"] if pip < left else "none"
            dot = f'<circle r="3.6" fill="{fill}" stroke="{light["accent"]}"/>'
            drawn.append(place(x + 30 + 12 * pip, y + 11, dot))
    return place(_PANELS, _KEY_TOP, "".join(drawn))
