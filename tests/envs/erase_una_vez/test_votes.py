"""The judge, votes and fines of *Érase una vez*; C, H and O numbers as in its RULES.md."""

import numpy as np
import pytest
from erase_tables import (
    GAME,
    after,
    answer,
    asked,
    choices,
    do,
    hand,
    log,
    narrator,
    news,
    noted,
    paid,
    seats_asked,
    shown,
    states_of,
    table,
    told,
    view,
    where,
    winners,
)
from scale import scaled

from sobremesa.envs.erase_una_vez import state
from sobremesa.envs.erase_una_vez.notation import entry

pytestmark = pytest.mark.kernels

# What has been told, a sentence that makes sense then, and a card that it may mean, by the weight in hundredths.
DOUBTS = {
    40: ("Bruja", "Hechizo", "Transformación"),
    50: ("Cueva", "Llave", "Puerta"),
    60: ("Bruja", "Hechizo", "Maldito(a)"),
    70: ("Montaña", "Bosque", "Árbol"),
}
OTHERS = ("Princesa", "Príncipe", "Mendigo", "Anciano", "Pastora")
TOP = "Cocina, Capilla, Hogar, Loco, Ciego"
PEOPLE = ("votes", "mixed")


def claimed(weigh=60, seats=3, judge="votes", seed=0, **setup):
    """Return a table where seat 1 has claimed a card for a sentence of seat 0 that may mean it."""
    before, said, meant = DOUBTS[weigh]
    hands = ["Rana", meant, *OTHERS[: seats - 2]]
    states = table(hands, tale=before, top=TOP, seed=seed, setup={"judge": judge, **setup})
    return do(states, f"tell {said}", f"claim {meant}")


def protested(seats=3, judge="votes", protesters=(1,), **setup):
    """Return a table where seats have protested, and all others have not, against a card of seat 0 out of the blue."""
    hands = ["Fuga, Rana", *OTHERS[: seats - 1]]
    states = table(hands, tale="Corona*", top=TOP, setup={"judge": judge, **setup})
    return answer(do(states, "card Fuga"), dict.fromkeys(protesters, "protest"))


def ended(seats=3, judge="votes", fits=True, **setup):
    """Return a table where seat 0 has played an ending, that fits or does not."""
    hands = ["", *OTHERS[: seats - 1]]
    tale = "Rey, Reina, Dos personas se enamoran" if fits else "Rey, Reina"
    states = table(hands, tale=tale, top=TOP, endings=["F01"], pile="F02", setup={"judge": judge, **setup})
    return do(states, "end 1")


def cleared(states):
    """Say whether nothing is left of a vote."""
    one = states[0]
    nothing = (one.voters, one.vote, one.answered)
    return one.case == state.NO_CASE and one.claimant == state.NOBODY and not any(field.any() for field in nothing)


def voted(states, *seats):
    """Return the table after a vote in which these seats vote yes and all others no."""
    return answer(states.copy(), dict.fromkeys(seats, "yes"))


def events(states):
    return [line[0] for line in news(states)]


# C8.1: the judge


@pytest.mark.parametrize("weigh", DOUBTS)
def test_c8_1_a_doubtful_claim_is_right_as_often_as_it_weighs(weigh):
    deals = scaled(400)
    right = sum(narrator(claimed(weigh, judge="rules", seed=seed)) for seed in range(deals))
    expected = deals * weigh / 100
    assert abs(right - expected) < 3.3 * np.sqrt(expected * (1 - weigh / 100))
    assert 0 < right < deals


@pytest.mark.parametrize("seats", range(2, 7))
def test_c8_1_nobody_votes_where_the_judge_decides(seats):
    for states in (claimed(seats=seats, judge="rules"), protested(seats, "rules"), ended(seats, "rules")):
        assert cleared(states)
        assert "votes" not in events(states)


