"""Transcripts: the messages and answers of a player in one deal, how they were read, and how they were requested.

A file has one JSON object a line: the deal; the first message of each player and the URL; each decision, numbered from
1 for each player, with its prompt and its answers; and the result. Control and invisible characters are escaped, so the
file can be shown on a terminal.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sobremesa.agents.language.completion import Completion
from sobremesa.agents.language.parser import Understood
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game

FORMAT = 1


class Transcript:
    """The conversation of a player. `tokens` are those of prompts and of answers, also of plays that were repeated."""

    def __init__(self) -> None:
        self.system = self.url = ""
        self.decisions: list[dict[str, Any]] = []
        self.times: list[int] = []  # of the decisions
        self.tokens = [0, 0]

    def restart(self) -> None:
        """Forget the messages: the deal begins again."""
        self.decisions, self.times = [], []

    def ask(self, view: View, system: str, prompt: str, url: str = "") -> None:
        """Add a decision."""
        self.system, self.url = system, url
        self.times.append(time.monotonic_ns())
        self.decisions.append({"seat": view.seat, "decision": len(view.history), "prompt": prompt, "answers": []})

    def answer(self, view: View, got: Completion, read: Understood, language: str, heard: str = "") -> None:
        """Add an answer to the last decision, how it was read, and the mentions in its sentence."""
        self.tokens[0] += got.prompt_tokens
        self.tokens[1] += got.completion_tokens
        action = None if read.action is None else view.game.words.action_name(read.action, language)
        found: dict[str, Any] = {
            "text": got.text,
            "action": action,
            "refused": read.kind,
            "said": read.said,
            "tokens": [got.prompt_tokens, got.completion_tokens],
            "seconds": round(got.seconds, 3),
            "finish_reason": got.finish,
            "model": got.model,
            "request": dict(got.request),
        }
        found |= {"reasoning": got.reasoning} if got.reasoning else {}
        self.decisions[-1]["answers"].append(found | ({"heard": heard} if heard else {}))


def write(
    path: Path, game: Game, seed: int, setup: Mapping[str, Any], names: Sequence[str],
    players: Mapping[int, Transcript], end: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write the transcripts of `players`, by seat, in the deal of `seed`; `names` are by seat, `end` is the result."""
    deal: dict[str, Any] = {
        "format": FORMAT,
        "game": game.id,
        "seed": seed,
        "setup": dict(setup),
        "agents": list(names),
    }
    lines: list[dict[str, Any]] = [
        deal,
        *({"seat": seat, "system": one.system, "url": one.url} for seat, one in players.items()),
    ]
    timed = [pair for one in players.values() for pair in zip(one.times, one.decisions, strict=True)]
    lines += [line for _, line in sorted(timed, key=lambda pair: pair[0])]
    write_whole(path, "".join(f"{_escaped(json.dumps(line, ensure_ascii=False))}\n" for line in [*lines, dict(end)]))


def _escaped(text: str) -> str:
    """Return JSON text with control and invisible characters, which only strings have, escaped."""
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)
