"""The newcomers whose fate at *Érase una vez* is measured."""

import newcomers
import numpy as np
import pytest
from newcomers import FATES, Newcomer, play, share

from sobremesa.agents.arena.score import estimate
from sobremesa.envs.erase_una_vez import state as s


def test_newcomers_tell_in_whole_deals():
    found, wins = play(Newcomer("es"), "easy", 2)
    assert found["told"] == found["stands"] + sum(found[fate] for fate in FATES.values())
    assert found["with a card"] > 4
    assert len(wins) == 2
    assert set(wins) <= {0, 1 / 3, 1 / 2, 1}
    assert play(Newcomer("es"), "easy", 2) == (found, wins)


def test_a_quiet_newcomer_tells_and_never_reacts(monkeypatch):
    acts = []
    act = Newcomer.act
    monkeypatch.setattr(newcomers.Newcomer, "act", lambda person, view: acts.append(act(person, view)) or acts[-1])
    found, _ = play(Newcomer("en", "quiet"), "easy", 1)
    assert found["told"]
    assert s.A_NOTHING in acts
    assert not any(s.A_CLAIM <= one <= s.A_PROTEST for one in acts)


@pytest.mark.parametrize(("right", "of"), [(3, 4), (0, 300), (150, 300)])
def test_a_share_has_the_interval_of_the_library(right, of):
    values = [1.0] * right + [0.0] * (of - right)
    mean, low, high = estimate(np.array(values), (0, 1))
    assert share(values) == f"{mean:.3f} ({low:.3f} to {high:.3f}) of {of}"
    assert low <= right / of <= high
