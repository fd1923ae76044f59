"""Tables that a client plays at by tools; each shows the view of one seat."""

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.trainers.episode import Episode
from sobremesa.envs.core.game import Game

MOST = 16  # open tables
IDLE = 60.0  # minutes without a call, after which a table closes


class Tables:
    """The open tables of a client, by name; its public methods that return text are the tools.

    Every method raises ValueError for bad input, with what is allowed. A deal is shown to one seat only, also after its
    end, since a client could look at the cards of another player otherwise.

    Args:
        most: tables that may be open at the same time; a finished one makes room for the next.
        idle: minutes without a call, after which a table closes.
        clock: returns seconds.
    """

    def __init__(self, most: int = MOST, idle: float = IDLE, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._idle, self._clock = most, idle, clock
        self._open: dict[str, Episode] = {}  # the table used last comes last
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
            seed: of the deal; the same seed repeats the deal (default: random).
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
            drawn = secrets.randbelow(2**63) if seed is None else seed  # too many to try them all
            fields = _fields(loaded, setup or {})
            if self._seats.get((loaded.name, drawn), seat) != seat:
                raise ValueError(f"seed {drawn} of {loaded.name} has been opened at another seat; take another seed")
            episode = Episode(loaded, names, seat=seat, seed=drawn, style=style, **fields)
            self._seats[loaded.name, drawn] = seat
            name = secrets.token_hex(4)
            self._open[name], self._used[name] = episode, self._clock()
            return f"TABLE {name}\n\n{episode.messages[0]['content']}\n\n{_shown(episode)}"

    def look(self, table: str) -> str:
        """Show the position at a table: the events since your last action and the legal actions, or the end."""
        with self._lock:
            return _shown(self._table(table))

    def act(self, table: str, action: str) -> str:
        """Play an action, given by its name; return the next position, the end, or why the action is refused."""
        with self._lock:
            episode = self._table(table)
            if episode.over:
                raise ValueError("this deal is over; open another table")
            episode.answer(action)
            return episode.messages[-1]["content"]

    def rules(self, table: str) -> str:
        """Show your seat, the rules and how to name actions."""
        with self._lock:
            return self._table(table).messages[0]["content"]

    def result(self, table: str) -> dict[str, Any]:
        """Return the result at a table: "return" is from -1 to 1 (cooperative games: 0 to 1), null before the end."""
        with self._lock:
            episode = self._table(table)
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

    def _table(self, name: str) -> Episode:
        """Return the open table `name`, which is then the one used last."""
        self._drop_idle()
        if name not in self._open:
            raise ValueError(f"there is no table {name!r}; a table closes after {self._idle:g} minutes without a call")
        self._open[name] = episode = self._open.pop(name)
        self._used[name] = self._clock()
        return episode

    def _make_room(self) -> None:
        self._drop_idle()
        if len(self._open) < self._most:
            return
        finished = next((name for name, episode in self._open.items() if episode.over), None)
        if finished is None:
            raise ValueError(f"{len(self._open)} tables are open, as many as are allowed; finish or close one")
        self._close(finished)

    def _drop_idle(self) -> None:
        for name in [name for name, used in self._used.items() if self._clock() - used > 60 * self._idle]:
            self._close(name)

    def _close(self, name: str) -> None:
        del self._open[name], self._used[name]


def _shown(episode: Episode) -> str:
    """Return the current position, or the last message of a deal that is over."""
    return episode.messages[-1]["content"] if episode.over else episode.decisions[-1].prompt


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
    for name in setup:
        if name not in known:
            raise ValueError(f"no setup field {name!r}; {game.name} has {', '.join(known)}")
    return {name: known[name].parse(str(value)) for name, value in setup.items()}


def _about(game: Game) -> str:
    title = " / ".join(dict.fromkeys(game.words.title.values()))
    kind = "cooperative" if game.cooperative else "competitive"
    fields = [f"  {one.name}: {one.doc}; {one.allowed()} (default {one.default!r})" for one in game.options]
    return "\n".join([f"{game.name}: {title}, {kind}", *fields, f"  opponents: {', '.join(agents.names(game))}"])
