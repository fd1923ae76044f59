"""Tables without the web: rights of seats, stored events, and take-backs."""

import dataclasses
import os
import signal

import numpy as np
import pytest
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO
from serving import SEED, opening, play_on, seen

from sobremesa import agents
from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.deal import deal_between, random_deal
from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve.deal import Deal
from sobremesa.serve.frames import frame
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.seated import PERSON
from sobremesa.serve.store import Store, StoreError
from sobremesa.serve.table import Refused, Table, continued, open_table, turned
from sobremesa.serve.tables import Tables


def everything(table):
    return [frame(table, viewer, "en") for viewer in (PUBLIC, *range(table.deal.seats))]


def test_replay_of_a_table_is_verified(tmp_path):
    tables = Tables(tmp_path)
    table = play_on(tables.open(opening(ENCIERRO, people=2)))
    replay = replays.read(tables.keep(table))
    replays.verify(replay)
    assert replay.agents == ("person 0", "person 1", "simple")
    assert replay.seed == SEED
    over = seen(table, 0)["over"]
    assert over["seed"] == str(SEED)
    assert over["plies"] == len(replay.actions)
    tables.store.close()


def test_table_loaded_from_the_store_is_equal(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    for _ in range(4):
        play_on(table, plies=7)
        table.request_take_back(0, table.moment(0))
        table.agree(1, table.take_back.number, True)
        table.rename(1, "Ana")
        assert everything(Table(store, table.name)) == everything(table)


def test_repeated_message_plays_once(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    seat = table.deal.seat
    shown = seen(table, seat)
    (first, *_), (second, *_) = shown["actions"][:2]
    table.play(seat, shown["moment"], first)
    after = everything(table)
    table.play(seat, shown["moment"], first)  # said twice
    with pytest.raises(Refused, match="late"):
        table.play(seat, shown["moment"], second)  # another tab
    assert everything(table) == after
    assert len(table.deal.plies) == 1


def test_rejected_requests_change_nothing(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    seat, before = table.deal.seat, everything(table)
    forbidden = next(action for action in range(ESTAFADO.num_actions) if not table.deal.mask[action])
    for action in (forbidden, -1, ESTAFADO.num_actions, 2**70):
        with pytest.raises(Refused, match="illegal"):
            table.play(seat, 0, action)
    with pytest.raises(Refused, match="turn"):
        table.play(1 - seat, 0, 0)
    with pytest.raises(Refused, match="nothing"):
        table.request_take_back(seat, table.moment(seat))
    with pytest.raises(Refused, match="no wish"):
        table.agree(seat, 1, True)
    with pytest.raises(Refused, match="not over"):
        table.follow(lambda: "")
    assert everything(table) == before
    assert not store.opened(table.name)[2]


def test_take_back_needs_all_people(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    play_on(table, plies=5)
    states, seat = table.deal.states.tobytes(), table.deal.seat
    shown = seen(table, seat)
    table.play(seat, shown["moment"], shown["actions"][0][0])
    with pytest.raises(Refused, match="late"):  # for the decision that was just answered
        table.request_take_back(seat, shown["moment"])
    table.request_take_back(seat, table.moment(seat))
    assert seen(table, 1 - seat)["wish"] == {"number": 1, "seat": seat, "agreed": False}
    table.agree(1 - seat, 1, False)
    assert table.take_back is None
    table.request_take_back(seat, table.moment(seat))
    with pytest.raises(Refused, match="late"):  # for the request that was declined
        table.agree(1 - seat, 1, True)
    table.agree(1 - seat, 2, True)
    assert table.deal.states.tobytes() == states
    again = seen(table, seat)
    assert again["moment"] > shown["moment"]
    with pytest.raises(Refused, match="late"):  # what was sent before it was taken back
        table.play(seat, shown["moment"], shown["actions"][1][0])
    table.play(seat, again["moment"], again["actions"][1][0])


@pytest.mark.parametrize("game", [BANDIDO, ESTAFADO], ids=lambda game: game.name)
def test_deal_stores_only_states(game):
    plies = list(random_deal(game, SEED, {"seats": 2}))
    deal = Deal(game, {"seats": 2}, SEED)
    for ply in plies[:-1]:
        deal.play(ply.action)
        if deal.seat == 0:
            deal.back(len(deal.plies) - 1)
            deal.play(ply.action)
    kept = sum(part.nbytes for ply in deal.plies for part in ply if isinstance(part, np.ndarray))
    assert kept == game.state.itemsize * (len(plies) - 1)
    for one, other in zip(deal.whole(), plies, strict=True):
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


def test_take_back_against_agents_is_immediate(store):
    table = open_table(store, opening(TORO, people=1))
    play_on(table, plies=8)
    own = max(number for number, ply in enumerate(table.deal.plies) if ply.seat == 0)
    table.request_take_back(0, table.moment(0))
    assert len(table.deal.plies) == own
    assert table.to_act(0)


def test_next_deal_is_the_same_with_rotated_seats(store):
    table = play_on(open_table(store, opening(ENCIERRO, people=2)))
    name = table.follow(lambda: open_table(store, turned(table.opening, table.players)).name)
    assert table.follow(lambda: pytest.fail("it is opened once")) == name
    after = Table(store, name)
    assert after.names("en") == ["simple", "person 0", "person 1"]
    assert after.opening.host == 1
    first = [deal.plies[0].states if deal.plies else deal.states for deal in (table.deal, after.deal)]
    assert first[0].tobytes() == first[1].tobytes()
    assert seen(table, 0)["over"]["next"] == f"/seat/{after.tokens[1]}"
    assert seen(table, PUBLIC)["over"]["next"] == f"/watch/{after.tokens[PUBLIC]}"
    assert Table(store, table.name).next_links == table.next_links


def test_deal_continues_from_a_ply(store):
    table = play_on(open_table(store, opening(TORO, people=2, max_rounds=1)))
    fair = Opponents().fair(TORO)
    agent = opening(TORO, people=0, agent=fair).seated[0]
    opened = continued(table.opening, table.deal.plies[:6], 0, "", {1: agent})
    after = open_table(store, opened)
    assert after.deal.states.tobytes() == table.deal.plies[6].states.tobytes()
    assert [one.kind for one in after.opening.seated] == [PERSON, "agent"]
    with pytest.raises(Refused, match="nothing"):  # what was played before is not taken back
        after.request_take_back(0, after.moment(0))
    replays.verify(play_on(after).deal.replay(after.agents))


def test_renaming_does_not_interrupt_an_agent(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    version = table.version
    table.rename(0, "Ana")
    assert table.version == version
    table.play_agent(table.deal.seat, version, int(table.deal.mask.nonzero()[0][0]))
    assert table.version > version


def test_agent_forgets_finished_decisions(store, monkeypatch):
    class Keeping:
        name, kept = "keeping", []

        def act(self, view):
            self.kept.append(int(view.stream["seed"][0]))
            return int(view.mask.nonzero()[0][0])

        def forget(self, seeds):
            for seed in seeds:
                self.kept.remove(seed)

    monkeypatch.setattr("sobremesa.agents.load", lambda spec, game=None: Keeping())
    play_on(open_table(store, opening(TORO, people=0, max_rounds=1)), plies=5)
    assert not Keeping.kept


def test_missing_end_event_is_stored_on_load(store, monkeypatch):
    table = open_table(store, opening(TORO, people=1, max_rounds=1))
    keep = Table._record
    monkeypatch.setattr(Table, "_record", lambda self, event: event.kind == "over" or keep(self, event))
    play_on(table)
    assert len(store.running()) == 1
    monkeypatch.undo()
    assert Table(store, table.name).deal.over
    assert len(store.running()) == 0
    assert Table(store, table.name).deal.over


def test_event_number_is_unique(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    other = Table(store, table.name)  # as another server would have it
    play_on(table, plies=1)
    with pytest.raises(StoreError, match="already has event 0"):
        play_on(other, plies=1)
    assert not other.deal.plies
    assert len(store.opened(table.name)[2]) == 1


def test_table_with_other_rules_is_rejected(store, monkeypatch):
    table = open_table(store, opening(ESTAFADO, people=2))
    monkeypatch.setattr("sobremesa.serve.table.rules_hash", lambda game: "others")
    with pytest.raises(Refused, match="rules"):
        Table(store, table.name)


def test_names_are_short_and_printable(store):
    table = open_table(store, opening(ESTAFADO, people=2))
    table.rename(0, "  <b>Ana</b>\n\x1b[31m " + "x" * 100)
    assert table.names("en")[0] == "<b>Ana</b>[31m xxxxxxxxx"[:24]
    table.rename(0, " \n ")
    assert table.names("en")[0] == "person 0"


def test_finished_deal_keeps_its_names(store):
    table = play_on(open_table(store, opening(TORO, people=2, max_rounds=1)))
    with pytest.raises(Refused, match="over"):
        table.rename(0, "Ana")
    assert table.names("en")[0] == "person 0"


def test_every_seat_needs_a_player(store):
    opened = dataclasses.replace(opening(ENCIERRO, people=2, seats=2), setup={"seats": 3})
    with pytest.raises(ValueError, match="2 players for a table of 3 seats"):
        open_table(store, opened)


def test_killed_server_loses_no_moves(tmp_path):
    file, told = tmp_path / "tables.sqlite", tmp_path / "told"
    child = os.fork()
    if child == 0:
        table = play_on(open_table(Store(file), opening(ESTAFADO, people=2)), plies=9)
        told.write_text(f"{table.name} {table.deal.states.tobytes().hex()}")
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    name, states = told.read_text().split()
    store = Store(file)
    table = Table(store, name)
    assert table.deal.states.tobytes().hex() == states
    play_on(table, plies=3)
    assert [event.kind for event in store.opened(name)[2]] == ["play"] * 12
    store.close()


def test_teller_with_empty_hand_can_point_at_ending(store):
    """A teller whose cards are all played points at the ending."""
    strong = agents.load("strong", ERASE)
    plies = deal_between(ERASE, [strong] * 3, 1)
    found = [ply for ply in plies if ply.seat >= 0 and not (ply.states["where"][0] == ply.seat).any()]
    table = open_table(store, opening(ERASE, people=3))
    table.deal.states, table.deal.seat = found[-1].states, found[-1].seat
    shown = seen(table, found[-1].seat)
    assert {action for action, *_ in shown["actions"]} == set(found[-1].mask.nonzero()[0].tolist())
    assert 'class="point"' in shown["scene"]
