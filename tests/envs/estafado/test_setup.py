"""The cards, the setup and the invariants of *Estafado*; C, H and O numbers as in its RULES.md."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from estafado_tables import (
    CROW,
    FOX,
    GAME,
    NAMES,
    at,
    card,
    choices,
    dealt,
    discarded,
    face_up,
    held,
    kind,
    known,
    play,
    space,
    states_of,
    table,
    targets,
    view,
)
from scale import LONG_IN_PLAIN, scaled

from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.estafado import cards
from sobremesa.envs.estafado.state import is_complete

pytestmark = pytest.mark.kernels

HERE = Path(__file__).parent
RULES = (HERE.parents[2] / "envs" / "estafado" / "RULES.md").read_text(encoding="utf-8")
every_setup = pytest.mark.parametrize("setup", setups(GAME), ids=str)

# As the rules page has them: how many of each card, and what they do.
RABBITS = {"Rabbit #0": 1, "Rabbit #1": 1, "Rabbit #2": 1}
FOREST = {
    "Hurricane": 1, "Coyote": 1, "Mosquito": 2, "Yellow Jacket": 1, "Vegetation": 2, "Fruit & Seeds": 2, "Beaver": 1,
    "Yellow Bullhead Catfish": 1, "Raccoon": 1, "Bullfrog": 2, "Field Cricket": 2, "Praying Mantis": 1,
    "Eastern Gray Squirrel": 2, "Fowler's Toad": 1, "Eastern Mole": 1, "Eastern Chipmunk": 1, "Groundhog": 1,
    "Striped Skunk": 1, "Virginia Opossum": 1, "Timber Rattlesnake": 1, "Copperhead": 1, "Black Widow": 1,
    "Snapping Turtle": 1, "Porcupine": 1, "Great Horned Owl": 1, "Red-tailed Hawk": 1, "Eastern Box Turtle": 1,
    "Spotted Salamander": 2,
}  # fmt: skip
AUXILIARY = {
    "Firefly": 2, "Dragonfly": 2, "Monarch Butterfly": 2, "Ladybug": 1, "Honey Bee": 1, "Bobcat": 1, "Fisher": 1,
}  # fmt: skip
COPIES = RABBITS | FOREST | AUXILIARY
BARRED = {"Beaver", "Porcupine"}
STAY_UP = set(RABBITS) | {"Coyote", "Beaver", "Porcupine", "Eastern Mole", "Eastern Chipmunk", "Groundhog"}
EFFECTS = {
    cards.OUCH: {"Yellow Jacket", "Timber Rattlesnake", "Copperhead", "Black Widow", "Snapping Turtle", "Porcupine"},
    cards.LOSE_TURN: {"Striped Skunk", "Virginia Opossum"},
    cards.YIKES: {"Great Horned Owl", "Red-tailed Hawk", "Bobcat", "Fisher"},
    cards.LEAP: {"Bullfrog", "Field Cricket", "Praying Mantis", "Eastern Gray Squirrel", "Fowler's Toad"},
    cards.TUNNEL: {"Eastern Mole", "Eastern Chipmunk", "Groundhog"},
    cards.PEEK_ADJACENT: {"Firefly", "Ladybug"},
    cards.PEEK_ANYWHERE: {"Dragonfly", "Honey Bee"},
    cards.SWAP_TWO: {"Monarch Butterfly"},
    cards.WATER_DIVE: {"Yellow Bullhead Catfish"},
    cards.BEAR_SKIP: {"Mosquito"},
    cards.STEAL: {"Raccoon"},
    cards.HURRICANE_BLOWS: {"Hurricane"},
    cards.RABBIT: set(RABBITS),
}
AMOUNTS = {"Firefly": 2, "Ladybug": 4, "Dragonfly": 1, "Honey Bee": 1, "Eastern Gray Squirrel": 2}
AMOUNTS |= {"Yellow Bullhead Catfish": 2, "Rabbit #1": 1, "Rabbit #2": 2}
AMOUNTS |= dict.fromkeys(("Bullfrog", "Field Cricket", "Praying Mantis", "Fowler's Toad"), 1)


def count(states):
    """Return the number of cards of each name at a table, in all places."""
    one = states[0]
    places = (one.cards, one.hand, one.prey[: one.catches], one.deck[: one.deck_size], one.pile)
    found = Counter(NAMES[number] for cards_there in places for number in cards_there if number < len(NAMES))
    return found + Counter(discarded(states))


# C1: the cards


def test_c1_1_the_table_is_the_one_of_the_rules_page():
    assert {one.name: one.copies for one in cards.CARDS} == COPIES
    assert sum(FOREST.values()) == 35
    assert sum(AUXILIARY.values()) == 10
    assert {one.name for one in cards.CARDS if one.no_swap} == BARRED
    assert {one.name for one in cards.CARDS if one.keeps_up} == STAY_UP
    assert {one.name for one in cards.CARDS if one.one_shot} == {"Hurricane"}


def test_c1_1_every_card_has_the_effects_of_the_rules_page():
    for effect, names in EFFECTS.items():
        assert {one.name for one in cards.CARDS for does, _ in one.effects if does == effect} == names
    for one in cards.CARDS:
        assert [amount for _, amount in one.effects] == [AMOUNTS.get(one.name, 0) for _ in one.effects]


def test_h1_every_row_is_marked_with_where_it_comes_from():
    marks = {one.name: (one.name_from, one.effects_from) for one in cards.CARDS}
    assert {name for name, _ in marks.values()} == {"rulebook", "public", "house"}
    from_rulebook = {"Rabbit #0", "Rabbit #1", "Rabbit #2", "Hurricane", "Coyote", "Yellow Jacket"}
    assert {name for name, mark in marks.items() if mark[0] == "rulebook"} == from_rulebook
    from_pages = {"Rabbit #0", "Rabbit #1", "Rabbit #2", "Bullfrog"}
    assert {name for name, mark in marks.items() if mark[1] != "house"} == from_pages


@every_setup
def test_c1_2_each_of_48_cards_is_in_one_place_at_every_ply(setup):
    assert sum(COPIES.values()) == 48
    plies = 0
    for states in states_of(range(scaled(20)), setup):
        assert count(states) == COPIES
        assert is_complete(states[0])
        plies += 1
    assert plies > (6 if setup.get("reading") == "dusk" else 30)


def test_c1_2_a_lost_or_doubled_card_is_noticed():
    for field, number in (("cards", kind("Beaver")), ("hand", kind("Coyote")), ("deck", kind("Rabbit #0"))):
        states = dealt(3)
        states[0][field][0] = number if states[0][field][0] != number else kind("Raccoon")
        assert count(states) != COPIES
        assert not is_complete(states[0])
        assert state_problems(GAME, states)


# C2: setting up


def test_c2_1_the_floor_has_25_cards_and_the_hand_five():
    for seed in range(scaled(100)):
        states = dealt(seed)
        floor = Counter(NAMES[number] for number in states[0].cards)
        assert sum(floor.values()) == 25
        assert all(floor[name] == 1 for name in RABBITS)
        assert len(held(states, "hand")) == 5
        assert len(held(states, "deck")) == states[0].deck_size == 18
        assert not set(RABBITS) & {*held(states, "hand"), *held(states, "deck")}
        assert held(states, "prey") == held(states, "pile") == discarded(states) == []


def test_c2_1_rabbits_and_others_may_lie_anywhere():
    deals = scaled(1000)
    places = np.zeros((len(NAMES), 25))
    in_hand, in_deck = np.zeros(len(NAMES)), np.zeros((len(NAMES), 18))
    for seed in range(deals):
        one = dealt(seed)[0]
        places[one.cards, range(25)] += 1
        np.add.at(in_hand, one.hand, 1)
        in_deck[one.deck, range(18)] += 1
    copies = np.array([COPIES[name] for name in NAMES])
    others = copies[3:, None]
    assert (abs(places[:3] - deals / 25) < 6 * np.sqrt(deals / 25)).all()
    expected = deals * others * (22 / 45) / 25
    assert (abs(places[3:] - expected) < 6 * np.sqrt(expected)).all()
    assert (abs(in_deck[3:] - deals * others / 45) < 6 * np.sqrt(deals * others / 45)).all()
    expected = deals * copies[3:] * 5 / 45
    assert (abs(in_hand[3:] - expected) < 6 * np.sqrt(expected)).all()


def test_c2_2_and_c2_3_fox_and_bear_begin_in_opposite_corners():
    states = dealt(1)
    assert (at(states, "fox"), at(states, "bear"), at(states, "bear_before")) == ("a1", "e5", None)
    assert at(states, "vixen") is None


def test_c2_3_without_an_arrow_the_bear_may_go_either_way():
    states = table(stage="bear")
    assert targets(states, "bear") == {"d5", "e4"}


def test_c2_4_the_deck_is_what_is_left_of_45():
    assert cards.DECK_SIZE == 18
    assert sum(count(dealt(2)).values()) - 3 == 45


def test_c2_5_the_fox_first_chooses_the_eagles_space():
    for seed in range(scaled(20)):
        states = dealt(seed)
        assert states[0].seat == FOX
        assert {name.rsplit(" ", 1)[0] for name in choices(states)} == {"eagle at"}
        assert at(states, "eagle") is None
    play(states, "eagle at Nc")
    assert at(states, "eagle") == "Nc"


def test_h3_the_eagle_begins_five_spaces_or_more_from_the_crow():
    far = {"Nc", "Nb", "Na", "Nd", "Ne", "E1", "E2", "W1", "W2", "W3"}
    assert targets(dealt(1), "eagle at") == far | {"E3"}
    gaps = {min((space(name) - 12) % 20, (12 - space(name)) % 20) for name in far | {"E3"}}
    assert min(gaps) == 5


def test_o1_the_literal_reading_bars_the_crows_own_space_alone():
    allowed = targets(dealt(1, reading="rulebook"), "eagle at")
    assert len(allowed) == 19
    assert "Sc" not in allowed


def test_c2_6_both_know_the_hurricane_by_its_back():
    for seed in range(scaled(200)):
        states = dealt(seed)
        one, back = states[0], kind("Hurricane")
        for seat in (FOX, CROW):
            assert known(states, seat) == {name for name in known(states, seat) if card(states, name) == "Hurricane"}
            assert (one.known[seat] == (one.cards == back)).all()
            backs = view(states, seat)["backs"]
            assert backs[5] == (back in one.hand)
            assert backs[6] == (one.deck[17] == back)


def test_c2_7_crow_and_sun_start_south_of_c_and_a():
    states = dealt(1)
    assert at(states, "crow") == "Sc"
    ring = view(states, FOX)["ring"]
    assert ring[2].argmax() == space("Sa") == 14
    assert ring[1].argmax() == 12


def test_h12_no_rule_depends_on_where_the_sun_begins():
    assert states_differ_in(dealt(1), play(dealt(1), "eagle at Nc")) >= {"eagle", "stage"}
    assert view(dealt(1), CROW)["sun"] == 0


def states_differ_in(one, other):
    return {name for name in one.dtype.names if (one[name] != other[name]).any()}


def test_c2_8_the_rights_are_whole():
    rights = view(dealt(1), CROW)["rights"]
    assert rights.tolist() == [1, 1, 1]


def test_c2_8_start_cards_lie_face_down():
    for seed in range(scaled(20)):
        states = dealt(seed)
        assert face_up(states) == set()
        assert not (known(states, FOX) - {name for name in known(states, CROW) if card(states, name) == "Hurricane"})


# What holds at every ply


@LONG_IN_PLAIN
@every_setup
def test_what_the_page_says_holds_at_every_ply(setup):
    for states in states_of(range(scaled(10)), setup):
        one = states[0]
        assert state_problems(GAME, states) == []
        assert one.known[:, one.up == 1].all()
        assert one.sun <= 20
        assert one.deck_size >= (1 if setup.get("reading") == "dusk" else 11)
        assert one.known[:, one.cards == kind("Hurricane")].all()
        assert not one.over or one.winner.sum() == 1
        if not one.over:
            assert one.fox != one.bear
            assert one.eagle != one.crow
            assert one.catches < 3
        up = {NAMES[number] for number in one.cards[(one.up == 1) & (one.shown == 0)]}
        assert up <= STAY_UP or setup.get("reading") == "dusk"


def test_h10_the_deck_never_holds_fewer_than_eleven():
    sizes = [int(states[0].deck_size) for states in states_of(range(scaled(60)))]
    assert min(sizes) >= 11
    assert max(sizes) == 18


def test_h2_a_seat_with_one_legal_action_is_never_asked():
    for states in states_of(range(scaled(30))):
        assert states[0].over or len(choices(states)) > 1


def test_every_clause_has_a_test_named_for_it():
    clauses = re.findall(r"^- \*\*([CHO]\d+(?:\.\d+)?)\*\*", RULES, re.MULTILINE)
    assert len(clauses) > 60
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(HERE.glob("test_*.py")))
    named = " ".join(re.findall(r"def (test\w+)", text)) + "_"
    assert [one for one in clauses if f"_{one.lower().replace('.', '_')}_" not in named] == []
