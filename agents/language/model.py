"""Language models as agents: `llm:MODEL@URL`, with options as in `llm:MODEL@URL?language=es&temperature=0.7`.

URL is the base of an endpoint of chat completions, as http://localhost:8000/v1; `llm:stub` answers without one. Each
decision is its own conversation: the rules, the prompt of the turn, and refused answers with their refusals.
"""

import hashlib
import json
import re
import time
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

import msgspec

from sobremesa.agents.external.agent import Fault
from sobremesa.agents.language.completion import Completion
from sobremesa.agents.language.endpoint import Endpoint, EndpointFailed
from sobremesa.agents.language.own_words import Read, invited, read_sentence
from sobremesa.agents.language.parser import SENTENCE, Understood, parse_answer, refusal
from sobremesa.agents.language.prompt import ATTEMPTS, Style, rules_prompt, turn_prompt
from sobremesa.agents.language.stub import NAME as STUB, Stub
from sobremesa.agents.language.transcript import Transcript
from sobremesa.agents.named import MODEL, Model
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.sayings import Saying

DECISION = 3  # time limit of a decision, in times of that of a request
TOO_LONG = "prompt too long"  # the kind of a forfeit
LONGEST_ECHO = 20_000  # characters of a refused answer that the next request contains, its last ones
_NAME = re.compile(
    rf"(?P<model>{STUB}|[^\s?#](?:[^?#]*[^\s?#])?(?=@))(?:@(?P<url>(?i:https?)://[^\s?#]+))?(?:\?(?P<options>.*))?",
    re.DOTALL,
)
_SHOWN = 200
_LONGEST = 120  # characters of the name of a model
# The options that change the answers.
_OF_PLAY = ("language", "actions", "history", "system_role", "temperature", "seed", "max_tokens")
_PROMPTS = ("prompt.py", "parser.py", "candidates.py", "names.py", "completion.py", "en.toml", "es.toml")

