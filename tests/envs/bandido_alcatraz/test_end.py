"""The end and the signals of *Bandido Alcatraz*; C, H and O numbers as in its RULES.md."""

import bandido_tables as deals
import numpy as np
import pytest
from scale import scaled

from sobremesa.agents.arena.statistics import summarise
from sobremesa.envs.bandido_alcatraz import rules, state

pytestmark = pytest.mark.kernels

ALL_MATERIAL = ["NS raincoat", "NS raincoat", "WN raincoat", "NS rope", "WN rope"]
STOP = {"early_stop": True}
STUCK = "N+N, N+S, N+ES"


def last_card(gathered=ALL_MATERIAL, name="EXIT", laid=deals.CORRIDOR, **rest):
    """Return a table after the card that closes the last tunnel."""
    states = deals.table(laid, [f"{name}, W rope, W+E"], gathered=gathered, **rest)
    return deals.play(states, deals.end_at(states, 2, 0), "1a east")


# C8.1


def test_c8_1_the_deal_is_over_as_soon_as_no_tunnel_is_open():
    states = last_card()
    assert states[0].over
    assert states[0].ends == len(deals.ends(states)) == 0
    assert deals.choices(states) == set()
    assert deals.news(states)[-1][0] == "ends"


def test_c8_1_it_is_over_without_the_exit_too():
    states = last_card(name="W raincoat")
    assert deals.ended(states) == ("closed", False)
    assert not states[0].exit_laid


def test_c8_1_it_goes_on_while_a_tunnel_is_open():
    states = deals.table(deals.CORRIDOR, ["EXIT, W rope, W+E"], difficulty="normal")  # open to the west
    deals.play(states, deals.end_at(states, 2, 0), "1a east")
    assert deals.ended(states) is None
    assert states[0].ends == 1


def test_c8_1_the_mouth_of_the_exit_counts_as_closed():
    states = deals.table((*deals.CORRIDOR, ("W+E", 2, 0, "E")), ["EXIT, N+N, N+S"])
    laid = deals.after(states, deals.end_at(states, 4, 0), "1a east")
    assert deals.ends(laid) == {}
    assert laid[0].over


def test_c8_1_what_was_drawn_last_makes_no_difference():
    assert deals.ended(last_card(pile="")) == deals.ended(last_card()) == ("closed", True)


# C8.2


def test_c8_2_it_is_over_once_nobody_can_play_any_more():
    states = deals.play(deals.table(deals.CORRIDOR, ["WN raincoat, WS raincoat, N+NE", STUCK], pile=""), "gather 1")
    # the other raincoat follows unasked, as seat 1 passes; then both pass
    assert deals.ended(states) == ("no cards", False)
    assert deals.told(states, "gathers") == [0, 0]
    assert deals.told(states, "passes") == [1, 1, 0]
    assert deals.hand(states, 0) == ["N+NE"]
    assert deals.hand(states, 1) == STUCK.split(", ")


def test_c8_2_it_is_over_once_all_hands_are_empty():
    states = deals.play(
        deals.table(deals.CORRIDOR, ["WN raincoat", "WS raincoat", "WNS raincoat"], pile=""), "gather 1"
    )
    assert deals.ended(states) == ("no cards", False)
    assert deals.told(states, "gathers") == [0, 1, 2]
    assert deals.told(states, "passes") == [0, 1, 2]


def test_c8_2_an_empty_hand_passes_while_others_play():
    states = deals.play(deals.table(deals.CORRIDOR, ["WN raincoat", "WS raincoat, W+E, W+S"], pile=""), "gather 1")
    assert deals.ended(states) is None
    deals.play(states, "gather 1")
    assert deals.told(states, "passes") == [0]
    assert states[0].seat == 1
    assert states[0].passes == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_c8_2_passes_count_only_in_a_row(seats):
    gives = "WN raincoat, WS raincoat, W rope"
    states = deals.table(deals.CORRIDOR, [gives, *["N+N", "N+S", "N+ES"][: seats - 1]], pile="")
    for name in ("gather 1", "gather 2"):
        deals.play(states, name)
        assert deals.told(states, "passes") == list(range(1, seats))
        assert (states[0].seat, states[0].passes) == (0, seats - 1)


