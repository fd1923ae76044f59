"""Knowledge and determinizations of *Bandido Alcatraz*, compared with a reference sampler (C11)."""

import dataclasses
import itertools
from collections import Counter

import numpy as np
import pytest
from bandido_tables import CORRIDOR, GAME, after, dealt, hand as hand_of, kind, play, states_of, table, told
from scale import scaled
from worlds import Samples, check_leak, differ, samplers_of
from worlds_bandido_alcatraz import sample_world

from sobremesa.envs.bandido_alcatraz.observe import LAYOUT, observe
from sobremesa.envs.core.chance import KEY
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.table import state_problems, table_kernels
from sobremesa.envs.core.testing.secrets import redealt

WORLDS = scaled(400)
enough = pytest.mark.skipif(WORLDS < 400, reason="too few worlds to tell a small bias")
NO_CARD, NOBODY = 43, 4
WET, EXIT, RAINCOAT = kind("W+E~"), kind("EXIT"), kind("N raincoat")


def seen(states, seat):
    """Return the blocks of what `seat` observes."""
    out = np.zeros(LAYOUT.size, np.float32)
    table_kernels(GAME).observe(states, seat, out)
    return LAYOUT.split(out)


def seen_alike(one, other, seat):
    return all((block == seen(other, seat)[name]).all() for name, block in seen(one, seat).items())


# Positions.


def at_the_start():
    return dealt(3, seats=2)


def with_many_ends():
    deal = states_of([4], {"seats": 3, "difficulty": "easy"})
    return next(states.copy() for states in deal if states[0].ply > 55 and states[0].stage == 1)


def before_a_word():
    return next(
        states.copy()
        for states in states_of([6], {"seats": 4, "signals": True})
        if states[0].stage == 0 and states[0].ply > 50
    )


def asked_how():
    return next(states.copy() for states in states_of([5], {"seats": 2}) if states[0].stage == 2 and states[0].ply > 20)


def after_an_exchange(**fields):
    """Return a table where seat 1 has put three cards under the pile and is asked where to play."""
    hands = ("WN raincoat, W+E", "N+N, N+S, N+ES")
    states = table(CORRIDOR, hands, top="W+NS, W+N~, W+E~, W+NE", **fields)
    states = play(states, "gather 1")
    assert told(states, "exchanges") == [1]
    return states


def after_taking_all():
    """Return a table where seat 1 has set three cards aside, and the pile is empty."""
    hands = ("WN raincoat, W+E", "N+N, N+S, N+ES")
    states = play(table(CORRIDOR, hands, pile="W+NS, W+N~, W+E~"), "gather 1")
    assert told(states, "takes all") == [1]
    return states


def at_the_end():
    """Return a table where the deal was stopped with cards left."""
    states = list(states_of([7], {"seats": 3, "early_stop": True}))[-1].copy()
    assert states[0].pile_size > 9
    return states


POSITIONS = (at_the_start, with_many_ends, before_a_word, asked_how, after_an_exchange, after_taking_all, at_the_end)
CASES = [(position, seat) for position in POSITIONS for seat in (0, 1)]
cases = pytest.mark.parametrize(("position", "seat"), CASES)


# What is known.


def test_c11_1_a_seat_sees_its_hand_and_the_sizes_of_others():
    states = with_many_ends()
    for seat in range(3):
        mine = seen(states, seat)
        assert mine["hand"][:, -1].sum() == 3
        assert (mine["hand_sizes"][:3] == np.float32(0.5)).all()
        for slot, name in enumerate(hand_of(states, seat)):
            tunnels, *picture = name.replace("+", " ").replace("~", "").split()
            assert mine["hand"][slot, :3].tolist() == [side in tunnels for side in "WNS"] or name == "EXIT"
            assert mine["hand"][slot, 7:9].tolist() == [what in picture for what in ("raincoat", "rope")]


