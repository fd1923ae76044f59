"""The parts of an answer that may name its action: after marks, in tags, in JSON, in formulas, or alone on a line.

A part is read as a whole: a name that continues in the next line includes that line, and then names no action. A name
that the text rejects ("Reject this move:") is no part.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from sobremesa.agents.language.names import AROUND, strip_decoration

LONGEST = 100_000  # characters of an answer
_LONGEST_TAG = 120  # characters of a name in a tag
_MOST_OBJECTS = 100  # tries to read JSON in an answer
_KEYS = ("action", "accion", "acción", "move", "jugada", "movimiento")
_LOOSE_KEYS = ("answer", "respuesta")  # of an argument too, so what is not the name of an action may follow
_NESTED = ("arguments", "parameters", "input", "args")  # of calls of tools, which may be JSON in a text


def _mark(keys: tuple[str, ...]) -> re.Pattern[str]:
    front = r"(?:(?:final|my|mi|the|la|el)\s+)*"
    return re.compile(rf"{front}(?:{'|'.join(keys)})(?:\s+final)?[*_`]*\s*[:=：](?P<name>.*)", re.IGNORECASE)


def _tag(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(keys)})>(?P<name>.{{0,{_LONGEST_TAG}}}?)</\1>", re.IGNORECASE | re.DOTALL)


MARK, _LOOSE_MARK, _TAG, _LOOSE_TAG = _mark(_KEYS), _mark(_LOOSE_KEYS), _tag(_KEYS), _tag(_LOOSE_KEYS)
_PAIR = re.compile(
    rf"""(?<!\\)(["'])(?:{"|".join(_KEYS)})\1\s*:\s*(?P<name>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}}\]]+)""",
    re.IGNORECASE,
)  # in JSON that does not parse
_BOXED = re.compile(r"\\f?boxed\s*\{([^{}]*)\}")
_FRONT = "#>*_` \t\"'“”‘’«»"
_BREAK = " ⏎ "  # between the lines of a name; no name of an action has it
_EMPTY = "#>*_`- \t"  # signs of a line without a text
_BULLET = re.compile(r"^\s*(?:[•·–—]|[-+](?=\s))\s*")
# A continued line begins with a small letter or a sign, or the line before it ends with such a word.
_GOES_ON = re.compile(r"[^\W\d_A-ZÁÉÍÓÚÜÑ]|[-+–—/,;:.&|()=]|(?:and|or|y|o|u|e)\b")
_ENDS_OPEN = re.compile(r"(?:[-+/,;&(=]|\s(?:and|or|not|with|y|o|con))$", re.IGNORECASE)
_ENDS = (".", "!", "?", "…")  # of a text before a name that is alone on its line
_REJECTS = re.compile(
    r"\b(?:not|never|don'?t|won'?t|cannot|can'?t|shouldn'?t|wouldn'?t|reject\w*|refus\w+|avoid\w*|wrong|worse|worst|"
    r"illegal|instead of|rather than|example|nunca|jamás|evit\w+|rechaz\w+|peor|ilegal|en vez de|en lugar de|ejemplo|"
    r"no\s+(?:\w+\s+)?(?:juego|juegues|hagas|hago|elijo|elijas|escojo|quiero|debo|voy))\b",
    re.IGNORECASE,
)


def named(text: str) -> list[str]:
    """Return the names after a mark `ACTION:`, in tags and in JSON."""
    found = [*_marked(text, MARK), *(text[begin:end] for begin, end in _matched(text, _TAG))]
    return [*found, *_in_json(text)]


def find_names(text: str) -> list[str]:
    """Return what may be a name: after a mark `Answer:`, in tags `<answer>`, and in formulas."""
    found = [*_marked(text, _LOOSE_MARK), *(text[begin:end] for begin, end in _matched(text, _LOOSE_TAG))]
    return [*found, *(text[begin:end] for begin, end in _matched(text, _BOXED, 1))]


def alone(text: str) -> tuple[list[str], bool]:
    """Return the lines, and whether the last one continues from the line before or is rejected by it."""
    lines = [line for line in _lines(text) if line.strip(_EMPTY)]
    doubtful = len(lines) > 1 and (_REJECTS.search(lines[-2][-_LONGEST_TAG:]) is not None or not _is_whole(lines[-2]))
    if lines and lines[-1].lstrip().startswith(("+", "/")):
        return [], True
    return [_BULLET.sub("", line.strip(AROUND)) for line in lines], doubtful


def _is_whole(line: str) -> bool:
    """Return whether a `line` of text has ended, so that the next one is by itself."""
    return line.strip(f"{AROUND})").endswith(_ENDS)


def strip_formulas(text: str) -> str:
    """Return `text` with the content of formulas in place of them."""
    return _BOXED.sub(r"\1", text)


def _matched(text: str, pattern: re.Pattern[str], group: int | str = "name") -> Iterator[tuple[int, int]]:
    """Yield where `group` of `pattern` begins and ends, but for what its line or the line before rejects."""
    for match in pattern.finditer(text):
        if not _rejects_before(text, match.start()):
            yield match.span(group)


def _rejects_before(text: str, place: int) -> bool:
    """Return whether the text of the same line before `place`, or a head in the line before, rejects what follows."""
    begin = text.rfind("\n", 0, place) + 1
    if _REJECTS.search(text[max(begin, place - _LONGEST_TAG) : place].partition("{")[0]):
        return True
    before = text[max(0, begin - _LONGEST_TAG) : begin].rstrip().rpartition("\n")[2]
    return not text[begin:place].strip(_EMPTY) and _is_rejection(before)


def _is_rejection(line: str) -> bool:
    return line.rstrip(f"{_EMPTY}`").endswith((":", "：")) and _REJECTS.search(line[-_LONGEST_TAG:]) is not None


def _marked(text: str, mark: re.Pattern[str]) -> Iterator[str]:
    """Yield the names after `mark` on a line; if the line ends there, on the next one.

    A name that continues in the line after it is yielded with that line.
    """
    lines = [line for line in _lines(text) if line.strip(_EMPTY)]
    for number, line in enumerate(lines):
        match = mark.match(_plain(line))
        if match is None or (number and _is_rejection(lines[number - 1])):
            continue
        name, after = match["name"], number + 1
        if not name.strip(AROUND):
            following = "".join(lines[after : after + 1])
            if not following or MARK.match(_plain(following)) or _TAG.search(following) or "{" in following:
                continue
            name, after = following, after + 1
        rest = "".join(lines[after : after + 1])
        yield f"{name}{_BREAK}{rest}" if _continues(name, rest) else name


def _continues(name: str, rest: str) -> bool:
    """Return whether a `name` after a mark continues in the line `rest`."""
    plain = strip_decoration(rest.strip(AROUND))
    other = MARK.match(_plain(rest)) or _LOOSE_MARK.match(_plain(rest)) or rest.lstrip().startswith(("{", "<", "\\"))
    if not plain or other:
        return False
    return _GOES_ON.match(plain) is not None or _ENDS_OPEN.search(name.strip(AROUND)) is not None


def _plain(line: str) -> str:
    """Return `line` without marks of Markdown and signs in front of its words."""
    return _BULLET.sub("", strip_decoration(line).lstrip(_FRONT)).lstrip(_FRONT)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.strip().startswith("```")]


