"""Knowledge and memory of each seat; C12, C2.6 and H16 as in RULES.md of *Estafado*."""

import estafado_tables as deals
import numpy as np
import pytest
from scale import scaled

from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.envs.estafado import cards
from sobremesa.envs.estafado.observe import PLANES

pytestmark = pytest.mark.kernels


def cell_of(name):
    return "abcde".index(name[0]) + 5 * (int(name[1]) - 1)


def seen_floor(states, seat):
    """Return the features of each cell's card that `seat` knows, {name of the cell: numbers}."""
    floor = deals.view(states, seat)["floor"].reshape(cards.NUM_FEATURES, 25)
    return {f"{'abcde'[place % 5]}{place // 5 + 1}": floor[:, place] for place in range(25) if floor[:, place].any()}


def plane(states, seat, name):
    """Return the names of the cells that are marked on a plane."""
    marks = deals.view(states, seat)["cells"][PLANES.index(name)].reshape(25)
    return {f"{'abcde'[place % 5]}{place // 5 + 1}" for place in np.flatnonzero(marks)}


def features(name):
    return cards.FEATURES_OF[deals.NAMES.index(name)]


def test_c12_1_a_seat_sees_the_cards_it_knows_and_no_others():
    states = deals.table({"a5": "Bobcat", "b5": "Mosquito", "c5": "Coyote"}, fox_knows="a5", crow_knows="b5", up="c5")
    for seat, names in ((deals.FOX, {"a5", "c5"}), (deals.CROW, {"b5", "c5"})):
        seen = seen_floor(states, seat)
        assert set(seen) == names
        assert all((numbers == features(deals.card(states, name))).all() for name, numbers in seen.items())
        assert plane(states, seat, "known") == names
    assert plane(states, deals.FOX, "known to the other") == {"b5", "c5"}


def test_c12_1_only_the_place_of_a_look_is_public():
    floor = {"c4": "Bobcat", "c5": "Mosquito"}
    states = deals.play(deals.table(floor, stage="look", crow="Sc"), "look c4")
    assert "c4" in seen_floor(states, deals.CROW)
    assert "c4" not in seen_floor(states, deals.FOX)
    assert plane(states, deals.FOX, "known to the other") == {"c4"}
    assert plane(states, deals.FOX, "chosen to be swapped") == {"c4"}
    other = deals.play(deals.table({"c5": "Bobcat", "c4": "Mosquito"}, stage="look", crow="Sc"), "look c4")
    assert deals.same_views(states, other, deals.FOX)
    assert not deals.same_views(states, other, deals.CROW)


def test_c12_1_memory_follows_cards_through_the_crows_swaps():
    floor = {"c5": "Bobcat", "a1": "Fisher"}
    states = deals.table(floor, stage="exchange", chosen="c5", crow_knows="c5", fox_knows="c5 b2")
    deals.play(states, "swap a1")
    assert deals.known(states, deals.FOX) == {"a1", "b2"}
    assert deals.known(states, deals.CROW) == {"a1"}
    assert (seen_floor(states, deals.FOX)["a1"] == features("Bobcat")).all()
    assert (seen_floor(states, deals.CROW)["a1"] == features("Bobcat")).all()


def test_c12_1_and_through_the_foxs():
    floor = {"c1": "Monarch Butterfly", "a5": "Bobcat"}
    states = deals.play(deals.table(floor, fox_knows="a5", crow_knows="e1"), "go c1", "swap a5", "swap e1")
    assert deals.known(states, deals.FOX) == {"c1", "e1"}
    assert deals.known(states, deals.CROW) == {"c1", "a5"}


def test_c12_1_cards_turned_down_are_remembered():
    states = deals.play(deals.table({"c1": "Mosquito"}), "go c1")
    for seat in (deals.FOX, deals.CROW):
        assert (seen_floor(states, seat)["c1"] == features("Mosquito")).all()


def test_c12_1_the_hurricane_erases_what_it_mixes():
    floor = {"c1": "Hurricane", "a5": "Bobcat", "b5": "Fisher", "d5": "Coyote"}
    states = deals.table(floor, fox_knows="a5 b5", crow_knows="a5", up="d5", vixen="b5")
    deals.play(states, "go c1")
    assert set(seen_floor(states, deals.FOX)) == {"b5", "d5"}
    assert set(seen_floor(states, deals.CROW)) == {"d5"}


def test_c12_1_and_h16_so_does_a_theft():
    floor = {"c1": "Raccoon", "a5": "Bobcat", "b5": "Fisher", "d5": "Coyote", "e5": "Hurricane"}
    states = deals.table(floor, fox_knows="a5 b5", crow_knows="a5", up="d5", vixen="b5", prey="Rabbit #0,")
    deals.play(deals.reseeded(states, 3), "go c1")
    deals.play(states, "go c1")
    assert set(seen_floor(states, deals.FOX)) == {"b5", "c1", "d5", "e5"}
    assert set(seen_floor(states, deals.CROW)) == {"c1", "d5", "e5"}


def test_c12_1_a_theft_shows_nobody_where():
    floor = {"c1": "Raccoon", "a5": "Bobcat", "b5": "Fisher"}
    states = deals.table(floor, prey="Rabbit #0,")
    first = None
    for seed in range(scaled(50)):
        after_theft = deals.play(deals.reseeded(states, seed), "go c1")
        first = first if first is not None else after_theft
        assert deals.same_views(first, after_theft, deals.FOX)
        assert deals.same_views(first, after_theft, deals.CROW)


