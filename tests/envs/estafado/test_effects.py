"""Effects of the cards; C7, H and O numbers as in RULES.md of *Estafado*."""

from collections import Counter

import estafado_tables as deals
import pytest
from scale import scaled

pytestmark = pytest.mark.kernels

LEAP_1 = ["Bullfrog", "Field Cricket", "Praying Mantis", "Fowler's Toad"]
RABBIT = {number: f"Rabbit #{number}" for number in range(3)}


def test_c7_1_a_rabbit_is_an_encounter():
    assert deals.held(deals.play(deals.table({"c1": RABBIT[0]}), "go c1"), "prey") == [RABBIT[0]]


@pytest.mark.parametrize("name", ["Great Horned Owl", "Red-tailed Hawk", "Bobcat", "Fisher"])
def test_c7_2_yikes_sends_the_fox_back_and_ends_the_step(name):
    states = deals.play(deals.table({"c1": name}, fox="a1"), "go c1")
    assert (deals.at(states, "fox"), deals.asked(states)) == ("a1", "eagle")
    assert "c1" in deals.known(states, deals.CROW)
    assert deals.face_up(states) == set()


def test_c7_2_to_where_the_step_began_not_to_where_he_leapt_from():
    states = deals.play(deals.table({"c1": "Bullfrog", "c2": "Bobcat"}, fox="a1"), "go c1", "go c2")
    assert deals.at(states, "fox") == "a1"


def test_c7_2_nothing_is_revealed_or_met_there():
    states = deals.play(deals.table({"a1": RABBIT[0], "c1": "Bobcat"}, fox="a1", up="a1"), "go c1")
    assert deals.held(states, "prey") == []
    states = deals.play(deals.table({"a1": "Coyote", "c1": "Bobcat"}, fox="a1"), "go c1")
    assert deals.face_up(states) == set()


@pytest.mark.parametrize("name", ["Copperhead", "Yellow Jacket", "Porcupine", "Striped Skunk", "Virginia Opossum"])
def test_c7_3_ouch_and_lose_turn_cost_the_next_step(name):
    states = deals.play(deals.table({"c1": name}), "go c1")
    assert states[0].lost == 1
    deals.end_round(states)
    assert (deals.asked(states), states[0].lost, deals.at(states, "fox")) == ("eagle", 0, "c1")


def test_c7_3_and_h14_one_turn_is_lost_and_no_more():
    states = deals.play(deals.table({"c1": "Copperhead"}), "go c1")
    deals.end_round(states)
    assert deals.asked(states) == "eagle"
    deals.end_round(states)
    assert deals.asked(states) == "move"


@pytest.mark.parametrize("name", LEAP_1)
def test_c7_4_and_h9_leap_1_lands_exactly_one_away(name):
    states = deals.play(deals.table({"c1": name}, bear="c2"), "go c1")
    assert deals.targets(states, "go") == {"b1", "d1"}  # not onto the bear
    assert "pass" in deals.choices(states)


def test_c7_4_and_h9_leap_2_lands_exactly_two_away_over_anything():
    states = deals.play(deals.table({"c3": "Eastern Gray Squirrel"}, fox="c1", bear="d3"), "go c3")
    assert deals.targets(states, "go") == {"a3", "e3", "c1", "c5"}
    assert deals.at(deals.after(states, "go e3"), "fox") == "e3"


def test_c7_4_it_is_optional_and_reveals():
    states = deals.play(deals.table({"c1": "Bullfrog", "d1": "Coyote"}), "go c1")
    assert deals.at(deals.after(states, "pass"), "fox") == "c1"
    assert deals.asked(deals.after(states, "pass")) == "eagle"
    assert "d1" in deals.face_up(deals.after(states, "go d1"))


def test_c7_4_not_onto_the_bear_even_where_it_does_not_block():
    states = deals.play(deals.table({"c1": "Bullfrog"}, bear="d1", setup={"bear_blocks": False}), "go c1")
    assert deals.targets(states, "go") == {"b1", "c2"}


def test_c7_4_leaps_may_follow_each_other():
    floor = {"c1": "Bullfrog", "d1": "Field Cricket", "d2": "Eastern Gray Squirrel", "d4": "Coyote"}
    states = deals.play(deals.table(floor), "go c1", "go d1", "go d2", "go d4")
    assert (deals.at(states, "fox"), deals.face_up(states), deals.asked(states)) == ("d4", {"d4"}, "eagle")


def test_c7_4_a_card_that_is_up_already_ends_the_chain():
    states = deals.play(deals.table({"c1": "Bullfrog", "d1": "Field Cricket"}), "go c1", "go d1", "go c1")
    assert (deals.at(states, "fox"), deals.asked(states)) == ("c1", "eagle")


