"""Exported bots: the same policy without torch, and refusal of damaged bots."""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from matches import assert_same_rows
from onnx import TensorProto, helper, numpy_helper
from runs import GAME, tiny

import sobremesa
from sobremesa import agents, cli, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.exported import FORMAT, GRAPH, MANIFEST, BotError, load_bot
from sobremesa.agents.networks.onnx_file import drawing_nodes
from sobremesa.agents.stored import fingerprint
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.testing.check import stored_names
from sobremesa.training import bots as exporting
from sobremesa.training.bots import ExportError, export, export_graph, export_module
from sobremesa.training.networks import onnx_graphs
from sobremesa.training.networks.onnx_graphs import take_int8_masks
from sobremesa.training.networks.policy import PolicyNet, load_weights

RULES = envs.load(GAME)
D, A = RULES.layout.size, RULES.num_actions


def contents(folder):
    """Return what is in a folder: the bytes of files, None for folders."""
    found = sorted(Path(folder).rglob("*"))
    return {one.relative_to(folder): one.read_bytes() if one.is_file() else None for one in found}


@pytest.fixture
def bot(tiny_bot, tmp_path):
    """A copy of the bot, to damage."""
    return Path(shutil.copytree(tiny_bot, tmp_path / "bot"))


def net_of(folder, name="best"):
    net = PolicyNet(RULES, tiny().hidden)
    load_weights(folder / f"{name}.safetensors", net)
    return net.eval()


