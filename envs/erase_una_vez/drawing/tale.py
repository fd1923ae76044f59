"""The tale in the book of *Érase una vez*: the things told, their tellers and their hooks.

It is public. A thing played as a card has a frame; a thing told without a card has none (C3.1).
"""

from typing import Any, NamedTuple

from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, place, text, titled, width_of
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.drawing import pieces as p
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS, emblem
from sobremesa.envs.erase_una_vez.drawing.book import INNER, page_left, page_span
from sobremesa.envs.erase_una_vez.drawing.cards import HIGH, WIDE, label, picture_card, sketch, story_card
from sobremesa.envs.erase_una_vez.drawing.pieces import scroll, seal, wrap, written
from sobremesa.envs.erase_una_vez.tables import NO_THING
from sobremesa.envs.erase_una_vez.text.words import ending_words

MOST = 24  # things shown; those before are counted
_COLUMNS, _ROWS = 3, 2  # of cards on a page, in letters of at least 9 pixels where the picture is 790 pixels wide
_STRIP, _ABREAST = 42.0, 7  # above them on each page, once the tale is longer: earlier things as tokens
_TOKEN = 0.8  # times its size, a token
_CHIP = (54.0 * _TOKEN, 34.0 * _TOKEN)  # size of a token
_SENSE = 10  # of a sentence that allows no protest (C4.4)

_WORDS = {
    "es": {
        "once": "Érase una vez…", "before": "{} cosas antes", "one before": "una cosa antes", "player": "jugador {}",
        "hangs": "cuelga de {}", "undone": "anulado por protesta", "claimed": "quita la palabra con su carta",
        "broke in": "interrumpe sin contarlo", "told too": "interrumpe y lo cuenta",
        "refused": "final rechazado", "accepted": "final aceptado", "passed": "pasó",
        2: "contradice lo contado", 3: "divaga", 4: "no viene a cuento",
    },
    "en": {
        "once": "Once upon a time…", "before": "{} things before", "one before": "one thing before",
        "player": "player {}", "hangs": "hangs on {}", "undone": "undone by protest",
        "claimed": "takes the floor with this card", "broke in": "breaks in without telling of it",
        "told too": "breaks in and tells of it", "refused": "ending refused",
        "accepted": "ending accepted", "passed": "passed",
        2: "contradicts the tale", 3: "rambles", 4: "comes out of the blue",
    },
}  # fmt: skip

_TAKEN = {s.CLAIMED: "claimed", s.INTERRUPTED: "broke in", s.TOLD_TOO: "told too"}
_VERDICTS = {s.REFUSED: "refused", s.ACCEPTED: "accepted"}


class Entry(NamedTuple):
    """An entry in the book."""

    number: int  # of its sentence, from 1
    seat: int
    thing: int  # or an ending, for END
    hook: int  # NO_THING
    kind: int  # CARD, BRIDGE, LINK, END, or BREAK_IN for the card that a taker laid
    fate: int
    change: str  # mark of how the floor came to this seat; "" if it had it


def entries(state: Any) -> list[Entry]:
    """Return all things told, in order, with the cards of players who took over (C6.3, C6.4)."""
    found: list[Entry] = []
    change = ""
    for number, row in enumerate(state.log[: int(state.sentences)].tolist(), 1):
        kind, fate = row[s.LOG_KIND], row[s.LOG_FATE]
        if kind == s.PASS:
            change = "passed"
            continue
        if kind != s.BREAK_IN and row[s.LOG_THING] != NO_THING:  # the card of a break-in is there by the row before
            found.append(Entry(number, row[s.LOG_SEAT], row[s.LOG_THING], row[s.LOG_HOOK], kind, fate, change))
        change = {s.UNDONE: "protest", s.REFUSED: "refused"}.get(fate, "")
        if fate in (s.CLAIMED, s.INTERRUPTED, s.TOLD_TOO):
            hook = row[s.LOG_THING]
            found.append(Entry(number, row[s.LOG_TAKER], row[s.LOG_CARD], hook, s.BREAK_IN, fate, "bolt"))
    return found