def test_c8_1_the_judge_carries_out_what_he_says():
    outcomes = {}
    for seed in range(12):
        states = claimed(60, judge="rules", seed=seed)
        outcomes[where(states, "Maldito(a)")] = states
    right, wrong = outcomes["table"], outcomes["open"]
    assert set(outcomes) == {"table", "open"}
    assert (narrator(right), hand(right, 0), hand(right, 1)) == (1, ["Rana", "Cocina"], [])
    assert told(right)["Maldito(a)"] == 2
    assert (log(right)["fate"], log(right)["taker"], log(right)["card"]) == ("claimed", 1, "Maldito(a)")
    assert (narrator(wrong), hand(wrong, 0), hand(wrong, 1)) == (0, ["Rana"], ["Cocina", "Capilla"])
    assert "Maldito(a)" not in told(wrong)
    assert log(wrong)["fate"] == "stands"
    assert wrong[0].wrong == 1


@pytest.mark.parametrize(
    ("sense", "tale", "said"),
    [
        (2, "Corona*", "card Muy fuerte"),  # nobody is there who could be strong
        (4, "Corona*", "tell Libro"),
        (3, "Corona*", "tell Corona"),
    ],
)
def test_c8_1_a_protest_is_right_if_the_sense_is_under_a_half(sense, tale, said):
    fields = {3: {"stale": 2, "passes": 2}, 4: {"listed": 2}}.get(sense, {})
    states = do(table(["Río, Muy fuerte", "Princesa", "Rana"], tale=tale, top=TOP, **fields), said)
    assert states[0].sense == sense
    do(states, "protest", "nothing")
    assert log(states)["fate"] == "undone"
    assert narrator(states) == 1
    assert set(hand(states, 0)) == {"Río", "Muy fuerte", "Cocina"}


@pytest.mark.parametrize("fits", [True, False])
def test_c8_1_an_ending_is_judged_by_the_tale(fits):
    states = ended(judge="rules", fits=fits)
    assert winners(states) == ([0] if fits else None)
    assert log(states)["fate"] == ("accepted" if fits else "refused")


# C8.2: votes


@pytest.mark.parametrize("judge", PEOPLE)
@pytest.mark.parametrize("seats", range(3, 7))
def test_c8_2_those_vote_who_are_not_involved(seats, judge):
    assert seats_asked(claimed(seats=seats, judge=judge)) == list(range(2, seats))
    assert seats_asked(protested(seats, judge, (2,))) == [seat for seat in range(seats) if seat not in (0, 2)]
    assert seats_asked(ended(seats, judge)) == list(range(1, seats))


def test_c8_2_all_who_protest_are_involved():
    assert seats_asked(protested(6, "votes", (1, 3, 4))) == [2, 5]


def test_c8_2_the_seats_not_the_numbers_are_involved():
    states = table(["Princesa", "Rana", "Árbol", "Mendigo"], tale="Montaña", narrator=3, setup={"judge": "votes"})
    do(states, "tell Bosque", "claim Árbol")
    assert seats_asked(states) == [0, 1]


def test_c8_2_a_voter_says_yes_or_no():
    for states in (claimed(), protested(), ended()):
        assert asked(states)[1] == "vote"
        assert choices(states) == {"yes", "no"}


@pytest.mark.parametrize("weigh", [40, 70])
@pytest.mark.parametrize("yes", range(4))
def test_c8_2_most_votes_decide_on_a_claim_whatever_it_weighs(weigh, yes):
    meant = DOUBTS[weigh][2]
    for seed in range(2):
        states = voted(claimed(weigh, 5, seed=seed), *range(2, 2 + yes))
        assert where(states, meant) == ("table" if yes >= 2 else "open")
        assert narrator(states) == (1 if yes >= 2 else 0)
        assert len(hand(states, 0)) == (2 if yes >= 2 else 1)
        assert len(hand(states, 1)) == (0 if yes >= 2 else 2)
        assert states[0].wrong == (yes < 2)
        assert cleared(states)


@pytest.mark.parametrize("yes", range(4))
def test_c8_2_most_votes_decide_on_a_protest(yes):
    states = voted(protested(5), *range(2, 2 + yes))
    assert log(states)["fate"] == ("undone" if yes >= 2 else "stands")
    assert narrator(states) == (1 if yes >= 2 else 0)
    assert where(states, "Fuga") == (0 if yes >= 2 else "table")
    assert cleared(states)


