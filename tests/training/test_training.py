"""MaskablePPO runs: rewards, reproducibility, and learning."""

import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from runs import GAME, check_refused, tiny, train_tiny
from safetensors.torch import load
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import compare
from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.training.algorithms.maskable_ppo import _Recorder
from sobremesa.training.bots import export
from sobremesa.training.data.vec_env import SeatVecEnv
from sobremesa.training.networks.policy import PolicyAgent, PolicyNet, load_weights, save_weights
from sobremesa.training.runs import run
from sobremesa.training.trainer import train

TABLES, HORIZON = 24, 200
SETUP = {"seats": [2, 3, 4, 2, 3, 4] * 4, "max_rounds": 3}


def vec_env(tables=TABLES, opponents=("simple", "random"), seed=5, **setup):
    game = envs.load(GAME)
    seated = [agents.load(name, game) for name in opponents]
    return SeatVecEnv(SeatVectorEnv(game, tables, seated, seed=seed, illegal="raise", **setup))


def random_actions(tables, rng):
    """Return a random allowed action at each table."""
    masks = tables.env_method("action_masks")
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


class Ledger(SeatVecEnv):
    """Also writes down, of each step, the ends of deals, and what the game itself says that the learner was paid."""

    def __init__(self, env):
        super().__init__(env)
        self.dones, self.paid, self.infos = [], [], []

    def step_wait(self):
        match, paid = self.env.match, np.zeros(self.num_envs)
        settle = match.advance

        def settle_and_look():
            settle()
            over, seats = match.over, self.env.learner_seats
            paid[over] = match.payoffs[np.arange(self.num_envs), seats][over]
            match.advance = settle  # later calls belong to the next deals

        match.advance = settle_and_look
        observations, rewards, dones, infos = super().step_wait()
        self.dones.append(dones.copy())
        self.paid.append(np.where(dones, paid, 0))
        self.infos.append(infos)
        return observations, rewards, dones, infos


class KeepBuffer(BaseCallback):
    """Keeps the buffer as it is before anything is learnt from it: learning flattens it."""

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        self.buffer = copy.deepcopy(self.model.rollout_buffer)


@pytest.fixture(scope="module")
def rollout():
    """The buffer of one rollout of MaskablePPO, and the ledger of the tables that it was collected from."""
    torch.set_num_threads(1)
    tables, keep = Ledger(vec_env(**SETUP).env), KeepBuffer()
    model = MaskablePPO("MlpPolicy", tables, n_steps=HORIZON, batch_size=1200, n_epochs=1, seed=3, device="cpu")
    model.learn(TABLES * HORIZON, callback=keep)
    return keep.buffer, tables


def test_rewards_sum_to_the_payoffs_of_finished_deals(rollout):
    buffer, tables = rollout
    dones, paid = np.array(tables.dones), np.array(tables.paid)
    assert buffer.rewards.shape == (HORIZON, TABLES)
    assert dones.sum() > TABLES
    assert buffer.rewards.sum() == pytest.approx(paid.sum(), abs=1e-3)
    np.testing.assert_allclose(buffer.rewards, paid, atol=1e-6)
    assert not buffer.rewards[~dones].any()


def test_the_learner_sees_itself_win_and_lose(rollout):
    values = {round(float(value), 3) for value in np.unique(rollout[0].rewards)}
    assert {-1.0, 1.0} <= values  # at a table of two
    assert {-0.5, -0.333} <= values  # and at those of three and four


def test_every_mask_in_the_buffer_allows_something(rollout):
    masks = rollout[0].action_masks
    assert masks.reshape(HORIZON * TABLES, -1).sum(axis=1).min() >= 1
    assert set(np.unique(masks)) == {0, 1}


