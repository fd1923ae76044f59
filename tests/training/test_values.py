"""Action-value algorithms (dmc, dqn, nfsp), from the run to the exported bot."""

from itertools import pairwise
from pathlib import Path

import kuhn_tree
import numpy as np
import pytest
import torch
from kuhn import BET, GAME as KUHN
from rooms import ALL, ENCIERRO, TORO, brief
from runs import same, stopped, tiny

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.score import win_rate
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.chance import STREAM
from sobremesa.training import trainer
from sobremesa.training.algorithms import dmc
from sobremesa.training.algorithms.action_values import ActionValues, descend, mostly_best
from sobremesa.training.algorithms.nfsp import Reservoir
from sobremesa.training.bots import export
from sobremesa.training.config.registry import find, resolved
from sobremesa.training.data.replay_buffer import END
from sobremesa.training.networks.onnx_graphs import real_views
from sobremesa.training.networks.policy import PolicyNet, load_weights
from sobremesa.training.runs import run
from sobremesa.training.trainer import resume, train

SMALL = {  # of a run that takes a second
    "tables": 16, "batch_size": 64, "steps": 1_500, "epochs": 2, "checkpoint_every": 300,
    "setup": {"max_rounds": 2, "seats": [2, 3, 4, 2]},
}  # fmt: skip
ALGORITHMS = ["dmc", "dqn", "nfsp"]
THE_FIRST = ["dmc", *(pytest.param(name, marks=pytest.mark.thorough) for name in ALGORITHMS[1:])]


@pytest.fixture(autouse=True)
def kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)


def trained(folder, algorithm, **changes):
    """Train as SMALL says in `folder`, which is returned."""
    train(tiny(**SMALL | {"algorithm": algorithm} | changes), folder)
    return folder


def training(algorithm, **changes):
    """Return a run of which nothing is written."""
    config = tiny(**SMALL | {"algorithm": algorithm} | changes)
    return resolved(find(algorithm).loop)(config, Path("unwritten"), None)


