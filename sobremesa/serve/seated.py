"""The players of a table as they are stored: keys, which pages put into words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sobremesa.agents.levels import LEVELS
from sobremesa.report.players import PERSON as UNNAMED, Player, stored
from sobremesa.serve.store import Event

PERSON, BOT = "person", "agent"


@dataclass(frozen=True)
class Seated:
    """The player at a seat."""

    kind: str  # PERSON or BOT
    name: str = ""  # as in players.Player
    spec: str = ""  # of an agent, as agents.load takes it
    level: str = ""  # as in players.Player

    @property
    def player(self) -> Player:
        """The parts that make the name on a page."""
        return Player(self.name, self.level)


def players_of(seated: Iterable[Mapping[str, str]], events: Iterable[Event] = ()) -> list[Seated]:
    """Return the stored players `seated` of a deal, as `events` name them.

    Raises ValueError for an unknown level and TypeError for unknown fields.
    """
    players = [_read(**one) for one in seated]
    for event in events:
        if event.kind == "name":
            rename(players, event)
    return players


def _read(kind: str, name: str = "", spec: str = "", level: str = "") -> Seated:
    """Return a stored player; earlier versions stored names in the language of the person who opened the table."""
    key = stored(name)
    if level and level not in LEVELS:
        raise ValueError(f"level={level!r} is not known; it takes {', '.join(LEVELS)}")
    return Seated(kind, key.name if key.level or kind == PERSON else name, spec, level or key.level)


def rename(players: list[Seated], event: Event) -> None:
    """Give a player the name of an `event` of the kind "name"."""
    seat, name = event.value
    players[seat] = replace(players[seat], name=stored(name).name)


def filed(player: Seated) -> str:
    """Return the name of a player in files, in no language: that of its agent or of its person."""
    return player.name or player.spec or player.level or UNNAMED
