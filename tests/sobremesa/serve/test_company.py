"""A deal of *Érase una vez* of several people and computers over the wire: hands, the tale, protests and votes."""

import contextlib
import time

import numpy as np
import pytest
from erase_tables import action
from rooms import ERASE
from serving import heard, opening, play_on, seen, sitting

from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.core.sayings import words_of
from sobremesa.envs.erase_una_vez.state import A_NO, A_PROTEST, A_YES
from sobremesa.envs.erase_una_vez.text.words import marked
from sobremesa.serve.frames import frame
from sobremesa.serve.table import open_table

WOOD, AGAIN = "Una princesa muy alegre se perdió en el bosque.", "Siguió el bosque."
NOTHING = action("nothing")


def choice(table, seat, shown, socket):
    """Return the request of a person: the wood again and again, a protest by seats 1 and 2 alone, and votes for it."""
    legal, request = [one for one, *_ in shown["actions"]], {"do": "play", "moment": shown["moment"]}
    if shown["words"]:
        request["text"] = AGAIN if table.deal.sayings() else WOOD
        socket.send_json(request | {"do": "hear"})
        if offers := heard(socket, "heard")["offers"]:
            return request | {"do": "tell", "action": offers[0][0]}
    wanted = [*([A_PROTEST] if seat in (1, 2) else []), A_YES, NOTHING, legal[0]]
    return {"do": "play", "moment": shown["moment"], "action": next(one for one in wanted if one in legal)}


def check(table, seat, shown):
    """Compare the frame of a person who is to act with the deal."""
    hand = np.flatnonzero(table.deal.states["where"][0] == seat)
    text = " ".join(shown["text"].split())
    assert all(marked(card, "es") in text for card in hand)
    if shown["words"]:
        assert {name for _, name in shown["cards"]} == {marked(card, "es").rstrip("*") for card in hand}
    words = words_of(ERASE, table.deal.sayings())
    assert shown["tale"] == [[one.seat, one.text] for one in words.paragraphs(table.deal.states, "es")]


def play(client, table, people):
    """Play a deal over the wire until a protest has been voted on."""
    with contextlib.ExitStack() as stack:
        places = [stack.enter_context(sitting(client, table, seat, "es")) for seat in range(people)]
        sockets, shown = [socket for socket, _ in places], [first for _, first in places]
        while not table.deal.over and not any(ply.action in (A_YES, A_NO) for ply in table.deal.plies[:-people]):
            seat = table.deal.seat
            if seat >= people:
                time.sleep(0.005)  # a computer moves
                continue
            while not shown[seat]["mine"] or shown[seat]["moment"] != table.moment(seat):
                shown[seat] = heard(sockets[seat])
            check(table, seat, shown[seat])
            moment = shown[seat]["moment"]
            sockets[seat].send_json(choice(table, seat, shown[seat], sockets[seat]))
            while not shown[seat]["over"] and shown[seat]["moment"] == moment:
                shown[seat] = heard(sockets[seat])


@pytest.mark.parametrize(("seats", "people"), [(5, 4), (6, 5)])
def test_several_people_tell_protest_and_vote(client, tables, seats, people):
    setup = {"telling": "words", "begins": "seat 0", "max_sentences": 12}
    table = tables.open(opening(ERASE, people=people, seats=seats, **setup))
    play(client, table, people)
    by = {wanted: {ply.seat for ply in table.deal.plies if ply.action == wanted} for wanted in (A_PROTEST, A_YES)}
    assert {1, 2} <= by[A_PROTEST]
    assert set(range(3, people)) <= by[A_YES]
    assert 0 not in by[A_PROTEST] | by[A_YES]
    play_on(table)
    first, *others = [seen(table, viewer, "es")["tale"] for viewer in (PUBLIC, *range(seats))]
    assert first
    assert all(tale == first for tale in others)


@pytest.mark.parametrize(("seats", "people"), [(5, 3), (6, 4)])
def test_each_of_several_people_sees_its_own_hand_alone(store, seats, people):
    table = open_table(store, opening(ERASE, people=people, seats=seats, telling="words"))
    play_on(table, plies=25)
    before = {seat: frame(table, seat, "es") for seat in range(people)}
    true = table.deal.states.copy()
    for seat in range(people):
        for world in range(4):
            table.deal.states = true.copy()
            ERASE.redeal(table.deal.states[0], seat, world)
            assert (table.deal.states["where"] != true["where"]).any()
            assert frame(table, seat, "es") == before[seat]
