"""Water in *Bandido Alcatraz*; C6 numbers as in its RULES.md.

In the corridor of the easy tile, which leads east to (2, 0), a card with water has its dry half at (2, 0) and its
flooded one at (3, 0).
"""

import pytest
from bandido_tables import (
    CORRIDOR,
    after,
    choices,
    end_at,
    ended,
    ends,
    floods,
    hand,
    pile,
    play,
    shown,
    states_of,
    table,
    told,
    ways,
)
from scale import scaled

pytestmark = pytest.mark.kernels

STRAIGHT = (*CORRIDOR, ("W+E~", 2, 0, "E"))
FORK = (*CORRIDOR, ("W+NE~", 2, 0, "E"))  # the water has ways out to the north and to the east
SIX = {"solo_hand": "six"}
MATERIAL = "NS raincoat, NS raincoat, WN raincoat, NS rope, WN rope"


def covering(states):
    """Return the ways to cover the water."""
    return {way for where in floods(states) for way in ways(states, where)}


# C6.1


def test_c6_1_the_half_named_on_the_card_lies_under_water():
    states = play(table(CORRIDOR, ["W+E~, W raincoat, N+N"]), "end 4", "1a east")
    assert floods(states) == {"water 1": (3, 0)}
    states = play(table(hands=["W+E~, W raincoat, N+N"]), "end 4", "1b east")
    assert floods(states) == {"water 1": (2, 0)}


def test_c6_1_water_in_sight_at_the_end_loses():
    states = table(STRAIGHT, ["EXIT, W+S, N+N"], gathered=MATERIAL)
    lost = after(states, end_at(states, 4, 0), "1a east")
    assert ended(lost) == ("closed", False)
    assert floods(lost)


def test_c6_1_water_that_is_covered_does_not_matter():
    # The half that covers the water leads on to EXIT.
    states = table((*STRAIGHT, ("W+S", 3, 0, "E")), ["EXIT, N+N, N+NS"], gathered=MATERIAL)
    assert not floods(states)
    assert ended(play(states, end_at(states, 4, 1), "1a south")) == ("closed", True)


def test_c3_6_water_is_numbered_in_the_order_in_which_it_comes():
    states = table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+N, W+S, N+NE"])
    assert floods(states) == {"water 1": (3, 0), "water 2": (4, 0)}


# C6.2


def test_c6_2_the_covering_half_has_the_very_same_tunnels():
    states = table(STRAIGHT, ["W+S, W+ES, WN+ES, WS+NE, S+NE, NS+NS"], setup=SIX)
    assert covering(states) == {"1a east", "2a east"}
    laid = after(states, "water 1", "2a east")
    assert (shown(laid, 2, 0), shown(laid, 3, 0), shown(laid, 4, 0)) == ("EW", "EW", "ESW")
    assert not floods(laid)


def test_c6_2_a_dead_end_covers_water_only_with_its_open_half():
    states = table(STRAIGHT, ["W raincoat, NS rope, N+N"])
    assert covering(states) == {"1a east"}
    laid = after(states, "water 1")
    assert (shown(laid, 3, 0), shown(laid, 4, 0)) == ("EW", "W")
    assert ended(laid) == ("closed", False)


def test_c6_2_the_covering_half_has_the_same_tunnels():
    # The water at (3, 0) has tunnels to the west, the north and the east.
    states = table(FORK, ["W+ES, WN+ES, WS+NE, WNS rope, WN rope, W raincoat"], setup=SIX)
    assert covering(states) == {"1b east", "2a east", "5a east"}


def test_c6_2_the_other_half_lies_on_an_empty_cell():
    states = table(FORK, ["WN+ES, W+NS, N+N"])
    assert covering(states) == {"1a east", "2b north"}
    east, north = after(states, "water 1", "1a east"), after(states, "water 1", "2b north")
    assert (shown(east, 3, 0), shown(east, 4, 0), shown(east, 3, -1)) == ("NEW", "ESW", None)
    assert (shown(north, 3, 0), shown(north, 4, 0), shown(north, 3, -1)) == ("NEW", None, "NS")
    for laid in (east, north):
        assert laid[0].cells == states[0].cells + 1
        assert laid[0].laid == states[0].laid + 1
        assert not floods(laid)


