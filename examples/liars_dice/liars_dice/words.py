"""Liar's dice in words and pictures, in English and Spanish."""

from liars_dice.rules import BIDS, FACES, LIAR, NO_BID, SEATS, holds
from sobremesa.envs import SEAT_SIGNS, check_language

_LIAR = {"en": "liar", "es": "mentira"}
_LINES = {
    "en": ("seat {} has {}", "last bid: {}", "no bid yet"),
    "es": ("asiento {}: {}", "va: {}", "sin apuestas"),
}
_END = {"en": ("the bid holds", "the bid fails"), "es": ("es verdad", "no es verdad")}
_HELP = {
    "en": "Call the bid that fails.\n\nBid on both dice, always higher, or call liar. Type 2x5 (two fives) or liar.",
    "es": "Descubre la mentira.\n\nApuesta por los dos dados, siempre más, o di mentira. Escribe 2x5 o mentira.",
}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`: "2x5" bids two fives."""
    return _LIAR[check_language(language)] if action == LIAR else f"{1 + action // FACES}x{1 + action % FACES}"


def parse_action(text: str, language: str) -> int:
    """Return the action with this name; raise ValueError with an example if there is none."""
    names = [action_name(action, language) for action in range(BIDS + 1)]
    if text.strip().lower() not in names:
        raise ValueError(f"{text!r} is not an action; type a bid such as 2x5, or {names[LIAR]}")
    return names.index(text.strip().lower())


def describe(table, seat: int | None, language: str) -> str:
    """Return what `seat` sees of the `(1,)` state `table`; all of it for None (L4)."""
    state, (has, last, none) = table[0], _LINES[check_language(language)]
    seen = [str(1 + state.die[owner]) if state.over or seat in (None, owner) else "?" for owner in range(SEATS)]
    lines = [has.format(owner, seen[owner]) for owner in range(SEATS)]
    lines.append(none if state.bid == NO_BID else last.format(action_name(int(state.bid), language)))
    return "\n".join([*lines, _END[language][0 if holds(state) else 1]] if state.over else lines)


def scene(table, seat: int | None, language: str) -> str:
    """Return the same as an SVG picture."""
    lines = describe(table, seat, language).splitlines()
    drawn = [f'<text x="20" y="{40 + 30 * row}" font-size="20">{line}</text>' for row, line in enumerate(lines)]
    paper = '<rect width="320" height="160" fill="#fffbe8"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 160">{paper}{"".join(drawn)}</svg>'


def tell(before, action: int, after, seat: int | None, language: str) -> list[str]:
    """Return what happens when `action` is played; every player hears it."""
    return [f"{SEAT_SIGNS[before[0].seat]} {action_name(action, language)}"]


def help_text(language: str) -> str:
    """Return the aim, the rules in short, and how to type actions."""
    return _HELP[check_language(language)]
