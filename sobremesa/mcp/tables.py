"""Tables that a client plays at by tools; each shows the view of one seat."""

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.decisions import EXACT, check_names
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.trainers.episode import Episode
from sobremesa.agents.trainers.tool import ToolCalls
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.game import Game

MOST = 16  # open tables
IDLE = 60.0  # minutes without a call, after which a table closes
NEVER, ONCE, AGAIN = "never", "once", "again"  # whether a client may name a seed
SEEDS = (NEVER, ONCE, AGAIN)
_NAMES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]  # no four of them look like a number


class Tables:
    """The open tables of a client, by name; its public methods that return text are the tools.

    Every method raises ValueError for bad input, with what is allowed. A deal is shown to one seat only, also after its
    end, since a client could look at the cards of another player otherwise. A client that plays a deal again knows its
    cards; `seeds` decides whether it may.

    Args:
        most: tables that may be open at the same time; a finished one makes room for the next.
        idle: minutes without a call, after which a table closes.
        seeds: "never": deals are random; "once": a client may name seeds, each once; "again": it may repeat deals.
        clock: returns seconds.
    """

    def __init__(
        self, most: int = MOST, idle: float = IDLE, seeds: str = NEVER, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._idle, self._seeding, self._clock = most, idle, seeds, clock
        self._open: dict[str, ToolCalls] = {}  # the table used last comes last
        self._used: dict[str, float] = {}
        self._seats: dict[tuple[str, int], int] = {}  # by game and seed, of all tables so far
        self._lock = threading.RLock()

    def list_games(self) -> str:
        """List the games: name, setup fields and opponents from weak to strong."""
        return "\n\n".join(_about(envs.load(name)) for name in envs.all_games())

    def open_table(
        self,
        game: str,
        seat: int = 0,
        opponents: str | list[str] | None = None,
        seed: int | None = None,
        setup: dict[str, str | int | bool] | None = None,
        language: str = "en",
        list_actions: bool = True,
        history: bool = False,
    ) -> str:
        """Open a table, deal, and return the name of the table, the rules and the first position.

        Args:
            game: a name from list_games.
            seat: your seat, from 0.
            opponents: names from list_games, for the other seats in order; fewer are repeated in turn (default: the
                strongest scripted one).
            seed: of the deal, for servers that allow it (default: random).
            setup: setup fields from list_games, for example {"seats": 3}.
            language: "en" or "es".
            list_actions: whether positions list the legal actions.
            history: whether positions list all events of the deal, not only those since your last action.
        """
        with self._lock:
            self._make_room()
            loaded = envs.load(game)
            names = _opponents(loaded, opponents)
            style = Style(language, list_actions, history, tool="act")
            drawn = self._seed(loaded, seat, seed)
            episode = Episode(loaded, names, seat=seat, seed=drawn, style=style, **_fields(loaded, setup or {}))
            self._seats[loaded.name, drawn] = seat
            name = "".join(secrets.choice(_NAMES) for _ in range(4))
            self._open[name] = calls = ToolCalls(episode, secrets.token_bytes(16))
            self._used[name] = self._clock()
            return f"TABLE {name}\n\n{episode.messages[0]['content']}\n\n{calls.shown}"

    def _seed(self, game: Game, seat: int, given: int | None) -> int:
        """Return the seed of a new table; raise ValueError for one that the client may not name."""
        if given is None:
            return secrets.randbelow(EXACT)  # too many to try them all
        if self._seeding == NEVER:
            raise ValueError("this server takes no seeds, so that every deal is new; leave the seed out")
        if check_seed(given) >= EXACT:
            raise ValueError(f"seed={given} is not allowed; it takes a whole number from 0 to 2**53 - 1")
        before = self._seats.get((game.name, given))
        if before is not None and self._seeding == ONCE:
            raise ValueError(f"seed {given} of {game.name} has been opened before; take another seed")
        if before is not None and before != seat:
            raise ValueError(f"seed {given} of {game.name} has been opened at another seat; take another seed")
        return given

    def look(self, table: str) -> str:
        """Show the position at a table with the number of the decision, or the end."""
        with self._lock:
            return self._table(table).shown

    def act(self, table: str, decision: int, action: str) -> str:
        """Play one action; return the next position, the end, or why the action is refused.

        Args:
            table: the name of the table.
            decision: the number in the last line of the position for which you choose the action.
            action: the name of the action.
        """
        with self._lock:
            return self._table(table).call(decision, action)

    def rules(self, table: str) -> str:
        """Show your seat, the rules and how to name actions."""
        with self._lock:
            return self._table(table).episode.messages[0]["content"]

    def result(self, table: str) -> dict[str, Any]:
        """Return the result at a table: "return" is from -1 to 1 (cooperative games: 0 to 1), null before the end."""
        with self._lock:
            episode = self._table(table).episode
            read = [one for decision in episode.decisions for one in decision.read]
            found = {
                "game": episode.game.id,
                "seat": episode.seat,
                "over": episode.over,
                "return": episode.payoff,
                "forfeited": episode.forfeited,
                "actions": sum(one.action is not None for one in read),
                "refused": sum(one.action is None for one in read),
            }
            return found | {"seed": episode.seed} if episode.over else found

    def close_table(self, table: str) -> str:
        """Close a table."""
        with self._lock:
            self._table(table)
            self._close(table)
            return f"Table {table} is closed."

    def _table(self, name: str) -> ToolCalls:
        """Return the open table `name`, which is then the one used last."""
        self._drop_idle()
        if name not in self._open:
            raise ValueError(f"there is no table {name!r}; a table closes after {self._idle:g} minutes without a call")
        self._open[name] = calls = self._open.pop(name)
        self._used[name] = self._clock()
        return calls

    def _make_room(self) -> None:
        self._drop_idle()
        if len(self._open) < self._most:
            return
        finished = next((name for name, calls in self._open.items() if calls.episode.over), None)
        if finished is None:
            raise ValueError(f"{len(self._open)} tables are open, as many as are allowed; finish or close one")
        self._close(finished)

    def _drop_idle(self) -> None:
        for name in [name for name, used in self._used.items() if self._clock() - used > 60 * self._idle]:
            self._close(name)

    def _close(self, name: str) -> None:
        del self._open[name], self._used[name]


def _opponents(game: Game, given: str | list[str] | None) -> list[str]:
    """Return the names of opponents; raise ValueError for any but the agents that come with the game.

    Other names of agents may start programs or read files.
    """
    several = [given] if isinstance(given, str) else given or agents.scripted_names(game)[-1:]
    for name in several:
        if name not in agents.names(game):
            raise ValueError(f"no opponent {name!r}; {game.name} has {', '.join(agents.names(game))}")
    return several


def _fields(game: Game, setup: dict[str, str | int | bool]) -> dict[str, Any]:
    """Return the setup fields with the types of the game; raise ValueError naming a wrong one."""
    known = {option.name: option for option in game.options}
    check_names(f"the setup of {game.name}", setup, known)
    return {name: known[name].parse(str(value)) for name, value in setup.items()}


def _about(game: Game) -> str:
    title = " / ".join(dict.fromkeys(game.words.title.values()))
    kind = "cooperative" if game.cooperative else "competitive"
    fields = [f"  {one.name}: {one.doc}; {one.allowed()} (default {one.default!r})" for one in game.options]
    return "\n".join([f"{game.name}: {title}, {kind}", *fields, f"  opponents: {', '.join(agents.names(game))}"])
