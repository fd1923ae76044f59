"""Guided first deals: lessons come, fit, never repeat, and follow from what their player is shown."""

import itertools
import random

import numpy as np
import pytest
from leaks import elsewhere, makers
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO
from serving import HOME, LONG, seen
from starlette.testclient import TestClient

from sobremesa import agents, envs
from sobremesa.agents.levels import levels
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.serve.app import make_app
from sobremesa.serve.guides import LEVEL, guide_of, guided, lesson
from sobremesa.serve.opponents import Bench, Opponents
from sobremesa.serve.table import Table, open_table
from sobremesa.serve.tables import Tables

GAMES = [envs.load(name) for name in envs.games()]
LONGEST, FEWEST = 280, 6  # characters of a lesson, and lessons of a game
SHORT, EARLY = 50, 15  # most decisions of a guided deal, and those in which most lessons come
PEOPLE = ("simple", "strong", "hasty", 1, 2, 3, 4, 5, 6)  # agents, by HASTE, and random seeds
MORE_PEOPLE = [(agent, seed) for seed in range(9) for agent in ("simple", "strong")]  # for lessons that are seldom due
SLIPS = 0.2  # of their moves are random
SOON = 15  # decisions within which the turns of a game are taught
HASTE = ("end ", "interrupt ", "play ")  # moves that a hasty person prefers

each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@pytest.fixture
def offered():
    return Opponents()


def chooser(game, person):
    """Return how `person` chooses: (view) -> action."""
    if isinstance(person, int):
        lot = random.Random(person)
        return lambda view: lot.choice(np.flatnonzero(view.mask).tolist())
    if isinstance(person, tuple):
        agent, lot = agents.load(person[0], game), random.Random(person[1])
        return lambda view: lot.choice(np.flatnonzero(view.mask).tolist()) if lot.random() < SLIPS else agent.act(view)
    if person != "hasty":
        agent = agents.load(person, game)
        return lambda view: int(agent.act(view))

    def hasty(view):
        legal = np.flatnonzero(view.mask).tolist()
        names = {action: game.words.action_name(action, "en") for action in legal}
        return min(legal, key=lambda one: next((n for n, verb in enumerate(HASTE) if names[one].startswith(verb)), 9))

    return hasty


def decisions(table, person):
    """Play a guided deal; yield before each decision of the person, and at the end."""
    bench, me, choose = Bench(table), table.opening.host, chooser(table.game, person)
    while not table.deal.over:
        seat = table.deal.seat
        if seat != me:
            table.play_agent(seat, table.version, bench.ask(seat, table.version))
            continue
        yield
        table.play(me, table.moment(me), int(choose(table.view(me))))
    yield


def opened(store, game, offered):
    return open_table(store, guided(game, offered, "Ana"))


@each_game
@pytest.mark.parametrize("person", ["simple", 1])
def test_guided_deal_teaches_in_both_languages(game, person, store, offered):
    table = opened(store, game, offered)
    texts = {guide.text["en"]: guide.text["es"] for guide in guide_of(game).lessons}
    shown = []
    for _ in decisions(table, person):
        en, es = (seen(table, table.opening.host, language)["guide"] for language in LANGUAGES)
        assert not en or texts[en] == es
        shown += [en] if en else []
    assert len(shown) == len(set(shown)) >= FEWEST
    assert table.deal.over
    assert shown[-1] == en


@each_game
def test_every_lesson_comes(game, store, offered):
    missing = set(range(len(guide_of(game).lessons)))
    for person in (*PEOPLE, *MORE_PEOPLE):
        if not missing:
            break
        table = opened(store, game, offered)
        for _ in decisions(table, person):
            pass
        lesson(table, table.opening.host, "en")
        missing -= {number for _, number in table.lessons}
    assert not missing


@pytest.mark.parametrize("person", ["simple", "strong"])
def test_estafado_soon_teaches_what_each_token_does(person, store, offered):
    table, shown = opened(store, ESTAFADO, offered), []
    for _ in itertools.islice(decisions(table, person), SOON):
        shown.append(lesson(table, table.opening.host, "en"))
    told = "\n".join(shown)
    for what in ("Now the Fox", "turned up a card", "Eagle must fly", "Crow slid", "Bear moves", "Vixen", "Sun goes"):
        assert what in told


