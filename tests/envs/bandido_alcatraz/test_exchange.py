"""Hands of *Bandido Alcatraz* of which no card can be played; C5 and H numbers as in its RULES.md.

Seat 0 gathers a raincoat, draws, and then it is the turn of seat 1, whose cards do not fit the one corridor.
"""

from collections import Counter

import pytest
from bandido_tables import (
    BEND,
    CORRIDOR,
    aside,
    choices,
    end_at,
    ended,
    hand,
    news,
    pile,
    play,
    shown,
    states_of,
    table,
    told,
    ways,
)

from sobremesa.envs.bandido_alcatraz import state

pytestmark = pytest.mark.kernels

GIVES = "NS raincoat, WN raincoat, WS raincoat"
STUCK = ["N+N", "N+S", "N+ES"]
MANY = ["N+N", "N+ES", "N+NE", "N+NE", "N+NS", "N+NS", "S+NS", "S+NS", "N+NES", "N+NES", "NS+NS", "NS+NS", "WN+ES"]


def turn(hands=(GIVES, STUCK), *, laid=CORRIDOR, **rest):
    """Return a table after seat 0 has gathered a raincoat and drawn, so that the next turn has begun."""
    return play(table(laid, hands, **rest), "gather 1")


def exchanged(states):
    """Return how many cards seats have put under the pile at a time and how often, in order."""
    return [tuple(row[1:]) for row in news(states) if row[0] == "exchanges"]


# C5.1


def test_c5_1_gathering_counts_as_playing():
    states = turn([GIVES, "N+N, NS rope, WNS rope"])
    assert choices(states) == {"gather 2", "gather 3"}
    assert not exchanged(states)


def test_c5_1_material_not_needed_cannot_be_gathered():
    states = turn([GIVES, "N+N, NS rope, WNS rope"], gathered="WN rope, WS rope", top="S+ES, W+ES, W+NE, N+NE")
    assert exchanged(states) == [(1, 3, 1)]
    assert hand(states, 1) == ["W+ES", "W+NE", "N+NE"]


@pytest.mark.parametrize("slot", range(3))
def test_c3_2_a_seat_that_can_play_a_card_exchanges_none(slot):
    cards_held = list(STUCK)
    cards_held[slot] = "W rope"
    states = turn([GIVES, cards_held])
    assert hand(states, 1) == cards_held
    assert not exchanged(states)


# C5.2: a pile larger than the hand


def test_c5_2_the_hand_goes_under_the_pile_and_as_many_are_drawn():
    states = turn(top="S+ES, W+ES, WS rope, N+NE, S+NE")
    assert states[0].seat == 1
    assert hand(states, 1) == ["W+ES", "WS rope", "N+NE"]
    assert pile(states)[0] == "S+NE"
    assert sorted(pile(states)[-3:]) == sorted(STUCK)
    assert exchanged(states) == [(1, 3, 1)]
    assert choices(states) == {"end 4", "gather 2"}
    assert aside(states) == []


def test_c5_2_the_pile_is_as_large_as_before():
    before = table(CORRIDOR, [GIVES, STUCK], top="S+ES, W+ES, WS rope, N+NE, S+NE")
    order = pile(before)
    states = play(before, "gather 1")
    assert states[0].pile_size == len(order) - 1
    assert pile(states)[:-3] == order[4:]


def test_c5_2_a_pile_of_one_card_more_than_the_hand_is_exchanged():
    states = turn(pile="S+ES, W+ES, WS rope, N+NE, S+NE")
    assert hand(states, 1) == ["W+ES", "WS rope", "N+NE"]
    assert Counter(pile(states)) == Counter(["S+NE", *STUCK])
    assert pile(states)[0] == "S+NE"


def test_c5_2_h5_the_order_under_the_pile_is_random():
    orders = Counter(tuple(pile(turn(top="S+ES, W+ES, WS rope, N+NE", seed=seed))[-3:]) for seed in range(120))
    assert len(orders) == 6
    assert min(orders.values()) > 6


def test_c5_2_a_hand_is_exchanged_again_if_need_be():
    states = turn(top="S+ES, N+NE, N+NE, N+NS, W+ES, WS rope, N+NS")
    assert hand(states, 1) == ["W+ES", "WS rope", "N+NS"]
    assert exchanged(states) == [(1, 3, 2)]
    assert sorted(pile(states)[-3:]) == ["N+NE", "N+NE", "N+NS"]
    assert sorted(pile(states)[-6:-3]) == sorted(STUCK)


