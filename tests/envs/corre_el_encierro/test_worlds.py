"""Determinizations of *Corre el encierro* against a reference sampler (C11); numbers as in RULES.md."""

from collections import Counter

import numpy as np
import pytest
from encierro_tables import GAME, drawing, kind, memories, play, robbed, same_views, table
from scale import scaled
from worlds import Samples, check_leak, differ
from worlds_corre_el_encierro import remembered, sample_world

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.envs.corre_el_encierro.observe import LAYOUT, observe
from sobremesa.envs.corre_el_encierro.state import GO_ON, NOBODY

PILLO, AVANZAR = "El Pillo", "Avanzar tramo"
WORLDS = 800
_AVANZAR = kind(AVANZAR)


# Worlds against those of the slow sampler.


def two_strangers():
    hands = ["Recorte, Kilikis", f"Zaldiko, {AVANZAR}"]
    return table("2 2", hands=hands, pile=f"{AVANZAR}, Chulín, Capote", beneath=0)


def one_robbed():
    return robbed(pile=f"{AVANZAR}, Capote, Selfie", beneath=0)


def one_robbed_twice():
    hands = [AVANZAR, f"{PILLO}, Zaldiko", f"{PILLO}, Olé maestro"]
    pile = f"Capote, {AVANZAR}, Kilikis, Hurón"
    states = robbed(hands=hands, pile=pile, beneath=0)
    return play(states, "done", "done", "stop", f"{PILLO} +2")


def one_robbed_of_two():
    hands = [f"{AVANZAR}, Kilikis", f"{PILLO}, {PILLO}, Zaldiko", "Recorte, Chupete"]
    states = table("2 2 2", turn=1, hands=hands, pile=f"{AVANZAR}, Capote, Chulín", beneath=0)
    return play(states, f"{PILLO} +2", f"{PILLO} +2")


def two_cards_in_two_hands():
    """Seat 0 remembers two cards, each in one of two hands, and one hand has room for one only."""
    hands = ["Recorte", AVANZAR, "Kilikis, Zaldiko"]
    states = table("2 2 2", hands=hands, pile=f"{AVANZAR}, Chulín, Capote", beneath=0)
    for theft, name in enumerate((AVANZAR, "Kilikis")):
        one = states[0]
        one.theft_kind[theft], one.theft_from[theft] = kind(name), 0
        one.theft_by[theft], one.theft_hands[theft] = 1, 0b110
    return states


def in_the_middle_of_a_bull():
    """Seat 2 is asked; seat 1 stands behind the barrier, seat 3 is out, special objects lie on the table."""
    hands = ["Kilikis", "Zaldiko", "Recorte", ""]
    settings = {"status": ["running", "behind"], "specials": ["Zapatillas", None, "Capote"]}
    states = drawing("2 2 2 -", hands=hands, pile=f"Chulín, Chupete, {AVANZAR}, {AVANZAR}", beneath=0, **settings)
    return play(states, "draw", "lose an object")


POSITIONS = (
    two_strangers,
    one_robbed,
    one_robbed_twice,
    one_robbed_of_two,
    two_cards_in_two_hands,
    in_the_middle_of_a_bull,
)
CASES = [(position, seat) for position in POSITIONS for seat in range(3) if seat < position()[0].seats]
cases = pytest.mark.parametrize(("position", "seat"), CASES)


def counts(worlds):
    """Return the counts of each deal of the hands, and of each pair of cards to be drawn next."""
    hands, tops = Counter(), Counter()
    for world in worlds:
        one = world[0]
        hands[one.hand.tobytes()] += 1
        tops[one.pile[one.pile_size - 2 : one.pile_size].tobytes()] += 1
    return hands, tops


SAMPLES = Samples(GAME, counts, WORLDS)


@cases
def test_redeal_and_the_sampler_agree(position, seat):
    once = SAMPLES.redealt_once(position, seat)
    assert differ(once, SAMPLES.sampled(position, seat)) == []
    assert differ(once, SAMPLES.redealt_twice(position, seat)) == []