@pytest.mark.parametrize("fits", [True, False])
@pytest.mark.parametrize("yes", range(4))
def test_c8_2_most_votes_decide_on_an_ending_whatever_the_tale(fits, yes):
    states = voted(ended(4, fits=fits), *range(1, 1 + yes))
    assert winners(states) == ([0] if yes >= 2 else None)
    assert log(states)["fate"] == ("accepted" if yes >= 2 else "refused")
    assert cleared(states)


def test_c8_2_votes_are_hidden_until_all_have_voted():
    start = claimed(seats=5)
    said = {text: after(start, text) for text in ("yes", "no")}
    for states in said.values():
        assert asked(states) == (3, "vote")
        assert news(states) == []
    for seat in (0, 1, 3, 4):
        one, other = (view(states, seat) for states in said.values())
        assert all((one[name] == other[name]).all() for name in one)


@pytest.mark.parametrize("make", [claimed, protested, ended])
def test_c8_2_votes_are_shown_once_all_have_voted(make):
    states = make(seats=5)
    asks = seats_asked(states)
    case = int(states[0].case)
    yes = asks[1]
    states = voted(states, yes)
    assert [line for line in news(states) if line[0] == "votes"] == [
        ("votes", seat, int(seat == yes), case) for seat in asks
    ]
    assert events(states)[: len(asks)] == ["votes"] * len(asks)


@pytest.mark.parametrize(("said", "meant", "right"), [("Huérfano", "Niño(a)", True), ("Rey", "Reino", False)])
def test_c8_2_what_is_not_doubtful_is_not_voted_on(said, meant, right):
    for judge in ("rules", *PEOPLE):
        states = table(["Rana", meant, "Mendigo"], tale="Hermano(a)*, Corona*", setup={"judge": judge}, top=TOP)
        answer(do(states, f"tell {said}"), {1: f"claim {meant}"})
        assert asked(states) == (int(right), "tell")
        assert "votes" not in events(states)
        assert where(states, meant) == ("table" if right else "open")


def test_c8_2_after_a_claim_that_fails_the_next_one_is_judged():
    seen = set()
    for seed in range(8):
        hands = ["Rana", "Maldito(a)", "Transformación", "Mendigo"]
        states = table(hands, tale="Bruja", top=TOP, seed=seed, setup={"judge": "votes"})
        do(states, "tell Hechizo", "claim Maldito(a)", "claim Transformación")
        first = int(states[0].claimant)
        assert seats_asked(states) == [3]  # whose own claim waits is involved
        do(states, "no")
        assert noted(states, "wrong") == [first]
        assert int(states[0].claimant) == 3 - first
        assert states[0].order.tolist() == [state.NOBODY] * state.MAX_SEATS
        do(states, "yes", "yes")
        assert narrator(states) == 3 - first
        assert where(states, hands[first]) == "open"
        seen.add(first)
    assert seen == {1, 2}


def test_c8_2_after_a_claim_that_holds_the_others_are_not_judged():
    hands = ["Rana", "Maldito(a)", "Transformación", "Mendigo"]
    states = table(hands, tale="Bruja", top=TOP, setup={"judge": "votes"})
    do(states, "tell Hechizo", "claim Maldito(a)", "claim Transformación")
    first = int(states[0].claimant)
    do(states, "yes")
    assert asked(states) == (first, "tell")
    assert shown(states) == {hands[3 - first]}
    assert hand(states, 3 - first) == [hands[3 - first]]


# C8.3 and O1: votes that cost something


def fines(states):
    return states[0].fines[: states[0].seats].tolist()


@pytest.mark.parametrize("weigh", DOUBTS)
def test_c8_3_h6_a_claim_of_a_half_is_right_to_the_judge(weigh):
    for seed in range(2):
        states = voted(claimed(weigh, 5, "mixed", seed=seed), 2, 4)
        assert fines(states) == ([0, 0, 0, 1, 0] if weigh >= 50 else [0, 0, 1, 0, 1])
        assert narrator(states) == 1  # the votes count


