"""Turns of *Bandido Alcatraz*: digging, gathering and drawing; C and H numbers as in its RULES.md."""

from itertools import pairwise

import bandido_tables as deals
import numpy as np
import pytest
from scale import LONG_IN_PLAIN, PLAIN, scaled

from sobremesa.envs.bandido_alcatraz import cards, state
from sobremesa.envs.core.compile.kernel import as_python

pytestmark = pytest.mark.kernels

MATERIAL = "N raincoat, S raincoat, W raincoat"


# C3: the turn


def test_c3_1_one_card_is_played_and_the_next_seat_follows():
    states = deals.table(
        hands=["N+N, N+S, N raincoat", "S+N, W+N, N raincoat", "W+S, W+S, S raincoat"], top="W+E, W+ES"
    )
    deals.play(states, "gather 3")
    assert (states[0].seat, states[0].turns) == (1, 2)
    deals.play(states, "end 4", "2b south")
    assert (states[0].seat, states[0].turns) == (2, 3)
    assert deals.told(states, "lays") == [1]
    assert deals.told(states, "turn") == [2]


def test_c3_1_a_card_that_is_dug_leaves_the_hand():
    states = deals.table(hands=["N+N, W+E, N+ES"], top="WS+NS")
    deals.play(states, "end 4", "2a east")
    assert deals.hand(states, 0) == ["N+N", "WS+NS", "N+ES"]
    assert states[0].played[deals.NAMES.index("W+E")] == 1


@pytest.mark.parametrize("slot", [1, 2, 3])
def test_c3_3_one_card_is_drawn_into_the_place_of_the_one_played(slot):
    cards_held = ["N raincoat", "W rope", "WN raincoat"]
    states = deals.table(hands=[cards_held, MATERIAL], top="NS+NS, S+ES")
    deals.play(states, f"gather {slot}")
    wanted = list(cards_held)
    wanted[slot - 1] = "NS+NS"
    assert deals.hand(states, 0) == wanted
    assert deals.hand(states, 1) == MATERIAL.split(", ")
    assert deals.pile(states)[0] == "S+ES"
    assert ("draws", 0, 0, 0) in deals.news(states)


def test_c3_3_nothing_is_drawn_from_an_empty_pile():
    states = deals.table(hands=["N raincoat, W rope, WN raincoat", MATERIAL], pile="")
    deals.play(states, "gather 2")
    assert deals.hand(states, 0) == ["N raincoat", "WN raincoat"]
    assert states[0].hand[0].tolist()[1] == cards.NO_CARD
    assert not deals.told(states, "draws")
    assert not states[0].over


def test_c3_3_the_last_card_of_the_pile_is_drawn():
    states = deals.play(deals.table(hands=["N raincoat, W rope, WN raincoat", MATERIAL], pile="EXIT"), "gather 1")
    assert deals.hand(states, 0)[0] == "EXIT"
    assert states[0].pile_size == 0


def test_c3_4_where_is_chosen_before_which_card_and_how():
    states = deals.table(hands=["N+N, W+E, N raincoat"])
    assert deals.choices(states) == {"end 1", "end 2", "end 3", "end 4", "end 5", "gather 3"}
    before = states.copy()
    deals.play(states, "end 4")
    assert states[0].stage == state.HOW
    assert deals.choices(states) == deals.ways(before, "end 4") == {"1a north", "1b south", "2a east", "3a north"}
    for field in ("hand", "pile", "laid", "cells", "ends", "turns", "seat"):
        assert (states[0][field] == before[0][field]).all()


def test_c3_4_halves_lie_on_the_cell_and_on_the_named_side():
    states = deals.table(hands=["W+NE, N+N, N raincoat"])
    laid = deals.after(states, "end 4", "1a east")
    assert (deals.shown(laid, 2, 0), deals.shown(laid, 3, 0)) == ("EW", "NEW")
    laid = deals.after(states, "end 4", "1b east")
    assert (deals.shown(laid, 2, 0), deals.shown(laid, 3, 0)) == ("ESW", "EW")
    laid = deals.after(states, "end 4", "1b south")
    assert (deals.shown(laid, 2, 0), deals.shown(laid, 2, 1)) == ("NSW", "NS")


