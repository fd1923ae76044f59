"""The end and the signals of *Bandido Alcatraz*; C, H and O numbers as in its RULES.md."""

import numpy as np
import pytest
from bandido_tables import (
    BEND,
    CORRIDOR,
    GAME,
    after,
    aside,
    choices,
    dealt,
    end_at,
    ended,
    ends,
    floods,
    hand,
    news,
    paid,
    play,
    shown,
    states_of,
    table,
    told,
    ways,
)
from scale import scaled

from sobremesa.agents.arena.statistics import summarise
from sobremesa.envs.bandido_alcatraz import rules, state

pytestmark = pytest.mark.kernels

ALL_MATERIAL = ["NS raincoat", "NS raincoat", "WN raincoat", "NS rope", "WN rope"]
STOP = {"early_stop": True}
STUCK = "N+N, N+S, N+ES"


def last_card(gathered=ALL_MATERIAL, name="EXIT", laid=CORRIDOR, **rest):
    """Return a table after the card that closes the last tunnel."""
    states = table(laid, [f"{name}, W rope, W+E"], gathered=gathered, **rest)
    return play(states, end_at(states, 2, 0), "1a east")


# C8.1


def test_c8_1_the_deal_is_over_as_soon_as_no_tunnel_is_open():
    states = last_card()
    assert states[0].over
    assert states[0].ends == len(ends(states)) == 0
    assert choices(states) == set()
    assert news(states)[-1][0] == "ends"


def test_c8_1_it_is_over_without_the_exit_too():
    states = last_card(name="W raincoat")
    assert ended(states) == ("closed", False)
    assert not states[0].exit_laid


def test_c8_1_it_goes_on_while_a_tunnel_is_open():
    states = table(CORRIDOR, ["EXIT, W rope, W+E"], difficulty="normal")  # open to the west
    play(states, end_at(states, 2, 0), "1a east")
    assert ended(states) is None
    assert states[0].ends == 1


def test_c8_1_the_mouth_of_the_exit_counts_as_closed():
    states = table((*CORRIDOR, ("W+E", 2, 0, "E")), ["EXIT, N+N, N+S"])
    laid = after(states, end_at(states, 4, 0), "1a east")
    assert ends(laid) == {}
    assert laid[0].over


def test_c8_1_what_was_drawn_last_makes_no_difference():
    assert ended(last_card(pile="")) == ended(last_card()) == ("closed", True)


# C8.2


def test_c8_2_it_is_over_once_nobody_can_play_any_more():
    states = play(table(CORRIDOR, ["WN raincoat, WS raincoat, N+NE", STUCK], pile=""), "gather 1")
    # the other raincoat follows unasked, as seat 1 passes; then both pass
    assert ended(states) == ("no cards", False)
    assert told(states, "gathers") == [0, 0]
    assert told(states, "passes") == [1, 1, 0]
    assert hand(states, 0) == ["N+NE"]
    assert hand(states, 1) == STUCK.split(", ")


def test_c8_2_it_is_over_once_all_hands_are_empty():
    states = play(table(CORRIDOR, ["WN raincoat", "WS raincoat", "WNS raincoat"], pile=""), "gather 1")
    assert ended(states) == ("no cards", False)
    assert told(states, "gathers") == [0, 1, 2]
    assert told(states, "passes") == [0, 1, 2]


def test_c8_2_an_empty_hand_passes_while_others_play():
    states = play(table(CORRIDOR, ["WN raincoat", "WS raincoat, W+E, W+S"], pile=""), "gather 1")
    assert ended(states) is None
    play(states, "gather 1")
    assert told(states, "passes") == [0]
    assert states[0].seat == 1
    assert states[0].passes == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_c8_2_passes_count_only_in_a_row(seats):
    gives = "WN raincoat, WS raincoat, W rope"
    states = table(CORRIDOR, [gives, *["N+N", "N+S", "N+ES"][: seats - 1]], pile="")
    for name in ("gather 1", "gather 2"):
        play(states, name)
        assert told(states, "passes") == list(range(1, seats))
        assert (states[0].seat, states[0].passes) == (0, seats - 1)