def _in_json(text: str) -> Iterator[str]:
    """Yield the names in JSON objects, also in faulty ones."""
    decoder, start, rest = json.JSONDecoder(object_pairs_hook=_Pairs), 0, list[str]()
    while (begin := text.find("{", start)) >= 0 and len(rest) < _MOST_OBJECTS:
        try:
            found, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            end = begin + 1
            rest.append(text[start:end])
        else:
            rest.append(text[start:begin])
            if not _rejects_before(text, begin):
                yield from _in_object(found)
        start = end
    faulty = "".join((*rest, text[start:]))
    for match in _PAIR.finditer(faulty):
        if _rejects_before(faulty, match.start()):
            continue
        try:
            yield json.loads(match["name"]) if match["name"].startswith('"') else match["name"]
        except ValueError:
            yield match["name"]


class _Pairs(tuple[tuple[str, Any], ...]):
    """The pairs of a JSON object; a key may be there twice."""

    __slots__ = ()


def _in_object(value: Any) -> Iterator[str]:
    """Yield the names in a JSON value: those of an object itself, otherwise those within it.

    The arguments of a call of a tool may be JSON in a text.
    """
    pairs = value if isinstance(value, _Pairs) else ()
    held = [(key, one) for key, one in pairs if key.casefold() in _KEYS]
    for key, one in held:
        yield one if isinstance(one, str) else json.dumps({key: dict(one) if isinstance(one, _Pairs) else one})
    if held or not isinstance(value, list | tuple):
        return
    for key, one in pairs if isinstance(value, _Pairs) else [("", one) for one in value]:
        yield from _in_object(_parsed(one) if key.casefold() in _NESTED and isinstance(one, str) else one)


def _parsed(text: str) -> Any:
    """Return the JSON value of `text`; None for another text."""
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
