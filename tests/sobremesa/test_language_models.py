"""Language models on the command line: results, cost, transcripts, errors, and the key that appears nowhere."""

import itertools
import json
from pathlib import Path

import pytest
from command_line import sobremesa
from endpoint import KEY, first, serving, status

from sobremesa.agents.language import endpoint
from sobremesa.agents.language.endpoint import TRIES

TORO = ("ese_toro_enamorado", "--setup", "board=small", "max_rounds=1")
PRICES = "prompt_price=0.5&completion_price=2"


@pytest.fixture(autouse=True)
def _quick(monkeypatch, tmp_path):
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def command(capsys):
    """A function that runs a command and returns its exit code, output, and last line of errors."""

    def run(*words):
        code, shown = sobremesa(*words), capsys.readouterr()
        assert KEY not in shown.out + shown.err
        return code, shown.out, shown.err.splitlines()[-1] if shown.err else ""

    return run


@pytest.fixture
def server(tmp_path):
    with serving() as running:
        yield running
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def read(name):
    """Return the JSON file `name`."""
    return json.loads(Path(name).read_text(encoding="utf-8"))


def sometimes_silent(every=40):
    """Return a brain that plays nothing at some decisions, which forfeits the deal."""
    counts = itertools.count()
    return lambda body: "I wait." if next(counts) % every < 3 else first(body)


def assert_entry(one, server, episodes):
    """Assert that an entry of `models` has the tokens, the cost and the forfeits of `episodes`."""
    assert one["episodes"] == episodes
    assert one["tokens"]["prompt"] * episodes == pytest.approx(100 * len(server.bodies))
    assert one["total_cost"] == pytest.approx(len(server.bodies) * (100 * 0.5 + 10 * 2) / 1e6)
    assert one["cost"] == pytest.approx(one["total_cost"] / episodes)
    assert sum(one["forfeits"].values()) == pytest.approx(one["forfeited"])
    assert one["strength"]["all"]["mean"] <= one["strength"]["legal"]["mean"]


def test_arena_reports_strength_and_legality_apart(server, command):
    server.brain = sometimes_silent()
    words = ("random", server.spec(f"{PRICES}&concurrency=1"), "--deals", 6, "--seed", 1, "--secret", "0" * 32)
    code, out, _ = command("arena", *TORO[:1], *words, *TORO[1:], "--out", "t", "--json", "t.json")
    assert code == 0
    found = read("t.json")
    (one,) = found["models"]
    assert_entry(one, server, 12)
    assert 0 < one["forfeited"] < 1
    assert set(one["forfeits"]) == {"no action"}
    assert (
        one["ratings"]["all"][0]["rating"] == next(r for r in found["ratings"] if r["agent"] == one["agent"])["rating"]
    )
    assert one["ratings"]["legal"][0]["rating"] > one["ratings"]["all"][0]["rating"]
    for text in (
        "  mean win rate  mean win rate without forfeits",
        "  fitted rating without forfeits",
        "A win rate is the mean over its deals",
        "total cost",
        f"{one['forfeited']:.1%} no action",
    ):
        assert text in out


def test_an_arena_whose_anchor_forfeits_all_deals_has_results(server, command):
    server.brain = lambda body: "I wait." if body["model"] == "mute" else first(body)
    words = (server.spec(model="mute"), server.spec(), "simple", *TORO[1:], "--deals", 1, "--json", "t.json")
    assert command("arena", *TORO[:1], *words)[0] == 0
    found = read("t.json")
    mute, tiny = found["models"]
    assert found["anchor"] == mute["agent"]
    assert (mute["forfeited"], mute["strength"]["legal"], mute["ratings"]["legal"]) == (1, None, [])
    assert (tiny["forfeited"], tiny["ratings"]["legal"]) == (0, [])
    assert tiny["strength"]["legal"]["mean"] != tiny["strength"]["all"]["mean"]


def test_an_arena_whose_endpoint_fails_says_how_to_resume(server, command):
    server.brain = lambda _: status(503)
    spec = server.spec()
    code, _, error = command("arena", *TORO[:1], "random", spec, *TORO[1:], "--deals", 2, "--out", "t")
    assert code == 2
    assert "status 503" in error
    assert "(to retry: sobremesa arena --resume t --allow-commands)" in error
    assert len(server.bodies) >= 3 * TRIES
    server.brain = first
    code, _, error = command("arena", "--resume", "t")
    assert (code, f"t would contact {spec!r}" in error) == (2, True)
    assert command("arena", "--resume", "t", "--allow-commands")[0] == 0


def test_rate_keeps_its_deals_and_goes_on(server, command):
    words = (*TORO[:1], server.spec(PRICES), "--against", "random", *TORO[1:], "--deals", 6, "--secret", "0" * 32)
    code, out, _ = command("rate", *words, "--json", "r.json")
    assert code == 0
    assert f"the same command with --secret {'0' * 32} goes on there" in out
    (one,) = read("r.json")["models"]
    assert one["against"] == ["random"]
    assert_entry(one, server, 12)
    number = len(server.bodies)
    assert command("rate", *words, "--processes", 2)[0] == 0
    assert len(server.bodies) == number