def real_views(count, seed=99):
    """Return `count` observations and masks from random play: of the first plies, of days, and of nights."""
    tables = VectorEnv(RULES, count, seed, seats=([2, 3, 4] * count)[:count])
    parts = []
    for step in range(60):
        seen = tables.step(tables.sample())
        if step in (0, 5, 30, 59):
            rows = slice(len(parts) * count // 4, (len(parts) + 1) * count // 4)
            parts.append((seen.observations[rows].copy(), seen.masks[rows].copy()))
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def test_the_manifest_says_what_the_bot_is(tiny_run, tiny_bot):
    manifest = json.loads((tiny_bot / MANIFEST).read_text())
    record = json.loads((tiny_run / "run.json").read_text())
    assert manifest["format"] == FORMAT
    assert fingerprint(RULES).items() <= manifest.items()
    assert (manifest["game"], manifest["observation_size"], manifest["num_actions"]) == (GAME, D, A)
    assert (manifest["choice"], manifest["checkpoint"]) == ("sample", "best")
    assert manifest["inputs"] == {"observation": ["n", D], "mask": ["n", A]}
    assert manifest["outputs"] == {"logits": ["n", A]}
    assert manifest["parity"]["observations"] == 1000
    assert 0 <= manifest["parity"]["largest_difference"] <= 1e-5
    assert manifest["config"] == tiny().__dict__
    assert manifest["trained"] == {key: record[key] for key in ("status", "steps", "seconds", "versions")}
    assert manifest["evaluation"] == record["best"]
    assert manifest["sha256"] == hashlib.sha256((tiny_bot / GRAPH).read_bytes()).hexdigest()
    assert agents.load(tiny_bot).manifest == manifest
    assert {file.name for file in tiny_bot.iterdir()} == {MANIFEST, GRAPH}


def test_a_bot_tells_nothing_of_the_machine_that_made_it(tiny_bot):
    for file in tiny_bot.iterdir():
        assert str(Path(exporting.__file__).parent).encode() not in file.read_bytes()
        assert b"site-packages" not in file.read_bytes()


def test_torch_and_the_bot_agree_on_a_thousand_real_observations(tiny_run, tiny_bot):
    observations, masks = real_views(1000)
    assert len(np.unique(observations, axis=0)) > 700
    assert observations[:, RULES.layout.start("stage") :][:, :4].any(axis=0).all()  # every stage is met
    with torch.inference_mode():
        ours = net_of(tiny_run)(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    theirs = agents.load(tiny_bot).logits(observations, masks)
    allowed = masks == 1
    assert np.abs(ours - theirs)[allowed].max() <= 1e-5
    assert np.ptp(theirs[allowed]) > 1e-3


def test_the_mask_is_inside_the_graph(tiny_bot):
    observations, masks = real_views(64)
    bot = agents.load(tiny_bot)
    logits = bot.logits(observations, masks)
    assert logits[masks == 0].max() <= -1e7
    assert np.abs(logits[masks == 1]).max() < 100
    other = 1 - masks
    assert (bot.logits(observations, other)[other == 0] <= -1e7).all()


def test_a_bot_takes_any_number_of_rows(tiny_bot):
    observations, masks = real_views(50)
    bot = agents.load(tiny_bot)
    together = bot.logits(observations, masks)
    alone = np.concatenate([bot.logits(observations[[row]], masks[[row]]) for row in range(50)])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_the_last_weights_are_exported_when_asked_for(tiny_run, tmp_path):
    manifest = export(tiny_run, tmp_path / "bot", "last")
    observations, masks = real_views(100)
    with torch.inference_mode():
        ours = net_of(tiny_run, "last")(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    np.testing.assert_allclose(agents.load(tmp_path / "bot").logits(observations, masks), ours, atol=1e-5)
    assert (manifest["checkpoint"], manifest["evaluation"]["steps"]) == ("last", 3000)


NO_TORCH = """
import importlib.abc, sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "safetensors", "stable_baselines3", "sb3_contrib", "onnx", "onnxscript"):
            raise ImportError(name + " is blocked")

sys.meta_path.insert(0, Blocker())
from sobremesa import agents, envs
game = envs.load({game!r})
bot = agents.load({bot!r})
rows = agents.play(game, [bot, agents.load("random", game)], 3, seed=1, max_rounds=1)
print(rows.agents, rows.payoffs.tolist(), "torch" in sys.modules)
"""


def test_a_bot_plays_where_torch_is_not_installed(tiny_bot):
    script = NO_TORCH.format(game=GAME, bot=str(tiny_bot))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = play(RULES, [agents.load(tiny_bot), agents.load("random", RULES)], 3, seed=1, max_rounds=1)
    assert done.stdout.strip() == f"{rows.agents} {rows.payoffs.tolist()} False"


def test_the_same_seed_gives_the_same_rows(tiny_bot):
    seated = [agents.load(tiny_bot), agents.load("random", RULES)]
    rows, again, other = (play(RULES, seated, 5, seed=seed, max_rounds=2) for seed in (4, 4, 5))
    assert_same_rows(rows, again)
    assert not np.array_equal(rows.plies, other.plies)


def choices_of(folder, observation, mask, count=200):
    """Return the actions that a bot chooses at one view in `count` different deals."""
    from sobremesa.envs.core.agent import new_stream

    streams = np.concatenate([new_stream(seed) for seed in range(count)])
    bot = agents.load(folder)
    return bot.act_batch(np.repeat(observation, count, 0), np.repeat(mask, count, 0), streams)


def test_a_greedy_bot_takes_its_likeliest_action(tiny_run, tiny_bot, tmp_path):
    assert export(tiny_run, tmp_path / "greedy", choice="greedy")["choice"] == "greedy"
    observations, masks = real_views(20)
    row = int(masks.sum(axis=1).argmax())
    view = observations[[row]], masks[[row]]
    logits = agents.load(tiny_bot).logits(*view)[0]
    assert set(choices_of(tmp_path / "greedy", *view)) == {int(logits.argmax())}
    drawn = choices_of(tiny_bot, *view, count=4000)
    assert masks[row, drawn].all()
    odds = np.exp(logits - logits.max())
    odds /= odds.sum()
    np.testing.assert_allclose(np.bincount(drawn, minlength=A) / 4000, odds, atol=4 * np.sqrt(odds.max() / 4000))
    assert len(np.unique(drawn)) > 3


def test_a_choice_that_does_not_exist_is_refused(tiny_run, tmp_path):
    with pytest.raises(ExportError, match="choice='best' is not allowed; it takes sample or greedy"):
        export(tiny_run, tmp_path / "bot", choice="best")


@pytest.fixture
def nothing_is_unpickled(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("something was unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    monkeypatch.setattr(torch, "load", refuse)
    monkeypatch.setattr(np, "load", refuse)


def test_nothing_is_unpickled_when_a_bot_is_made_or_loaded(tiny_run, tmp_path, nothing_is_unpickled):
    export(tiny_run, tmp_path / "bot")
    assert agents.load(tmp_path / "bot").name == "bot"


def edit(bot, **changes):
    """Change fields of the manifest; None takes one away."""
    manifest = json.loads((bot / MANIFEST).read_text()) | changes
    kept = {name: value for name, value in manifest.items() if value is not None}
    (bot / MANIFEST).write_text(json.dumps(kept))


def give_graph(bot, graph):
    """Put another graph into the bot, with the digest that belongs to it."""
    (bot / GRAPH).write_bytes(graph)
    edit(bot, sha256=hashlib.sha256(graph).hexdigest())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"format": FORMAT + 1}, f"format {FORMAT + 1}; this version of Sobremesa reads {FORMAT}"),
        ({"format": None}, "this JSON is no bot"),
        *[
            ({field: None}, f"Object missing required field `{field}`")
            for field in ("game", "version", "rules_hash", "layout", "actions", "num_actions", "sha256", "choice")
        ],
        ({"version": "0"}, r"Expected `int`, got `str` - at `\$.version`"),
        ({"game": 3}, r"Expected `str`, got `int` - at `\$.game`"),
        ({"sha256": ["a"]}, r"Expected `str`, got `array` - at `\$.sha256`"),
        ({"version": "\ud800"}, "surrogates not allowed"),
        ({"inputs": {"memory": None}}, r"Expected `array`, got `null` - at `\$.inputs.memory`"),
        ({"choice": "best"}, "choice='best' is not allowed; it takes sample or greedy"),
        ({"game": "chess"}, f"plays 'chess', which is not among .*{GAME}"),
        ({"version": RULES.version + 1}, "made with another version of the game"),
        ({"rules_hash": "0" * 16}, "the rules have changed since it was made"),
        ({"layout": "0" * 16}, "observations have changed since it was made"),
        ({"actions": "0" * 16}, "actions have changed since it was made"),
        ({"observation_size": D + 1}, "does not fit the game"),
        ({"num_actions": A + 1}, "does not fit the game"),
        ({"sha256": "0" * 64}, "it was damaged or replaced"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(bot, nothing_is_unpickled, changes, told):
    edit(bot, **changes)
    with pytest.raises(BotError, match=told) as refused:
        agents.load(bot)
    assert str(bot) in str(refused.value)


@pytest.mark.parametrize("name", [MANIFEST, GRAPH])
def test_a_missing_file_is_refused(bot, name):
    (bot / name).unlink()
    with pytest.raises(BotError, match=rf"{name}: no bot there, it cannot be read"):
        agents.load(bot)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 200_000])
def test_a_manifest_that_is_no_json_is_refused(bot, content):
    (bot / MANIFEST).write_bytes(content)
    with pytest.raises(BotError, match=r"bot\.json: not JSON"):
        agents.load(bot)


@pytest.mark.parametrize("content", [b"[]", b"null", b"1"])
def test_a_manifest_that_is_no_object_is_refused(bot, content):
    (bot / MANIFEST).write_bytes(content)
    with pytest.raises(BotError, match="this JSON is no bot"):
        agents.load(bot)


def test_a_file_in_place_of_a_bot_is_refused(bot):
    with pytest.raises(BotError, match="no bot there"):
        agents.load(bot / GRAPH, RULES)


def test_a_bot_of_another_game_is_refused(bot):
    from kuhn import GAME as KUHN

    with pytest.raises(BotError, match=f"it is of another game .*'{GAME}', kuhn-v1 has 'kuhn'"):
        load_bot(bot, KUHN)


@pytest.mark.parametrize("place", [0, 0.5, -1])
def test_a_graph_with_a_flipped_byte_is_refused(bot, place):
    graph = bytearray((bot / GRAPH).read_bytes())
    graph[int(place * len(graph)) if place >= 0 else -1] ^= 1
    (bot / GRAPH).write_bytes(bytes(graph))
    with pytest.raises(BotError, match="it was damaged or replaced"):
        agents.load(bot)


def test_a_graph_cut_short_is_refused(bot):
    graph = (bot / GRAPH).read_bytes()
    (bot / GRAPH).write_bytes(graph[: len(graph) // 2])
    with pytest.raises(BotError, match="it was damaged or replaced"):
        agents.load(bot)
    give_graph(bot, graph[: len(graph) // 2])
    with pytest.raises(BotError, match="does not load"):
        agents.load(bot)


class Bomb:
    def __reduce__(self):
        return (Path("/nonexistent/exploded").write_text, ("",))


def test_a_pickle_in_place_of_the_graph_is_refused(bot, nothing_is_unpickled):
    give_graph(bot, pickle.dumps(Bomb()))
    with pytest.raises(BotError, match="does not load"):
        agents.load(bot)


def masked_graph(names=("observation", "mask", "logits"), sizes=(D, A, A), kind=TensorProto.FLOAT, rows="n"):
    """Return a graph that gives a constant where the mask is 1, as small as they come."""
    observation, _, logits = names
    values = [helper.make_tensor_value_info(name, kind, [rows, size]) for name, size in zip(names, sizes, strict=True)]
    weights = numpy_helper.from_array(np.zeros((sizes[0], sizes[2]), np.float32), "weights")
    nodes = [
        helper.make_node("Cast", [observation], ["seen"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["seen", "weights"], ["worth"]),
        helper.make_node("Cast", ["worth"], [logits], to=kind),
    ]
    graph = helper.make_graph(nodes, "policy", values[:2], values[2:], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def test_a_fitting_graph_made_elsewhere_is_played(bot):
    give_graph(bot, masked_graph().SerializeToString())
    assert agents.load(bot).logits(np.zeros((3, D)), np.ones((3, A))).shape == (3, A)


@pytest.mark.parametrize(
    "foreign",
    [
        {"names": ("obs", "mask", "logits")},
        {"names": ("observation", "mask", "q")},
        {"sizes": (D + 1, A, A)},
        {"sizes": (D, A - 1, A)},
        {"sizes": (D, A, A + 1)},
        {"kind": TensorProto.DOUBLE},
        {"rows": 1},
    ],
    ids=str,
)
def test_a_graph_with_other_inputs_or_outputs_is_refused(bot, foreign):
    give_graph(bot, masked_graph(**foreign).SerializeToString())
    with pytest.raises(BotError, match=f"takes and gives .*; a bot for {GAME}-v1 takes and gives"):
        agents.load(bot)


def test_a_graph_with_weights_outside_is_refused(bot, monkeypatch):
    model = onnx.load(bot / GRAPH)
    onnx.save_model(
        model, str(bot / GRAPH), save_as_external_data=True, all_tensors_to_one_file=True, location="weights.bin",
        size_threshold=0,
    )  # fmt: skip
    assert (bot / "weights.bin").stat().st_size > 1000
    give_graph(bot, (bot / GRAPH).read_bytes())
    monkeypatch.chdir(bot)  # where onnxruntime would find them
    with pytest.raises(BotError, match="keeps weights outside the graph, which is refused"):
        agents.load(bot)


def test_a_folder_that_is_no_bot_is_refused_and_untouched(tiny_run, tmp_path):
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("mine")
    before = contents(tmp_path)
    for place in (letters, letters / "letter.txt"):
        with pytest.raises(ExportError, match="holds other files than a bot; choose another folder"):
            export(tiny_run, place)
    assert contents(tmp_path) == before


def test_a_bot_with_other_files_beside_it_is_not_replaced(tiny_run, bot):
    (bot / "notes.txt").write_text("mine")
    before = contents(bot)
    with pytest.raises(ExportError, match="holds other files than a bot"):
        export(tiny_run, bot)
    assert contents(bot) == before


def test_a_new_bot_replaces_an_old_one_as_a_whole(tiny_run, bot):
    assert export(tiny_run, bot, "last", "greedy")["choice"] == "greedy"
    assert agents.load(bot).manifest["checkpoint"] == "last"
    assert {file.name for file in bot.parent.iterdir()} == {"bot"}
    assert {file.name for file in bot.iterdir()} == {MANIFEST, GRAPH}


def test_an_empty_folder_becomes_a_bot(tiny_run, tmp_path):
    (tmp_path / "empty").mkdir()
    export(tiny_run, tmp_path / "empty")
    assert agents.load(tmp_path / "empty").name == "empty"


def test_an_export_that_fails_leaves_the_old_bot_as_it_was(tiny_run, bot, monkeypatch):
    before = contents(bot.parent)
    monkeypatch.setattr(onnx_graphs, "TOLERANCE", -1.0)
    with pytest.raises(ExportError, match="torch and onnxruntime differ by"):
        export(tiny_run, bot, "last")
    monkeypatch.undo()
    assert contents(bot.parent) == before
    assert agents.load(bot).manifest["checkpoint"] == "best"


def test_a_failed_export_leaves_the_old_bot(tiny_run, bot, monkeypatch):
    before = contents(bot.parent)

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        export(tiny_run, bot, "last")
    monkeypatch.undo()
    assert contents(bot.parent) == before


def test_a_graph_that_computes_something_else_is_not_exported(tiny_run, tmp_path, monkeypatch):
    graph = exporting.to_graph

    def other_graph(net, *others):
        return graph(PolicyNet(RULES, tiny().hidden), *others)

    monkeypatch.setattr(exporting, "to_graph", other_graph)
    with pytest.raises(ExportError, match="torch and onnxruntime differ by"):
        export(tiny_run, tmp_path / "bot")
    assert not (tmp_path / "bot").exists()


# Policies that were trained elsewhere.


class Tilted(torch.nn.Module):
    """A policy of others, which takes the mask, too."""

    def __init__(self, outputs=A, takes=D):
        super().__init__()
        self.layer = torch.nn.Linear(takes, outputs)

    def forward(self, views, allowed):
        return self.layer(views) + allowed.sum(1, keepdim=True)


def test_any_module_of_the_right_shape_becomes_a_bot(tmp_path):
    torch.manual_seed(3)
    net = Tilted().train()
    manifest = export_module(net, GAME, tmp_path / "bot", "greedy")
    assert net.training
    bot = agents.load(tmp_path / "bot")
    assert bot.manifest == manifest
    assert (manifest["choice"], manifest["origin"]) == ("greedy", "a module of PyTorch")
    observations, masks = real_views(40)
    with torch.inference_mode():
        ours = net(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    logits = bot.logits(observations, masks)
    np.testing.assert_allclose(logits[masks == 1], ours[masks == 1], rtol=1e-5, atol=1e-5)
    assert (logits[masks == 0] <= -1e7).all()
    assert play(RULES, [bot, agents.load("random", RULES)], 3, seed=1, max_rounds=1).payoffs.any()


@pytest.mark.parametrize(
    ("net", "told"),
    [
        (Tilted(A + 1), r"the module gives torch.float32 \(2, \d+\) for two rows; it is to take observation"),
        (Tilted(A, D - 1), r"the module does not take observation \(n, \d+\) and, if it likes, mask"),
        (Tilted().double(), r"the module does not take observation"),
        (torch.nn.Sequential(torch.nn.Linear(D, A), torch.nn.Threshold(1e9, float("nan"))), "not finite"),
    ],
    ids=["actions", "observations", "precision", "nan"],
)
def test_a_module_of_another_shape_is_refused(net, told, tmp_path):
    with pytest.raises(ExportError, match=told):
        export_module(net, RULES, tmp_path / "bot")
    assert not any(tmp_path.iterdir())


def linear_graph(names=("seen",), gives="worth", takes=D, actions=A, rows="n", bias=0.0):
    """Return an ONNX graph that multiplies the first of its inputs by a matrix, and that matrix."""
    weights = np.random.default_rng(5).normal(size=(takes, actions)).astype(np.float32)
    inputs = [helper.make_tensor_value_info(names[0], TensorProto.FLOAT, [rows, takes])]
    inputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, actions]) for name in names[1:]]
    added = names[1] if len(names) > 1 else "zero"
    wired = (("MatMul", [names[0], "w"], "product"), ("Add", ["product", "b"], "sum"), ("Add", ["sum", added], gives))
    nodes = [helper.make_node(kind, given, [made]) for kind, given, made in wired]
    constants = {"w": weights, "b": np.float32([bias]), "zero": np.float32([0])}
    kept = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    outputs = [helper.make_tensor_value_info(gives, TensorProto.FLOAT, [rows, actions])]
    graph = helper.make_graph(nodes, "linear", inputs, outputs, kept)
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString(), weights


def appended(node, *more):
    """Return a linear graph whose logits are given by `node`, and nodes before it, from its `sum`."""
    model = onnx.load_model_from_string(linear_graph()[0])
    model.graph.node[-1].output[:] = ["sum2"]
    model.graph.node.extend([*more, node])
    return model


def mixing_graph():
    """Return a graph that makes each row's logits of all rows."""
    mean = helper.make_node("ReduceMean", ["sum2", "over"], ["mean"], keepdims=1)
    model = appended(helper.make_node("Sub", ["sum2", "mean"], ["worth"]), mean)
    model.graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), "over"))
    return model.SerializeToString()


def drawing_graph(kind, inside=False, **settings):
    """Return a graph that adds some noise, which weighs next to nothing."""
    takes = [] if kind in ("RandomUniform", "RandomNormal") else ["sum2"]
    noise = helper.make_node(kind, takes, ["noise"], **settings)
    cast = helper.make_node("Cast", ["noise"], ["float noise"], to=TensorProto.FLOAT)
    nodes = [noise, cast]
    if inside:
        value = helper.make_tensor_value_info("float noise", TensorProto.FLOAT, None)
        branch = helper.make_graph(nodes, "branch", [], [value])
        other = helper.make_graph([helper.make_node("Identity", ["sum2"], ["as it was"])], "other", [],
                                  [helper.make_tensor_value_info("as it was", TensorProto.FLOAT, None)])  # fmt: skip
        nodes = [helper.make_node("If", ["never"], ["float noise 2"], then_branch=branch, else_branch=other)]
    small = helper.make_node("Mul", [nodes[-1].output[0], "nothing"], ["little"])
    model = appended(helper.make_node("Add", ["sum2", "little"], ["worth"]), *nodes, small)
    model.graph.initializer.append(numpy_helper.from_array(np.float32([1e-9]), "nothing"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([False]), "never"))
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("RandomNormal", {"shape": [1, A]}),
        ("RandomUniform", {"shape": [1, A], "seed": 1.0}),
        ("RandomNormalLike", {"seed": 1.0}),
        ("RandomUniformLike", {"inside": True}),
        ("Bernoulli", {"inside": True}),
        ("Multinomial", {"sample_size": A}),
    ],
)
def test_a_graph_that_draws_random_numbers_is_refused(kind, settings, bot):
    assert drawing_nodes(drawing_graph(kind, **settings)) == [kind]
    give_graph(bot, drawing_graph(kind, **settings))
    with pytest.raises(BotError, match="does not load"):
        agents.load(bot)


@pytest.mark.parametrize(("trains", "found"), [(None, []), (False, []), (True, ["Dropout"])])
def test_a_dropout_draws_only_where_it_trains(trains, found):
    said = [] if trains is None else ["sum2", "", "trains"]
    model = appended(helper.make_node("Dropout", said or ["sum2"], ["worth"]))
    if trains is not None:
        model.graph.initializer.append(numpy_helper.from_array(np.array(trains), "trains"))
    assert drawing_nodes(model.SerializeToString()) == found


class Rows(torch.nn.Module):
    """A policy with a fault in how it treats rows."""

    def __init__(self, fault):
        super().__init__()
        self.layer, self.fault = torch.nn.Linear(D, A), fault

    def forward(self, views):
        if self.fault == "unrolled":
            return torch.stack([self.layer(row) for row in views])
        if self.fault == "two":
            return self.layer(views.reshape(2, D))
        logits = self.layer(views)
        return logits - logits.mean(0) if self.fault == "mean" else logits + torch.rand(A)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            "unrolled",
            r"PyTorch fixed the number of rows of observation.*without a loop over them or a fixed batch size",
        ),
        ("two", r"it does not take a row alone: .*without a loop over them or a fixed batch size"),
        ("mean", r"its answer to a row alone differs by .* logits must follow from their own row"),
        ("random", r"its answer to a row alone differs by .*no random numbers"),
    ],
)
def test_a_module_answers_each_row_by_itself(fault, told, tmp_path):
    with pytest.raises(ExportError, match=told) as error:
        export_module(Rows(fault), GAME, tmp_path / "bot")
    assert "\n" not in str(error.value)
    assert "ONNXRuntimeError" not in str(error.value)
    assert not any(tmp_path.iterdir())