def test_c8_2_a_solitaire_that_cannot_play_is_over():
    assert deals.ended(deals.play(deals.table(deals.CORRIDOR, ["WN raincoat, N+N, N+S"], pile=""), "gather 1")) == (
        "no cards",
        False,
    )


# C8.3


def test_c8_3_bandido_escapes():
    states = last_card()
    assert deals.ended(states) == ("closed", True)
    assert (states[0].raincoats, states[0].ropes, states[0].exit_laid) == (3, 2, 1)


@pytest.mark.parametrize("missing", range(5))
def test_c8_3_one_raincoat_or_rope_too_few_loses(missing):
    gathered = ALL_MATERIAL[:missing] + ALL_MATERIAL[missing + 1 :]
    assert deals.ended(last_card(gathered)) == ("closed", False)


def test_c8_3_water_in_sight_loses():
    states = deals.table((*deals.CORRIDOR, ("W+E~", 2, 0, "E")), ["EXIT, W rope, W+S"], gathered=ALL_MATERIAL)
    assert deals.ended(deals.after(states, deals.end_at(states, 4, 0), "1a east")) == ("closed", False)


def test_c8_3_the_exit_may_lie_there_long_before_the_end():
    laid = (*deals.CORRIDOR, ("EXIT", -1, 0, "W"))
    states = deals.table(laid, ["W raincoat, W rope, W+E"], gathered=ALL_MATERIAL, difficulty="normal")
    assert deals.ended(deals.after(states, deals.end_at(states, 2, 0), "1a east")) == ("closed", True)


def test_c8_3_no_cards_left_and_a_tunnel_open_loses():
    laid = (*deals.CORRIDOR, ("EXIT", -1, 0, "W"))
    states = deals.table(laid, ["W+E", "N+N"], gathered=ALL_MATERIAL, pile="", difficulty="normal")
    deals.play(states, deals.end_at(states, 2, 0), "1a north")
    assert deals.ended(states) == ("no cards", False)
    assert states[0].ends == 1


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_c8_3_all_are_paid_alike(seats):
    others = ["N+N, N+N", "N+ES, N+ES", "N+NS, N+NS"][: seats - 1]
    for gathered, pay in ((ALL_MATERIAL, 1.0), (ALL_MATERIAL[1:], 0.0)):
        states = deals.table(deals.CORRIDOR, ["EXIT, W rope, W+E", *others], gathered=gathered)
        assert deals.paid(states) == [0.0] * seats
        deals.play(states, deals.end_at(states, 2, 0), "1a east")
        assert deals.paid(states) == [pay] * seats


def test_c8_3_random_deals_are_won_if_all_holds_alone():
    over = 0
    for seed in range(scaled(40)):
        for states in deals.states_of([seed], {"seats": 1 + seed % 4, "difficulty": "easy"}):
            one = states[0]
            if one.over:
                over += 1
                gathered = one.raincoats == 3 and one.ropes == 2
                won = one.exit_laid and not deals.ends(states) and not deals.floods(states) and gathered
                assert bool(one.won) == bool(won)
                assert deals.ended(states)[0] == ("closed" if not deals.ends(states) else "no cards")
    assert over == scaled(40)


# C9


def test_c9_1_a_solitaire_draws_after_each_card():
    states = deals.dealt(seats=1, solo_hand="six")
    sizes = {len(deals.hand(later, 0)) for later in deals.states_of([1], {"seats": 1, "solo_hand": "six"}, 40)}
    assert sizes == {len(deals.hand(states, 0))} == {6}


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
    found = np.concatenate(
        [last_card(), last_card(name="W raincoat"), deals.dealt(seats=1), deals.dealt(difficulty="easy")]
    )
    found["ends"][2:] = [8, 5]
    assert deals.GAME.figures(found)["band"].tolist() == [3, 2, 0, 1]


