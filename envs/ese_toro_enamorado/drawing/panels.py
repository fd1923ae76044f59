"""Panels next to the meadow of *Ese Toro enamorado*: seats with markers and tiles, and the tiles of the round."""

from typing import Any

from sobremesa.envs.core.picture.drawing import place, text as fitted, titled
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.drawing import pieces
from sobremesa.envs.ese_toro_enamorado.drawing.pieces import ART, GOLD, LIGHTS, SEAT_COLOURS, text
from sobremesa.envs.ese_toro_enamorado.text.words import PIECES

_PANELS, _PANEL_WIDTH, _PANEL_HEIGHT, _PANEL_STEP = 696, 284, 138, 148  # one below the other
_SLOTS = tuple((101 + 35 * slot, 113) for slot in range(b.TILES_EACH))  # of tiles in hand, on a panel
KEY = (_PANELS, 612)  # the corner of the tiles of the round in the scene
KEY_SIZE = (_PANEL_WIDTH, 132)  # across and down
NARROW = (374, 88)  # a seat in the narrow picture
_TILES = tuple((266.0 + 68 * slot, 34.0) for slot in range(b.TILES_EACH))  # in hand, on a narrow panel
TILE_SCALE = 1.15  # there

_WORDS = {
    "en": {
        "player": "Player {}", "you": "you", "turn": "to play", "wins": "wins", "opens": "opens the round",
        "met": "met the moon", "tiles": "Tiles of the round", "hand": "{} in hand",
    },
    "es": {
        "player": "Jugador {}", "you": "tú", "turn": "le toca", "wins": "gana", "opens": "abre la ronda",
        "met": "vio a la luna", "tiles": "Fichas de la ronda", "hand": "{} en mano",
    },
}  # fmt: skip


def _card(size: tuple[int, int], light: dict[str, str], edge: str) -> str:
    return (
        f'<rect width="{size[0]}" height="{size[1]}" rx="14" fill="{light["card"]}" '
        f'fill-opacity="{light["card_opacity"]}" {edge}/>'
    )


def panel(state: Any, seat: int, viewer: int | None, language: str, mood: str) -> str:
    """Draw a seat: bull, name, turn mark, markers and tiles in hand."""
    light = LIGHTS[mood]
    mark, edge = _mark(state, seat, language, light)
    drawn = [
        _card((_PANEL_WIDTH, _PANEL_HEIGHT), light, edge),
        f'<rect x="12" y="14" width="60" height="110" rx="10" fill="{SEAT_COLOURS[seat]}" fill-opacity=".3"/>',
        place(42, 68, titled(PIECES[language]["bull"].format(seat + 1), pieces.bull(seat)), 1.3),
        pieces.badge(_PANEL_WIDTH - 16, 0, mark) if mark else "",
    ]
    drawn.append(text(86, 31, _name(seat, viewer, language), 17, light["ink"], 'font-weight="bold"'))
    drawn.append(text(86, 48, _status(state, seat, language), 10.5, light["faint"], ""))
    for phase in range(b.NUM_PHASES):
        drawn.append(place(101 + 44 * phase, 74, _marker(state, seat, phase, language, light)))
    drawn.append(_hand(state, seat, viewer is None or viewer == seat, language, light))
    return place(_PANELS, 20 + _PANEL_STEP * seat, "".join(drawn))


def tile_name(kind: int | None, language: str) -> str:
    """Return the name of a kind of tile, None for one that the viewer does not know."""
    return PIECES[language]["unknown"] if kind is None else b.TILE_NAMES[language][kind]


def _held(kind: int | None, seat: int, language: str) -> str:
    """Draw a tile in the hand of `seat`, face down if `kind` is None."""
    return titled(tile_name(kind, language), pieces.tile(kind, kind is not None, SEAT_COLOURS[seat]))


def _marker(state: Any, seat: int, phase: int, language: str, light: dict[str, str]) -> str:
    held = int(state.markers[seat, phase])
    name = PIECES[language]["marker" if held else "no_marker"].format(b.PHASE_NAMES[language][phase])
    return titled(name, pieces.marker(phase, held, light["faint"]))


def _mark(state: Any, seat: int, language: str, light: dict[str, str]) -> tuple[str, str]:
    """Return the words of a seat's badge, "" if it has none, and the edge of its panel."""
    wins = bool(state.over and state.winner[seat])
    marked = wins or (int(state.seat) == seat and not state.over)
    edge = f'stroke="{GOLD}" stroke-width="3.5"' if marked else f'stroke="{light["faint"]}" stroke-width=".8"'
    return _WORDS[language]["wins" if wins else "turn"] if marked else "", edge


def _name(seat: int, viewer: int | None, language: str) -> str:
    words = _WORDS[language]
    return words["player"].format(seat + 1) + (f"  ·  {words['you']}" if seat == viewer else "")


