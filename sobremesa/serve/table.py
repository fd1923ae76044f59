"""A table: a deal, its players and their permissions, without the web.

The token of a seat identifies its player. Every change is stored before it is made, so a table loaded from the store
equals the original. The methods are thread-safe.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from sobremesa import envs
from sobremesa.agents.decisions import Decisions, NotPresent
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.game import PUBLIC, Game
from sobremesa.envs.core.sayings import Preview, Saying, meanings, telling_now, telling_of
from sobremesa.envs.core.seeds import AGENT, seed_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.report.players import clean_name, player_names
from sobremesa.serve.deal import Deal, Played
from sobremesa.serve.seated import PERSON, Seated, filed, players_of, rename
from sobremesa.serve.store import Event, Store

_Method = TypeVar("_Method", bound=Callable[..., Any])


class Refused(ValueError):
    """A rejected request, which changed nothing; its text is a key of words.REFUSALS."""


class TableChanged(Exception):
    """The table changed while its agent was computing a move; agents themselves never raise this."""


@dataclass(frozen=True)
class Opening:
    """The settings of a new table, as plain values."""

    game: str  # name of the game
    setup: dict[str, Any]
    seed: int
    seated: tuple[Seated, ...]
    host: int  # seat that sees the invitation links; PUBLIC if the person who opened the table does not play
    prefix: tuple[int, ...] = ()  # actions of the earlier deal that this one continues
    sayings: tuple[tuple[int, Saying], ...] = ()  # sentences of `prefix` in own words, with their plies
    guided: bool = False  # whether the host is shown lessons
    chat: bool = True  # whether people may chat


@dataclass
class TakeBack:
    """A request to take back a decision; all people must agree."""

    number: int  # of the requests at this table since it was loaded
    seat: int
    ply: int  # first ply to take back
    agreed: set[int] = field(default_factory=set)  # seats


def _locked(method: _Method) -> _Method:
    """Hold the lock of the table during `method`."""

    @wraps(method)
    def locked(self: "Table", *arguments: Any, **named: Any) -> Any:
        with self.lock:
            return method(self, *arguments, **named)

    return locked  # type: ignore[return-value]


class Table:
    """A table loaded from `store`; `open_table` creates a new one.

    Raises KeyError if the store has no such deal, and Refused if it uses other rules of its game.
    """

    def __init__(self, store: Store, name: str) -> None:
        opened, tokens, events = store.opened(name)
        if opened.pop("rules") != _rules(opened["game"]):
            raise Refused("rules")
        opened["seated"] = tuple(players_of(opened["seated"]))
        self.name = name
        said = tuple((ply, Saying(*saying)) for ply, saying in opened.get("sayings", ()))
        self.opening = Opening(**{**opened, "prefix": tuple(opened["prefix"]), "sayings": said})
        self.tokens = {seat: token for token, seat in tokens.items()}  # PUBLIC: the token of onlookers
        self.game: Game = envs.load(self.opening.game)
        self.lock = threading.RLock()
        self.deal = Deal(self.game, self.opening.setup, self.opening.seed)
        self.players = list(self.opening.seated)  # as they are named now
        self.next = ""  # name of the next deal
        self.next_links: dict[int, str] = {}  # links to the next deal, by viewer
        self.joined: set[int] = set()  # seats whose page has been open since the table was loaded
        self.take_back: TakeBack | None = None
        self._requests = 0  # to take back
        self.trouble = False  # the agent to act failed; only the log has the error, since it may reveal a hand
        self.lessons: list[tuple[int, int]] = []  # of a guided deal: (ply of the host's decision, lesson)
        self._store, self._count = store, 0
        self._decisions: list[Decisions[None]] = [Decisions(first=0) for _ in range(self.deal.seats)]
        self._backs: Decisions[None] = Decisions(first=0)  # for onlookers
        told = dict(self.opening.sayings)
        for ply, action in enumerate(self.opening.prefix):
            self.deal.play(action, told.get(ply))
        for event in events:
            self._count += 1
            self._apply(event)
        if self.deal.over and not any(event.kind == "over" for event in events):
            self._record(Event("over", None))  # the server was killed before it stored this

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, one in enumerate(self.opening.seated) if one.kind == PERSON]

    @property
    def chats(self) -> bool:
        """Whether people may chat at this table: there are several, and its host allows it."""
        return self.opening.chat and len(self.people) > 1

    @property
    def version(self) -> int:
        """Counter of moves and take-backs; clients must not see it."""
        return self._backs.number + sum(one.number - self._backs.number for one in self._decisions)

    @property
    def unsaved(self) -> bool:
        """Whether the store has unwritten events, of this or another table."""
        return self._store.failing

    @property
    def secret_turns(self) -> bool:
        """Whether turns are secret in this game."""
        return "turns" in self.game.hidden

    def moment(self, seat: int) -> int:
        """Return the number of the current or next decision of `seat`; it does not depend on decisions of others."""
        return (self._backs if seat == PUBLIC else self._decisions[seat]).number

    def shown(self, viewer: int) -> int:
        """Return the number of plies that `viewer` may see.

        With secret turns the view stops after the viewer's last decision until the viewer is to act again: the number
        of single plies, or the time between them, would reveal who had a choice.
        """
        now = len(self.deal.plies)
        if not self.secret_turns or self.deal.over or self.deal.seat == viewer:
            return now
        own = [number + 1 for number, ply in enumerate(self.deal.plies) if ply.seat == viewer]
        return own[-1] if own else 0

    @_locked
    def view(self, seat: int, ply: int | None = None) -> View:
        """Return the view of `seat` at `ply`, by default the last that it may see.

        Its `state` is a determinization.
        """
        ply = self.shown(seat) if ply is None else ply
        view = make_view(self.game, self.deal.at(ply), seat, self.stream(seat, ply))
        view = view._replace(sayings=tuple(self.deal.sayings(ply)))
        if self.secret_turns and not self.to_act(seat):
            view.mask[:] = 0
        return view

    @_locked
    def public_state(self, ply: int | None = None) -> np.ndarray:
        """Return the state `(1,)` before `ply`, by default now, for onlookers, resampled for each seat in turn.

        Information that a single seat knows is thus resampled too.
        """
        ply = len(self.deal.plies) if ply is None else ply
        states = self.deal.at(ply).copy()
        for seat in range(self.deal.seats):
            table_kernels(self.game).redeal(states, seat, seed_of(AGENT, self.opening.seed, self.deal.seats, seat, ply))
        return states

    def to_act(self, seat: int) -> bool:
        """Return whether `seat` is to act."""
        return not self.deal.over and self.deal.seat == seat

    def stream(self, seat: int, ply: int) -> Any:
        """Return the random stream `(1,)` of the agent at `seat` for `ply`; it is the same after a restart."""
        return new_stream(seed_of(AGENT, self.opening.seed, seat, ply))

    @_locked
    def hear(self, seat: int, moment: int, text: str, language: str) -> tuple[Preview, list[tuple[int, str]]]:
        """Return what the table would hear in a sentence of `seat`, and the actions it can mean by name.

        Raises Refused if `seat` may tell no sentence in its own words now, and ValueError for a bad text.
        """
        if moment != self.moment(seat) or not self.to_act(seat):
            raise Refused("late")
        states = self.view(seat).state  # what is heard leaves the server, so it may not depend on the true state
        telling = telling_now(self.game, states)
        if telling is None:
            raise Refused("own words")
        saying = telling.listen(states, text, telling.language(text, language))
        return telling.preview(states, saying, language), meanings(self.game, states, saying, language)

    @_locked
    def play(self, seat: int, moment: int, action: int, text: str = "", language: str = "") -> None:
        """Play `action` for `seat` at its decision number `moment`, perhaps told by a `text` in own words.

        Raises Refused if that is not the current decision, and ValueError for a text that the table does not take. A
        repeat of an earlier decision is ignored, so a message may arrive twice.
        """
        telling = telling_of(self.game)
        saying = telling.listen(self.deal.states, text, telling.language(text, language)) if text and telling else None
        try:
            if self._decisions[seat].is_repeat(moment, (action, saying.text if saying else text)):
                return
        except NotPresent:
            raise Refused("over" if self.deal.over else "late") from None
        if self.deal.over:
            raise Refused("over")
        if not self.to_act(seat):
            raise Refused("turn")
        if not 0 <= action < self.game.num_actions or not self.deal.mask[action]:
            raise Refused("illegal")
        if text and (telling is None or saying is None or action not in telling.actions(self.deal.states, saying)):
            raise Refused("own words")
        self._record(Event("say", [action, saying]) if text else Event("play", action))
        if self.deal.over:
            self._record(Event("over", None))

    @_locked
    def play_agent(self, seat: int, version: int, action: int) -> None:
        """Play the `action` of the agent at `seat`, chosen in state number `version`.

        Raises TableChanged if the table is in another state by now, and ValueError for an illegal action.
        """
        if self.version != version or not self.to_act(seat):
            raise TableChanged
        try:
            self.play(seat, self.moment(seat), action)
        except Refused:
            raise ValueError(f"{self.players[seat].spec} chose action {action}, which is illegal here") from None

    @_locked
    def request_take_back(self, seat: int, moment: int) -> None:
        """Ask to take back the last decision of `seat`; without other people this happens immediately.

        Raises Refused if the seat's decision number is not `moment` any more.
        """
        if self.deal.over:
            raise Refused("over")
        if moment != self.moment(seat):
            raise Refused("late")
        first = len(self.opening.prefix)
        own = [number for number, ply in enumerate(self.deal.plies) if ply.seat == seat and number >= first]
        if not own:
            raise Refused("nothing")
        if self.take_back is None:
            self._requests += 1
            self.take_back = TakeBack(self._requests, seat, own[-1])
        self.agree(seat, self.take_back.number, True)

    @_locked
    def agree(self, seat: int, wish: int, yes: bool) -> None:
        """Answer take-back request number `wish`: it needs all people, and one refusal removes it."""
        if self.take_back is None:
            raise Refused("no wish")
        if wish != self.take_back.number:
            raise Refused("late")
        if not yes:
            self.take_back = None
            return
        self.take_back.agreed.add(seat)
        if self.take_back.agreed >= set(self.people):
            self._record(Event("back", self.take_back.ply))

    @_locked
    def rename(self, seat: int, name: str) -> None:
        """Rename the player at `seat`; raise Refused once the deal is over."""
        if self.deal.over:
            raise Refused("over")
        self._record(Event("name", [seat, clean_name(name) or self.opening.seated[seat].name]))

    def names(self, language: str, reader: int = PUBLIC) -> list[str]:
        """Return the name of each seat in `language` for the page of `reader`, a seat or PUBLIC."""
        return player_names([one.player for one in self.players], language, reader)

    @property
    def agents(self) -> list[str]:
        """The name of each seat in a replay, in no language: that of its agent or, if there is one, of its person."""
        return [filed(one) for one in self.players]

    @_locked
    def follow(self, open_next: Callable[[], str]) -> str:
        """Return the name of the next deal, which `open_next` opens once; raise Refused before the end."""
        if not self.deal.over:
            raise Refused("not over")
        if not self.next:
            self._record(Event("next", open_next()))
        return self.next

    def _record(self, event: Event) -> None:
        self._store.add(self.name, self._count, event)
        self._count += 1
        self._apply(event)

    def _apply(self, event: Event) -> None:
        if event.kind in ("play", "say"):
            action, saying = event.value if event.kind == "say" else (event.value, None)
            seat, told = self.deal.seat, Saying(*saying) if saying else None
            self.deal.play(action, told)
            self._decisions[seat].take((action, told.text if told else ""), None)
            self.trouble = False
            if not self.secret_turns or self.deal.over:  # else its removal would reveal a secret decision
                self.take_back = None
        elif event.kind == "back":
            self.deal.back(event.value)
            self.lessons = [one for one in self.lessons if one[0] <= event.value]
            for one in (*self._decisions, self._backs):
                one.skip()
            self.take_back, self.trouble = None, False
        elif event.kind == "name":
            rename(self.players, event)
        elif event.kind == "next":
            try:
                opened = self._store.opened(event.value)[1]
            except KeyError:  # it was deleted unused; another one may be opened
                return
            self.next = event.value
            tokens = {seat: token for token, seat in opened.items()}
            turn = {seat: (seat + 1) % self.deal.seats for seat in self.people}  # see `turned`
            self.next_links = {seat: seat_link(after, tokens[after]) for seat, after in turn.items()}
            self.next_links[PUBLIC] = seat_link(PUBLIC, tokens[PUBLIC])


def seat_link(seat: int, token: str) -> str:
    """Return the address of the page of a seat, or of the onlookers' page."""
    return f"/watch/{token}" if seat == PUBLIC else f"/seat/{token}"


