"""Pictures of *Corre el encierro*: contents, and secrets of seats (C11)."""

import itertools
import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest
from encierro_tables import table

import sobremesa
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.drawing import narrow
from sobremesa.envs.corre_el_encierro.drawing.cards import big_face, face
from sobremesa.envs.corre_el_encierro.drawing.pieces import SEAT_COLOURS

GAME = sobremesa.load("corre_el_encierro")
SEATS = list(GAME.seat_range)
TITLE = "{http://www.w3.org/2000/svg}title"


@cache
def deal(seats, seed):
    return [ply.states for ply in random_deal(GAME, seed, {"seats": seats})]


def find(seats, fits):
    """Return the first state of some random deals for which `fits(record)` holds."""
    for seed in range(60):
        for states in deal(seats, seed):
            if fits(states[0]):
                return states
    raise AssertionError("no random deal has such a state")


def titles(svg):
    return [one.text for one in ET.fromstring(svg).iter(TITLE)]


def words(svg):
    return " ".join(ET.fromstring(svg).itertext())


def is_bull(state):
    return not state.over and c.CHULIN <= state.card < c.FIRST_FALL and state.stage in (s.DEFEND, s.PAY)


@pytest.mark.parametrize("kind", range(c.NUM_CARDS))
def test_every_card_has_a_face(kind):
    for language, name in (("en", c.CARDS[kind].english), ("es", c.CARDS[kind].name)):
        for drawn in (face(kind, language), big_face(kind, language)):
            root = ET.fromstring(drawn)
            assert root[0].text == name
            assert " ".join(one.text for one in root.iter("text")).endswith(name)


@pytest.mark.parametrize("seats", SEATS)
def test_the_course_and_the_runners_are_shown(seats):
    svg = GAME.words.scene(deal(seats, 0)[0], None, "en")
    shown = titles(svg)
    for number, name in enumerate(c.LOCATION_NAMES, 1):
        assert f"{number} {name}" in shown
    for seat in range(seats):
        assert shown.count(str(seat + 1)) >= 2  # on the course and at his board
        assert SEAT_COLOURS[seat] in svg
        assert f"Runner {seat + 1}" in words(svg)
    assert str(seats + 1) not in shown
    assert [shown.count(f"{name} ✓") for name in c.ENGLISH_OBJECTS] == [seats] * 5


def test_closed_locations_are_closed_and_the_rest_open():
    states = find(5, lambda state: state.closed == 2 and not state.over)
    shown = titles(GAME.words.scene(states, None, "es"))
    for number, name in enumerate(c.LOCATION_NAMES, 1):
        assert (f"{number} {name}: cerrado" in shown) == (number <= 2)
        assert (f"{number} {name}" in shown) == (number > 2)


def test_lost_objects_are_the_last_ones():
    states = find(3, lambda state: not state.over and 1 < state.objects[0] < 5)
    kept = int(states["objects"][0, 0])
    shown = titles(GAME.words.scene(states, None, "en"))
    mine = [one for one in shown if one[-1] in "✓✗"][:5]
    assert mine == [f"{name} {'✓' if number < kept else '✗'}" for number, name in enumerate(c.ENGLISH_OBJECTS)]


def test_a_seat_sees_its_own_hand_and_backs_of_others():
    states = deal(3, 1)[0]
    state = states[0]
    for seat in range(3):
        shown = titles(GAME.words.scene(states, seat, "en"))
        for kind in range(c.NUM_HAND_CARDS):
            assert shown.count(c.CARDS[kind].english) == state.hand[seat, kind]
    shown = titles(GAME.words.scene(states, None, "en"))
    for kind in range(c.NUM_HAND_CARDS):
        assert shown.count(c.CARDS[kind].english) == state.hand[:, kind].sum()


def test_the_special_object_lies_open():
    states = find(3, lambda state: not state.over and state.special[1] != c.NO_CARD and state.hand_size[0] > 0)
    assert c.CARDS[int(states["special"][0, 1])].english in titles(GAME.words.scene(states, 0, "en"))