def _status(state: Any, seat: int, language: str) -> str:
    """Return whether a seat opens the round, and whether it has met the moon."""
    words = _WORDS[language]
    status = [words["opens"]] if int(state.first) == seat and not state.over else []
    return "  ·  ".join(status + ([words["met"]] if state.scored[seat] else []))


def narrow_panel(state: Any, seat: int, viewer: int | None, language: str, mood: str) -> str:
    """Draw a seat for the narrow picture: as in the scene, with large tiles and their names below."""
    light = LIGHTS[mood]
    mark, edge = _mark(state, seat, language, light)
    seen, kinds = viewer is None or viewer == seat, hand_kinds(state, seat)
    drawn = [
        _card(NARROW, light, edge),
        f'<rect x="8" y="9" width="46" height="70" rx="9" fill="{SEAT_COLOURS[seat]}" fill-opacity=".3"/>',
        place(31, 44, titled(PIECES[language]["bull"].format(seat + 1), pieces.bull(seat)), 1.05),
        pieces.badge(NARROW[0] - 10, 0, mark) if mark else "",
        text(64, 25, _name(seat, viewer, language), 16, light["ink"], 'font-weight="bold" data-room="168"'),
        fitted(64, 42, _status(state, seat, language), 12, light["faint"], "", 168),
    ]
    for phase in range(b.NUM_PHASES):
        drawn.append(place(78 + 42 * phase, 65, _marker(state, seat, phase, language, light)))
    for slot, (x, y) in enumerate(_TILES):
        if slot < len(kinds):
            shape = _held(kinds[slot] if seen else None, seat, language)
        else:
            shape = ART["empty_slot"].format(colour=light["faint"])
        drawn.append(place(x, y, shape, TILE_SCALE))
        if seen and slot < len(kinds):
            drawn.append(
                fitted(x, 74, b.TILE_NAMES[language][kinds[slot]], 12.5, light["ink"], 'text-anchor="middle"', 66)
            )
    return "".join(drawn)


def narrow_hand_spot(slot: int) -> tuple[float, float]:
    """Return the position of a tile in hand on a narrow panel."""
    return _TILES[slot]


def hand_kinds(state: Any, seat: int) -> list[int]:
    """Return the kind of each tile in a hand, in the order in which they are drawn."""
    return [kind for kind in range(b.NUM_KINDS) for _ in range(int(state.hand[seat, kind]))]


def hand_spot(seat: int, slot: int) -> tuple[float, float]:
    """Return the position of a tile in hand in the picture."""
    return _PANELS + _SLOTS[slot][0], 20 + _PANEL_STEP * seat + _SLOTS[slot][1]


def _hand(state: Any, seat: int, seen: bool, language: str, light: dict[str, str]) -> str:
    """Draw the hand of `seat` with its empty slots; tiles show their faces if `seen` (C9.1)."""
    kinds = hand_kinds(state, seat)
    words = ", ".join(b.TILE_NAMES[language][kind] for kind in kinds)
    if not seen:
        words = _WORDS[language]["hand"].format(len(kinds)) if kinds else ""
    drawn = []
    for slot in range(b.TILES_EACH):
        if slot < len(kinds):
            shape = _held(kinds[slot] if seen else None, seat, language)
        else:
            shape = ART["empty_slot"].format(colour=light["faint"])
        drawn.append(place(*_SLOTS[slot], shape, 0.82))
    return "".join(drawn) + text(158, 117, words, 12, light["ink"], "")


def key(state: Any, language: str, mood: str) -> str:
    """Draw the four kinds of tile with their names, and a pip for each of a round, hollow once it is gone (C6.3)."""
    light = LIGHTS[mood]
    drawn = [
        _card(KEY_SIZE, light, f'stroke="{light["faint"]}" stroke-width=".8"'),
        text(16, 23, _WORDS[language]["tiles"], 12, light["faint"], 'font-weight="bold"'),
    ]
    for kind in range(b.NUM_KINDS):
        x, y = 34 + 140 * (kind % 2), 54 + 48 * (kind // 2)
        shown = [
            place(x, y, pieces.tile(kind, True, light["stone_edge"])),
            text(x + 26, y - 1, b.TILE_NAMES[language][kind], 13, light["ink"], ""),
        ]
        left = int(b.TILE_COUNTS[kind]) - int(state.gone[kind])
        for pip in range(int(b.TILE_COUNTS[kind])):
            fill = light["accent"] if pip < left else "none"
            dot = f'<circle r="3.6" fill="{fill}" stroke="{light["accent"]}"/>'
            shown.append(place(x + 30 + 12 * pip, y + 11, dot))
        area = (x - 30, y - 24, 138, 48)
        drawn.append(titled(tile_name(kind, language), "".join(shown), area))
    return titled(_WORDS[language]["tiles"], "".join(drawn))
