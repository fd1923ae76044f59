"""The shared part of the reference samplers `worlds_<game>.py`.

A reference sampler draws worlds that a seat cannot tell apart. It is slow, simple, and independent of the game's
`redeal`, so tests can compare the two.
"""

import dataclasses
import importlib.util
from collections import Counter

import numpy as np
import pytest

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets, redealt, views


@kernel
def _start(states, seed):
    start(states[0], seed)


def restart(world, rng):
    """Give `world` a new stream of chance, and return it."""
    _start(world, int(rng.integers(2**62)))
    return world


def numbers(game):
    """Return the views of `game` that are numbers; texts and pictures are tried more rarely."""
    return {name: views(game)[name] for name in ("observation", "mask")}


def samplers_of(game):
    """Return samplers of worlds: the game's own `redeal`, and the slow one that is written apart from it, if any."""
    makers = {"redeal": redealt(game)}
    if importlib.util.find_spec(f"worlds_{game.name}"):
        sample_world = _slow_sampler(game)
        makers["obvious"] = lambda states, seat, seed: sample_world(states, seat, np.random.default_rng(seed))
    return makers


def check_pictures(game, every=25):
    """Raise SecretLeaked if the English picture of a seat differs in worlds that the seat cannot tell apart."""
    check_secrets(game, deals=1, every=every, shown={"picture (en)": views(game)["picture (en)"]})


class Samples:
    """Samples of worlds of a game at positions of a test, kept: of the slow sampler, of `redeal`, and of it twice.

    `counts` returns from worlds how often each thing that matters came, in some `Counter`s: a sequence, or by name. A
    sample has `size` worlds.
    """

    def __init__(self, game, counts, size):
        self.redeal, self.slow, self.counts, self.size = redealt(game), _slow_sampler(game), counts, size
        self.kept = {}

    def sampled(self, position, seat, first=5):
        def draw():
            states, rng = position(), np.random.default_rng(first)
            return (self.slow(states, seat, rng) for _ in range(self.size))

        return self._keep((position, seat, first), draw)

    def check_that_wrong_ones_differ(self, position, seat, biased):
        """Check that worlds of the sampler `biased`, and the true one alone, differ from right ones."""
        states, rng, right = position(), np.random.default_rng(9), self.sampled(position, seat)
        assert differ(right, self.counts([states] * self.size))
        assert differ(right, self.counts([biased(states, seat, rng) for _ in range(self.size)]))
        assert not differ(right, self.sampled(position, seat, first=6))

    def redealt_once(self, position, seat):
        def draw():
            states = position()
            return (self.redeal(states, seat, seed) for seed in range(self.size))

        return self._keep((position, seat, "once"), draw)

    def redealt_twice(self, position, seat):
        def draw():
            states, size = position(), self.size
            first = (self.redeal(states, seat, size + seed) for seed in range(size))
            return (self.redeal(world, seat, 2 * size + seed) for seed, world in enumerate(first))

        return self._keep((position, seat, "twice"), draw)

    def _keep(self, key, draw):
        if key not in self.kept:
            self.kept[key] = self.counts(draw())
        return self.kept[key]


def _slow_sampler(game):
    return importlib.import_module(f"worlds_{game.name}").sample_world


def check_leak(game, observe, maker, every=3):
    """Check that worlds of `maker` show a leak of `observe`, an observation of `game` that is broken on purpose."""
    game = dataclasses.replace(game, observe=observe)
    shown, samplers = {"observation": views(game)["observation"]}, {maker: samplers_of(game)[maker]}
    with pytest.raises(SecretLeaked, match=rf"setup {{.*}}, seed \d+, ply \d+, seat \d: the observation .* by {maker}"):
        check_secrets(game, deals=5, every=every, samplers=samplers, shown=shown)


def differ(one, other):
    """Return which of some counts differ between two samples of equal size: they come from two distributions."""
    one, other = (sample if isinstance(sample, dict) else dict(enumerate(sample)) for sample in (one, other))
    return [what for what in {*one, *other} if counts_differ(one.get(what, Counter()), other.get(what, Counter()))]


def counts_differ(one, other):
    """Return whether two counts of equal size differ: chi-square six deviations above its mean."""
    keys = set(one) | set(other)
    score = sum((one[key] - other[key]) ** 2 / (one[key] + other[key]) for key in keys)
    degrees = len(keys) - 1
    return score > degrees + 6 * np.sqrt(2 * degrees) + 1e-9
