"""The round, the fox's step, revealed cards, and the eagle; C, H and O numbers as in RULES.md of *Estafado*."""

import estafado_tables as deals
import numpy as np
import pytest
from scale import scaled

pytestmark = pytest.mark.kernels

RABBIT = {number: f"Rabbit #{number}" for number in range(3)}


# C3: the round


def test_c3_1_fox_eagle_crow_bear_sun_in_this_order():
    states = deals.table()
    order = [deals.asked(states)]
    for name in ("go b2", "eagle +1", "crow +1", "look b1", "swap a1", "bear d5"):
        deals.play(states, name)
        order.append(deals.asked(states))
    assert order == ["move", "eagle", "slide", "look", "exchange", "bear", "move"]
    assert states[0].sun == 1
    assert (deals.at(states, "fox"), deals.at(states, "eagle"), deals.at(states, "crow"), deals.at(states, "bear")) == (
        "b2",
        "Nd",
        "Sb",
        "d5",
    )


def test_c3_2_the_sun_moves_one_space_in_each_of_20_rounds():
    states = deals.table(fox="a1", bear="e5")
    for rounds in range(19):
        assert states[0].sun == rounds
        assert deals.won(states) is None
        _pace(states)
    _pace(states)
    assert states[0].sun == 20
    assert deals.won(states) == ("sunset", deals.CROW)


def _pace(states):
    """Play a round in which the fox goes one card and back."""
    deals.play(states, "go b1" if deals.at(states, "fox") == "a1" else "go a1")
    deals.end_round(states)


def test_c3_3_a_win_counts_as_soon_as_it_happens():
    states = deals.table(crow="Sc", eagle="Sd", sun=19)
    deals.play(states, "go b1", "eagle +1")
    assert deals.won(states) == ("caught", deals.FOX)
    assert states[0].sun == 19


# C4: the move


def test_c4_1_two_cards_in_any_directions():
    assert deals.targets(deals.table(fox="c3"), "go") >= {"c1", "b2", "d2", "a3", "e3", "b4", "d4", "c5"}
    assert deals.targets(deals.table(fox="a1"), "go") == {"b1", "a2", "c1", "b2", "a3"}


def test_c4_1_not_back_to_where_the_move_began():
    for fox in ("a1", "c3", "e2"):
        assert fox not in deals.targets(deals.table(fox=fox), "go")


def test_c4_1_nor_further():
    allowed = deals.targets(deals.table(fox="c3"), "go")
    assert len(allowed) == 12
    assert not allowed & {"a1", "e5", "a2", "b1", "e4"}


@pytest.mark.parametrize("name", ["b1", "a2"])
def test_c4_2_one_card_reveals_nothing(name):
    states = deals.play(deals.table({name: "Bobcat"}, fox="a1"), f"go {name}")
    assert deals.at(states, "fox") == name
    assert deals.face_up(states) == set()
    assert deals.known(states, deals.FOX) == set()
    assert deals.asked(states) == "eagle"


def test_c4_1_a_card_that_is_crossed_is_not_revealed():
    states = deals.play(deals.table({"b1": "Bobcat", "c1": "Coyote"}), "go c1")
    assert deals.face_up(states) == {"c1"}


def test_c4_3_the_bears_card_is_not_entered():
    assert deals.targets(deals.table(fox="c3", bear="c2"), "go") == {
        "b3",
        "d3",
        "c4",
        "b2",
        "d2",
        "a3",
        "e3",
        "b4",
        "d4",
        "c5",
    }


def test_c4_3_nor_crossed_but_one_free_path_is_enough():
    allowed = deals.targets(deals.table(fox="c3", bear="c2"), "go")
    assert "c1" not in allowed  # straight over the bear
    assert {"b2", "d2"} <= allowed  # round it
    assert deals.targets(deals.table(fox="a1", bear="b1"), "go") == {"a2", "b2", "a3"}


def test_o4_without_blocks_entering_the_bears_card_loses():
    states = deals.table(fox="c3", bear="c2", setup={"bear_blocks": False})
    assert {"c2", "c1", "b2"} <= deals.targets(states, "go")
    assert deals.won(deals.play(states, "go c2")) == ("eaten", deals.CROW)


def test_o4_crossing_the_bear_is_no_harm():
    states = deals.table({"c1": "Coyote"}, fox="c3", bear="c2", setup={"bear_blocks": False})
    assert deals.won(deals.play(states, "go c1")) is None