def test_c11_1_other_hands_and_the_pile_are_counted_together():
    states = with_many_ends()
    one = states[0]
    for seat in range(3):
        hidden = np.bincount([*one.pile, *np.delete(one.hand, seat, 0).ravel()], minlength=NO_CARD + 1)[:NO_CARD]
        assert (
            np.rint(seen(states, seat)["unseen"] * np.array([2 if share else 1 for share in copies()])) == hidden
        ).all()


def copies():
    """Return of each kind whether there are two."""
    states = dealt(0)
    one = states[0]
    counts = np.bincount([*one.pile, *one.hand.ravel()], minlength=NO_CARD + 1)[:NO_CARD]
    return counts == 2


def test_c11_1_the_chosen_place_is_secret():
    states = with_many_ends()
    actor = int(states[0].seat)
    chosen = [after(states, GAME.words.action_name(where, "en")) for where in np.flatnonzero(mask_of(states)[:63])]
    asked = [later for later in chosen if later[0].stage == 2]
    assert len(asked) > 2
    for later in asked:
        assert seen(later, actor)["chosen"].sum() == 1
        for seat in {0, 1, 2} - {actor}:
            assert seen_alike(states, later, seat)
            for language in ("en", "es"):
                assert GAME.words.describe(later, seat, language) == GAME.words.describe(states, seat, language)
                assert GAME.words.scene(later, seat, language) == GAME.words.scene(states, seat, language)


def mask_of(states):
    mask = np.zeros(GAME.num_actions, np.int8)
    table_kernels(GAME).legal(states, mask)
    return mask


def test_c11_1_only_a_seat_knows_its_cards_under_the_pile():
    states = after_an_exchange()
    under = [kind(name) for name in ("N+N", "N+S", "N+ES")]
    assert np.flatnonzero(seen(states, 1)["under"]).tolist() == sorted(under)
    assert not seen(states, 0)["under"].any()
    assert (seen(states, 0)["unseen"][under] > seen(states, 1)["unseen"][under]).all()


def test_c11_1_only_a_seat_knows_its_cards_set_aside():
    states = after_taking_all()
    assert [seen(states, seat)["aside"].tolist() for seat in (0, 1)] == [[0.5, 0], [0.5, 1]]
    aside = [kind(name) for name in ("N+N", "N+S", "N+ES")]
    assert (seen(states, 0)["unseen"][aside] > 0).all()
    assert (seen(states, 1)["unseen"][aside] == 0).all()


def test_c11_1_whether_the_game_stops_early_is_in_no_observation():
    """O3: of what a deal shows until it is stopped, the seats are shown the same without the option."""
    compared = 0
    for seats, seed in itertools.product((1, 2, 4), (11, 12)):
        with_it = list(states_of([seed], {"seats": seats, "early_stop": True}, 60))
        without = list(states_of([seed], {"seats": seats, "early_stop": False}, 60))
        for one, other in zip(with_it, without, strict=False):
            if one[0].over:
                break
            for seat in range(seats):
                assert seen_alike(one, other, seat)
                assert GAME.words.describe(one, seat, "en") == GAME.words.describe(other, seat, "en")
                assert GAME.words.scene(one, seat, "es") == GAME.words.scene(other, seat, "es")
                compared += 1
    assert compared > 100
    assert "early_stop" not in next(block.doc for block in LAYOUT if block.name == "setup")


def test_c11_3_a_packet_is_forgotten_once_another_draws_from_it():
    states = with_cards_under(pile="N+NE, S+N, N+N, N+S, N+ES", owners=[1, 1, 1, NOBODY, NOBODY], seat=1)
    assert seen(states, 1)["under"].sum() > 0
    states = play(states, "gather 1")  # draws N+NE
    assert (states[0].put_under == 1).sum() == 3
    states = play(states, "gather 1")  # seat 0 draws S+N
    assert (states[0].put_under == 1).sum() == 3
    states = play(states, "gather 2")  # seat 1 draws a card of its own
    assert (states[0].put_under == 1).sum() == 2
    assert seen(states, 1)["under"].sum() > 0
    states = play(states, "gather 2")  # seat 0 draws the next of them
    assert not (states[0].put_under == 1).any()
    assert not seen(states, 1)["under"].any()