def tale(state: Any, language: str, top: float, down: float) -> str:
    """Draw the last things told on the pages of the book, `down` high, and count the earlier ones."""
    told = entries(state)
    if not told:
        return _blank(language, top, down)
    before, first = max(0, len(told) - MOST), _first_card(len(told))
    spots, scale = _spots(len(told) - first, top, down, first > 0)
    drawn = [_threads(told, spots, scale)]
    drawn += [
        place(*spot, _token(told[number], language), _TOKEN, f"told-{number + 1}")
        for number, spot in zip(range(before, first), _strip(top, down), strict=False)
    ]
    drawn += [
        place(*spot, drawn_entry(state, entry, entry is told[-1], language), scale, f"told-{number}")
        for number, (entry, spot) in enumerate(zip(told[first:], spots, strict=True), first + 1)
    ]
    if before:
        x, y = page_left(0) + INNER / 2, page_span(top, down)[0] + 10
        drawn.append(text(x, y, f"… {count_before(before, language)} …", 12.5, INK, p.ITALIC))
    return "".join(drawn)


def told_boxes(state: Any, top: float, down: float) -> list[tuple[Entry, tuple[float, float, float, float]]]:
    """Return the places of the last things told on the pages."""
    told = entries(state)
    first = _first_card(len(told))
    spots, scale = _spots(len(told) - first, top, down, first > 0)
    earlier = zip(told[max(0, len(told) - MOST) : first], _strip(top, down), strict=False)
    shown = [(entry, spot, _CHIP) for entry, spot in earlier]
    shown += [(entry, spot, (WIDE * scale, HIGH * scale)) for entry, spot in zip(told[first:], spots, strict=True)]
    return [(entry, (x - wide / 2, y - high / 2, wide, high)) for entry, (x, y), (wide, high) in shown]


def once(language: str) -> str:
    """Return the words with which a tale begins."""
    return _WORDS[language]["once"]


def count_before(count: int, language: str) -> str:
    """Return the words for the number of things that are no longer shown."""
    return _WORDS[language]["one before" if count == 1 else "before"].format(count)


def _blank(language: str, top: float, down: float) -> str:
    """Draw the book before anything has been told."""
    words, middle = _WORDS[language]["once"], top + down / 2
    x, size = page_left(0) + INNER / 2, 31.0
    room = min(size * width_of(words[1:]), INNER - 90)
    initial = MARKS["initial"] + text(0, 14, words[0], 39, p.PAPER)
    return (
        place(x - room / 2 - 4, middle - 24, initial)
        + text(x - room / 2 + 28, middle - 12, words[1:], size, INK, LEFT_BOLD, room)
        + place(x, middle + 48, MARKS["flourish"], 1.2)
        + place(page_left(1) + INNER / 2, middle + 4, MARKS["flourish"], 1.5)
    )