@pytest.mark.parametrize("size", range(4, 10))
def test_c5_2_h6_the_turn_passes_after_the_last_exchange(size):
    states = turn(pile=["S+ES", *MANY[:size]])
    assert exchanged(states) == [(1, 3, -(-size // 3) + 1)]
    assert told(states, "passes") == [1]
    assert states[0].seat == 0
    assert states[0].pile_size == size
    assert len(hand(states, 1)) == 3
    assert Counter(pile(states) + hand(states, 1)) == Counter(MANY[:size] + STUCK)


@pytest.mark.parametrize("place", range(1, 9))
def test_c5_2_exchanges_find_a_playable_card_anywhere(place):
    order = MANY[:8]
    order[place - 1] = "WN rope"
    states = turn(pile=["S+ES", *order])
    assert exchanged(states) == [(1, 3, -(-place // 3))]
    assert told(states, "gathers") == [0, 1]  # the rope, which is all that seat 1 can play
    assert states[0].ropes == 1


def test_c5_2_only_the_seat_to_act_exchanges():
    states = turn([GIVES, STUCK, "N+NE, N+NE, N+NS"], top="S+ES, W+ES, WS rope, S+NES, S+NE")
    assert hand(states, 2) == ["N+NE", "N+NE", "N+NS"]
    assert hand(states, 0) == ["S+ES", "WN raincoat", "WS raincoat"]


# C5.3: a pile no larger


@pytest.mark.parametrize("size", [1, 2, 3])
def test_c5_3_a_small_pile_is_taken_and_the_hand_set_aside(size):
    drawn = ["WNS rope", "W+ES", "WS rope"][:size]
    states = turn(pile=["S+ES", *drawn])
    if size == 1:  # one card that can be played in one way is played
        assert told(states, "gathers") == [0, 1]
        assert hand(states, 1) == []
    else:
        assert hand(states, 1) == drawn
    assert states[0].pile_size == 0
    assert aside(states) == STUCK
    assert states[0].aside_by == 1
    assert ("takes all", 1, size, 3) in news(states)
    assert not exchanged(states)


def test_c5_3_what_lies_aside_is_out_of_the_game():
    states = turn(pile="S+ES, WNS rope, W+ES, WS rope")
    play(states, "gather 1")
    while not states[0].over:
        play(states, sorted(choices(states))[0])
    assert aside(states) == STUCK
    assert not set(STUCK) & {*hand(states, 0), *hand(states, 1)}


def test_c5_3_without_a_playable_new_card_the_turn_passes():
    states = turn(pile="S+ES, N+NE, N+NE")
    assert told(states, "passes") == [1]
    assert hand(states, 1) == ["N+NE", "N+NE"]
    assert aside(states) == STUCK


def test_c5_3_nothing_lies_aside_while_there_is_a_pile():
    for states in states_of(range(5), {"seats": 2, "difficulty": "easy"}):
        one = states[0]
        if aside(states):
            assert one.pile_size == 0
        else:
            assert one.aside_by == state.NOBODY


# C5.4: no pile


def test_c5_4_without_a_pile_the_turn_passes():
    states = turn(pile="")
    assert states[0].seat == 0
    assert told(states, "passes") == [1]
    assert hand(states, 1) == STUCK
    assert aside(states) == []
    play(states, "gather 2")  # after which the last raincoat is gathered unasked, and nobody can play
    assert ended(states) == ("no cards", False)
    assert hand(states, 1) == STUCK


def test_c5_4_a_kept_hand_may_be_played_later():
    states = turn([GIVES, "N+N, N+S, N+ES", "W+E, N+NE, N+NE"], pile="")
    assert told(states, "passes") == [1]  # and seat 2 lays its one card at the end of the corridor
    assert told(states, "lays") == [2]
    play(states, "gather 2")
    assert states[0].seat == 1
    assert hand(states, 1) == STUCK
    assert {name[0] for name in choices(states)} == {"1", "2", "3"}


# C5.5: the exit


def test_c5_5_an_exit_from_an_exchange_may_be_played_at_once():
    states = turn(top="S+ES, EXIT, W+ES, N+NE", laid=CORRIDOR)
    assert states[0].seat == 1
    assert hand(states, 1)[0] == "EXIT"
    assert choices(states) == {"1a east", "2a east"}  # and may be kept
    laid, kept = play(states.copy(), "1a east"), play(states.copy(), "2a east")
    assert laid[0].exit_laid
    assert not kept[0].exit_laid
    assert "EXIT" in hand(kept, 1)


def test_c5_5_h7_an_exit_from_an_exchange_is_played_if_alone():
    states = turn(top="S+ES, N+NE, EXIT, N+NE, N+NS")
    assert exchanged(states) == [(1, 3, 1)]
    assert ended(states) == ("closed", False)
    assert (shown(states, 2, 0), shown(states, 3, 0)) == ("EW", "W")


@pytest.mark.parametrize("slot", range(3))
def test_c5_5_h7_the_only_playable_exit_is_played(slot):
    cards_held = list(STUCK)
    cards_held[slot] = "EXIT"
    states = turn([GIVES, cards_held], top="S+ES, W+ES, W+NE, W+NS")
    assert not exchanged(states)
    assert states[0].exit_laid
    assert ended(states) == ("closed", False)


def test_c5_5_an_exit_that_does_not_fit_is_exchanged_too():
    states = turn([GIVES, "EXIT, W+E, N+S"], laid=BEND, top="S+ES, S rope, WNS rope, W+NS, N+NS")
    assert hand(states, 1) == ["S rope", "WNS rope", "W+NS"]
    assert "EXIT" in pile(states)[-3:]
    assert "1a south" in ways(states, end_at(states, 2, 0))


# Hands of six and of less than three


SIX = {"solo_hand": "six"}
SIX_STUCK = ["WN rope", "N+N", "N+S", "N+ES", "N+NE", "N+NE"]


def test_c5_2_a_solitaire_of_six_exchanges_six():
    states = turn([SIX_STUCK], setup=SIX, top="S+ES, N+NS, N+NS, W+ES, WS rope, S+NE, S+NE, S+NES")
    assert hand(states, 0) == ["N+NS", "N+NS", "W+ES", "WS rope", "S+NE", "S+NE"]
    assert exchanged(states) == [(0, 6, 1)]
    assert sorted(pile(states)[-6:]) == sorted(["S+ES", *SIX_STUCK[1:]])
    assert pile(states)[0] == "S+NES"


@pytest.mark.parametrize("size", [6, 7])
def test_c5_3_a_solitaire_of_six_takes_six_or_fewer(size):
    order = ["N+NS", "N+NS", "W+ES", "WS rope", "S+NE", "S+NE", "S+NES"][:size]
    states = turn([SIX_STUCK], setup=SIX, pile=["S+ES", *order])
    assert hand(states, 0) == order[:6]
    assert len(pile(states)) == (0 if size == 6 else 7)
    assert sorted(aside(states)) == (sorted(["S+ES", *SIX_STUCK[1:]]) if size == 6 else [])


@pytest.mark.parametrize("size", [7, 11, 12])
def test_c5_2_h6_a_hand_of_six_passes_after_the_last_exchange(size):
    others = ["S+ES", "N+NS", "N+NS", "S+NS", "S+NS", "N+NES", "N+NES", "NS+NS", "NS+NS", "WN+ES", "WN+ES", "WS+NS"]
    states = turn([SIX_STUCK], setup=SIX, pile=["S+NE", *others[:size]])
    assert exchanged(states) == [(0, 6, -(-size // 6) + 1)]
    assert ended(states) == ("no cards", False)


def test_c5_2_a_hand_of_less_than_three_exchanges_what_it_holds():
    states = turn([GIVES, STUCK[:2]], pile="S+ES, W+ES, WS rope, N+NE, S+NE")
    assert hand(states, 1) == ["W+ES", "WS rope"]
    assert pile(states)[:2] == ["N+NE", "S+NE"]
    assert sorted(pile(states)[2:]) == sorted(STUCK[:2])


def test_c5_3_a_small_hand_takes_a_pile_of_its_size():
    states = turn([GIVES, STUCK[:2]], pile="S+ES, W+ES, WS rope")
    assert hand(states, 1) == ["W+ES", "WS rope"]
    assert aside(states) == STUCK[:2]
    states = turn([GIVES, STUCK[:2]], pile="S+ES, W+ES, WS rope, N+NE")
    assert hand(states, 1) == ["W+ES", "WS rope"]
    assert aside(states) == []