def test_c7_5_a_tunnel_leads_to_neighbours_without_the_bear():
    states = deals.play(deals.table({"c3": "Groundhog", "b2": "Coyote"}, fox="c1", bear="d4"), "go c3")
    assert deals.targets(states, "tunnel") == {"b2", "c2", "d2", "b3", "d3", "b4", "c4"}
    assert deals.targets(states, "go") == set()
    assert deals.face_up(deals.after(states, "tunnel b2")) == {"b2", "c3"}
    assert deals.at(deals.after(states, "pass"), "fox") == "c3"


@pytest.mark.parametrize(("name", "looks"), [("Firefly", 2), ("Ladybug", 4)])
def test_c7_6_looks_at_neighbours(name, looks):
    states = deals.play(deals.table({"c3": name, "c2": "Coyote"}, fox="c1", up="c2"), "go c3")
    assert (deals.asked(states), states[0].left) == ("peek", looks)
    assert deals.targets(states, "look") == {"b3", "d3", "c4"}  # face-down ones, never diagonally
    deals.play(states, "look b3")
    assert "b3" in deals.known(states, deals.FOX)
    assert "b3" not in deals.known(states, deals.CROW)
    assert "b3" not in deals.face_up(states)
    assert deals.asked(states) == "peek"
    stopped = deals.after(states, "pass")
    assert (deals.asked(stopped), stopped[0].left) == ("eagle", 0)
    deals.play(states, "look d3")
    assert deals.asked(states) == ("eagle" if looks == 2 else "peek")


@pytest.mark.parametrize("name", ["Dragonfly", "Honey Bee"])
def test_c7_6_looks_anywhere(name):
    states = deals.play(deals.table({"c3": name}, fox="c1", vixen="a5"), "go c3")
    assert len(deals.targets(states, "look")) == 24  # all but the card itself, the vixen's too
    deals.play(states, "look a5")
    assert (deals.asked(states), deals.known(states, deals.FOX) - deals.known(states, deals.CROW)) == ("eagle", {"a5"})


def test_c7_6_and_h11_a_look_may_be_spent_on_a_known_card():
    states = deals.play(deals.table({"c3": "Dragonfly"}, fox="c1", fox_knows="a5"), "go c3")
    assert "look a5" in deals.choices(states)


def test_c7_7_a_mosquito_keeps_the_bear_where_it_is_once():
    states = deals.play(deals.table({"c1": "Mosquito"}, bear="d5", before="e5"), "go c1")
    deals.end_round(states)
    assert (deals.at(states, "bear"), deals.at(states, "bear_before"), states[0].bear_skip) == ("d5", "e5", 0)
    deals.play(states, "go b1")
    deals.end_round(states)
    assert deals.at(states, "bear") != "d5"


def test_c7_8_a_dive_moves_the_eagle_up_to_two_spaces():
    states = deals.play(deals.table({"c1": "Yellow Bullhead Catfish"}, eagle="Nc"), "go c1")
    assert deals.choices(states) == {"eagle -2", "eagle -1", "eagle +1", "eagle +2", "pass"}
    moved = {deals.at(deals.after(states, name), "eagle") for name in deals.choices(states)}
    assert moved == {deals.SPACES[number] for number in range(5)}


def test_c7_8_apart_from_its_own_two_spaces():
    states = deals.play(deals.table({"c1": "Yellow Bullhead Catfish"}, eagle="Nc", double=0), "go c1")
    assert "eagle +2" in deals.choices(states)
    states = deals.play(deals.table({"c1": "Yellow Bullhead Catfish"}, eagle="Nc", vixen="a5"), "go c1", "eagle +2")
    assert (deals.at(states, "eagle"), deals.asked(states), states[0].double) == ("Ne", "eagle", 1)
    assert "eagle +2" in deals.choices(states)


def butterfly(**settings):
    floor = {"c1": "Monarch Butterfly", "a5": "Bobcat", "b5": "Fisher"} | settings.pop("floor", {})
    return deals.play(deals.table(floor, **settings), "go c1")


def test_c7_9_two_cards_are_swapped_unseen():
    states = butterfly(fox_knows="a5", crow_knows="b5")
    assert deals.asked(states) == "swap"
    deals.play(states, "swap a5")
    assert "a5" not in deals.targets(states, "swap")
    assert "pass" not in deals.choices(states)
    deals.play(states, "swap b5")
    assert (deals.card(states, "a5"), deals.card(states, "b5")) == ("Fisher", "Bobcat")
    assert "b5" in deals.known(states, deals.FOX)
    assert "a5" not in deals.known(states, deals.FOX)
    assert "a5" in deals.known(states, deals.CROW)
    assert {"a5", "b5"} <= deals.public(states, "swappable")
    assert deals.asked(states) == "eagle"


