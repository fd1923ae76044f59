"""A table: a deal, who sits at it, and what each may do; it knows nothing of the web.

People are known by the token of their seat alone. Every change is kept in the store before it is made, and a table made
anew from the store is the same table. Its methods may be called from several threads.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from sobremesa import envs
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.game import PUBLIC, Game
from sobremesa.envs.core.seeds import AGENT, seed_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.serve.deal import Deal
from sobremesa.serve.store import Event, Store

PERSON, BOT = "person", "agent"
LONGEST_NAME = 24

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Refused(ValueError):
    """Something that cannot be done now; nothing has been changed. Its text is a key of words.REFUSALS."""


class GoneOn(Exception):
    """An agent was asked in a state of its table that is no more; no error that an agent raises is one of these."""


@dataclass(frozen=True)
class Seated:
    """Who sits at a seat."""

    kind: str  # PERSON or BOT
    name: str
    spec: str = ""  # of an agent, as agents.load takes it


@dataclass(frozen=True)
class Opening:
    """What a table is opened with, all of it plain."""

    game: str  # its name
    setup: dict[str, Any]
    seed: int
    seated: tuple[Seated, ...]
    host: int  # the seat that gives out the links of the others; PUBLIC where no person opened the table to play
    prefix: tuple[int, ...] = ()  # actions that were played before, in another deal that this one goes on from


@dataclass
class Wish:
    """That of somebody to take back; all people must agree."""

    seat: int
    ply: int  # to which
    agreed: set[int] = field(default_factory=set)  # seats


def _alone(method: _Method) -> _Method:
    """Let one thread at a time into a table."""

    @wraps(method)
    def locked(self: "Table", *arguments: Any, **named: Any) -> Any:
        with self.lock:
            return method(self, *arguments, **named)

    return locked  # type: ignore[return-value]


class Table:
    """The table of a deal in `store`, as it was left there; `open_table` opens a new one.

    Raises KeyError if the store has no such deal, and Refused if it was begun under other rules of its game.
    """

    def __init__(self, store: Store, name: str) -> None:
        opened, tokens, events = store.opened(name)
        if opened.pop("rules") != _rules(opened["game"]):
            raise Refused("rules")
        opened["seated"] = tuple(Seated(**one) for one in opened["seated"])
        self.name = name
        self.opening = Opening(**{**opened, "prefix": tuple(opened["prefix"])})
        self.tokens = {seat: token for token, seat in tokens.items()}  # PUBLIC's is for those who look on
        self.game: Game = envs.load(self.opening.game)
        self.lock = threading.RLock()
        self.deal = Deal(self.game, self.opening.setup, self.opening.seed)
        self.names = [one.name for one in self.opening.seated]
        self.next = ""  # name of the deal that follows this one
        self.next_links: dict[int, str] = {}  # to it, for each viewer
        self.wish: Wish | None = None
        self.trouble = False  # whether the agent to act has failed; why is for the log alone, it may tell of its hand
        self._store, self._count = store, 0
        self._backs = 0
        self._played = [0] * self.deal.seats  # decisions of each seat, those taken back included
        for action in self.opening.prefix:
            self.deal.play(action)
        for event in events:
            self._count += 1
            self._happen(event)
        if self.deal.over and not any(event.kind == "over" for event in events):
            self._keep(Event("over", None))  # a server was killed before it could

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, one in enumerate(self.opening.seated) if one.kind == PERSON]

    @property
    def version(self) -> int:
        """A number that changes with each move and each one taken back; no client is told."""
        return self._backs + sum(self._played)

    @property
    def unsaved(self) -> bool:
        """Whether the store cannot be written now, so that what is played may be lost; the same at all tables."""
        return self._store.failing

    @property
    def secret_turns(self) -> bool:
        """Whether it is nobody's business who was asked."""
        return "turns" in self.game.hidden

    def moment(self, seat: int) -> int:
        """Return the number of the decision that `seat` faces, or waits for: it tells nothing of the others'."""
        return self._backs + (self._played[seat] if seat != PUBLIC else 0)

    def shown(self, viewer: int) -> int:
        """Return up to which ply `viewer` has been shown the deal.

        Where it is nobody's business who was asked, that is as it was when the viewer last decided, or is asked: by
        single plies it could tell, from their number or from the time between them, who had a choice.
        """
        now = len(self.deal.plies)
        if not self.secret_turns or self.deal.over or self.deal.seat == viewer:
            return now
        own = [number + 1 for number, ply in enumerate(self.deal.plies) if ply.seat == viewer]
        return own[-1] if own else 0

    @_alone
    def view(self, seat: int) -> View:
        """Return what `seat` may know at what it has been shown; its world and what follows from it are guesses."""
        ply = self.shown(seat)
        view = make_view(self.game, self.deal.at(ply), seat, self.stream(seat, ply))
        if self.secret_turns and not self.asked(seat):
            view.mask[:] = 0
        return view

    @_alone
    def world(self) -> np.ndarray:
        """Return `(1,)` the table for those who look on: dealt anew for one seat after the other.

        So what any seat alone knows is a guess there, even if a picture showed it.
        """
        world, now = self.deal.states.copy(), len(self.deal.plies)
        for seat in range(self.deal.seats):
            table_kernels(self.game).redeal(world, seat, seed_of(AGENT, self.opening.seed, self.deal.seats, seat, now))
        return world

    def asked(self, seat: int) -> bool:
        """Say whether `seat` is to act."""
        return not self.deal.over and self.deal.seat == seat

    def stream(self, seat: int, ply: int) -> Any:
        """Return the random stream `(1,)` of an agent at its decision at `ply`, the same after a restart."""
        return new_stream(seed_of(AGENT, self.opening.seed, seat, ply))

    @_alone
    def play(self, seat: int, moment: int, action: int) -> None:
        """Play `action` for `seat` at its decision number `moment`; raise Refused if that is not the one it faces.

        The decision before, said once more, changes nothing and is no error: so a message may come twice.
        """
        if moment == self.moment(seat) - 1 and self._last(seat) == action:
            return
        if self.deal.over:
            raise Refused("over")
        if moment != self.moment(seat):
            raise Refused("late")
        if not self.asked(seat):
            raise Refused("turn")
        if not 0 <= action < self.game.num_actions or not self.deal.mask[action]:
            raise Refused("illegal")
        self._keep(Event("play", action))
        if self.deal.over:
            self._keep(Event("over", None))

    @_alone
    def answer(self, seat: int, version: int, action: int) -> None:
        """Play what the agent at `seat` answered to state number `version`; raise GoneOn if that is no more.

        Raises ValueError if the agent may not do that.
        """
        if self.version != version or not self.asked(seat):
            raise GoneOn
        try:
            self.play(seat, self.moment(seat), action)
        except Refused:
            raise ValueError(f"{self.names[seat]} answered action {action}, which is not allowed") from None

    @_alone
    def wish_back(self, seat: int) -> None:
        """Wish to take back the last decision of `seat`; it is done at once where nobody else is a person."""
        if self.deal.over:
            raise Refused("over")
        first = len(self.opening.prefix)
        own = [number for number, ply in enumerate(self.deal.plies) if ply.seat == seat and number >= first]
        if not own:
            raise Refused("nothing")
        if self.wish is None:
            self.wish = Wish(seat, own[-1])
        self.agree(seat, True)

    @_alone
    def agree(self, seat: int, yes: bool) -> None:
        """Answer the wish of somebody to take back: it is done when all people agree, and gone when one does not."""
        if self.wish is None:
            raise Refused("no wish")
        if not yes:
            self.wish = None
            return
        self.wish.agreed.add(seat)
        if self.wish.agreed >= set(self.people):
            self._keep(Event("back", self.wish.ply))

    @_alone
    def call(self, seat: int, name: str) -> None:
        """Let whoever sits at `seat` be called `name`; a deal that is over is remembered with the names it had."""
        if self.deal.over:
            raise Refused("over")
        self._keep(Event("name", [seat, clean_name(name) or self.opening.seated[seat].name]))

    @_alone
    def follow(self, open_next: Callable[[], str]) -> str:
        """Return the name of the deal that follows this one, which must be over; `open_next` opens it, once."""
        if not self.deal.over:
            raise Refused("not over")
        if not self.next:
            self._keep(Event("next", open_next()))
        return self.next

    def _last(self, seat: int) -> int | None:
        own = [ply.action for ply in self.deal.plies if ply.seat == seat]
        return own[-1] if own else None

    def _keep(self, event: Event) -> None:
        self._store.add(self.name, self._count, event)
        self._count += 1
        self._happen(event)

    def _happen(self, event: Event) -> None:
        if event.kind == "play":
            self._played[self.deal.seat] += 1
            self.deal.play(event.value)
            self.trouble = False
            if not self.secret_turns or self.deal.over:  # one that went would tell that somebody was asked
                self.wish = None
        elif event.kind == "back":
            self.deal.back(event.value)
            self._backs += 1
            self.wish, self.trouble = None, False
        elif event.kind == "name":
            self.names[event.value[0]] = event.value[1]
        elif event.kind == "next":
            try:
                opened = self._store.opened(event.value)[1]
            except KeyError:  # it was removed, as it was never used; another one may be opened
                return
            self.next = event.value
            tokens = {seat: token for token, seat in opened.items()}
            turn = {seat: (seat + 1) % self.deal.seats for seat in self.people}  # as `turned` has it
            self.next_links = {seat: seat_link(after, tokens[after]) for seat, after in turn.items()}
            self.next_links[PUBLIC] = seat_link(PUBLIC, tokens[PUBLIC])


