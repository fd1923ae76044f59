"""Deals of *Estafado* against a slow referee with the same masks and states, ply by ply."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from estafado_referee import CELLS, Referee
from estafado_tables import FOX, GAME, NAMES, asked, at, card, choices, dealt, discarded, face_up, held, known, won

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.estafado.rules import legal
from sobremesa.envs.estafado.state import A_BEAR, A_GO


def truth(states):
    """Return the part of a state that the referee follows."""
    one = states[0]
    deck = [NAMES[number] for number in one.deck[: one.deck_size]]
    pile = [(name, bool(one.pile_known[slot])) for slot, name in enumerate(held(states, "pile"))]
    tokens = {token: at(states, token) for token in ("fox", "bear", "vixen", "eagle", "crow")}
    return (
        tokens
        | {
            "arrow": at(states, "bear_before"),
            "floor": {cell: card(states, cell) for cell in CELLS},
            "up": face_up(states),
            "known": {seat: known(states, seat) for seat in (0, 1)},
            "hand": Counter(held(states, "hand")),
            "deck": deck,
            "prey": held(states, "prey"),
            "pile": pile,
            "discards": Counter(discarded(states)),
            "sun": int(one.sun),
            "double": bool(one.double),
            "deck_swaps": int(one.deck_swaps),
            "winner": won(states)[::-1] if won(states) else None,
        }
        | ({} if one.over else {"question": asked(states), "seat": int(one.seat), "lost": bool(one.lost)})
    )


def differences(referee, true):
    """Return the differences from the referee."""
    found = {name: getattr(referee, name) for name in true}
    found["hand"] = Counter(name for name in referee.hand if name)
    return {name: (found[name], true[name]) for name in true if found[name] != true[name]}


def choose(states, allowed, rng):
    """Return an action: any word alike, then any of its targets, but rabbits as often as not."""
    rabbits = [name for name in allowed if name[:3] == "go " and card(states, name[3:]).startswith("Rabbit")]
    if rabbits and rng.random() < 0.5:
        return rabbits[0]
    words = sorted({name.split()[0] for name in allowed} - ({"vixen"} if rng.random() < 0.9 else set()))
    word = words[rng.integers(len(words))] if words else "vixen"
    return str(rng.choice(sorted(name for name in allowed if name.split()[0] == word)))


def follow(game, setup, seed):
    """Play a deal beside the referee; return how often each question was asked, and how the deal ended."""
    states, rng, tally = dealt(seed, **setup), np.random.default_rng(seed), Counter()
    first = truth(states)
    options = {option.name: option.default for option in GAME.options} | setup
    referee = Referee(options, first["floor"].values(), held(states, "hand"), first["deck"])
    play = table_kernels(game).step
    view, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(states, mask)
    while True:
        true = truth(states)
        assert differences(referee, true) == {}, f"seed {seed}, ply {states[0].ply}"
        if states[0].over:
            tally[won(states)[0]] += 1
            tally |= Counter({f"rabbits: {states[0].catches}": 1})
            return tally
        allowed = {game.words.action_name(int(action), "en") for action in np.flatnonzero(mask)}
        assert allowed == referee.legal(), f"seed {seed}, ply {states[0].ply}: {asked(states)}"
        tally[asked(states)] += 1
        name = choose(states, allowed, rng)
        play(states, game.words.parse_action(name, "en"), view, mask)
        referee.play(name, truth(states))


@pytest.mark.parametrize("setup", setups(GAME), ids=str)
def test_the_referee_allows_and_comes_to_the_same(setup):
    tally = Counter()
    for seed in range(40):
        tally += follow(GAME, setup, seed)
    assert sum(tally.values()) > 100


def test_the_referee_has_seen_every_question_and_ending():
    tally = Counter()
    for seed in range(100, 250):
        tally += follow(GAME, {}, seed)
    questions = {"start", "move", "replace", "leap", "tunnel", "peek", "swap", "swap second", "dive", "eagle"}
    questions |= {"slide", "look", "exchange", "bear"}
    assert set(tally) >= questions | {"rabbits", "caught", "sunset", "eaten", "rabbits: 1", "rabbits: 2"}


@kernel
def the_fox_crosses_the_bear(state, mask):
    legal(state, mask)
    if state.stage == 1 and not state.over and state.fox + 2 < 25 and state.fox % 5 < 3:
        mask[A_GO + int(state.fox) + 2] = state.fox + 2 != state.bear


@kernel
def the_bear_turns_back(state, mask):
    legal(state, mask)
    if state.stage == 13 and not state.over and state.bear_before < 25:
        mask[A_BEAR + int(state.bear_before)] = 1


@pytest.mark.thorough
@pytest.mark.parametrize("broken", [the_fox_crosses_the_bear, the_bear_turns_back], ids=lambda one: one.__name__)
def test_the_referee_catches_what_is_wrong(broken):
    game = dataclasses.replace(GAME, legal=broken)
    with pytest.raises(AssertionError, match=r"seed \d+, ply \d+: (move|bear)"):
        follow_many(game, 200)


def follow_many(game, deals):
    for seed in range(deals):
        follow(game, {}, seed)


def test_the_referee_begins_with_the_fox():
    states = dealt(0)
    assert (asked(states), int(states[0].seat)) == ("start", FOX)
    assert len(choices(states)) == 11
