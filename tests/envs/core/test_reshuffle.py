"""`Game.reshuffle` resamples the information that no seat has, uniformly, in every game."""

import dataclasses
from collections import Counter
from itertools import permutations

import bandido_tables
import encierro_tables
import erase_tables
import estafado_tables
import numpy as np
import pytest
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO, brief
from scale import PLAIN, scaled

from sobremesa import envs
from sobremesa.envs.core import news
from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import OVER, random_deal
from sobremesa.envs.core.table import reshuffled, state_problems, table_kernels
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets, redealt, views

LEDUC = envs.load("leduc_poker")
GAMES = [brief(game) for game in (*ALL, LEDUC)]
DEALS = scaled(30)
# What each game hides from all seats, beside the random stream, and the least share of moments where it varies.
HIDDEN = {
    BANDIDO.name: ({"pile"}, 0.9),
    ENCIERRO.name: ({"pile"}, 0.9),
    ERASE.name: ({"deck", "endings", "order"}, 1.0),
    ESTAFADO.name: ({"cards", "deck"}, 0.9),
    TORO.name: (set(), 0),
    LEDUC.name: (set(), 0),
    KUHN.name: (set(), 0),
}
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def moments(game, deals, every=9):
    """Yield states of random deals in setups of all sorts, those at their ends among them; all of short deals."""
    tried = setups(game)
    every = min(every, 1 + game.max_plies // 20)
    for deal in range(deals):
        plies = scaled(400) if PLAIN else None
        for ply in random_deal(game, deal, tried[deal * 7 % len(tried)], plies):
            if (int(ply.states["ply"][0]) + deal) % every == 0 or ply.action == OVER:
                yield ply.states


def anew(game, states, seed):
    return reshuffled(game, states, np.array([seed]))


def changed(one, other):
    """Return the names of the fields in which two states differ, but for the stream."""
    return {name for name in one.dtype.names if name != "stream" and (one[name] != other[name]).any()}


def seen(game, states, seat):
    """Return what `seat` observes and may do, in bytes."""
    return [views(game)[name](game, states, seat) for name in ("observation", "mask")]


@every_game
@pytest.mark.kernels
@pytest.mark.walks
def test_no_seat_sees_or_knows_a_difference(game):
    fields, least = HIDDEN[game.name]
    redeal = redealt(game)
    varied, looked = 0, 0
    for number, states in enumerate(moments(game, DEALS)):
        world = anew(game, states, number)
        assert state_problems(game, world) == [] or state_problems(game, world) == state_problems(game, states)
        assert (world["stream"] != states["stream"]).any()
        different = changed(states, world)
        assert different <= fields
        for seat in range(int(states["seats"][0])):
            assert seen(game, world, seat) == seen(game, states, seat)
            assert redeal(world, seat, 5).tobytes() == redeal(states, seat, 5).tobytes()
        if different:
            pieces = [np.sort(np.concatenate([one[name].ravel() for name in fields])) for one in (states, world)]
            np.testing.assert_array_equal(*pieces)  # nothing is lost, nothing twice
        again = [anew(game, states, seed) for seed in (number, number + 1, number + 2)]
        assert again[0].tobytes() == world.tobytes()
        if not states["over"][0]:
            looked += 1
            varied += any(changed(states, one) for one in again)
    assert looked > 20 or PLAIN
    assert varied >= least * looked
    assert bool(varied) == bool(fields)


@every_game
@pytest.mark.kernels
def test_deals_can_be_played_on(game):
    kernels, mask = table_kernels(game), np.zeros(game.num_actions, np.int8)
    observation = np.zeros(game.layout.size, np.float32)
    for number, states in enumerate(moments(game, scaled(4), every=60)):
        world = anew(game, states, number)
        kernels.legal(world, mask)
        for _ in range(40):
            if world["over"][0]:
                break
            kernels.step(world, int(np.flatnonzero(mask)[number % mask.sum()]), observation, mask)
        assert state_problems(game, world) == []


@pytest.mark.parametrize("game", [KUHN, LEDUC, brief(TORO)], ids=lambda game: game.name)
def test_games_without_reshuffle_replace_the_stream_alone(game):
    """Of the worlds that one seat holds possible, those that no other seat can tell from the true one are the true one.

    Count of plies and news are wiped in worlds.
    """
    assert game.reshuffle is None
    redeal, kept, rejected = redealt(game), 0, 0
    wiped = {"ply", *news.fields_of(game.state)}
    for states in moments(game, 30, every=13):
        others = [seen(game, states, seat) for seat in range(1, int(states["seats"][0]))]
        for seed in range(4):
            world = redeal(states, 0, seed)
            if [seen(game, world, seat) for seat in range(1, int(states["seats"][0]))] == others:
                kept += 1
                assert changed(states, world) <= wiped
            else:
                rejected += 1
    assert min(kept, rejected) > 20


# Each way alike, by exact enumeration.


def counted(states, game, look, draws):
    """Return how often `look` returns what, of `draws` reshuffles of `states`."""
    return Counter(look(anew(game, states, seed)[0]) for seed in range(draws))


def check_uniform(found, ways):
    """Check that just these `ways` were found, each alike: chi-square within six deviations of its mean."""
    ways = set(ways)
    assert set(found) == ways
    expected = found.total() / len(ways)
    score = sum((count - expected) ** 2 / expected for count in found.values())
    assert score < len(ways) - 1 + 6 * (2 * (len(ways) - 1)) ** 0.5


def test_orders_of_the_pile_are_uniform_in_corre_el_encierro():
    pile = "Avanzar tramo, Chulín, Capote, Kilikis"
    states = encierro_tables.table("2 2", hands=["Recorte", "Zaldiko"], pile=pile, beneath=0)
    cards = states[0].pile[:4].tolist()
    assert len(set(cards)) == 4
    found = counted(states, ENCIERRO, lambda one: tuple(one.pile[:4].tolist()), 2400)
    check_uniform(found, permutations(cards))


def test_packets_stay_under_the_pile_in_bandido_alcatraz():
    hands = ("WN raincoat, W+E", "N+N, N+S, N+ES")
    pile = "W+NS, W+N~, W+E~, W+NE, S+NS, N+NES, WS+NS"
    states = bandido_tables.play(bandido_tables.table(bandido_tables.CORRIDOR, hands, pile=pile), "gather 1")
    assert states[0].put_under[:6].tolist() == [1, 1, 1, 4, 4, 4]
    cards = states[0].pile[:6].tolist()
    assert len(set(cards)) == 6
    found = counted(states, BANDIDO, lambda one: tuple(one.pile[:6].tolist()), 3600)
    check_uniform(found, (under + above for under in permutations(cards[:3]) for above in permutations(cards[3:])))


@pytest.mark.parametrize("looked_at", [0, 1])
def test_each_way_to_lay_hidden_cards_is_as_likely_in_estafado(looked_at):
    """Three cards lie face-down, a rabbit among them, and two in the deck; one of them the crow may have seen."""
    states = estafado_tables.dealt(2, reading="dusk")
    one = states[0]
    places = np.flatnonzero(~one.known.any(axis=0))
    assert (len(places), one.deck_size) == (3, 2)
    free = next(int(place) for place in places if one.cards[place] > 2)
    if looked_at:
        one.known[estafado_tables.CROW, free] = 1
        places = places[places != free]
    cards = [*one.cards[places].tolist(), *one.deck[:2].tolist()]
    found = counted(states, ESTAFADO, lambda one: (*one.cards[places].tolist(), *one.deck[:2].tolist()), 3600)
    check_uniform(found, (way for way in permutations(cards) if min(way[len(places) :]) > 2))  # no rabbit in the deck


def test_a_hurricane_in_the_deck_stays_under_the_top_in_estafado():
    states = estafado_tables.table({"c5": "Bobcat"}, deck="Fisher, Mosquito, Hurricane", crow_knows="b1")
    size, hurricane = int(states[0].deck_size), estafado_tables.kind("Hurricane")
    found = counted(states, ESTAFADO, lambda one: int(np.flatnonzero(one.deck[:size] == hurricane)[0]), 1700)
    check_uniform(found, range(size - 1))


def test_known_endings_stay_when_erase_una_vez_is_shuffled():
    states = erase_tables.table(deck="Bosque, Rey, Caballo, Espada", pile="F01, F02, F03")
    one, known = states[0], 2
    one.ending_known[one.endings[known]] = 0b10
    held, moved = int(one.endings[known]), int(one.endings[0])
    assert all(anew(ERASE, states, seed)["endings"][0, known] == held for seed in range(20))
    decks = counted(states, ERASE, lambda one: tuple(one.deck[:4].tolist()), 2400)
    check_uniform(decks, permutations(one.deck[:4].tolist()))
    found = counted(states, ERASE, lambda one: one.endings.tolist().index(moved), 4000)
    check_uniform(found, [place for place in range(one.endings_size) if place != known])


def test_the_next_waiting_player_is_redrawn_in_erase_una_vez():
    states = erase_tables.table()
    states[0].order[:3] = 2, 0, 1
    found = counted(states, ERASE, lambda one: tuple(one.order.tolist()), 1200)
    check_uniform(found, ((*way, 6, 6, 6) for way in permutations(range(3))))


# Wrong ones are caught.


@kernel
def swaps_hands(state, seed):
    start(state, seed)
    state.deck[0], state.deck[1] = state.deck[1], state.deck[0]


@kernel
def deals_a_card_twice(state, seed):
    start(state, seed)
    state.deck[2] = state.deck[0]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [(swaps_hands, "reshuffle changed what seat 0 knows"), (deals_a_card_twice, "reshuffle made an invalid state")],
)
def test_a_reshuffle_of_what_a_seat_knows_is_caught(wrong, reason):
    with pytest.raises(SecretLeaked, match=reason):
        check_secrets(dataclasses.replace(KUHN, reshuffle=wrong), deals=5, every=1)
