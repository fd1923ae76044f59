"""External agents: a Python function or a command, in its own processes, whose faults affect its own deals only.

PROTOCOL.md has the messages. Each seat of an agent has its own process, so a process gets the information of one seat.
A fault raises `Fault`; in the arena it forfeits the deal.
"""

import hashlib
import os
import secrets
import shlex
import shutil
import sys
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.decisions import EXACT, Decisions, check_names
from sobremesa.agents.external.conversation import GRACE, Conversation, Failure, Launch
from sobremesa.agents.external.runner import PROTOCOL
from sobremesa.agents.named import COMMAND, PYTHON, Command, External
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import escaped
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import words_of

TIME_LIMIT = 5.0  # seconds for a move
START_LIMIT = 30.0  # seconds to answer `hello`; after a timeout the agent is not started again
DEALS = 25  # that a process plays in a tournament, each once, before a new one takes over
LINES = 200  # of its standard error that are shown
FAULTS = 5  # in a row, after which an agent is not started again
REMEMBERED = 4096  # most deals under way, outside the arena
_LONGEST_REASON = 600  # characters
_ANSWER = ("decision", "action", "error")
_HEARD: Counter[str] = Counter()  # lines shown by spec
_GAVE_UP = "gave up: too many faults in a row, the last of them: "


class Fault(ValueError):
    """A fault of an external agent or a language model; `reason` is "kind: why".

    The kinds are "illegal" (an illegal or missing action), "error" (an exception), "timeout", "protocol error" (a line
    that is no answer), "crash" (the process ended), and "gave up" (too many faults in a row before). A language model
    has the kinds of refused answers (language/parser.py).
    """

    def __init__(self, agent: str, seat: int, reason: str) -> None:
        self.reason = _one_line(reason)[:_LONGEST_REASON]
        self.seat = seat
        super().__init__(f"{agent}, seat {seat}: {self.reason}")


