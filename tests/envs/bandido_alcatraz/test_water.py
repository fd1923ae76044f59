"""Water in *Bandido Alcatraz*; C6 numbers as in its RULES.md.

In the corridor of the easy tile, which leads east to (2, 0), a card with water has its dry half at (2, 0) and its
flooded one at (3, 0).
"""

import bandido_tables as deals
import pytest
from scale import scaled

pytestmark = pytest.mark.kernels

STRAIGHT = (*deals.CORRIDOR, ("W+E~", 2, 0, "E"))
FORK = (*deals.CORRIDOR, ("W+NE~", 2, 0, "E"))  # the water has ways out to the north and to the east
SIX = {"solo_hand": "six"}
MATERIAL = "NS raincoat, NS raincoat, WN raincoat, NS rope, WN rope"


def covering(states):
    """Return the ways to cover the water."""
    return {way for where in deals.floods(states) for way in deals.ways(states, where)}


# C6.1


def test_c6_1_the_half_named_on_the_card_lies_under_water():
    states = deals.play(deals.table(deals.CORRIDOR, ["W+E~, W raincoat, N+N"]), "end 4", "1a east")
    assert deals.floods(states) == {"water 1": (3, 0)}
    states = deals.play(deals.table(hands=["W+E~, W raincoat, N+N"]), "end 4", "1b east")
    assert deals.floods(states) == {"water 1": (2, 0)}


def test_c6_1_water_in_sight_at_the_end_loses():
    states = deals.table(STRAIGHT, ["EXIT, W+S, N+N"], gathered=MATERIAL)
    lost = deals.after(states, deals.end_at(states, 4, 0), "1a east")
    assert deals.ended(lost) == ("closed", False)
    assert deals.floods(lost)


def test_c6_1_water_that_is_covered_does_not_matter():
    # The half that covers the water leads on to EXIT.
    states = deals.table((*STRAIGHT, ("W+S", 3, 0, "E")), ["EXIT, N+N, N+NS"], gathered=MATERIAL)
    assert not deals.floods(states)
    assert deals.ended(deals.play(states, deals.end_at(states, 4, 1), "1a south")) == ("closed", True)


def test_c3_6_water_is_numbered_in_the_order_in_which_it_comes():
    states = deals.table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+N, W+S, N+NE"])
    assert deals.floods(states) == {"water 1": (3, 0), "water 2": (4, 0)}


# C6.2


def test_c6_2_the_covering_half_has_the_very_same_tunnels():
    states = deals.table(STRAIGHT, ["W+S, W+ES, WN+ES, WS+NE, S+NE, NS+NS"], setup=SIX)
    assert covering(states) == {"1a east", "2a east"}
    laid = deals.after(states, "water 1", "2a east")
    assert (deals.shown(laid, 2, 0), deals.shown(laid, 3, 0), deals.shown(laid, 4, 0)) == ("EW", "EW", "ESW")
    assert not deals.floods(laid)


def test_c6_2_a_dead_end_covers_water_only_with_its_open_half():
    states = deals.table(STRAIGHT, ["W raincoat, NS rope, N+N"])
    assert covering(states) == {"1a east"}
    laid = deals.after(states, "water 1")
    assert (deals.shown(laid, 3, 0), deals.shown(laid, 4, 0)) == ("EW", "W")
    assert deals.ended(laid) == ("closed", False)


def test_c6_2_the_covering_half_has_the_same_tunnels():
    # The water at (3, 0) has tunnels to the west, the north and the east.
    states = deals.table(FORK, ["W+ES, WN+ES, WS+NE, WNS rope, WN rope, W raincoat"], setup=SIX)
    assert covering(states) == {"1b east", "2a east", "5a east"}


def test_c6_2_the_other_half_lies_on_an_empty_cell():
    states = deals.table(FORK, ["WN+ES, W+NS, N+N"])
    assert covering(states) == {"1a east", "2b north"}
    east, north = deals.after(states, "water 1", "1a east"), deals.after(states, "water 1", "2b north")
    assert (deals.shown(east, 3, 0), deals.shown(east, 4, 0), deals.shown(east, 3, -1)) == ("NEW", "ESW", None)
    assert (deals.shown(north, 3, 0), deals.shown(north, 4, 0), deals.shown(north, 3, -1)) == ("NEW", None, "NS")
    for laid in (east, north):
        assert laid[0].cells == states[0].cells + 1
        assert laid[0].laid == states[0].laid + 1
        assert not deals.floods(laid)