def test_every_action_in_the_buffer_is_allowed_by_its_mask(rollout):
    buffer = rollout[0]
    actions = buffer.actions.reshape(HORIZON, TABLES).astype(int)
    masks = buffer.action_masks.reshape(HORIZON, TABLES, -1)
    assert np.take_along_axis(masks, actions[..., None], axis=2).all()
    assert len(np.unique(actions)) > 20


def test_a_deal_starts_in_the_buffer_where_another_has_ended(rollout):
    buffer, tables = rollout
    starts = buffer.episode_starts.astype(bool)
    assert starts[0].all()
    np.testing.assert_array_equal(starts[1:], np.array(tables.dones)[:-1])


def test_infos_describe_each_finished_deal(rollout):
    buffer, tables = rollout
    lengths = np.zeros(TABLES, int)
    for step, (dones, infos) in enumerate(zip(tables.dones, tables.infos, strict=True)):
        lengths += 1
        for row in range(TABLES):
            assert bool(infos[row]) == dones[row]
            if dones[row]:
                assert infos[row]["episode"] == {"r": pytest.approx(buffer.rewards[step, row]), "l": lengths[row]}
                assert infos[row]["terminal_observation"].shape == (buffer.observations.shape[-1],)
        lengths[dones] = 0


def test_masks_come_from_one_array():
    tables = vec_env()
    tables.reset()
    assert is_masking_supported(tables)
    masks = get_action_masks(tables)
    assert isinstance(masks, np.ndarray)
    assert (masks.shape, masks.dtype) == ((TABLES, tables.action_space.n), np.bool_)
    np.testing.assert_array_equal(masks, tables.env.action_masks == 1)
    assert masks.sum(axis=1).min() >= 2
    masks[:] = False
    assert tables.env.action_masks.any()


def test_masks_of_some_tables_are_asked_for_by_index():
    tables = vec_env()
    tables.reset()
    rng = np.random.default_rng(0)
    for _ in range(5):
        tables.step(random_actions(tables, rng))
    masks = tables.env_method("action_masks")
    assert len(np.unique(masks, axis=0)) > 2
    np.testing.assert_array_equal(tables.env_method("action_masks", indices=[7, 2]), masks[[7, 2]])
    np.testing.assert_array_equal(tables.env_method("action_masks", indices=3), masks[[3]])


def test_what_the_tables_do_not_have_is_an_attribute_error():
    tables = vec_env()
    with pytest.raises(AttributeError, match="no method 'render', only 'action_masks'"):
        tables.env_method("render")
    with pytest.raises(AttributeError, match="cannot set 'seed'"):
        tables.set_attr("seed", 1)
    with pytest.raises(AttributeError):
        tables.get_attr("nothing")
    assert tables.has_attr("action_masks")
    assert not tables.has_attr("nothing")
    assert tables.get_attr("num_envs", [0, 1]) == [TABLES, TABLES]
    assert tables.env_is_wrapped(object, [0, 5]) == [False, False]


def test_an_action_that_is_not_allowed_is_refused():
    tables = vec_env()
    tables.reset()
    actions = random_actions(tables, np.random.default_rng(0))
    actions[4] = np.flatnonzero(~tables.env_method("action_masks")[4])[0]
    with pytest.raises(IllegalAction, match="table 4"):
        tables.step(actions)


def played(tables, steps=60):
    rng = np.random.default_rng(1)
    seen = [tables.reset()]
    for _ in range(steps):
        observations, rewards, dones, _ = tables.step(random_actions(tables, rng))
        seen += [observations, rewards, dones]
    return b"".join(one.tobytes() for one in seen)


def test_tables_repeat_themselves_from_their_seed():
    tables = vec_env(seed=5)
    first = played(tables)
    assert first == played(vec_env(seed=5))
    assert played(tables) != first  # a reset without a seed goes on
    tables.seed(5)
    assert played(tables) == first
    assert tables.seed(6) == [6] * TABLES
    other = played(tables)
    assert other != first
    assert other == played(vec_env(seed=6))


