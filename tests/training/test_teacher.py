"""A scripted agent as a teacher."""

import numpy as np
import pytest
from lowest import LOWEST
from runs import GAME, tiny

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.data import teacher as teachers
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.teacher import Teacher

TORO = envs.load(GAME)


@pytest.mark.kernels
def test_it_is_asked_for_ready_transitions_only(monkeypatch):
    monkeypatch.setattr(teachers, "load_agent", lambda *_: LOWEST)
    buffer = RolloutBuffer(TORO, 1, 40)
    wanted = np.zeros(len(buffer.ready), np.int64)
    for step, ply in enumerate(random_deal(TORO, 3, {"seats": 2}, plies=12)):
        index = buffer.at(step).start
        buffer.codes[index], buffer.masks[index] = TORO.layout.encode(ply.observation), ply.mask
        buffer.ready[index] = step % 3 > 0
        wanted[index] = ply.mask.argmax() if buffer.ready[index] else 0
    assert len(set(wanted.tolist())) > 3
    asked = Teacher(tiny(teacher="lowest"), TORO).choices(buffer, np.random.default_rng(0))
    assert asked.tolist() == wanted.tolist()


def test_its_weight_falls_to_nothing():
    teacher = Teacher(tiny(teacher="simple", teacher_until=0.5), TORO)
    assert [teacher.weight(done) for done in (0, 0.25, 0.5, 1)] == [1, 0.5, 0, 0]


def test_the_policy_comes_to_choose_what_it_is_taught(tmp_path):
    def losses(weight):
        training = Training(tiny(teacher="simple", steps=100_000, learning_rate=3e-3), tmp_path / "x", None)
        training.learner.teacher.weight = lambda done: weight
        return [training.update().teacher for _ in range(30)]

    taught, untaught = losses(1.0), losses(1e-9)
    assert np.mean(taught[-5:]) < 0.9 * taught[0]  # what the teacher tosses for cannot be learnt
    assert np.mean(taught[-5:]) < 0.7 * np.mean(untaught[-5:])


def test_once_let_go_it_is_not_asked_any_more(tmp_path, monkeypatch):
    training = Training(tiny(teacher="simple", steps=2_000, teacher_until=0.4), tmp_path / "x", None)
    asked = []
    monkeypatch.setattr(training.learner.teacher, "_ask_coded", lambda *_: asked.append(training.done))
    while training.done < 1:
        training.update()
    assert asked
    assert max(asked) < 0.4


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"teacher": "nobody"}, "teacher: no agent 'nobody'"),
        ({"teacher": "trained"}, "teacher='trained' is not allowed; it takes a scripted agent"),
        ({"teacher_until": 0.0}, "teacher_until=0.0 is not allowed"),
        ({"teacher": "simple", "algorithm": "maskable_ppo"}, "teacher='simple' is not allowed"),
    ],
)
def test_what_cannot_teach_is_refused(changes, told, tmp_path):
    with pytest.raises(ConfigError, match=told):
        Training(tiny(**changes), tmp_path / "x", None)
