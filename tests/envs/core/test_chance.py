"""Chance cannot be predicted: the generator is published ChaCha8, and an attack on linear generators fails.

Each attack is tried on MWC64X (D. B. Thomas, 2011) too, the generator of version 0 of the games, or on a register that
is linear over bits: an attack that finds nothing there would say nothing of ours.
"""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sobremesa.envs.core.agent import agent_seed, is_new, new_stream
from sobremesa.envs.core.chance import (
    BLOCK,
    COUNTER,
    KEY,
    LEFT,
    NONCE,
    STREAM,
    WORDS,
    derive,
    derive_aside,
    draw,
    fill_block,
)
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.seeds import AGENT, DEAL, check_secret, new_secret, seed_of

pytestmark = pytest.mark.kernels

LOW = 2**32 - 1
some = settings(max_examples=20, deadline=None, derandomize=True)
seeds = st.integers(0, 2**63 - 1)

# Key, nonce, block 0 and block 1 of ChaCha8 with 256 bits: J. Strombergson, "Test Vectors for the Stream Cipher
# ChaCha", draft-strombergson-chacha-test-vectors-00 (2013), TC1 to TC8.
VECTORS = {
    "TC1": ("00" * 32, "00" * 8,
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
        "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42",
        "d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
        "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa"),
    "TC2": ("01" + "00" * 31, "00" * 8,
        "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea"
        "289d04f43c7518db56eb4433e498a1238cd8464d3763ddbb9222ee3bd8fae3c8",
        "b4355a7d93dd8867089ee643558b95754efa2bd1a8a1e2d75bcdb32015542638"
        "291941feb49965587c4fdfe219cf0ec132a6cd4dc067392e67982fe53278c0b4"),
    "TC3": ("00" * 32, "01" + "00" * 7,
        "2b8f4bb3798306ca5130d47c4f8d4ed13aa0edccc1be6942090faeeca0d7599b"
        "7ff0fe616bb25aa0153ad6fdc88b954903c22426d478b97b22b8f9b1db00cf06",
        "470bdffbc488a8b7c701ebf4061d75c5969186497c95367809afa80bd843b040"
        "a79abc6e73a91757f1db73c8eacfa543b38f289d065ab2f3032d377b8c37fe46"),
    "TC4": ("ff" * 32, "ff" * 8,
        "e163bbf8c9a739d18925ee8362dad2cdc973df05225afb2aa26396f2a9849a4a"
        "445e0547d31c1623c537df4ba85c70a9884a35bcbf3dfab077e98b0f68135f54",
        "81d4933f8b322ac0cd762c27235ce2b31534e0244a9a2f1fd5e94498d47ff108"
        "790c009cf9e1a348032a7694cb28024cd96d3498361edb1785af752d187ab54b"),
    "TC5": ("55" * 32, "55" * 8,
        "7cb78214e4d3465b6dc62cf7a1538c88996952b4fb72cb6105f1243ce3442e29"
        "75a59ebcd2b2a598290d7538491fe65bdbfefd060d88798120a70d049dc2677d",
        "d48ff5a2513e497a5d54802d7484c4f1083944d8d0d14d6482ce09f7e5ebf20b"
        "29807d62c31874d02f5d3cc85381a745ecbc60525205e300a76961bfe51ac07c"),
    "TC6": ("aa" * 32, "aa" * 8,
        "40f9ab86c8f9a1a0cdc05a75e5531b612d71ef7f0cf9e387df6ed6972f0aae21"
        "311aa581f816c90e8a99de990b6b95aac92450f4e112712667b804c99e9c6eda",
        "f8d144f560c8c0ea36880d3b77874c9a9103d147f6ded386284801a4ee158e5e"
        "a4f9c093fc55fd344c33349dc5b699e21dc83b4296f92ee3ecabf3d51f95fe3f"),
    "TC7": ("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100", "0f1e2d3c4b5a6978",
        "db43ad9d1e842d1272e4530e276b3f568f8859b3f7cf6d9d2c74fa53808cb515"
        "7a8ebf46ad3dcc4b6c7dadde131784b0120e0e22f6d5f9ffa7407d4a21b695d9",
        "c5dd30bf55612fab9bdd118920c19816470c7f5dcd42325dbbed8c57a56281c1"
        "44cb0f03e81b3004624e0650a1ce5afaf9a7cd8163f6dbd72602257dd96e471e"),
    "TC8": ("c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d", "1ada31d5cf688221",
        "838751b42d8ddd8a3d77f48825a2ba752cf4047cb308a5978ef274973be374c9"
        "6ad848065871417b08f034e681fe46a93f7d5c61d1306614d4aaf257a7cff08b",
        "16f2fda170cc18a4b58a2667ed962774af792a6e7f3c77992540711a7a136d7e"
        "8a2f8d3f93816709d45a3fa5f8ce72fde15be7b841acba3a2abd557228d9fe4f"),
}  # fmt: skip


