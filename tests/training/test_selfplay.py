"""Self-play: opponent pool, recurrent and convolutional networks, near-equilibrium play."""

import dataclasses
import json
import re

import kuhn_tree
import numpy as np
import pytest
import recall
import torch
from kuhn import BET, GAME as KUHN
from rooms import TORO
from runs import tiny, train_tiny

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.pairings import compare
from sobremesa.agents.arena.play import play
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.training import trainer
from sobremesa.training.algorithms.ppo_learner import Learner
from sobremesa.training.bots import export
from sobremesa.training.data.opponents import LEARNER, OpponentPool, Snapshot, files_of
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.tables import Tables
from sobremesa.training.networks.policy import Net, PolicyNet, load_weights
from sobremesa.training.networks.views import Views
from sobremesa.training.runs import checkpoint, run
from sobremesa.training.runs.evaluation import policy_parts


@pytest.fixture(scope="module", autouse=True)
def games():
    """Register the games of the tests."""
    patch = pytest.MonkeyPatch()
    for game in (KUHN, recall.GAME):
        patch.setitem(envs._REGISTERED, game.name, game)
    yield
    patch.undo()


# The pool


def pool_of(folder, count, **changes):
    config = tiny(game="kuhn", setup={}, opponents={"self": 0.5, "snapshots": 0.3, "random": 0.2}, **changes)
    pool, net = OpponentPool(config, KUHN), PolicyNet(KUHN, **policy_parts(config))
    rng = np.random.default_rng(0)
    for number in range(count):
        with torch.no_grad():
            net.trunks[0].head.bias.fill_(number)
        pool.add(folder, 100 * number, net, rng)
    return pool, net, rng


def test_seats_are_drawn_in_the_stated_proportions(tmp_path):
    folder = tmp_path
    np.testing.assert_allclose(pool_of(folder, 0)[0].odds()[:2], [0.8, 0.2])  # without snapshots the learner sits in
    pool = pool_of(folder, 5, snapshots=2)[0]
    odds = pool.odds()
    np.testing.assert_allclose(odds[:2], [0.5, 0.2])
    assert odds.sum() == pytest.approx(1)
    assert sorted(odds[2:].tolist())[-3:] == pytest.approx([0, 0.15, 0.15])
    config = tiny(game="kuhn", setup={}, opponents={"self": 0.5, "random": 0.5}, tables=2000)
    seating = Tables(config, KUHN, OpponentPool(config, KUHN)).match.seating
    assert (seating == LEARNER).sum() / seating.size == pytest.approx(0.75, abs=0.02)  # one seat of two is its own


def test_snapshots_that_beat_the_learner_are_met_more_often(tmp_path):
    pool, _, rng = pool_of(tmp_path, 4, snapshots=1, pool_size=4)
    for number, rate in enumerate((0.9, 0.5, 0.1, 0.9)):
        pool.members[number].win_rate = rate
    met = []
    for _ in range(400):
        pool._draw_active(rng)
        met += pool.active
    counts = np.bincount(met, minlength=4) / 400
    priorities = np.array([member.priority for member in pool.members])
    np.testing.assert_allclose(counts, priorities / priorities.sum(), atol=0.08)
    assert counts.argmax() == 2


def test_deals_are_counted_for_and_against_the_learner(tmp_path):
    pool, _, _ = pool_of(tmp_path, 2, pool_size=2)
    first = pool.first
    for _ in range(100):
        pool.count(np.array([[0, first], [first, 0]]), np.array([[1.0, -1.0], [-0.5, 0.5]]))  # the learner wins both
        pool.count(np.array([[first + 1, 0]]), np.array([[1.0, -1.0]]))  # and loses this one
    assert pool.members[0].win_rate > 0.95
    assert pool.members[1].win_rate < 0.1
    assert [member.deals for member in pool.members] == [200, 100]
    pool.count(np.array([[0, 0], [0, 1]]), np.array([[1.0, -1.0], [1.0, -1.0]]))  # no snapshot sat there
    assert [member.deals for member in pool.members] == [200, 100]


def test_a_full_pool_drops_the_weakest_snapshot(tmp_path):
    pool, net, rng = pool_of(tmp_path, 3, pool_size=3)
    for number, rate in enumerate((0.4, 0.95, 0.6)):
        pool.members[number].win_rate = rate
    pool.add(tmp_path, 900, net, rng)
    assert [member.steps for member in pool.members] == [0, 900, 200]
    assert pool.members[1] == Snapshot(900)


