"""Data of the lobby pages, and the settings of tables from submitted forms."""

import dataclasses
import re
import secrets
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.levels import agent_of, player_name
from sobremesa.envs.core.game import PUBLIC, Game, Option
from sobremesa.envs.core.sayings import own_words_setup
from sobremesa.envs.core.wording import TermWords
from sobremesa.envs.core.words import blocks
from sobremesa.report import show
from sobremesa.report.players import LONGEST_NAME, clean_name, player_names, stored
from sobremesa.serve.deal import Deal
from sobremesa.serve.guides import guided, has_guide
from sobremesa.serve.opponents import STRONG, THINKING, Opponents, levels_of
from sobremesa.serve.seated import BOT, PERSON, Seated
from sobremesa.serve.table import Opening
from sobremesa.serve.tables import new_seed
from sobremesa.serve.words import WORDS

ME, INVITED, LEVEL, AGENT = "me", "person", "level:", "agent:"  # values of a seat in a form
_REFERENCE = re.compile(r" \([OV]\d[^)]*\)")  # to clauses, in the documentation of options
_LONGEST_TERM = 5  # words
_HEADED = re.compile(r"\w+\. ")
_COUNT = re.compile(r"^\d+ | ×\d+$")


@lru_cache(maxsize=64)
def picture(name: str, language: str) -> str:
    """Return the picture (SVG) that comes with the game `name`, or draw one."""
    game = envs.load(name)
    file = show.board(game, language)
    if file is not None:
        return file.read_text(encoding="utf-8")
    return game.words.scene(Deal(game, {"seats": game.default_seats}, 1).states, None, language)


def game_page(game: Game, opponents: Opponents, language: str) -> dict[str, Any]:
    """Return the values of the page templates for `game`."""
    aim, _, rules = game.words.help(language).partition("\n\n")
    return {
        "name": game.name,
        "title": game.words.title[language],
        "aim": _blocks(aim),
        "rules": _blocks(rules),
        "seats": list(game.seat_range),
        "default_seats": game.default_seats,
        "roles": (game.roles or {}).get(language),
        "offers": opponents.offers(game),
        "fair": opponents.fair(game),
        "fair_name": player_names([opponents.seat(game, opponents.fair(game)).player], language)[0],
        "levels": [(level, player_name(level, language), agent) for level, agent in levels_of(game).items()],
        "options": [_asked(game, option, language) for option in game.options[1:]],
        "team": game.cooperative,
        "guided": has_guide(game),
        "thinking": THINKING,
    }


def _asked(game: Game, option: Option, language: str) -> dict[str, Any]:
    """Return an option as a question in `language` with its choices, each a value and a text."""
    said = (game.words.setup or {}).get(language, {}).get(option.name, {})
    common = {"True": WORDS[language]["yes"], "False": WORDS[language]["no"]}
    choices = [(choice, said.get(str(choice), common.get(str(choice), str(choice)))) for choice in option.choices]
    asks = said.get("asks") or _REFERENCE.sub("", option.doc)
    default = own_words_setup(game).get(option.name, option.default)
    return {"name": option.name, "asks": asks, "default": default, "choices": choices}


def _blocks(text: str) -> list[tuple[str, list[str]]]:
    """Return the parts of a text in plain Markdown: ("p", [paragraph]), ("ul", items) and ("ol", items)."""
    found: list[tuple[str, list[str]]] = []
    for mark, block in blocks(text):
        kind = "p" if not mark else "ul" if mark == "-" else "ol"
        if kind != "p" and found and found[-1][0] == kind:
            found[-1][1].append(block)
        else:
            found.append((kind, [block]))
    return found


def quick(game: Game, opponents: Opponents, name: str, level: str = "") -> Opening:
    """Return a table of the default size: a person at a random seat, fair agents or those of `level` at the others.

    Fair agents also take the place of a level that cannot run on this machine.
    """
    seats, chosen = game.default_seats, agent_of(level, game) if level else ""
    fair = chosen if chosen in levels_of(game).values() else opponents.fair(game)
    mine = secrets.randbelow(seats)
    person = Seated(PERSON, clean_name(name))
    seated = tuple(person if seat == mine else opponents.seat(game, fair) for seat in range(seats))
    return Opening(game.name, {"seats": seats, **own_words_setup(game)}, new_seed(), seated, mine)


