"""Cooperative games: scores, training and shaping of teams."""

import io
import json
import re

import numpy as np
import pytest
from plank import TEAM
from rooms import TORO
from runs import tiny, train_tiny

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.pairings import compare, copies
from sobremesa.agents.arena.score import read_score, team_score
from sobremesa.envs.bandido_alcatraz import raw_env
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.data.opponents import LEARNER, OpponentPool, Snapshot
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.tables import Tables
from sobremesa.training.responses import response_config
from sobremesa.training.runs.evaluation import evaluate

BANDIDO = envs.load("bandido_alcatraz")
SETUP = {"seats": [1, 2, 4], "early_stop": True}
TEAM_FLAGS = {"game": BANDIDO.name, "setup": SETUP, "evaluate_against": ["random", "simple"]}


def test_a_team_is_scored_beside_another_on_the_same_deals():
    one, other = agents.load("random", TEAM), agents.load("random", TEAM)
    score = compare(TEAM, one, other, 50, seed=3, seats=3)
    rows = copies(TEAM, one, 50, seed=3, seats=3)
    assert score.value == pytest.approx(float(rows.payoffs[:, 0].mean()))
    assert score.low <= score.value <= score.high
    assert (score.lead, score.lead_low, score.lead_high) == (
        0,
        pytest.approx(-0.07, abs=0.02),
        pytest.approx(0.07, abs=0.02),
    )
    assert not score.beats


def test_a_lead_is_the_mean_difference_over_deals():
    rows = copies(TEAM, agents.load("random", TEAM), 4, seats=2)
    mine, theirs = (rows._replace(payoffs=np.array([paid] * 2, np.float32).T) for paid in ([1, 1, 0, 1], [0, 1, 0, 0]))
    score = team_score(mine, theirs)
    assert (score.value, score.baseline, score.lead) == (0.75, 0.25, 0.5)
    assert team_score(mine, theirs._replace(payoffs=0 * mine.payoffs)).lead == 0.75
    with pytest.raises(ValueError, match="did not have the same deals"):
        team_score(mine, theirs._replace(seeds=theirs.seeds + 1))


def test_seats_and_teams_are_not_mistaken_for_each_other():
    one = agents.load("random", TORO)
    assert compare(TORO, one, one, 5, max_rounds=1).baseline == 1 / TORO.default_seats
    assert compare(TEAM, one, one, 5).by_seat == ()
    with pytest.raises(ConfigError, match="is cooperative; choose a competitive game"):
        response_config(BANDIDO, "random", {})


def test_evaluations_play_the_teams_of_references_once(monkeypatch):
    config, known = tiny(**TEAM_FLAGS), {}
    one = agents.load("simple", BANDIDO)
    scores = evaluate(config, BANDIDO, one, known)
    assert [(score.seats, score.reference) for score in scores] == [
        (seats, name) for seats in (1, 2, 4) for name in ("random", "simple")
    ]
    assert sorted(known) == sorted({(score.seats, score.reference, "") for score in scores})
    monkeypatch.setattr(
        "sobremesa.agents.arena.pairings.copies", lambda game, agent, *_, **__: known_rows(agent, known)
    )
    assert evaluate(config, BANDIDO, one, known)[-1].candidate == "simple"
    entry = {"scores": json.loads(json.dumps([score._asdict() for score in scores]))}
    assert [read_score(one) for one in entry["scores"]] == scores


def known_rows(agent, known):
    assert agent.name == "simple", "only the candidate plays again"
    return known[4, "simple", ""]


def tables_of(**changes):
    config = tiny(**{**TEAM_FLAGS, "opponents": {"self": 0.5, "random": 0.5}, "tables": 6, **changes})
    return Tables(config, BANDIDO, OpponentPool(config, BANDIDO)), RolloutBuffer(BANDIDO, 6, 40)


def look(codes, masks, memory):
    count = len(codes)
    return np.zeros((count, BANDIDO.num_actions), np.float32), np.zeros(count, np.float32), memory


