"""A critic may see everything while it trains; the policy never does, nor the bot that comes of it."""

import dataclasses
import json

import numpy as np
import pytest
from rooms import BANDIDO, ERASE, ESTAFADO, KUHN, TORO, brief
from runs import last_checkpoint, tiny, train_tiny

from sobremesa import agents, envs
from sobremesa.agents.exported import MANIFEST
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.secrets import answer_of, check_secrets
from sobremesa.training.algorithms import ppo_selfplay
from sobremesa.training.algorithms.ppo_learner import Learner
from sobremesa.training.data.opponents import OpponentPool
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.tables import Tables
from sobremesa.training.export import export
from sobremesa.training.networks.critic import everything, names_of, see_everything
from sobremesa.training.runs import run
from sobremesa.training.trainer import resume

RICH = {"critic": "all", "memory": 4, "unroll": 3, "setup": {"max_rounds": 2, "seats": [2, 3]}}


@pytest.mark.kernels
@pytest.mark.parametrize("game", [TORO, BANDIDO], ids=lambda game: game.name)  # all bytes, and some numbers behind them
def test_it_sees_what_each_seat_sees_from_the_one_that_is_asked_on(game):
    seats, most = [2, 3, 4, 2, 3, 4], 4
    tables = VectorEnv(game, len(seats), seed=3, seats=seats, dtype="uint8")
    for _ in range(9):
        seen = tables.step(tables.sample())
    size, layout = game.layout.size, everything(game, most).layout
    codes = np.full((len(seats), layout.width), 7, np.uint8)
    see_everything(game, most)(tables.states, seen.observations, codes)
    found = layout.decode(codes)
    for row, states in enumerate(tables.states[:, None]):
        there = int(states["seats"][0])
        for turn in range(most):
            expected = np.zeros(size, np.float32)
            if turn < there:
                table_kernels(game).observe(states, (int(seen.seats[row]) + turn) % there, expected)
            assert np.array_equal(found[row, turn * size : (turn + 1) * size], expected), (row, turn)


def test_its_layout_is_one_seats_blocks_after_anothers():
    wide = everything(ESTAFADO, 2)
    assert wide.layout.size == 2 * ESTAFADO.layout.size
    assert wide.layout.start("role") == ESTAFADO.layout.start("role")
    mine, others = names_of(["floor"], 2)
    assert wide.layout.start(others) == wide.layout.start(mine) + ESTAFADO.layout.size


def a_batch(config, game):
    """Return a learner and the batch that it played, closed with what decisions come to as their advantages."""
    learner = Learner(config, game)
    tables = Tables(config, game, OpponentPool(config, game), learner.memory)
    buffer = RolloutBuffer(game, config.tables, config.horizon, learner.memory, learner.everything)
    for _ in range(2):
        tables.play(learner.look, buffer)
        buffer.close(1, 1)
        carried = buffer.everything[buffer.open[buffer.open >= 0]].copy()
        yield learner, buffer
        buffer.carry()
        assert np.array_equal(buffer.everything[: buffer.carried][buffer.taken[: buffer.carried]], carried)


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        (TORO, {"setup": {"seats": [2, 3], "max_rounds": 2}}),
        (TORO, {"setup": {"seats": [2, 3], "max_rounds": 2}, "memory": 4, "unroll": 3}),
        pytest.param(
            ESTAFADO, {"grids": ["floor"], "channels": 2, "roles": "role", "setup": {}}, marks=pytest.mark.thorough
        ),
        pytest.param(ERASE, {"pointers": True, "setup": {"seats": 3, "max_sentences": 10}}, marks=pytest.mark.thorough),
    ],
    ids=["plain", "with memory", "with grids and roles", "with pointers"],
)
def test_before_it_learns_it_judges_a_batch_as_it_did_when_it_played(game, changes):
    """Rows of other decisions anywhere in a batch would be judged otherwise."""
    config = tiny(game=game.name, critic="all", tables=12, horizon=12, epochs=1, batch_size=10**6, **changes)
    config = dataclasses.replace(config, opponents={"self": 1})
    for learner, buffer in a_batch(config, game):
        learner.config = dataclasses.replace(config, learning_rate=1e-30)
        losses = learner.learn(buffer, 0.0, np.random.default_rng(0))
        ready = buffer.ready
        assert losses.value == pytest.approx(float((buffer.advantages[ready] ** 2).mean()), rel=1e-3)
        assert abs(losses.change) < 1e-8


@pytest.mark.thorough  # learns for seconds
def test_it_makes_of_hidden_cards_what_a_seat_alone_cannot(tmp_path, monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, KUHN.name, KUHN)
    told = {}
    for critic in ("own", "all"):
        config = tiny(
            game=KUHN.name, critic=critic, setup={}, opponents={"self": 1}, tables=64, horizon=16, batch_size=256,
            epochs=4, hidden=[16], learning_rate=1e-2, gamma=1.0, steps=10 * 64 * 16,
        )  # fmt: skip
        training = ppo_selfplay.Training(config, tmp_path / critic, None)
        for _ in range(10):
            told[critic] = training.told(training.update())["value/explained"]
    assert told["all"] > told["own"] + 0.2, told


@pytest.fixture(scope="module")
def rich_run(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("critic") / "run", **RICH)


def test_a_run_that_was_stopped_goes_on_to_the_same_weights(rich_run, tmp_path):
    calls = []

    def stop(*_):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    folder = train_tiny(tmp_path / "run", stop, **RICH)
    assert run.read(folder)[1]["status"] == "interrupted"
    resume(folder)
    states = [last_checkpoint(one) for one in (folder, rich_run)]
    assert states[0].name == states[1].name
    assert states[0].read_bytes() == states[1].read_bytes()


def test_the_bot_is_given_the_view_of_its_seat_alone(tmp_path):
    """What its seat cannot know changes nothing that it chooses, and its graph has no place for more."""
    folder = train_tiny(tmp_path / "run", critic="all", steps=600)
    export(folder, tmp_path / "bot", "last")
    manifest = json.loads((tmp_path / "bot" / MANIFEST).read_text())
    assert manifest["inputs"] == {"observation": ["n", TORO.layout.size], "mask": ["n", TORO.num_actions]}
    bot = agents.load(str(tmp_path / "bot"), envs.load(TORO.name))
    check_secrets(brief(TORO), deals=1, every=40, shown={"choices": answer_of(bot)})