def on_kuhn(algorithm, **changes):
    """Return what a run on Kuhn poker has learnt once it is over."""
    keys = {"game": "kuhn", "setup": {}, "learning_rate": 3e-3, "hidden": [32], "explore": 0.3, "explore_last": 0.1}
    found = training(algorithm, **keys | {"replay": 2_000} | changes)
    while not found.over:
        found.update()
    return found.learned


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Runs of all algorithms, by name."""
    folder = tmp_path_factory.mktemp("values")
    return {name: trained(folder / name, name) for name in ALGORITHMS}


def paid(agent, game=KUHN, deals=400, **setup):
    """Return what `agent` is paid on average for a deal against `random`, in all seatings."""
    rows = play(game, [agent, RANDOM], deals, seed=11, **setup)
    return float(rows.payoffs[rows.seating == 0].mean())


def test_actions_are_best_or_random():
    rng = np.random.default_rng(1)
    worths = np.array([[9, 1, 2, 3]] * 400, np.float32)
    masks = np.array([[0, 1, 1, 1]] * 400, np.int8)
    random = np.arange(400) >= 100
    actions = mostly_best(worths, masks, random, rng)
    assert (actions[:100] == 3).all()
    assert np.bincount(actions[100:], minlength=4)[0] == 0
    assert np.bincount(actions[100:]).min(initial=400, where=[False, True, True, True]) > 70


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("updates", [pytest.param(2, marks=pytest.mark.thorough), 12])
def test_a_run_that_was_stopped_goes_on_to_the_same_weights(made, tmp_path, algorithm, updates):
    folder = stopped(tmp_path / "run", updates, **SMALL, algorithm=algorithm)
    assert run.read(folder)[1]["status"] == "interrupted"
    assert resume(folder)[1]["status"] == "finished"
    (folder / "pool").mkdir()
    (made[algorithm] / "pool").mkdir(exist_ok=True)
    assert same(folder, made[algorithm])


@pytest.mark.parametrize("algorithm", THE_FIRST)
def test_a_run_keeps_to_its_budget_and_depends_on_the_seed(made, tmp_path, algorithm):
    steps = run.read(made[algorithm])[1]["steps"]
    assert 1_500 - SMALL["tables"] < steps <= 1_500
    other = trained(tmp_path / "other", algorithm, seed=1)
    assert (other / "last.safetensors").read_bytes() != (made[algorithm] / "last.safetensors").read_bytes()


def test_the_exported_network_plays_the_same_actions(made):
    net, graph = ActionValues(TORO, tiny().hidden), PolicyNet(TORO, tiny().hidden)
    for one in (net, graph):
        load_weights(made["dmc"] / "last.safetensors", one)
    observations, masks = real_views(TORO)
    actions = net.agent("learner").act_batch(observations, masks, np.zeros(len(masks), STREAM))
    with torch.inference_mode():
        logits = graph(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    assert logits[np.arange(len(masks)), actions] == pytest.approx(logits.max(1), abs=1e-5)
    assert masks[np.arange(len(masks)), actions].all()
    assert len(set(actions.tolist())) > 3


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_bot_plays_as_the_network_does(made, tmp_path, algorithm):
    manifest = export(made[algorithm], tmp_path / "bot", "last")
    assert manifest["choice"] == ("sample" if algorithm == "nfsp" else "greedy")
    assert manifest["parity"]["largest_difference"] < 1e-4
    net = (PolicyNet if algorithm == "nfsp" else ActionValues)(TORO, tiny().hidden)
    load_weights(made[algorithm] / "last.safetensors", net)
    observations, masks = real_views(TORO)
    masks, streams = masks.astype(np.int8), np.zeros((2, len(masks)), STREAM)
    actions = net.agent("learner").act_batch(observations, masks, streams[0])
    assert (agents.load(tmp_path / "bot").act_batch(observations, masks, streams[1]) == actions).mean() > 0.999


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[] if game is KUHN else pytest.mark.thorough) for game in ALL],
    ids=lambda g: g.name,
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_games_at_all_seats_are_learnt_from(game, algorithm, monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, game.name, brief(game))
    seats = next(option for option in game.options if option.name == "seats").choices
    steps = 1_500 if game is KUHN else 8_000
    found = training(algorithm, game=game.name, setup={"seats": list(seats)}, replay=steps, steps=steps)
    before = [weight.clone() for weight in found.learned.parameters()]
    while not found.over:
        found.update()
    assert all((one != other).any() for one, other in zip(found.learned.parameters(), before, strict=True))
    assert all(torch.isfinite(weight).all() for weight in found.learned.parameters())


@pytest.mark.parametrize("n_steps", [1, 3])
def test_targets_are_n_step_double_q_values(n_steps):
    found = training("dqn", n_steps=n_steps, gamma=0.5, target_every=200, learning_rate=1e-2, explore=1)
    for _ in range(12):
        found.update()
    replay, squares, ends = found.tables.replay, [], 0
    rows = found._known()[:150]
    for row in rows:
        at, later = row, 0
        while later < n_steps and replay.after[at] >= 0:
            at, later = replay.after[at] % replay.room, later + 1
        ended = later < n_steps and replay.after[at] == END
        with torch.no_grad():
            here, net, target = (
                one.value(replay.observations(np.array([of])))[0].numpy()
                for one, of in ((found.net, row), (found.net, at), (found.target, at))
            )
        best = max(np.flatnonzero(replay.masks[at]), key=lambda action: net[action])
        wanted = 0.5**later * (replay.payoffs[at] if ended else target[best])
        squares.append((here[replay.actions[row]] - wanted) ** 2)
        ends += ended
    assert found._losses(rows)["value"].item() == pytest.approx(np.mean(squares), rel=1e-4)
    assert 0 < ends < len(rows)


def test_the_target_follows_at_intervals():
    found = training("dqn", target_every=400)
    weights = [found.target.trunks[0].head.weight.clone()]
    for _ in range(14):
        found.update()
        weights.append(found.target.trunks[0].head.weight.clone())
    moved = [bool((one != other).any()) for one, other in pairwise(weights)]
    assert moved == [step in (7, 14) for step in range(1, 15)]  # 64 decisions at a time: after 448 and 896


def test_the_reservoir_is_a_fair_sample_of_all_that_came():
    counts = np.zeros(600)
    for seed in range(60):
        found, rng = Reservoir(KUHN, 50), np.random.default_rng(seed)
        for part in np.split(np.arange(600), [3, 40, 70, 71, 333]):
            codes = np.zeros((len(part), KUHN.layout.width), np.uint8)
            found.add(codes, np.ones((len(part), 2), np.int8), part, rng)
            assert found.kept == min(50, part[-1] + 1)
        counts[found.actions] += 1
    assert counts.sum() == 60 * 50
    assert counts.reshape(6, 100).sum(1) == pytest.approx(500, abs=90)


def test_responding_seats_fill_the_reservoir():
    found = training("nfsp", anticipatory=0.5, explore=0.0, explore_last=0.0, game="kuhn", setup={})
    roles = []
    for _ in range(6):
        began, seats = found.tables.seen.dones.copy(), found.tables.seen.seats.copy()
        added, before = found.reservoir.added[0], found.responding.copy()
        found.tables.play(found._choose, 1)
        assert (found.responding[~began] == before[~began]).all()
        responding = found.responding[np.arange(len(seats)), seats]
        assert found.reservoir.added[0] - added == responding.sum()
        roles.append(responding.mean())
    assert 0 < np.mean(roles) < 1
    kept = found.reservoir.kept
    worths = found.net.value(KUHN.layout.decode(found.reservoir.codes[:kept])).detach().numpy()
    assert (found.reservoir.actions[:kept] == worths.argmax(1)).all()


def bets(found, tree):
    """Return the chance to bet at each information set of Kuhn poker by the average policy of a run."""
    chances = {}
    for node in kuhn_tree.decisions(tree):
        observation = np.frombuffer(node.infoset, np.float32)[None].copy()
        with torch.inference_mode():
            logits = found._policy(observation, np.ones((1, 2), np.int8))[1]
        chances[node.infoset] = float(logits.softmax(1)[0, BET])
    return chances


@pytest.mark.thorough
def test_fictitious_play_comes_near_an_equilibrium_of_kuhn_poker():
    keys = {"game": "kuhn", "setup": {}, "tables": 64, "batch_size": 128, "replay": 16_000, "reservoir": 50_000}
    learning = {"learning_rate": 5e-3, "hidden": [32], "explore": 0.3, "explore_last": 0.1, "gamma": 1.0, "epochs": 4}
    found = training("nfsp", **keys, **learning, steps=80_000, target_every=1_000)
    tree = kuhn_tree.whole()
    lost = [float(kuhn_tree.exploitability(tree, bets(found, tree)))]
    while not found.over:
        if found.steps >= 40_000 * len(lost):
            lost.append(float(kuhn_tree.exploitability(tree, bets(found, tree))))
        found.update()
    lost.append(float(kuhn_tree.exploitability(tree, bets(found, tree))))
    assert lost[0] == pytest.approx(0.46, abs=0.01)  # chips that a best response wins of one that plays at random
    assert lost[1] < lost[0] / 2
    assert lost[-1] < lost[0] / 4


def test_monte_carlo_fits_what_was_done_to_what_it_brought():
    found = training("dmc", steps=10**6, learning_rate=1e-2)
    while not found.tables.replay.paid.any():
        found.update()
    rows = np.flatnonzero(found.tables.replay.paid)[:40]
    losses = [descend(found.optimizer, found._losses(rows)["value"], 1e-2, 0.0) for _ in range(80)]
    assert losses[-1] < losses[0] / 2
    assert isinstance(found, dmc.Training)


@pytest.mark.parametrize("algorithm", ["dmc", "dqn"])
def test_the_best_answer_to_random_play_is_learned_on_kuhn(algorithm):
    found = on_kuhn(algorithm, steps=4_000, explore=1, explore_last=1)
    assert paid(found.agent("learner")) > 0.15  # the best answer wins 0.23, an equilibrium about half of that


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_self_play_learns_a_game_far_beyond_random(algorithm):
    keys = {"game": ENCIERRO.name, "setup": {"seats": 2}, "hidden": [64], "batch_size": 256}
    keys |= {"n_steps": 5} if algorithm == "dqn" else {}
    found = training(algorithm, **keys, steps=60_000, replay=20_000, explore=0.1, learning_rate=1e-3)
    while not found.over:
        found.update()
    agent = found.learned.agent("learner")
    assert win_rate(play(ENCIERRO, [agent, RANDOM], 100, seed=3, seats=2)).value > 0.8


def test_a_loss_that_is_not_finite_is_told():
    found = training("dmc", steps=10**6)
    found.tables.replay.paid[-64:] = True
    found.tables.replay.payoffs[-64:] = np.nan
    with pytest.raises(FloatingPointError, match="the loss is nan; lower learning_rate="):
        found.update()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_command_takes_only_the_setup_of_the_game(algorithm, monkeypatch):
    seen = []
    monkeypatch.setattr(trainer, "train", lambda config, *_, **also: seen.append(config) or run.new_record())
    assert cli.main(["train", TORO.name, "--algorithm", algorithm, "--steps", "6_400", "--out", "unwritten"]) == 0
    assert (seen[0].algorithm, seen[0].steps, seen[0].setup) == (algorithm, 6_400, {"seats": 2})
    assert seen[0].batch_size == 2048  # that of its own file is not for it
    assert cli.main(["train", TORO.name, "--algorithm", "maskable_ppo", "--out", "unwritten"]) == 0
    assert seen[1].batch_size == 1024  # takes all that the file says
