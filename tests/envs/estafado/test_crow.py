"""The crow, the bear and the sun; C, H and O numbers as in RULES.md of *Estafado*."""

import estafado_tables as deals
import pytest

pytestmark = pytest.mark.kernels

ALL_CELLS = {f"{column}{row}" for row in range(1, 6) for column in "abcde"}
LINES = {
    "Na": "a", "Nc": "c", "Ne": "e", "E1": "1", "E3": "3", "E5": "5", "Se": "e", "Sc": "c", "Sa": "a", "W5": "5",
    "W1": "1",
}  # fmt: skip


def looking(**settings):
    return deals.table(**{"stage": "look", "crow": "Sc", "eagle": "Na"} | settings)


def exchanging(floor=(), **settings):
    """Return a table where the crow has looked at c5."""
    settings = {"stage": "exchange", "crow": "Sc", "eagle": "Na", "chosen": "c5", "crow_knows": "c5"} | settings
    return deals.table(floor, **settings)


# C8: slide, look, swap


def test_c8_1_she_slides_one_space_either_way_and_must():
    states = deals.table(stage="slide", crow="Sa", eagle="Nc")
    assert deals.choices(states) == {"crow -1", "crow +1"}
    assert deals.at(deals.after(states, "crow +1"), "crow") == "W5"  # round the corner
    assert deals.at(deals.after(states, "crow -1"), "crow") == "Sb"


@pytest.mark.parametrize("name", LINES)
def test_c8_2_she_looks_at_a_card_of_her_line_and_must(name):
    states = looking(crow=name, eagle="Nb" if name != "Nb" else "Sb")
    assert deals.choices(states) == {f"look {one}" for one in ALL_CELLS if LINES[name] in one}


def test_c8_2_of_the_new_line():
    states = deals.play(deals.table(stage="slide", crow="Sc", eagle="Nc"), "crow +1")
    assert deals.targets(states, "look") == {f"b{row}" for row in range(1, 6)}


def test_c8_2_looks_at_unprotected_cards_also_under_tokens():
    states = looking(floor={"c1": "Coyote"}, up="c1", vixen="c2", fox="c3", bear="c4")
    assert deals.targets(states, "look") == {"c3", "c4", "c5"}


def test_c8_2_she_alone_sees_it_and_all_see_where():
    states = deals.play(looking(), "look c4")
    assert "c4" in deals.known(states, deals.CROW)
    assert "c4" not in deals.known(states, deals.FOX) | deals.face_up(states)
    assert deals.at(states, "chosen") == "c4"


def test_c8_2_where_none_is_hidden_she_neither_looks_nor_swaps():
    floor = {"b1": "Coyote", "b2": "Beaver", "b3": "Porcupine", "b4": "Groundhog"}
    states = deals.table(floor, stage="slide", up="b1 b2 b3 b4", vixen="b5", crow="Sc", eagle="Nc")
    before = states[0].cards.copy()
    deals.play(states, "crow +1")
    assert deals.asked(states) == "bear"
    assert (states[0].cards == before).all()


def test_c8_2_the_only_hidden_card_is_looked_at_unasked():
    floor = {"b1": "Coyote", "b2": "Beaver", "b3": "Porcupine", "b4": "Groundhog"}
    states = deals.play(deals.table(floor, stage="slide", up="b1 b2 b3 b4", crow="Sc", eagle="Nc"), "crow +1")
    assert (deals.asked(states), deals.at(states, "chosen")) == ("exchange", "b5")
    assert "b5" in deals.known(states, deals.CROW)


def test_c8_3_she_must_swap_it_with_any_other():
    states = exchanging({"c5": "Bobcat", "a1": "Fisher"})
    assert deals.targets(states, "swap") == ALL_CELLS - {"c5"}
    assert "pass" not in deals.choices(states)
    deals.play(states, "swap a1")
    assert (deals.card(states, "a1"), deals.card(states, "c5")) == ("Bobcat", "Fisher")
    assert deals.asked(states) == "bear"


def test_c8_3_both_keep_their_facing_and_tokens_stay():
    states = exchanging({"c5": "Bobcat", "a1": "Coyote"}, up="a1", fox="a1")
    deals.play(states, "swap a1")
    assert (deals.card(states, "a1"), deals.card(states, "c5"), deals.face_up(states)) == ("Bobcat", "Coyote", {"c5"})
    assert (deals.at(states, "fox"), deals.at(states, "bear")) == ("a1", "e5")


def test_c8_3_nothing_is_activated():
    states = deals.play(exchanging({"c5": "Copperhead"}, fox="a1"), "swap a1")
    assert (states[0].lost, "a1" in deals.face_up(states)) == (0, False)
    states = deals.play(exchanging({"c5": "Rabbit #0"}, fox="a1"), "swap a1")
    assert deals.held(states, "prey") == []


def test_c8_4_what_cannot_be_swapped():
    floor = {"a1": "Rabbit #1", "b1": "Beaver", "c1": "Porcupine", "d1": "Coyote", "e1": "Groundhog"}
    states = exchanging(floor, up="a1 b1 c1 d1 e1", vixen="a2")
    assert ALL_CELLS - deals.targets(states, "swap") == {"c5", "a1", "b1", "c1", "a2"}


def test_c8_4_face_down_cards_may_go_under_bear_and_fox():
    floor = {"c5": "Beaver", "a1": "Porcupine", "e5": "Rabbit #1"}
    states = exchanging(floor, fox="a1", bear="e5")
    assert {"a1", "e5"} <= deals.targets(states, "swap")
    states = deals.play(states, "swap a1")
    assert (deals.card(states, "a1"), deals.card(states, "c5")) == ("Beaver", "Porcupine")