def test_c8_2_a_solitaire_that_cannot_play_is_over():
    assert ended(play(table(CORRIDOR, ["WN raincoat, N+N, N+S"], pile=""), "gather 1")) == ("no cards", False)


# C8.3


def test_c8_3_bandido_escapes():
    states = last_card()
    assert ended(states) == ("closed", True)
    assert (states[0].raincoats, states[0].ropes, states[0].exit_laid) == (3, 2, 1)


@pytest.mark.parametrize("missing", range(5))
def test_c8_3_one_raincoat_or_rope_too_few_loses(missing):
    gathered = ALL_MATERIAL[:missing] + ALL_MATERIAL[missing + 1 :]
    assert ended(last_card(gathered)) == ("closed", False)


def test_c8_3_water_in_sight_loses():
    states = table((*CORRIDOR, ("W+E~", 2, 0, "E")), ["EXIT, W rope, W+S"], gathered=ALL_MATERIAL)
    assert ended(after(states, end_at(states, 4, 0), "1a east")) == ("closed", False)


def test_c8_3_the_exit_may_lie_there_long_before_the_end():
    laid = (*CORRIDOR, ("EXIT", -1, 0, "W"))
    states = table(laid, ["W raincoat, W rope, W+E"], gathered=ALL_MATERIAL, difficulty="normal")
    assert ended(after(states, end_at(states, 2, 0), "1a east")) == ("closed", True)


def test_c8_3_no_cards_left_and_a_tunnel_open_loses():
    laid = (*CORRIDOR, ("EXIT", -1, 0, "W"))
    states = table(laid, ["W+E", "N+N"], gathered=ALL_MATERIAL, pile="", difficulty="normal")
    play(states, end_at(states, 2, 0), "1a north")
    assert ended(states) == ("no cards", False)
    assert states[0].ends == 1


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_c8_3_all_are_paid_alike(seats):
    others = ["N+N, N+N", "N+ES, N+ES", "N+NS, N+NS"][: seats - 1]
    for gathered, pay in ((ALL_MATERIAL, 1.0), (ALL_MATERIAL[1:], 0.0)):
        states = table(CORRIDOR, ["EXIT, W rope, W+E", *others], gathered=gathered)
        assert paid(states) == [0.0] * seats
        play(states, end_at(states, 2, 0), "1a east")
        assert paid(states) == [pay] * seats


def test_c8_3_random_deals_are_won_if_all_holds_alone():
    over = 0
    for seed in range(scaled(40)):
        for states in states_of([seed], {"seats": 1 + seed % 4, "difficulty": "easy"}):
            one = states[0]
            if one.over:
                over += 1
                gathered = one.raincoats == 3 and one.ropes == 2
                won = one.exit_laid and not ends(states) and not floods(states) and gathered
                assert bool(one.won) == bool(won)
                assert ended(states)[0] == ("closed" if not ends(states) else "no cards")
    assert over == scaled(40)


# C9


def test_c9_1_a_solitaire_draws_after_each_card():
    states = dealt(seats=1, solo_hand="six")
    sizes = {len(hand(later, 0)) for later in states_of([1], {"seats": 1, "solo_hand": "six"}, 40)}
    assert sizes == {len(hand(states, 0))} == {6}


@pytest.mark.parametrize(
    ("open_ends", "exit_laid", "band"),
    [
        (0, True, 3), (0, False, 2), (1, True, 2), (1, False, 2), (2, True, 2), (2, False, 2), (4, True, 2),
        (4, False, 2), (5, True, 1), (5, False, 1), (6, True, 1), (6, False, 1), (7, True, 0), (8, False, 0),
        (63, True, 0),
    ],
)  # fmt: skip
def test_c9_2_h9_bands_of_solitaires(open_ends, exit_laid, band):
    assert rules.band_of(np.array([open_ends]), np.array([exit_laid])).tolist() == [band]


