"""Secrets in views of *Érase una vez*: turns, reactions, votes, cards and endings (C5.5, C11.3)."""

import dataclasses

import numpy as np
import pytest
from erase_tables import ACTIONS, GAME
from erase_views import SHOWN, plies, seen
from scale import scaled
from worlds import check_leak, numbers

from sobremesa.envs.core.chance import KEY
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import outcome
from sobremesa.envs.erase_una_vez.observe import LAYOUT, observe
from sobremesa.envs.erase_una_vez.state import A_NOTHING, HOOK, MANUAL, REACT, TELL, VOTE

# Who is asked.


def asked_in_react(deals):
    """Give plies of random deals at which somebody is asked to react."""
    for seed in range(deals):
        for ply in plies(seed, seats=3 + seed % 4, max_sentences=25, hook=("automatic", "manual")[seed % 2]):
            if ply.states[0].stage == REACT and not ply.states[0].over:
                yield ply


def test_c5_5_nobody_sees_that_another_is_asked():
    """A table where somebody is asked looks to the rest as where the narrator tells on, or another is asked."""
    compared = 0
    for number, ply in enumerate(asked_in_react(scaled(12))):
        one = ply.states[0]
        asked, narrator = int(one.seat), int(one.narrator)
        shown = SHOWN if number % 40 == 0 else numbers(GAME)
        for stage, other in ((TELL, narrator), (HOOK, narrator), *((REACT, seat) for seat in range(one.seats))):
            if (stage == HOOK and one.hook != MANUAL) or (stage == REACT and other == narrator):
                continue
            changed = ply.states.copy()
            changed[0].stage, changed[0].seat = stage, other
            for seat in set(range(int(one.seats))) - {asked, other}:
                assert seen(changed, seat, shown) == seen(ply.states, seat, shown)
                compared += 1
    assert compared > 50


def test_c5_5_a_silent_reaction_is_invisible():
    compared = 0
    for number, ply in enumerate(asked_in_react(scaled(30))):
        after = outcome(GAME, ply)
        one, later = ply.states[0], after[0]
        told_on = (later.sentences, later.narrator) == (one.sentences, one.narrator)
        if ply.action != A_NOTHING or not told_on or later.stage not in (TELL, HOOK, REACT) or later.over:
            continue
        if (one.log != later.log).any() or later.protested.any() or (later.where != one.where).any():
            continue  # what others said before was judged
        shown = SHOWN if number % 40 == 0 else numbers(GAME)
        for seat in set(range(int(one.seats))) - {int(one.seat), int(later.seat)}:
            assert seen(after, seat, shown) == seen(ply.states, seat, shown)
            compared += 1
    assert compared > 5


def test_c6_reactions_are_hidden_until_all_have_reacted():
    """Whether a seat said nothing, claimed or protested is the same to all but itself while others are asked."""
    compared = 0
    for ply in asked_in_react(scaled(30)):
        found = []
        for action in np.flatnonzero(ply.mask):
            after = outcome(GAME, ply._replace(action=int(action)))
            if after[0].stage != REACT or after[0].resolving or after[0].sentences != ply.states[0].sentences:
                break
            if (after[0].where != ply.states[0].where).any():
                break
            found.append(after)
        for after in found[1:]:
            for seat in set(range(int(ply.states[0].seats))) - {ply.seat}:
                assert seen(after, seat, numbers(GAME)) == seen(found[0], seat, numbers(GAME))
                compared += 1
    assert compared > 5


def test_c8_votes_are_hidden_until_all_have_voted():
    compared = 0
    for seed in range(scaled(40)):
        for ply in plies(seed, seats=5, judge="votes", max_sentences=25):
            if ply.states[0].stage != VOTE:
                continue
            yes, no = (outcome(GAME, ply._replace(action=ACTIONS.index(action))) for action in ("yes", "no"))
            same = (yes[0].claimant, yes[0].case, yes[0].stage) == (
                ply.states[0].claimant, ply.states[0].case, VOTE,
            )  # fmt: skip
            if same and yes[0].answered[ply.seat]:
                for seat in set(range(5)) - {ply.seat}:
                    assert seen(yes, seat, numbers(GAME)) == seen(no, seat, numbers(GAME))
                    compared += 1
    assert compared > 10


# The secrets kit.


BRIEF = dataclasses.replace(
    GAME,
    options=tuple(
        dataclasses.replace(option, default=20) if option.name == "max_sentences" else option for option in GAME.options
    ),
)


_FINES, _SETUP = LAYOUT.start("fines"), LAYOUT.start("setup")


@kernel
def observes_the_next_hand(state, seat, out):
    observe(state, seat, out)
    out[_FINES] = 0
    for card in range(0, 105, 2):
        if state.where[card] == (seat + 1) % int(state.seats):
            out[_FINES] = 1 - out[_FINES]


@kernel
def observes_the_next_card(state, seat, out):
    observe(state, seat, out)
    out[_SETUP] = 0
    if state.deck_size > 0:
        out[_SETUP] = state.deck[int(state.deck_size) - 1] % 4


@kernel
def observes_the_top_ending(state, seat, out):
    observe(state, seat, out)
    out[_SETUP] = state.endings[0] % 4


@kernel
def observes_who_has_reacted(state, seat, out):
    observe(state, seat, out)
    out[_SETUP] = 0
    for other in range(state.seats):
        if other != seat and state.answered[other]:
            out[_SETUP] = 1


@kernel
def observes_the_stream(state, seat, out):
    observe(state, seat, out)
    out[_SETUP] = (state.stream[KEY] & np.uint32(1)) == np.uint32(1)


@pytest.mark.thorough  # every broken view is compiled; test_secrets breaks one in make test
@pytest.mark.parametrize("maker", ["redeal", "obvious"])
@pytest.mark.parametrize(
    "broken",
    [
        observes_the_next_hand,
        observes_the_next_card,
        observes_the_top_ending,
        observes_who_has_reacted,
        observes_the_stream,
    ],
    ids=lambda broken: broken.__name__,
)
def test_an_observation_that_tells_is_caught(broken, maker):
    check_leak(BRIEF, broken, maker)
