"""The parser of answers: forgiving in form, strict in meaning.

An answer names its action on a line `ACTION: name`, in a JSON object `{"action": "name"}`, or as its only or last line.
A name is that of the game's notation (`Words.action_name`) but for case, accents, spaces, quotes and Markdown; synonyms
that people may type are no names here. An answer that names no action, several, or an illegal one gives a refusal; the
parser never chooses another action.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from sobremesa.agents.language.prompt import Style, ask, texts
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game

NONE, SEVERAL, ILLEGAL, CUT = "no action", "several actions", "illegal action", "cut off"
LONGEST = 100_000  # characters of an answer
_SHOWN = 120  # characters of an answer in a refusal
_KEYS = ("action", "accion", "acción", "move", "jugada")
_MARK = re.compile(rf"(?:final\s+|my\s+|mi\s+)?(?:{'|'.join(_KEYS)})[*_~`]*\s*[:=](?P<name>.*)", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FRONT, _AROUND = "#>*_~` \t\"'“”‘’«»", "*_~`\"'“”‘’«»<>[]{} \t"  # marks of quotes and Markdown
_BULLET = re.compile(r"^\s*(?:[•·–—]|[-+](?=\s))\s*")
_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}’‘", "-----''")
_SPACES = re.compile(r"\s*([-+/()])\s*")


class Understood(NamedTuple):
    """How an answer was read: the action, or None with a refusal.

    `kind` is "" for a legal action, otherwise NONE, SEVERAL, ILLEGAL or CUT; `said` is what was read, in one line;
    `named` is the illegal action.
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
    named = list(_named(text))
    read = {_read(name, game, language) for name in named} or _bare(text, game, language)
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
    name = {NONE: "none", SEVERAL: "several", ILLEGAL: "illegal", CUT: "cut"}[understood.kind]
    said = understood.said
    if name == "none":
        said = words["said"].format(said=said) if said else ""
    sentence = words[name].format(said=said, why=words["why"].format(why=why.rstrip(".")) if why else "")
    if not left:
        return f"{sentence} {words['forfeit']}"
    again = words["again_last" if left == 1 else "again"]
    return f"{sentence} {again.format(left=left, ask=ask(style))}"


def _named(text: str) -> Iterator[str]:
    """Yield the names after a mark `ACTION:` and in JSON objects."""
    lines = _lines(text)
    for number, line in enumerate(lines):
        match = _MARK.match(_BULLET.sub("", line.lstrip(_FRONT)).lstrip(_FRONT))
        if match:
            name = match["name"].strip(_AROUND)
            following = (other.strip(_AROUND) for other in lines[number + 1 :])
            yield name or next((other for other in following if other), "")
    yield from _in_json(text)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.strip().startswith("```")]


def _in_json(text: str) -> Iterator[str]:
    decoder, start = json.JSONDecoder(), 0
    while (start := text.find("{", start)) >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        for key, value in found.items() if isinstance(found, dict) else ():
            if key.casefold() in _KEYS:
                yield value if isinstance(value, str) else f"{key}: {json.dumps(value)}"
        start = end


def _bare(text: str, game: Game, language: str) -> set[int | str]:
    """Return what the lines name that are the name of an action: all such lines, if the last line is one."""
    lines = [_BULLET.sub("", line.strip(_AROUND)) for line in _lines(text)]
    read = [_read(line, game, language) for line in lines if line]
    if not read or isinstance(read[-1], str):
        return set()
    return {one for one in read if not isinstance(one, str)}


def _read(name: str, game: Game, language: str) -> int | str:
    """Return the action called `name`, or the text if there is none."""
    text = " ".join(name.strip(_AROUND).split())
    if text.endswith((".", ",", ";", ":", "!")):
        text = text[:-1].strip(_AROUND)
    return _actions(game, language).get(_folded(text), text)


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
    plain = unicodedata.normalize("NFD", " ".join(name.translate(_SIGNS).split()))
    return _SPACES.sub(r"\1", "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold())