def test_potentials_are_value_estimates_of_the_agent(tmp_path):
    strong = agents.load("strong", BANDIDO)
    tables, buffer = tables_of(shaping=2.0, shaping_by="strong")
    before = tables.match.observations.copy(), tables.match.masks.copy()
    tables.play(look, buffer)
    expected = [2 * strong.value_estimate(*view) for view in zip(*before, strict=True)]
    np.testing.assert_allclose(buffer.potentials[buffer.at(0)], expected, rtol=1e-5)
    assert 0 < min(expected) < max(expected) < 2
    assert len(set(buffer.potentials[buffer.ready | buffer.taken].tolist())) > 20
    plain, without = tables_of()
    plain.play(look, without)
    assert not without.potentials.any()
    with pytest.raises(ConfigError, match="shaping_by='simple' is not allowed; that agent of bandido_alcatraz has no"):
        Training(tiny(**TEAM_FLAGS, shaping=1.0, shaping_by="simple"), tmp_path / "x", None)
    with pytest.raises(ConfigError, match="shaping_by: no agent 'nobody'"):
        Training(tiny(**TEAM_FLAGS, shaping=1.0, shaping_by="nobody"), tmp_path / "x", None)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_shaping_shifts_values_and_changes_no_advantage(gamma):
    """What a value network learns is lower by the potential; with that, advantages are the same: so is the policy."""
    rng = np.random.default_rng(0)
    shaped, plain = (tables_of() for _ in range(2))
    for _ in range(4):
        for tables, buffer in (shaped, plain):
            tables.play(look, buffer)
        some = rng.random(len(plain[1].values)).astype(np.float32)
        kept = np.concatenate([plain[1].potentials[: plain[1].carried], some[plain[1].carried :]])
        plain[1].potentials[:], plain[1].values[:] = kept, 0
        shaped[1].values[:] = kept
        for _, buffer in (shaped, plain):
            buffer.close(gamma, 0.8)
        np.testing.assert_allclose(shaped[1].advantages, plain[1].advantages, atol=1e-5)
        assert plain[1].rewards.any()
        for _, buffer in (shaped, plain):
            buffer.carry()


def test_shaping_takes_an_agent_with_a_value_estimate(tmp_path):
    with pytest.raises(ConfigError, match=r"shaping=0.5 is not allowed without shaping_by, an agent of ese_toro"):
        Training(tiny(shaping=0.5), tmp_path / "x", None)
    with pytest.raises(ConfigError, match="shaping"):
        tiny(shaping=-1)


def test_a_failing_partner_is_met_more_often():
    pool = OpponentPool(tiny(**TEAM_FLAGS), BANDIDO)
    pool.members[:2] = [Snapshot(1), Snapshot(2)]
    seating = np.array([[LEARNER, pool.first], [pool.first + 1, LEARNER]] * 20)
    pool.count(seating, np.array([[1, 1], [0, 0]] * 20, np.float32))
    good, bad = pool.members[:2]
    assert good.win_rate > 0.5 > bad.win_rate
    assert bad.priority > good.priority


def test_a_team_trains_resumes_its_record_and_reports(tmp_path, capsys):
    folder = train_tiny(
        tmp_path / "run",
        **{**TEAM_FLAGS, "shaping": 0.5, "shaping_by": "strong", "teacher": "simple", "evaluate_against": ["random"]},
    )
    record = json.loads((folder / "run.json").read_text())
    assert {score["seats"] for score in record["best"]["scores"]} == {1, 2, 4}
    assert record["best"]["mean_share"] == pytest.approx(
        np.mean([score["value"] for score in record["best"]["scores"]])
    )
    bot = tmp_path / "bot"
    assert cli.main(["export", str(folder), "--out", str(bot)]) == 0
    assert cli.main(["report", str(folder), str(bot), "--deals", "4"]) == 0
    assert "ahead by" in capsys.readouterr().out
    page = (folder / "report.html").read_text()
    assert "<th>ahead by</th>" in page
    assert "Beside the agents that come with the game" in page


@pytest.mark.parametrize("seats", [1, 3])
def test_maskable_ppo_trains_a_team_too(tmp_path, seats):
    folder = train_tiny(
        tmp_path / "run", game=BANDIDO.name, algorithm="maskable_ppo", setup={"seats": seats}, steps=600,
        opponents={"random": 1}, evaluate_every=300,
    )  # fmt: skip
    assert json.loads((folder / "run.json").read_text())["status"] == "finished"


def test_figures_of_a_deal_are_told_when_it_is_over():
    env = raw_env(seats=1)
    env.reset(seed=4)
    for agent in env.agent_iter():
        observation, _, over, _, info = env.last()
        assert ("figures" in info) == over
        if over:
            assert info["figures"]["band"] in (0, 1, 2, 3)
            assert info["figures"]["open tunnels"] > 0
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
        assert agent == "seat_0"


def test_figures_are_in_environments_and_saved_deals():
    env = agents.make_seat_env(BANDIDO.name, "random", seats=2)
    _, info = env.reset(seed=0)
    over = False
    while not over:
        assert "figures" not in info
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    table = raw_env(seats=1)
    table.reset(seed=4)
    while not table.terminations["seat_0"]:
        table.step(int(table.observe("seat_0")["action_mask"].argmax()))
    other = raw_env(seats=1)
    other.set_state(table.get_state())
    assert other.infos["seat_0"]["figures"] == table.infos["seat_0"]["figures"]
    assert info["figures"].keys() == table.infos["seat_0"]["figures"].keys()


def test_a_team_of_one_plays_alone(tmp_path, capsys, monkeypatch):
    out = tmp_path / "arena"
    assert cli.main(["arena", BANDIDO.name, "simple", "--deals", "3", "--seats", "1", "--out", str(out)]) == 0
    assert re.search(r"^0\.\d+ .* 3  simple", capsys.readouterr().out, re.MULTILINE)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert cli.main(["play", BANDIDO.name, "--seats", "1", "--seed", "3"]) == 0
    assert "Until next time" in capsys.readouterr().out
