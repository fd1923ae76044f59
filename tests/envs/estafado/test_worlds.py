"""Determinizations of *Estafado* against a reference sampler (C12.2); numbers as in RULES.md."""

from collections import Counter

import numpy as np
import pytest
from estafado_tables import CROW, FOX, GAME, dealt, kind, play, reseeded, same_views, table
from scale import scaled
from worlds import Samples, check_leak, differ
from worlds_estafado import sample_world

from sobremesa.envs.core.chance import KEY
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.envs.estafado.observe import LAYOUT, observe

WORLDS = scaled(800)
enough = pytest.mark.skipif(WORLDS < 800, reason="too few worlds to tell a small bias")


# Worlds against those of the slow sampler.


def at_the_start():
    return dealt(3)


def with_the_hurricane_in_the_deck():
    settings = {"hand": "Beaver, Coyote, Ladybug, Honey Bee, Raccoon", "fox_knows": "a1 c5", "crow_knows": "b1"}
    return table({"c5": "Bobcat"}, deck="Fisher, Mosquito, Hurricane", **settings)


def after_a_theft():
    states = table({"c1": "Raccoon", "e1": "Beaver"}, up="e1", prey="Rabbit #2, Rabbit #0", fox_knows="a5 b5")
    return play(reseeded(states, 1), "go c1")


def after_swaps_with_the_deck():
    """Return a table with two buried cards, one of which the fox's player knew."""
    floor = {"c5": "Bobcat", "c4": "Porcupine"}
    states = table(floor, stage="exchange", chosen="c5", crow_knows="c5", fox_knows="c5", pile="Beaver,")
    return play(states, "deck", "bear d5")


def after_a_rabbit_was_buried():
    settings = {"stage": "exchange", "chosen": "c5", "crow_knows": "c5", "setup": {"reading": "rulebook"}}
    states = table({"c5": "Rabbit #1"}, pile="Beaver,", **settings)
    return play(states, "deck", "bear d5")


def after_a_butterfly():
    floor = {"c1": "Monarch Butterfly", "b1": "Porcupine"}
    return play(table(floor, fox_knows="a5", crow_knows="b5"), "go c1", "swap a5", "swap b5")


def after_a_butterfly_and_a_burial():
    """Return a table where the crow has buried a card that was swapped before, which the fox's player does not know."""
    states = play(table({"c1": "Monarch Butterfly"}), "go c1", "swap b5", "swap e2", "eagle +1")
    return play(states, "crow +1", "look b5", "deck", "bear d5")


def with_the_hurricane_on_top():
    return table({"e2": "Porcupine"}, deck="Hurricane", hand="Bobcat, Coyote", crow_knows="e2 e3 e4")


def after_captures():
    """Return a table where two cards on the floor came from the deck."""
    states = table({"c1": "Rabbit #0", "c3": "Hurricane"}, hand="Beaver, Bobcat")
    return play(states, "go c1", "go c3", "pass")


POSITIONS = (
    at_the_start,
    with_the_hurricane_in_the_deck,
    after_a_theft,
    after_swaps_with_the_deck,
    after_a_rabbit_was_buried,
    after_a_butterfly,
    after_a_butterfly_and_a_burial,
    with_the_hurricane_on_top,
    after_captures,
)
CASES = [(position, seat) for position in POSITIONS for seat in (FOX, CROW)]
cases = pytest.mark.parametrize(("position", "seat"), CASES)
TRACED = [kind(name) for name in ("Rabbit #0", "Rabbit #1", "Rabbit #2", "Hurricane", "Beaver", "Porcupine", "Bobcat")]


def where(one, card):
    """Return where a card lies, the first place of it."""
    for field in ("cards", "deck", "hand", "pile", "prey"):
        found = np.flatnonzero(one[field] == card)
        if len(found):
            return field, int(found[0])
    return "discards", 0


