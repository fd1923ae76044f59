"""Deals of *Bandido Alcatraz* compared ply by ply with a slow referee."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from bandido_referee import (
    CARDS,
    COMPASS,
    COPIES,
    KINDS,
    MOST_ENDS,
    Referee,
    ends_of,
    floods_of,
    grid_of,
    lying,
    neighbour,
    open_tunnels,
    placements,
    places_of,
)
from rooms import BANDIDO as GAME

from sobremesa.envs.bandido_alcatraz.fits import write_fits
from sobremesa.envs.bandido_alcatraz.rules import legal, play
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_by, payoffs, random_deal
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups

NO_CARD = len(CARDS)
EXIT = CARDS.index("W/ EXIT")
FLOODS, SLOTS, PER_CARD = 4, 6, 8
A_GATHER, A_LAY = 67, 73
EVENTS = (
    "turn", "lays", "covers", "gathers", "draws", "exchanges", "takes all", "passes", "signals", "ends",
)  # fmt: skip
SETUPS = [
    *setups(GAME),
    {"seats": 1, "solo_hand": "six", "difficulty": "easy"},
    {"seats": 1, "solo_hand": "six", "early_stop": True},
    {"seats": 3, "signals": True, "early_stop": True, "difficulty": "easy"},
    {"seats": 4, "signals": True},
]


# A table, read by the referee's words.


def named(cards):
    return [KINDS[card] for card in cards]


def truth(states):
    """Return what is so at a table, by the names that the referee has for it."""
    one = states[0]
    size = int(one.pile_size)
    return {
        "grid": grid_of(one),
        "ends": ends_of(one),
        "floods": floods_of(one),
        "hands": [named(hand) for hand in one.hand[: one.seats]],
        "pile": named(one.pile[:size]),
        "under": [None if seat == 4 else int(seat) for seat in one.put_under[:size]],
        "gathered": {"raincoat": int(one.raincoats), "rope": int(one.ropes)},
        "played": Counter({card: int(count) for card, count in zip(CARDS, one.played, strict=True) if count}),
        "aside": [card for card in named(one.aside) if card],
        "aside_by": None if one.aside_by == 4 else int(one.aside_by),
        "said": one.said[: one.seats].tolist(),
        "turns": int(one.turns),
        "first": int(one.first),
        "passes": int(one.passes),
        "seat": int(one.seat),
        "ending": (None, "closed", "no cards", "impossible")[one.ending],
        "won": bool(one.won),
        "laid": laid_cells(one),
        "news": [(EVENTS[line[0]], *line[1:]) for line in one.news[: one.news_count].tolist()],
        "where": None if one.where == MOST_ENDS + FLOODS else GAME.words.action_name(int(one.where), "en"),
    } | ({} if one.over else {"question": ("signal", "where", "how")[one.stage]})


def laid_cells(state):
    found = []
    for number in range(state.laid):
        at = int(state.laid_x[number]), int(state.laid_y[number])
        found.append((at, neighbour(at, COMPASS[(1 + state.laid_turn[number]) % 4])))
    return found


def differences(referee, true):
    """Return what the referee sees otherwise."""
    found = {name: getattr(referee, name) for name in true}
    found["played"] = Counter(referee.played)
    found["under"] = [None if packet is None else packet[0] for packet in referee.under]
    return {name: (found[name], true[name]) for name in true if found[name] != true[name]}


# Where cards fit, on many positions.


@kernel
def _write_fits(states, seat):
    write_fits(states[0], seat)


def ways_by_kernel(states):
    """Return all ways to lay the cards of the seat to act: `{(cell, slot, half, side), ...}`, from `write_fits`."""
    state, found = states[0], set()
    _write_fits(states, int(state.seat))
    for where, cell in places_of(state).items():
        for slot in np.flatnonzero(state.fits[where]):
            for way in range(PER_CARD):
                if state.fits[where, slot] >> way & 1:
                    half, turn = divmod(way, 4)
                    found.add((cell, int(slot), "ab"[half], COMPASS[(1 + turn + 2 * half) % 4]))
    rows = set(places_of(state))
    assert all(where in rows for where in np.flatnonzero(state.fits.any(axis=1)))
    return found


def ways_by_referee(grid, hand):
    found, known = set(), {}
    for slot, card in enumerate(hand):
        if card and card not in hand[:slot]:
            found |= {(cell, slot, way.half, way.side) for cell, way in placements(grid, card, known)}
    return found


def compare_fits(states, rng):
    """Hold six random cards at a table and compare where they fit; return how many ways there were of which kind."""
    state = states[0]
    state.hand[state.seat] = rng.choice(len(CARDS), SLOTS)
    state.hand[state.seat, rng.integers(SLOTS)] = EXIT if rng.random() < 0.2 else NO_CARD
    grid, hand = grid_of(state), named(state.hand[state.seat])
    here, there = ways_by_kernel(states), ways_by_referee(grid, hand)
    assert here == there, f"{hand} on {grid}: {here ^ there}"
    tally = Counter(ways=len(here), positions=1, positions_with_water=any(half.wet for half in grid.values()))
    for cell, slot, half, side in here:
        over = (cell in grid) + (neighbour(cell, side) in grid)
        tally[("dug", "covers one", "covers two")[over]] += 1
        tally["exit"] += hand[slot] == CARDS[EXIT]
        if over:
            tally["water on water"] += lying(hand[slot], half, side).here.wet and cell in grid
    return tally


def positions(seed, rng):
    """Give tables of a deal wherever a seat is to choose where to dig: at random, or with a taste for closing.

    In every other deal the water comes first, so that floods come to lie side by side.
    """
    setup = SETUPS[seed % len(SETUPS)]
    closing = rng.random() if seed % 2 else 0.0

    def act(states, _, mask):
        state = states[0]
        if state.ply == 0 and seed % 4 < 2:
            size = int(state.pile_size)
            state.pile[:size] = sorted(state.pile[:size], key=lambda card: "wet" in CARDS[card])
        return choose(states, mask, rng, closing)

    for ply in deal_by(GAME, seed, setup, act):
        if not ply.states[0].over and ply.states[0].stage == 1:
            yield ply.states


_step = step_kernels(GAME).step


@kernel
def _opens(tables, mask):
    """Return the legal action of table 0 after which the fewest tunnels can be open; tables 1 and 2 are to try on."""
    best, fewest = -1, 99
    scratch = np.empty(mask.shape[0], np.int8)
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        tables[1] = tables[0]
        _step(tables[1], action, scratch)
        ends = int(tables[1].ends)
        if action < MOST_ENDS + FLOODS and tables[1].stage == 2 and tables[1].where == action:
            ends = 99
            for way in range(A_LAY, A_LAY + SLOTS * PER_CARD):
                if int(tables[1].fits[action, (way - A_LAY) // PER_CARD]) >> ((way - A_LAY) % PER_CARD) & 1:
                    tables[2] = tables[1]
                    _step(tables[2], way, scratch)
                    ends = min(ends, int(tables[2].ends))
        if ends < fewest:
            best, fewest = action, ends
    return best


def choose(states, mask, rng, closing):
    """Return an action: any one alike or, so often, one after which the fewest tunnels can be open."""
    if rng.random() >= closing:
        return int(rng.choice(np.flatnonzero(mask)))
    return int(_opens(np.concatenate([states] * 3), mask))


def compare_positions(count, first=0):
    tally, seed = Counter(), first
    while tally["positions"] < count:
        rng = np.random.default_rng(seed)
        for states in positions(seed, rng):
            tally += compare_fits(states, rng)
        seed += 1
    return tally


def test_c4_and_c6_cards_fit_as_the_referee_finds():
    tally = compare_positions(2000)
    assert min(tally[what] for what in ("dug", "exit", "positions_with_water")) > 0
    assert min(tally[what] for what in ("covers one", "covers two", "water on water")) > 0


@pytest.mark.thorough
def test_c4_and_c6_cards_fit_as_the_referee_finds_100_000_times():
    tally = compare_positions(100_000, first=10_000)
    print(dict(tally))
    assert tally["positions"] >= 100_000
    assert min(tally[what] for what in ("covers one", "covers two", "water on water", "exit")) > 100


# Whole deals.


def thin_out(states, referee, left):
    """Take most cards out of the pile, as if they had been played, for the rules of small piles (C5.3)."""
    one, size = states[0], int(states[0].pile_size)
    gone = [number for number in range(size - left) if referee.pile[number] != CARDS[EXIT]]
    np.add.at(one.played, one.pile[gone], 1)
    referee.played += [referee.pile[number] for number in gone]
    referee.pile = list(np.delete(referee.pile, gone))
    one.pile[: size - len(gone)] = np.delete(one.pile[:size], gone)
    one.pile[size - len(gone) :] = NO_CARD
    one.pile_size -= len(gone)
    one.put_under[:] = 4
    referee.under = [None] * len(referee.pile)


def follow(game, setup, seed, closing=0.0, left=None):
    """Play a deal beside the referee; return what happened how often.

    With `left` there are so many cards to draw, and EXIT, once only two tunnels are open.
    """
    rng, tally = np.random.default_rng(seed), Counter()
    options = {option.name: option.default for option in GAME.options} | setup
    states = game.new_tables(1, setup)
    kernels = table_kernels(game)
    view, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    kernels.reset(states, seed, view, mask)
    referee = Referee(options, seed)
    while True:
        where = f"setup {setup}, seed {seed}, ply {states[0].ply}"
        if left is not None and len(referee.ends) <= 2 and len(referee.pile) > left + 1:
            thin_out(states, referee, left)
        assert differences(referee, truth(states)) == {}, where
        assert open_tunnels(referee.grid) == set(referee.ends.values()), where
        tally.update(event for event, *_ in referee.news)
        if states[0].over:
            assert payoffs(game, states).tolist() == [float(referee.won)] * options["seats"], where
            tally["won" if referee.won else referee.ending] += 1
            return tally
        allowed = {game.words.action_name(int(action), "en") for action in np.flatnonzero(mask)}
        assert allowed == referee.legal(), f"{where}: {referee.question}"
        tally[referee.question] += 1
        action = choose(states, mask, rng, closing)
        kernels.step(states, action, view, mask)
        referee.play(game.words.action_name(action, "en"))


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_the_referee_allows_and_comes_to_the_same(setup):
    tally = Counter()
    for seed in range(2):
        tally += follow(GAME, setup, seed, closing=seed % 2 * 0.9)
    assert tally["where"] > 0


def test_the_referee_has_seen_every_event_and_ending():
    tally = Counter()
    for seed in range(100, 130):
        tally += follow(GAME, SETUPS[seed % len(SETUPS)], seed, closing=1)
    for seed in (5019, 5028, 5132, 5163, 5164, 5167):  # in which a seat takes all that is left of a small pile
        tally += follow(GAME, {"seats": 1 + seed % 4, "difficulty": "easy"}, seed, closing=1, left=seed % 5)
    assert set(tally) >= {*EVENTS, "signal", "where", "how", "closed", "no cards", "impossible"}


def test_the_referee_knows_the_cards_of_the_box():
    assert len(CARDS) == 43
    assert sum(COPIES.values()) == 69
    counts = Counter(
        {
            what: sum(count for card, count in COPIES.items() if what in card)
            for what in ("raincoat", "rope", "wet", "EXIT")
        }
    )
    assert counts == {"raincoat": 12, "rope": 8, "wet": 4, "EXIT": 1}
    states = next(random_deal(GAME, 0)).states
    state = states[0]
    dealt = Counter(named([*state.hand[: state.seats, :3].ravel(), *state.pile[: state.pile_size]]))
    assert dealt == COPIES


# A referee who overlooks things is none.


@kernel
def digs_beside_earth(state, mask):
    """Allow the first way of the first card, whether it fits or not."""
    legal(state, mask)
    if state.stage == 2 and not state.over:
        mask[A_LAY] = 1


@kernel
def gathers_a_fourth(state, mask):
    legal(state, mask)
    if state.stage == 1 and not state.over:
        for slot in range(SLOTS):
            kind = state.hand[state.seat, slot]
            if kind < 2 and state.raincoats == 3:
                mask[A_GATHER + slot] = 1


@kernel
def draws_from_the_bottom(state, action):
    play(state, action)
    if state.pile_size > 9:
        card = state.pile[0]
        state.pile[0] = state.pile[int(state.pile_size) - 1]
        state.pile[int(state.pile_size) - 1] = card


@pytest.mark.thorough
@pytest.mark.parametrize(
    "changes",
    [{"legal": digs_beside_earth}, {"legal": gathers_a_fourth}, {"play": draws_from_the_bottom}],
    ids=["legal, anywhere", "legal, a fourth raincoat", "play, bottom"],
)
def test_the_referee_catches_what_is_wrong(changes):
    game = dataclasses.replace(GAME, **changes)
    with pytest.raises(AssertionError, match=r"seed \d+, ply \d+"):
        follow_many(game, 40)


def follow_many(game, deals):
    for seed in range(deals):
        follow(game, {"seats": 2}, seed)