@cases
def test_redeal_keeps_all_that_the_seat_knows(position, seat):
    states = position()
    rng = np.random.default_rng(7)
    hidden = {"stream", "ply", "news", "news_count", "hand", "pile"}
    hidden |= set() if states[0].seat == seat else {"seat", "stage"}
    thefts = {"theft_kind", "theft_from", "theft_by", "theft_hands"}
    for seed in range(scaled(60)):
        for world in (redealt(GAME)(states, seat, seed), sample_world(states, seat, rng)):
            assert GAME.problems(world) == []
            assert same_views(world, states, seat)
            changed = {name for name in states.dtype.names if (states[name] != world[name]).any()}
            assert changed <= hidden | thefts
            assert (world[0].hand[seat] == states[0].hand[seat]).all()
            assert memories(world, seat) == memories(states, seat)
            for card, hands in remembered(states, seat):
                assert any(world[0].hand[other, card] for other in hands)


@cases
def test_redeal_wipes_questions_and_memories_of_others(position, seat):
    states = position()
    states[0].ply = 77
    for world in (redealt(GAME)(states, seat, 3), sample_world(states, seat, np.random.default_rng(3))):
        assert (world[0].ply, world[0].news_count, world[0].news.any()) == (0, 0, False)
        for other in set(range(int(states[0].seats))) - {seat}:
            assert not memories(world, other)


@cases
def test_c11_2_redeal_for_a_waiting_seat_asks_no_seat(position, seat):
    states = position()
    world = redealt(GAME)(states, seat, 3)
    if seat == states[0].seat:
        assert (world[0].seat, world[0].stage) == (seat, states[0].stage)
        return
    assert (world[0].seat, world[0].stage) == (NOBODY, GO_ON)
    assert state_problems(GAME, world) == ["seat 5 is asked and has 0 legal actions"]
    for asked in set(range(int(states[0].seats))) - {seat}:
        other = states.copy()
        other[0].seat = asked
        assert redealt(GAME)(other, seat, 3).tobytes() == world.tobytes()


def test_streams_of_worlds_differ():
    states = one_robbed()
    streams = {redealt(GAME)(states, 0, seed)[0].stream.tobytes() for seed in range(50)}
    assert len(streams) == 50
    assert states[0].stream.tobytes() not in streams


def first_robber_has_it(states, seat, rng):
    while True:
        world = sample_world(states, seat, rng)
        if world[0].hand[1, _AVANZAR]:
            return world


def test_wrong_samplers_are_caught():
    states, seat = one_robbed_twice(), 0
    rng = np.random.default_rng(9)
    right = SAMPLES.sampled(one_robbed_twice, seat)
    unchanged = counts([states] * WORLDS)
    forgetful = counts(sample_world(states, seat, rng, heed_memory=False) for _ in range(WORLDS))
    biased = counts(first_robber_has_it(states, seat, rng) for _ in range(WORLDS))
    for wrong in (unchanged, forgetful, biased):
        assert differ(right, wrong)
    assert not differ(right, SAMPLES.sampled(one_robbed_twice, seat, first=6))


# Secrets


_HAND, _UNSEEN, _PILE = (LAYOUT.start(name) for name in ("hand", "unseen", "pile"))
_CHULIN = kind("Chulín")


@kernel
def observes_another_hand(state, seat, out):
    observe(state, seat, out)
    out[_HAND] = state.hand[(seat + 1) % int(state.seats), _AVANZAR]


@kernel
def observes_the_next_card(state, seat, out):
    observe(state, seat, out)
    if state.pile_size > 0:
        out[_PILE] = state.pile[int(state.pile_size) - 1]


@kernel
def observes_how_often_others_were_asked(state, seat, out):
    observe(state, seat, out)
    out[_PILE] = state.ply % 8


@kernel
def observes_what_others_remember(state, seat, out):
    observe(state, seat, out)
    for theft in range(14):
        if state.theft_from[theft] < 5 and state.theft_from[theft] != seat:
            out[_UNSEEN + _CHULIN] = 2


@pytest.mark.thorough  # every broken view is compiled; test_secrets breaks one in make test
@pytest.mark.parametrize(
    "broken",
    [
        observes_another_hand,
        observes_the_next_card,
        observes_how_often_others_were_asked,
        observes_what_others_remember,
    ],
    ids=lambda broken: broken.__name__,
)
@pytest.mark.parametrize("maker", ["redeal", "obvious"])
def test_an_observation_that_tells_is_caught(broken, maker):
    check_leak(GAME, broken, maker)