def test_c11_3_another_packet_deeper_in_the_pile_is_still_known():
    states = with_cards_under(pile="N+NE, S+N, N+N, N+S, N+ES", owners=[1, 1, 1, 1, NOBODY], seat=1)
    states[0].packet[2:4] = 1  # two that lie above those of a later exchange
    states = play(states, "gather 1")  # draws the first, that nobody knew
    before = seen(states, 1)["under"].sum()
    states = play(states, "gather 1")  # seat 0 draws one of the packet above
    assert (states[0].put_under[:4] == [1, 1, NOBODY, NOBODY]).all()
    assert not states[0].packet.any()
    assert 0 < seen(states, 1)["under"].sum() < before


def with_cards_under(pile, owners, seat):
    under = np.array(owners + [NOBODY] * (69 - len(owners)), np.int8)
    hands = ("WN raincoat, W rope, W+E, W+N", "WS raincoat, WN rope, W+S, W+NS")
    return table(CORRIDOR, hands, pile=pile, seat=seat, put_under=under)


# Worlds against those of the slow sampler (C11.2).


def counts(worlds):
    """Return how often the traced cards came where, and which cards came where they matter."""
    places, pairs, tops = [Counter() for _ in range(3)], Counter(), [Counter() for _ in range(6)]
    for world in worlds:
        one = world[0]
        found = [place_of(one, card) for card in (EXIT, WET, RAINCOAT)]
        for counter, place in zip(places, found, strict=True):
            counter[place] += 1
        pairs[tuple(field[:6] for field, _ in found)] += 1
        spots = [one.hand[0, 0], one.hand[1, 0], one.hand[1, 1], one.pile[0], one.aside[0]]
        spots.append(one.pile[max(0, int(one.pile_size) - 1)])
        for counter, card in zip(tops, spots, strict=True):
            counter[int(card)] += 1
    return *places, pairs, *tops


def place_of(one, card):
    """Return where a card lies, the first place of it."""
    for seat in range(4):
        if (one.hand[seat] == card).any():
            return f"hand {seat}", int(np.flatnonzero(one.hand[seat] == card)[0])
    if (one.pile == card).any():
        return "pile", int(np.flatnonzero(one.pile == card)[0]) // 10
    return ("aside" if (one.aside == card).any() else "played"), 0


SAMPLES = Samples(GAME, counts, WORLDS)


@cases
def test_c11_2_redeal_and_the_sampler_agree(position, seat):
    once = SAMPLES.redealt_once(position, seat)
    assert differ(once, SAMPLES.sampled(position, seat)) == []
    assert differ(once, SAMPLES.redealt_twice(position, seat)) == []


@cases
def test_c11_2_redeal_keeps_all_that_the_seat_knows(position, seat):
    states, rng = position(), np.random.default_rng(7)
    one = states[0]
    hidden = {"stream", "ply", "news", "news_count", "hand", "pile", "aside"}
    hidden |= set() if one.seat == seat else {"fits", "where", "stage"}
    for seed in range(scaled(30)):
        for world in (redealt(GAME)(states, seat, seed), sample_world(states, seat, rng)):
            other = world[0]
            assert state_problems(GAME, world) == []
            assert seen_alike(world, states, seat)
            assert {name for name in states.dtype.names if (states[name] != world[name]).any()} <= hidden
            assert (other.hand[seat] == one.hand[seat]).all()
            mine = one.put_under == seat
            assert sorted(other.pile[mine]) == sorted(one.pile[mine])
            assert one.aside_by != seat or (other.aside == one.aside).all()


