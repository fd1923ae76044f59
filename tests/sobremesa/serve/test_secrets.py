"""Clients receive only the information of their seat; deliberate leaks are caught."""

import importlib
import json
import random

import pytest
from leaks import Leaked, elsewhere, fuzz, main, makers
from rooms import ENCIERRO, ERASE, ESTAFADO, TORO
from scale import COMPILED_ONLY
from serving import HOME, LONG, SEED, opening, play_on
from starlette.testclient import TestClient

from sobremesa import envs
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.testing import secrets
from sobremesa.serve import deal as deals, frames, wire, words
from sobremesa.serve.app import make_app
from sobremesa.serve.frames import frame
from sobremesa.serve.table import Table, open_table
from sobremesa.serve.tables import Tables

GAMES = [envs.load(name) for name in envs.games()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_frames_are_equal_in_all_determinizations(game, store):
    look = fuzz(game, store, 2, every=30, plies=90)
    assert look.frames
    assert look.differed


@pytest.mark.thorough
@COMPILED_ONLY
def test_frames_of_many_deals_are_the_same():
    tally = main(500, every=60, first=10_000)
    assert tally["frames"] > 5_000
    assert tally["differed"] > tally["frames"] / 8


def test_nothing_is_sent_but_frames_and_refusals(tmp_path, monkeypatch):
    sent, made, lot = [], set(), random.Random(5)
    send = wire.Wire._send

    async def noted(self, content):
        sent.append((self._seat, content))
        await send(self, content)

    def framed(table, seat, language, narrow):
        content = frame(table, seat, language, narrow)
        made.add((seat, content))
        return content

    monkeypatch.setattr(wire.Wire, "_send", noted)
    monkeypatch.setattr(wire, "frame", framed)
    tables = Tables(tmp_path)
    table = tables.open(opening(ENCIERRO, people=3))
    refusals = {words.REFUSALS["en"][kind] for kind in ("late", "turn", "illegal", "message", "no wish")}
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        address = f"{HOME.replace('http', 'ws')}/wire/{table.tokens[0]}?language=en"
        with client.websocket_connect(address, headers={"origin": HOME}) as socket:
            shown = socket.receive_json()
            for _ in range(12):
                agree = {"do": "agree", "wish": 1, "yes": True}
                wrong = ({"do": "play", "moment": lot.randrange(5), "action": -1}, agree, {})
                socket.send_json(lot.choice(wrong))
                socket.receive_json()
                play_on(table, plies=1)
                socket.send_json({"do": "name", "name": f"Ana {lot.random()}"})
                shown = socket.receive_json()
    assert shown["what"] == "frame"
    for seat, content in sent:
        assert (seat, content) in made or json.loads(content)["why"] in refusals
    assert str(table.opening.seed) not in repr(sent)


WRONG = (
    "[", '{"do":"play","moment":0,"action":-1}', '{"do":"play","moment":900,"action":0}',
    '{"do":"agree","wish":1,"yes":true}', '{"do":"seed"}',
)  # fmt: skip


def said(client, table, seat, hint=False):
    """Return all that whoever has the link of `seat` can be sent before the end, each byte of it."""
    place, answers = f"/{'watch' if seat == PUBLIC else 'seat'}/{table.tokens[seat]}", []
    whats = [("GET", one) for one in ("", "/replay.json", "/film", "/course.json", "/costly.json")]
    for method, what in [*whats, ("POST", "/next"), ("POST", "/again"), ("HEAD", ""), ("PUT", "")]:
        for language in LANGUAGES:
            answer = client.request(method, f"{place}{what}?language={language}", headers={"origin": HOME})
            answers.append((method, what, answer.status_code, answer.headers.multi_items(), answer.content))
    address = f"{HOME.replace('http', 'ws')}/wire/{table.tokens[seat]}"
    for query in ("language=en", "language=es&narrow=1"):
        with client.websocket_connect(f"{address}?{query}", headers={"origin": HOME}) as socket:
            answers.append(socket.receive_text())
            for message in (*WRONG, *(['{"do":"hint"}'] if hint else [])):
                socket.send_text(message)
                answers.append(socket.receive_text())
    return answers


def in_other_worlds(game, tables, hint=False):
    """Yield what each client is sent here and in another world that its seat holds possible."""
    table = play_on(tables.open(opening(game, people=game.default_seats)), plies=15)
    sample = makers(game, game.setup(table.deal.states))[0]
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        for seat in range(table.deal.seats):
            for viewer in (seat, PUBLIC):
                here = said(client, table, viewer, hint)
                seating, _ = tables.find(table.tokens[viewer])
                seating.table = elsewhere(table, seat, 0, sample, 5)
                tables.hints._kept.clear()
                there = said(client, table, viewer, hint)
                tables.hints._kept.clear()
                seating.table = table
                yield here, there


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_answer_is_the_same_in_other_worlds(game, tmp_path):
    for here, there in in_other_worlds(game, Tables(tmp_path)):
        assert here == there
        assert str(SEED) not in repr(here)


def test_hints_are_equal_in_all_determinizations(tmp_path, monkeypatch):
    monkeypatch.setattr(wire, "HINT", "search(simple, worlds=16, actions=2)")
    both = list(in_other_worlds(TORO, Tables(tmp_path / "fair"), hint=True))
    assert all(here == there for here, there in both)
    assert any('"what":"hint"' in one for here, _ in both for one in here if isinstance(one, str))
    monkeypatch.setattr(
        wire,
        "_think",
        lambda seating, *_: json.dumps({"en": seating.table.deal.states.tobytes().hex(), "es": []}).encode(),
    )
    assert any(here != there for here, there in in_other_worlds(TORO, Tables(tmp_path / "leaky"), hint=True))


@pytest.mark.parametrize("game", [ENCIERRO, ERASE], ids=lambda game: game.name)
def test_take_back_removed_by_secret_move_is_caught(game, store, monkeypatch):
    def happen(table, event):
        happened(table, event)
        if event.kind == "play":
            table.take_back = None

    happened = Table._apply
    monkeypatch.setattr(Table, "_apply", happen)
    with pytest.raises(Leaked, match="another seat decided"):
        [fuzz(game, store, number, every=10_000) for number in range(20)]


def test_a_picture_of_the_true_table_is_caught(store):
    def leak(table, viewer, language):
        return table.game.words.scene(table.deal.states, None, language).encode()

    with pytest.raises(Leaked, match="seat"):
        fuzz(ESTAFADO, store, 1, every=10, show=leak)


def test_a_story_told_whole_is_caught(store, monkeypatch):
    def whole(words, ply, after, viewer, language):
        return words.tell(ply.states, ply.action, after, None, language)

    monkeypatch.setattr(deals, "sentences", whole)
    with pytest.raises(Leaked, match="seat"):
        [fuzz(ENCIERRO, store, number, every=3) for number in range(10)]


def test_an_open_scene_of_the_view_shows_nothing_true(store, monkeypatch):
    """Pictures are drawn from the guess that follows from the view: even one that shows everything is no leak."""
    scene = TORO.words.scene
    monkeypatch.setattr(
        frames, "pointable_scene", lambda game, states, seat, language, narrow: scene(states, None, language)
    )
    assert fuzz(TORO, store, 1, every=20).differed


@pytest.mark.parametrize("game", [ESTAFADO, TORO], ids=lambda game: game.name)
def test_onlooker_frame_with_seat_picture_is_caught(game, store, monkeypatch):
    table = play_on(open_table(store, opening(game, people=2)), plies=12)
    shown = json.loads(frame(table, PUBLIC, "en"))
    assert "</svg>" in shown["scene"]
    assert shown["text"]
    assert not shown["actions"]
    draw = frames.pointable_scene
    monkeypatch.setattr(
        frames,
        "pointable_scene",
        lambda game, states, seat, *rest, **named: draw(game, states, max(seat, 0), *rest, **named),
    )
    with pytest.raises(Leaked, match="onlookers, in a world of"):  # not every table has a secret that a picture shows
        [fuzz(game, store, number, every=3) for number in range(20)]


@pytest.mark.parametrize(
    ("game", "broken", "knows"),
    [
        (
            ESTAFADO,
            "estafado.drawing.scene",
            lambda state, cell, viewer: bool(state.known[viewer, cell]),
        ),
        (ESTAFADO, "estafado.text.table", lambda state, cell, viewer: bool(state.known[:, cell].any())),
        (TORO, "ese_toro_enamorado.drawing.scene", lambda state, viewer, node: True),
    ],
    ids=["a picture of the last seat", "a text of what either knows", "a picture of all"],
)
def test_public_view_with_private_information_is_caught(game, broken, knows, monkeypatch):
    shown = {name: view for name, view in secrets.views(game).items() if name.startswith("public") and "(en)" in name}
    monkeypatch.setattr(importlib.import_module(f"sobremesa.envs.{broken}"), "knows", knows)
    with pytest.raises(secrets.SecretLeaked, match="public"):
        secrets.check_secrets(game, deals=1, every=7, shown=shown)


def test_public_state_resamples_private_information(store):
    table = play_on(open_table(store, opening(TORO, people=2)), plies=3)
    hands = [play_on(table, plies=1).public_state()["hand"][0].tolist() for _ in range(12)]
    true = [table.deal.at(ply)["hand"][0].tolist() for ply in range(4, 16)]
    assert hands != true
    assert table.public_state().tobytes() == table.public_state().tobytes()


def test_onlookers_of_secret_turns_get_an_explanation(tmp_path):
    tables = Tables(tmp_path)
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        for game, why in (
            (ERASE, "Turns are secret in this game"),
            (ESTAFADO, "you see the information that all players share"),
        ):
            table = tables.open(opening(game, people=2))
            assert why in client.get(f"/watch/{table.tokens[PUBLIC]}?language=en").text
            assert bool(json.loads(frame(table, PUBLIC, "en"))["scene"]) == game.words.public


def test_a_seed_in_a_frame_is_caught(store):
    def leak(table, viewer, language):
        return json.dumps({**json.loads(frame(table, viewer, language)), "from": table.opening.seed}).encode()

    with pytest.raises(Leaked, match="seed"):
        fuzz(TORO, store, 1, every=3, show=leak)


def test_who_could_react_is_caught_where_it_is_told(store, monkeypatch):
    """Were seats shown what happens ply by ply, who was asked in between could be counted."""

    def changes(table):
        """Return how often the frame of a seat that was not asked changed while it waited."""
        count = 0
        for _ in range(16):
            before = {seat: frame(table, seat, "en") for seat in range(3) if not table.to_act(seat)}
            play_on(table, plies=1)
            count += sum(frame(table, seat, "en") != shown for seat, shown in before.items() if table.deal.seat != seat)
        return count

    assert changes(open_table(store, opening(ERASE, people=3))) == 0
    monkeypatch.setattr(Table, "shown", lambda table, viewer: len(table.deal.plies))
    assert changes(open_table(store, opening(ERASE, people=3))) > 0


def test_onlookers_receive_only_common_log_lines(store):
    table = play_on(open_table(store, opening(ENCIERRO, people=2)), plies=40)
    public = table.deal.log(PUBLIC, "en", 40)
    assert public
    for seat in range(3):
        assert set(public) <= set(table.deal.log(seat, "en", 40))
    told = [set(table.deal.log(seat, "en", 40)) for seat in range(3)]
    assert any(one - set(public) for one in told)  # there were secrets
