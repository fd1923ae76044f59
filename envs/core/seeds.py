"""Seeds of deals, seats and agents, each derived from another by a keyed one-way function (BLAKE2b).

A derived seed reveals neither its source nor other seeds from the same source. With a secret in the key, seeds cannot
be found by trying small ones either: the secret has 128 bits, is drawn when an external agent starts to play, and is
stored with the results, so that the deals can be repeated. (Inside kernels `chance.derive` does the same.)
"""

import hashlib
import re
import secrets
from collections.abc import Iterable
from typing import Any

import numpy as np

DEAL, AGENT = "deal", "agent"  # kinds of seeds, each with its own function
_SECRET = re.compile(r"[0-9a-f]{32}|")


def seed_of(what: str, seed: int, *parts: int, secret: str = "") -> int:
    """Return the seed, 0 to 2**63 - 1, of part `parts` of `seed`; `kind` is DEAL or AGENT."""
    found = _begun(what, seed, secret)
    found.update(b"".join(int(part).to_bytes(8, "little") for part in parts))
    return int.from_bytes(found.digest(), "little") >> 1


def seeds_of(what: str, seed: int, numbers: Iterable[int], secret: str = "") -> np.ndarray:
    """Return the seeds `(n,)` int64 of all parts `numbers` of `seed`."""
    begun, found = _begun(what, seed, secret), []
    for number in numbers:
        one = begun.copy()
        one.update(int(number).to_bytes(8, "little"))
        found.append(int.from_bytes(one.digest(), "little") >> 1)
    return np.array(found, np.int64)


def _begun(what: str, seed: int, secret: str) -> Any:
    """Return the hash function of parts of `seed`, before any part."""
    key = bytes.fromhex(secret) + int(seed).to_bytes(8, "little")
    return hashlib.blake2b(key=key, person=f"sobremesa {what}".encode(), digest_size=8)


def new_secret() -> str:
    """Return a random secret of 128 bits as 32 hex digits."""
    return secrets.token_hex(16)


def check_secret(secret: str) -> str:
    """Return `secret`, which may be "" for none; raise ValueError if it is not 32 hex digits."""
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
        raise ValueError(f"secret={secret!r:.60} is not allowed; it takes 32 hex digits (0-9, a-f)")
    return secret