def test_c9_2_the_figures_name_the_band():
    found = np.concatenate([last_card(), last_card(name="W raincoat"), dealt(seats=1), dealt(difficulty="easy")])
    found["ends"][2:] = [8, 5]
    assert GAME.figures(found)["band"].tolist() == [3, 2, 0, 1]


def test_c9_2_a_deal_that_was_stopped_early_has_no_band():
    found = np.concatenate([last_card(), last_card(name="W raincoat")])
    found["ending"] = [state.IMPOSSIBLE, state.NO_CARDS]
    assert [GAME.ended(found[[row]]).get("band") for row in (0, 1)] == [None, 2]
    mixed = summarise(GAME, "nobody", found, np.zeros((2, 1), np.float32))
    assert mixed.spreads["band"].mean == 2
    assert "band" not in summarise(GAME, "nobody", found[:1], np.zeros((1, 1), np.float32)).spreads


# O3: the early stop

# A card at (3, -1) closes the cell (2, 0), to which the tile opens, on its last free side.
POCKET = (("W+N", 2, -1, "W"), ("N raincoat", 0, -1, "W"), ("N raincoat", 1, 1, "E"), ("S raincoat", 0, 1, "W"))


def both(laid, hands, *names, setup=(), **rest):
    """Return the tables after the named actions, without the early stop and with it; a place stands for its end."""
    found = []
    for stop in (False, True):
        states = table(laid, hands, setup={**dict(setup), "early_stop": stop}, **rest)
        for name in names:
            play(states, name if isinstance(name, str) else end_at(states, *name))
        found.append(states)
    return found


def pocketed(laid=POCKET):
    return both(laid, ["S raincoat, N+N, W+ES", "W rope, WS rope, N+S"], (3, -1), "1a south")


def test_o3_it_is_off_if_nobody_chooses_it():
    assert dealt()[0].early_stop == 0


def test_o3_i_an_open_end_that_no_card_can_close_ends_the_deal():
    plain, stopped = pocketed()
    assert ended(plain) is None
    assert ended(stopped) == ("impossible", False)
    assert paid(stopped) == [0.0, 0.0]
    assert set(ends(plain).values()) == {(2, 0)}
    assert ways(plain, end_at(plain, 2, 0)) == set()


def test_o3_i_an_open_end_with_a_free_cell_beside_it_does_not():
    for states in pocketed((POCKET[0], POCKET[1], ("N+N", 0, 1, "E"))):
        assert ended(states) is None


def test_o3_i_water_beside_it_is_room():
    # The same pocket, turned over: the half that closes it lies under water.
    laid = (("W+S", 2, 1, "W"), ("N raincoat", 0, -1, "W"), ("S raincoat", 1, -1, "E"), ("S raincoat", 0, 1, "W"))
    for states in both(laid, ["N+S~, N+N, W+ES", "W rope, WS rope, N+S"], (3, 1), "1a north"):
        assert floods(states) == {"water 1": (3, 0)}
        assert ended(states) is None


def test_o3_ii_water_that_is_blocked_ends_the_deal():
    laid = (*CORRIDOR, ("W+E~", 2, 0, "E"))
    plain, stopped = both(laid, ["W+ES, N+N, W+E", "W rope, WS rope, N+S"], (4, 0), "1a east")
    assert ended(plain) is None
    assert ended(stopped) == ("impossible", False)


def test_o3_ii_a_free_cell_without_a_tunnel_does_not_help():
    # Its tunnels lead west to the corridor and north to its dry half, and the cell to the east is free.
    laid = (*CORRIDOR, ("W+E", 2, 0, "E"))
    plain, stopped = both(laid, ["N+S~, N+N, W+ES", "W rope, WS rope, N+S"], (4, 0), "1b north")
    assert shown(plain, 4, 0) == "NW"
    assert shown(plain, 5, 0) is None
    assert ended(plain) is None
    assert ended(stopped) == ("impossible", False)