def test_c8_3_who_votes_against_a_protest_that_is_right_is_fined():
    states = voted(protested(5, "mixed"), 3)
    assert fines(states) == [0, 0, 1, 0, 1]
    assert log(states)["fate"] == "stands"


@pytest.mark.parametrize("fits", [True, False])
def test_c8_3_who_votes_against_the_judge_of_an_ending_is_fined(fits):
    states = voted(ended(4, "mixed", fits), 1, 3)
    assert fines(states) == ([0, 0, 1, 0] if fits else [0, 1, 0, 1])
    assert winners(states) == [0]


@pytest.mark.parametrize("strictness", ["lenient", "strict"])
def test_c8_3_the_judge_of_an_ending_is_as_strict_as_is_agreed(strictness):
    setup = {"judge": "mixed", "strictness": strictness}
    states = table(["", "Rana", "Mendigo"], tale="Torre", passes=12, endings=["F49"], setup=setup, top=TOP)
    states = voted(do(states, "end 1"), 1, 2)
    assert fines(states) == ([0, 0, 0] if strictness == "lenient" else [0, 1, 1])


def test_c8_3_votes_alone_cost_nothing():
    for states in (claimed(seats=5), protested(5), ended(5)):
        assert fines(voted(states, 2, 3)) == [0] * 5
        assert fines(voted(states)) == [0] * 5


@pytest.mark.parametrize("held", [0, 9, 10])
def test_c8_3_no_more_than_ten_fines_are_paid(held):
    states = claimed(seats=4, judge="mixed")
    states[0].fines[2:4] = held
    assert fines(voted(states, 3)) == [0, 0, min(10, held + 1), held]


def wins(fined, fine, seats, winner=0):
    """Return what a deal pays that one seat has won, and in which votes have been fined."""
    states = voted(ended(seats, "mixed", fine=fine), *range(1, seats))
    states[0].fines[:seats] = fined
    states[0].winner[:] = 0
    states[0].winner[winner] = 1
    return paid(states)