def test_a_stolen_card_is_marked_for_the_robbed_alone():
    states = find(
        3,
        lambda state: (
            not state.over
            and state.theft_kind[0] != c.NO_CARD
            and state.theft_kind[1] == c.NO_CARD
            and state.theft_hands[0] == 1 << int(state.theft_by[0])
        ),
    )
    robbed, name = int(states["theft_from"][0, 0]), c.CARDS[int(states["theft_kind"][0, 0])].english
    mark = f"{name}, stolen from you"
    for seat in (None, 0, 1, 2):
        assert (mark in titles(GAME.words.scene(states, seat, "en"))) == (seat == robbed)
    states["theft_hands"][0, 0] = 0b111 & ~(1 << robbed)  # now it may be in either hand
    assert mark not in titles(GAME.words.scene(states, robbed, "en"))


def test_known_cards_stay_marked_when_others_are_forgotten():
    states = deal(2, 0)[0].copy()
    states["hand"][0, 1] = 0
    states["hand"][0, 1, c.PERDIDOS], states["hand_size"][0, 1] = 2, 2
    for theft in range(2):
        states["theft_kind"][0, theft], states["theft_from"][0, theft] = c.PERDIDOS, 0
        states["theft_by"][0, theft], states["theft_hands"][0, theft] = 1, 0b10
    assert titles(GAME.words.scene(states, 0, "es")).count("Objetos perdidos, te la robaron") == 2


@pytest.mark.parametrize(
    ("status", "english", "spanish"),
    [
        (s.WARNED, "soon behind the barrier", "pronto tras la barrera"),
        (s.BEHIND, "behind the barrier", "tras la barrera"),
        (s.OUT, "out of the run", "fuera del encierro"),
    ],
)
def test_status_is_told_in_both_languages(status, english, spanish):
    states = find(4, lambda state: not state.over and (state.status[:4] == status).any())
    assert english in words(GAME.words.scene(states, 0, "en"))
    assert spanish in words(GAME.words.scene(states, 0, "es"))