def test_o3_ii_water_that_can_still_be_covered_does_not():
    laid = (*CORRIDOR, ("W+NE~", 2, 0, "E"))
    for states in both(laid, ["W+ES, N+N, W+E", "W rope, WS rope, N+S"], (4, 0), "1a east"):
        assert floods(states)
        assert ended(states) is None


def test_o3_iii_an_exit_that_lies_aside_ends_the_deal():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "EXIT, W+E, N+S"]
    plain, stopped = both(BEND, hands, "gather 1", pile="S+ES, WNS rope, WS rope")
    assert aside(plain) == aside(stopped) == ["EXIT", "W+E", "N+S"]
    assert ended(plain) is ended(stopped) is None  # seat 1 has new cards and plays one of them first
    play(plain, "gather 1")
    play(stopped, "gather 1")
    assert ended(plain) is None
    assert ended(stopped) == ("impossible", False)


def test_o3_iii_it_ends_at_once_if_the_turn_passes():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "EXIT, W+E, N+S", "NS rope, WN rope, W+S"]
    plain, stopped = both(BEND, hands, "gather 1", pile="S+ES, NS+NS, WS+NS")
    for states in (plain, stopped):
        assert aside(states) == ["EXIT", "W+E", "N+S"]
        assert told(states, "passes") == [1]
    assert ended(plain) is None
    assert ended(stopped) == ("impossible", False)


def test_o3_iii_other_cards_may_lie_aside():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "W+ES, W+E, N+S"]
    for states in both(BEND, hands, "gather 1", "gather 1", pile="EXIT, WNS rope, WS rope"):
        assert aside(states) == ["W+ES", "W+E", "N+S"]
        assert ended(states) is None


RAINCOATS = ["NS raincoat", "NS raincoat", "WN raincoat", "WN raincoat", "WS raincoat", "WS raincoat", "WNS raincoat"]
ROPES = ["NS rope", "WN rope", "WS rope", "WNS rope", "WNS rope", "N rope", "S rope"]


@pytest.mark.parametrize(("lost", "stops"), [(4, False), (5, True), (6, True)])
def test_o3_iv_too_few_raincoats_end_the_deal(lost, stops):
    # Of twelve raincoats four lie in the corridors, `lost` are gone, and one more is dug.
    plain, stopped = both(
        CORRIDOR, ["W raincoat, N+N, W+ES", "W rope, WS rope, N+S"], (2, 0), "1a east", lost=RAINCOATS[:lost],
        difficulty="normal",
    )  # fmt: skip
    assert ended(plain) is None
    assert ended(stopped) == (("impossible", False) if stops else None)


@pytest.mark.parametrize("held", ["own hand", "other hand", "pile", "gathered"])
def test_o3_iv_raincoats_count_wherever_they_may_come_from(held):
    mine = "W rope, W+ES, WNS raincoat" if held == "own hand" else "W rope, N+N, W+ES"
    others = "W+E, W+N, WNS raincoat" if held == "other hand" else "W+E, W+N, N+S"
    gathered = ["WNS raincoat"] if held == "gathered" else []
    rest = {"gathered": gathered, "lost": RAINCOATS[:5], "difficulty": "normal"}
    for states in both(CORRIDOR, [mine, others], (2, 0), "1a east", **rest):
        assert ended(states) is None


@pytest.mark.parametrize(("lost", "stops"), [(5, False), (6, True), (7, True)])
def test_o3_iv_too_few_ropes_end_the_deal(lost, stops):
    plain, stopped = both(
        CORRIDOR, ["W rope, N+N, W+ES", "WS raincoat, NS raincoat, N+S"], (2, 0), "1a east", lost=ROPES[:lost],
        difficulty="normal",
    )  # fmt: skip
    assert ended(plain) is None
    assert ended(stopped) == (("impossible", False) if stops else None)


