"""The other players of *Érase una vez* with hidden hands, next to the book, for one who plays."""

from typing import Any

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text, titled, width_of
from sobremesa.envs.core.wording import Box
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS, emblem
from sobremesa.envs.erase_una_vez.drawing.cards import HIGH, WIDE, label
from sobremesa.envs.erase_una_vez.drawing.hands import GAP, counted, endings_of, hand_of, head, is_narrator
from sobremesa.envs.erase_una_vez.drawing.pieces import GOLD, GROUP_COLOURS, LIGHT, PAPER, RED, panel, wrap
from sobremesa.envs.erase_una_vez.tables import GROUP
from sobremesa.envs.erase_una_vez.text.words import ending_words

_HEAD, _ROW = 32.0, 20.0  # heights of the name of a seat, and of a line about what is known of its hand
_MORE = {"es": "y {} más", "en": "and {} more"}


def others(state: Any, viewer: int, language: str, area: Box) -> str:
    """Draw the other seats below each other in an area (left, top, across, down), in the order of play."""
    left, top, across, down = area
    count = int(state.seats) - 1
    deep = (down - GAP * (count - 1)) / count
    drawn = []
    for number in range(count):
        body = _other(state, (viewer + 1 + number) % (count + 1), viewer, language, (across, deep))
        drawn.append(place(left, top + number * (deep + GAP), body))
    return "".join(drawn)


def _other(state: Any, seat: int, viewer: int, language: str, size: tuple[float, float]) -> str:
    """Draw a seat with a hidden hand: backs, and the cards that the viewer knows."""
    across, down = size
    held = int(state.hand_size[seat])
    known = [card for card in hand_of(state, seat) if state.shown[card]]
    seen = [ending for ending in endings_of(state, seat) if state.ending_known[ending] >> viewer & 1]
    high = min(down - _HEAD - 5, 46.0)
    middle = _HEAD + (down - _HEAD) / 2 - 2
    backs, wide = held - len(known), high * WIDE / HIGH
    step = min(13.0, (across * (0.3 if known or seen else 0.8)) / max(backs - 1, 1))
    fan = "".join(
        place(12 + wide / 2 + step * number, middle, MARKS["card-back"], high / HIGH) for number in range(backs)
    )
    count = f'<circle r="9.5" fill="{INK}" stroke="{GOLD}"/>' + text(0, 4.6, str(held), 13, LIGHT)
    fan += place(12 + wide / 2, middle, count)
    drawn = panel(across, down, is_narrator(state, seat)) + head(state, seat, viewer, language, across)
    drawn += titled(counted(held, language), fan)
    return drawn + _rows(known, seen, language, (12 + wide + step * max(backs - 1, 0) + 8, middle, across - 6, high))


def _rows(known: list[int], seen: list[int], language: str, area: Box) -> str:
    """List known cards and endings with their emblems, as many as fit around the height `middle`."""
    left, middle, right, high = area
    most, room = max(1, int(high // _ROW)), right - left
    things = [(place(11, 0, MARKS["ending-back"], 0.11), ending_words(ending, language), RED) for ending in seen]
    things += [(place(11, 0, emblem(card), 0.165), label(card, language), GROUP_COLOURS[GROUP[card]]) for card in known]
    rows = min(most, len(things))
    hidden = len(things) - rows
    drawn = []
    for number, (drawing, name, colour) in enumerate(things[:rows]):
        more = f" {_MORE[language].format(hidden)}" if hidden and number == rows - 1 else ""
        said = wrap(name, 12, room - 30 - 12 * width_of(more), 1, 12)[0][0] + more
        row = (
            f'<rect y="-9" width="{room:g}" height="18" rx="4" fill="{PAPER}" stroke="{colour}" '
            'stroke-width="1.6"/>' + drawing + text(22, 4.3, said, 12, INK, LEFT_BOLD, room - 26)
        )
        drawn.append(place(left, middle + _ROW * (number - (rows - 1) / 2), titled(name, row)))
    return "".join(drawn)