@kernel
def _draw(streams, out):
    for i in range(out.shape[0]):
        out[i] = draw(streams[0])


@kernel
def _aside(streams, number):
    return derive_aside(streams[0], number)


def drawn(stream, count):
    out = np.zeros(count, np.uint64)
    _draw(stream, out)
    return out.tolist()


def words_of(text):
    return np.frombuffer(bytes.fromhex(text), "<u4")


# As published.


@pytest.mark.parametrize("name", VECTORS)
def test_blocks_are_those_of_the_published_vectors(name):
    key, nonce, *blocks = VECTORS[name]
    words = np.zeros(WORDS, np.uint32)
    words[KEY:COUNTER], words[NONCE:LEFT] = words_of(key), words_of(nonce)
    for number, block in enumerate(blocks):
        words[COUNTER] = number
        fill_block(words)
        assert words[:BLOCK].astype("<u4").tobytes().hex() == block


@pytest.mark.parametrize("name", VECTORS)
def test_a_stream_goes_through_the_blocks_of_its_key(name):
    key, nonce, *blocks = VECTORS[name]
    stream = np.zeros(1, STREAM)  # nothing is left in it
    stream["stream"][0, KEY:COUNTER], stream["stream"][0, NONCE:LEFT] = words_of(key), words_of(nonce)
    assert drawn(stream, 2 * BLOCK) == words_of("".join(blocks)).tolist()


def test_the_number_of_the_block_has_64_bits():
    words = np.zeros((3, WORDS), np.uint32)
    words[:, KEY] = 7
    words[0, COUNTER], words[1, COUNTER + 1] = LOW, 1
    streams = np.zeros(3, STREAM)
    streams["stream"] = words
    drawn(streams[:1], BLOCK)
    assert drawn(streams[:1], BLOCK) == drawn(streams[1:2], BLOCK) != drawn(streams[2:], BLOCK)
    assert streams["stream"][0, COUNTER : COUNTER + 2].tolist() == [1, 1]


@some
@given(seed=seeds)
def test_the_key_of_a_stream_is_a_block_keyed_by_its_seed(seed):
    words = np.zeros(WORDS, np.uint32)
    words[KEY], words[KEY + 1], words[KEY + 2] = seed & LOW, seed >> 32, 1
    fill_block(words)
    stream = new_stream(seed)
    assert stream["stream"][0, KEY:COUNTER].tolist() == words[:8].tolist()
    assert is_new(stream)
    drawn(stream, 1)
    assert not is_new(stream)


@pytest.mark.parametrize("left", [BLOCK + 1, 2026, LOW])
def test_a_stream_given_from_outside_stays_within_its_block(left):
    given, fresh = np.zeros(1, STREAM), np.zeros(1, STREAM)
    given["stream"][0, LEFT] = left
    assert drawn(given, 40) == drawn(fresh, 40)


def test_derive_aside_draws_nothing_and_differs_everywhere():
    stream = new_stream(3)
    found = set()
    for _ in range(40):
        before = stream.tobytes()
        found |= {int(_aside(stream, number)) for number in (0, 1, 2**56)}
        assert stream.tobytes() == before
        drawn(stream, 1)
    assert len(found) == 120
    assert all(0 <= seed < 2**63 for seed in found)


# Linear generators, and the attacks that find them.

A = 4_294_883_355  # of MWC64X; c:x = A * x + c, and x ^ c is drawn


class Mwc64x:
    """The generator of version 0."""

    def __init__(self, seed):
        self.x, self.c = seed & LOW, 1 + (seed >> 32) % (A - 2)

    def drawn(self, count):
        out = []
        for _ in range(count):
            out.append(self.x ^ self.c)
            self.c, self.x = divmod(A * self.x + self.c, 2**32)
        return out


def foretell(seen):
    """Return what a carry generator draws after the three numbers `seen`; None if none draws these.

    A is so near 2**32 that the next carry is x less a number up to 2**32 - A. For each such number the lowest bits of x
    follow one by one from the second draw: 2**17 guesses in place of 2**64.
    """
    less = np.arange(-1, 2**32 - A + 2, dtype=np.int64)
    x = np.zeros_like(less)
    for bit in range(32):
        second = (A * x + (x ^ seen[0])) ^ (x - less)
        x |= (second ^ seen[1]) & (1 << bit)  # the rest of this bit follows from those below it
    for one in x.tolist():
        c = one ^ seen[0]
        out = []
        for _ in range(4):
            out.append(one ^ c)
            c, one = divmod(A * one + c, 2**32)
        if out[:3] == seen:
            return out[3]
    return None


@pytest.mark.parametrize("seed", [1, 2**40 + 7, 2**63 - 1])
def test_three_draws_predict_a_carry_generator_but_not_ours(seed):
    draws = Mwc64x(seed).drawn(4)
    assert foretell(draws[:3]) == draws[3]
    stream = new_stream(seed)
    ours = drawn(stream, 64)
    assert all(foretell(ours[at : at + 3]) is None for at in range(0, 60, 12))


