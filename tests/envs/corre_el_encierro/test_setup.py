"""The cards and the setup of *Corre el encierro*; C, H and O numbers refer to its RULES.md."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from encierro_tables import GAME, NAMES, SHOWN, asked, choices, dealt, hand, in_discards, objects, places, special, view
from scale import LONG_IN_PLAIN, scaled

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.corre_el_encierro import cards
from sobremesa.envs.corre_el_encierro.state import count_cards

pytestmark = pytest.mark.kernels

HERE = Path(__file__).parent
RULES = (HERE.parents[2] / "envs" / "corre_el_encierro" / "RULES.md").read_text(encoding="utf-8")
SEATS = (2, 3, 4, 5)
every_table = pytest.mark.parametrize("seats", SEATS)
every_setup = pytest.mark.parametrize("setup", setups(GAME), ids=str)

# As the rules page has them: the number of each card in the standard deck.
STANDARD = {
    **dict.fromkeys(("Chulín", "Tornasol", "Manchado", "Perdigón", "Bravucón", "Hurón"), 1),
    **dict.fromkeys(("Selfie", "Entre Pintxos", "Pobre de ti"), 1),
    **dict.fromkeys(("Recorte", "Olé maestro", "Santo Patrón", "Acurrucado"), 1),
    "Toro volteado": 2,
    **dict.fromkeys(("El baile de los gigantes", "Zaldiko", "Desayuno de campeones"), 1),
    **dict.fromkeys(("Ernest Hemingway", "Encierro Txiki"), 1),
    **dict.fromkeys(("Tu minuto de gloria", "Por mirón", "Consejo de veterano"), 1),
    "Kilikis": 1,
    **dict.fromkeys(("Línea roja", "Chupete", "Garrotazo"), 1),
    "El Pillo": 2,
    "Desde la barrera": 2,
    "Otra vez será": 3,
    "Avanzar tramo": 7,
    "La carrera de tu vida": 2,
    "Intercambio": 2,
    "Objetos perdidos": 3,
    "Capote": 2,
    "Líquido de agarre": 2,
    "Zapatillas": 2,
}
CONFLICT = STANDARD | {"Kilikis": 2, "Desde la barrera": 1}
SPECIALS = ("Capote", "Líquido de agarre", "Zapatillas")
DECKS = {"standard": STANDARD, "conflict": CONFLICT}
every_deck = pytest.mark.parametrize("deck", DECKS)


def in_play(states):
    """Return the number of cards of each name at a table, in all places."""
    return {name: int(count) for name, count in zip(NAMES, count_cards(states[0]), strict=True)}


# C1: the cards


def test_c1_1_there_are_92_cards():
    assert 5 + cards.NUM_OBJECTS * cards.MAX_SEATS + cards.DECK_SIZE + 1 + cards.NUM_LOCATIONS == 92


@every_deck
def test_c1_2_the_draw_deck_has_54_cards(deck):
    states = dealt(1, deck=deck)
    assert sum(in_play(states).values()) == cards.DECK_SIZE == 54
    assert sum(count for name, count in in_play(states).items() if name in SPECIALS) == 6


@every_deck
def test_c1_3_the_deck_is_composed_as_published(deck):
    assert in_play(dealt(1, deck=deck)) == DECKS[deck]


def test_c1_3_six_bulls_and_three_falls_must_be_shown():
    assert SHOWN[:6] == ["Chulín", "Tornasol", "Manchado", "Perdigón", "Bravucón", "Hurón"]
    assert SHOWN[6:] == ["Selfie", "Entre Pintxos", "Pobre de ti"]


def test_h1_what_the_rulebook_counts_is_marked_as_stated():
    marks = {card.name: card.number for card in cards.CARDS}
    assert set(marks.values()) == {"stated", "chosen"}
    assert [name for name, mark in marks.items() if mark == "stated"] == ["Avanzar tramo"]


def test_h1_chosen_numbers_agree_with_the_rulebook():
    for deck in DECKS.values():
        assert deck["Avanzar tramo"] == 7
        assert deck["Toro volteado"] >= 2  # one may answer another
        assert deck["Objetos perdidos"] >= 2  # the rulebook speaks of several
        assert sum(count for name, count in deck.items() if name not in SPECIALS) == 48
        assert min(deck.values()) >= 1


def test_h1_the_published_table_is_the_one_that_is_played():
    published = {}
    for names, standard, conflict, mark in re.findall(r"\| (.+) \| (\d) \| (\d) \| (stated|chosen) \|", RULES):
        published |= {name: ((int(standard), int(conflict)), mark) for name in names.split(", ")}
    assert published == {card.name: (card.copies, card.number) for card in cards.CARDS}


def test_every_clause_has_a_test_named_for_it():
    clauses = re.findall(r"\*\*C(\d+)\.(\d+)\*\*", RULES)
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(HERE.glob("test_*.py")))
    named = set(re.findall(r"_c(\d+)_(\d+)_", " ".join(re.findall(r"def (test\w+)", text))))
    assert clauses
    assert [clause for clause in clauses if clause not in named] == []


def test_o1_the_conflict_deck_has_a_kilikis_for_a_barrera():
    changed = {name for name in NAMES if STANDARD[name] != CONFLICT[name]}
    assert changed == {"Kilikis", "Desde la barrera"}
    assert in_play(dealt(3, seats=4, deck="conflict"))["Kilikis"] == 2


# C2: setting up


@every_table
def test_c2_1_all_begin_on_the_first_location_with_five_objects(seats):
    states = dealt(7, seats=seats)
    assert places(states) == [1] * seats
    assert objects(states) == [5] * seats
    assert [special(states, seat) for seat in range(seats)] == [None] * seats
    assert states[0].closed == 0
    assert cards.LOCATION_NAMES[0] == "Cuesta de Santo Domingo"
    assert cards.LOCATION_NAMES[6] == "Plaza de Toros"
    assert len(cards.LOCATION_NAMES) == 7
    assert cards.OBJECT_NAMES == ("Ropa básica", "Pañuelico", "Faja", "Boina", "Periódico enroscado")


@every_table
@every_deck
def test_c2_2_five_cards_each_none_of_which_must_be_shown(seats, deck):
    for seed in range(scaled(50)):
        states = dealt(seed, seats=seats, deck=deck)
        for seat in range(seats):
            assert len(hand(states, seat)) == states[0].hand_size[seat] == 5
            assert not set(hand(states, seat)) & set(SHOWN)


def test_c2_2_every_card_is_dealt_as_often_as_any_other():
    deals, dealt_cards = scaled(1500), Counter()
    for seed in range(deals):
        states = dealt(seed, seats=5)
        dealt_cards.update(name for seat in range(5) for name in hand(states, seat))
    copies = np.array([STANDARD[name] for name in NAMES[: cards.NUM_HAND_CARDS]])
    expected = 25 / 45 * copies * deals
    seen = np.array([dealt_cards[name] for name in NAMES[: cards.NUM_HAND_CARDS]])
    assert (abs(seen - expected) < 5 * np.sqrt(expected)).all()


@every_table
def test_c2_3_the_rest_is_the_pile_with_all_that_must_be_shown(seats):
    states = dealt(11, seats=seats)
    size = int(states[0].pile_size)
    assert size == 54 - 5 * seats
    pile = [NAMES[card] for card in states[0].pile[:size]]
    assert sorted(name for name in pile if name in SHOWN) == sorted(SHOWN)
    assert not states[0].discards.any()


def test_c2_3_what_must_be_shown_may_lie_anywhere_in_the_pile():
    deals, size = scaled(1500), 54 - 10
    places_of = np.zeros(size)
    for seed in range(deals):
        pile = dealt(seed, seats=2)[0].pile[:size]
        places_of += pile >= cards.CHULIN
    expected = 9 / size * deals
    assert (abs(places_of - expected) < 5 * np.sqrt(expected)).all()


def test_c2_4_turns_go_clockwise():
    for deal in range(scaled(20)):
        first = None
        for states, *_ in random_deal(GAME, deal, {"seats": 5}):
            if states[0].status.any():  # warned or out: not everybody has his turn
                break
            first = int(states[0].turn) if first is None else first
            assert states[0].turn == (first + states[0].turns - 1) % 5  # some turns pass without a choice


@every_table
def test_c2_5_the_first_runner_is_random(seats):
    deals = scaled(1000)
    counts = np.zeros(seats)
    for seed in range(deals):
        states = dealt(seed, seats=seats)
        assert states[0].seat == states[0].turn
        counts[states[0].turn] += 1
    expected = deals / seats
    assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()


@every_table
def test_c2_5_the_first_runner_is_asked_and_has_a_choice(seats):
    for seed in range(scaled(50)):
        states = dealt(seed, seats=seats)
        seat, question = asked(states)
        assert question in ("play", "discard")  # H2: who has nothing to play is not asked what to play
        assert len(choices(states)) > 1
        assert view(states, seat)["asked"].sum() == 1


# What holds at every ply


@LONG_IN_PLAIN
@every_setup
def test_c1_2_no_card_is_ever_lost_or_made(setup):
    for deal in range(scaled(8)):
        for states, *_ in random_deal(GAME, deal, setup):
            assert state_problems(GAME, states) == []
            assert in_play(states) == DECKS.get(setup.get("deck"), STANDARD)


@every_setup
def test_c2_2_what_must_be_shown_is_in_no_hand_ever(setup):
    for deal in range(scaled(20)):
        for states, *_ in random_deal(GAME, deal, setup):
            one = states[0]
            shown = np.bincount(one.pile[: one.pile_size], minlength=len(NAMES)) + one.discards
            resolved = [NAMES[one.card]] if one.card < cards.NO_CARD else []
            for name in SHOWN:
                assert shown[NAMES.index(name)] + resolved.count(name) == 1


@every_setup
def test_c3_4_and_c6_4_no_hand_is_ever_larger_than_five(setup):
    for deal in range(scaled(20)):
        for states, *_ in random_deal(GAME, deal, setup):
            assert (states[0].hand.sum(axis=1) == states[0].hand_size).all()
            assert (states[0].hand_size <= 5).all()


def test_c10_4_at_the_end_of_a_deal_the_runners_out_hold_nothing():
    for deal in range(scaled(40)):
        *_, last = random_deal(GAME, deal, {"seats": 5})
        for seat in range(5):
            if last.states[0].status[seat] == 3:
                assert hand(last.states, seat) == []
                assert special(last.states, seat) is None
        assert in_discards(last.states, "Avanzar tramo") <= 7