@pytest.mark.parametrize("name", ["Eastern Mole", "Eastern Chipmunk", "Groundhog"])
def test_c4_4_from_an_open_tunnel_to_any_of_eight_neighbours(name):
    states = deals.table({"c3": name, "d4": "Great Horned Owl"}, fox="c3", bear="b2", up="c3")
    assert deals.targets(states, "tunnel") == {"c2", "d2", "b3", "d3", "b4", "c4", "d4"}
    assert "go c1" in deals.choices(states)
    deals.play(states, "tunnel d4")
    assert deals.at(states, "fox") == "c3"  # the owl was revealed and sent him back


@pytest.mark.parametrize("blocks", [True, False])
def test_o4_a_tunnel_never_leads_onto_the_bear(blocks):
    states = deals.table({"c3": "Groundhog"}, fox="c3", bear="b2", up="c3", setup={"bear_blocks": blocks})
    assert deals.targets(states, "tunnel") == {"c2", "d2", "b3", "d3", "b4", "c4", "d4"}
    assert ("b2" in deals.targets(states, "go")) == (not blocks)


def test_c4_4_tunnels_reveal_a_neighbour_and_walking_does_not():
    states = deals.table({"c3": "Groundhog", "c2": "Coyote"}, fox="c3", up="c3")
    assert deals.face_up(deals.after(states, "tunnel c2")) == {"c3", "c2"}
    assert deals.face_up(deals.after(states, "go c2")) == {"c3"}


def test_c4_4_only_face_up_tunnels_serve():
    assert deals.targets(deals.table({"c3": "Groundhog"}, fox="c3", fox_knows="c3"), "tunnel") == set()
    assert deals.targets(deals.table({"c3": "Coyote"}, fox="c3", up="c3"), "tunnel") == set()


def test_c4_4_the_crow_may_lay_an_open_tunnel_under_the_fox():
    states = deals.table({"a1": "Bobcat", "c3": "Groundhog"}, fox="a1", up="c3", stage="look", crow="Na")
    deals.play(states, "look a1", "swap c3", "bear d5")
    assert deals.card(states, "a1") == "Groundhog"
    assert deals.targets(states, "tunnel") == {"b1", "a2", "b2"}


# C5: revealing


def test_c5_1_a_face_down_card_reached_by_two_steps_is_turned_up():
    states = deals.play(deals.table({"c1": "Coyote"}), "go c1")
    assert "c1" in deals.face_up(states)
    assert "c1" in deals.known(states, deals.FOX) & deals.known(states, deals.CROW)


@pytest.mark.parametrize(("name", "word"), [("Bullfrog", "go"), ("Groundhog", "tunnel")])
def test_c5_1_or_by_an_effect(name, word):
    states = deals.play(deals.table({"c1": name, "d1": "Coyote"}), "go c1", f"{word} d1")
    assert "d1" in deals.face_up(states)
    assert deals.at(states, "fox") == "d1"


def test_c5_2_its_effects_must_happen():
    states = deals.play(deals.table({"c1": "Copperhead"}), "go c1")
    assert states[0].lost == 1
    assert deals.asked(states) == "eagle"


def test_c5_3_a_card_of_the_hand_may_take_its_place():
    states = deals.table({"c1": "Copperhead"}, hand="Mosquito, Bobcat")
    deals.play(states, "go c1")
    assert deals.choices(states) == {"hand 1", "hand 2", "pass"}
    assert states[0].lost == 0  # asked before anything happens
    replaced = deals.after(states, "hand 1")
    assert deals.card(replaced, "c1") == "Mosquito"
    assert deals.discarded(replaced).count("Copperhead") == 1 + deals.discarded(states).count("Copperhead")
    assert deals.held(replaced, "hand") == ["Bobcat"]
    assert (replaced[0].lost, replaced[0].bear_skip) == (0, 1)
    kept = deals.after(states, "pass")
    assert deals.held(kept, "hand") == ["Mosquito", "Bobcat"]
    assert (kept[0].lost, kept[0].bear_skip) == (1, 0)


def test_c5_3_the_hand_is_not_refilled():
    states = deals.table({"c1": "Copperhead", "c3": "Bobcat"}, hand="Mosquito, Fisher")
    deals.play(states, "go c1", "hand 1")
    deals.end_round(states)
    deals.play(states, "go c3")
    assert deals.choices(states) == {"hand 2", "pass"}