def test_c6_2_the_dry_half_is_never_covered():
    for states in (deals.table(STRAIGHT, ["W+S, W+N, W+NS"]), deals.table(FORK, ["WN+ES, NS+NS, WN+NE"])):
        assert covering(states)
        assert not {way for way in covering(states) if way.endswith("west")}


def test_c6_2_one_card_may_cover_two_floods():
    # Water at (3, 0) with tunnels to the west and east, beside water at (4, 0) with tunnels to the west and north.
    states = deals.table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+N, W+S, N+NE"])
    assert set(deals.floods(states).values()) == {(3, 0), (4, 0)}
    assert (deals.shown(states, 3, 0), deals.shown(states, 4, 0)) == ("EW", "NW")
    first, second = sorted(deals.floods(states), key=lambda name: deals.floods(states)[name])
    assert (deals.ways(states, first), deals.ways(states, second)) == ({"1a east"}, {"1b west"})
    for where in (first, second):
        laid = deals.after(states, where)
        assert not deals.floods(laid)
        assert (laid[0].cells, laid[0].laid) == (states[0].cells, states[0].laid + 1)
        assert (deals.shown(laid, 3, 0), deals.shown(laid, 4, 0)) == ("EW", "NW")
        assert deals.ends(laid) == deals.ends(states)


def test_c6_2_of_two_floods_both_must_match():
    states = deals.table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+S, W+NS, W raincoat"])
    assert covering(states) == set()


def test_c6_2_a_card_that_covers_draws_and_passes_the_turn():
    states = deals.table(STRAIGHT, ["W+S, N+N, N+S", "W+ES, W rope, N+N"], top="NS+NS")
    deals.play(states, "water 1")
    assert (states[0].seat, states[0].turns) == (1, 2)
    assert deals.told(states, "covers") == [0]
    assert not deals.told(states, "lays")
    assert deals.pile(states)[0] != "NS+NS"


def test_c6_2_water_may_be_covered_from_the_end_beside_it():
    states = deals.table(STRAIGHT, ["W+S, N+N, N+S"])
    where = deals.end_at(states, 4, 0)
    assert {way for way in deals.ways(states, where) if way.endswith("west")} == {"1b west"}
    laid = deals.after(states, where, "1b west")
    other = deals.after(states, "water 1")
    for one in (laid, other):
        assert not deals.floods(one)
        assert (deals.shown(one, 3, 0), deals.shown(one, 4, 0)) == ("EW", "SW")
    assert deals.told(laid, "covers") == [0]


def test_c6_2_a_dry_half_is_never_covered():
    for states in deals.states_of(range(scaled(10)), {"seats": 2, "difficulty": "easy"}):
        one = states[0]
        tops = {(int(one.cell_x[cell]), int(one.cell_y[cell])): int(one.cell_laid[cell]) for cell in range(one.cells)}
        assert len(set(tops.values())) == one.laid  # of each card a half is in sight
    assert one.laid > 20


# C6.3


@pytest.mark.parametrize(("beside", "wanted"), [("WN+NS", {"2a east", "3a east"}), ("WS+NS", {"1a east"})])
def test_c6_3_all_neighbours_of_the_other_half_fit(beside, wanted):
    # A card at (4, 1) is open to the north or not, where the other half of the card that covers comes to lie.
    states = deals.table((*STRAIGHT, (beside, 4, 1, "E")), ["W+N, W+S, W+ES, N+N"], lost="N+NES, N+NES", setup=SIX)
    assert covering(states) == wanted


def test_c6_3_all_neighbours_of_the_covered_half_still_fit():
    states = deals.table(FORK, ["WN+ES, WN+NE, NS+NS, WS+NE, WN+NS, WNS raincoat"], setup=SIX)
    for where in deals.floods(states):
        for way in deals.ways(states, where):
            laid = deals.after(states, where, way)  # whose problems are none: each tunnel meets a tunnel
            assert deals.shown(laid, 3, 0) == deals.shown(states, 3, 0)
            assert deals.shown(laid, 2, 0) == deals.shown(states, 2, 0)