def test_a_pool_is_files(tmp_path):
    pool, _, _ = pool_of(tmp_path, 3)
    pool.members[1].win_rate = 0.7
    written = json.loads((tmp_path / "pool" / "pool.json").read_text())
    assert [one and one["steps"] for one in written["members"][:4]] == [0, 100, 200, None]
    other = pool_of(tmp_path / "none", 0)[0]
    other.restore(tmp_path, json.loads(json.dumps(pool.state())))
    assert (other.members, other.active) == (pool.members, pool.active)
    for one, same in zip(pool.nets[:3], other.nets[:3], strict=True):
        for weight, copy in zip(one.parameters(), same.parameters(), strict=True):
            assert torch.equal(weight, copy)


# Deals in play while a snapshot makes room


class Played:
    """Tables of Kuhn poker, with a learner that plays by its mask and a pool of one snapshot, the only opponent."""

    def __init__(self, folder, tables=16):
        config = tiny(game="kuhn", setup={}, opponents={"snapshots": 1.0}, pool_size=1, snapshots=1, tables=tables)
        self.folder, self.rng = folder, np.random.default_rng(0)
        self.pool = OpponentPool(config, KUHN)
        self.tables = Tables(config, KUHN, self.pool)
        self.match = self.tables.match

    def add(self, steps, action):
        """Put a snapshot into the pool that always plays `action` where it may."""
        net = PolicyNet(KUHN, **policy_parts(self.pool.config))
        with torch.no_grad():
            for weight in net.parameters():
                weight.zero_()
            net.trunks[0].head.bias[action] = 50.0
        drawn = torch.random.get_rng_state()
        self.pool.add(self.folder, steps, net, self.rng)
        assert torch.equal(torch.random.get_rng_state(), drawn)

    def deal(self, action):
        """Have the next deals at all tables begin against a pool of one snapshot."""
        self.add(100, action)
        self.tables._deal(np.arange(len(self.match.states)))

    def finish(self):
        """Let the learner pass until each table has finished its deal; return the moves of others in these deals."""
        moves = []
        left = np.arange(len(self.match.states))
        while len(left):
            self.match.step(left, self.match.masks[left].argmax(1))
            others = (self.match.waiting() > 0) & np.isin(np.arange(len(self.match.states)), left)
            for row in np.flatnonzero(others):
                place = int(self.match.waiting()[row])
                agent = self.match.agents[place]
                moves.append(int(agent.net.trunks[0].head.bias.argmax()))
            self.match.advance()
            over = left[self.match.over[left]]
            self.tables._end(over)
            left = np.setdiff1d(left, over)
        return moves


def test_a_replaced_snapshot_finishes_its_deals(tmp_path):
    played = Played(tmp_path)
    played.deal(0)
    before = played.match.seating.copy()
    old = played.pool.members[0]
    played.add(200, 1)
    new = played.pool.members[0]
    assert (new.steps, played.pool.leaving) == (200, {2: old})
    assert ((before == 1) == (played.match.seating == 2)).all()
    assert files_of(played.pool.state()) == {old.file, new.file}
    assert set(played.finish()) == {0}
    assert (old.deals, new.deals) == (len(before), 0)
    assert set(played.finish()) == {1}
    assert (old.deals, new.deals) == (len(before), len(before))
    assert "leaving" not in played.pool.state()


def test_the_place_of_a_snapshot_that_left_is_used_again(tmp_path):
    played = Played(tmp_path)
    for steps in range(200, 1000, 100):
        played.deal(0)
        played.add(steps, 1)
        assert len(played.match.agents) == 3
    played.add(1000, 0)  # two leave at once: no deal was begun against the one before
    assert len(played.match.agents) == 3


def test_a_pool_is_restored_with_those_that_have_deals_to_finish(tmp_path):
    played = Played(tmp_path)
    played.deal(0)
    played.add(200, 1)
    saved, arrays = json.loads(json.dumps(played.pool.state())), played.tables.arrays()
    other = Played(tmp_path)
    for name, array in other.tables.arrays().items():
        array[:] = arrays[name]
    other.tables.rng.bit_generator.state = played.tables.rng.bit_generator.state
    other.pool.restore(tmp_path, saved)
    assert other.pool.state() == played.pool.state()
    assert other.pool.leaving == played.pool.leaving
    assert other.finish() == played.finish()
    assert other.match.states.tobytes() == played.match.states.tobytes()