def counts(worlds):
    """Return counts of the places of traced cards, alone and in pairs, and of the cards at important places."""
    places, pairs, tops = [Counter() for _ in TRACED], Counter(), [Counter() for _ in range(4)]
    for world in worlds:
        one = world[0]
        for counter, card in zip(places, TRACED, strict=True):
            counter[where(one, card)] += 1
        rows = [(field, number // 5 if field == "cards" else 0) for field, number in map(where, (one,) * 3, TRACED)]
        pairs[tuple(rows)] += 1
        spots = (one.deck[one.deck_size - 1], one.deck[0], one.hand[0], one.pile[0])
        for counter, card in zip(tops, spots, strict=True):
            counter[int(card)] += 1
    return *places, pairs, *tops


SAMPLES = Samples(GAME, counts, WORLDS)


@cases
def test_c12_2_redeal_and_the_sampler_agree(position, seat):
    once = SAMPLES.redealt_once(position, seat)
    assert differ(once, SAMPLES.sampled(position, seat)) == []
    assert differ(once, SAMPLES.redealt_twice(position, seat)) == []


@cases
def test_c12_2_redeal_keeps_all_that_the_seat_knows(position, seat):
    states = position()
    rng = np.random.default_rng(7)
    hidden = {"stream", "ply", "news", "news_count", "cards", "deck", "hand", "pile"}
    for seed in range(scaled(60)):
        for world in (redealt(GAME)(states, seat, seed), sample_world(states, seat, rng)):
            one = world[0]
            assert state_problems(GAME, world) == []
            assert same_views(world, states, seat)
            assert {name for name in states.dtype.names if (states[name] != world[name]).any()} <= hidden
            mine = states[0].known[seat] == 1
            assert (one.cards[mine] == states[0].cards[mine]).all()
            assert seat == CROW or (one.hand == states[0].hand).all()
            assert seat == FOX or (one.pile == states[0].pile).all()


@cases
def test_c12_2_redeal_changes_what_the_seat_does_not_know(position, seat):
    states = position()
    worlds = [redealt(GAME)(states, seat, seed) for seed in range(30)]
    assert len({world[0].cards.tobytes() for world in worlds}) == 30
    assert len({world[0].deck.tobytes() for world in worlds}) == 30
    streams = {world[0].stream.tobytes() for world in worlds}
    assert len(streams) == 30
    assert states[0].stream.tobytes() not in streams


def test_c12_2_cards_from_the_deck_are_never_rabbits():
    states = after_captures()
    for seed in range(scaled(300)):
        one = redealt(GAME)(states, CROW, seed)[0]
        assert (one.cards[states[0].no_rabbit == 1] > 2).all()
        assert (one.deck[: one.deck_size] > 2).all()
        assert (one.hand > 2).all()


def test_c12_2_a_buried_rabbit_is_guessed_in_the_pile_by_the_fox():
    states = after_a_rabbit_was_buried()
    in_pile = sum(bool((redealt(GAME)(states, FOX, seed)[0].pile < 3).any()) for seed in range(scaled(300)))
    assert in_pile > 0


def test_c12_2_a_swapped_and_buried_card_never_bars_swaps():
    states, rng = after_a_butterfly_and_a_burial(), np.random.default_rng(11)
    marked = [kind("Beaver"), kind("Porcupine")]
    assert (states[0].pile_swappable[0], states[0].pile_known[0]) == (1, 0)
    assert not states[0].known[FOX][np.isin(states[0].cards, marked)].any()
    guessed = set()
    for seed in range(scaled(300)):
        for world in (redealt(GAME)(states, FOX, seed), sample_world(states, FOX, rng)):
            guessed.add(int(world[0].pile[0]))
    assert len(guessed) > 1
    assert not guessed & {*marked, 0, 1, 2}


def wrong_samplers(states, seat):
    rng = np.random.default_rng(9)
    right = (sample_world(states, seat, rng) for _ in range(3 * WORLDS))
    return {
        "unchanged": lambda: [states] * WORLDS,
        "heedless": lambda: [sample_world(states, seat, rng, heed=False) for _ in range(WORLDS)],
        "biased": lambda: [world for world in right if where(world[0], kind("Rabbit #2"))[1] < 15][:WORLDS],
    }


@pytest.mark.parametrize("name", ["unchanged", pytest.param("heedless", marks=enough)])
@pytest.mark.parametrize(("position", "seat"), [(after_captures, CROW), (after_a_butterfly, FOX)])
def test_wrong_samplers_are_caught(position, seat, name):
    wrong = counts(wrong_samplers(position(), seat)[name]())
    assert differ(SAMPLES.sampled(position, seat), wrong)
    assert not differ(SAMPLES.sampled(position, seat), SAMPLES.sampled(position, seat, first=6))


@enough
def test_a_biased_sampler_is_caught():
    states = after_captures()
    wrong = counts(wrong_samplers(states, CROW)["biased"]())
    assert differ(SAMPLES.sampled(after_captures, CROW), wrong)


# Secrets


_FLOOR, _HAND, _PILE, _LEFT = (LAYOUT.start(name) for name in ("floor", "hand", "pile", "left"))
_RABBIT, _OUCH = kind("Rabbit #0"), kind("Copperhead")


@kernel
def observes_a_face_down_rabbit(state, seat, out):
    observe(state, seat, out)
    for cell in range(25):
        if state.cards[cell] == _RABBIT:
            out[_FLOOR + cell] = 1


@kernel
def observes_the_other_hand(state, seat, out):
    observe(state, seat, out)
    out[_HAND] = state.hand[0] == _OUCH


@kernel
def observes_the_next_card(state, seat, out):
    observe(state, seat, out)
    out[_LEFT] = state.deck[int(state.deck_size) - 1] % 4


@kernel
def observes_the_pile(state, seat, out):
    observe(state, seat, out)
    if state.pile[0] < 38:
        out[_PILE] = state.pile[0] % 4


@kernel
def observes_the_stream(state, seat, out):
    observe(state, seat, out)
    out[_LEFT] = (state.stream[KEY] & np.uint32(1)) == np.uint32(1)


@pytest.mark.thorough  # every broken view is compiled; test_secrets breaks one in make test
@pytest.mark.parametrize(
    "broken",
    [
        observes_a_face_down_rabbit,
        observes_the_other_hand,
        observes_the_next_card,
        observes_the_pile,
        observes_the_stream,
    ],
    ids=lambda broken: broken.__name__,
)
@pytest.mark.parametrize("maker", ["redeal", "obvious"])
def test_an_observation_that_tells_is_caught(broken, maker):
    check_leak(GAME, broken, maker)