def test_c6_3_the_ends_of_a_covered_half_keep_their_numbers():
    states = deals.table(FORK, ["WN+ES, N+N, N+S"])
    north, east = deals.end_at(states, 3, -1), deals.end_at(states, 4, 0)
    laid = deals.after(states, "water 1")
    assert deals.ends(laid)[north] == (3, -1)
    assert deals.ends(laid).get(east) != (4, 0)
    assert laid[0].ends == len(deals.ends(laid)) == 1 + 2


# C6.4


def test_c6_4_water_may_be_covered_with_dry_halves_of_water():
    states = deals.table(STRAIGHT, ["W+N~, W rope, N+N"])
    assert "1a east" in covering(states)
    laid = deals.after(states, "water 1", "1a east")
    assert set(deals.floods(laid).values()) == {(4, 0)}


def test_c6_4_water_over_water_is_water_in_sight():
    # The half at (2, 1) has tunnels to the west and south, and so has the one that covers it, flooded too.
    states = deals.table([("N+S~", 1, 1, "E")], ["W+N~, W+N, N+NES"])
    assert deals.floods(states) == {"water 1": (2, 1)}
    assert {"1b south", "2b south"} <= covering(states)
    wet, dry = deals.after(states, "water 1", "1b south"), deals.after(states, "water 1", "2b south")
    assert (
        (deals.shown(wet, 2, 1), deals.shown(wet, 2, 2))
        == (deals.shown(dry, 2, 1), deals.shown(dry, 2, 2))
        == ("SW", "NS")
    )
    assert deals.floods(wet) == {"water 1": (2, 1)}
    assert deals.floods(dry) == {}
    assert deals.told(wet, "covers") == [0]
    assert wet[0].cell_laid[wet[0].cells - 1] == wet[0].laid - 1


def test_c6_4_water_over_water_can_be_blocked():
    states = deals.after(deals.table([("N+S~", 1, 1, "E")], ["W+N~, W+N, N+NES"], top="S+N"), "water 1", "1b south")
    assert deals.hand(states, 0) == ["S+N", "W+N", "N+NES"]
    assert not covering(states)


# C6.5


def test_c6_5_water_is_blocked_by_covered_cells():
    states = deals.table((*STRAIGHT, ("W+ES", 4, 0, "E")), ["W+S, W+N, W+NS, W+NES, W raincoat, WN+ES"], setup=SIX)
    assert deals.floods(states)
    assert covering(states) == set()
    assert not set(deals.floods(states)) & deals.choices(states)


def test_c6_5_water_with_one_opening_left_is_not_blocked():
    states = deals.table((*FORK, ("W+ES", 4, 0, "E")), ["WN+ES, NS+NS, W+NS, N+NS"], setup=SIX)
    assert covering(states)
    assert all(way.endswith("north") for way in covering(states))
    blocked = deals.table((*FORK, ("W+ES", 4, 0, "E"), ("W+ES", 3, -1, "N")), ["WN+ES, NS+NS, W+NS, N+NS"], setup=SIX)
    assert covering(blocked) == set()


def test_c6_5_a_cell_to_which_no_opening_leads_does_not_help():
    states = deals.table((*STRAIGHT, ("W+ES", 4, 0, "E")), ["W+S, W+N, N+S"])
    assert deals.shown(states, 3, 1) is None
    assert deals.shown(states, 3, -1) is None
    assert covering(states) == set()


# C4.5: the exit and water


def test_c4_5_the_exit_never_lies_over_water():
    states = deals.table(STRAIGHT, ["EXIT, W rope, N+N"])
    assert covering(states) == {"2a east"}  # a rope of the same shape may
    assert {way for way in deals.ways(states, deals.end_at(states, 4, 0)) if way[0] == "1"} == {"1a east"}


def test_c4_5_the_exit_may_lie_beside_water():
    states = deals.table(STRAIGHT, ["EXIT, W rope, N+N"], gathered=MATERIAL)
    laid = deals.after(states, deals.end_at(states, 4, 0), "1a east")
    assert laid[0].exit_laid
    assert deals.floods(laid)
    assert deals.ended(laid) == ("closed", False)
