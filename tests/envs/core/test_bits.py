"""Bit sets: conversion from and to rows of bytes, and actions found in masks."""

import numpy as np
import pytest
from numba.core.errors import TypingError
from scale import COMPILED_ONLY, PLAIN, scaled

from sobremesa.envs.core.chance import STREAM, pick, start
from sobremesa.envs.core.compile import digest as digests
from sobremesa.envs.core.compile.bits import WORD, count_bits, lowest_bit, nth_bit, rows_of, words_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.masks import mask_kernels

pytestmark = pytest.mark.kernels

LENGTHS = (1, 6, 9, 16, 28, 63, 64)
AROUND = 5  # entries before the row and behind it


@kernel
def _facts(bits, number):
    return count_bits(bits), lowest_bit(bits), nth_bit(bits, number)


def kernels_of(count):
    equal, put = rows_of(count)[:2]

    @kernel
    def read(row, first, value):
        return equal(row, first, value)

    @kernel
    def write(row, first, bits):
        put(row, first, bits)

    return read, write


def bits_of(row, value):
    return sum(1 << place for place, held in enumerate(row) if held == value)


@pytest.mark.parametrize("bits", [1, 0b1011_0000, 1 << 62 | 1, 0x7FFF_FFFF_FFFF_FFFF])
def test_bits_are_counted_and_found(bits):
    places = [place for place in range(WORD) if bits >> place & 1]
    for number, place in enumerate(places):
        assert _facts(bits, number) == (len(places), places[0], place)


def test_bits_of_a_complement_are_counted_as_those_of_a_word():
    assert _facts(~0b101, 0)[:2] == (WORD - 2, 1)
    assert _facts(-1, WORD - 1) == (WORD, 0, WORD - 1)


@pytest.mark.parametrize("count", LENGTHS)
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_rows_are_read_as_bits(count, kind):
    read, _ = kernels_of(count)
    row = np.random.default_rng(count).integers(0, 4, count + 2 * AROUND).astype(kind)
    for value in range(5):
        assert int(read(row, AROUND, value)) % 2**WORD == bits_of(row[AROUND : AROUND + count], value)


@pytest.mark.parametrize("count", LENGTHS)
def test_rows_are_written_from_bits_without_touching_neighbours(count):
    _, write = kernels_of(count)
    rng = np.random.default_rng(count)
    for kind in (np.int8, np.uint8):
        row, bits = np.full(count + 2 * AROUND, 7, kind), int(rng.integers(2**63))
        write(row, AROUND, bits)
        assert row.tolist() == [7] * AROUND + [bits >> place & 1 for place in range(count)] + [7] * AROUND


@pytest.mark.parametrize("count", LENGTHS)
def test_rows_are_multiplied_and_taken_off_as_bytes(count):
    times, less = rows_of(count)[2:4]

    @kernel
    def work(row, other, factors):
        times(row, AROUND, other, 1, factors)
        less(row, AROUND, other, 2)

    rng = np.random.default_rng(count)
    other, factors = rng.integers(0, 7, count + 2).astype(np.int8), rng.integers(0, 30, count).astype(np.uint8)
    row = np.full(count + 2 * AROUND, 7, np.uint8)
    work(row, other, factors)
    expected = other[1 : count + 1].astype(int) * factors - other[2 : count + 2]
    assert row.tolist() == [7] * AROUND + [number % 256 for number in expected] + [7] * AROUND


@pytest.mark.parametrize("count", LENGTHS)
@pytest.mark.parametrize("mask", [1, 0b1001_0100, 255])
def test_bits_of_entries_are_found_and_counted(count, mask):
    having, counts = rows_of(count)[4:]

    @kernel
    def work(found, number, other, mask):
        having(found, AROUND, other, 1, mask)
        counts(number, AROUND, other, 2)

    other = np.random.default_rng(count).integers(0, 256, count + 2).astype(np.uint8)
    found, number = (np.full(count + 2 * AROUND, 7, kind) for kind in (np.int8, np.uint8))
    work(found, number, other, mask)
    sides = [7] * AROUND
    assert found.tolist() == sides + [int(entry & mask != 0) for entry in other[1 : count + 1]] + sides
    assert number.tolist() == sides + [int(entry).bit_count() for entry in other[2:]] + sides


@pytest.mark.parametrize("count", [1, 6, 8, 64])
def test_words_that_have_a_bit_are_found(count):
    having = words_of(count)

    @kernel
    def work(words, bit):
        return having(words, 2, bit)

    words = np.random.default_rng(count).integers(-(2**63), 2**63, count + 2)
    for bit in (0, 5, 42, 63):
        expected = sum((int(word) >> bit & 1) << place for place, word in enumerate(words[2:]))
        assert int(work(words, bit)) % 2**WORD == expected


@COMPILED_ONLY
@pytest.mark.parametrize("words", [np.zeros(9, np.int32), np.zeros(18, np.int64)[::2]])
def test_what_is_no_row_of_words_is_refused(words):
    having = words_of(8)

    @kernel
    def work(words):
        return having(words, 0, 1)

    with pytest.raises(TypingError, match="no row of int64 in one piece"):
        work(words)


@COMPILED_ONLY
@pytest.mark.parametrize("row", [np.zeros(80, np.int8)[::2], np.zeros(40, np.int16), np.zeros((40, 2), np.int8)])
def test_what_is_no_row_of_bytes_is_refused(row):
    with pytest.raises(TypingError, match="no row of bytes in one piece"):
        kernels_of(9)[0](row, 0, 1)


@pytest.mark.parametrize("count", [0, 65])
def test_rows_have_a_word_of_entries_at_most(count):
    for functions in (rows_of, words_of):
        with pytest.raises(ValueError, match="from 1 to 64"):
            functions(count)


@pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: nothing is compiled, so nothing is kept")
def test_rows_of_each_length_have_a_digest_of_their_own():
    kinds = [kernels_of(count) for count in LENGTHS]
    assert len({digests.digest(one.py_func, lasting=True) for both in kinds for one in both}) == 2 * len(LENGTHS)


@kernel
def _pick(streams, mask):
    return pick(streams[0], mask)


@kernel
def _start(streams, seed):
    start(streams[0], seed)


@pytest.mark.parametrize("actions", [2, 64, 113, 486])
def test_actions_of_a_mask_are_those_that_chance_would_pick(actions):
    kernels, rng = mask_kernels(actions), np.random.default_rng(actions)
    draw = kernel(_drawer(kernels.pick))
    mine, others = np.zeros(1, STREAM), np.zeros(1, STREAM)
    _start(mine, 3)
    _start(others, 3)
    for share in (0.02, 0.2, 1.0):
        for _ in range(scaled(40)):
            mask = (rng.random(actions) < share).astype(np.int8)
            mask[rng.integers(actions)] = 1
            legal = np.flatnonzero(mask)
            assert kernels.sole(mask) == (legal[0] if len(legal) == 1 else -1)
            assert draw(mine, mask) == _pick(others, mask)
            assert mine.tobytes() == others.tobytes()
    assert kernels.sole(np.zeros(actions, np.int8)) == -1


def _drawer(pick_one):
    def draw(streams, mask):
        return pick_one(streams[0], mask)

    return draw