# Weights in a file beside the graph, as PyTorch writes them.


@pytest.fixture(scope="module")
def torch_export(tmp_path_factory):
    """A folder with what torch.onnx.export writes by default, and the module."""
    torch.manual_seed(4)
    net = torch.nn.Sequential(torch.nn.Linear(D, 64), torch.nn.ReLU(), torch.nn.Linear(64, A)).eval()
    folder, rows = tmp_path_factory.mktemp("torch"), ({0: torch.export.Dim("n")},)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net, (torch.zeros(2, D),), folder / "policy.onnx", dynamic_shapes=rows, dynamo=True, verbose=False
        )
    return folder, net


def test_external_weights_are_embedded(torch_export, tmp_path):
    folder, net = torch_export
    assert (folder / "policy.onnx.data").exists()
    export_graph(folder / "policy.onnx", GAME, tmp_path / "bot")
    assert {file.name for file in (tmp_path / "bot").iterdir()} == {GRAPH, MANIFEST}
    observations, masks = real_views(40)
    with torch.inference_mode():
        ours = net(torch.from_numpy(observations)).numpy()
    logits = agents.load(tmp_path / "bot").logits(observations, masks)
    np.testing.assert_allclose(logits[masks == 1], ours[masks == 1], atol=1e-5)


def _beside(path, change):
    """Change what the graph at `path` says of the places of its weights."""
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = change.get(entry.key, entry.value)
    path.write_bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"location": "../policy.onnx.data"}, "which is no name of a file beside it"),
        ({"location": "/dev/zero"}, "which is no name of a file beside it"),
        ({"location": ".."}, "which is no name of a file beside it"),
        ({"location": ""}, "which is no name of a file beside it"),
        ({"location": "none"}, r"cannot be read: No such file.* put that file beside it, or .*external_data=False"),
        ({"location": "pipe"}, "cannot be read: it is no regular file"),
        ({"location": "link"}, "cannot be read: it is a link"),
        ({"location": "huge"}, "cannot be read: it is larger than"),
        ({"offset": "-1"}, "cut short"),
        ({"offset": "x"}, "cannot be read: invalid literal"),
        ({"length": "99999999"}, "cut short"),
        ({"length": "4"}, "the graph cannot be played: "),
    ],
    ids=str,
)
def test_external_weights_lie_in_a_file_of_the_same_folder(change, told, torch_export, tmp_path):
    folder = shutil.copytree(torch_export[0], tmp_path / "theirs")
    shutil.copy(folder / "policy.onnx.data", tmp_path)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "policy.onnx.data")
    with (folder / "huge").open("wb") as file:
        file.truncate(2**40)
    _beside(folder / "policy.onnx", change)
    with pytest.raises(ExportError, match=told) as error:
        export_graph(folder / "policy.onnx", GAME, tmp_path / "bot")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "bot").exists()


