"""Observations as bytes decode to the same numbers, to the bit, in every game."""

import numpy as np
import pytest
from plays import GAMES
from rooms import ALL, KUHN, brief
from scale import PLAIN, scaled

from sobremesa import envs
from sobremesa.envs.bandido_alcatraz.cards import CARDS, NUM_CARDS
from sobremesa.envs.core.codes import put
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.layout import FLOAT, Block, Layout
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups

EVERY_BYTE = np.arange(256, dtype=np.uint8)


@pytest.mark.kernels
def test_bytes_decode_to_the_fractions_that_python_computes():
    for per in range(1, 256):
        plain, signed = Layout(Block("plain", (256,), "", per=per)), Layout(Block("signed", (256,), "", -1, per=per))
        assert plain.decode(EVERY_BYTE).tobytes() == np.float32([n / per for n in range(256)]).tobytes()
        numbers = np.float32([(n - 256 * (n > 127)) / per for n in range(256)])
        assert signed.decode(EVERY_BYTE).tobytes() == numbers.tobytes()
        assert (signed.encode(numbers) == EVERY_BYTE).all()


@pytest.mark.kernels
def test_numbers_that_no_byte_stands_for_follow_behind():
    layout = Layout(Block("one", (2,), ""), Block("mixed", (2, 2), "", -1, per=(3, FLOAT)), Block("last", (1,), ""))
    assert (layout.size, layout.tail, layout.width, layout.start_wide("mixed")) == (7, 8, 16, 0)
    seen = np.float32([[1, 0, 2 / 3, 0.123, -1 / 3, -7e-9, 200], [0, 5, -1, np.pi, 0, 0, 0]])
    codes = layout.encode(seen)
    assert codes[0].tolist()[:8] == [1, 0, 2, 0, 255, 0, 200, 0]
    assert codes[0, 8:].tobytes() == np.float32([0.123, -7e-9]).tobytes()
    assert layout.decode(codes).tobytes() == seen.tobytes()
    assert layout.decode(codes[:, None]).shape == (2, 1, 7)
    out = np.full((2, 7), 9, np.float32)
    assert layout.decode(codes, out) is out
    assert (out == seen).all()


@pytest.mark.kernels
def test_a_row_is_put_where_it_belongs_and_nothing_beside_it():
    for size in (1, 8, 25):
        out, row = np.full(40, 7, np.uint8), EVERY_BYTE[-size:]
        put(out, 5, row)
        assert out.tolist() == [7] * 5 + row.tolist() + [7] * (35 - size)


@pytest.mark.kernels
@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_bytes_and_numbers_say_the_same_of_what_every_seat_sees(game):
    game = brief(game)
    kernels, layout = table_kernels(game), game.layout
    seen, codes = np.zeros(layout.size, np.float32), np.zeros(layout.width, np.uint8)
    tried = setups(game)[:: 6 if PLAIN else 1]
    for number, setup in enumerate(tried):
        for ply in list(random_deal(game, number, setup))[number % 7 :: 40 if PLAIN else 7]:
            for seat in range(int(ply.states["seats"][0])):
                kernels.observe(ply.states, seat, seen)
                for before in (0, 0xFF):
                    codes[:] = before
                    kernels.encode(ply.states, seat, codes)
                    assert (layout.encode(seen) == codes).all()
                assert layout.decode(codes).tobytes() == seen.tobytes()


@pytest.mark.kernels
@pytest.mark.parametrize("name", GAMES)
def test_byte_and_float_vector_environments_are_the_same(name):
    layout = envs.load(name).layout
    numbers, codes = envs.make_vec(name, 6, 3), envs.make_vec(name, 6, 3, dtype="uint8", threads=2)
    one, other = numbers.reset(), codes.reset()
    for _ in range(scaled(200)):
        assert other.observations.dtype == np.uint8
        assert layout.decode(other.observations).tobytes() == one.observations.tobytes()
        assert all((mine == theirs).all() for mine, theirs in zip(one[1:], other[1:], strict=True))
        one, other = numbers.step(numbers.sample()), codes.step(codes.sample())


def test_what_is_no_observation_is_refused():
    layout = KUHN.layout
    for wrong in (0.3, -1, np.nan, np.inf, 300):
        seen = np.zeros((2, layout.size), np.float32)
        seen[1, layout.start("pot")] = wrong
        with pytest.raises(ValueError, match=f"block 'pot' .* at place {layout.start('pot')} of the vector"):
            layout.encode(seen)
    with pytest.raises(ValueError, match=r"encodes vectors of 14 float32, got float64 of shape \(14,\)"):
        layout.encode(np.zeros(14))
    with pytest.raises(ValueError, match=r"decodes rows of 14 uint8, got float32 of shape \(2, 14\)"):
        layout.decode(np.zeros((2, 14), np.float32))
    with pytest.raises(
        ValueError, match=r"out takes a C-contiguous array of \(2, 14\) float32, got float32 of \(14,\)"
    ):
        layout.decode(np.zeros((2, 14), np.uint8), np.zeros(14, np.float32))
    with pytest.raises(ValueError, match="dtype='int8' is not allowed; it takes 'float32' or 'uint8'"):
        envs.make_vec("ese_toro_enamorado", 1, dtype="int8")


def test_distances_in_bandido_alcatraz_fit_a_signed_byte():
    """The longest line of cells is a way through tunnels, each card's own cells being two at most, and the tile.

    Cards with one tunnel end a way. On cards with tunnels on one half alone a way crosses but that half's cell.
    """
    ends = sum(card.copies for card in CARDS if len(card.a) + len(card.b) == 1)
    halves = sum(card.copies for card in CARDS if len(card.a) + len(card.b) > 1 and not (card.a and card.b))
    longest = 1 + 2 * 2 + halves + 2 * (NUM_CARDS - ends - halves)
    assert longest + 1 < 128  # with the next cell, where a card can be laid
