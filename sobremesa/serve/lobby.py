"""What the lobby shows of the games, and the tables that its forms ask for."""

import dataclasses
import secrets
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.game import PUBLIC, Game, Option
from sobremesa.report import show
from sobremesa.serve.deal import Deal
from sobremesa.serve.opponents import STRONG, THINKING, Opponents
from sobremesa.serve.table import BOT, LONGEST_NAME, PERSON, Opening, Seated, clean_name
from sobremesa.serve.tables import new_seed
from sobremesa.serve.words import WORDS

ME, INVITED, AGENT = "me", "person", "agent:"  # who sits somewhere, as a form says it
_RAGGED = 3  # letters that a line of the rules may lack to be full


@lru_cache(maxsize=64)
def picture(name: str, language: str) -> str:
    """Return a picture (SVG) of the game called `name`, drawn here only where the game did not come with one."""
    file = show.board(name, language)
    if file.exists():
        return file.read_text(encoding="utf-8")
    game = envs.load(name)
    return game.words.scene(Deal(game, {"seats": game.default_seats}, 1).states, None, language)


def told_of(game: Game, opponents: Opponents, language: str) -> dict[str, Any]:
    """Return what the pages say of `game`."""
    aim, _, rules = game.words.help(language).partition("\n\n")
    return {
        "name": game.name,
        "title": game.words.title[language],
        "aim": aim,
        "rules": _paragraphs(rules),
        "seats": list(game.seat_range),
        "default_seats": game.default_seats,
        "roles": (game.roles or {}).get(language),
        "offers": opponents.offers(game),
        "fair": opponents.fair(game),
        "options": game.options[1:],
        "team": game.cooperative,
        "thinking": THINKING,
    }


def _paragraphs(text: str) -> list[tuple[int, str]]:
    """Return a text that was cut into lines as paragraphs, each with how deep it stands, 0 to 3.

    A line goes on in the next one if its sentence does: where the first word of that had no room on it, or hangs below.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    room = max(map(len, lines), default=0) - _RAGGED
    found: list[tuple[int, str]] = []
    before, deep_before = "", 0
    for line in lines:
        words, deep = line.split(), len(line) - len(line.lstrip())
        full = len(before) + len(words[0]) >= room or before.endswith(",") or (words[0].islower() and deep == 0)
        if before and before[-1] not in ".:;" and ((full and deep >= deep_before) or deep > deep_before > 0):
            found[-1] = (found[-1][0], f"{found[-1][1]} {' '.join(words)}")
        else:
            found.append((min(deep // 2, 3), " ".join(words)))
        before, deep_before = line, deep
    return found


def quick(game: Game, opponents: Opponents, name: str, language: str) -> Opening:
    """Return a table of the usual size, a person at a seat drawn by lot, a fair agent at each other."""
    seats, fair = game.default_seats, opponents.fair(game)
    mine = secrets.randbelow(seats)
    person = Seated(PERSON, clean_name(name) or WORDS[language]["you"])
    seated = tuple(person if seat == mine else Seated(BOT, fair, fair) for seat in range(seats))
    return Opening(game.name, {"seats": seats}, new_seed(), seated, mine)


def opening_of(form: Mapping[str, str], opponents: Opponents, language: str) -> Opening:
    """Return the table that a form asks for; raise ValueError for what cannot be."""
    game = _game(form.get("game", ""))
    if "quick" in form:
        return quick(game, opponents, form.get("name", ""), language)
    setup = {option.name: _read(option, form) for option in game.options}
    places = [form.get(f"seat{seat}", "") for seat in range(int(setup["seats"]))]
    if places.count(ME) > 1:
        raise ValueError("you sit at two seats")
    think = form.get("think", "0")
    if not think.isdecimal() or int(think) not in THINKING:
        raise ValueError(f"think={think[:20]!r}")
    name = clean_name(form.get("name", ""))
    seated = tuple(_seated(place, game, opponents, int(think), name, language) for place in places)
    host = places.index(ME) if ME in places else PUBLIC
    if host == PUBLIC and INVITED in places:
        raise ValueError("whoever invites others sits down too, and gives them their links")
    return Opening(game.name, setup, new_seed(), seated, host)


def opening_of_replay(content: bytes) -> Opening:
    """Return a table at which the deal of a replay lies, played to its end, for everybody to look at.

    `content` is that of the file. Raises ReplayError where it is no replay, or does not fit its game.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "replay.json"
        file.write_bytes(content)
        try:
            replay = replays.read(file)
        except replays.ReplayError as error:
            raise replays.ReplayError(str(error).removeprefix(f"{file}: ")) from None
    _game(replay.game)
    replay = dataclasses.replace(replay, file="")
    replays.verify(replay)
    seated = tuple(Seated(PERSON, name) for name in replay.agents)  # who were agents cannot be asked again
    return Opening(replay.game, dict(replay.setup), replay.seed, seated, PUBLIC, replay.actions)


def _game(name: str) -> Game:
    """Return the game called `name`; raise ValueError for one that is not in the lobby, such as Kuhn poker."""
    game = envs.load(name)
    if game.name not in envs.games():
        raise ValueError(f"{game.name} is not played here; there are {', '.join(envs.games())}")
    return game


def _seated(place: str, game: Game, opponents: Opponents, think: int, name: str, language: str) -> Seated:
    if place == ME:
        return Seated(PERSON, name or WORDS[language]["you"])
    if place == INVITED:
        return Seated(PERSON, WORDS[language]["guest"])
    if not place.startswith(AGENT):
        raise ValueError(f"nobody sits as {place[:60]!r}")
    chosen = place.removeprefix(AGENT)
    spec = opponents.spec(game, chosen, think)
    name = f"{chosen} + {think} s" if think and chosen == STRONG else chosen
    return Seated(BOT, clean_name(name[-LONGEST_NAME:]) or BOT, spec)


def _read(option: Option, form: Mapping[str, str]) -> int | str | bool:
    given = form.get(f"option.{option.name}")
    return option.default if given is None else option.parse(given[:60])
