"""Training on a device, tried on the processor: the code that runs on a GPU, table by table."""

import dataclasses

import numpy as np
import pytest
import torch
from runs import tiny
from scale import COMPILED_ONLY
from tests.gpu.resume import digest, resumed

from sobremesa import envs
from sobremesa.training.algorithms import counterfactual, ppo_selfplay, rollout_iteration
from sobremesa.training.algorithms.counterfactual import SampledPolicy
from sobremesa.training.algorithms.device.player import DevicePlayer
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.data.counterfactuals import Player, RolloutSettings, Samples
from sobremesa.training.networks.policy import Net
from sobremesa.training.runs import run

pytestmark = COMPILED_ONLY

NAME = "ese_toro_enamorado"
GAME = envs.load(NAME)
CPU = torch.device("cpu")


def by_rollouts(**changes):
    flags = {"algorithm": "counterfactual", "until": "round_number", "advised_by": "strong", "window": 2_000}
    flags |= {"hidden": [16], "tables": 12, "worlds": 1, "candidates": 3, "choice": "sample", "snapshot_every": 400}
    return tiny(**flags | {"steps": 1_500, "snapshots": 2, "magnet": 0.1} | changes)


def by_iteration(**changes):
    flags = {"algorithm": "rollout_iteration", "advised_by": "strong", "window": 600, "hidden": [16], "tables": 8}
    return tiny(**flags | {"worlds": 2, "candidates": 3, "steps": 1_500, "share": 0.2} | changes)


def play_beside(parts, choose, until, advised=True):
    """Return the deals of the processor's player and of the device's, from the same networks and seeds."""
    parts = {"hidden": [16], "advised_by": "strong" if advised else ""} | parts
    torch.manual_seed(3)
    policy, other = SampledPolicy(GAME, **parts), SampledPolicy(GAME, **parts)
    value = Net(GAME, "value", **parts | {"advised_by": ""})
    rng, count = np.random.default_rng(0), 10
    tables, seeds = GAME.new_tables(count, {"max_rounds": 2}), rng.integers(2**62, size=count)
    seating = np.zeros((count, GAME.max_seats), np.int64)
    seating[::2, 1:] = 1  # half of the deals with the other policy at all seats but one
    wishes = RolloutSettings(np.array([0.3, 0.5, 0.4]), GAME.layout.start("stage"), 0.2, 2.0, 2, choose == "redeal")
    players = Player(GAME, parts, until, 1, False), DevicePlayer(GAME, until, CPU, False)
    found = []
    for player in players:
        player.take_over(policy, value, np.stack([player.numbers_of(other)]))
        found.append(player.play(tables, seeds, seating, 3, wishes))
    return found


@pytest.mark.parametrize(
    ("choose", "until"), [("truth", "round_number"), pytest.param("redeal", "", marks=pytest.mark.thorough)]
)
def test_deals_and_rollouts_are_those_of_the_processor(choose, until):
    ours, theirs = play_beside({}, choose, until)
    assert len(ours.samples.table) > 50
    assert (len(ours.begun.table) > 0) == bool(until)
    for one, other in zip((ours, theirs), (theirs, ours), strict=True):
        assert all(np.array_equal(*pair) for pair in zip(one[2:], other[2:], strict=True))
    for name in Samples._fields[:-1]:
        assert np.array_equal(getattr(ours.samples, name), getattr(theirs.samples, name)), name
    assert np.allclose(ours.samples.gains, theirs.samples.gains, atol=1e-5)  # value networks round
    assert all(np.array_equal(*pair) for pair in zip(ours.begun, theirs.begun, strict=True))


def test_counterfactual_learns_alike_on_a_device(tmp_path):
    found = []
    for device in ("cpu", "cpu:0"):
        folder = tmp_path / device
        config = by_rollouts(device=device)
        with run.begun(folder, config):
            training = counterfactual.Training(config, folder, None)
            training.update()
        found.append(training)
    ours, theirs = found
    assert ours.steps == theirs.steps > 0
    assert ours.kept.added == theirs.kept.added > 0
    begun = ours.policy.state_dict()
    assert all(torch.allclose(begun[name], one, atol=1e-4) for name, one in theirs.policy.state_dict().items())
    assert not theirs.optimizer.state_dict()["state"][0]["exp_avg"].eq(0).all()


