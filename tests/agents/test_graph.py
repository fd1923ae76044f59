"""Unknown ONNX graphs: outputs are checked, and time and memory are limited."""

import hashlib
import json
import shutil
import time
import types

import numpy as np
import onnx
import onnxruntime
import pytest
from foreigners import wait_until
from onnx import TensorProto, helper, numpy_helper
from rooms import TORO
from runs import GAME

from sobremesa import agents, cli
from sobremesa.agents.arena.play import play
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.exported import GRAPH, MANIFEST, BotError
from sobremesa.agents.networks import runtime as graphs
from sobremesa.agents.networks.onnx_file import drawing_nodes, outside_weights
from sobremesa.envs.core.chance import STREAM

D, A = TORO.layout.size, TORO.num_actions
VERY_MUCH = 10**10  # rows


def model(*nodes, **constants):
    """Return an ONNX graph of `nodes` that takes and gives what a bot of Toro does."""
    takes = [helper.make_tensor_value_info(*one) for one in (("observation", 1, ["n", D]), ("mask", 1, ["n", A]))]
    gives = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", A])]
    weights = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(list(nodes), "policy", takes, gives, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()


def endless():
    """Return a node that copies the mask for ever."""
    takes = [("i", TensorProto.INT64, []), ("yes_in", TensorProto.BOOL, []), ("in", TensorProto.FLOAT, ["n", A])]
    gives = [("yes_out", TensorProto.BOOL, []), ("out", TensorProto.FLOAT, ["n", A])]
    nodes = [helper.make_node("Identity", ["yes_in"], ["yes_out"]), helper.make_node("Identity", ["in"], ["out"])]
    body = helper.make_graph(nodes, "body", *[[helper.make_tensor_value_info(*one) for one in part]
                                              for part in (takes, gives)])  # fmt: skip
    return helper.make_node("Loop", ["", "yes", "mask"], ["logits"], body=body)


def only_when_many(node, **constants):
    """Return a graph that runs `node` in calls of many rows alone, as in no trial; else it copies the mask."""
    branches = []
    for one in (node, helper.make_node("Identity", ["mask"], ["logits"])):
        one.output[0] = f"{one.op_type} of them"
        value = helper.make_tensor_value_info(one.output[0], TensorProto.FLOAT, None)
        branches.append(helper.make_graph([one], one.op_type, [], [value]))
    nodes = [
        helper.make_node("Shape", ["mask"], ["rows"], end=1),
        helper.make_node("Greater", ["rows", "many"], ["is_many"]),
        helper.make_node("If", ["is_many"], ["logits"], then_branch=branches[0], else_branch=branches[1]),
    ]
    return model(*nodes, many=np.array([1_000]), **constants)


@pytest.fixture
def made(tiny_bot, tmp_path):
    """A function that returns the folder of a bot with another graph."""

    def make(graph):
        folder = shutil.copytree(tiny_bot, tmp_path / "bot")
        (folder / GRAPH).write_bytes(graph)
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps(manifest | {"sha256": hashlib.sha256(graph).hexdigest()}))
        return folder

    return make


def views(count):
    return np.zeros((count, D), np.float32), np.ones((count, A), np.int8), np.zeros(count, STREAM)