def test_observations_stay_when_the_tables_go_on():
    tables = vec_env()
    first = tables.reset()
    kept = first.copy()
    tables.step(random_actions(tables, np.random.default_rng(0)))
    np.testing.assert_array_equal(first, kept)


def test_a_run_folder_holds_what_it_says(tiny_run):
    config, record = run.read(tiny_run)
    assert config == tiny()
    assert (record["status"], record["steps"]) == ("finished", 3000)
    assert record["seconds"] > 0
    assert [entry["steps"] for entry in record["evaluations"]] == [2048, 3000]
    assert record["best"] in record["evaluations"]
    assert record["best"]["mean_share"] == max(entry["mean_share"] for entry in record["evaluations"])
    assert record["versions"]["torch"] == torch.__version__
    files = {file.name for file in tiny_run.iterdir()}
    kept = {"config.toml", "run.json", "best.safetensors", "last.safetensors", "tensorboard", run.LOCK}
    assert files == kept | {"checkpoints", "pool"}
    assert list((tiny_run / "tensorboard").rglob("events.out.*"))


MASKABLE = {"algorithm": "maskable_ppo", "opponents": {"self": 0.5, "random": 0.5}}


@pytest.fixture(scope="module")
def maskable_run(tmp_path_factory):
    """As `tiny_run`, trained by MaskablePPO."""
    return train_tiny(tmp_path_factory.mktemp("maskable") / "run", **MASKABLE)


def test_maskable_ppo_fills_the_same_folder(maskable_run, tmp_path):
    config, record = run.read(maskable_run)
    assert config == tiny(**MASKABLE)
    assert (record["status"], record["steps"]) == ("finished", 2976)
    assert [entry["steps"] for entry in record["evaluations"]] == [2048, 2976]
    files = {file.name for file in maskable_run.iterdir()}
    assert files == {"config.toml", "run.json", "best.safetensors", "last.safetensors", "tensorboard", run.LOCK}
    export(maskable_run, tmp_path / "bot")
    assert agents.load(tmp_path / "bot").manifest["config"]["algorithm"] == "maskable_ppo"


@pytest.mark.parametrize(("fixture", "changes"), [("tiny_run", {}), ("maskable_run", MASKABLE)])
def test_the_same_seed_gives_the_same_weights(fixture, changes, request, tmp_path):
    tiny_run = request.getfixturevalue(fixture)
    torch.manual_seed(987)
    np.random.seed(987)
    again, other = train_tiny(tmp_path / "again", **changes), train_tiny(tmp_path / "other", seed=1, **changes)
    weights = [(folder / "last.safetensors").read_bytes() for folder in (tiny_run, again, other)]
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]
    records = [run.read(folder)[1]["evaluations"] for folder in (tiny_run, again)]
    assert records[0] == records[1]


@pytest.mark.parametrize(("fixture", "changes"), [("tiny_run", {}), ("maskable_run", MASKABLE)])
def test_snapshots_of_itself_change_what_is_learnt(fixture, changes, request, tmp_path):
    tiny_run = request.getfixturevalue(fixture)
    never = train_tiny(tmp_path / "never", snapshot_every=1_000_000, **changes)
    assert (never / "last.safetensors").read_bytes() != (tiny_run / "last.safetensors").read_bytes()


def weights_of(folder, name="last"):
    return load((folder / f"{name}.safetensors").read_bytes())


