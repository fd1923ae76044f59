"""The parser of answers: forgiving in form, strict in meaning.

An answer names its action on a line `ACTION: name`, in a JSON object `{"action": "name"}`, or as its only line or last
line that is the name of an action. Names are those of the game's notation. An answer that names no action, several, or
an illegal one gives a refusal; the parser never chooses another action.
"""

import json
import re
from collections.abc import Iterator
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
_MARK = re.compile(rf"(?:final\s+|my\s+|mi\s+)?(?:{'|'.join(_KEYS)})\s*[:=](?P<name>.*)", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_FRONT, _AROUND = "#>*_~` \t\"'“”‘’«»", "*_~`\"'“”‘’«»<>[]{} \t"  # marks of quotes and Markdown
_BULLET = re.compile(r"(?:[•·–—]|[-+](?=\s))\s*")
_MINUS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}", "-----")
_NUMBERS = re.compile(r"[^\w\s]?\d+")
_FREE = "'’()-. "  # characters that may differ from the name's, besides letters and digits


class Understood(NamedTuple):
    """How an answer was read: the action, or None with a refusal.

    `kind` is "" for a legal action, otherwise NONE, SEVERAL, ILLEGAL or CUT; `said` is what was read, in one line.
    """

    action: int | None
    kind: str = ""
    said: str = ""


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
    return Understood(found) if mask[found] else Understood(None, ILLEGAL, game.words.action_name(found, language))


def refusal(understood: Understood, view: View, style: Style, left: int) -> str:
    """Return the message (role "user") that refuses an answer, with `left` more attempts."""
    words, why = texts("refused", style), ""
    if understood.kind == ILLEGAL and view.game.words.why is not None:
        action = view.game.words.parse_action(understood.said, style.language)
        why = view.game.words.why(view.state, action, style.language)
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
        match = _MARK.match(_BULLET.sub("", line.lstrip(_FRONT), count=1).lstrip(_FRONT))
        if match:
            name = match["name"].strip(_AROUND)
            following = (other.strip(_AROUND) for other in lines[number + 1 :])
            yield name or next((other for other in following if other), "")
    yield from _in_json(text)


def _lines(text: str) -> list[str]:
    return [line for line in text.translate(_MINUS).splitlines() if not line.strip().startswith("```")]


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
                yield value.translate(_MINUS) if isinstance(value, str) else json.dumps(value)
        start = end


def _bare(text: str, game: Game, language: str) -> set[int | str]:
    """Return what the lines name that are the name of an action: all such lines, if the last line is one."""
    lines = [_BULLET.sub("", line.strip(_AROUND), count=1) for line in _lines(text)]
    read = [_read(line, game, language) for line in lines if line]
    if not read or isinstance(read[-1], str):
        return set()
    return {one for one in read if not isinstance(one, str)}


def _read(name: str, game: Game, language: str) -> int | str:
    """Return the action called `name` in the game's notation, or the text if there is none."""
    text = " ".join(name.strip(_AROUND).split())
    if text.endswith((".", ",", ";", ":", "!")) and not text.endswith(".."):
        text = text[:-1].strip(_AROUND)
    try:
        action = game.words.parse_action(text, language)
    except ValueError:
        return text
    return action if _means(text, game.words.action_name(action, language)) else text


def _means(text: str, name: str) -> bool:
    """Return whether the signs and numbers of `text` are those of the action `name`.

    The notations ignore signs where people type: `end 1, 4` would be `end 14`, and `Avanzar tramo +` a card alone.
    """
    if not all(sign.isalnum() or sign in _FREE or sign in name for sign in text) or ".." in text:
        return False
    if text[-1] != name[-1] and not (text[-1].isalnum() or text[-1] == ")"):
        return False
    numbers = _NUMBERS.findall(text)
    return not numbers or numbers == _NUMBERS.findall(name)
