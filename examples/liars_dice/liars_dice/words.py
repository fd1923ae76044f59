"""Liar's dice in words and pictures, in English and Spanish."""

from liars_dice.rules import BIDS, FACES, LIAR, NO_BID, SEATS, holds
from sobremesa.envs import SEAT_SIGNS, check_language

_LIAR = {"en": "liar", "es": "mentira"}
_LINES = {
    "en": ("seat {} has {}", "last bid: {}", "no bid yet"),
    "es": ("asiento {}: {}", "va: {}", "sin apuestas"),
}
_END = {"en": ("the bid holds", "the bid fails"), "es": ("es verdad", "no es verdad")}
_CORNERS, _SIDES = [(-1, -1), (1, 1)], [(-1, 1), (1, -1)]
_PIPS = (  # steps right and down from the middle of a die, by face
    [], [(0, 0)], _CORNERS, [*_CORNERS, (0, 0)], [*_CORNERS, *_SIDES], [*_CORNERS, *_SIDES, (0, 0)],
    [*_CORNERS, *_SIDES, (-1, 0), (1, 0)],
)  # fmt: skip
_HELP = {
    "en": "Call the bid that fails.\n\nBid on both dice, always higher, or call liar. Type 2x5 (two fives) or liar.",
    "es": "Descubre la mentira.\n\nApuesta por los dos dados, siempre más, o di mentira. Escribe 2x5 o mentira.",
}
RENAMED = {"en": {"words": "liar dice die bid"}, "es": {"words": "mentira mentiroso dado apuesta"}}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`: "2x5" bids two fives."""
    return _LIAR[check_language(language)] if action == LIAR else f"{1 + action // FACES}x{1 + action % FACES}"


def parse_action(text: str, language: str) -> int:
    """Return the action with this name; raise ValueError with an example if there is none."""
    names = [action_name(action, language) for action in range(BIDS + 1)]
    if text.strip().lower() not in names:
        raise ValueError(f"{text!r} is not an action; type a bid such as 2x5, or {names[LIAR]}")
    return names.index(text.strip().lower())


def faces(state, seat: int | None) -> list[int]:
    """Return the face of each die that `seat` sees, all for None; 0 for one that it does not see (L4)."""
    return [1 + int(state.die[owner]) if state.over or seat in (None, owner) else 0 for owner in range(SEATS)]


def describe(table, seat: int | None, language: str) -> str:
    """Return what `seat` sees of the `(1,)` state `table`; all of it for None (L4)."""
    state, (has, last, none) = table[0], _LINES[check_language(language)]
    lines = [has.format(owner, face or "?") for owner, face in enumerate(faces(state, seat))]
    lines.append(none if state.bid == NO_BID else last.format(action_name(int(state.bid), language)))
    return "\n".join([*lines, _END[language][0 if holds(state) else 1]] if state.over else lines)


def scene(table, seat: int | None, language: str) -> str:
    """Return the same as an SVG picture: both dice, and the last bid below them."""
    lines = describe(table, seat, language).splitlines()[SEATS:]
    dice = [_die(90 + 140 * owner, str(owner + 1), face) for owner, face in enumerate(faces(table[0], seat))]
    said = [f'<text x="160" y="{150 + 24 * row}" font-size="20">{line}</text>' for row, line in enumerate(lines)]
    drawn = "".join([*dice, *said])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 190" text-anchor="middle">'
        f'<rect width="320" height="190" fill="#3a7263"/><g fill="#fffbe8">{drawn}</g></svg>'
    )


def _die(x: int, owner: str, face: int) -> str:
    """Return a die in the middle at `x`, under the number of its owner; with "?" for the face 0."""
    pips = "".join(f'<circle cx="{x + 20 * right}" cy="{80 + 20 * down}" r="6"/>' for right, down in _PIPS[face])
    unseen = "" if face else f'<text x="{x}" y="92" font-size="34">?</text>'
    square = f'<rect x="{x - 37}" y="43" width="74" height="74" rx="12"/>'
    return f'<text x="{x}" y="32" font-size="22">{owner}</text>{square}<g fill="#3b2a20">{pips}{unseen}</g>'


def tell(before, action: int, after, seat: int | None, language: str) -> list[str]:
    """Return what happens when `action` is played; every player hears it."""
    return [f"{SEAT_SIGNS[before[0].seat]} {action_name(action, language)}"]


def help_text(language: str) -> str:
    """Return the aim, the rules in short, and how to type actions."""
    return _HELP[check_language(language)]