def test_a_snapshot_without_deals_is_replaced_at_once(tmp_path):
    played = Played(tmp_path)
    played.add(100, 0)
    played.add(200, 1)
    assert played.pool.leaving == {}
    assert len(played.match.agents) == 2


def test_a_game_without_a_configuration_is_trained(tmp_path, capsys):
    folder = tmp_path / "run"
    assert cli.main(["train", "kuhn", "--steps", "20000", "--threads", "1", "--out", str(folder)]) == 0
    captured = capsys.readouterr()
    assert "train: 16,384 of 20,000 (training)\ntrain: 20,000 of 20,000 (training)\n" in captured.err
    assert "finished after 20,000 decisions" in captured.out
    assert re.search(r"^learner +random +2 ", captured.out, re.MULTILINE)
    assert run.read(folder)[0].opponents == {"self": 0.7, "snapshots": 0.3}
    assert list((folder / "tensorboard").glob("events.out.*"))


# Networks


GRIDS = Layout(
    Block("planes", (2, 3, 4), "two planes"),
    Block("side", (2,), "whose role it is"),
    Block("plane", (3, 4), "one more plane"),
    Block("small", (2, 2), "another size"),
    Block("rest", (5,), "no grid"),
)
GAME_OF_GRIDS = dataclasses.replace(KUHN, name="grids", layout=GRIDS, num_actions=6)


def some_views(count, seed=0):
    views = torch.rand(count, GRIDS.size, generator=torch.Generator().manual_seed(seed))
    side = GRIDS.start("side")
    views[:, side] = (torch.arange(count) % 2).float()
    views[:, side + 1] = 1 - views[:, side]
    return views


def test_grids_go_through_convolutions_and_the_rest_past_them():
    net = PolicyNet(GAME_OF_GRIDS, [8], grids=["planes", "plane", "small"], channels=4)
    trunk = net.trunks[0]
    assert {size: len(places) for size, places in trunk.planes.items()} == {(3, 4): 36, (2, 2): 4}
    assert len(trunk.rest) == 7
    assert sorted([*trunk.rest, *trunk.planes[3, 4], *trunk.planes[2, 2]]) == list(range(GRIDS.size))
    assert trunk.convolutions[0][0].in_channels == 3
    views, mask = some_views(5), torch.ones(5, 6)
    views.requires_grad_(True)
    net(views, mask).square().sum().backward()
    assert (views.grad != 0).any(dim=0).float().mean() > 0.9  # every number counts (but for dead units)
    planes = views[:, trunk.planes[3, 4]].reshape(5, -1, 3, 4)
    assert torch.equal(planes[:, 2], views[:, GRIDS.start("plane") : GRIDS.start("plane") + 12].reshape(5, 3, 4))


def test_each_role_has_networks_of_its_own():
    net = PolicyNet(GAME_OF_GRIDS, [8], roles="side", memory=3)
    views, mask, memory = some_views(6), torch.ones(6, 6), torch.rand(6, 3)
    logits, after = net(views, mask, memory)
    for row in range(6):
        trunk = net.trunks[1 - row % 2]
        alone, later = trunk(Views(views[[row]]), memory[[row]])
        assert torch.allclose(logits[[row]], alone, atol=1e-6)
        assert torch.allclose(after[[row]], later, atol=1e-6)
    pieces = views[:4, None].repeat(1, 3, 1)
    along = net.over_sequence(Views(pieces.flatten(0, 1)), memory[:4], 3)
    once = net(views[:4], mask[:4], memory[:4])[0]
    assert torch.allclose(along[:, 0], once, atol=1e-6)


def test_along_a_piece_the_memory_goes_from_decision_to_decision():
    net = PolicyNet(GAME_OF_GRIDS, [8], memory=3)
    pieces, memory = some_views(20).reshape(4, 5, -1), torch.rand(4, 3)
    along = net.over_sequence(Views(pieces.flatten(0, 1)), memory, 5)
    for step in range(5):
        logits, memory = net(pieces[:, step], torch.ones(4, 6), memory)
        assert torch.allclose(along[:, step], logits, atol=1e-6)