def test_c5_3_the_new_card_cannot_be_replaced_in_turn():
    states = deals.play(deals.table({"c1": "Copperhead"}, hand="Mosquito, Bobcat, Fisher"), "go c1", "hand 1")
    assert deals.asked(states) == "eagle"


def test_c5_3_each_card_of_a_step_may_be_replaced():
    states = deals.table({"c1": "Bobcat", "d1": "Fisher"}, hand="Bullfrog, Mosquito")
    deals.play(states, "go c1", "hand 1", "go d1")
    assert deals.choices(states) == {"hand 2", "pass"}


@pytest.mark.parametrize("name", ["Beaver", "Porcupine"])
def test_c5_3_a_card_marked_do_not_swap_is_not_replaced(name):
    states = deals.play(deals.table({"c1": name}, hand="Mosquito"), "go c1")
    assert deals.asked(states) == "eagle"
    assert deals.held(states, "hand") == ["Mosquito"]


def test_c5_3_nor_one_under_the_vixen():
    states = deals.play(deals.table({"c1": "Copperhead"}, hand="Mosquito", vixen="c1"), "go c1")
    assert (deals.asked(states), states[0].lost) == ("eagle", 1)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_h15_nor_a_rabbit(number):
    states = deals.play(deals.table({"c1": RABBIT[number]}, hand="Mosquito"), "go c1")
    assert deals.asked(states) != "replace"
    assert deals.held(states, "hand") == ["Mosquito"]


def test_c5_4_landing_on_a_face_up_card_does_nothing():
    states = deals.play(deals.table({"c1": "Porcupine"}, up="c1", hand="Mosquito"), "go c1")
    assert (deals.asked(states), states[0].lost) == ("eagle", 0)


@pytest.mark.parametrize("name", ["c1", "b1"])
def test_c5_4_a_face_up_rabbit_is_met_by_two_steps_and_by_one(name):
    states = deals.play(deals.table({name: RABBIT[0]}, up=name), f"go {name}")
    assert deals.held(states, "prey") == [RABBIT[0]]


def test_c5_4_a_face_down_rabbit_is_not_met_by_one_step():
    states = deals.play(deals.table({"b1": RABBIT[0]}), "go b1")
    assert deals.held(states, "prey") == []
    assert "b1" not in deals.face_up(states)


def test_c5_5_revealed_cards_are_turned_down_after_the_step():
    states = deals.play(deals.table({"c1": "Bullfrog", "d1": "Vegetation"}), "go c1")
    assert deals.face_up(states) == {"c1"}
    deals.play(states, "go d1")
    assert deals.face_up(states) == set()
    assert {"c1", "d1"} <= deals.known(states, deals.FOX) & deals.known(states, deals.CROW)


def test_c5_5_the_hands_card_too():
    states = deals.play(deals.table({"c1": "Coyote"}, hand="Vegetation"), "go c1", "hand 1")
    assert deals.face_up(states) == set()


@pytest.mark.parametrize("name", ["Coyote", "Beaver", "Porcupine", "Groundhog"])
def test_c5_5_unless_it_keeps_face_up(name):
    states = deals.play(deals.table({"c1": name}), "go c1")
    if deals.asked(states) == "tunnel":
        deals.play(states, "pass")
    assert deals.face_up(states) == {"c1"}
    assert deals.face_up(deals.end_round(states)) == {"c1"}


def test_c5_5_a_card_from_the_hand_that_keeps_face_up_stays():
    states = deals.play(deals.table({"c1": "Bobcat"}, hand="Coyote"), "go c1", "hand 1")
    assert deals.face_up(states) == {"c1"}


def test_c5_6_a_rabbit_caught_gives_one_more_step_at_once():
    states = deals.play(deals.table({"c1": RABBIT[0], "c3": "Coyote"}), "go c1")
    assert deals.asked(states) == "move"
    assert states[0].fox_start == states[0].fox
    deals.play(states, "go c3")
    assert deals.asked(states) == "eagle"
    assert states[0].sun == 0


def test_c5_6_each_capture_gives_one():
    states = deals.table({"c1": RABBIT[0], "b1": RABBIT[1]}, up="b1 c1", evading_faces=1)
    states = deals.reseeded(states, next(seed for seed in range(99) if _catches(states, "b1", seed)))
    deals.play(states, "go b1")
    assert deals.asked(states) == "move"
    deals.play(states, "go c1")
    assert deals.asked(states) == "move"
    deals.play(states, "go d1")
    assert deals.asked(states) == "eagle"


