"""The table of *Ese Toro enamorado* as text."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import PUBLIC, SEAT_SIGNS
from sobremesa.envs.core.words import listed, wrapped
from sobremesa.envs.ese_toro_enamorado import board as b, state as s
from sobremesa.envs.ese_toro_enamorado.text.map import draw_board, known_places
from sobremesa.envs.ese_toro_enamorado.text.words import TILES, WORDS

# Default values of the options; `_variants` lists any others.
_USUAL = {
    "round_end": s.MOON_STEPS,
    "rosemary": s.ONE_STEP,
    "rosemary_chain": 1,
    "fence_bounce": s.TURN_ENDS,
    "shore_tiles": 1,
    "duplicates": s.SUPPLY,
}


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as text; None shows everything (C9.1)."""
    state = table[0]
    if seat not in (None, PUBLIC) and not 0 <= seat < state.seats:
        raise ValueError(f"seat={seat!r} is not at the table; it takes 0 to {int(state.seats) - 1}, PUBLIC or None")
    paragraphs = (
        [*_headline(state, seat, language), *_variants(state, language)],
        [*draw_board(state, seat, language), WORDS[language]["legend"]],
        _seat_lines(state, seat, language),
        [] if state.stage == s.CHOOSE else _tile_lines(state, seat, language),
    )
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def read(table: np.ndarray, seat: int | None, language: str) -> str:
    """As `describe`, with the markers that are left of each phase (C7.4)."""
    left = b.MAX_SEATS - table[0].markers.sum(axis=0)
    named = zip(b.PHASE_NAMES[language], left.tolist(), strict=True)
    counts = ", ".join(f"{phase} {count}" for phase, count in named)
    return f"{describe(table, seat, language)}\n\n{WORDS[language]['left'].format(counts, b.MAX_SEATS)}"


def _headline(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the state of the deal, and the seat to play or the winners."""
    words, seats = WORDS[language], int(state.seats)
    if state.over:
        winners = [_who(winner, seat, language) for winner in range(seats) if state.winner[winner]]
        turn = words["winner" if len(winners) == 1 else "winners"].format(", ".join(winners))
    else:
        order = "".join(SEAT_SIGNS[(int(state.first) + turned) % seats] for turned in range(seats))
        turn = words["turn"].format(_who(int(state.seat), seat, language), order, words[f"stage{int(state.stage)}"])
    if state.stage == s.CHOOSE:
        return [words["choosing"], turn]
    if state.over:
        part = words["over"]
    elif state.stage == s.DAY:
        part = words["day"]
    else:
        part = words["night"].format(int(state.vuelta) + 1, int(state.max_vueltas))
    phase = b.PHASE_NAMES[language][int(state.phase)]
    line = words["round"].format(int(state.round_number), int(state.max_rounds), phase, part, int(state.moon))
    return [line, turn]


def asks(states: np.ndarray, _: int, language: str) -> str:
    """Return what the seat to act decides now."""
    words, stage = WORDS[language], int(states[0].stage)
    return words.get(f"asks{stage}", words[f"stage{stage}"])


def _who(seat: int, reader: int | None, language: str) -> str:
    return SEAT_SIGNS[seat] + (WORDS[language]["you"] if seat == reader else "")


def _variants(state: Any, language: str) -> list[str]:
    """Return the rules of this table that differ from the defaults."""
    words = WORDS[language]
    changed = [f"{field}{int(state[field])}" for field, usual in _USUAL.items() if state[field] != usual]
    if not changed:
        return []
    return wrapped([f"{words['variants']}: {'; '.join(words[name] for name in changed)}"], indent="")


def _seat_lines(state: Any, seat: int | None, language: str) -> list[str]:
    """Return a line for each seat: bull, mountain, markers by phase, tiles in hand, encounters."""
    words, phases = WORDS[language], b.PHASE_NAMES[language]
    titles = (f"{words['seat']:<7}", words["bull"], words["home"], *phases, words["held"])
    lines = ["  " + " ".join(titles)]
    for other in range(int(state.seats)):
        cells = (
            b.NODE_NAMES[state.bull[other]] if state.bull[other] != b.NO_NODE else "–",
            b.NODE_NAMES[b.MOUNTAIN + int(state.home[other])] if state.home[other] != b.NO_MOUNTAIN else "–",
            *(str(int(count) or "–") for count in state.markers[other]),
            str(int(state.hand[other].sum()) or "–"),
        )
        turn = ">" if other == state.seat and not state.over else " "
        columns = (cell.center(len(title)) for cell, title in zip(cells, titles[1:], strict=True))
        met = "  " + words["met"] if state.scored[other] else ""
        lines.append(f"{turn} {_who(other, seat, language):<7} {' '.join(columns)}{met}".rstrip())
    return lines


def _tile_lines(state: Any, seat: int | None, language: str) -> list[str]:
    """List the tiles: in sight, face down, in hand, discarded, and those that `seat` has not seen."""
    words, kinds = WORDS[language], b.TILE_NAMES[language]
    known = known_places(state, seat)
    laid: dict[str, list[str]] = {"in_sight": [], "face_down": []}
    for place in np.flatnonzero(state.tile != b.NO_TILE):
        kind = kinds[state.tile[place]] if known[place] else words["unknown"]
        name = words["laid"].format(kind, b.PLACE_NAMES[place], SEAT_SIGNS[state.owner[place]])
        laid["in_sight" if state.face_up[place] or place >= b.WATER else "face_down"].append(name)
    if seat is None:
        hand = state.hand.sum(axis=0)
        hands = [
            f"{SEAT_SIGNS[one]} {' + '.join(_counted(held, language))}"
            for one, held in enumerate(state.hand)
            if held.any()
        ]
    elif seat == PUBLIC:
        hand, hands = np.zeros_like(state.hand[0]), []
    else:
        hand = state.hand[seat]
        hands = _counted(hand, language)
    seen = np.bincount(state.tile[known], minlength=b.NO_TILE + 1)[: b.NO_TILE]
    rest = words["unused" if seat is None else "hidden" if seat == PUBLIC else "unseen"]
    return [
        *listed(words["in_sight"], laid["in_sight"]),
        *listed(words["face_down"], laid["face_down"]),
        *listed(words["hands" if seat is None else "hand"], hands),
        *listed(words["gone"], _counted(state.gone, language)),
        *listed(rest, _counted(b.TILE_COUNTS - state.gone - hand - seen, language)),
    ]


def _counted(counts: np.ndarray, language: str) -> list[str]:
    """Return the names of the tiles in `counts`, with numbers above one."""
    names = zip(counts, b.TILE_NAMES[language], TILES[language]["plurals"], strict=True)
    return [one if count == 1 else f"{count} {several}" for count, one, several in names if count > 0]