def opening_of(form: Mapping[str, str], opponents: Opponents) -> Opening:
    """Return the table of a submitted form; raise ValueError for invalid fields."""
    game = _game(form.get("game", ""))
    if "quick" in form:
        return quick(game, opponents, form.get("name", ""), form.get("level", ""))
    if "guided" in form:
        return guided(game, opponents, form.get("name", ""))
    setup = {option.name: option.default for option in game.options} | own_words_setup(game)
    given = {option: form.get(f"option.{option.name}") for option in game.options}
    setup |= {option.name: option.parse(text[:60]) for option, text in given.items() if text is not None}
    places = [form.get(f"seat{seat}", "") for seat in range(int(setup["seats"]))]
    if places.count(ME) > 1:
        raise ValueError("you have two seats; choose one")
    think = form.get("think", "0")
    if not think.isdecimal() or int(think) not in THINKING:
        raise ValueError(f"think={think[:20]!r}; choose one of {', '.join(map(str, THINKING))}")
    name = clean_name(form.get("name", ""))
    seated = tuple(_seated(place, game, opponents, int(think), name) for place in places)
    host = places.index(ME) if ME in places else PUBLIC
    if host == PUBLIC and INVITED in places:
        raise ValueError("to invite people, take a seat yourself: its page shows their links")
    return Opening(game.name, setup, new_seed(), seated, host, chat=form.get("chat") != "no")


def opening_of_replay(content: bytes) -> Opening:
    """Return a table with the finished deal of a replay, given the `content` of its file.

    Raises ReplayError if it is not a replay or does not fit its game.
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
    players = map(stored, replay.agents)  # agents of a replay cannot play on
    seated = tuple(Seated(PERSON, name, level=level) for name, level in players)
    return Opening(replay.game, dict(replay.setup), replay.seed, seated, PUBLIC, replay.actions, replay.sayings)


def _game(name: str) -> Game:
    """Return the game `name`; raise ValueError if it is not in the lobby, such as Kuhn poker."""
    game = envs.load(name)
    if game.name not in envs.games():
        raise ValueError(f"{game.name} is not offered here; choose one of {', '.join(envs.games())}")
    return game


def _seated(place: str, game: Game, opponents: Opponents, think: int, name: str) -> Seated:
    if place in (ME, INVITED):
        return Seated(PERSON, name if place == ME else "")
    if place.startswith(LEVEL):
        return opponents.seat(game, agent_of(place.removeprefix(LEVEL), game))
    if not place.startswith(AGENT):
        raise ValueError(f"unknown player {place[:60]!r}; use {ME}, {INVITED}, {LEVEL}NAME or {AGENT}NAME")
    chosen = place.removeprefix(AGENT)
    spec = opponents.spec(game, chosen, think)
    name = f"{chosen} + {think} s" if think and chosen == STRONG else chosen
    return Seated(BOT, clean_name(name[-LONGEST_NAME:]) or BOT, spec)


def glossary(game: Game, language: str) -> dict[str, str]:
    """Return the explanations of cards, pieces and moves by name.

    They are the terms of the game, and items of its short rules such as "Name, Name: text".
    """
    found: dict[str, str] = {}
    for mark, item in blocks(game.words.help(language)):
        item = re.sub(r" ?\([^)]*\)", "", item)
        head, _, text = item.partition(". " if _HEADED.match(item) else ": ")
        names = [_COUNT.sub("", name) for name in head.split(", ")]
        if mark == "-" and text and all(len(name.split()) <= _LONGEST_TERM for name in names):
            found |= dict.fromkeys(names, text)
    return found | (dict(game.words.terms(language)) if isinstance(game.words, TermWords) else {})