def _catches(states, name, seed):
    return bool(deals.held(deals.play(deals.reseeded(states, seed), f"go {name}"), "prey"))


def test_c5_6_the_vixen_may_be_placed_before_the_extra_step():
    assert "vixen c1" in deals.choices(deals.play(deals.table({"c1": RABBIT[0]}), "go c1"))


# C6: rabbits


@pytest.mark.parametrize(
    ("number", "faces", "rolls", "share"),
    [
        (0, 5, "all", 1),
        (1, 2, "all", 2 / 3),
        (2, 2, "all", 4 / 9),
        (2, 4, "all", 1 / 9),
        (1, 5, "any", 1 / 6),
        (2, 2, "any", 8 / 9),
        (2, 4, "any", 5 / 9),
    ],
)
def test_c6_4_and_o2_and_o3_the_share_of_rabbits_caught(number, faces, rolls, share):
    states = deals.table({"b1": RABBIT[number]}, up="b1", setup={"evading_faces": faces, "rolls": rolls})
    tries = scaled(1000)
    caught = sum(_catches(states, "b1", seed) for seed in range(tries))
    assert abs(caught / tries - share) <= 3 * np.sqrt(share * (1 - share) / tries)  # of seeds that do not change


def test_h6_two_faces_of_six_evade_and_all_rolls_must_fail():
    defaults = {option.name: option.default for option in deals.GAME.options}
    assert (defaults["evading_faces"], defaults["rolls"]) == (2, "all")


def test_c6_1_rolling_is_compulsory():
    states = deals.table({"c1": RABBIT[2]})
    for seed in range(20):
        here = deals.play(deals.reseeded(states, seed), "go c1")
        assert deals.asked(here) == ("move" if deals.held(here, "prey") else "eagle")


def _evaded(number=2):
    states = deals.table({"c1": RABBIT[number]})
    seed = next(seed for seed in range(99) if not _catches(states, "c1", seed))
    return deals.play(deals.reseeded(states, seed), "go c1")


def test_c6_2_one_that_gets_away_stays_face_up_and_gives_no_step():
    states = _evaded()
    assert deals.asked(states) == "eagle"
    assert deals.card(states, "c1") == RABBIT[2]
    assert deals.face_up(deals.end_round(states)) == {"c1"}
    assert deals.at(states, "fox") == "c1"


def test_c6_3_a_caught_rabbit_is_replaced_unseen():
    states = deals.play(deals.table({"c1": RABBIT[0]}, deck="Bobcat, Fisher"), "go c1")
    assert deals.held(states, "prey") == [RABBIT[0]]
    assert (deals.card(states, "c1"), deals.at(states, "fox")) == ("Bobcat", "c1")
    assert deals.face_up(states) == set()
    assert "c1" not in deals.known(states, deals.FOX) | deals.known(states, deals.CROW)
    assert deals.held(states, "deck")[-1] == "Fisher"
    assert states[0].deck_size == 17


def test_c6_3_all_know_the_hurricane_that_takes_its_place():
    states = deals.play(deals.table({"c1": RABBIT[0]}, deck="Hurricane"), "go c1")
    assert "c1" in deals.known(states, deals.FOX) & deals.known(states, deals.CROW)
    assert "c1" not in deals.face_up(states)


# C9: the eagle


def test_c9_1_one_space_either_way_compulsory():
    states = deals.table(stage="eagle", eagle="Na", crow="Sc", double=0, vixen="c5")
    assert deals.choices(states) == {"eagle -1", "eagle +1"}
    assert deals.at(deals.after(states, "eagle -1"), "eagle") == "W1"
    assert deals.at(deals.after(states, "eagle +1"), "eagle") == "Nb"


def test_c9_2_two_spaces_once():
    states = deals.table(stage="eagle", eagle="Nc", vixen="c5")
    assert deals.choices(states) == {"eagle -2", "eagle -1", "eagle +1", "eagle +2"}
    deals.play(states, "eagle +2")
    assert deals.at(states, "eagle") == "Ne"
    deals.end_round(states)
    deals.play(states, "go b1")
    assert deals.choices(states) == {"eagle -1", "eagle +1"}


def test_c9_2_single_spaces_leave_the_right():
    states = deals.end_round(deals.table(stage="eagle", eagle="Nc", vixen="c5"))
    assert "eagle +2" in deals.choices(deals.play(states, "go b1"))