def test_c6_2_the_dry_half_is_never_covered():
    for states in (table(STRAIGHT, ["W+S, W+N, W+NS"]), table(FORK, ["WN+ES, NS+NS, WN+NE"])):
        assert covering(states)
        assert not {way for way in covering(states) if way.endswith("west")}


def test_c6_2_one_card_may_cover_two_floods():
    # Water at (3, 0) with tunnels to the west and east, beside water at (4, 0) with tunnels to the west and north.
    states = table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+N, W+S, N+NE"])
    assert set(floods(states).values()) == {(3, 0), (4, 0)}
    assert (shown(states, 3, 0), shown(states, 4, 0)) == ("EW", "NW")
    first, second = sorted(floods(states), key=lambda name: floods(states)[name])
    assert (ways(states, first), ways(states, second)) == ({"1a east"}, {"1b west"})
    for where in (first, second):
        laid = after(states, where)
        assert not floods(laid)
        assert (laid[0].cells, laid[0].laid) == (states[0].cells, states[0].laid + 1)
        assert (shown(laid, 3, 0), shown(laid, 4, 0)) == ("EW", "NW")
        assert ends(laid) == ends(states)


def test_c6_2_of_two_floods_both_must_match():
    states = table((*STRAIGHT, ("N+S~", 4, -1, "S")), ["W+S, W+NS, W raincoat"])
    assert covering(states) == set()


def test_c6_2_a_card_that_covers_draws_and_passes_the_turn():
    states = table(STRAIGHT, ["W+S, N+N, N+S", "W+ES, W rope, N+N"], top="NS+NS")
    play(states, "water 1")
    assert (states[0].seat, states[0].turns) == (1, 2)
    assert told(states, "covers") == [0]
    assert not told(states, "lays")
    assert pile(states)[0] != "NS+NS"


def test_c6_2_water_may_be_covered_from_the_end_beside_it():
    states = table(STRAIGHT, ["W+S, N+N, N+S"])
    where = end_at(states, 4, 0)
    assert {way for way in ways(states, where) if way.endswith("west")} == {"1b west"}
    laid = after(states, where, "1b west")
    other = after(states, "water 1")
    for one in (laid, other):
        assert not floods(one)
        assert (shown(one, 3, 0), shown(one, 4, 0)) == ("EW", "SW")
    assert told(laid, "covers") == [0]


def test_c6_2_a_dry_half_is_never_covered():
    for states in states_of(range(scaled(10)), {"seats": 2, "difficulty": "easy"}):
        one = states[0]
        tops = {(int(one.cell_x[cell]), int(one.cell_y[cell])): int(one.cell_laid[cell]) for cell in range(one.cells)}
        assert len(set(tops.values())) == one.laid  # of each card a half is in sight
    assert one.laid > 20


# C6.3


@pytest.mark.parametrize(("beside", "wanted"), [("WN+NS", {"2a east", "3a east"}), ("WS+NS", {"1a east"})])
def test_c6_3_all_neighbours_of_the_other_half_fit(beside, wanted):
    # A card at (4, 1) is open to the north or not, where the other half of the card that covers comes to lie.
    states = table((*STRAIGHT, (beside, 4, 1, "E")), ["W+N, W+S, W+ES, N+N"], lost="N+NES, N+NES", setup=SIX)
    assert covering(states) == wanted


def test_c6_3_all_neighbours_of_the_covered_half_still_fit():
    states = table(FORK, ["WN+ES, WN+NE, NS+NS, WS+NE, WN+NS, WNS raincoat"], setup=SIX)
    for where in floods(states):
        for way in ways(states, where):
            laid = after(states, where, way)  # whose problems are none: each tunnel meets a tunnel
            assert shown(laid, 3, 0) == shown(states, 3, 0)
            assert shown(laid, 2, 0) == shown(states, 2, 0)