def test_training_moves_every_layer_and_leaves_no_nan(tiny_run):
    net = PolicyNet(envs.load(GAME), tiny().hidden)
    weights = weights_of(tiny_run)
    assert weights.keys() == net.state_dict().keys()
    for name, value in weights.items():
        assert torch.isfinite(value).all()
        assert value.abs().sum() > 0, name


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A run stopped by Ctrl-C at its third update."""
    calls = []

    def stop(done, total, doing):
        calls.append((done, total, doing))
        if len(calls) == 3:
            raise KeyboardInterrupt

    return train_tiny(tmp_path_factory.mktemp("interrupted") / "run", stop), calls


def test_progress_tells_decisions_done_and_all(interrupted):
    assert interrupted[1] == [(512 * update, 3_000, "training") for update in (1, 2, 3)]


def test_an_interrupted_run_can_be_exported(interrupted, tmp_path):
    folder = interrupted[0]
    record = run.read(folder)[1]
    assert (record["status"], record["steps"], record["best"]) == ("interrupted", 1536, None)
    assert not list(folder.glob("*.partial"))
    assert export(folder, tmp_path / "bot", "last")["trained"]["status"] == "interrupted"
    assert agents.load(tmp_path / "bot").name == "bot"
    with pytest.raises(run.RunError, match=r"no best\.safetensors; was it stopped before its first evaluation"):
        export(folder, tmp_path / "other", "best")
    assert not (tmp_path / "other").exists()


def contents(folder):
    """Return what is in a folder: the bytes of files, None for folders."""
    found = sorted(Path(folder).rglob("*"))
    return {one.relative_to(folder): one.read_bytes() if one.is_file() else None for one in found}


def test_a_folder_that_is_not_empty_is_refused_and_untouched(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(run.RunError, match="not empty"):
        train(tiny(), tmp_path)
    with pytest.raises(run.RunError, match="not empty"):
        train(tiny(), tmp_path / "letter.txt")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "tute"}, "game='tute': no game 'tute'; there are"),
        ({"opponents": {"simpel": 1}}, r"opponents\.simpel: no agent 'simpel'; there are random, simple"),
        ({"evaluate_against": ["simpel"]}, "evaluate_against: no agent 'simpel'; there are random, simple"),
        ({"setup": {"boards": "small"}}, "setup: .* no option 'boards'; it has seats, board"),
        ({"setup": {"board": "tiny"}}, "setup: .*board='tiny' is not allowed; it takes 'standard' or 'small'"),
        ({"setup": {"seats": [2, 9]}}, "setup: .*seats=9 is not allowed; it takes a whole number from 2 to 4"),
    ],
)
@pytest.mark.parametrize("algorithm", ["ppo_selfplay", "maskable_ppo"])
def test_what_does_not_exist_is_told_before_anything_is_written(tmp_path, algorithm, changes, told):
    check_refused(tiny, {"algorithm": algorithm, "opponents": {"random": 1.0}, **changes}, told, tmp_path)


def test_a_too_small_budget_is_refused_before_writing(tmp_path):
    few = {"algorithm": "maskable_ppo", "steps": 10, "opponents": {"random": 1.0}}
    check_refused(tiny, few, "steps=10 is not allowed; it takes 32 or more with tables=32", tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("run.json", None, "no run there, run.json cannot be read"),
        ("config.toml", None, "no run there, config.toml cannot be read"),
        ("run.json", "{", "damaged"),
        ("run.json", "[" * 100_000, "damaged"),
        ("run.json", "[]", "damaged: run.json: Expected `object`, got `array`"),
        ("run.json", '{"status": "finished"}', "damaged: run.json: Object missing required field `steps`"),
        ("run.json", {"versions": None}, r"run.json: Expected `object`, got `null` - at `\$.versions`"),
        ("run.json", {"evaluations": [{}]}, r"missing required field `steps` - at `\$.evaluations\[0\]`"),
        ("run.json", {"best": {"steps": 1, "mean_share": 0.5, "scores": [{"share": 1}]}}, "holds an invalid score"),
        ("config.toml", "game = ", "damaged"),
        ("config.toml", "games = 1", "damaged: unknown key 'games'"),
        ("config.toml", "", "damaged: config.toml names no game"),
        ("last.safetensors", "no weights", "not the weights of this network"),
    ],
)
def test_a_damaged_run_is_refused_with_the_reason(tiny_run, tmp_path, name, content, told):
    shutil.copytree(tiny_run, tmp_path / "run", ignore=shutil.ignore_patterns("tensorboard"))
    if isinstance(content, dict):
        content = json.dumps(json.loads((tmp_path / "run" / name).read_text()) | content)
    (tmp_path / "run" / name).unlink()
    if content is not None:
        (tmp_path / "run" / name).write_text(content)
    with pytest.raises(ValueError, match=told):
        export(tmp_path / "run", tmp_path / "bot", "last")
    assert not (tmp_path / "bot").exists()


def test_weights_of_another_network_are_refused(tmp_path):
    game = envs.load(GAME)
    save_weights(tmp_path / "small.safetensors", PolicyNet(game, [8]))
    with pytest.raises(ValueError, match="not the weights of this network"):
        load_weights(tmp_path / "small.safetensors", PolicyNet(game, [16]))


def test_lists_in_the_setup_are_dealt_out_over_the_tables(tmp_path):
    folder = train_tiny(tmp_path / "run", steps=1, setup={"seats": [3, 2], "max_rounds": 1}, evaluate_deals=1)
    record = json.loads((folder / "run.json").read_text())
    assert [score["seats"] for score in record["best"]["scores"]] == [2, 3]


@pytest.mark.thorough
def test_the_learner_learns_to_beat_random_play(tmp_path):
    game = envs.load(GAME)
    setup = {"board": "small", "mountains": "fixed", "max_rounds": 8}
    train_tiny(
        tmp_path / "run", steps=80_000, tables=128, horizon=64, batch_size=1024, epochs=4, hidden=[64], snapshots=0,
        learning_rate=1e-3, opponents={"random": 1}, setup=setup, evaluate_every=1_000_000,
    )  # fmt: skip
    torch.manual_seed(0)
    net = PolicyNet(game, [64])
    scores = []
    for trained in (False, True):
        if trained:
            load_weights(tmp_path / "run" / "last.safetensors", net)
        agent = PolicyAgent("learner", net)
        scores.append(compare(game, agent, agents.load("random", game), 200, seed=9, seats=2, **setup))
    before, after = scores
    assert before.value < 0.65
    assert after.beats
    assert after.low > before.high + 0.1


def test_a_replaced_snapshot_finishes_deals_in_play():
    game, hidden = envs.load(GAME), [8]
    snapshot, learner = PolicyAgent("snapshot 0", PolicyNet(game, hidden)), PolicyNet(game, hidden)
    before = [weight.clone() for weight in snapshot.net.parameters()]
    tables = SeatVectorEnv(game, 4, [snapshot])
    tables.reset()
    seated = tables.match.seating == 1
    config = SimpleNamespace(hidden=hidden, snapshot_every=1, evaluate_every=1)
    recorder = _Recorder(config, SimpleNamespace(game=game), [snapshot], tables.match)
    recorder.net.load_state_dict(learner.state_dict())
    drawn = torch.random.get_rng_state()
    recorder._take_snapshot(snapshot)
    assert torch.equal(torch.random.get_rng_state(), drawn)
    assert ((tables.match.seating == 2) == seated).all()
    for was, weight in zip(before, tables.match.agents[2].net.parameters(), strict=True):
        assert torch.equal(was, weight)
    for new, weight in zip(learner.parameters(), snapshot.net.parameters(), strict=True):
        assert torch.equal(new, weight)
    tables.reset()
    assert (tables.match.seating == 1).any()
    assert not (tables.match.seating == 2).any()


def test_the_example_prints_a_curve():
    example = Path(__file__).resolve().parents[2] / "examples" / "maskable_ppo.py"
    words = ["corre_el_encierro", "--decisions", "4_096", "--every", "2_048", "--deals", "4"]
    done = subprocess.run([sys.executable, example, *words], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"2,048 decisions, \d+ s: [\d.]{5}\n4,096 decisions, \d+ s: [\d.]{5}\n", done.stdout)