@LONG_IN_PLAIN
@pytest.mark.parametrize("setup", [{"seats": 1}, {"seats": 2}, {"seats": 4, "difficulty": "easy"}], ids=str)
def test_c3_6_ends_and_floods_keep_their_numbers(setup):
    kept = closed = 0
    for seed in range(scaled(30)):
        for one, other in pairwise(deals.states_of([seed], setup)):
            for numbers in (_numbered, _floods):
                before, later = numbers(one[0]), numbers(other[0])
                assert all(before[name] == later[name] for name in before.keys() & later.keys())
                kept += len(before.keys() & later.keys())
                closed += len(before.keys() - later.keys())
    assert kept > 100
    assert closed > 10


def _numbered(one):
    slots = np.flatnonzero(one.end_cell != state.NO_CELL)
    return {(int(one.end_cell[slot]), int(one.end_side[slot])): int(slot) for slot in slots}


def _floods(one):
    return {int(cell): slot for slot, cell in enumerate(one.flood) if cell != state.NO_CELL}


def test_c3_6_a_new_end_takes_the_first_number_that_is_free():
    states = deals.table(hands=["N+N, W+E, N raincoat"], top="W+S, W+S")
    deals.play(states, "end 1", "1b east")  # joins the two ends to the north
    assert set(deals.ends(states)) == {"end 2", "end 4", "end 5"}
    deals.play(states, "end 4", "2a east")
    assert set(deals.ends(states)) == {"end 1", "end 2", "end 5"}
    assert deals.ends(states)["end 1"] == (4, 0)


# C3.5 and C3.6: how far and how many


def test_c3_6_no_more_than_63_ends_can_be_open():
    most = 6  # of the tile; a card joins one at least and opens its others
    for card in cards.CARDS:
        openings = len(card.a) + len(card.b)
        most += card.copies * max(0, openings - 1 - 1)
    assert most == cards.MOST_ENDS == len(deals.dealt()[0].end_cell) == 63


def test_c3_5_no_more_than_140_cells_can_be_covered():
    assert 2 * (1 + 69) == cards.MOST_CELLS == len(deals.dealt()[0].cell_x) == 140
    assert state.EMPTY > cards.MOST_CELLS
    assert state.INDEX >= 2 * cards.MOST_CELLS


def drive(order, pull, score, tried=1):
    """Play a solitaire whose cards come in `order`; give the table after each turn.

    Each card goes to one of the `tried` ends that `pull` says most of, in the way after which `score` is highest.
    """
    states = deals.table(hands=[order[:6]], pile=order[6:], difficulty="normal", setup={"solo_hand": "six"})
    while not states[0].over:
        places = {name: place for name, place in deals.ends(states).items() if name in deals.choices(states)}
        if not places:
            return
        wheres = sorted(places, key=lambda name: -pull(*places[name]))[:tried]
        _, where, way = max(
            (score(deals.laid_at(states, where, way, hand_by_slot(states)[int(way[0]) - 1])), where, way)
            for where in wheres
            for way in deals.ways(states, where)
        )
        deals.step(states, where)
        if not states[0].over and states[0].stage == state.HOW:
            deals.step(states, way)
        yield states


def hand_by_slot(states):
    """Return the cards of the solitaire, None for no card."""
    return [deals.NAMES[number] if number != cards.NO_CARD else None for number in states[0].hand[0]]


def by_openings(most_first):
    """Return all cards, those with the most openings first or last."""
    order = [name for name, copies in zip(deals.NAMES, cards.COPIES, strict=True) for _ in range(copies)]
    openings = [len(card.a + card.b) for card in cards.CARDS]
    return sorted(
        order, key=lambda name: -openings[deals.NAMES.index(name)] if most_first else openings[deals.NAMES.index(name)]
    )


