"""Knowledge and determinizations of *Érase una vez*, compared with a reference sampler (C11.3)."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from erase_tables import ACTIONS, GAME
from erase_views import SHOWN, plies, seen
from scale import PLAIN, scaled
from worlds import Samples, differ, numbers
from worlds_erase_una_vez import can_react, claims_of, ending_places, hidden_cards, knows_ending, sample_world

from sobremesa.envs.core.table import state_problems, table_kernels
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.envs.erase_una_vez import state as s

WORLDS = scaled(300)
enough = pytest.mark.skipif(WORLDS < 300, reason="too few worlds to tell a small bias")


# Positions.


def first(holds, **setup):
    """Return the first table of some deals for which `holds(state)`."""
    for seed in range(500):
        for ply in plies(seed, **setup):
            if holds(ply.states[0]):
                return ply.states.copy()
    raise LookupError("no such table")


def lying(state, where):
    return int((state.where == where).sum())


@cache
def at_the_start():
    return first(lambda state: True, seats=2, beginners=1)


@cache
def late():
    """Cards lie face up and face down, and some are known to be in hands."""

    def holds(state):
        buriers = set(state.buried_by.tolist()) - {s.NOBODY}
        return {0, 1} <= buriers and lying(state, s.OPEN) > 1 and state.shown.sum() > 1 and not state.over

    return first(holds, seats=3, max_sentences=80)


@cache
def while_reacting():
    """Seat 0 has answered; another has claimed and waits for the rest."""

    def holds(state):
        claims = (state.choice != s.A_NOTHING).sum()
        return state.stage == s.REACT and state.answered[0] and claims > 0 and state.choice[0] == s.A_NOTHING

    return first(holds, seats=5, max_sentences=60)


@cache
def while_a_claim_of_mine_waits():
    """Seat 0 tells and waits; seat 1 has claimed, and another is asked."""

    def holds(state):
        claims = state.choice[1] != s.A_NOTHING and state.answered[1]
        return state.stage == s.REACT and state.narrator == 0 and claims

    return first(holds, seats=5, max_sentences=60)


@cache
def before_i_am_asked():
    """Another is asked to react, and seat 1 will be."""

    def holds(state):
        asked, last = state.seat, (state.narrator - 1) % state.seats
        return (
            state.stage == s.REACT
            and asked != last == 1
            and can_react(state, 1, claims_of(state))
            and not state.answered[1]
        )

    return first(holds, seats=4, max_sentences=60)


@cache
def at_the_last_sentence():
    """Another is asked to react to the last sentence that there can be, so that somebody must be."""

    def holds(state):
        return state.stage == s.REACT and state.sentences == state.max_sentences and state.seat > 1

    return first(holds, seats=4, max_sentences=10)


@cache
def while_voting():
    """A claim is voted on, and another waits."""

    def holds(state):
        waits = (state.order != s.NOBODY).sum() > 0
        return state.stage == s.VOTE and state.case == s.ON_CLAIM and state.answered.any() and waits

    return first(holds, seats=6, judge="votes", max_sentences=60)


@cache
def when_many_wait():
    return first(
        lambda state: state.stage == s.VOTE and (state.order != s.NOBODY).sum() > 1,
        seats=6,
        judge="votes",
        max_sentences=60,
    )


@cache
def after_changes():
    """Endings have been changed, so that some lie under the pile that some know."""

    def holds(state):
        pile = [int(state.ending_known[ending]) for ending in state.endings[: state.endings_size]]
        return {1, 2} <= set(pile) and state.stage == s.PASSING

    return first(holds, seats=3, change_ending=True, beginners=2, max_sentences=200)


@cache
def after_a_hook():
    return first(
        lambda state: state.stage == s.TELL and state.chosen != s.MOST_HOOKS and state.sentences > 9,
        seats=3,
        hook="manual",
        max_sentences=60,
    )


@cache
def after_a_hook_on_one_of_two():
    """The context holds one thing twice, which was offered once."""

    def holds(state):
        return state.stage == s.TELL and state.chosen != s.MOST_HOOKS and len(set(state.context.tolist())) == 2

    return first(holds, seats=3, hook="manual", max_sentences=60)


@cache
def at_the_end():
    return list(plies(3, seats=4, max_sentences=25))[-1].states.copy()


POSITIONS = (
    at_the_start,
    late,
    while_reacting,
    while_voting,
    when_many_wait,
    after_changes,
    after_a_hook,
    after_a_hook_on_one_of_two,
    at_the_end,
)
CASES = [(position, seat) for position in POSITIONS for seat in (0, 1)]
CASES += [(while_a_claim_of_mine_waits, 1), (before_i_am_asked, 1), (at_the_last_sentence, 0)]
cases = pytest.mark.parametrize(("position", "seat"), CASES)


# Worlds against those of the slow sampler.


def counts(worlds):
    """Return how often each card and each ending came where, and what is left of secret choices."""
    found = {}

    def count(what, value):
        found.setdefault(what, Counter())[value] += 1

    for world in worlds:
        one = world[0]
        deck = {card: place // 20 for place, card in enumerate(one.deck[: one.deck_size].tolist())}
        for card, place in enumerate(zip(one.where.tolist(), one.buried_by.tolist(), strict=True)):
            count(f"card {card}", (*place, deck.get(card)))
        for field, *at in ending_places(one):
            number = int(one[field][tuple(at)])
            count(f"ending {number}", (field, at[0] // 12 if field == "endings" else at[0]))
        count("pair", (int(one.where[0]), int(one.where[1])))
        count("top", int(one.deck[max(0, int(one.deck_size) - 1)]) // 15)
        for field in ("order", "choice", "answered", "vote", "chosen", "stage", "seat"):
            count(field, one[field].tobytes())
    return found


SAMPLES = Samples(GAME, counts, WORLDS)


@cases
def test_c11_3_redeal_and_the_sampler_agree(position, seat):
    once = SAMPLES.redealt_once(position, seat)
    assert differ(once, SAMPLES.sampled(position, seat)) == []
    assert differ(once, SAMPLES.redealt_twice(position, seat)) == []


HIDDEN = {
    "stream", "ply", "stage", "seat", "news", "news_count", "where", "buried_by", "deck", "ending", "endings",
    "ending_known", "choice", "answered", "vote", "order", "chosen",
}  # fmt: skip


@cases
def test_c11_3_worlds_keep_all_that_the_seat_knows(position, seat):
    states, rng = position(), np.random.default_rng(7)
    one = states[0]
    unknown = hidden_cards(one, seat)
    known = np.setdiff1d(np.arange(105), unknown)
    mine = [place for place in ending_places(one) if knows_ending(one, seat, one[place[0]][place[1:]])]
    before = seen(states, seat, SHOWN)
    for seed in range(scaled(20)):
        for world in (redealt(GAME)(states, seat, seed), sample_world(states, seat, rng)):
            other = world[0]
            assert state_problems(GAME, world) == []
            assert seen(world, seat, SHOWN if seed < 2 else numbers(GAME)).items() <= before.items()
            assert {name for name in states.dtype.names if (states[name] != world[name]).any()} <= HIDDEN
            assert (other.where[known] == one.where[known]).all()
            assert (other.buried_by[known] == one.buried_by[known]).all()
            assert all(other[field][tuple(at)] == one[field][tuple(at)] for field, *at in mine)
            assert [knows_ending(other, seat, number) for number in range(56)] == [
                knows_ending(one, seat, number) for number in range(56)
            ]


@cases
def test_h3_worlds_keep_only_the_seats_own_reaction(position, seat):
    states, rng = position(), np.random.default_rng(8)
    one = states[0]
    others = [other for other in range(6) if other != seat]
    for seed in range(3):
        for world in (redealt(GAME)(states, seat, seed), sample_world(states, seat, rng)):
            other = world[0]
            assert (other.ply, other.news_count, other.over) == (0, 0, one.over)
            assert not other.news.any()
            assert (other.seat == seat) == (one.seat == seat)
            if other.seat == seat or other.stage in (s.REACT, s.VOTE):
                assert other.stage == one.stage
                assert (other.choice[seat], other.answered[seat]) == (one.choice[seat], one.answered[seat])
            assert not other.answered[others].any()
            assert other.resolving or (other.choice[others] == s.A_NOTHING).all()
            assert not other.resolving or (other.choice == one.choice).all()
            assert other.vote[seat] == one.vote[seat]
            assert not other.vote[others].any()


def asked_in(states, seat):
    """Return who is asked what in worlds that `seat` holds possible."""
    worlds = [redealt(GAME)(states, seat, seed)[0] for seed in range(scaled(40))]
    return {(int(world.stage), int(world.seat)) for world in worlds}


def test_h10_worlds_ask_whom_the_seat_must_take_to_be_asked():
    """Who cannot know that another is asked takes the narrator to tell on; others do not learn who it is."""
    assert asked_in(while_reacting(), 0) == {(s.TELL, int(while_reacting()[0].narrator))}
    waiting = while_a_claim_of_mine_waits()
    assert {stage for stage, _ in asked_in(waiting, 0) | asked_in(waiting, 1)} == {s.REACT}
    assert {seat for _, seat in asked_in(waiting, 1)} <= {2, 3, 4}
    assert {stage for stage, _ in asked_in(before_i_am_asked(), 1)} == {s.REACT}
    assert {stage for stage, _ in asked_in(at_the_last_sentence(), 0)} == {s.REACT}
    voters = [int(voter) for voter in np.flatnonzero(while_voting()[0].voters)]
    for seat in set(range(6)) - {int(while_voting()[0].seat)}:
        assert asked_in(while_voting(), seat) == {(s.VOTE, min(set(voters) - {seat}))}


@cases
def test_c11_3_redeal_depends_on_what_the_seat_sees_alone(position, seat):
    states, rng = position(), np.random.default_rng(9)
    for seed in range(scaled(20)):
        world = sample_world(states, seat, rng)
        assert redealt(GAME)(world, seat, seed).tobytes() == redealt(GAME)(states, seat, seed).tobytes()


@cases
def test_c11_3_redeal_changes_what_the_seat_does_not_know(position, seat):
    states = position()
    worlds = [redealt(GAME)(states, seat, seed)[0] for seed in range(20)]
    assert len({world.where.tobytes() for world in worlds}) > 18
    assert len({world.deck.tobytes() for world in worlds}) > 18
    assert len({world.endings.tobytes() for world in worlds}) > 18
    assert len({world.stream.tobytes() for world in [*worlds, states[0]]}) == 21


@cases
def test_c11_3_redealt_worlds_can_be_played_to_the_end(position, seat):
    kernels, rng = table_kernels(GAME), np.random.default_rng(4)
    view, mask = np.zeros(GAME.layout.size, np.float32), np.zeros(GAME.num_actions, np.int8)
    for seed in range(scaled(4)):
        world = redealt(GAME)(position(), seat, seed)
        for number in range(20 if PLAIN else 400):
            if world[0].over:
                break
            kernels.legal(world, mask)
            assert mask.any()
            kernels.step(world, int(rng.choice(np.flatnonzero(mask))), view, mask)
            assert number % 10 or state_problems(GAME, world) == []


def test_c6_all_voters_are_asked_in_a_redealt_world():
    """Whose vote was wiped is asked again."""
    states = while_voting()
    for seat in range(6):
        world = redealt(GAME)(states, seat, 1)
        one = world[0]
        asked, voters = [], {int(voter) for voter in np.flatnonzero(one.voters * (1 - one.answered))}
        view, mask = np.zeros(GAME.layout.size, np.float32), np.zeros(GAME.num_actions, np.int8)
        claimant = int(one.claimant)
        while world[0].stage == s.VOTE and world[0].claimant == claimant and len(asked) < 6:
            asked.append(int(world[0].seat))
            table_kernels(GAME).step(world, ACTIONS.index("no"), view, mask)
        assert sorted(asked) == sorted(voters)


# Wrong samplers.


def biased(states, seat, rng):
    """Make worlds in which the last unknown card is never in the upper half of the deck."""
    card = hidden_cards(states[0], seat)[-1]
    while True:
        world = sample_world(states, seat, rng)
        half = int(world[0].deck_size) // 2
        if card not in world[0].deck[half : 2 * half]:
            return world


@enough
@pytest.mark.parametrize(("position", "seat"), [(at_the_start, 0), (late, 1)])
def test_wrong_samplers_are_caught(position, seat):
    SAMPLES.check_that_wrong_ones_differ(position, seat, biased)


@enough
def test_a_sampler_that_forgets_what_was_shown_is_caught():
    states, rng = late(), np.random.default_rng(9)
    seat = next(seat for seat in range(3) if (states[0].shown & (states[0].where != seat)).any())
    assert differ(
        SAMPLES.sampled(late, seat), counts([sample_world(states, seat, rng, heed=False) for _ in range(WORLDS)])
    )