def test_c9_2_a_deal_that_was_stopped_early_has_no_band():
    found = np.concatenate([last_card(), last_card(name="W raincoat")])
    found["ending"] = [state.IMPOSSIBLE, state.NO_CARDS]
    assert [deals.GAME.ended(found[[row]]).get("band") for row in (0, 1)] == [None, 2]
    mixed = summarise(deals.GAME, "nobody", found, np.zeros((2, 1), np.float32))
    assert mixed.spreads["band"].mean == 2
    assert "band" not in summarise(deals.GAME, "nobody", found[:1], np.zeros((1, 1), np.float32)).spreads


# O3: the early stop

# A card at (3, -1) closes the cell (2, 0), to which the tile opens, on its last free side.
POCKET = (("W+N", 2, -1, "W"), ("N raincoat", 0, -1, "W"), ("N raincoat", 1, 1, "E"), ("S raincoat", 0, 1, "W"))


def both(laid, hands, *names, setup=(), **rest):
    """Return the tables after the named actions, without the early stop and with it; a place stands for its end."""
    found = []
    for stop in (False, True):
        states = deals.table(laid, hands, setup={**dict(setup), "early_stop": stop}, **rest)
        for name in names:
            deals.play(states, name if isinstance(name, str) else deals.end_at(states, *name))
        found.append(states)
    return found


def pocketed(laid=POCKET):
    return both(laid, ["S raincoat, N+N, W+ES", "W rope, WS rope, N+S"], (3, -1), "1a south")


def test_o3_it_is_off_if_nobody_chooses_it():
    assert deals.dealt()[0].early_stop == 0


def test_o3_i_an_open_end_that_no_card_can_close_ends_the_deal():
    plain, stopped = pocketed()
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == ("impossible", False)
    assert deals.paid(stopped) == [0.0, 0.0]
    assert set(deals.ends(plain).values()) == {(2, 0)}
    assert deals.ways(plain, deals.end_at(plain, 2, 0)) == set()


def test_o3_i_an_open_end_with_a_free_cell_beside_it_does_not():
    for states in pocketed((POCKET[0], POCKET[1], ("N+N", 0, 1, "E"))):
        assert deals.ended(states) is None


def test_o3_i_water_beside_it_is_room():
    # The same pocket, turned over: the half that closes it lies under water.
    laid = (("W+S", 2, 1, "W"), ("N raincoat", 0, -1, "W"), ("S raincoat", 1, -1, "E"), ("S raincoat", 0, 1, "W"))
    for states in both(laid, ["N+S~, N+N, W+ES", "W rope, WS rope, N+S"], (3, 1), "1a north"):
        assert deals.floods(states) == {"water 1": (3, 0)}
        assert deals.ended(states) is None


def test_o3_ii_water_that_is_blocked_ends_the_deal():
    laid = (*deals.CORRIDOR, ("W+E~", 2, 0, "E"))
    plain, stopped = both(laid, ["W+ES, N+N, W+E", "W rope, WS rope, N+S"], (4, 0), "1a east")
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == ("impossible", False)


def test_o3_ii_a_free_cell_without_a_tunnel_does_not_help():
    # Its tunnels lead west to the corridor and north to its dry half, and the cell to the east is free.
    laid = (*deals.CORRIDOR, ("W+E", 2, 0, "E"))
    plain, stopped = both(laid, ["N+S~, N+N, W+ES", "W rope, WS rope, N+S"], (4, 0), "1b north")
    assert deals.shown(plain, 4, 0) == "NW"
    assert deals.shown(plain, 5, 0) is None
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == ("impossible", False)


def test_o3_ii_water_that_can_still_be_covered_does_not():
    laid = (*deals.CORRIDOR, ("W+NE~", 2, 0, "E"))
    for states in both(laid, ["W+ES, N+N, W+E", "W rope, WS rope, N+S"], (4, 0), "1a east"):
        assert deals.floods(states)
        assert deals.ended(states) is None


