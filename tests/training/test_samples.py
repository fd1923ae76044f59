"""Sample buffer and candidates."""

import numpy as np

from sobremesa.training.algorithms.rollout_iteration import candidate_actions
from sobremesa.training.data.sample_buffer import SampleBuffer


def test_candidates_are_allowed_and_no_more_than_asked_for():
    policy = np.array([[0.0, 0.5, 0.0, 0.3, 0.2], [0.0, 0.0, 0.0, 0.6, 0.4]], np.float32)
    found = candidate_actions(policy, 2, np.random.default_rng(0))
    assert found.shape == (2, 2)
    assert set(found[1]) == {3, 4}
    whole = candidate_actions(policy, 9, np.random.default_rng(0))
    assert sorted(whole[0]) == [1, 3, 4]
    assert sorted(whole[1]) == [-1, 3, 4]


def test_the_latest_samples_are_kept():
    kept = SampleBuffer(5, codes=np.zeros((0, 1), np.uint8), better=np.zeros((0, 2), np.float32))
    for first in (0, 3, 6):
        numbers = np.arange(first, first + 3, dtype=np.uint8)
        kept.add(codes=numbers[:, None], better=np.stack([numbers, -1.0 * numbers], 1))
    assert (kept.count, kept.added) == (5, 9)
    codes, better = kept.take(np.arange(5))
    assert sorted(codes[:, 0]) == [4, 5, 6, 7, 8]
    assert (better[:, 0] == codes[:, 0]).all()
    assert (better.dtype, better.shape) == (np.float32, (5, 2))