@pytest.mark.parametrize("belief", ["truth", "redeal"])
def test_rollout_iteration_learns_the_same_on_a_device(belief, tmp_path):
    found = []
    for device in ("cpu", "cpu:0"):
        training = rollout_iteration.Training(by_iteration(belief=belief, device=device), tmp_path, None)
        for _ in range(2):
            training.update()
        found.append(training)
    ours, theirs = found
    samples = ours.kept.take(np.arange(ours.kept.count))
    assert len(np.unique(samples[2])) > 3
    assert all(
        np.array_equal(*pair) for pair in zip(samples, theirs.kept.take(np.arange(len(samples[0]))), strict=True)
    )
    assert digest(ours) == digest(theirs)


def test_rollout_iteration_on_a_device_resumes_to_the_bit(tmp_path):
    config = by_iteration(device="cpu:0")
    whole, again, began = resumed(NAME, "cpu:0", tmp_path / "run", kind=rollout_iteration.Training, config=config)
    assert began > 0
    assert whole == again


@pytest.mark.parametrize("kind", [ppo_selfplay.Training, counterfactual.Training])
def test_a_run_on_a_device_resumes_to_the_bit(kind, tmp_path):
    league = {"league_every": 400, "league_steps": 150}
    config = by_rollouts(device="cpu:0", **league) if kind is counterfactual.Training else None
    whole, again, began = resumed(NAME, "cpu:0", tmp_path / "run", kind=kind, config=config, **league)
    assert began > 0
    assert whole == again
    assert len(run.read(tmp_path / "run")[1]["exploiters"]) > 1


LEAGUE_KEYS = {"magnet": 5.0, "magnet_rate": 0.25, "league_every": 400, "league_steps": 150, "snapshot_every": 300}


@pytest.mark.parametrize(("module", "make"), [(ppo_selfplay, tiny), (counterfactual, by_rollouts)])
def test_reference_policy_and_league_have_the_usual_keys(module, make, tmp_path):
    config = make(device="cpu:0", **LEAGUE_KEYS)
    with run.begun(tmp_path / "run", config):
        training = module.Training(config, tmp_path / "run", None)
        nets = getattr(training, "learner", training)
        before = {name: weight.clone() for name, weight in nets.magnet.state_dict().items()}
        training.update()
        for name, weight in nets.magnet.state_dict().items():
            wanted = before[name] + 0.25 * (nets.policy.state_dict()[name] - before[name])
            assert torch.allclose(weight, wanted, atol=1e-6)
        assert not torch.equal(weight, before[name])
        record = training.go_on()
    assert (len(training.pool.files()) if module is ppo_selfplay else training.taken) > 2
    assert len({one["at"] for one in record["exploiters"]}) > 1


@pytest.mark.parametrize(
    ("module", "make"), [(ppo_selfplay, tiny), (counterfactual, by_rollouts), (rollout_iteration, by_iteration)]
)
@pytest.mark.parametrize("device", ["cuda", "tpu", "cuda:9"])
def test_a_device_that_is_not_there_is_refused(module, make, device, tmp_path):
    if torch.cuda.is_available() and device == "cuda":
        pytest.skip("there is a GPU")
    with pytest.raises(ConfigError, match=r"^device="):
        module.Training(dataclasses.replace(make(), device=device), tmp_path, None)


@pytest.mark.parametrize("wrong", [{"memory": 8}, {"advised_by": "strong"}, {"shaping": 0.1, "shaping_by": "strong"}])
def test_keys_that_only_the_processor_has_are_refused(wrong, tmp_path):
    name = next(iter(wrong))
    with pytest.raises(ConfigError, match=rf"^{name}=.*; it takes .* with device='cpu:0'; device='cpu' has this key$"):
        ppo_selfplay.Training(tiny(device="cpu:0", **wrong), tmp_path, None)
