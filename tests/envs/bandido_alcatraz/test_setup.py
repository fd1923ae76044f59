"""The cards and the setup of *Bandido Alcatraz*; C, H and O numbers as in its RULES.md."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from bandido_tables import CORRIDOR, GAME, NAMES, choices, dealt, ends, hand, pile, play, shown, states_of, table
from scale import LONG_IN_PLAIN, scaled

from sobremesa.envs.bandido_alcatraz import cards, state
from sobremesa.envs.core.testing.check import setups

pytestmark = pytest.mark.kernels

every_setup = pytest.mark.parametrize("setup", setups(GAME), ids=str)
OPPOSITE = dict(zip("NESW", "SWNE", strict=True))


def count(states):
    """Return how many cards of each name there are, wherever they lie."""
    one = states[0]
    places = (*one.hand, one.pile[: one.pile_size], one.aside)
    found = Counter(NAMES[number] for place in places for number in place if number != cards.NO_CARD)
    return found + Counter({name: int(played) for name, played in zip(NAMES, one.played, strict=True)})


def tile(states):
    """Return the tunnels of the two halves in the middle."""
    return shown(states, 0, 0), shown(states, 1, 0)


# C1: the cards


def test_c1_1_there_are_69_cards_in_43_kinds():
    assert len(cards.CARDS) == len(set(cards.CARDS)) == len(set(NAMES)) == cards.NUM_KINDS == 43
    assert sum(card.copies for card in cards.CARDS) == cards.NUM_CARDS == 69


def test_c1_1_the_numbers_of_each_kind_of_card():
    sorts = Counter()
    for card in cards.CARDS:
        sorts[card.picture, card.flooded != cards.NO_HALF] += card.copies
    assert sorts == {
        (cards.PLAIN, False): 44,
        (cards.PLAIN, True): 4,
        (cards.RAINCOAT, False): 12,
        (cards.ROPE, False): 8,
        (cards.EXIT, False): 1,
    }


def test_c1_1_every_set_of_one_to_four_openings_exists():
    openings = [("a", side) for side in "WNS"] + [("b", side) for side in "ENS"]
    wanted = Counter()
    for size in range(1, 5):
        for chosen in combinations(openings, size):
            turned = [("ab"["ba".index(half)], OPPOSITE[side]) for half, side in chosen]
            shape = min(sorted(chosen), sorted(turned))
            # three copies if all are on one half, which is cards whose other half is a dead end; two of the others
            wanted[tuple(shape)] = 3 if len({half for half, _ in chosen}) == 1 else 2
    found = Counter()
    for card in cards.CARDS:
        chosen = [("a", side) for side in card.a] + [("b", side) for side in card.b]
        turned = [("ab"["ba".index(half)], OPPOSITE[side]) for half, side in chosen]
        found[tuple(min(sorted(chosen), sorted(turned)))] += card.copies
    assert found == wanted
    assert len(wanted) == 31


def test_c1_1_pictures_are_on_the_cards_with_a_dead_end_alone():
    assert all((card.picture == cards.PLAIN) == bool(card.b) for card in cards.CARDS)
    by_shape = Counter()
    for card in cards.CARDS:
        if not card.b:
            by_shape[card.a, card.picture] += card.copies
    for shape in ("N", "S", "NS", "WN", "WS"):
        assert (by_shape[shape, cards.RAINCOAT], by_shape[shape, cards.ROPE]) == (2, 1)
    assert (by_shape["WNS", cards.RAINCOAT], by_shape["WNS", cards.ROPE]) == (1, 2)
    assert [by_shape["W", picture] for picture in (cards.RAINCOAT, cards.ROPE, cards.EXIT)] == [1, 1, 1]


def test_c1_1_a_flooded_half_has_a_way_out():
    flooded = [card for card in cards.CARDS if card.flooded != cards.NO_HALF]
    assert [(card.a, card.b, card.flooded, card.copies) for card in flooded] == [
        ("N", "S", 1, 1),
        ("W", "E", 1, 1),
        ("W", "N", 1, 1),
        ("W", "NE", 1, 1),
    ]


def test_c1_1_a_turn_takes_tunnels_to_the_next_side_clockwise():
    row = NAMES.index("WN+ES")
    seen = [
        ["".join(side for number, side in enumerate("NESW") if bits >> number & 1) for bits in halves]
        for halves in cards.TUNNELS[row]
    ]
    assert seen == [["NEW", "ESW"], ["NES", "NSW"], ["ESW", "NEW"], ["NSW", "NES"]]
    assert cards.OTHER_SIDE.tolist() == [[1, 3], [2, 0], [3, 1], [0, 2]]


@LONG_IN_PLAIN
@every_setup
def test_c1_2_each_card_is_in_one_place_at_every_ply(setup):
    copies = {name: int(number) for name, number in zip(NAMES, cards.COPIES, strict=True)}
    plies = 0
    for states in states_of(range(max(3, scaled(10))), setup):  # one deal may stop early
        assert count(states) == copies
        assert state.is_complete(states[0])
        plies += 1
    assert plies > 15


def test_c1_2_a_card_that_is_lost_or_there_twice_is_missed():
    for change in (-1, 1):
        states = dealt()
        states[0].played[3] += change
        assert not state.is_complete(states[0])


# C2: the setup


@pytest.mark.parametrize(
    ("difficulty", "halves", "places"),
    [
        ("easy", ("NES", "NESW"), [(0, -1), (0, 1), (1, -1), (2, 0), (1, 1)]),
        ("normal", ("NESW", "NESW"), [(0, -1), (0, 1), (-1, 0), (1, -1), (2, 0), (1, 1)]),
    ],
)
def test_c2_1_the_tile_lies_in_the_middle_on_the_side_chosen(difficulty, halves, places):
    states = dealt(difficulty=difficulty)
    assert tile(states) == halves
    assert sorted(ends(states).values()) == sorted(places)
    assert states[0].ends == len(places)
    assert states[0].cells == 2


def test_c2_1_nothing_fits_onto_the_tile():
    for states in states_of(range(3), {"seats": 2}):
        assert shown(states, 0, 0) == "NESW"
        assert states[0].cell_laid[0] == states[0].cell_laid[1] == 0


def test_c2_2_all_cards_are_shuffled_and_the_exit_is_among_them():
    places = Counter()
    for seed in range(200):
        states = dealt(seed, seats=4)
        order = hand(states, 0) + hand(states, 1) + hand(states, 2) + hand(states, 3) + pile(states)
        assert len(order) == 69
        places[order.index("EXIT")] += 1
    assert len(places) > 50
    assert max(places.values()) < 15
    assert sum(places[place] for place in range(12)) > 10


def test_c2_2_each_seed_gives_its_own_order():
    assert len({tuple(pile(dealt(seed))) for seed in range(50)}) == 50
    assert pile(dealt(7)) == pile(dealt(7))


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_c2_3_everybody_gets_three_cards(seats):
    states = dealt(seats=seats)
    assert [len(hand(states, seat)) for seat in range(4)] == [3] * seats + [0] * (4 - seats)
    assert states[0].pile_size == len(pile(states)) == 69 - 3 * seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_c2_4_h3_who_begins_is_drawn(seats):
    first = Counter(int(dealt(seed, seats=seats)[0].first) for seed in range(240))
    assert set(first) == set(range(seats))
    assert min(first.values()) > 0.6 * 240 / seats
    for seed in range(10):
        states = dealt(seed, seats=seats)
        assert states[0].seat == states[0].first


def test_c2_4_turns_go_clockwise():
    one_each = ["N raincoat, N raincoat, W+S", "S raincoat, S raincoat, W+S", "W raincoat, W rope, N+N"]
    for seat in range(3):
        states = table(hands=one_each, seat=seat, difficulty="normal")
        seats = [seat]
        for _ in range(3):
            play(states, "gather 1")
            seats.append(int(states[0].seat))
        assert seats == [(seat + turn) % 3 for turn in range(4)]


# O1, O2 and all options


def test_o1_the_normal_side_is_the_one_that_nobody_chooses():
    assert dealt()[0].ends == dealt(difficulty="normal")[0].ends == 6
    assert dealt(difficulty="easy")[0].ends == 5


@pytest.mark.parametrize(("chosen", "size"), [("three", 3), ("six", 6)])
def test_o2_c9_1_the_solitaire_has_three_cards_or_six(chosen, size):
    for difficulty in ("easy", "normal"):
        states = dealt(seats=1, solo_hand=chosen, difficulty=difficulty)
        assert len(hand(states, 0)) == size
        assert len(pile(states)) == 69 - size
    assert len(hand(dealt(seats=1), 0)) == 3


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_o2_a_table_of_more_than_one_has_three_cards_each_anyway(seats):
    states = dealt(seats=seats, solo_hand="six")
    assert [len(hand(states, seat)) for seat in range(seats)] == [3] * seats


def test_options_and_what_holds_if_nobody_chooses():
    assert {option.name: option.default for option in GAME.options} == {
        "seats": 2,
        "difficulty": "normal",
        "solo_hand": "three",
        "early_stop": False,
        "signals": False,
    }
    assert list(GAME.seat_range) == [1, 2, 3, 4]


# H2: what is asked


@every_setup
def test_h2_a_seat_with_one_legal_action_is_not_asked(setup):
    mask = np.zeros(GAME.num_actions, np.int8)
    for states in states_of(range(scaled(10)), setup):
        mask[:] = 0
        GAME.legal(states[0], mask)
        assert states[0].over or mask.sum() > 1
        assert not states[0].over or mask.sum() == 0


def test_h2_of_equal_cards_the_first_slot_is_offered():
    states = table(hands=["N+N, N raincoat, N+N, S raincoat, S raincoat, N raincoat"], setup={"solo_hand": "six"})
    assert {name for name in choices(states) if "gather" in name} == {"gather 2", "gather 4"}
    play(states, "end 4")
    assert {name[0] for name in choices(states)} == {"1", "2", "4"}


@pytest.mark.parametrize(("name", "number"), [("N+S", 4), ("W+E", 4), ("NS+NS", 4), ("N+N", 8), ("N raincoat", 8)])
def test_h2_of_ways_that_look_alike_the_first_is_offered(name, number):
    assert cards.DISTINCT[NAMES.index(name)].sum() == number


def test_h2_water_tells_the_halves_of_a_card_apart():
    assert cards.DISTINCT[NAMES.index("N+S~")].all()
    assert cards.DISTINCT[NAMES.index("W+E~")].all()


def test_h2_the_only_way_to_lay_a_card_is_not_asked():
    states = play(table(CORRIDOR, ["W+E, NS raincoat, N+N"], top="N+N"), "end 4")
    assert (shown(states, 2, 0), shown(states, 3, 0)) == ("EW", "EW")
    assert states[0].turns == 2


def test_h2_a_turn_with_one_legal_action_is_played_unasked():
    states = table(CORRIDOR, ["W raincoat, W+NS, N+N", "W+E, N+N, N+S"], top="N+ES, N+ES")
    play(states, "gather 1")  # seat 1 can lay one card in one way
    assert states[0].seat == 0
    assert states[0].turns == 3
    assert shown(states, 3, 0) == "EW"
    assert hand(states, 1) == ["N+ES", "N+N", "N+S"]


# Memory


def test_the_readme_tells_how_much_memory_a_table_takes():
    size, views = GAME.state.itemsize, GAME.layout.size
    whole = size + 4 * views + GAME.num_actions
    readme = " ".join((Path(state.__file__).parent / "README.md").read_text(encoding="utf-8").split())
    assert f"A table takes {size:,} bytes; with the observation ({views:,} numbers) and the mask" in readme
    assert f"{whole:,} bytes. 4,096 tables are {whole * 4096 / 1e6:.0f} MB" in readme