def seat_link(seat: int, token: str) -> str:
    """Return the address of a seat's own page, or of the one for those who look on."""
    return f"/watch/{token}" if seat == PUBLIC else f"/seat/{token}"


def clean_name(name: str) -> str:
    """Return what can be shown of a name that somebody typed, "" if that is nothing."""
    return " ".join("".join(sign for sign in name if sign.isprintable()).split())[:LONGEST_NAME].strip()


def open_table(store: Store, opening: Opening) -> Table:
    """Open a new table; raise ValueError for a setup or seats that do not go with its game."""
    game = envs.load(opening.game)
    seats = int(game.new_tables(1, opening.setup)["seats"][0])
    if len(opening.seated) != seats:
        raise ValueError(f"{len(opening.seated)} are seated at a table of {seats}")
    name = secrets.token_urlsafe(12)
    tokens = {secrets.token_urlsafe(18): seat for seat in [*_people(opening.seated), PUBLIC]}
    store.open(name, {**asdict(opening), "rules": _rules(opening.game)}, tokens)
    return Table(store, name)


def _rules(name: str) -> str:
    """Return what the rules are that a deal of the game called `name` goes by, "" if there is no such game."""
    return f"{name} {rules_hash(envs.load(name))}" if name in envs.games() else ""


def _people(seated: Sequence[Seated]) -> list[int]:
    return [seat for seat, one in enumerate(seated) if one.kind == PERSON]


def turned(opening: Opening, names: Sequence[str]) -> Opening:
    """Return the same deal with everybody one seat on, which makes two deals of it that chance treats alike."""
    seated = [Seated(one.kind, name, one.spec) for one, name in zip(opening.seated, names, strict=True)]
    seated = [*seated[-1:], *seated[:-1]]
    host = (opening.host + 1) % len(seated)
    return Opening(opening.game, opening.setup, opening.seed, tuple(seated), host)


def going_on(
    opening: Opening, names: Sequence[str], actions: Sequence[int], mine: int, instead: Mapping[int, Seated]
) -> Opening:
    """Return the same deal after `actions` with a person at `mine`, and others `instead` of those who do not go on."""
    seated = [
        instead.get(seat, Seated(one.kind, name, one.spec))
        for seat, (one, name) in enumerate(zip(opening.seated, names, strict=True))
    ]
    seated[mine] = Seated(PERSON, names[mine])
    return Opening(opening.game, opening.setup, opening.seed, tuple(seated), mine, tuple(actions))