def test_c6_3_the_ends_of_a_covered_half_keep_their_numbers():
    states = table(FORK, ["WN+ES, N+N, N+S"])
    north, east = end_at(states, 3, -1), end_at(states, 4, 0)
    laid = after(states, "water 1")
    assert ends(laid)[north] == (3, -1)
    assert ends(laid).get(east) != (4, 0)
    assert laid[0].ends == len(ends(laid)) == 1 + 2


# C6.4


def test_c6_4_water_may_be_covered_with_dry_halves_of_water():
    states = table(STRAIGHT, ["W+N~, W rope, N+N"])
    assert "1a east" in covering(states)
    laid = after(states, "water 1", "1a east")
    assert set(floods(laid).values()) == {(4, 0)}


def test_c6_4_water_over_water_is_water_in_sight():
    # The half at (2, 1) has tunnels to the west and south, and so has the one that covers it, flooded too.
    states = table([("N+S~", 1, 1, "E")], ["W+N~, W+N, N+NES"])
    assert floods(states) == {"water 1": (2, 1)}
    assert {"1b south", "2b south"} <= covering(states)
    wet, dry = after(states, "water 1", "1b south"), after(states, "water 1", "2b south")
    assert (shown(wet, 2, 1), shown(wet, 2, 2)) == (shown(dry, 2, 1), shown(dry, 2, 2)) == ("SW", "NS")
    assert floods(wet) == {"water 1": (2, 1)}
    assert floods(dry) == {}
    assert told(wet, "covers") == [0]
    assert wet[0].cell_laid[wet[0].cells - 1] == wet[0].laid - 1


def test_c6_4_water_over_water_can_be_blocked():
    states = after(table([("N+S~", 1, 1, "E")], ["W+N~, W+N, N+NES"], top="S+N"), "water 1", "1b south")
    assert hand(states, 0) == ["S+N", "W+N", "N+NES"]
    assert not covering(states)


# C6.5


def test_c6_5_water_is_blocked_by_covered_cells():
    states = table((*STRAIGHT, ("W+ES", 4, 0, "E")), ["W+S, W+N, W+NS, W+NES, W raincoat, WN+ES"], setup=SIX)
    assert floods(states)
    assert covering(states) == set()
    assert not set(floods(states)) & choices(states)


def test_c6_5_water_with_one_opening_left_is_not_blocked():
    states = table((*FORK, ("W+ES", 4, 0, "E")), ["WN+ES, NS+NS, W+NS, N+NS"], setup=SIX)
    assert covering(states)
    assert all(way.endswith("north") for way in covering(states))
    blocked = table((*FORK, ("W+ES", 4, 0, "E"), ("W+ES", 3, -1, "N")), ["WN+ES, NS+NS, W+NS, N+NS"], setup=SIX)
    assert covering(blocked) == set()


def test_c6_5_a_cell_to_which_no_opening_leads_does_not_help():
    states = table((*STRAIGHT, ("W+ES", 4, 0, "E")), ["W+S, W+N, N+S"])
    assert shown(states, 3, 1) is None
    assert shown(states, 3, -1) is None
    assert covering(states) == set()


# C4.5: the exit and water


def test_c4_5_the_exit_never_lies_over_water():
    states = table(STRAIGHT, ["EXIT, W rope, N+N"])
    assert covering(states) == {"2a east"}  # a rope of the same shape may
    assert {way for way in ways(states, end_at(states, 4, 0)) if way[0] == "1"} == {"1a east"}


def test_c4_5_the_exit_may_lie_beside_water():
    states = table(STRAIGHT, ["EXIT, W rope, N+N"], gathered=MATERIAL)
    laid = after(states, end_at(states, 4, 0), "1a east")
    assert laid[0].exit_laid
    assert floods(laid)
    assert ended(laid) == ("closed", False)