_Price = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options in a name: the style of the prompts, parameters of the endpoint, limits, and prices."""

    language: Literal["en", "es"] = "en"
    actions: bool = True  # list the legal actions
    history: bool = False  # of the whole deal
    system_role: Literal["system", "developer", "user"] = "system"  # of the rules; "user" joins them to the prompt
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None  # without it and `seed`: the endpoint's own
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 8192  # of an answer
    timeout: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 300.0  # seconds for a request
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4  # deals at once in the arena
    prompt_price: _Price | None = None  # of a million tokens
    completion_price: _Price | None = None


class LanguageModel:
    """A language model; `spec` is its name for `load`, `content` a digest of all that its requests follow from.

    Outside the arena `act` raises Fault after refused answers and for a prompt that is too long, and EndpointFailed for
    a failure of the endpoint. Set `transcript` to keep the conversation of one deal.
    """

    def __init__(self, spec: str, model: str, url: str, options: Options) -> None:
        self.spec, self.options = spec, options
        self.transcript: Transcript | None = None
        self._saying: Saying | None = None  # the sentence of the last action, in own words
        usual = Options()
        said = {name: getattr(options, name) for name in _OF_PLAY}
        unusual = {name: value for name, value in said.items() if value != getattr(usual, name)}
        self.name = model + ("?" if unusual else "") + "&".join(f"{name}={_text(one)}" for name, one in unusual.items())
        self.model = model
        self.history_language: str = options.language
        self.style = Style(options.language, options.actions, options.history)
        fields = {"model": model, "temperature": options.temperature, "seed": options.seed}
        given = {name: value for name, value in fields.items() if value is not None}
        self.endpoint: Endpoint | Stub = (
            Endpoint(url, {**given, "max_tokens": options.max_tokens}, options.timeout)
            if url
            else Stub(options.language, options.seed or 0)
        )
        self.content = hashlib.sha256(json.dumps([model, self.endpoint.url, said, _prompts()]).encode()).hexdigest()

    def act(self, view: View) -> int:
        """Return the action that the model names; raise Fault or EndpointFailed without one."""
        return self.decide(view, self.transcript or Transcript())

    def said(self) -> Saying | None:
        """Return the sentence in own words that the last action means; None for the game's own words."""
        return self._saying

    def decide(self, view: View, transcript: Transcript) -> int:
        """As `act`, and add the decision to `transcript`."""
        until = time.monotonic() + DECISION * self.options.timeout
        system, prompt = rules_prompt(view, self.style, ATTEMPTS), turn_prompt(view, self.style)
        prompt = _joined(prompt, invited(view, self.style))
        self._saying = None
        transcript.ask(view, system, prompt, self.endpoint.url)
        messages = self._opening(system, prompt)
        for left in reversed(range(ATTEMPTS)):
            got = self._complete(messages, until, view)
            read = parse_answer(got.text, view.game, view.mask, self.style.language, got.cut, view.state)
            told = read_sentence(got.text, view, read.action, self.style) if read.action is not None else Read()
            if told.problem:
                read = Understood(None, SENTENCE, told.problem)
            transcript.answer(view, got, read, self.style.language, told.heard)
            self._saying = told.saying
            if read.action is not None:
                return read.action
            _add_refusal(messages, got.text[-LONGEST_ECHO:], refusal(read, view, self.style, left))
        said = read.said or "an empty answer"
        where = f"decision {len(view.history)}, {ATTEMPTS} answers refused"
        raise Fault(self.name, view.seat, f"{read.kind}: {said} ({where})")

    def _opening(self, system: str, prompt: str) -> list[dict[str, str]]:
        """Return the messages of a decision before the first answer."""
        if self.options.system_role == "user":
            return [{"role": "user", "content": _joined(system, prompt)}]
        return [{"role": self.options.system_role, "content": system}, {"role": "user", "content": prompt}]

    def _complete(self, messages: list[dict[str, str]], until: float, view: View) -> Completion:
        """Return an answer; raise Fault if the messages are longer than the model takes."""
        try:
            return self.endpoint.complete(messages, until)
        except EndpointFailed as failure:
            if not failure.too_long:
                raise
            reason = f"{TOO_LONG}: {failure.reason} (decision {len(view.history)})"
            raise Fault(self.name, view.seat, reason) from None

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """Return the price of such numbers of tokens; None if a price is not given."""
        prices = self.options.prompt_price, self.options.completion_price
        if prices[0] is None or prices[1] is None:
            return None
        return (prompt_tokens * prices[0] + completion_tokens * prices[1]) / 1e6

    def __reduce__(self) -> tuple[Any, ...]:
        return load_model, (Model(self.spec),)

    def __repr__(self) -> str:
        return f"LanguageModel({self.spec!r})"


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _add_refusal(messages: list[dict[str, str]], answer: str, refused: str) -> None:
    """Add an answer and its refusal to `messages`; the refusal only, to the last message, if the answer has no text.

    Endpoints refuse messages that are empty, and some refuse two messages of the same role in a row.
    """
    if any(sign.isprintable() and not sign.isspace() for sign in answer):
        messages += [{"role": "assistant", "content": answer.strip()}, {"role": "user", "content": refused}]
    else:
        messages[-1] = {**messages[-1], "content": _joined(messages[-1]["content"], refused)}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _prompts() -> str:
    """Return a digest of the files that prompts and the reading of answers follow from."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in _PROMPTS)).hexdigest()


def load_model(named: Model) -> LanguageModel:
    """Return the agent `llm:MODEL@URL`, with options behind `?`; no request is sent.

    Raises ValueError if the name has another form, MissingExtra without httpx2.
    """
    spec = named.spec
    match, shown = _NAME.fullmatch(spec.removeprefix(MODEL)), one_line(spec.partition("?")[0], _SHOWN)
    if match is None or not match["model"].isprintable() or len(match["model"]) > _LONGEST:
        raise ValueError(
            f"{shown} is not allowed; it takes llm:MODEL@URL, as llm:qwen3-8b@http://localhost:8000/v1, or llm:stub"
        )
    try:
        given = parse_qsl(match["options"] or "", keep_blank_values=True, strict_parsing=bool(match["options"]))
        if len(dict(given)) < len(given):
            raise ValueError("an option is given twice")
        options = msgspec.convert(dict(given), Options, strict=False)
        if (options.prompt_price is None) != (options.completion_price is None):
            raise ValueError("a cost needs both prices, prompt_price and completion_price")
    except ValueError as error:  # also of msgspec
        known = ", ".join(Options.__struct_fields__)
        raise ValueError(f"{shown}: {one_line(str(error), _SHOWN)}; the options are {known}") from None
    return LanguageModel(spec, match["model"], match["url"] or "", options)