def test_c7_9_it_may_be_declined():
    states = deals.play(butterfly(), "pass")
    assert (deals.card(states, "a5"), deals.asked(states)) == ("Bobcat", "eagle")


def test_c7_9_protected_and_barred_cards_cannot_be_chosen():
    floor = {"a4": RABBIT[2], "b4": "Beaver", "c4": "Porcupine", "d4": "Coyote"}
    states = butterfly(floor=floor, up="a4 b4 c4 d4", vixen="e4")
    barred = {name for name in {"a4", "b4", "c4", "d4", "e4"} if f"swap {name}" not in deals.choices(states)}
    assert barred == {"a4", "b4", "c4", "e4"}


@pytest.mark.parametrize("name", ["Beaver", "Porcupine"])
@pytest.mark.parametrize("order", [("a4", "a5"), ("a5", "a4")])
def test_c7_9_and_h8_a_marked_card_is_shown_and_bars_the_swap(name, order):
    states = butterfly(floor={"a4": name})
    deals.play(states, *(f"swap {one}" for one in order))
    assert (deals.card(states, "a4"), deals.card(states, "a5")) == (name, "Bobcat")
    assert "a4" in deals.known(states, deals.FOX) & deals.known(states, deals.CROW)
    assert "a4" not in deals.face_up(states)  # shown, not revealed: nothing of it happens
    assert states[0].lost == 0
    assert "a5" in deals.public(states, "swappable")
    assert "a5" not in deals.known(states, deals.FOX) | deals.known(states, deals.CROW)


def test_h8_two_that_bar_it_are_both_shown():
    states = deals.play(butterfly(floor={"a4": "Beaver", "b4": "Porcupine"}), "swap a4", "swap b4")
    assert {"a4", "b4"} <= deals.known(states, deals.FOX) & deals.known(states, deals.CROW)
    assert not {"a4", "b4"} & deals.public(states, "swappable")


def test_c7_9_the_foxs_own_card_may_go_and_keeps_its_facing():
    states = deals.play(butterfly(), "swap c1", "swap a5")
    assert (deals.at(states, "fox"), deals.card(states, "c1"), deals.card(states, "a5")) == (
        "c1",
        "Bobcat",
        "Monarch Butterfly",
    )
    assert deals.face_up(states) == set()
    assert deals.asked(states) == "eagle"  # the Bobcat was not revealed


def raccoon(prey=f"{RABBIT[2]}, {RABBIT[0]}", **settings):
    floor = {"c1": "Raccoon", "e1": "Hurricane", "d1": "Beaver", "b5": "Bobcat"} | settings.pop("floor", {})
    settings = {"up": "d1", "vixen": "a4", "fox_knows": "a4 b5", "crow_knows": "b5"} | settings
    return deals.table(floor, prey=prey, **settings)


def _place_of(states, name):
    return next(place for place in all_cells() if deals.card(states, place) == name)


def all_cells():
    return [f"{column}{row}" for row in range(1, 6) for column in "abcde"]


def test_c7_10_the_last_rabbit_replaces_a_random_card():
    states, places = raccoon(), Counter()
    tries = scaled(1200)
    for seed in range(tries):
        here = deals.play(deals.reseeded(states, seed), "go c1")
        place = _place_of(here, RABBIT[0])
        places[place] += 1
        assert deals.held(here, "prey") == [RABBIT[2]]
        assert place not in deals.face_up(here)
        assert deals.held(here, "deck")[0] == deals.card(states, place)
        assert here[0].deck_size == states[0].deck_size + 1
        assert deals.floor_cards(here)[RABBIT[1]] == 1
        assert deals.card(here, _place_of(states, RABBIT[1])) == RABBIT[1]
    barred = {"c1", "d1", "e1", "a4", _place_of(states, RABBIT[1])}
    assert set(places) <= set(all_cells()) - barred
    expected = tries / 20
    assert tries < 1000 or len(places) == 20
    assert all(abs(count - expected) < 6 * expected**0.5 for count in places.values())


def test_c7_10_and_h16_knowledge_of_what_may_have_gone_is_lost():
    states = deals.play(deals.reseeded(raccoon(), 1), "go c1")
    assert deals.known(states, deals.FOX) == {
        "a4",
        "c1",
        "d1",
        "e1",
    }  # under the vixen, revealed, face-up, a known back
    assert deals.known(states, deals.CROW) == {"c1", "d1", "e1"}
    assert deals.public(states, "no_rabbit") == {"c1", "d1", "e1"}