def _first_card(count: int) -> int:
    """Return the number of the first thing that is shown as a card: cards move up by whole rows."""
    return -(-max(0, count - 2 * _COLUMNS * _ROWS) // _COLUMNS) * _COLUMNS


def _spots(count: int, top: float, down: float, strip: bool) -> tuple[list[tuple[float, float]], float]:
    """Return the places of a number of cards, below a strip if there is one, and their scale."""
    begin, high = page_span(top, down)
    if strip:
        begin, high = begin + _STRIP, high - _STRIP
    across, deep = INNER / _COLUMNS, high / _ROWS
    scale = min((across - 9) / WIDE, (deep - 16) / HIGH)
    spots = []
    for number in range(count):
        page, within = divmod(number, _COLUMNS * _ROWS)
        row, column = divmod(within, _COLUMNS)
        spots.append((page_left(page) + across * (column + 0.5) + 4, begin + deep * (row + 0.5) + 5))
    return spots, scale


def _strip(top: float, down: float) -> list[tuple[float, float]]:
    """Return the places of tokens along the head of both pages."""
    y, step = page_span(top, down)[0] + 27, INNER / _ABREAST
    return [(page_left(page) + step * (place + 0.5), y) for page in range(2) for place in range(_ABREAST)]


def _token(entry: Entry, language: str) -> str:
    """Draw an earlier entry around the origin: its picture and number."""
    if entry.kind == s.END:
        body = place(0, 0, MARKS["ending-back"], 0.22)
    elif entry.kind in (s.CARD, s.BREAK_IN):
        body = place(0, 0, picture_card(entry.thing, language), 0.24)
    else:
        body = place(0, 0, emblem(entry.thing), 0.26)
    crossed = entry.kind != s.BREAK_IN and entry.fate in (s.UNDONE, s.REFUSED)
    shown = place(-14, 0, f'<g opacity=".5">{body}</g>{place(0, 0, MARKS["cross"], 0.24)}' if crossed else body)
    return titled(_title(entry, language), shown + text(1, 5.5, str(entry.number), 15.5, INK, LEFT_BOLD, 27))


# Threads.


def _threads(told: list[Entry], spots: list[tuple[float, float]], scale: float) -> str:
    """Draw a thread from each thing to its hook, or a tag with the hook's number if it is far away."""
    drawn, before = [], len(told) - len(spots)
    for number, (x, y) in enumerate(spots):
        holder = _holder(told, before + number)
        if holder < 0:
            continue
        start = spots[holder - before] if holder >= before else (x, y)
        if start[0] <= page_left(0) + INNER < x or start == (x, y):
            drawn.append(place(x, y, _tag(told[holder].number), scale))
            continue
        path, (x, y) = _thread(start, (x, y), scale)
        drawn.append(
            f'<path d="{path}" fill="none" stroke="#8a5a2b" stroke-width="1.6" stroke-opacity=".8"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{p.GOLD}" stroke="#6d4420" stroke-width=".8"/>'
        )
    return "".join(drawn)


def tag_of(told: list[Entry], number: int) -> str:
    """Draw the tag of an entry with the number of its hook, "" without one."""
    holder = _holder(told, number)
    return _tag(told[holder].number) if holder >= 0 else ""


def _holder(told: list[Entry], number: int) -> int:
    """Return the number of the entry that this entry hangs on, the latest before it; -1 without one."""
    hook = told[number].hook
    if told[number].kind == s.END or hook == NO_THING:
        return -1
    for other in range(number - 1, -1, -1):
        held = told[other]
        if held.kind != s.END and held.thing == hook and (held.fate != s.UNDONE or held.kind == s.BREAK_IN):
            return other
    return -1


def _thread(start: tuple[float, float], end: tuple[float, float], scale: float) -> tuple[str, tuple[float, float]]:
    """Return the way of a thread between the middles of two things on a page, and where its knot is."""
    (x0, y0), (x1, y1) = start, end
    wide, high = WIDE / 2 * scale, HIGH / 2 * scale
    if y1 - y0 < 1:  # in one row: an arc above, from the right half of one to the left half of the other
        x0, x1, y = x0 + wide * 0.45, x1 - wide * 0.3, y0 - high
        rise = y - (11 if x1 - x0 < 3 * wide else 15)
        return f"M{x0:.1f},{y:.1f}C{x0:.1f},{rise:.1f} {x1:.1f},{rise:.1f} {x1:.1f},{y:.1f}", (x1, y)
    x1, y0, y1 = x1 - wide * 0.3, y0 + high, y1 - high  # further down: from foot to head
    bend = min(24.0, (y1 - y0) * 0.8)
    return f"M{x0:.1f},{y0:.1f}C{x0:.1f},{y0 + bend:.1f} {x1:.1f},{y1 - bend:.1f} {x1:.1f},{y1:.1f}", (x1, y1)


def _tag(number: int) -> str:
    """Draw a thread that ends at a tag with the number of the linked thing, left of a thing."""
    wide = 5 + 5 * len(str(number))
    return (
        '<path d="M-46,-32 H-52" stroke="#8a5a2b" stroke-width="2"/>'
        f'<rect x="{-51 - wide}" y="-39" width="{wide}" height="14" rx="4" fill="#f2d488" stroke="#8a5a2b" '
        'stroke-width="1"/>' + text(-51 - wide / 2, -29, str(number), 8.5, INK, BOLD, wide - 2)
    )


# What stands in the book.


def drawn_entry(state: Any, entry: Entry, last: bool, language: str) -> str:
    """Draw an entry around the origin: 100 by 140."""
    drawn = [MARKS["glow"] if last else ""]
    crossed = entry.kind != s.BREAK_IN and entry.fate in (s.UNDONE, s.REFUSED)
    if entry.kind == s.END:
        body = _finale(entry, language)
    elif entry.kind in (s.CARD, s.BREAK_IN):
        body = story_card(entry.thing, language)
    else:
        body = sketch(entry.thing, language)
    drawn.append(f'<g opacity=".5">{body}</g>{MARKS["cross"]}' if crossed else body)
    drawn.append(place(-42, -61, seal(entry.seat, 11)))
    drawn.append(_numbered(entry.number))
    if entry.change:
        drawn.append(place(-55, -2, MARKS[entry.change]))
    if last and entry.kind in (s.CARD, s.BRIDGE, s.LINK) and entry.fate != s.UNDONE and int(state.sense) < _SENSE:
        drawn.append(_doubt(int(state.sense), language))
    return titled(_title(entry, language), "".join(drawn))


def _title(entry: Entry, language: str) -> str:
    """Return the caption of an entry: its teller and its fate."""
    words = _WORDS[language]
    name = ending_words(entry.thing, language) if entry.kind == s.END else label(entry.thing, language)
    told = [f"{entry.number}. {name}", words["player"].format(entry.seat + 1)]
    if entry.kind == s.BREAK_IN:
        told.append(words[_TAKEN[entry.fate]])
    elif entry.kind == s.END:
        told += [words[_VERDICTS[entry.fate]]] if entry.fate in _VERDICTS else []
    else:
        told += [words["hangs"].format(label(entry.hook, language))] if entry.hook != NO_THING else []
        told += [words["undone"]] if entry.fate == s.UNDONE else []
    return " · ".join(told)


def told_label(entry: Entry, language: str) -> str:
    """Return the label of a thing told and, for a card that broke in, how: it may not be in the tale (C6.4)."""
    name = label(entry.thing, language)
    return f"{name}, {_WORDS[language][_TAKEN[entry.fate]]}" if entry.kind == s.BREAK_IN else name


def _numbered(number: int) -> str:
    """Write the number of a sentence in the upper right corner."""
    wide = 8 + 6.4 * len(str(number))
    return (
        f'<rect x="{49 - wide:g}" y="-70" width="{wide:g}" height="13" rx="6" fill="{p.PAPER}" stroke="{p.FAINT}" '
        'stroke-width=".8"/>' + text(49 - wide / 2, -60.3, str(number), 9.5, p.FAINT)
    )


def _doubt(sense: int, language: str) -> str:
    """Mark a sentence that makes less than full sense (C4)."""
    mark = f'<circle r="9" fill="#c0392b" stroke="{p.PAPER}" stroke-width="1.4"/>' + text(0, 5, "?", 14, p.PAPER)
    return place(51, 0, titled(_WORDS[language].get(sense, "?"), mark))


def _finale(entry: Entry, language: str) -> str:
    """Draw an ending that was read out."""
    lines, size = wrap(ending_words(entry.thing, language), 12, 72, 9)
    y = -(len(lines) - 1) * size * 0.59 + 4
    rim = p.GOLD if entry.fate == s.ACCEPTED else p.RED
    return (
        place(-50, -58, scroll(100, 116, entry.fate == s.ACCEPTED))
        + written(0, y, lines, size, INK, p.ITALIC, 74)
        + f'<circle cy="62" r="9" fill="{rim}" stroke="{INK}"/><path d="M0,67 C-9,60 -5,55 0,59 C5,55 9,60 0,67 Z" '
        f'fill="{p.PAPER}"/>'
    )