def linear_complexity(bits):
    """Return the length of the shortest register, linear over bits, that gives `bits` (Berlekamp and Massey)."""
    now, last, length, since = 1, 1, 0, 1  # polynomials as whole numbers
    history = 0
    for number, bit in enumerate(bits):
        history = history << 1 | bit
        if (now & history).bit_count() % 2:
            before = now
            now ^= last << since
            if 2 * length <= number:
                length, last, since = number + 1 - length, before, 0
        since += 1
    return length


def xorshift(count):
    """Return draws of a generator that is linear over bits (Marsaglia, 2003)."""
    word, out = 2463534242, []
    for _ in range(count):
        word ^= word << 13 & LOW
        word ^= word >> 17
        word ^= word << 5 & LOW
        out.append(word)
    return out


@pytest.mark.parametrize("bit", [0, 17, 31])
def test_no_short_register_gives_our_bits(bit):
    count = 1024
    assert linear_complexity([word >> bit & 1 for word in xorshift(count)]) <= 32
    ours = linear_complexity([word >> bit & 1 for word in drawn(new_stream(5), count)])
    assert abs(ours - count // 2) < 12  # as of bits thrown by a coin: a linear attack needs all that was drawn


# Seeds: what is derived tells nothing of what it is derived from.


def _mix(word):
    word = ((word ^ (word >> 16)) * 0x85EB_CA6B) & LOW
    word = ((word ^ (word >> 13)) * 0xC2B2_AE35) & LOW
    return word ^ (word >> 16)


def _unmix(word):
    word ^= word >> 16
    word = word * pow(0xC2B2_AE35, -1, 2**32) & LOW
    word ^= word >> 13 ^ word >> 26
    word = word * pow(0x85EB_CA6B, -1, 2**32) & LOW
    return word ^ word >> 16


def old_derive(seed, major, minor):
    """The derivation of version 0: scrambled, but each step of it one to one."""
    low, high = seed & LOW, seed >> 32
    for part in (major, minor):
        low = _mix(low ^ _mix((part & LOW) ^ 0x85EB_CA6B))
        high = _mix(high ^ _mix((part >> 32) ^ 0xC2B2_AE35) ^ low)
    return (high & 0x7FFF_FFFF) << 32 | low


def underived(derived, major, minor):
    """Return the seeds that `old_derive` makes into `derived`: the top bit of it is lost, so there may be two."""
    found = []
    for top in (0, 1 << 31):
        low, high = derived & LOW, derived >> 32 | top
        for part in (minor, major):
            high = _unmix(high) ^ _mix((part >> 32) ^ 0xC2B2_AE35) ^ low
            low = _unmix(low) ^ _mix((part & LOW) ^ 0x85EB_CA6B)
        found.append(high << 32 | low)
    return found


@some
@given(seed=seeds, deal=st.integers(0, 10_000))
def test_the_seed_of_a_deal_does_not_give_the_seed_of_the_arena(seed, deal):
    assert seed in underived(old_derive(seed, 0, deal), 0, deal)
    assert seed not in underived(int(derive(seed, 0, deal)), 0, deal)
    assert seed not in underived(seed_of(DEAL, seed, deal), 0, deal)


def test_seeds_are_those_of_keyed_blake2b():
    key = bytes.fromhex("000102030405060708090a0b0c0d0e0f") + (7).to_bytes(8, "little")
    digest = hashlib.blake2b((9).to_bytes(8, "little"), key=key, person=b"sobremesa deal", digest_size=8).digest()
    assert seed_of(DEAL, 7, 9, secret="000102030405060708090a0b0c0d0e0f") == int.from_bytes(digest, "little") >> 1


@some
@given(seed=seeds, part=st.integers(0, 2**62), secret=st.binary(min_size=16, max_size=16).map(bytes.hex))
def test_seeds_differ_by_kind_and_by_every_part(seed, part, secret):
    other = new_secret()
    found = [
        seed_of(what, one, number, secret=key)
        for what in (DEAL, AGENT)
        for one in (seed, seed ^ 1)
        for number in (part, part + 1)
        for key in ("", secret, other)
    ]
    assert len(set(found)) == len(found)
    assert all(0 <= one < 2**63 for one in found)


@pytest.mark.parametrize("secret", ["0", "g" * 32, "A" * 32, "0" * 33, 7, None, "0" * 31 + "\n"])
def test_a_secret_is_32_hex_digits(secret):
    with pytest.raises(ValueError, match=r"secret=.* is not allowed; it takes 32 hex digits"):
        check_secret(secret)


def test_secrets_are_drawn_and_nothing_is_none():
    drawn_ones = {check_secret(new_secret()) for _ in range(10)}
    assert len(drawn_ones) == 10
    assert check_secret("") == ""


def test_agents_at_one_table_have_streams_of_their_own():
    assert len({agent_seed(3, seat) for seat in range(6)}) == 6