def test_ladder_places_a_model(server, command):
    server.brain = sometimes_silent()
    words = (*TORO[:1], server.spec(PRICES), *TORO[1:], "--deals", 2, "--secret", "0" * 32)
    code, out, _ = command("ladder", *words, "--json", "l.json", "-o", "l.html")
    assert code == 0
    found = read("l.json")
    (one,) = found["models"]
    assert one["episodes"] == 12
    assert one["forfeited"] > 0
    assert found["forfeits"][0]["kind"] == "no action"
    assert "tiny" in [rung["agent"] for rung in found["rungs"]]
    assert "rating without forfeits" in out


def test_a_folder_with_other_agents_is_not_continued(server, command):
    words = ("kuhn_poker", "simple", "--against", "random", "--deals", 2, "--processes", 2)
    assert command("rate", *words)[0] == 0
    (folder,) = Path("runs").iterdir()
    schedule = read(folder / "arena.json")
    schedule["specs"][schedule["specs"].index("simple")] = server.spec()
    (folder / "arena.json").write_text(json.dumps(schedule), encoding="utf-8")
    for rows in folder.glob("rows-*"):
        rows.unlink()
    code, _, error = command("rate", *words)
    assert (code, f"{folder}: its schedule is another one; remove the folder" in error) == (2, True), error
    assert server.bodies == []


def test_a_team_of_models_has_its_success(server, command):
    server.brain = sometimes_silent(10_000)
    words = ("bandido_alcatraz", server.spec("concurrency=1"), "--deals", 2, "--out", "t", "--json", "t.json")
    code, out, _ = command("arena", *words)
    assert code == 0
    (one,) = read("t.json")["models"]
    assert (one["forfeited"], one["cost"], one["ratings"]) == (0.5, None, {})
    assert "success without forfeits" in out


def test_watch_writes_a_transcript_beside_the_replay(server, tmp_path, command):
    words = (*TORO[:1], server.spec(), "simple", *TORO[1:], "--seed", 3)
    code, out, _ = command("watch", *words, "--out", "deal.json")
    assert (code, "deal.jsonl: transcripts" in out) == (0, True)
    deal, system, *decisions, end = map(json.loads, (tmp_path / "deal.jsonl").read_text("utf-8").splitlines())
    assert (deal["seed"], deal["agents"], system["seat"]) == (3, ["tiny", "simple"], 0)
    assert [one["decision"] for one in decisions] == [*range(1, len(server.bodies) + 1)]
    assert command("watch", "deal.json")[0] == 0
    assert len(end["payoffs"]) == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("exploit", "SPEC", "--game", "ese_toro_enamorado"), "too slow to exploit"),
        (("check", "ese_toro_enamorado", "--agent", "SPEC"), "needs the history"),
        (("analyse", "ese_toro_enamorado", "SPEC"), "needs the history"),
        (("watch", "ese_toro_enamorado", "search(SPEC)", "simple"), "needs the history"),
        (("arena", "ese_toro_enamorado", "random", "SPEC", "--cluster", "auto"), "not allowed on a cluster"),
        (("train", "ese_toro_enamorado", "--evaluate-against", "SPEC", "--out", "run"), "too slow to train with"),
        (("watch", "ese_toro_enamorado", "SPEC?key=1", "simple"), "unknown field `key`"),
    ],
)
def test_a_model_is_refused_in_one_line(words, why, server, command):
    code, _, error = command(*(word.replace("SPEC", server.spec()) for word in words))
    assert (code, why in error) == (2, True), error
    assert error.isprintable()
    assert server.bodies == []


@pytest.mark.parametrize(
    ("brain", "why", "answers"),
    [(lambda _: "I wait.", "no action: I wait.", 3), (lambda _: status(401), "status 401", 0)],
)
def test_watch_writes_the_transcript_of_a_deal_that_fails(brain, why, answers, server, command):
    server.brain = brain
    words = (*TORO[:1], server.spec(), "simple", *TORO[1:], "--seed", 3)
    code, out, _ = command("watch", *words, "--out", "deal.json")
    assert (code, "deal.jsonl: transcripts" in out) == (2, True)
    deal, _, decision, end = map(json.loads, Path("deal.jsonl").read_text("utf-8").splitlines())
    assert (deal["setup"]["board"], deal["agents"]) == ("small", ["tiny", "simple"])
    assert len(decision["answers"]) == answers
    assert why in end["failure"]
    assert not Path("deal.json").exists()


def test_a_fault_ends_a_single_deal_with_its_reason(server, command):
    server.brain = lambda _: "\x1b[31mI wait."
    code, _, error = command("watch", *TORO[:1], server.spec(), "simple", *TORO[1:], "--seed", 3)
    assert (code, "tiny, seat 0: no action: " in error) == (2, True)