def test_c9_3_the_eagle_moves_in_a_lost_turn():
    states = deals.play(deals.table({"c1": "Copperhead"}), "go c1")
    deals.end_round(states)
    assert (deals.asked(states), states[0].lost) == ("eagle", 0)
    deals.play(states, "eagle +1")
    assert deals.at(states, "fox") == "c1"
    deals.end_round(states)
    assert deals.asked(states) == "move"


def test_c9_3_only_the_end_space_counts():
    states = deals.play(deals.table(stage="eagle", eagle="Sd", crow="Sc"), "eagle +2")
    assert deals.at(states, "eagle") == "Sb"
    assert deals.won(states) is None


# C10.1: the vixen


@pytest.mark.parametrize("stage", ["move", "eagle"])
def test_c10_1_and_h4_the_vixen_comes_before_fox_or_eagle_moves(stage):
    states = deals.table(stage=stage, fox="a1", bear="e5")
    assert len(deals.targets(states, "vixen")) == 25
    deals.play(states, "vixen e5")
    assert (deals.at(states, "vixen"), deals.asked(states)) == ("e5", stage)
    assert deals.targets(states, "vixen") == set()


@pytest.mark.parametrize("stage", ["slide", "look", "bear"])
def test_c10_1_not_at_another_time(stage):
    assert deals.targets(deals.table(stage=stage), "vixen") == set()


def test_c10_1_in_a_lost_turn_too():
    states = deals.end_round(deals.play(deals.table({"c1": "Copperhead"}), "go c1"))
    assert deals.asked(states) == "eagle"
    assert len(deals.targets(states, "vixen")) == 25


def test_c10_1_the_fox_may_still_reveal_what_she_protects():
    assert deals.face_up(deals.play(deals.table({"c1": "Coyote"}, vixen="c1"), "go c1")) == {"c1"}


def test_c10_1_the_card_after_a_caught_rabbit_is_protected():
    states = deals.play(deals.table({"c1": RABBIT[0]}, vixen="c1"), "go c1")
    assert deals.at(states, "vixen") == "c1"
    states[0].stage, states[0].seat = 11, deals.CROW  # look
    states[0].crow = 2
    assert "c1" not in deals.targets(states, "look")


# C11: endings


def test_c11_1_the_third_rabbit_wins():
    states = deals.table({"c1": RABBIT[0]}, prey=f"{RABBIT[2]}, {RABBIT[1]}")
    deals.play(states, "go c1")
    assert deals.won(states) == ("rabbits", deals.FOX)
    assert deals.held(states, "prey") == [RABBIT[2], RABBIT[1], RABBIT[0]]


def test_c11_1_two_do_not():
    assert deals.won(deals.play(deals.table({"c1": RABBIT[0]}, prey=f"{RABBIT[2]},"), "go c1")) is None


def test_c11_2_the_eagle_wins_by_move_double_and_dive():
    assert deals.won(deals.play(deals.table(stage="eagle", eagle="Sd", crow="Sc"), "eagle +1")) == ("caught", deals.FOX)
    assert deals.won(deals.play(deals.table(stage="eagle", eagle="Se", crow="Sc"), "eagle +2")) == ("caught", deals.FOX)
    dive = deals.table({"c1": "Yellow Bullhead Catfish"}, eagle="Sb", crow="Sd")
    assert deals.won(deals.play(dive, "go c1", "eagle -2")) == ("caught", deals.FOX)


def test_c11_2_and_h13_the_crow_may_fly_onto_the_eagle_and_loses():
    states = deals.table(stage="slide", eagle="Sb", crow="Sc")
    assert deals.choices(states) == {"crow -1", "crow +1"}
    assert deals.won(deals.play(states, "crow +1")) == ("caught", deals.FOX)


def test_c11_3_the_bear_on_the_fox():
    states = deals.table(stage="bear", fox="d5", bear="e5")
    assert deals.won(deals.play(states, "bear d5")) == ("eaten", deals.CROW)


def test_c11_4_sunset():
    states = deals.play(deals.table(stage="bear", sun=19), "bear d5")
    assert deals.won(states) == ("sunset", deals.CROW)


def test_c11_4_the_vixen_and_the_card_names_change_no_ending():
    assert deals.kind("Rabbit #0") == 0
    assert deals.won(deals.play(deals.table(stage="bear", sun=18, vixen="a1"), "bear d5")) is None