def _one_line(text: str) -> str:
    """Return `text` without line breaks and control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def is_timeout(reason: str) -> bool:
    """Return whether `reason` is that of a deal forfeited by a time limit."""
    return reason.removeprefix(_GAVE_UP).startswith("timeout: ")


class ExternalAgent:
    """The external agent `named`; `spec` is its name, `content` a digest of its program.

    `time_limit` and `start_limit` are seconds for a move and for the first answer. Processes start when they are
    needed, and end by `stop` or with this process. Outside the arena a `Fault` is raised to the caller. The first LINES
    lines of their standard error appear on ours.
    """

    def __init__(self, named: External, launch: Launch, content: str) -> None:
        self.name = _one_line(named.spec.partition(":")[2])
        self.spec = named.spec
        self._named = named
        self.content = content
        self.time_limit = TIME_LIMIT
        self.start_limit = START_LIMIT
        self._launch = launch
        self._seats: dict[tuple[str, int], _Seat] = {}
        self._faults: dict[tuple[str, int], list[str]] = {}  # in a row
        weakref.finalize(self, _stop_processes, self._seats)

    def ready(self, game: Game, seat: int) -> None:
        """Start the process of `seat` if it does not run; raise Fault if it does not start, or had too many faults."""
        key = (game.id, seat)
        faults = self._faults.get(key, [])
        if len(faults) >= FAULTS:
            raise Fault(self.name, seat, _GAVE_UP + faults[-1])
        if key in self._seats and self._seats[key].conversation.is_over():  # a crash between two deals is no fault
            self._seats.pop(key).conversation.end(0)
        if key not in self._seats:
            self._seats[key] = _Seat(self._launch, partial(_print_error_line, self.spec, f"{self.name}, seat {seat}"))
            try:
                self._handshake(game, seat)
            except Failure as failure:
                times = FAULTS if failure.kind == "timeout" else 1
                raise self._fault(game, seat, f"{failure} (as it was started)", times) from None

    def act(self, view: View) -> int:
        """Return the action of the seat's process; raise Fault, and end that process, if the answer is no legal one."""
        game, seat = view.game, view.seat
        if (game.id, seat) not in self._seats:
            self.ready(game, seat)
        mine = self._seats[game.id, seat]
        try:
            question = _question(view, mine.number(view), mine.decisions.number)
            answer = mine.conversation.ask(question, self.time_limit, mine.is_repeat)
            mine.decisions.take(answer, None)
        except Failure as failure:
            raise self._fault(game, seat, str(failure)) from None
        if "error" in answer:
            raise self._fault(game, seat, f"error: {answer['error']}")
        action = answer.get("action")
        if type(action) is int and 0 <= action < game.num_actions and view.mask[action]:
            return action
        where = f"seat {seat}"  # a view has no ply
        if type(action) is int and 0 <= action < game.num_actions:
            name = game.words.action_name(action, "en")
            raise self._fault(game, seat, f"illegal: action {action} ({name}) at {where}")
        given = {name: value for name, value in answer.items() if name != "decision"}  # equal deals have equal reasons
        raise self._fault(game, seat, f"illegal: {given!r:.200} names no action at {where}")

    def finish(self, game: Game, seat: int, payoff: float) -> None:
        """Send the process of `seat`, if there is one, the end of its deals, with the payoff of the last one."""
        mine = self._seats.get((game.id, seat))
        if mine is not None:
            self._faults.pop((game.id, seat), None)
            for number in mine.deals.values():
                mine.conversation.tell({"type": "end", "deal": number, "seat": seat, "payoff": payoff})
            mine.deals.clear()

    def stop(self) -> None:
        """End all processes and forget all faults."""
        self._faults.clear()
        _stop_processes(self._seats)

    def _handshake(self, game: Game, seat: int) -> None:
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": game.id,
            "seat": seat,
            "actions": [game.words.action_name(action, "en") for action in range(game.num_actions)],
            "layout": [
                {"name": block.name, "shape": block.shape, "low": block.low, "high": block.high, "doc": block.doc}
                for block in game.layout
            ],
        }
        mine = self._seats[game.id, seat]
        answer = mine.greeting = mine.conversation.ask(hello, self.start_limit)
        if answer != {"protocol": PROTOCOL}:
            raise Failure("protocol error", f'{answer!r:.200} is not {{"protocol": {PROTOCOL}}}')

    def _fault(self, game: Game, seat: int, reason: str, times: int = 1) -> Fault:
        """End the process of `seat` and return its fault, counted `times`."""
        self._seats.pop((game.id, seat)).conversation.end(0)
        self._faults.setdefault((game.id, seat), []).extend([reason] * times)
        return Fault(self.name, seat, reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reload, (self._named, self.content), {"time_limit": self.time_limit, "start_limit": self.start_limit}

    def __repr__(self) -> str:
        return f"ExternalAgent({self.spec!r})"


def _print_error_line(spec: str, who: str, line: str) -> None:
    """Print a line of standard error of the agent `spec`, up to LINES lines."""
    _HEARD[spec] += 1
    if _HEARD[spec] <= LINES:
        print(f"{who}: {escaped(line.expandtabs(4))}", file=sys.stderr, flush=True)
    elif _HEARD[spec] == LINES + 1:
        print(f"{who}: what else this agent writes is not shown", file=sys.stderr, flush=True)


class _Seat:
    """The process of a seat, and its numbers of the deals under way."""

    def __init__(self, launch: Launch, hear: Callable[[str], None]) -> None:
        self.conversation = Conversation(launch, hear)
        self.deals: OrderedDict[int, int] = OrderedDict()  # by the seed of the agent's random stream, latest last
        self.decisions: Decisions[None] = Decisions(secrets.token_bytes(16))
        self.greeting: dict[str, Any] = {}  # the answer to `hello`
        self._dealt = 0

    def number(self, view: View) -> int:
        """Return the number of the deal of `view`, counted from 1 for each process."""
        key = int(view.stream["seed"][0])
        if key not in self.deals:
            self._dealt += 1
            self.deals[key] = self._dealt
            while len(self.deals) > REMEMBERED:
                self.deals.popitem(last=False)
        self.deals.move_to_end(key)
        return self.deals[key]

    def is_repeat(self, answer: dict[str, Any]) -> bool:
        """Return whether `answer` was given before; raise Failure unless it is that or one to the present decision."""
        if answer == self.greeting:
            return True
        wanted = f'Answer {{"decision": {self.decisions.number}, "action": n}}'
        try:
            check_names("an answer", answer, _ANSWER)
            return self.decisions.is_repeat(answer.get("decision"), answer, lambda: wanted)
        except ValueError as error:
            raise Failure("protocol error", f"{answer!r:.200}: {error}") from None


def _question(view: View, deal: int, decision: int) -> dict[str, Any]:
    game = view.game
    legal = np.flatnonzero(view.mask).tolist()
    return {
        "type": "act",
        "decision": decision,
        "deal": deal,
        "seat": view.seat,
        "setup": game.setup(view.state),
        "seed": int(view.stream["seed"][0]) % EXACT,
        "observation": view.observation.tolist(),
        "legal": legal,
        "names": [game.words.action_name(action, "en") for action in legal],
        "text": words_of(game, view.sayings, fenced=True).describe(view.state, view.seat, "en"),
    }


def _stop_processes(seats: dict[tuple[str, int], _Seat]) -> None:
    while seats:
        seats.popitem()[1].conversation.end(GRACE)


# By name.


def load_external(one: External) -> ExternalAgent:
    """Return the external agent `one`.

    Raises ValueError if there is no such file, module or program, or its name has another form.
    """
    if isinstance(one, Command):
        return _load_command(one)
    spec, place, function = one.spec, one.place, one.function
    if not place or not function.isidentifier():
        raise ValueError(f"{spec!r} is not allowed; it takes python:FILE.py:FUNCTION or python:package.module:FUNCTION")
    file = Path(place) if place.endswith(".py") else find_module(place)
    if file is None or not file.is_file():
        raise ValueError(f"{spec!r}: there is no {'file' if place.endswith('.py') else 'module'} {place}")
    content = hashlib.sha256(f"{PYTHON}{function}\n".encode() + file.read_bytes()).hexdigest()
    return ExternalAgent(one, Launch("python", (str(file) if place.endswith(".py") else place, function)), content)


def _reload(one: External, content: str) -> ExternalAgent:
    """Return the agent `one` anew; raise ValueError unless it still has this `content`."""
    found = load_external(one)
    if found.content != content:
        raise ValueError(f"{one.spec!r} is another agent than the one that was copied or pickled; load it anew")
    return found


def _load_command(one: Command) -> ExternalAgent:
    spec, text = one.spec, one.spec.removeprefix(COMMAND)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"{spec!r} is not allowed: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"{spec!r}: there is no program {words[0] if words else ''!r}")
    content = hashlib.sha256(f"{COMMAND}{text}\n".encode())
    for word in words:  # a program found on the PATH, such as python3, is not the agent
        if Path(word).is_file():
            content.update(hashlib.sha256(Path(word).read_bytes()).digest())
    return ExternalAgent(one, Launch("command", words), content.hexdigest())


def find_module(name: str) -> Path | None:
    """Return the file of a module, without running it or its packages; None if there is no such module.

    `importlib.util.find_spec` would import its packages.
    """
    parts, places, spec = name.split("."), [os.getcwd(), *sys.path], None
    for end in range(len(parts)):
        spec = _module(".".join(parts[: end + 1]), places)
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or ())
    return Path(spec.origin) if spec is not None and spec.origin and spec.has_location else None


def _module(name: str, places: list[str]) -> ModuleSpec | None:
    """Return the module `name` in `places`, or as found by another finder, such as that of an editable installation.

    PathFinder gets the last part of the name only: for a package without `__init__.py` it would look for the parent
    among the imported packages.
    """
    others = (finder.find_spec(name, places) for finder in sys.meta_path if finder is not PathFinder)
    return PathFinder.find_spec(name.rpartition(".")[2], places) or next(
        (spec for spec in others if spec is not None), None
    )