@pytest.mark.parametrize("changes", [{}, {"memory": 6, "unroll": 3}], ids=["without memory", "with memory"])
def test_values_before_learning_equal_those_of_play(changes):
    """Wrong rows, masks or memories anywhere in a batch would make other probabilities of the actions taken."""
    config = tiny(tables=24, setup={"seats": [2, 3, 4], "max_rounds": 2}, epochs=1, batch_size=10**6, **changes)
    learner = Learner(config, TORO)
    with torch.no_grad():
        for weight in learner.weights:
            weight.mul_(2)  # a policy that prefers something
    tables = Tables(config, TORO, OpponentPool(config, TORO), learner.memory)
    buffer = RolloutBuffer(TORO, 24, 16, learner.memory)
    for _ in range(3):
        tables.play(learner.look, buffer)
        buffer.close(1, 1)
        rate = learner.config.learning_rate
        learner.config = dataclasses.replace(config, learning_rate=1e-30)
        losses = learner.learn(buffer, 0.0, np.random.default_rng(0))
        learner.config = dataclasses.replace(config, learning_rate=rate)
        assert abs(losses.change) < 1e-8
        assert losses.clipped == 0
        ready = buffer.ready
        assert losses.value == pytest.approx(float((buffer.advantages[ready] ** 2).mean()), rel=1e-3)
        buffer.carry()


@pytest.mark.parametrize("steps", [1, 31, 65])
def test_a_budget_that_is_no_whole_batch_is_kept(steps, tmp_path):
    record = run.read(train_tiny(tmp_path / "run", steps=steps, tables=32, horizon=1))[1]
    assert (record["status"], record["steps"]) == ("finished", steps)
    assert record["evaluations"][-1]["steps"] == steps


def test_a_batch_without_ready_decisions_is_continued(tmp_path):
    folder = train_tiny(tmp_path / "run", steps=40, tables=1, horizon=1, setup={"seats": 4, "max_rounds": 1})
    assert run.read(folder)[1]["steps"] == 40


# What is learnt


def trained(folder, game, **changes):
    """Train, and return the policy network and the learner's networks as they ended."""
    plain = {
        "setup": {}, "opponents": {"self": 1}, "tables": 128, "horizon": 16, "batch_size": 512, "epochs": 4,
        "hidden": [32], "evaluate_every": 10**9, "evaluate_deals": 1, "learning_rate": 2e-3, "gamma": 1.0,
        "checkpoint_every": 10**9,
    }  # fmt: skip
    config = tiny(game=game.name, **{**plain, **changes})
    trainer.train(config, folder)
    net = PolicyNet(game, **policy_parts(config))
    load_weights(folder / "last.safetensors", net)
    return net


@pytest.mark.thorough
def test_a_memory_remembers_what_a_plain_network_forgets(tmp_path):
    changes = {"steps": 60_000, "entropy": 0.02}
    forgets = trained(tmp_path / "mlp", recall.GAME, **changes)
    remembers = trained(tmp_path / "gru", recall.GAME, memory=16, unroll=8, **changes)
    for folder in ("mlp", "gru"):
        export(tmp_path / folder, tmp_path / folder / "bot", "last")
    gru, mlp = (agents.load(tmp_path / name / "bot", recall.GAME) for name in ("gru", "mlp"))
    score = compare(recall.GAME, gru, mlp, 400, seed=3)
    assert score.low > 0.7  # 5/6 if it always remembers
    assert (forgets.memory, remembers.memory) == (0, 16)


def outputs_at(net, nodes):
    views = np.stack([np.frombuffer(node.infoset, np.float32) for node in nodes])
    with torch.no_grad():
        return net.run(Views(torch.from_numpy(views)), torch.zeros(len(views), 0))[0]