def test_the_first_lesson_on_steps_names_the_vixen(store, offered):
    table = opened(store, ESTAFADO, offered)
    shown = [
        lesson(table, 0, language) for _ in itertools.islice(decisions(table, "simple"), 2) for language in LANGUAGES
    ]
    assert table.deal.plies[-1].seat == 0
    assert "The Vixen" in shown[2]
    assert "La Zorra" in shown[3]


@pytest.mark.parametrize("person", [*PEOPLE, *MORE_PEOPLE])
def test_the_last_lesson_of_estafado_names_the_ending(person, store, offered):
    table = opened(store, ESTAFADO, offered)
    for _ in decisions(table, person):
        pass
    ending, last = table.deal.log(0, "en", len(table.deal.plies))[-1], lesson(table, 0, "en")
    for who, what in (("Fox", ""), ("Crow", "Bear"), ("Crow", "Sun")):
        assert (f"The {who} wins: " in ending and what in ending) == (f"The {who} has won" in last and what in last)


@pytest.mark.parametrize("person", ["simple", "strong", 1, 2, ("simple", 0), ("simple", 1)])
def test_lessons_of_encierro_on_losses_come_at_once(person, store, offered):
    table, due = opened(store, ENCIERRO, offered), {}
    losses = [one for one in guide_of(ENCIERRO).lessons if one.told and not one.over]
    assert len(losses) == 2
    for _ in decisions(table, person):
        told = "\n".join(table.deal.log(0, "en", len(table.deal.plies)))
        shown = lesson(table, 0, "en")
        new = [one for one in losses if one.told.search(told) and one.text["en"] not in due]
        due |= {one.text["en"]: shown for one in new if not table.deal.over}
    assert all(text == shown for text, shown in due.items())


@pytest.mark.parametrize("person", ["simple", "strong", 1])
@pytest.mark.parametrize("game", [ENCIERRO, TORO], ids=lambda game: game.name)
def test_lessons_come_in_time_in_a_short_deal(game, person, store, offered):
    table = opened(store, game, offered)
    made = sum(1 for _ in decisions(table, person)) - 1
    lesson(table, table.opening.host, "en")
    played = [(number, one.action) for number, one in enumerate(table.deal.plies) if one.seat == table.opening.host]
    shown = {number: ply for ply, number in table.lessons if number >= 0}
    for number, one in enumerate(guide_of(game).lessons):
        plies = [ply for ply, action in played if one.move and one.move.search(game.words.action_name(action, "en"))]
        assert not plies or shown[number] <= plies[0], one.text["en"]
    assert made == len(played) <= SHORT
    early = sum(ply <= played[EARLY - 1][0] for ply in shown.values())
    assert early >= len(shown) / 2 >= FEWEST / 2


@pytest.mark.parametrize("person", ["simple", "strong", 1])
def test_erase_explains_the_pen_and_claims_in_time(person, store, offered):
    table, texts = opened(store, ERASE, offered), {"play": [], "claim": []}
    for _ in decisions(table, person):
        text = lesson(table, 0, "es")
        for verb, shown in texts.items():
            names = [ERASE.words.action_name(one, "en") for one in np.flatnonzero(table.view(0).mask).tolist()]
            shown += [text] if not table.deal.over and any(name.startswith(verb) for name in names) else []
    assert "escribe una frase sobre una de tus cartas" in texts["play"][0]
    assert "La lista de jugadas permite jugar cartas" in texts["play"][1]
    assert not texts["claim"] or "De 35 a 74" in texts["claim"][0]


def test_the_first_lesson_of_toro_tells_how_long_the_deal_is(store, offered):
    table = opened(store, TORO, offered)
    first, second, third = (lesson(table, 0, "es") for _ in itertools.islice(decisions(table, "simple"), 3))
    assert "cuatro rondas" in first
    assert "amapola" in second
    assert "uno tiene que quedar sin ficha" in third


def test_bandido_warns_before_material_can_be_spent(store, offered):
    table = opened(store, BANDIDO, offered)
    first, second = (lesson(table, 0, "es") for _ in itertools.islice(decisions(table, "strong"), 2))
    assert "Reúne pronto" in first
    assert "ya no se puede reunir" in second