WRONG = {
    "a row too many": (
        [helper.make_node("Concat", ["mask", "more"], ["logits"], axis=0)],
        {"more": np.zeros((1, A), np.float32)}, rf"gave logits as float32 \(4, {A}\), not as float32 \(3, {A}\)",
    ),
    "a row too few": (
        [helper.make_node("Slice", ["mask", "from", "to"], ["logits"])],
        {"from": np.array([1]), "to": np.array([9999])}, rf"gave logits as float32 \(2, {A}\)",
    ),
    "an action too many": (
        [helper.make_node("Concat", ["mask", "mask"], ["logits"], axis=1)], {}, "takes and gives .*; a bot for",
    ),
    "no numbers": (
        [helper.make_node("Div", ["mask", "nothing"], ["logits"])], {"nothing": np.float32(0)},
        "gave logits that are not all finite numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_a_graph_gives_is_checked_before_it_is_used(what, made):
    nodes, constants, told = WRONG[what]
    with pytest.raises(BotError, match=told):
        agents.load(made(model(*nodes, **constants))).act_batch(*views(3))


def test_where_an_action_is_not_allowed_a_logit_may_be_anything(made):
    bot = agents.load(made(model(helper.make_node("Log", ["mask"], ["logits"]))))
    observations, masks, streams = views(2)
    masks[:, 1:] = 0
    assert bot.act_batch(observations, masks, streams).tolist() == [0, 0]


def test_a_graph_that_does_not_load_or_run_is_told_in_a_line(made, capsys, tmp_path):
    for graph in (model(helper.make_node("Boom\x1b[2J", ["mask"], ["logits"])), b"x" * 999):
        shutil.rmtree(tmp_path / "bot", ignore_errors=True)
        assert cli.main(["rate", GAME, str(made(graph))]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "policy.onnx does not load: " in err
        assert err.count("\n") == 1
        assert err.strip().isprintable()
        assert len(err) < 1_000


def test_a_graph_that_loops_for_ever_is_not_waited_for(made, monkeypatch):
    monkeypatch.setattr(graphs, "TRIAL_SECONDS", 3.0)
    folder = made(model(endless(), yes=np.array(True)))
    began = time.monotonic()
    with pytest.raises(BotError, match=r"in the sandbox it used more than 3 s of processor time"):
        agents.load(folder)
    assert time.monotonic() - began < 120  # not for ever, on however busy a machine


def test_a_graph_that_loops_later_on_is_ended_with_the_reason(made, monkeypatch):
    bot = agents.load(made(only_when_many(endless(), yes=np.array(True))))
    assert len(bot.act_batch(*views(100))) == 100
    monkeypatch.setattr(graphs, "RUN_SECONDS", 0.3)
    with pytest.raises(BotError, match=r"policy\.onnx failed: it used more than \d+ s of processor time"):
        bot.act_batch(*views(2_000))
    assert len(bot.act_batch(*views(2))) == 2


def test_a_graph_is_charged_processor_time_of_a_tick_at_most(monkeypatch):
    monkeypatch.setattr(graphs, "RUN_SECONDS", 1.0)
    watch, clock, ticks = graphs._Watch(), [0.0], []
    tick = types.SimpleNamespace(sleep=lambda _: ticks.append(time.sleep(0.001)), process_time=lambda: clock[0])
    monkeypatch.setattr(graphs, "time", tick)
    with watch.over() as options:
        assert wait_until(lambda: len(ticks) > 100)  # it waits for the processor
        clock[0] += 1e6  # the clocks of some systems go on while the machine sleeps
        seen = len(ticks)
        assert wait_until(lambda: len(ticks) > seen + 100)
        assert not options.terminate
        for _ in range(4):
            seen = len(ticks)
            clock[0] += 2 * graphs._TICK
            assert wait_until(lambda seen=seen: len(ticks) > seen + 1)
        assert wait_until(lambda: options.terminate)


def test_a_sandbox_that_starts_slowly_gets_the_whole_graph(made, monkeypatch, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(f"import runpy, time\ntime.sleep({4 * graphs._TICK})\n"
                    f"runpy.run_path({graphs.sandbox.__file__!r}, run_name='__main__')\n")  # fmt: skip
    monkeypatch.setattr(graphs.sandbox, "__file__", str(slow))
    graph = model(helper.make_node("Identity", ["mask"], ["logits"]), unused=np.arange(75_000, dtype=np.float32))
    assert len(graph) > 300_000
    assert len(agents.load(made(graph)).act_batch(*views(2))) == 2


def test_a_sandbox_that_never_answers_is_not_waited_for(made, monkeypatch, tmp_path):
    sleeps = tmp_path / "sleeps.py"
    sleeps.write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(graphs.sandbox, "__file__", str(sleeps))
    monkeypatch.setattr(graphs, "TRIAL_SECONDS", 0.05)
    graph = model(helper.make_node("Identity", ["mask"], ["logits"]), unused=np.float32(2))
    with pytest.raises(BotError, match=r"does not load: in the sandbox it was not done within 1 s"):
        agents.load(made(graph))


def test_a_graph_that_allocates_gigabytes_is_refused(made):
    nodes = [helper.make_node("Expand", ["mask", "shape"], ["much"]),
             helper.make_node("ReduceMax", ["much", "axes"], ["logits"], keepdims=0)]  # fmt: skip
    with pytest.raises(BotError, match=r"does not load: it asked for more than \d+ GiB"):
        agents.load(made(model(*nodes, shape=np.array([VERY_MUCH, 1, A]), axes=np.array([0]))))


def test_a_later_allocation_of_gigabytes_is_stopped(made):
    node = helper.make_node("Expand", ["mask", "shape"], ["logits"])
    bot = agents.load(made(only_when_many(node, shape=np.array([10**7, 1, 1]))))
    with pytest.raises(BotError, match=r"policy\.onnx failed: it asked for more than \d+ GiB"):
        bot.act_batch(*views(2_000))


def test_what_brings_a_process_down_does_not_bring_down_this_one(made, monkeypatch, tmp_path):
    dies = tmp_path / "dies.py"
    dies.write_text("import os\nos.kill(os.getpid(), 11)\n")
    monkeypatch.setattr(graphs.sandbox, "__file__", str(dies))
    with pytest.raises(BotError, match=r"does not load: in the sandbox it ended the process by signal 11$"):
        agents.load(made(model(helper.make_node("Identity", ["mask"], ["logits"]), unused=np.float32(1))))


def test_the_sandbox_runs_once_and_not_for_library_bots(made, monkeypatch):
    folder = made(model(helper.make_node("Identity", ["mask"], ["logits"])))
    rows = play(TORO, [agents.load(folder), RANDOM], 2, board="small", max_rounds=1)
    assert not rows.lost()
    monkeypatch.setattr(graphs.subprocess, "Popen", None)
    agents.load(folder)
    agents.load("trained", TORO)


def test_a_graph_of_any_size_is_not_read(made, monkeypatch):
    from sobremesa.agents import exported

    folder = made(onnx.ModelProto().SerializeToString() + b" " * 99)
    monkeypatch.setattr(exported, "LARGEST_GRAPH", 50)
    with pytest.raises(BotError, match="it is larger than the 50 bytes allowed"):
        agents.load(folder)


def field(number, content, tag=b""):
    """Return a field of protobuf, whose tag may be written in more bytes than it takes."""
    return (tag or bytes([number << 3 | 2])) + len(content).to_bytes(1, "little") + content


def outside_graph(tag=b""):
    """Return a graph of logits that lie in the file weights.bin."""
    graph = onnx.load_model_from_string(model(helper.make_node("Add", ["mask", "w"], ["logits"])))
    weights = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[A], data_location=TensorProto.EXTERNAL)
    said = field(13, field(1, b"location", tag) + field(2, b"weights.bin"))
    content = graph.graph.SerializeToString() + field(5, weights.SerializeToString() + said)
    graph.ClearField("graph")
    size = bytes([len(content) & 0x7F | 0x80, len(content) >> 7])
    return graph.SerializeToString() + b"\x3a" + size + content


@pytest.mark.parametrize("tag", [b"", b"\x8a\x00", b"\x8a\x80\x00"])
def test_weights_outside_are_found_however_they_are_written(tag, made, monkeypatch):
    folder = made(outside_graph(tag))
    np.ones(A, np.float32).tofile(folder / "weights.bin")
    monkeypatch.chdir(folder)  # where onnxruntime would find them
    monkeypatch.setattr(graphs, "_tried", None)  # not even a trial reads them
    with pytest.raises(BotError, match="keeps weights outside the graph, which is refused"):
        agents.load(folder)


def test_weights_outside_are_found_in_attributes():
    inside = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[A], data_location=TensorProto.EXTERNAL)
    constant = helper.make_node("Constant", [], ["c"], value=inside)
    body = helper.make_graph([constant], "body", [], [])
    branches = {"then_branch": body, "else_branch": body}
    assert outside_weights(model(constant)) == ["w"]
    assert outside_weights(model(helper.make_node("If", ["yes"], ["logits"], **branches))) == ["w", "w"]
    assert outside_weights(model(helper.make_node("Identity", ["mask"], ["logits"]), w=np.float32([1]))) == []


@pytest.mark.parametrize("again", ["weight", "constant"])
def test_a_dropout_draws_where_a_second_weight_makes_it_train(again):
    node = helper.make_node("Dropout", ["mask", "", "trains"], ["logits"])
    graph = onnx.load_model_from_string(model(node, trains=np.array(False)))
    assert drawing_nodes(graph.SerializeToString()) == []
    true = numpy_helper.from_array(np.array(True), "trains")
    if again == "weight":
        graph.graph.initializer.append(true)
    else:
        graph.graph.node.insert(0, helper.make_node("Constant", [], ["trains"], value=true))
    assert drawing_nodes(graph.SerializeToString()) == ["Dropout"]


def test_a_graph_in_a_format_that_is_not_read_here_is_not_loaded(tmp_path):
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "policy.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")
    graph = model(helper.make_node("RandomNormalLike", ["mask"], ["logits"]))
    onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    content = (tmp_path / "policy.ort").read_bytes()
    assert "protobuf parsing failed" in graphs._tried(content)
    with pytest.raises(BotError, match="protobuf parsing failed"):
        graphs._open(onnxruntime, "it", content)
