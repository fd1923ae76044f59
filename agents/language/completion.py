"""Answers of a model, as an endpoint of chat completions sends them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

_CUT = ("length", "max_tokens", "content_filter")  # finish reasons of an answer that a limit or a filter ended
_MOST_TOKENS = 2**40
_LONGEST_NAME = 200  # characters of the name of a model and of a finish reason


class Completion(NamedTuple):
    """An answer of a model.

    `cut` states that a limit of length or a filter ended it; tokens are 0 if they are not reported. `reasoning` is no
    part of the text. `model` and `finish` are as the endpoint gives them, "" without; `seconds` is the time of the
    request, `request` its parameters without the messages.
    """

    text: str
    cut: bool
    prompt_tokens: int
    completion_tokens: int
    reasoning: str = ""
    model: str = ""
    finish: str = ""
    seconds: float = 0.0
    request: Mapping[str, Any] = {}


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None
    function_call: Any = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: Any = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    model: Any = None
    usage: Any = None


def read_completion(content: bytes, clean: Callable[[str], str]) -> Completion:
    """Return the answer in the JSON text `content`, its texts passed through `clean`.

    The text of a message without content is its refusal, or its tool calls in JSON. Raises ValueError if `content` is
    no chat completion.
    """
    try:
        body = msgspec.json.decode(content, type=_Body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    choice = body.choices[0] if body.choices else _Choice()
    finish = choice.finish_reason if isinstance(choice.finish_reason, str) else ""
    if choice.message is None and not finish:
        raise ValueError("it has no message")
    message = choice.message or _Message()
    text, thought = _texts(message.content)
    reasoning = next(filter(None, (_text(message.reasoning_content), _text(message.reasoning), thought)), "")
    usage = body.usage if isinstance(body.usage, dict) else {}
    return Completion(
        clean("\n".join(filter(str.strip, (text or _text(message.refusal), _calls(message)))) or text),
        finish in _CUT,
        _tokens(usage.get("prompt_tokens")),
        _tokens(usage.get("completion_tokens")),
        clean(reasoning),
        clean(_text(body.model))[:_LONGEST_NAME],
        clean(finish)[:_LONGEST_NAME],
    )


def _texts(content: str | list[dict[str, Any]] | None) -> tuple[str, str]:
    """Return the text of a content, and the thoughts among its parts."""
    if not isinstance(content, list):
        return content or "", ""
    text = "".join(_text(part.get("text")) or _text(part.get("refusal")) for part in content)
    return text, "".join(_text(part.get("thinking")) or _text(part.get("reasoning")) for part in content)


def _text(value: Any) -> str:
    """Return `value` if it is a text, the texts of its parts if it is a list, otherwise ""."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _calls(message: _Message) -> str:
    """Return the calls of tools in a message, one a line, in JSON; "" without any."""
    given = message.tool_calls if isinstance(message.tool_calls, list) else []
    calls = [one.get("function") for one in given if isinstance(one, dict)] or [message.function_call]
    return "\n".join(json.dumps(call, ensure_ascii=False) for call in calls if isinstance(call, dict))


def _tokens(value: Any) -> int:
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else 0
