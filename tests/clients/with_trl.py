"""TRL: GRPOTrainer with our environment, and the example that trains a tiny model on the processor."""

import inspect
import os
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"  # environments warn that they are an experimental feature

import torch
from transformers.utils import get_json_schema
from trl import GRPOTrainer

from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.trl import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import train_tiny_model

STEPS = 4


def the_tool_has_a_schema():
    schema = get_json_schema(partial(Table, Deals("kuhn_poker"))().play)["function"]
    assert schema["name"] == "play"
    assert schema["parameters"]["required"] == ["decision", "answer"]
    assert schema["parameters"]["properties"]["decision"]["type"] == "integer"
    public = [name for name, _ in inspect.getmembers(Table, inspect.isfunction) if name[0] != "_"]
    assert public == ["get_reward", "play", "reset"]


def gradients_flow():
    before, deals = {}, []
    reset, make = Table.reset, train_tiny_model.make_model

    def made(tokenizer):
        model = make(tokenizer)
        before.update({name: value.detach().clone() for name, value in model.named_parameters()})
        return model

    def noted(self, seed, **row):
        deals.append(seed)
        return reset(self, seed, **row)

    train_tiny_model.make_model, Table.reset = made, noted
    with tempfile.TemporaryDirectory() as folder:
        trainer, log = train_tiny_model.train(STEPS, group=8, groups=2, folder=folder)
    assert len(log) == STEPS
    for entry in log:
        assert torch.isfinite(torch.tensor([entry["loss"], entry["grad_norm"]])).all()
        assert entry["rewards/OneCall/mean"] == entry["reward"]
        assert entry["tools/call_frequency"] >= 1
    assert max(entry["grad_norm"] for entry in log) > 0
    after = dict(trainer.model.named_parameters())
    changed = [name for name, value in before.items() if not torch.equal(value, after[name])]
    assert changed == list(before), "all parameters change"
    assert all(torch.isfinite(value).all() for value in after.values())
    seeds = deals[1:]  # the first is for the vocabulary
    groups = [set(seeds[start : start + 8]) for start in range(0, len(seeds), 8)]
    assert len(groups) == 2 * STEPS
    assert all(len(group) == 1 for group in groups), "a group shares a deal"
    print(f"{STEPS} updates changed all {len(changed)} parameters; {len(groups)} groups of 8 shared their deals")


def a_second_call_of_one_turn_is_refused():
    """Give the trainer's own loop, without its model, an answer with two calls."""
    table = Table(Deals("leduc_poker", "random"))
    number = int(table.reset(1).rsplit(maxsplit=1)[-1])
    calls = [{"decision": number, "answer": "call"}, {"decision": number, "answer": "raise"}]
    calls = [{"type": "function", "function": {"name": "play", "arguments": one}} for one in calls]
    loop = SimpleNamespace(
        max_tool_calling_iterations=1, _sync_tool_dicts=[{"play": table.play}], _async_tool_dicts=[{}]
    )
    said = [[{"role": "assistant", "tool_calls": calls}]]
    with suppress(AttributeError):  # after the calls it asks the model
        GRPOTrainer._tool_call_loop(loop, [[]], [[]], [[1]], said, None, None, {})
    results = [one["content"] for one in said[0] if one["role"] == "tool"]
    assert len(results) == 2
    assert "not played: " in results[1]
    assert sum(len(one.answers) for one in table._calls.episode.decisions) == 1
    print("the second call of one turn was refused")


if __name__ == "__main__":
    the_tool_has_a_schema()
    a_second_call_of_one_turn_is_refused()
    gradients_flow()