def test_o3_iii_an_exit_that_lies_aside_ends_the_deal():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "EXIT, W+E, N+S"]
    plain, stopped = both(deals.BEND, hands, "gather 1", pile="S+ES, WNS rope, WS rope")
    assert deals.aside(plain) == deals.aside(stopped) == ["EXIT", "W+E", "N+S"]
    assert deals.ended(plain) is deals.ended(stopped) is None  # seat 1 has new cards and plays one of them first
    deals.play(plain, "gather 1")
    deals.play(stopped, "gather 1")
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == ("impossible", False)


def test_o3_iii_it_ends_at_once_if_the_turn_passes():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "EXIT, W+E, N+S", "NS rope, WN rope, W+S"]
    plain, stopped = both(deals.BEND, hands, "gather 1", pile="S+ES, NS+NS, WS+NS")
    for states in (plain, stopped):
        assert deals.aside(states) == ["EXIT", "W+E", "N+S"]
        assert deals.told(states, "passes") == [1]
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == ("impossible", False)


def test_o3_iii_other_cards_may_lie_aside():
    hands = ["NS raincoat, WN raincoat, WS raincoat", "W+ES, W+E, N+S"]
    for states in both(deals.BEND, hands, "gather 1", "gather 1", pile="EXIT, WNS rope, WS rope"):
        assert deals.aside(states) == ["W+ES", "W+E", "N+S"]
        assert deals.ended(states) is None


RAINCOATS = ["NS raincoat", "NS raincoat", "WN raincoat", "WN raincoat", "WS raincoat", "WS raincoat", "WNS raincoat"]
ROPES = ["NS rope", "WN rope", "WS rope", "WNS rope", "WNS rope", "N rope", "S rope"]


@pytest.mark.parametrize(("lost", "stops"), [(4, False), (5, True), (6, True)])
def test_o3_iv_too_few_raincoats_end_the_deal(lost, stops):
    # Of twelve raincoats four lie in the corridors, `lost` are gone, and one more is dug.
    plain, stopped = both(
        deals.CORRIDOR, ["W raincoat, N+N, W+ES", "W rope, WS rope, N+S"], (2, 0), "1a east", lost=RAINCOATS[:lost],
        difficulty="normal",
    )  # fmt: skip
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == (("impossible", False) if stops else None)


@pytest.mark.parametrize("held", ["own hand", "other hand", "pile", "gathered"])
def test_o3_iv_raincoats_count_wherever_they_may_come_from(held):
    mine = "W rope, W+ES, WNS raincoat" if held == "own hand" else "W rope, N+N, W+ES"
    others = "W+E, W+N, WNS raincoat" if held == "other hand" else "W+E, W+N, N+S"
    gathered = ["WNS raincoat"] if held == "gathered" else []
    rest = {"gathered": gathered, "lost": RAINCOATS[:5], "difficulty": "normal"}
    for states in both(deals.CORRIDOR, [mine, others], (2, 0), "1a east", **rest):
        assert deals.ended(states) is None


@pytest.mark.parametrize(("lost", "stops"), [(5, False), (6, True), (7, True)])
def test_o3_iv_too_few_ropes_end_the_deal(lost, stops):
    plain, stopped = both(
        deals.CORRIDOR, ["W rope, N+N, W+ES", "WS raincoat, NS raincoat, N+S"], (2, 0), "1a east", lost=ROPES[:lost],
        difficulty="normal",
    )  # fmt: skip
    assert deals.ended(plain) is None
    assert deals.ended(stopped) == (("impossible", False) if stops else None)


def test_o3_iv_what_lies_aside_is_missing_too():
    # Three raincoats are left, one of them lies aside with two cards that could not be played either.
    hands = ["W rope, NS rope, W+ES", "W+E, WN rope, N+S"]
    for lying, stops in (("WNS raincoat, N+NE, N+NE", True), ("N+NS, N+NE, N+NE", False)):
        plain, stopped = both(deals.CORRIDOR, hands, "gather 1", lost=RAINCOATS[:5], aside=lying)
        assert deals.ended(plain) is None
        assert deals.ended(stopped) == (("impossible", False) if stops else None)


