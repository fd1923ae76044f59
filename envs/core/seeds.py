"""Seeds of deals, seats and agents, each drawn from another by a keyed one-way function (BLAKE2b).

Who is given a seed learns nothing of the one that it comes from, nor of others that come from that. Where a secret is
part of the key, nobody finds a seed by trying small ones either: 128 bits drawn when a foreign agent begins to play,
kept with what came of it, so that all its deals can be dealt again. (Inside kernels `chance.derive` does the same.)
"""

import hashlib
import re
import secrets
from collections.abc import Iterable

import numpy as np

DEAL, AGENT = "deal", "agent"  # what a seed is of: for each another function
_SECRET = re.compile(r"[0-9a-f]{32}|")


def seed_of(what: str, seed: int, *parts: int, secret: str = "") -> int:
    """Return the seed of a DEAL or an AGENT, 0 to 2**63 - 1: of part `parts` of whatever `seed` is the seed of."""
    key = bytes.fromhex(secret) + int(seed).to_bytes(8, "little")
    text = b"".join(int(part).to_bytes(8, "little") for part in parts)
    person = f"sobremesa {what}".encode()
    return int.from_bytes(hashlib.blake2b(text, key=key, person=person, digest_size=8).digest(), "little") >> 1


def seeds_of(what: str, seed: int, numbers: Iterable[int], secret: str = "") -> np.ndarray:
    """Return the seeds `(n,)` int64 of all parts `numbers` of whatever `seed` is the seed of."""
    return np.array([seed_of(what, seed, number, secret=secret) for number in numbers], np.int64)


def new_secret() -> str:
    """Return a secret of 128 bits that nobody knows, 32 hex digits."""
    return secrets.token_hex(16)


def check_secret(secret: str) -> str:
    """Return `secret`; raise ValueError unless it is one, or "" for none."""
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
        raise ValueError(f"secret={secret!r:.60} is not allowed; it takes 32 hex digits (0-9, a-f)")
    return secret
