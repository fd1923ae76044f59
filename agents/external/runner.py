"""Run an external agent, in the process that keeper.py made for it: `command WORD...` or `python PLACE FUNCTION`.

A command replaces this process. A Python function is called here and gets the line protocol of PROTOCOL.md as calls;
its output goes to standard error.

This file is loaded by its path and imports no module of the library.
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TextIO

PROTOCOL = 2


def main(words: list[str]) -> None:
    """Run the program given by `words`."""
    if words[0] == "command":
        try:
            os.execvp(words[1], words[1:])
        except OSError as error:
            raise SystemExit(f"{words[1]} cannot be run: {error.strerror}") from None
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)  # output of the function is no answer ...
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # ... and it reads no message
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        act = load(*words[1:])
    except Exception as error:
        _print(error)
        raise SystemExit(_error_message(error)) from None
    serve(act, questions, answers)


def load(place: str, name: str) -> Callable[[Any], Any]:
    """Return the function `name` of the file or module `place`."""
    sys.path.insert(0, str(Path(place).resolve().parent) if place.endswith(".py") else os.getcwd())
    function = getattr(imported(place), name, None)
    if not callable(function):
        raise SystemExit(f"{place} has no function {name!r}")
    return function  # type: ignore[no-any-return]


def imported(place: str) -> ModuleType:
    """Import and return the file or module `place`."""
    if not place.endswith(".py"):
        return importlib.import_module(place)
    spec = importlib.util.spec_from_file_location(Path(place).stem, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def serve(act: Callable[[Any], Any], questions: Iterable[str], answers: TextIO) -> None:
    """Answer each line of `questions` by the result of `act`."""
    hello: dict[str, Any] = {}
    for line in questions:
        message = json.loads(line)
        if message["type"] == "hello":
            hello = message
            importlib.import_module("numpy")  # now, and not in the time of the first move
            answer: dict[str, Any] = {"protocol": PROTOCOL}
        elif message["type"] == "act":
            answer = {"decision": message["decision"]}
            try:
                answer["action"] = _plain(act(view_of(hello, message)))
            except Exception as error:
                _print(error)
                answer["error"] = _error_message(error)
        else:
            continue
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def view_of(hello: dict[str, Any], message: dict[str, Any]) -> SimpleNamespace:
    """Return the view for the function: the fields of the messages, numbers as arrays."""
    import numpy as np

    observation = np.array(message["observation"], np.float32)
    mask = np.zeros(len(hello["actions"]), np.int8)
    mask[message["legal"]] = 1
    blocks, start = {}, 0
    for block in hello["layout"]:
        end = start + int(np.prod(block["shape"]))
        blocks[block["name"]] = observation[start:end].reshape(block["shape"])
        start = end
    given = {name: value for name, value in message.items() if name != "type"}
    given |= {"observation": observation, "mask": mask, "blocks": blocks}
    return SimpleNamespace(game=hello["game"], actions=hello["actions"], **given)


def _plain(action: Any) -> Any:
    """Return `action` as a JSON value: integers of NumPy as numbers, anything else as text."""
    try:
        return action if isinstance(action, bool) else action.__index__()
    except (AttributeError, TypeError):
        return repr(action)[:200]


def _print(error: Exception) -> None:
    """Print the traceback of `error` from where it leaves this file."""
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename.startswith((__file__, "<frozen")):
        place = place.tb_next
    traceback.print_exception(type(error), error, place)


def _error_message(error: Exception) -> str:
    """Return the message of `error`, and the last place in the agent's own files in its traceback."""
    what = traceback.format_exception_only(error)[-1].strip()
    places = [(one.filename, one.lineno) for one in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "<", error.lineno))
    theirs = (__file__, "<", sys.base_prefix)
    own = [one for one in places if not one[0].startswith(theirs) and "site-packages" not in one[0]]
    return f"{what} ({Path(own[-1][0]).name}, line {own[-1][1]})" if own else what


if __name__ == "__main__":
    main(sys.argv[1:])