def test_c8_5_the_deck_card_comes_unseen_and_hers_is_gone():
    states = exchanging({"c5": "Bobcat"}, deck="Fisher, Coyote")
    deals.play(states, "deck")
    assert (deals.card(states, "c5"), deals.held(states, "pile")) == ("Fisher", ["Bobcat"])
    assert "c5" not in deals.known(states, deals.CROW) | deals.known(states, deals.FOX) | deals.face_up(states)
    assert "c5" in deals.public(states, "no_rabbit")
    assert states[0].deck_swaps == 2
    assert deals.held(states, "deck")[-1] == "Coyote"


def test_c8_5_the_fox_knows_it_if_he_knew_it():
    for knows in ("c5", "a1"):
        states = deals.play(exchanging({"c5": "Bobcat"}, fox_knows=knows), "deck")
        assert states[0].pile_known[0] == (knows == "c5")


def test_c8_5_three_times_a_deal():
    states = exchanging({"c5": "Copperhead"}, pile="Bobcat, Fisher")
    assert deals.held(deals.play(states, "deck"), "pile")[:2] == ["Bobcat", "Fisher"]
    assert "deck" not in deals.choices(exchanging({"c5": "Copperhead"}, pile="Bobcat, Fisher, Coyote"))


def test_h5_and_o1_only_the_literal_reading_buries_rabbits():
    assert "deck" not in deals.choices(exchanging({"c5": "Rabbit #1"}))
    states = exchanging({"c5": "Rabbit #1"}, setup={"reading": "rulebook"})
    assert deals.held(deals.play(states, "deck"), "pile") == ["Rabbit #1"]
    assert deals.won(states) is None


# C10.2 to C10.4: the bear


def test_c10_2_one_card_in_its_row_or_column():
    assert deals.targets(deals.table(stage="bear", bear="c3"), "bear") == {"c2", "b3", "d3", "c4"}
    assert deals.choices(deals.table(stage="bear", bear="e5")) == {"bear d5", "bear e4"}


def test_c10_2_not_where_it_was_last_turn():
    states = deals.table(stage="bear", bear="c3", before="c2")
    assert deals.targets(states, "bear") == {"b3", "d3", "c4"}
    deals.play(states, "bear d3")
    assert deals.at(states, "bear_before") == "c3"
    deals.play(states, "go b2")
    while deals.asked(states) != "bear":
        deals.play(states, sorted(deals.choices(states))[0])
    assert "c3" not in deals.targets(states, "bear")
    assert "c2" not in deals.targets(states, "bear")


def test_c10_2_nor_onto_the_protected_card():
    assert deals.targets(deals.table(stage="bear", bear="c3", vixen="c2"), "bear") == {"b3", "d3", "c4"}


def test_c10_1_and_c10_2_a_bear_with_the_vixen_cannot_return():
    states = deals.play(deals.table(stage="bear", bear="c3", vixen="c3"), "bear c2")
    assert deals.at(states, "bear") == "c2"
    states[0].stage, states[0].seat, states[0].bear_before = 13, deals.CROW, 25
    assert "c3" not in deals.targets(states, "bear")


def test_c10_1_under_the_vixen_the_fox_is_safe():
    states = deals.table(stage="bear", bear="d5", fox="e5", vixen="e5")
    assert "e5" not in deals.targets(states, "bear")


def test_c10_1_the_crow_cannot_use_the_protected_card():
    assert "c3" not in deals.targets(looking(vixen="c3"), "look")
    assert "a1" not in deals.targets(exchanging(vixen="a1"), "swap")


def test_c10_3_a_bear_without_a_way_stays_and_forgets_its_arrow():
    states = deals.table(stage="exchange", chosen="c5", crow_knows="c5", bear="e5", before="d5", vixen="e4", eagle="Na")
    deals.play(states, "swap a1")
    assert deals.asked(states) == "move"
    assert (deals.at(states, "bear"), deals.at(states, "bear_before"), states[0].sun) == ("e5", None, 1)
    deals.end_round(states)
    assert deals.at(states, "bear") == "d5"


def test_c10_3_after_a_skip_it_keeps_it():
    states = exchanging(bear="d5", before="e5", bear_skip=1)
    deals.play(states, "swap a1")
    assert (deals.at(states, "bear"), deals.at(states, "bear_before"), deals.asked(states)) == ("d5", "e5", "move")


def test_c10_4_the_bear_ignores_what_cards_do():
    states = deals.play(deals.table({"d5": "Copperhead"}, stage="bear", bear="e5"), "bear d5")
    assert (deals.face_up(states), states[0].lost) == (set(), 0)


def test_c11_3_a_lost_turn_does_not_save_the_fox():
    states = deals.play(deals.table(stage="bear", bear="d5", fox="c5", lost=1), "bear c5")
    assert deals.won(states) == ("eaten", deals.CROW)


def test_c11_4_the_bear_comes_before_the_sun():
    assert deals.won(deals.play(deals.table(stage="bear", bear="d5", fox="c5", sun=19), "bear c5")) == (
        "eaten",
        deals.CROW,
    )


def test_c9_1_and_c3_1_the_eagle_wins_where_the_crow_slides():
    assert deals.won(deals.play(deals.table(stage="slide", crow="Sc", eagle="Sd"), "crow -1")) == ("caught", deals.FOX)
