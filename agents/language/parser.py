"""The parser of answers: forgiving in form, strict in meaning.

An answer names its action on a line `ACTION: name`, in JSON `{"action": "name"}` or in a tag `<action>`. Without these
it does so by `Final answer: name`, `\\boxed{name}` or a tag `<answer>`, or as its only or last line. A name is that of
the game's notation (`Words.action_name`) but for case, accents, spaces, quotes, Markdown and emoji; synonyms that
people may type are no names here. An answer that names no action, several, or an illegal one gives a refusal; the
parser never chooses another action.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.language.prompt import Style, ask, texts
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.picture.words import normalized

NONE, SEVERAL, ILLEGAL, CUT = "no action", "several actions", "illegal action", "cut off"
SENTENCE = "sentence not taken"
LONGEST = 100_000  # characters of an answer
_MOST_OBJECTS = 100  # tries to read JSON in an answer
_SHOWN = 120  # characters of an answer in a refusal
_KEYS = ("action", "accion", "acción", "move", "jugada", "movimiento")
_LOOSE_KEYS = ("answer", "respuesta")  # of an argument too, so what is not the name of an action may follow


def _mark(keys: tuple[str, ...]) -> re.Pattern[str]:
    front = r"(?:(?:final|my|mi|the|la|el)\s+)*"
    return re.compile(rf"{front}(?:{'|'.join(keys)})(?:\s+final)?[*_~`]*\s*[:=：](?P<name>.*)", re.IGNORECASE)


def _tag(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(keys)})>(?P<name>.{{0,{_SHOWN}}}?)</\1>", re.IGNORECASE | re.DOTALL)


_MARK, _LOOSE_MARK, _TAG, _LOOSE_TAG = _mark(_KEYS), _mark(_LOOSE_KEYS), _tag(_KEYS), _tag(_LOOSE_KEYS)
_PAIR = re.compile(
    rf"""(?<!\\)(["'])(?:{"|".join(_KEYS)})\1\s*:\s*(?P<name>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}}\]]+)""",
    re.IGNORECASE,
)  # in JSON that does not parse
_TEX = re.compile(r"\\(?:text|math)[a-z]*\{([^{}]*)\}")
_BOXED = re.compile(r"\\f?boxed\s*\{([^{}]*)\}")
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_END_OF_TEXT = re.compile(r"(?:</s>|<\|(?:im_end|end|eot_id|endoftext|end_of_text)\|>)")  # some servers leave it there
_FRONT, _AROUND = "#>*_~` \t\"'“”‘’«»", "*_~`\"'“”‘’«»<>[]{}$ \t"  # marks of quotes, Markdown and formulas
_EMPTY = "#>*_~`- \t"  # signs of a line without a text
_BULLET = re.compile(r"^\s*(?:[•·–—]|[-+](?=\s))\s*")
_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}’‘", "-----''")
_PICTURES = ("So", "Sk", "Cf", "Mn")  # categories of emoji, their modifiers and invisible signs
_SPACES = re.compile(r"\s*([-+/()])\s*")


class Understood(NamedTuple):
    """How an answer was read: the action, or None with a refusal.

    `kind` is "" for a legal action, otherwise NONE, SEVERAL, ILLEGAL, CUT or SENTENCE; `said` is what was read, in one
    line; `named` is the illegal action.
    """

    action: int | None
    kind: str = ""
    said: str = ""
    named: int | None = None


def understand(answer: str, game: Game, mask: np.ndarray, language: str, cut: bool = False) -> Understood:
    """Return the legal action of `mask` `(A,)` that `answer` names, or why it is refused.

    `cut` states that the answer ended at a limit of length: then it is refused, since a name may be incomplete.
    """
    text = _THOUGHT_ENDS.split(answer[:LONGEST])[-1]
    if cut or len(answer) > LONGEST or _THOUGHT_BEGINS.search(text):
        return Understood(None, CUT, one_line(answer[-_SHOWN:], _SHOWN))
    text = _TEX.sub(r"\1", _END_OF_TEXT.sub("\n", normalized("NFC", text)))
    boxed, text = _BOXED.findall(text), _BOXED.sub(r"\1", text)
    read = {_read(name, game, language) for name in _named(text)}
    loose = {_read(name, game, language) for name in (*_loosely_named(text), *boxed)}
    read |= {one for one in loose if not isinstance(one, str)}
    read = read or _bare(text, game, language)
    if len(read) > 1:
        shown = sorted(one if isinstance(one, str) else game.words.action_name(one, language) for one in read)
        return Understood(None, SEVERAL, one_line(", ".join(shown), _SHOWN))
    if not read:
        return Understood(None, NONE, one_line(text, _SHOWN))
    found = read.pop()
    if isinstance(found, str):
        return Understood(None, NONE, one_line(found, _SHOWN))
    if mask[found]:
        return Understood(found)
    return Understood(None, ILLEGAL, game.words.action_name(found, language), found)