def test_c12_1_the_hand_is_the_foxs_own():
    one, other = deals.dealt(1), deals.dealt(1)
    slot = next(slot for slot in range(5) if other[0].hand[slot] != other[0].deck[0])
    other[0].hand[slot], other[0].deck[0] = one[0].deck[0], one[0].hand[slot]
    assert cards.HURRICANE not in (one[0].hand[slot], one[0].deck[0])
    assert not deals.same_views(one, other, deals.FOX)
    assert deals.same_views(one, other, deals.CROW)
    assert not deals.view(one, deals.CROW)["hand"].any()
    assert deals.view(one, deals.CROW)["backs"][:5].tolist() == [1] * 5


def test_c12_1_the_fox_sees_only_buried_cards_it_knew():
    states = deals.table({"c5": "Bobcat"}, stage="exchange", chosen="c5", crow_knows="c5", pile="Copperhead,")
    blind = deals.after(states, "deck")
    assert (deals.view(blind, deals.CROW)["pile"][:2] == [features("Copperhead"), features("Bobcat")]).all()
    assert not deals.view(blind, deals.FOX)["pile"].any()
    states[0].known[deals.FOX, cell_of("c5")] = 1
    knowing = deals.after(states, "deck")
    assert (deals.view(knowing, deals.FOX)["pile"][1] == features("Bobcat")).all()
    assert not deals.view(knowing, deals.FOX)["pile"][0].any()


def test_c12_1_what_all_know_of_buried_cards_is_marked():
    states = deals.table({"c5": "Bobcat"}, stage="exchange", chosen="c5", crow_knows="c5", pile="Copperhead,")
    states[0].swappable[cell_of("c5")] = 1
    blind = deals.after(states, "deck")
    assert deals.view(blind, deals.FOX)["pile_marks"].tolist() == [[1, 1, 0], [1, 1, 1], [0, 0, 0]]
    assert deals.view(blind, deals.CROW)["pile_marks"].tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 0]]
    states[0].known[deals.FOX, cell_of("c5")] = 1
    assert deals.view(deals.after(states, "deck"), deals.CROW)["pile_marks"].tolist() == [
        [0, 1, 0],
        [1, 1, 1],
        [0, 0, 0],
    ]
    settings = {"stage": "exchange", "chosen": "c5", "crow_knows": "c5", "setup": {"reading": "rulebook"}}
    buried = deals.play(deals.table({"c5": "Bobcat"}, **settings), "deck")
    assert deals.view(buried, deals.FOX)["pile_marks"].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_c12_1_cards_from_the_deck_are_known_as_no_rabbits():
    states = deals.play(deals.table({"c1": "Rabbit #0"}), "go c1")
    assert plane(states, deals.CROW, "no rabbit") == plane(states, deals.FOX, "no rabbit") == {"c1"}


def test_c2_6_a_hurricane_in_hand_or_on_deck_is_known_to_both():
    states = deals.table(hand="Bobcat, Hurricane")
    assert deals.view(states, deals.CROW)["backs"].tolist() == [1, 1, 0, 0, 0, 1, 0]
    states = deals.table(deck="Hurricane")
    assert deals.view(states, deals.FOX)["backs"][6] == deals.view(states, deals.CROW)["backs"][6] == 1
    states = deals.table(deck="Bobcat, Hurricane")
    assert not deals.view(states, deals.FOX)["backs"].any()


def test_c2_6_and_c12_2_an_unseen_hurricane_is_deep_in_the_deck():
    states = deals.table(deck="Bobcat, Hurricane", prey="Rabbit #0, Rabbit #1", pile="Coyote, Raccoon, Fisher")
    redeal = redealt(deals.GAME)
    guessed = {redeal(states, deals.CROW, seed)[0].deck.tolist().index(cards.HURRICANE) for seed in range(50)}
    assert guessed == set(range(states[0].deck_size - 1))


def test_c2_6_a_hurricane_is_known_in_the_crows_pile():
    states = deals.table({"c5": "Hurricane"}, stage="exchange", chosen="c5", crow_knows="c5")
    deals.play(states, "deck")
    assert (deals.view(states, deals.FOX)["pile"][0] == features("Hurricane")).all()
    assert deals.held(states, "pile") == ["Hurricane"]


def test_c12_1_what_is_unseen_adds_up():
    for states in deals.states_of(range(scaled(20))):
        for seat in (deals.FOX, deals.CROW):
            blocks = deals.view(states, seat)
            unseen = (blocks["unseen"] * cards.COPIES).round().astype(int)
            assert (unseen >= 0).all()
            one = states[0]
            hidden = 25 - int(one.known[seat].sum()) + int(one.deck_size)
            hidden -= one.deck[one.deck_size - 1] == cards.HURRICANE
            if seat == deals.CROW:
                hidden += sum(number not in (cards.NO_CARD, cards.HURRICANE) for number in one.hand)
            else:
                hidden += len(deals.held(states, "pile")) - int(one.pile_known.sum())
            assert unseen.sum() == hidden


def test_c12_1_symbols_found_missing_stay_with_the_card():
    floor = {"c1": "Monarch Butterfly", "a5": "Bobcat", "b5": "Fisher"}
    states = deals.play(deals.table(floor), "go c1", "swap a5", "swap b5")
    assert plane(states, deals.CROW, "does not bar swaps") == {"c1", "a5", "b5"}
    states[0].stage, states[0].seat, states[0].chosen = 12, deals.CROW, cell_of("a5")
    states[0].known[deals.CROW, cell_of("a5")] = 1
    deals.play(states, "swap e1")
    assert deals.public(states, "swappable") == {"c1", "e1", "b5"}