@cases
def test_c11_2_redeal_changes_what_the_seat_does_not_know(position, seat):
    states = position()
    worlds = [redealt(GAME)(states, seat, seed) for seed in range(30)]
    hidden = {(world[0].hand.tobytes(), world[0].pile.tobytes(), world[0].aside.tobytes()) for world in worlds}
    assert len(hidden) > (1 if position is after_taking_all else 25)
    streams = {world[0].stream.tobytes() for world in worlds}
    assert len(streams) == 30
    assert states[0].stream.tobytes() not in streams


def test_c11_2_the_seat_to_act_can_play_something_in_every_world():
    states = after_an_exchange()
    assert states[0].seat == 1
    for seed in range(scaled(200)):
        world = redealt(GAME)(states, 0, seed)
        assert state_problems(GAME, world) == []
        assert mask_of(world).any()


def biased(states, seat, rng):
    """Make worlds in which EXIT never lies in the upper half of the pile."""
    while True:
        world = sample_world(states, seat, rng)
        if EXIT not in world[0].pile[int(states[0].pile_size) // 2 :]:
            return world


@enough
@pytest.mark.parametrize(("position", "seat"), [(with_many_ends, 0), (at_the_start, 1)])
def test_wrong_samplers_are_caught(position, seat):
    SAMPLES.check_that_wrong_ones_differ(position, seat, biased)


# The secrets kit.


_HAND, _UNDER, _PILE, _CHOSEN, _SETUP = (LAYOUT.start(name) for name in ("hand", "under", "pile", "chosen", "setup"))


@kernel
def observes_the_next_hand(state, seat, out):
    observe(state, seat, out)
    out[_HAND] = state.hand[(seat + 1) % int(state.seats), 0] % 2


@kernel
def observes_what_others_put_under(state, seat, out):
    observe(state, seat, out)
    out[_UNDER] = 0
    for place in range(state.pile_size):
        if state.put_under[place] < 4:
            out[_UNDER] = state.pile[place] % 4


@kernel
def observes_the_next_card(state, seat, out):
    observe(state, seat, out)
    out[_PILE] = 0
    if state.pile_size > 0:
        out[_PILE] = state.pile[int(state.pile_size) - 1] % 4


@kernel
def observes_where_the_other_digs(state, seat, out):
    observe(state, seat, out)
    out[_CHOSEN] = state.where % 2


@kernel
def observes_the_stream(state, seat, out):
    observe(state, seat, out)
    out[_SETUP] = (state.stream[KEY] & np.uint32(1)) == np.uint32(1)


@pytest.mark.thorough  # every broken view is compiled; test_secrets breaks one in make test
@pytest.mark.parametrize("maker", ["redeal", "obvious"])
@pytest.mark.parametrize(
    "broken",
    [observes_the_next_hand, observes_the_next_card, observes_where_the_other_digs, observes_the_stream],
    ids=lambda broken: broken.__name__,
)
def test_an_observation_that_tells_is_caught(broken, maker):
    check_leak(GAME, broken, maker, every=9)


@pytest.mark.parametrize("maker", ["redeal", "obvious"])
def test_a_leak_of_cards_under_the_pile_is_caught(maker):
    """No random deal needs to have an exchange: two observers are compared at a table where there was one."""
    states, changed = after_an_exchange(), 0
    look = table_kernels(dataclasses.replace(GAME, observe=observes_what_others_put_under)).observe
    for seed in range(20):
        shown = []
        for world in (states, samplers_of(GAME)[maker](states, 0, seed)):
            out = np.zeros(LAYOUT.size, np.float32)
            look(world, 0, out)
            shown.append(out.tobytes())
        changed += shown[0] != shown[1]
    assert changed > 0


def test_a_sampler_that_ignores_playable_cards_is_caught():
    states, rng = after_an_exchange(), np.random.default_rng(3)
    found = [state_problems(GAME, sample_world(states, 0, rng, heed=False)) for _ in range(20)]
    assert ["a seat is asked that can play nothing"] in found