def test_piles_show_counts_and_fade_drawn_bulls_and_falls():
    states = find(3, lambda state: not state.over and state.discards[c.CHULIN] > 0)
    svg = GAME.words.scene(states, 0, "en")
    texts = [one.text for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert str(int(states["pile_size"][0])) in texts
    assert str(int(states["discards"].sum())) in texts
    assert "Steers" in titles(svg)
    faded = re.findall(r'<title>([^<]*, [^<]*)</title><rect [^>]*/><g opacity="\.22">', svg)
    gone = [c.CARDS[kind].english for kind in range(c.CHULIN, c.NUM_CARDS) if states["discards"][0, kind]]
    assert faded == [f"{name}, out of the pile" for name in gone]
    left = [one for one in titles(svg) if one.endswith(", still in the pile")]
    assert len(left) == c.NUM_CARDS - c.CHULIN - len(gone)


def test_a_bull_from_the_pile_flies_at_the_runner_struck():
    states = find(3, lambda state: is_bull(state) and state.sender == s.NOBODY and state.queue[0] != s.NOBODY)
    state = states[0]
    for seat in (None, 0, 1, 2):
        svg = GAME.words.scene(states, seat, "en")
        name = c.CARDS[int(state.card)].english
        assert [one for one in titles(svg) if one.startswith(name)] == [name, f"{name}, out of the pile"]
        assert "encierro-tip" in svg
        assert "next in line" in svg
    bystander = next(seat for seat in range(3) if seat != int(state.seat))
    assert "struck!" in words(GAME.words.scene(states, bystander, "en"))
    assert "struck!" not in words(GAME.words.scene(states, int(state.seat), "en"))  # he is told what he is asked


def test_a_bull_sent_on_comes_from_its_sender():
    from_pile = find(5, lambda state: is_bull(state) and state.sender == s.NOBODY)
    sent = find(5, lambda state: is_bull(state) and state.sender != s.NOBODY)
    colour = SEAT_COLOURS[int(sent["sender"][0])]
    tail = f'fill="none" stroke="{colour}"'
    assert tail in GAME.words.scene(sent, None, "es")
    assert not any(f'fill="none" stroke="{one}"' in GAME.words.scene(from_pile, None, "es") for one in SEAT_COLOURS)


def test_the_cabestros_threaten_those_they_come_upon():
    states = find(5, lambda state: state.closing and state.stage == s.SAVE and not state.over)
    bystander = next(seat for seat in range(5) if seat != int(states["seat"][0]))
    written = words(GAME.words.scene(states, bystander, "en"))
    assert f"{c.LOCATION_NAMES[int(states['closed'][0]) - 1]} closes" in written
    assert "in danger!" in written
    assert "flee!" not in written
    assert "flee!" in words(GAME.words.scene(states, int(states["seat"][0]), "en"))


def test_the_winner_is_told():
    states = find(3, lambda state: state.over and state.ending == s.PLAZA)
    winner = int(states["winner"][0].argmax())
    assert int(states["place"][0, winner]) == c.LAST_LOCATION
    assert f"Runner {winner + 1} wins!" in words(GAME.words.scene(states, 0, "en"))
    assert f"¡Gana el corredor {winner + 1}!" in words(GAME.words.scene(states, None, "es"))


def test_shared_winners_are_all_told():
    states = deal(3, 0)[-1].copy()
    states["ending"], states["winner"], states["status"] = s.SWEPT, (1, 0, 1, 0, 0), s.OUT
    states["place"] = 0
    assert "Runners 1 and 3 win!" in words(GAME.words.scene(states, None, "en"))
    assert "¡Ganan los corredores 1 y 3!" in words(GAME.words.scene(states, None, "es"))


def test_c11_2_pictures_hide_questions_to_flee_discard_or_draw():
    states = find(5, lambda state: state.closing and state.stage == s.SAVE and not state.over)
    asked = int(states["seat"][0])
    bystander = next(seat for seat in range(5) if seat != asked)
    other = states.copy()
    for seat in range(5):
        if seat != bystander:
            other["seat"] = seat
            assert GAME.words.scene(other, bystander, "en") == GAME.words.scene(states, bystander, "en")


def test_c11_2_pictures_hide_questions_to_the_runner_hit():
    states = find(3, lambda state: state.stage == s.ANSWER and not state.over)
    bystander = next(seat for seat in range(3) if seat != int(states["seat"][0]))
    other = states.copy()
    other["stage"] = s.PAY
    assert GAME.words.scene(other, bystander, "en") == GAME.words.scene(states, bystander, "en")
    mine = int(states["seat"][0])
    assert GAME.words.scene(other, mine, "en") != GAME.words.scene(states, mine, "en")


def test_c11_1_other_hands_the_pile_and_memories_are_not_drawn():
    states = find(3, lambda state: state.stage == s.DISCARD and state.pile_size > 5 and state.hand_size.min() >= 0)
    other = states.copy()
    other["pile"][0] = other["pile"][0, ::-1]
    other["hand"][0, 1] = 0
    other["hand"][0, 1, c.PERDIDOS] = other["hand_size"][0, 1]
    for theft in range(s.MAX_THEFTS):
        if other["theft_from"][0, theft] != 0:
            other["theft_kind"][0, theft] = c.NO_CARD
    other["ply"], other["news_count"], other["turns"] = 0, 0, 0
    assert GAME.words.scene(other, 0, "es") == GAME.words.scene(states, 0, "es")


@pytest.mark.parametrize("held", [1, 3, 4, 5])
def test_a_special_object_in_play_lies_apart_from_the_hand(held):
    hand = ", ".join(["Avanzar tramo", "Recorte", "Acurrucado", "Zaldiko", "Chupete"][:held])
    states = table("3 4", hands=[hand, "Kilikis"], specials=["Zapatillas", None])
    shown = narrow.places(states[0], 0)
    gap = shown.hand[0][0] - shown.special[0] - shown.special[2]
    assert gap > 5
    for one, other in itertools.pairwise(shown.hand):
        assert 1 < other[0] - one[0] - one[2] < gap
    assert shown.hand[-1][0] + shown.hand[-1][2] <= narrow.WIDTH - 8
    for language, word in (("en", "laid"), ("es", "en juego")):
        assert f">{word}<" in GAME.words.narrow.scene(states, 0, language)
        assert f">{word}<" not in GAME.words.narrow.scene(states, 1, language)
