"""A model in this process, `llm:stub`, which needs no endpoint: it tries out prompts, transcripts and reports.

It names one of the actions that the prompt lists, by a digest of the messages. It does not understand the game.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache

from sobremesa.agents.language.completion import Completion
from sobremesa.agents.language.prompt import Style, texts

NAME = "stub"
_LETTERS_OF_A_TOKEN = 4


class Stub:
    """Answers in the place of an endpoint. Without a list of actions it has no answer, and forfeits."""

    url = NAME

    def __init__(self, language: str, seed: int) -> None:
        self._style, self._seed = Style(language), seed

    def complete(self, messages: Sequence[Mapping[str, str]], until: float) -> Completion:
        """Return the answer to `messages`, the same each time; `until` is not needed."""
        asked = json.dumps([self._seed, *messages])
        listed = _listed(self._style.language).findall("\n\n".join(one["content"] for one in messages))
        names = listed[-1].splitlines() if listed else []
        chosen = int.from_bytes(hashlib.sha256(asked.encode()).digest()[:8], "big") % max(1, len(names))
        text = texts("turn", self._style)["answer"].format(name=names[chosen]) if names else ""
        tokens = (len(asked) // _LETTERS_OF_A_TOKEN, len(text) // _LETTERS_OF_A_TOKEN)
        return Completion(text, False, *tokens, model=NAME, finish="stop")


@cache
def _listed(language: str) -> re.Pattern[str]:
    """Return the pattern of a list of legal actions."""
    head = re.escape(texts("turn", Style(language))["legal"]).replace(re.escape("{count}"), r"\d+")
    return re.compile(rf"^{head}\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