def open_table(store: Store, opening: Opening) -> Table:
    """Open a new table; raise ValueError if its setup or players do not fit the game."""
    game = envs.load(opening.game)
    seats = int(game.new_tables(1, opening.setup)["seats"][0])
    if len(opening.seated) != seats:
        raise ValueError(f"{len(opening.seated)} players for a table of {seats} seats; name one player a seat")
    name = secrets.token_urlsafe(12)
    tokens = {secrets.token_urlsafe(18): seat for seat in [*_people(opening.seated), PUBLIC]}
    store.open(name, {**asdict(opening), "rules": _rules(opening.game)}, tokens)
    return Table(store, name)


def _rules(name: str) -> str:
    """Return the game's name and rules hash, or "" for an unknown game."""
    return f"{name} {rules_hash(envs.load(name))}" if name in envs.games() else ""


def _people(seated: Sequence[Seated]) -> list[int]:
    return [seat for seat, one in enumerate(seated) if one.kind == PERSON]


def turned(opening: Opening, players: Sequence[Seated], seed: int | None = None) -> Opening:
    """Return the same deal, or that of `seed`, with every player moved one seat on.

    Two deals of one seed give the players the same luck.
    """
    seated = [*players[-1:], *players[:-1]]
    host = (opening.host + 1) % len(seated)
    seed = opening.seed if seed is None else seed
    return Opening(opening.game, opening.setup, seed, tuple(seated), host, chat=opening.chat)


def continued(
    opening: Opening, plies: Sequence[Played], mine: int, name: str, instead: Mapping[int, Seated]
) -> Opening:
    """Return the same deal after `plies`, with the person `name` at `mine` and the players of `instead`."""
    seated = [instead.get(seat, one) for seat, one in enumerate(opening.seated)]
    seated[mine] = Seated(PERSON, name)
    said = tuple((number, ply.saying) for number, ply in enumerate(plies) if ply.saying is not None)
    actions = tuple(ply.action for ply in plies)
    return Opening(opening.game, opening.setup, opening.seed, tuple(seated), mine, actions, said)
