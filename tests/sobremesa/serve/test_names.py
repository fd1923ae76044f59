"""Names of players: stored as keys, spoken in the language of each page and for its reader."""

import itertools
import json
import re

import pytest
from rooms import ENCIERRO, ESTAFADO, TORO
from serving import OURS, landed, link, opening, play_on, seen, send_replay

from sobremesa import envs
from sobremesa.agents.levels import LEVEL_NAMES, levels, player_name
from sobremesa.envs.core.game import LANGUAGES, PUBLIC, SEAT_SIGNS
from sobremesa.report.players import LONGEST_NAME, PERSON, clean_name
from sobremesa.serve.guides import has_guide
from sobremesa.serve.store import Event
from sobremesa.serve.table import Table

OWN = {"en": "you", "es": "tú"}
WORDS = {
    language: {OWN[language], *others, *LEVEL_NAMES[language].values()}
    for language, others in (("en", ("player", "computer")), ("es", ("jugador", "ordenador")))
}
OLD = ("guest", "invitado", *(player_name(level, one) for one in LANGUAGES for level in LEVEL_NAMES[one]))


def forms(game):
    """Return a form for each way to open a table, with people and computers that have no names."""
    seats = game.seat_range[-1]
    every = {f"seat{seat}": "level:easy" if seat % 2 else "person" for seat in range(seats)} | {"seat0": "me"}
    found = [{"quick": "1"}, {"quick": "1", "level": "easy"}, {"option.seats": str(seats), **every}]
    return [{"game": game.name, **form} for form in found + [{"guided": "1"}] * has_guide(game)]


def is_said(names, language, reader):
    """Check the names that a page shows to a reader."""
    assert len(set(names)) == len(names)
    assert [seat for seat, name in enumerate(names) if name == OWN[language]] == ([reader] if reader >= 0 else [])
    said = set(re.findall(r"\w+", " ".join(names)))
    others = {word for other in LANGUAGES if other != language for word in WORDS[other]}
    assert not said & others, (names, language)
    assert not said & {"0", "guest", "invitado"}


@pytest.mark.parametrize("opener", LANGUAGES)
@pytest.mark.parametrize("game", [envs.load(name) for name in envs.games()], ids=lambda game: game.name)
def test_each_reader_hears_names_in_the_language_of_the_page(game, opener, client, tables):
    for form in forms(game):
        path = landed(client.post(f"/tables?language={opener}", data=form, headers=OURS))
        table = tables.find(re.search(r"/(?:seat|watch)/([^?]+)", path)[1])[0].table
        stored = json.dumps(tables.store.opened(table.name)[0]["seated"])
        assert not set(re.findall(r"\w+", stored)) & ({*WORDS["en"], *WORDS["es"]} - {*LEVEL_NAMES["en"]}), stored
        for language, reader in itertools.product(LANGUAGES, [*table.people, PUBLIC]):
            page = seen(table, reader, language)
            is_said([one["name"] for one in page["seats"]], language, reader)
            is_said([one["called"] for one in page["seats"]], language, PUBLIC)
            for _ in ("in memory", "in the store"):
                brief = client.get(f"{link(table, reader)}/brief.json?language={language}").json()
                assert brief["title"] == game.words.title[language]
                assert brief["players"] == [one["name"] for one in page["seats"]]
                tables._seatings.clear()


@pytest.mark.parametrize("opener", LANGUAGES)
def test_film_replay_and_rematch_have_keys(opener, client, tables):
    form = {"game": TORO.name, "option.seats": "4", "option.max_rounds": "1", "seat0": "me", "seat1": "person"}
    form |= {"seat2": "level:easy", "seat3": "level:easy"}
    path = landed(client.post(f"/tables?language={opener}", data=form, headers=OURS)).partition("?")[0]
    table = play_on(tables.find(path.removeprefix("/seat/"))[0].table)
    saved = client.get(f"{path}/replay.json").content
    assert json.loads(saved)["agents"] == [PERSON, PERSON, levels(TORO)["easy"], levels(TORO)["easy"]]
    watching = landed(send_replay(client, saved)).partition("?")[0]
    for language in LANGUAGES:
        for page in (path, watching):
            film = client.get(f"{page}/film?language={language}").text
            title = re.search("<title>(.*?)</title>", film)[1].partition(": ")[2]
            called = title.replace(levels(TORO)["easy"], "simple")  # an agent's name is in no language
        is_said([one[2:] for one in called.split(" · ")], language, PUBLIC)
        result = seen(table, 0, language)["over"]["result"]
        assert not set(re.findall(r"\w+", result)) & (WORDS["es" if language == "en" else "en"])
    after = landed(client.post(f"{path}/next", data={"new": "1"}, headers=OURS)).partition("?")[0]
    again = tables.find(after.removeprefix("/seat/"))[0].table
    assert again.names("en", 1) == ["easy 1", "you", "player 3", "easy 2"]


@pytest.mark.parametrize(
    ("names", "now"),
    [
        (("you", "guest", "computer (easy)", "computer (easy)"), ["player 1", "player 2", "easy 1", "easy 2"]),
        (("tú", "invitado", "ordenador (fácil)", "simple"), ["player 1", "player 2", "computer (easy)", "simple"]),
        (("Ana", "Ana", "simple", "simple"), ["Ana 1", "Ana 2", "simple 1", "simple 2"]),
        (("Ana 1", "Ana", "Ana", "simple"), ["Ana 1", "Ana 2", "Ana 3", "simple"]),
    ],
)
def test_tables_of_earlier_versions_are_read(names, now, tables):
    table = tables.open(opening(TORO, people=2, seats=4))
    opened = tables.store.opened(table.name)[0]
    opened["seated"] = [
        {"kind": "agent" if seat > 1 else "person", "name": name, "spec": "simple" if seat > 1 else ""}
        for seat, name in enumerate(names)
    ]
    tables.store.open("old", opened, {"token": PUBLIC})
    assert Table(tables.store, "old").names("en") == now
    tables.store.add("old", 0, Event("name", [0, "tú"]))
    assert Table(tables.store, "old").names("es", 0)[0] == "tú"
    assert Table(tables.store, "old").names("en", 1)[0] == "player 1"


def test_a_person_cannot_take_the_words_of_others():
    for name in (*OWN.values(), *OLD, PERSON, SEAT_SIGNS, "player 2", "jugador 1"):
        for typed in (name, name.upper(), name.title()):
            assert clean_name(f" {typed} ") == ""
    assert clean_name("① Ana") == "Ana"
    assert len(clean_name("x" * 99)) == LONGEST_NAME


@pytest.mark.parametrize("game", [ENCIERRO, ESTAFADO], ids=lambda game: game.name)
def test_a_person_plays_on_under_their_own_name(game, client, tables):
    table = play_on(tables.open(opening(game, people=2, seats=2)))
    ply = next(number for number, ply in enumerate(table.deal.plies) if ply.seat == 1)
    form = {"ply": str(ply), "asked": "1"}
    for path, name in ((link(table, 0), "person 0"), (link(table, PUBLIC), "")):
        after = landed(client.post(f"{path}/again", data=form, headers=OURS)).partition("?")[0]
        seated = tables.find(after.removeprefix("/seat/"))[0].table.opening.seated
        assert [one.name for one in seated if one.kind == "person"] == [name]
