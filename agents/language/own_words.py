"""Sentences of a language model in its own words, in games of tales: a line `SENTENCE: text` before the action."""

import re
from typing import NamedTuple

from sobremesa.agents.language.prompt import Style, texts
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.sayings import Saying, telling_now

_SENTENCE = re.compile(r"[\s>*_#`-]*(?:SENTENCE|FRASE)[*_`]*\s*[:：](?P<text>.*)", re.I)  # of one line


class Read(NamedTuple):
    """A sentence of an answer with its mentions, or why it is refused; both empty without a sentence."""

    saying: Saying | None = None
    problem: str = ""
    heard: str = ""  # the mentions, in words


def invited(view: View, style: Style) -> str:
    """Return the line that invites to a sentence in own words; "" where none is allowed."""
    telling = telling_now(view.game, view.state)
    return texts("turn", style)["sentence"].format(longest=telling.longest) if telling is not None else ""


def sentence_text(saying: Saying, style: Style) -> str:
    """Return the line of an answer with a sentence."""
    return texts("turn", style)["sentence_line"].format(said=saying.text)


def read_sentence(answer: str, view: View, action: int, style: Style) -> Read:
    """Return the last sentence of `answer`, which has to mean `action`."""
    telling, found = telling_now(view.game, view.state), _sentences(answer)
    if telling is None or not found:
        return Read()
    try:
        text = found[-1].strip("\"'“”«» ")
        saying = telling.listen(view.state, text, telling.language(text, style.language))
    except ValueError as error:
        return Read(problem=str(error))
    heard = telling.preview(view.state, saying, style.language).text
    actions = telling.actions(view.state, saying)
    if action in actions:
        return Read(saying, heard=heard)
    name, *names = (view.game.words.action_name(one, style.language) for one in (action, *actions))
    said = texts("refused", style)["sentence_for"]
    return Read(problem=said.format(name=name, heard=" ".join(heard.split("\n")), stands=", ".join(names) or "–"))


def _sentences(answer: str) -> list[str]:
    """Return the sentences of `answer` without Markdown; one may be on the next line with text after its mark."""
    found, ended = list[str](), False  # whether the last line with text ended at its mark
    for line in answer.split("\n"):
        match = _SENTENCE.match(line)
        text = (match["text"] if match else line).strip().lstrip("*_`").strip().rstrip("*_`")
        if text and (match or ended):
            found.append(text)
        ended = bool(match and not text) or (ended and not line.strip())
    return found