def every_cell_is_found(states):
    """Say whether the table finds each covered cell by its place, and no more of them."""
    one = states[0]
    places = [(int(x), int(y)) for x, y in zip(one.cell_x, one.cell_y, strict=True)][: one.cells]
    assert len(set(places)) == one.cells == 2 * int(one.laid)
    assert (one.index != state.EMPTY).sum() == one.cells
    around = {(x + 1, y) for x, y in places} | {(x, y + 1) for x, y in places}
    assert not any(deals.found(states, x, y) is not None for x, y in around - set(places))
    return [deals.found(states, x, y) for x, y in places] == list(range(one.cells))


def test_c3_6_as_many_ends_as_can_be_open_have_numbers():
    most = 0
    for states in drive(by_openings(True), lambda x, y: abs(x) + abs(y), lambda later: int(later[0].ends), 3):
        one = states[0]
        assert one.ends == len(set(deals.ends(states))) == (one.end_cell != state.NO_CELL).sum()
        assert len(_numbered(one)) == one.ends
        most = max(most, int(one.ends))
        if one.laid == 40:  # the tile and each card with three openings or four
            break
    assert most == cards.MOST_ENDS
    deals.checked(states)
    assert every_cell_is_found(states)


@LONG_IN_PLAIN
@pytest.mark.parametrize("side", "NE" if PLAIN else deals.SIDES)
def test_c3_5_a_network_may_go_far_to_one_side(side):
    across, down = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}[side]

    def reach(later):
        return max((x * across + y * down for x, y in deals.ends(later).values()), default=-1)

    farthest = 0
    for states in drive(by_openings(False)[::-1], lambda x, y: x * across + y * down, reach):
        farthest, last = max(farthest, reach(states)), states
    assert farthest >= 70
    deals.checked(last)
    assert every_cell_is_found(last)


@pytest.mark.parametrize(("across", "down"), [(2, 0), (-2, 0), (0, 2), (0, -2), (2, 1), (-2, -1), (2, -2), (-1, 2)])
def test_c3_5_the_farthest_places_are_found(across, down):
    states = deals.bare()
    for number in range(1, 70):
        x, y = number * across, number * down
        deals.lay(states, None, x, y, "E" if across else "S")
    one = states[0]
    assert one.cells == cards.MOST_CELLS
    assert one.ends <= 6
    places = list(zip(one.cell_x.tolist(), one.cell_y.tolist(), strict=True))
    assert len(set(places)) == cards.MOST_CELLS
    assert [deals.found(states, x, y) for x, y in places] == list(range(cards.MOST_CELLS))
    assert deals.found(states, 70 * across, 70 * down) is None


def test_c3_5_an_empty_place_is_empty_despite_hash_collisions():
    """Cells fill the index from the spot of an empty place on, up to the cell of a place in its row."""
    states, spot = deals.bare(), as_python(state.first_place)
    for number in range(6):
        rows = range(3 + 10 * number, 13 + 10 * number)
        x, y = next((x, y) for y in rows for x in range(-60, 60) if spot(x, y) == spot(-20, 0) + number)
        deals.lay(states, None, x, y, "E")
    deals.lay(states, None, -6, 0, "S")
    assert spot(-6, 0) == spot(-20, 0) + 6
    assert deals.found(states, -6, 0) is not None
    assert deals.found(states, -20, 0) is None


# C4: digging


def test_c4_1_no_half_lies_on_a_dry_half():
    states = deals.table((("W+E", 2, 0, "E"),), ["N+N, WN+ES, S+NS"])
    for where in deals.ends(states):
        x, y = deals.ends(states)[where]
        for way in deals.ways(states, where):
            side = way.split()[1][0].upper()
            beyond = {"N": (x, y - 1), "E": (x + 1, y), "S": (x, y + 1), "W": (x - 1, y)}[side]
            assert deals.shown(states, x, y) is None
            assert deals.shown(states, *beyond) is None