# Masks and actions.


def test_a_graph_takes_int8_masks_and_names_its_actions(tiny_bot):
    manifest = json.loads((tiny_bot / MANIFEST).read_text())
    session = onnxruntime.InferenceSession(tiny_bot / GRAPH)
    types = {node.name: node.type for node in (*session.get_inputs(), *session.get_outputs())}
    said = {"float32": "tensor(float)", "int8": "tensor(int8)"}
    assert types == {name: said[dtype] for name, dtype in manifest["dtypes"].items()}
    assert manifest["dtypes"] == {"observation": "float32", "mask": "int8", "logits": "float32"}
    assert manifest["action_names"] == stored_names(RULES)
    digest = hashlib.sha256("\n".join(manifest["action_names"]).encode()).hexdigest()
    assert manifest["actions"] == digest[:16]
    seen = sobremesa.make_vec(GAME, 5).step(sobremesa.make_vec(GAME, 5).sample())
    (logits,) = session.run(["logits"], {"observation": seen.observations, "mask": seen.masks})
    assert (agents.load(tiny_bot).logits(seen.observations, seen.masks) == logits).all()


def test_names_of_other_actions_are_refused(bot):
    manifest = json.loads((bot / MANIFEST).read_text())
    manifest["action_names"][:2] = manifest["action_names"][1::-1]
    (bot / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BotError, match="action_names are not those whose digest is"):
        load_bot(bot)


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT8])
def test_a_float_mask_graph_equals_an_int8_one(kind, tiny_bot, bot):
    model = onnx.load(tiny_bot / GRAPH)
    cast = next(node for node in model.graph.node if "mask" in node.input)
    assert cast.op_type == "Cast"
    mask = next(one for one in model.graph.input if one.name == "mask")
    mask.type.tensor_type.elem_type = TensorProto.FLOAT
    give_graph(bot, model.SerializeToString())
    views = real_views(64)
    old, new = agents.load(bot), agents.load(tiny_bot)
    assert (old.logits(*views) == new.logits(*views)).all()
    assert (old.logits(views[0], views[1].astype(np.int8)) == new.logits(views[0], views[1] > 0)).all()
    mask.type.tensor_type.elem_type = kind
    again = onnx.load_model_from_string(take_int8_masks(model.SerializeToString()))
    given = next(one for one in again.graph.input if one.name == "mask")
    assert given.type.tensor_type.elem_type == TensorProto.INT8


