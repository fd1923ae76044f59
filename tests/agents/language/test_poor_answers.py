"""Language models that answer poorly, and endpoints that take no other messages than every endpoint takes."""

import json
import random

import pytest
from endpoint import KEY, completion, first, serving, status
from foreigners import SHORT
from rooms import TORO

from sobremesa import agents
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.language import endpoint
from sobremesa.report import forfeits, models


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)


@pytest.fixture
def server():
    with serving() as running:
        yield running


POOR = (
    "", "  \n\t ", "\u200b\ufeff\u0007", None, "Hm. ", "</s>", "<think>",
    {"text": "", "finish": "length"}, {"text": "ACTION:", "finish": "length"},
    {"text": None, "finish": "content_filter"},
    {"text": "", "reasoning_content": "ACTION: pass"}, {"text": None, "reasoning": "I think."},
    {"text": None, "refusal": "I cannot."}, {"text": None, "finish": "tool_calls", "tool_calls": []},
    {"text": None, "finish": "tool_calls", "tool_calls": [{"function": {"name": "act", "arguments": "{}"}}]},
    {"text": [{"type": "thinking", "thinking": "Hm."}]},
)  # fmt: skip


class Strict:
    """The brain of an endpoint that takes only messages that every endpoint takes, and answers poorly at times."""

    def __init__(self, roles):
        self.roles, self.lot, self.faults = roles, random.Random(1), []

    def __call__(self, body):
        found = [one["role"] for one in body["messages"]]
        empty = [one for one in body["messages"] if one["content"] != one["content"].strip() or not one["content"]]
        blank = [one for one in body["messages"] if not any(map(str.isprintable, one["content"]))]
        whole = all(set(one) == {"role", "content"} and isinstance(one["content"], str) for one in body["messages"])
        usual = [*self.roles, *["assistant", "user"] * len(found)][: len(found)]
        if empty or blank or not whole or found != usual or found[-1] != "user":
            self.faults.append(body["messages"])
            return status(400, {"error": {"message": "messages.2: content must not be empty"}})
        poor = self.lot.choice(POOR)
        if self.lot.random() < 0.4:
            return first(body)
        return completion(**poor) if isinstance(poor, dict) else completion(poor)


@pytest.mark.parametrize(
    ("option", "roles"),
    [("", ["system", "user"]), ("system_role=developer", ["developer", "user"]), ("system_role=user", ["user"])],
)
def test_messages_are_such_as_every_endpoint_takes(option, roles, server, tmp_path):
    server.brain = Strict(roles)
    tournament.begin(tmp_path / "t", plan(TORO, [server.spec(option), "random"], deals=20, seed=1, **SHORT))
    tournament.play(tmp_path / "t", allow_commands=True)
    (rows,) = tournament.read(tmp_path / "t")
    assert server.brain.faults == []
    assert 0 < len(rows.lost()) < len(rows.seeds)
    lines = transcripts(tmp_path / "t")
    answers = [one for line in lines for one in line.get("answers", ())]
    assert {one.get("reasoning") for one in answers} == {None, "ACTION: pass", "I think.", "Hm."}
    assert {one["finish_reason"] for one in answers} == {"stop", "length", "content_filter", "tool_calls"}
    assert {one["url"] for line in lines if "system" in (one := line)} == {server.url}
    assert all(one["request"] == {"model": "tiny", "max_tokens": 8192} for one in answers)
    assert all(0 < one["seconds"] < 60 for one in answers)
    assert {one["model"] for one in answers} == {""}


def transcripts(folder):
    """Return the lines of all transcripts in the folder of a tournament."""
    files = sorted((folder / tournament.TRANSCRIPTS).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_a_prompt_that_is_too_long_forfeits_the_deal_only(server, tmp_path):
    def brain(body):
        if len(body["messages"][1]["content"]) > 3000 or len(body["messages"]) > 2:
            return status(400, {"error": {"message": "too many tokens", "code": "context_length_exceeded"}})
        return first(body) if lot.random() < 0.95 else "Hm."

    lot, server.brain = random.Random(3), brain
    spec = server.spec("history=true&concurrency=1")
    tournament.begin(tmp_path / "t", plan(TORO, [spec, "random"], deals=6, seed=1))
    tournament.play(tmp_path / "t", allow_commands=True)
    (rows,) = tournament.read(tmp_path / "t")
    name = next(one for one in rows.agents if one.startswith("tiny"))
    (entry,) = models.found(TORO, [rows], {name: agents.load(spec)})
    assert 0 < entry["forfeits"]["prompt too long"] == entry["forfeited"]
    (kind,) = forfeits.found([rows])
    assert kind["kind"] == "prompt too long"
    assert "status 400" in kind["first"]
    assert "(decision " in kind["first"]
    ends = [line["forfeit"] for line in transcripts(tmp_path / "t") if "forfeit" in line]
    assert sum("prompt too long" in one for one in ends) == len(rows.lost())
    requests = len(server.bodies)
    tournament.play(tmp_path / "t", allow_commands=True)
    assert len(server.bodies) == requests  # nothing is left to repeat
