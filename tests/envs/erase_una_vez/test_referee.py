"""Deals of *Érase una vez* compared ply by ply with a slow referee."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from erase_referee import Referee
from erase_tables import GAME, do, table
from erase_tale import CARDS, CLAUSES, ENDINGS, GROUP, SPECIAL, THINGS, Tale

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import payoffs
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.erase_una_vez.rules import legal, play
from sobremesa.envs.erase_una_vez.state import A_CLAIM, A_KEEP, A_TELL, E_DRAWS, E_RESHUFFLES, REACT, TELL, draw_card
from sobremesa.envs.erase_una_vez.tables import FACTS

ACTIONS = [
    *(("card", card) for card in CARDS),
    *(("tell", thing) for thing in THINGS),
    ("pass",), ("end", 0), ("end", 1), ("keep",),
    *(("discard", card) for card in CARDS),
    ("change", 0), ("change", 1), ("nothing",),
    *(("claim", card) for card in CARDS),
    *(("interrupt", card) for card in SPECIAL),
    ("protest", None), ("yes",), ("no",), ("hook", 0), ("hook", 1), ("hook", 2),
]  # fmt: skip
STAGES = ("tell", "hook", "passing", "react", "vote")
KINDS = ("card", "bridge", "link", "break in", "pass", "end")
FATES = ("stands", "undone", "claimed", "interrupted", "refused", "accepted", "told too")
CASES = (None, "protest", "claim", "ending")
TABLE, OPEN, BURIED = 7, 8, 9
SHORT = 30  # sentences of a deal in these tests, at most
SETUPS = setups(GAME)


# A table, read by the referee's names.


def named(numbers):
    return [THINGS[number] for number in numbers]


def ending(number):
    return ENDINGS[number] if number < len(ENDINGS) else None


def lying(one, where):
    return set(named(np.flatnonzero(one.where == where)))


def line(row):
    """Return a row of the log as the referee has it."""
    kind, fate = KINDS[row[1]], FATES[row[4]]
    thing = ending(row[2]) if kind == "end" else None if kind == "pass" else THINGS[row[2]]
    hook = THINGS[row[3]] if kind in ("card", "bridge", "link") and row[3] < len(THINGS) else None
    taker, card = (int(row[5]), CARDS[row[6]]) if fate in ("claimed", "interrupted", "told too") else (None, None)
    return int(row[0]), kind, thing, hook, fate, taker, card


def cards_of(one):
    return {
        "hands": [lying(one, seat) for seat in range(one.seats)],
        "deck": named(one.deck[: one.deck_size]),
        "endings": [[ending(number) for number in held] for held in one.ending[: one.seats]],
        "pile": [ending(number) for number in one.endings[: one.endings_size]],
    }


def truth(states):
    """Return what is so at a table, by the names that the referee has for it."""
    one = states[0]
    facts = {fact: int(one.fact_at[bit]) for bit, fact in enumerate(FACTS) if one.facts >> bit & 1}
    return (
        cards_of(one)
        | {
            "table": lying(one, TABLE),
            "open": lying(one, OPEN),
            "buried": {CARDS[card]: int(one.buried_by[card]) for card in np.flatnonzero(one.where == BURIED)},
            "shown": set(named(np.flatnonzero(one.shown))),
            "knowers": knowers(one),
            "told": {THINGS[thing]: int(one.told[thing]) for thing in np.flatnonzero(one.told)},
            "told_at": {THINGS[thing]: int(one.told_at[thing]) for thing in np.flatnonzero(one.told_at)},
            "facts": facts,
            "context": named(thing for thing in one.context if thing < len(THINGS)),
            "log": [line(row) for row in one.log[: one.sentences]],
            "wrong": int(one.wrong),
            "fines": one.fines[: one.seats].tolist(),
            "over": (None, "cheered", "too long")[one.ending_kind],
            "winners": set(np.flatnonzero(one.winner).tolist()),
            "won_with": ending(one.won_with),
            "people": sum(GROUP[THINGS[thing]] == "P" for thing in np.flatnonzero(one.told)),
        }
        | ({} if one.over else asked(one))
    )


def knowers(one):
    """Return who knows of each ending where it is; those of whom all know it are not told apart further."""
    known = {}
    for number in np.flatnonzero(one.ending_known):
        bits = int(one.ending_known[number])
        known[ENDINGS[number]] = {"all"} if bits >> 6 & 1 else {seat for seat in range(6) if bits >> seat & 1}
    return known


def asked(one):
    stage = STAGES[one.stage]
    last = one.stage in (3, 4) and one.kind < 3
    return {
        "stage": stage,
        "asked": int(one.seat),
        "narrator": int(one.narrator),
        "case": CASES[one.case],
        "claimant": int(one.claimant) if CASES[one.case] == "claim" else None,
        "protested": set(np.flatnonzero(one.protested).tolist()),
        "last": (THINGS[one.focus], int(one.sense)) if last else None,
    }


def beheld(referee):
    """Return the same of a referee."""
    seen = {name: getattr(referee, name) for name in vars(referee)}
    seen["log"] = [row.line() for row in referee.log]
    seen["claimant"] = referee.claimant if referee.case == "claim" else None
    seen["knowers"] = {one: {"all"} if "all" in who else who for one, who in referee.knowers.items()}
    seen["people"] = sum(GROUP[thing] == "P" for thing in referee.told)
    seen["asked"] = None if referee.over else referee.seat()
    told = referee.stage in ("react", "vote") and referee.last and referee.last.kind != "end"
    seen["last"] = (referee.last.thing, referee.sense) if told else None
    return seen


def differences(referee, true):
    found = beheld(referee)
    return {name: _unlike(found[name], true[name]) for name in true if found[name] != true[name]}


def _unlike(one, other):
    """Return two things, of two lists of one length only what differs."""
    if not isinstance(one, list) or len(one) != len(other):
        return one, other
    return [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]


def decks(states):
    """Return the decks that were shuffled in the last ply, from the bottom: of what was drawn, and what is left."""
    one, shuffled, drawn = states[0], [], []
    for event, _, card, _ in one.news[: one.news_count].tolist():
        if event == E_RESHUFFLES:
            shuffled.append(drawn := [])
        elif event == E_DRAWS:
            drawn.append(CARDS[card])
    found = [cards[::-1] for cards in shuffled]
    if found:
        found[-1] = named(one.deck[: one.deck_size]) + found[-1]
    return found


# A player with some sense.


def worth(referee, action):
    """Return how gladly a sensible player does this."""
    what, which = (*action, None)[:2]
    if what == "card":
        return 40 if referee.sense_of(which, True) == 10 else 0.3
    if what == "tell":
        near = referee.sense_of(which) == 10
        return (0.5 if which in referee.told else 0.05) if near else 0.003
    if what == "end":
        return 30 if referee.accepts(referee.endings[referee.narrator][which]) else 1
    if what == "claim":
        return 0.3 if referee.means[which] < 75 else 3
    return {"pass": 0.15, "discard": 0.3}.get(what, 1)


def choose(referee, allowed, rng, sensible):
    ordered = sorted(allowed, key=str)
    if not sensible:  # any word alike, then any of its targets
        word = rng.choice(sorted({action[0] for action in ordered}))
        ordered = [action for action in ordered if action[0] == word]
        return ordered[rng.integers(len(ordered))]
    worths = np.array([worth(referee, action) for action in ordered])
    return ordered[rng.choice(len(ordered), p=worths / worths.sum())]


# Whole deals.


def follow(game, setup, seed, sensible=True):
    """Play a deal beside the referee; return what happened how often."""
    rng, tally = np.random.default_rng(seed), Counter()
    setup = {"max_sentences": SHORT} | setup
    states = game.new_tables(1, setup)
    kernels = table_kernels(game)
    view, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    kernels.reset(states, seed, view, mask)
    options = game.setup(states)
    referee = Referee(options, cards_of(states[0]) | {"first": int(states[0].first)})
    while True:
        where = f"setup {setup}, seed {seed}, ply {states[0].ply}"
        assert differences(referee, truth(states)) == {}, where
        if states[0].over:
            assert payoffs(game, states) == pytest.approx(referee.payoffs(), abs=1e-5), f"{where}: {referee.fines}"
            tally.update([referee.over, *(("fate", row.fate) for row in referee.log)])
            return tally
        allowed = {ACTIONS[action] for action in np.flatnonzero(mask)}
        assert allowed == referee.legal(), f"{where}: {referee.stage}: {allowed ^ referee.legal()}"
        action = choose(referee, allowed, rng, sensible)
        tally.update([referee.stage, action[0], ("case", referee.case)])
        kernels.step(states, ACTIONS.index(action), view, mask)
        tally["reshuffled"] += len(decks(states))
        referee = fitting(referee, action, states, where)


def fitting(referee, action, states, where):
    """Return the referee for the way in which the lots fell."""
    true, found = truth(states), []
    for one in referee.outcomes(action, decks(states)):
        found.append(differences(one, true))
        if not found[-1]:
            return one
    raise AssertionError(f"{where}: {action} leads elsewhere: {min(found, key=len, default='other decks')}")


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_the_referee_allows_and_comes_to_the_same(setup):
    assert follow(GAME, setup, SETUPS.index(setup), sensible=True)["tell"] > 0
    follow(GAME, setup, 100 + SETUPS.index(setup), sensible=False)


@pytest.mark.thorough
@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_the_referee_allows_and_comes_to_the_same_in_many_deals(setup):
    for seed in range(1000, 1012):
        follow(GAME, {"max_sentences": 80} | setup, seed, sensible=seed % 4 > 0)


def test_the_referee_has_seen_every_question_and_ending():
    tally, seed = Counter(), 200
    cases = {("case", case) for case in CASES}
    asked = {*STAGES, *cases, *(("fate", fate) for fate in FATES), "cheered", "too long", "reshuffled"}
    setup = {"seats": 3, "judge": "votes", "hook": "manual", "change_ending": True, "max_sentences": 100}
    tally += follow(GAME, {"seats": 5, "chain": True, "special_tells": True, "max_sentences": 60}, seed, sensible=True)
    while not tally.keys() >= asked | {action[0] for action in ACTIONS} and seed < 240:
        tally += follow(GAME, setup | {"seats": 3 + seed % 4}, seed, sensible=seed % 4 > 0)
        seed += 1
    assert set(tally) >= asked | {action[0] for action in ACTIONS}


def test_the_referee_knows_the_cards_of_the_box():
    assert (len(CARDS), len(SPECIAL), len(THINGS), len(ENDINGS)) == (105, 21, 137, 56)
    assert Counter(GROUP[card] for card in CARDS) == {"P": 25, "O": 15, "L": 20, "A": 25, "E": 20}
    assert len(ACTIONS) == GAME.num_actions


def test_c5_2_a_baby_is_a_child_and_with_a_king_a_prince():
    tale = Tale()
    assert (tale.weight("C01", "P13"), tale.weight("C01", "P02")) == (100, 0)
    tale.becomes_told("P17", by_card=True, number=1)
    assert tale.weight("C01", "P02") == 85
    assert tale.weight("C29", "P23") == 20  # a strange noise is no monster yet


@pytest.mark.parametrize(("since", "taken"), [(10, True), (11, True), (12, False)])
def test_c9_3_a_strict_judge_counts_sentences_before_the_ending(since, taken):
    """The page, 9: each clause met by something told in the last 12 beats; the ending tells of nothing itself."""
    others = [f"L{number:02}" for number in range(1, since + 1)]
    assert CLAUSES["F44"] == [["P10"]]
    states = table(["", "P01"], tale=["P10", *others], endings=["F44", "F01"], setup={"strictness": "strict"})
    out = np.zeros(GAME.layout.size, np.float32)
    table_kernels(GAME).observe(states, 0, out)
    would_be_taken = GAME.layout.split(out)["blocked"].reshape(2, 2)[0, 1]
    after = do(states, "end 1")
    assert line(after[0].log[since + 1])[4] == ("accepted" if taken else "refused")
    assert would_be_taken == taken


# A referee who overlooks things is none.


@kernel
def tells_new_things_without_cards(state, mask):
    legal(state, mask)
    if state.stage == TELL and not state.over and state.hand_size[state.narrator] == 0:
        mask[A_TELL : A_TELL + 137] = 1


@kernel
def claims_anything(state, mask):
    legal(state, mask)
    if state.stage == REACT and not state.over:
        for card in range(105):
            if state.where[card] == state.seat:
                mask[A_CLAIM + card] = 1


@kernel
def draws_one_too_many(state, action):
    play(state, action)
    if action == A_KEEP:
        draw_card(state, 0)


@kernel
def forgets_the_context(state, action):
    play(state, action)
    if state.context[2] != 137:
        state.context[2] = state.context[1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "changes",
    [
        {"legal": tells_new_things_without_cards},
        {"legal": claims_anything},
        {"play": draws_one_too_many},
        {"play": forgets_the_context},
    ],
    ids=["new things before the ending", "claims of anything", "a card too many", "a shorter memory"],
)
def test_the_referee_catches_what_is_wrong(changes):
    game = dataclasses.replace(GAME, **changes)
    with pytest.raises(AssertionError, match=r"seed \d+, ply \d+"):
        follow_many(game, 60)


def follow_many(game, deals):
    for seed in range(deals):
        follow(game, {"seats": 2 + seed % 3}, seed, sensible=seed % 4 > 0)