@pytest.mark.parametrize("person", PEOPLE)
def test_bandido_comments_at_once_on_what_was_dug(person, store, offered):
    table = opened(store, BANDIDO, offered)
    for _ in decisions(table, person):
        pass
    lesson(table, 0, "en")
    shown = {number: ply for ply, number in table.lessons if number >= 0}
    for number, one in enumerate(guide_of(BANDIDO).lessons):
        if one.told and not one.over and number in shown:
            ply = shown[number]
            assert one.told.search("\n".join(table.deal.log(0, "en", ply)[len(table.deal.log(0, "en", ply - 1)) :]))


@each_game
def test_lessons_fit_and_differ(game):
    lessons = guide_of(game).lessons
    assert len(lessons) >= FEWEST
    for language in LANGUAGES:
        texts = [one.text[language] for one in lessons]
        assert len(set(texts)) == len(texts)
        assert not [text for text in texts if len(text) > LONGEST or text != text.strip()]
    assert [one.over for one in lessons] == sorted(one.over for one in lessons)  # the end comes last
    assert all("easy" in one.text["en"] and "fácil" in one.text["es"] for one in lessons if one.over)


@each_game
def test_lessons_are_equal_in_all_determinizations(game, store, offered):
    table, differed = opened(store, game, offered), 0
    me = table.opening.host
    sample = makers(game, game.setup(table.deal.states))
    for number, _ in enumerate(decisions(table, 2)):
        if table.deal.over or number % 4:
            continue
        twin = elsewhere(table, me, 0, sample[number % len(sample)], 1000 * number)
        twin.lessons = []
        differed += twin.deal.states.tobytes() != table.deal.states.tobytes()
        assert lesson(twin, me, "en") == lesson(table, me, "en")
        assert twin.lessons == table.lessons
    assert differed


def test_only_the_person_sees_lessons(store, offered):
    table = opened(store, TORO, offered)
    assert seen(table, 0)["guide"]
    assert not seen(table, PUBLIC)["guide"]
    assert not seen(table, 1)["guide"]


def test_lessons_are_the_same_after_a_restart(store, offered):
    table = opened(store, ERASE, offered)
    shown = [lesson(table, 0, "es") for _ in itertools.islice(decisions(table, 3), 12)]
    assert any(shown)
    again = Table(store, table.name)
    assert lesson(again, 0, "es") == lesson(table, 0, "es")
    assert again.lessons == table.lessons


def test_taking_back_shows_the_lesson_again(store, offered):
    table = opened(store, BANDIDO, offered)
    shown = [lesson(table, 0, "en") for _ in itertools.islice(decisions(table, "strong"), 3)]
    assert len(set(shown)) == 3
    table.request_take_back(0, table.moment(0))
    assert lesson(table, 0, "en") == shown[1]
    table.play(0, table.moment(0), int(table.view(0).mask.argmax()))
    assert lesson(table, 0, "en") not in shown[:2]


def test_pages_offer_a_guided_deal(tmp_path):
    tables = Tables(tmp_path)
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, headers={"origin": HOME}) as client:
        for language, offer in (("en", "Play a guided deal"), ("es", "Juega una partida guiada")):
            assert client.get(f"/?language={language}").text.count(offer) == len(GAMES)
            assert offer in client.get(f"/game/{ENCIERRO.name}?language={language}").text
        page = client.post("/tables?language=es", data={"game": ENCIERRO.name, "guided": "1"})
        assert 'id="guide"' in page.text
        table = tables.find(page.url.path.rsplit("/")[-1])[0].table
        assert table.opening.guided
        assert table.opening.seed == guide_of(ENCIERRO).seed
        assert {one.spec for one in table.opening.seated} == {"", guide_of(ENCIERRO).opponent} == {"", "simple"}
        assert 'id="guide"' not in client.get(f"/watch/{table.tokens[PUBLIC]}").text
        usual = client.post("/tables", data={"game": ENCIERRO.name, "quick": "1", "level": LEVEL})
        table = tables.find(usual.url.path.rsplit("/")[-1])[0].table
        assert not table.opening.guided
        assert {one.spec for one in table.opening.seated} == {"", levels(ENCIERRO)[LEVEL]}
        assert client.post("/tables", data={"game": ENCIERRO.name, "quick": "1", "level": "no"}).status_code == 400