def test_c4_1_a_corridor_leaves_room_to_the_end_of_it_alone():
    states = deals.table(deals.CORRIDOR, ["W+E, W+NES, N+N"])
    assert deals.ways(states, "end 4") == {"1a east", "2a east"}


@pytest.mark.parametrize(
    ("above", "wanted"), [("WS+NS", "3a east"), ("WS+NE", "4a east"), ("WN+NS", "2a east"), ("WN+NE", "1a east")]
)
def test_c4_2_every_touching_side_must_match(above, wanted):
    # The tile opens to (2, 0); the card above (2, 0) and (3, 0) opens to both, one or none of them.
    states = deals.table(
        ((above, 2, -1, "E"),), ["W+E, W+NE, WN+NE, WN+ES"], lost="N+NES, N+NES", setup={"solo_hand": "six"}
    )
    assert {way for way in deals.ways(states, deals.end_at(states, 2, 0)) if way.endswith("a east")} == {wanted}


def test_c4_2_earth_may_touch_earth():
    states = deals.table(deals.CORRIDOR, ["W raincoat, W rope, N+N"])
    assert "1a east" in deals.ways(states, "end 4")
    laid = deals.after(states, "end 4", "1a east")
    assert (deals.shown(laid, 2, 0), deals.shown(laid, 3, 0)) == ("EW", "W")


def test_c4_2_a_card_may_join_two_open_ends():
    states = deals.table(hands=["N+N, S+N, W+E"])
    assert "1b east" in deals.ways(states, "end 1")
    laid = deals.after(states, "end 1", "1b east")
    assert deals.shown(laid, 0, -1) == "ES"
    assert laid[0].ends == 3


def test_c4_3_a_card_joins_an_open_tunnel():
    for states in list(deals.states_of(range(scaled(20)), {"seats": 2}, 60))[::5]:
        one = states[0]
        for where in set(deals.ends(states)) & deals.choices(states):
            number = int(where.split()[1]) - 1
            cell, side = int(one.end_cell[number]), deals.SIDES[one.end_side[number]]
            facing = "SWNE"["NESW".index(side)]
            for way in sorted(deals.ways(states, where))[:2]:
                name = deals.NAMES[one.hand[one.seat, int(way[0]) - 1]]
                later = deals.laid_at(states, where, way, name)
                assert facing in deals.shown(later, *deals.ends(states)[where])
                assert side in deals.shown(later, int(one.cell_x[cell]), int(one.cell_y[cell]))


def test_c4_3_touching_earth_is_not_enough():
    # The card could lie at (-1, 0) beside the closed west of the easy tile; no end leads there.
    states = deals.table(hands=["S+N, W+E, N+ES"])
    assert (-1, 0) not in deals.ends(states).values()
    assert set(deals.choices(states)) == set(deals.ends(states))


@pytest.mark.parametrize("shape", ["N", "S", "W", "NS", "WN", "WS", "WNS"])
def test_c4_4_pictures_do_not_matter_for_digging(shape):
    states = deals.table(hands=[f"{shape} raincoat, {shape} rope, N+N"])
    assert any(way[0] == "1" for where in deals.ends(states) for way in deals.ways(states, where))
    for where in deals.ends(states):
        found_ways = deals.ways(states, where)
        assert {way[1:] for way in found_ways if way[0] == "1"} == {way[1:] for way in found_ways if way[0] == "2"}


def test_c4_4_what_is_dug_is_not_gathered():
    states = deals.play(deals.table(hands=["W raincoat, W rope, N+N", MATERIAL.replace("W", "NS")]), "end 4", "1a east")
    assert (states[0].raincoats, states[0].ropes) == (0, 0)
    assert states[0].played[deals.NAMES.index("W raincoat")] == 1