def test_o3_a_deal_that_is_won_is_not_cut_short():
    gathered = ALL_MATERIAL
    assert deals.ended(last_card(gathered, setup=STOP)) == ("closed", True)


def test_o3_random_deals_that_stop_early_pay_nothing():
    stopped = 0
    for seed in range(scaled(30)):
        for states in deals.states_of([seed], {"seats": 2, "early_stop": True}):
            if states[0].ending == state.IMPOSSIBLE:
                stopped += 1
                assert deals.paid(states) == [0.0, 0.0]
    assert stopped > 0


# O4: signals

TALK = {"signals": True}


def test_o4_before_playing_one_says_one_of_seven_things():
    states = deals.dealt(seats=2, **TALK)
    assert states[0].stage == state.SIGNAL
    said = deals.choices(states)
    assert len(said) == state.NUM_SIGNALS == 7
    for signal in sorted(said):
        later = deals.after(states, signal)
        assert later[0].seat == states[0].seat
        assert later[0].stage == state.WHERE
        assert len(said & deals.choices(later)) == 0


def test_o4_all_see_what_was_said_last():
    states = deals.dealt(seats=2, **TALK)
    seat = int(states[0].seat)
    for number in range(7):
        later = deals.after(states, deals.GAME.words.action_name(state.A_SIGNAL + number, "en"))
        assert later[0].said[seat] == number
        assert later[0].said[1 - seat] == 0
        assert ("signals", seat, number, 0) in deals.news(later)


def test_o4_what_is_said_may_be_untrue():
    # There is no water, and seat 0 has neither raincoat nor rope.
    states = deals.table(deals.CORRIDOR, ["W+E, N+N, W+N", STUCK], stage=state.SIGNAL, setup=TALK)
    assert len(deals.choices(states)) == 7
    for number in range(7):
        later = deals.after(states, deals.GAME.words.action_name(state.A_SIGNAL + number, "en"))
        assert later[0].said[0] == number


def test_o4_one_speaks_once_a_turn():
    states = deals.table(hands=["N raincoat, N+N, W+N", "W rope, N+N, N+S"], stage=state.SIGNAL, setup=TALK)
    deals.play(states, deals.GAME.words.action_name(state.A_SIGNAL + 4, "en"), "gather 1")
    assert (states[0].seat, states[0].stage) == (1, state.SIGNAL)
    assert states[0].said[:2].tolist() == [4, 0]


def test_o4_who_passes_does_not_speak():
    hands = ["WN raincoat, WS raincoat, W rope", STUCK]
    states = deals.table(deals.CORRIDOR, hands, pile="", stage=state.SIGNAL, setup=TALK)
    deals.play(states, deals.GAME.words.action_name(state.A_SIGNAL, "en"), "gather 1")
    assert deals.told(states, "passes") == [1]
    assert (states[0].seat, states[0].stage) == (0, state.SIGNAL)


def test_o4_a_seat_with_one_card_to_play_speaks_all_the_same():
    hands = ["WN raincoat, WS raincoat, W rope", "W+E, N+N, N+S"]
    states = deals.play(deals.table(deals.CORRIDOR, hands, setup=TALK), "gather 1")
    assert (states[0].seat, states[0].stage) == (1, state.SIGNAL)
    deals.play(states, deals.GAME.words.action_name(state.A_SIGNAL + 6, "en"))
    assert deals.told(states, "lays") == [1]


def test_o4_a_solitaire_is_silent():
    for states in deals.states_of([0], {"seats": 1, "signals": True}):
        assert states[0].over or states[0].stage != state.SIGNAL
        assert not deals.told(states, "signals")


def test_o4_nobody_speaks_unless_it_is_chosen():
    for states in deals.states_of([0], {"seats": 3}):
        assert states[0].over or states[0].stage != state.SIGNAL