def test_o3_iv_what_lies_aside_is_missing_too():
    # Three raincoats are left, one of them lies aside with two cards that could not be played either.
    hands = ["W rope, NS rope, W+ES", "W+E, WN rope, N+S"]
    for lying, stops in (("WNS raincoat, N+NE, N+NE", True), ("N+NS, N+NE, N+NE", False)):
        plain, stopped = both(CORRIDOR, hands, "gather 1", lost=RAINCOATS[:5], aside=lying)
        assert ended(plain) is None
        assert ended(stopped) == (("impossible", False) if stops else None)


def test_o3_a_deal_that_is_won_is_not_cut_short():
    gathered = ALL_MATERIAL
    assert ended(last_card(gathered, setup=STOP)) == ("closed", True)


def test_o3_random_deals_that_stop_early_pay_nothing():
    stopped = 0
    for seed in range(scaled(30)):
        for states in states_of([seed], {"seats": 2, "early_stop": True}):
            if states[0].ending == state.IMPOSSIBLE:
                stopped += 1
                assert paid(states) == [0.0, 0.0]
    assert stopped > 0


# O4: signals

TALK = {"signals": True}


def test_o4_before_playing_one_says_one_of_seven_things():
    states = dealt(seats=2, **TALK)
    assert states[0].stage == state.SIGNAL
    said = choices(states)
    assert len(said) == state.NUM_SIGNALS == 7
    for signal in sorted(said):
        later = after(states, signal)
        assert later[0].seat == states[0].seat
        assert later[0].stage == state.WHERE
        assert len(said & choices(later)) == 0


def test_o4_all_see_what_was_said_last():
    states = dealt(seats=2, **TALK)
    seat = int(states[0].seat)
    for number in range(7):
        later = after(states, GAME.words.action_name(state.A_SIGNAL + number, "en"))
        assert later[0].said[seat] == number
        assert later[0].said[1 - seat] == 0
        assert ("signals", seat, number, 0) in news(later)


def test_o4_what_is_said_may_be_untrue():
    # There is no water, and seat 0 has neither raincoat nor rope.
    states = table(CORRIDOR, ["W+E, N+N, W+N", STUCK], stage=state.SIGNAL, setup=TALK)
    assert len(choices(states)) == 7
    for number in range(7):
        later = after(states, GAME.words.action_name(state.A_SIGNAL + number, "en"))
        assert later[0].said[0] == number


def test_o4_one_speaks_once_a_turn():
    states = table(hands=["N raincoat, N+N, W+N", "W rope, N+N, N+S"], stage=state.SIGNAL, setup=TALK)
    play(states, GAME.words.action_name(state.A_SIGNAL + 4, "en"), "gather 1")
    assert (states[0].seat, states[0].stage) == (1, state.SIGNAL)
    assert states[0].said[:2].tolist() == [4, 0]


def test_o4_who_passes_does_not_speak():
    hands = ["WN raincoat, WS raincoat, W rope", STUCK]
    states = table(CORRIDOR, hands, pile="", stage=state.SIGNAL, setup=TALK)
    play(states, GAME.words.action_name(state.A_SIGNAL, "en"), "gather 1")
    assert told(states, "passes") == [1]
    assert (states[0].seat, states[0].stage) == (0, state.SIGNAL)


def test_o4_a_seat_with_one_card_to_play_speaks_all_the_same():
    hands = ["WN raincoat, WS raincoat, W rope", "W+E, N+N, N+S"]
    states = play(table(CORRIDOR, hands, setup=TALK), "gather 1")
    assert (states[0].seat, states[0].stage) == (1, state.SIGNAL)
    play(states, GAME.words.action_name(state.A_SIGNAL + 6, "en"))
    assert told(states, "lays") == [1]


def test_o4_a_solitaire_is_silent():
    for states in states_of([0], {"seats": 1, "signals": True}):
        assert states[0].over or states[0].stage != state.SIGNAL
        assert not told(states, "signals")


def test_o4_nobody_speaks_unless_it_is_chosen():
    for states in states_of([0], {"seats": 3}):
        assert states[0].over or states[0].stage != state.SIGNAL