@pytest.mark.parametrize("fine", range(3))
def test_c8_3_h6_fines_are_paid_to_all_others_alike(fine):
    fined = [0, 3, 0, 10]
    cost = fine / 100
    scale = 1 - 10 * cost
    gets = [(sum(fined) - own) * cost / 3 for own in fined]
    expected = [(1 if seat == 0 else -1 / 3) * scale - fined[seat] * cost + gets[seat] for seat in range(4)]
    assert wins(fined, fine, 4) == pytest.approx(expected, abs=1e-6)
    assert sum(wins(fined, fine, 4)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seats", range(3, 7))
def test_c8_3_payoffs_stay_within_one_whatever_is_fined(seats):
    most = 0.0
    for fined in ([10] * seats, [0] + [10] * (seats - 1), [10] + [0] * (seats - 1), [0] * seats):
        for winner in range(seats):
            pays = wins(fined, 2, seats, winner)
            assert sum(pays) == pytest.approx(0, abs=1e-5)
            assert max(map(abs, pays)) <= 1 + 1e-6
            most = max(most, *pays)
    assert most == pytest.approx(1)  # who won and was never fined, where all others always were


def test_c8_3_fines_are_paid_by_mixed_judges_alone():
    for judge in ("rules", "votes"):
        states = ended(3, judge)
        states = states if judge == "rules" else voted(states, 1, 2)
        states[0].fines[1] = 5
        assert paid(states) == [1.0, -0.5, -0.5]


def test_c8_3_random_deals_with_mixed_judges_sum_to_zero():
    fined = 0
    for seed in range(scaled(30)):
        for states in states_of([seed], {"seats": 3 + seed % 4, "judge": "mixed", "max_sentences": 30}):
            if states[0].over:
                fined += int(states[0].fines.sum())
                assert abs(sum(paid(states))) < 1e-5
                assert max(map(abs, paid(states))) <= 1
                assert not states[0].fines[states[0].seats :].any()
    assert fined > 0


def test_o1_the_judge_and_the_fine_that_nobody_chooses():
    one = GAME.new_tables(1, {})[0]
    assert (one.judge, one.fine) == (state.VOTES, 2)


# C8.4: nobody to vote, and ties


@pytest.mark.parametrize("judge", PEOPLE)
def test_c8_4_two_seats_have_a_judge(judge):
    assert {narrator(claimed(seats=2, judge=judge, seed=seed)) for seed in range(20)} == {0, 1}
    assert log(protested(2, judge))["fate"] == "undone"
    assert winners(ended(2, judge)) == [0]
    refused = ended(2, judge, fits=False)
    assert log(refused)["fate"] == "refused"
    for states in (claimed(seats=2, judge=judge), protested(2, judge), refused):
        assert cleared(states)
        assert asked(states)[1] == "tell"
        assert fines(states) == [0, 0]


@pytest.mark.parametrize("judge", PEOPLE)
@pytest.mark.parametrize("seats", range(3, 7))
def test_c8_4_where_all_are_involved_the_judge_decides(seats, judge):
    states = protested(seats, judge, range(1, seats))
    assert log(states)["fate"] == "undone"
    assert "votes" not in events(states)
    assert asked(states) == (1, "tell")


def test_c8_4_a_tie_leaves_a_claimant_his_card():
    states = voted(claimed(seats=4), 3)
    assert ("void", 1) in [line[:2] for line in news(states)]
    assert asked(states) == (0, "tell")
    assert (hand(states, 0), hand(states, 1)) == (["Rana"], ["Maldito(a)"])
    assert shown(states) == {"Maldito(a)"}
    assert states[0].wrong == 0
    assert "Maldito(a)" not in told(states)
    assert log(states)["fate"] == "stands"
    assert "draws" not in events(states)


def test_c8_4_after_a_tie_the_next_claim_is_judged():
    hands = ["Rana", "Maldito(a)", "Transformación", "Mendigo", "Isla"]
    states = table(hands, tale="Bruja", top=TOP, setup={"judge": "votes"})
    do(states, "tell Hechizo", "claim Maldito(a)", "claim Transformación")
    first = int(states[0].claimant)
    do(states, "yes", "no")
    assert noted(states, "void") == [first]
    assert asked(states)[1] == "vote"
    assert int(states[0].claimant) == 3 - first
    assert hand(states, first) == [hands[first]]


def test_c8_4_a_tie_rejects_a_protest():
    states = voted(protested(4), 2)
    assert "in vain" in events(states)
    assert asked(states) == (0, "tell")
    assert log(states)["fate"] == "stands"
    assert where(states, "Fuga") == "table"
    assert hand(states, 1) == ["Princesa"]  # protesting in vain costs nothing


@pytest.mark.parametrize("seats", [3, 5])
def test_c8_4_a_tie_takes_an_ending(seats):
    for fits in (True, False):
        states = voted(ended(seats, fits=fits), *range(1, 1 + (seats - 1) // 2))
        assert winners(states) == [0]


def test_c8_4_a_tie_costs_as_many_votes_as_were_wrong():
    states = voted(claimed(60, 4, "mixed"), 3)
    assert fines(states) == [0, 0, 1, 0]
    assert "void" in events(states)


# What a voter reads


@pytest.mark.parametrize(
    ("fits", "names"),
    [(True, ["yes: the judge would accept it", "no"]), (False, ["yes", "no: the judge would refuse it"])],
)
def test_a_vote_on_an_ending_has_the_reason_of_the_judge(fits, names):
    states = ended(fits=fits)
    assert [entry(action, "en", states)[0] for action in (state.A_YES, state.A_NO)] == names


def test_a_vote_on_a_protest_has_the_reason_of_the_protest():
    states = protested()
    names = [entry(action, "en", states)[0] for action in (state.A_YES, state.A_NO)]
    assert names == ["yes: the tale lacks what it needs (sense: 2 of 10)", "no"]