def refusal(understood: Understood, view: View, style: Style, left: int) -> str:
    """Return the message (role "user") that refuses an answer, with `left` more attempts."""
    words, why = texts("refused", style), ""
    if understood.named is not None and view.game.words.why is not None:
        why = view.game.words.why(view.state, understood.named, style.language)
    name = {NONE: "none", SEVERAL: "several", ILLEGAL: "illegal", CUT: "cut", SENTENCE: "sentence"}[understood.kind]
    said = understood.said
    if name == "none":
        said = words["said"].format(said=said) if said else ""
    sentence = words[name].format(said=said, why=words["why"].format(why=why.rstrip(".")) if why else "")
    if not left:
        return f"{sentence} {words['forfeit']}"
    again = words["again_last" if left == 1 else "again"]
    return f"{sentence} {again.format(left=left, ask=ask(style))}"


def _named(text: str) -> Iterator[str]:
    """Yield the names after a mark `ACTION:`, in tags and in JSON."""
    yield from _marked(text, _MARK)
    yield from (match["name"] for match in _TAG.finditer(text))
    yield from _in_json(text)


def _loosely_named(text: str) -> Iterator[str]:
    yield from _marked(text, _LOOSE_MARK)
    yield from (match["name"] for match in _LOOSE_TAG.finditer(text))


def _marked(text: str, mark: re.Pattern[str]) -> Iterator[str]:
    """Yield the names after `mark` on a line; if the line ends there, on the next one."""
    lines = [line for line in _lines(text) if line.strip(_EMPTY)]
    for number, line in enumerate(lines):
        if match := mark.match(_plain(line)):
            following = "".join(lines[number + 1 : number + 2])
            if name := match["name"].strip(_AROUND):
                yield name
            elif following and not (_MARK.match(_plain(following)) or _TAG.search(following) or "{" in following):
                yield following


def _plain(line: str) -> str:
    """Return `line` without marks of Markdown and signs in front of its words."""
    return _BULLET.sub("", _undecorated(line).lstrip(_FRONT)).lstrip(_FRONT)


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
            yield from _in_object(found)
        start = end
    for match in _PAIR.finditer("".join((*rest, text[start:]))):
        try:
            yield json.loads(match["name"]) if match["name"].startswith('"') else match["name"]
        except ValueError:
            yield match["name"]


class _Pairs(tuple[tuple[str, Any], ...]):
    """The pairs of a JSON object; a key may be there twice."""

    __slots__ = ()


def _in_object(value: Any) -> Iterator[str]:
    """Yield the names in a JSON value: those of an object itself, otherwise those within it."""
    pairs = value if isinstance(value, _Pairs) else ()
    named = [(key, one) for key, one in pairs if key.casefold() in _KEYS]
    for key, one in named:
        yield one if isinstance(one, str) else json.dumps({key: dict(one) if isinstance(one, _Pairs) else one})
    if not named and isinstance(value, list | tuple):
        for one in value if isinstance(value, list) else [one for _, one in pairs]:
            yield from _in_object(one)


def _bare(text: str, game: Game, language: str) -> set[int | str]:
    """Return what the lines name that are the name of an action: all such lines, if the last line is one."""
    lines = [_BULLET.sub("", line.strip(_AROUND)) for line in _lines(text)]
    read = [_read(line, game, language) for line in lines if line.strip("-")]
    if not read or isinstance(read[-1], str):
        return set()
    return {one for one in read if not isinstance(one, str)}


def _read(name: str, game: Game, language: str) -> int | str:
    """Return the action called `name`, or the text if there is none."""
    actions = _actions(game, language)
    text = _ended(name)
    if (match := _MARK.match(text)) and _folded(text) not in actions:
        text = _ended(match["name"])
    bare = _ended(_undecorated(text))
    return actions.get(_folded(text), actions.get(_folded(bare), text))


def _ended(name: str) -> str:
    """Return `name` without quotes, marks, and one sign at its end."""
    text = " ".join(name.strip(_AROUND).split())
    return text[:-1].strip(_AROUND) if text.endswith((".", ",", ";", ":", "!")) else text


def _undecorated(text: str) -> str:
    """Return `text` without pictures and invisible signs at its ends."""
    kinds = [sign.isspace() or unicodedata.category(sign) in _PICTURES for sign in text]
    begin = next((number for number, decor in enumerate(kinds) if not decor), len(text))
    end = next((number for number in range(len(text), begin, -1) if not kinds[number - 1]), begin)
    return text[begin:end]


@cache
def _actions(game: Game, language: str) -> dict[str, int]:
    """Return all actions by their folded names; raise ValueError if two names are the same but for form."""
    found: dict[str, int] = {}
    for action in range(game.num_actions):
        name = game.words.action_name(action, language)
        if found.setdefault(_folded(name), action) != action:
            raise ValueError(f"{game.id}: {name!r} and another action have the same name but for its form")
    return found


def _folded(name: str) -> str:
    """Return `name` without case, accents, and spaces around signs; other digits than 0 to 9 stay as they are."""
    plain = normalized("NFD", name.translate(_SIGNS))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _SPACES.sub(r"\1", " ".join(bare.split()).casefold())