def test_h7_a_theft_displaces_no_rabbit_and_no_hurricane():
    states = raccoon(f"{RABBIT[2]},")
    for seed in range(scaled(300)):
        here = deals.play(deals.reseeded(states, seed), "go c1")
        assert deals.floor_cards(here)["Hurricane"] == 1
        assert sum(deals.floor_cards(here)[name] for name in RABBIT.values()) == 3


def test_h17_with_nothing_caught_it_does_nothing():
    states = deals.table({"c1": "Raccoon", "b5": "Bobcat"}, fox_knows="b5")
    before = states[0].cards.copy()
    deals.play(states, "go c1")
    assert (states[0].cards == before).all()
    assert "b5" in deals.known(states, deals.FOX)


def test_c7_10_a_third_rabbit_after_a_theft_still_wins():
    floor = {"c1": "Raccoon", "c3": RABBIT[0]}
    states = deals.play(deals.table(floor, prey=f"{RABBIT[2]}, {RABBIT[1]}"), "go c1")
    assert deals.held(states, "prey") == [RABBIT[2]]
    deals.end_round(states)
    if deals.card(states, "c3") == RABBIT[0]:
        deals.play(states, "go c3")
        assert (len(deals.held(states, "prey")), deals.won(states)) == (2, None)


def hurricane(**settings):
    floor = {"c1": "Hurricane", "d1": "Beaver", "b5": "Bobcat", "a5": RABBIT[0], "c5": RABBIT[1]}
    settings = {"up": "d1", "vixen": "a4", "fox_knows": "a4 b5", "crow_knows": "b5 a5"} | settings
    return deals.table(floor, **settings)


def test_c7_11_face_down_unprotected_cards_are_shuffled():
    states, places, tries = hurricane(), Counter(), scaled(1200)
    for seed in range(tries):
        here = deals.play(deals.reseeded(states, seed), "go c1")
        assert (deals.card(here, "a4"), deals.card(here, "d1")) == (deals.card(states, "a4"), "Beaver")
        places[_place_of(here, RABBIT[0])] += 1
    mixed = set(all_cells()) - {"c1", "d1", "a4"}
    assert set(places) <= mixed
    assert tries < 1000 or set(places) == mixed
    expected = tries / len(mixed)
    assert all(abs(count - expected) < 6 * expected**0.5 for count in places.values())


def test_c7_11_and_h16_knowledge_of_them_is_lost():
    states = deals.play(hurricane(), "go c1")
    assert deals.known(states, deals.FOX) == {"a4", "d1"}
    assert deals.known(states, deals.CROW) == {"d1"}
    assert deals.public(states, "no_rabbit") == {"d1", "c1"}  # and c1 came from the deck


def test_c7_12_a_card_that_serves_once_is_replaced():
    states = deals.table({"c1": "Hurricane"}, deck="Bobcat")
    deals.play(states, "go c1")
    assert deals.discarded(states).count("Hurricane") == 1
    assert (deals.card(states, "c1"), deals.at(states, "fox")) == ("Bobcat", "c1")
    assert "c1" not in deals.face_up(states) | deals.known(states, deals.FOX) | deals.known(states, deals.CROW)
    assert "c1" in deals.public(states, "no_rabbit")
    assert deals.asked(states) == "eagle"


def test_c7_12_from_the_hand_too():
    states = deals.play(deals.table({"c1": "Copperhead"}, hand="Hurricane", deck="Bobcat"), "go c1", "hand 1")
    assert {"Hurricane", "Copperhead"} <= set(deals.discarded(states))
    assert (deals.card(states, "c1"), states[0].lost) == ("Bobcat", 0)


def test_c7_12_on_the_protected_card_too():
    states = deals.play(deals.table({"c1": "Hurricane"}, vixen="c1", deck="Bobcat"), "go c1")
    assert (deals.card(states, "c1"), deals.at(states, "vixen")) == ("Bobcat", "c1")


@pytest.mark.parametrize("name", ["Vegetation", "Fruit & Seeds", "Coyote", "Eastern Box Turtle", "Spotted Salamander"])
def test_c7_13_nothing_happens_and_rivals_are_inactive(name):
    states = deals.table({"c1": name}, bear="c5")
    deals.play(states, "go c1")
    assert (deals.asked(states), states[0].lost, states[0].bear_skip) == ("eagle", 0, 0)
    deals.end_round(states)
    assert deals.at(states, "bear") != "c5"