def test_c4_5_the_exit_goes_wherever_it_fits():
    states = deals.table((("W+N", 2, 0, "E"), ("WNS raincoat", 1, 1, "S")), ["EXIT, N+N, W+E"])
    for where, (x, y) in deals.ends(states).items():
        ways_out = [way for way in deals.ways(states, where) if way[0] == "1"]
        assert len(ways_out) == ((x, y) != (0, 1)), where  # between the tile and the raincoat it would meet a tunnel
    laid = deals.after(states, "end 1", "1a north")
    assert laid[0].exit_laid
    assert not states[0].exit_laid
    assert deals.shown(laid, 0, -1) == "NS"


# C7: material


@pytest.mark.parametrize("shape", ["N", "S", "W", "NS", "WN", "WS", "WNS"])
def test_c7_1_raincoats_and_ropes_may_be_gathered(shape):
    states = deals.table(hands=[f"{shape} raincoat, {shape} rope, N+N", "N+S, S+N, W+S"])
    assert {"gather 1", "gather 2"} <= deals.choices(states)
    raincoat, rope = deals.after(states, "gather 1")[0], deals.after(states, "gather 2")[0]
    assert (raincoat.raincoats, raincoat.ropes, rope.raincoats, rope.ropes) == (1, 0, 0, 1)


def test_c7_1_nothing_else_may_be_gathered():
    states = deals.table(hands=["EXIT, N+N, W+E~"])
    assert not {name for name in deals.choices(states) if name.startswith("gather")}


def test_c7_1_gathering_changes_nothing_on_the_table():
    states = deals.table(hands=["N raincoat, N rope, N+N", MATERIAL.replace("N ", "NS ")])
    later = deals.after(states, "gather 1")
    for field in ("laid", "cells", "ends", "end_cell", "end_side", "flood"):
        assert (states[0][field] == later[0][field]).all()


@pytest.mark.parametrize("raincoats", range(4))
@pytest.mark.parametrize("ropes", range(3))
def test_c7_2_h8_no_more_than_three_raincoats_and_two_ropes(raincoats, ropes):
    gathered = ["NS raincoat", "NS raincoat", "WN raincoat"][:raincoats] + ["NS rope", "WN rope"][:ropes]
    states = deals.table(hands=["W raincoat, W rope, N+N"], gathered=gathered)
    wanted = {"gather 1"} if raincoats < 3 else set()
    wanted |= {"gather 2"} if ropes < 2 else set()
    assert {name for name in deals.choices(states) if name.startswith("gather")} == wanted


def test_c7_2_what_is_too_much_may_be_dug():
    gathered = ["NS raincoat", "NS raincoat", "WN raincoat", "NS rope", "WN rope"]
    states = deals.table(deals.BEND, ["S rope, W+N~, WS rope"], gathered=gathered)
    assert deals.choices(states) == {deals.end_at(states, 2, 0)}
    assert "1a south" in deals.ways(states, deals.end_at(states, 2, 0))


def test_c7_3_what_was_gathered_does_not_come_back():
    states = deals.table(hands=["W raincoat, N raincoat, W rope", MATERIAL.replace("W ", "WN ")])
    deals.play(states, "gather 1")
    assert states[0].played[deals.NAMES.index("W raincoat")] == 1
    assert "W raincoat" not in deals.hand(states, 0) + deals.hand(states, 1) + deals.pile(states)
    assert deals.NAMES.index("W raincoat") not in states[0].laid_kind


def test_c7_3_the_material_only_grows():
    for seed in range(scaled(10)):
        for one, other in pairwise(deals.states_of([seed], {"seats": 3})):
            assert one[0].raincoats <= other[0].raincoats <= 3
            assert one[0].ropes <= other[0].ropes <= 2
            assert (one[0].played <= other[0].played).all()