@pytest.mark.thorough
def test_kuhn_poker_is_played_near_equilibrium(tmp_path):
    """Who learns from the wrong seat's payoff, or never hears of a loss, holds all positions for good ones."""
    policy = trained(
        tmp_path / "run", KUHN, steps=2_000_000, tables=256, horizon=32, batch_size=2048, learning_rate=5e-4,
        magnet=0.3, magnet_rate=0.05, entropy=0.05, entropy_last=0.0,
    )  # fmt: skip
    tree = kuhn_tree.whole()
    nodes = kuhn_tree.decisions(tree)
    chances = outputs_at(policy, nodes).softmax(1)[:, BET].tolist()
    bets = {node.infoset: chance for node, chance in zip(nodes, chances, strict=True)}
    assert kuhn_tree.exploitability(tree, bets) < 0.05  # chips; 0.458 for play at random

    arrays = checkpoint.read_latest(tmp_path / "run")[0]
    value = Net(KUHN, "value", [32])
    value.load_state_dict(
        {name.partition(".")[2]: torch.from_numpy(one) for name, one in arrays.items() if name.startswith("value.")}
    )
    worth = outputs_at(value, nodes)[:, 0].tolist()
    facing = {(node.card, node.seat): one for node, one in zip(nodes, worth, strict=True) if node.facing_bet}
    for seat in (0, 1):
        assert facing[kuhn_tree.J, seat] == pytest.approx(-0.5, abs=0.1)  # lost: it passes, and loses its ante
        assert facing[kuhn_tree.K, seat] == pytest.approx(1, abs=0.1)  # won: it calls, and wins two chips
    assert np.mean(worth) == pytest.approx(0, abs=0.1)


@pytest.fixture(scope="module")
def recurrent(tmp_path_factory):
    """The folder of a recurrent bot, and of the same as a greedy one; they have learnt nothing."""
    folder = train_tiny(tmp_path_factory.mktemp("gru") / "run", memory=8, unroll=4, steps=600)
    for choice in ("sample", "greedy"):
        export(folder, folder.parent / choice, "last", choice)
    return folder.parent


def test_a_recurrent_bot_names_its_memory(recurrent):
    manifest = json.loads((recurrent / "sample" / "bot.json").read_text())
    assert manifest["inputs"]["memory"] == manifest["outputs"]["memory_after"] == ["n", 8]
    assert agents.load(recurrent / "sample").memory == 8


@pytest.mark.parametrize("choice", ["sample", "greedy"])
def test_a_recurrent_bot_plays_alike_view_by_view(recurrent, choice):
    bot = agents.load(recurrent / choice)
    rows = play(TORO, [bot, agents.load("simple", TORO)], 4, seed=2, seats=2, max_rounds=2)
    for _ in range(2):  # a deal that is played again begins with nothing remembered
        for row in range(8):
            seated = [[bot, agents.load("simple", TORO)][agent] for agent in rows.seating[row]]
            plies = list(deal_between(TORO, seated, int(rows.seeds[row]), max_rounds=2))
            assert len(plies) - 1 == rows.plies[row]


def test_each_seat_of_a_recurrent_bot_has_its_own_memory(recurrent):
    bot = agents.load(recurrent / "sample")
    tables = VectorEnv(TORO, 4, seed=1)
    seen = tables.step(tables.sample())
    memory = np.zeros((4, 8), np.float32)
    memory[1] = memory[3] = 0.5
    kept = memory.copy()
    logits = bot.logits(seen.observations, seen.masks, memory)
    plain = bot.logits(seen.observations, seen.masks, np.zeros((4, 8), np.float32))
    allowed = seen.masks > 0
    assert np.array_equal(logits[0], plain[0])
    assert not np.array_equal(logits[1][allowed[1]], plain[1][allowed[1]])
    assert not np.array_equal(memory, kept)
    with pytest.raises(ValueError, match="is recurrent: it takes a memory"):
        bot.logits(seen.observations, seen.masks)


def test_a_manifest_without_the_size_of_the_memory_is_refused(recurrent, tmp_path):
    for file in (recurrent / "sample").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((tmp_path / "bot.json").read_text())
    for wrong, told in (
        (["n"], r"Expected `array` of length 2, got 1 - at `\$.inputs.memory`"),
        (["n", 9], "takes and gives"),
    ):
        manifest["inputs"]["memory"] = wrong
        (tmp_path / "bot.json").write_text(json.dumps(manifest))
        with pytest.raises(ValueError, match=told):
            agents.load(tmp_path)


def test_a_run_with_convolutions_and_roles_is_exported(tmp_path):
    changes = {"grids": ["bulls", "known_tiles"], "channels": 2, "roles": "stage", "magnet": 0.1, "memory": 4}
    folder = train_tiny(tmp_path / "run", steps=600, **changes)
    manifest = export(folder, tmp_path / "bot", "last")
    assert manifest["parity"]["largest_difference"] <= 1e-5
    assert run.read(folder)[0].roles == "stage"
    assert play(TORO, [agents.load(tmp_path / "bot"), agents.load("simple", TORO)], 2, max_rounds=1).plies.min() > 5
