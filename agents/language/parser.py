"""The parser of answers: forgiving in form, strict in meaning.

An answer names its action on a line `ACTION: name`, in JSON `{"action": "name"}` or in a tag `<action>`. Without these
it does so by `Final answer: name`, `\\boxed{name}` or a tag `<answer>`, or as its only or last line (candidates.py). A
name is that of the action or a name that the prompt prints (names.py); other synonyms that people may type are no names
here. An answer that names no action, several, or an illegal one gives a refusal; the parser never chooses another
action.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sobremesa.agents.language.candidates import LONGEST, MARK, alone, find_names, named, strip_formulas
from sobremesa.agents.language.names import Meaning, Names, ended, folded
from sobremesa.agents.language.prompt import Style, ask, rules_prompt, texts, turn_prompt
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.picture.words import normalized

NONE, SEVERAL, ILLEGAL, CUT = "no action", "several actions", "illegal action", "cut off"
SENTENCE = "sentence not taken"
_KEYS = {NONE: "none", SEVERAL: "several", ILLEGAL: "illegal", CUT: "cut", SENTENCE: "sentence"}
_SHOWN = 120  # characters of an answer in a refusal
_MOST_NEAR = 6  # actions that a refusal lists
_TEX = re.compile(r"\\(?:text|math)[a-z]*\{([^{}]*)\}")
_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_THOUGHT_BEGINS = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_END_OF_TEXT = re.compile(r"(?:</s>|<\|(?:im_end|end|eot_id|endoftext|end_of_text)\|>)")  # some servers leave it there
_CALL = re.compile(r"[\"'](?:tool_calls?|function|arguments)[\"']\s*:|<(?:tool_call|function)\b")


class Understood(NamedTuple):
    """How an answer was read: the action, or None with a refusal.

    `kind` is "" for a legal action, otherwise "no action", "several actions", "illegal action", "cut off" or "sentence
    not taken"; `said` is what was read, in one line; `named` is the illegal action; `near` are legal actions about what
    was read; `call` states that the answer calls a tool without an action.
    """

    action: int | None
    kind: str = ""
    said: str = ""
    named: int | None = None
    near: tuple[int, ...] = ()
    call: bool = False


def parse_answer(
    answer: str, game: Game, mask: np.ndarray, language: str, cut: bool = False, state: np.ndarray | None = None
) -> Understood:
    """Return the legal action of `mask` `(A,)` that `answer` names, or why it is refused.

    `cut` states that the answer ended at a limit of length: then it is refused, since a name may be incomplete. With
    `state`, the `(1,)` state of the view, names are read that only the position has.
    """
    text = _THOUGHT_ENDS.split(answer[:LONGEST])[-1]
    if cut or len(answer) > LONGEST or _THOUGHT_BEGINS.search(text):
        return Understood(None, CUT, one_line(answer[-_SHOWN:], _SHOWN))
    text = _TEX.sub(r"\1", _END_OF_TEXT.sub("\n", normalized("NFC", text)))
    names = Names(game, language, state)
    plain = strip_formulas(text)
    read = _read(named(plain), names, mask)
    loose = _read(find_names(text), names, mask)
    read |= {one for one in loose if one.actions}
    read = read or _lone_actions(plain, names, mask)
    if len(read) > 1:
        shown = sorted(_shown(one, game, language) for one in read)
        return Understood(None, SEVERAL, one_line(", ".join(shown), _SHOWN))
    if not read:
        return Understood(None, NONE, one_line(text, _SHOWN), call=_CALL.search(text) is not None)
    return _judged(read.pop(), names, game, mask, language)


def _judged(one: Meaning, names: Names, game: Game, mask: np.ndarray, language: str) -> Understood:
    """Return the legal action that `one` means, or why there is none."""
    legal = [action for action in one.actions if mask[action]]
    if len(one.actions) == 1:
        (action,) = one.actions
        if legal:
            return Understood(action)
        said = game.words.action_name(action, language)
        return Understood(None, ILLEGAL, said, action, tuple(other for other in names.about(said) if mask[other]))
    if legal:
        return Understood(None, SEVERAL, one_line(one.name, _SHOWN), near=tuple(legal))
    return Understood(None, ILLEGAL if one.actions else NONE, one_line(one.name, _SHOWN))


def _read(candidates: Iterable[str], names: Names, mask: np.ndarray) -> set[Meaning]:
    """Return the meanings of `candidates`; of the actions that a name may mean, the only legal one."""
    found = set()
    for text in candidates:
        one = names.mean(text)
        if not one.actions and (match := MARK.match(ended(text))):
            one = names.mean(match["name"])
        legal = tuple(action for action in one.actions if mask[action])
        found.add(Meaning("", legal) if len(legal) == 1 else Meaning("", one.actions) if len(one.actions) == 1 else one)
    return found


def _lone_actions(text: str, names: Names, mask: np.ndarray) -> set[Meaning]:
    """Return what the lines name that are the name of an action: all such lines, if the last line is one."""
    lines, doubtful = alone(text)
    read = [_read([line], names, mask).pop() for line in lines]
    if not read or not read[-1].actions or (doubtful and not read[-2].actions):
        return set()
    return {one for one in read if one.actions}


def _shown(one: Meaning, game: Game, language: str) -> str:
    return game.words.action_name(one.actions[0], language) if len(one.actions) == 1 else one.name


def refusal(understood: Understood, view: View, style: Style, left: int) -> str:
    """Return the message (role "user") that refuses an answer, with `left` more attempts."""
    words, game, why = texts("refused", style), view.game, ""
    if understood.named is not None:
        why = game.words.why(view.state, understood.named, style.language)
    said = understood.said
    if understood.kind == NONE:
        said = words["said"].format(said=said) if said else ""
    key = "unclear" if understood.kind == SEVERAL and understood.near else _KEYS[understood.kind]
    sentence = words[key].format(said=said, why=words["why"].format(why=why.rstrip(".")) if why else "")
    if understood.near:
        listed = ", ".join(game.words.action_name(one, style.language) for one in understood.near[:_MOST_NEAR])
        sentence += f" {words['near'].format(names=listed)}"
    elif understood.kind == NONE and understood.said and _is_printed(understood.said, view, style):
        sentence += f" {words['printed']}"
    elif understood.call:
        sentence += f" {words['call']}"
    if not left:
        return f"{sentence} {words['forfeit']}"
    again = words["again_last" if left == 1 else "again"]
    return f"{sentence} {again.format(left=left, ask=ask(style))}"


def _is_printed(said: str, view: View, style: Style) -> bool:
    """Return whether `said` is a part of what the player has read: a name, but none of an action."""
    prompts = folded(f"{rules_prompt(view, style)} {turn_prompt(view, style)}")
    return re.search(rf"(?<!\w){re.escape(folded(said))}(?!\w)", prompts) is not None