@pytest.mark.parametrize(
    ("names", "gives"), [(["seen"], "worth"), (["observation"], "logits"), (["observation", "mask"], "logits")]
)
def test_any_graph_of_the_right_shape_becomes_a_bot(names, gives, tmp_path, capsys):
    graph, weights = linear_graph(names, gives)
    (tmp_path / "mine.onnx").write_bytes(graph)
    assert cli.main(["export", str(tmp_path / "mine.onnx"), "--game", GAME, "-o", str(tmp_path / "bot")]) == 0
    assert f"plays {GAME}" in capsys.readouterr().out
    bot = agents.load(tmp_path / "bot")
    assert bot.manifest["origin"] == "an ONNX graph"
    observations, masks = real_views(40)
    logits, ours = bot.logits(observations, masks), observations @ weights
    if len(names) == 1:
        assert (logits[masks == 0] <= -1e7).all()
        np.testing.assert_allclose(logits[masks == 1], ours[masks == 1], atol=1e-3)
    else:
        np.testing.assert_allclose(logits, ours + masks, atol=1e-3)


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        (linear_graph(takes=D - 1)[0], r"takes \{'seen': \['n', \d+\]\} and gives .* it is to take observation"),
        (linear_graph(actions=A + 1)[0], "it is to take observation"),
        (linear_graph(["seen", "allowed"])[0], "by these names, or the observation alone"),
        (linear_graph(bias=float("nan"))[0], "not all finite"),
        (linear_graph(["observation", "mask"], "logits", rows=1)[0], "takes 1 rows and no other number; export it for"),
        (linear_graph(rows=64)[0], "takes 64 rows and no other number; export it for any number of rows"),
        (mixing_graph(), "answer to a row alone differs by .* logits must follow from their own row"),
        (drawing_graph("RandomUniformLike"), r"it draws random numbers of its own \(RandomUniformLike\)"),
        (b"nonsense", "not an ONNX graph"),
        (b"", "it is to take observation"),
    ],
    ids=["observation", "actions", "names", "nan", "one row", "64 rows", "mixing", "drawing", "nonsense", "empty"],
)
def test_a_graph_of_another_shape_is_refused(graph, told, tmp_path):
    (tmp_path / "mine.onnx").write_bytes(graph)
    with pytest.raises(ExportError, match=told) as error:
        export_graph(tmp_path / "mine.onnx", GAME, tmp_path / "bot")
    assert "\n" not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.onnx"]


def test_a_run_names_its_own_game(tiny_run, tmp_path, capsys):
    assert cli.main(["export", str(tiny_run), "--game", GAME, "-o", str(tmp_path / "bot")]) == 2
    assert "--game needs an ONNX file" in capsys.readouterr().err


def test_a_run_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no run there"):
        export(tmp_path / "none", tmp_path / "bot")
    assert not any(tmp_path.iterdir())
