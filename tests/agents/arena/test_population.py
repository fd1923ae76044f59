"""The test of a champion over a population: values, each reason to fail, rows that are kept, and members."""

import json
import re
import shutil
from itertools import permutations

import numpy as np
import population_tables
import pytest
from command_line import sobremesa
from matches import match

from sobremesa import agents, envs
from sobremesa.agents.arena import members, stored_matches
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.members import Plan
from sobremesa.agents.arena.pairings import play_among_copies
from sobremesa.agents.arena.population import BEATEN, BELOW, ERRORS, LEVEL, LONG, judge, lower_end
from sobremesa.agents.arena.population_rows import Rows
from sobremesa.agents.arena.score import score, win_rate
from sobremesa.agents.builtin import RestrictedAgent, rivals
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import new_stream
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.errors import ArgumentError
from sobremesa.envs.corre_el_encierro import cards, state
from sobremesa.envs.corre_el_encierro.observe import LAYOUT
from sobremesa.envs.erase_una_vez import state as told
from sobremesa.envs.erase_una_vez.decode import weight_of
from sobremesa.envs.erase_una_vez.react import OPINION
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS
from sobremesa.report import results

LEDUC, TORO = envs.load("leduc_poker"), envs.load("ese_toro_enamorado")
ENCIERRO, ESTAFADO = envs.load("corre_el_encierro"), envs.load("estafado")
BANDIDO, ERASE = envs.load("bandido_alcatraz"), envs.load("erase_una_vez")
DEALS = 400


def rows_of(wins, too_long=0.0, seats=3):
    """Return rows where one agent wins a share `wins` of its deals among copies of another one, in all seatings.

    A share `too_long` of them reaches the limit of length: the first deals, or the last ones if it is below 0.
    """
    payoffs = [1] + [-1 / (seats - 1)] * (seats - 1)  # of the winner first
    lost = np.random.default_rng(5).random(DEALS * seats) >= wins  # another seat wins
    paid = [np.roll(payoffs, turn + one) for turn, one in enumerate(lost)]
    seating = [np.roll([0] + [1] * (seats - 1), turn) for turn in range(DEALS * seats)]
    found = match(["one", "others"], paid, seating, np.repeat(np.arange(DEALS), seats))
    long = np.zeros(len(paid), bool)
    long[slice(round(too_long * len(paid))) if too_long >= 0 else slice(round(too_long * len(paid)), None)] = True
    return found._replace(too_long=long)


def judged(levels=None, **wins):
    """Return the test of `mine` at a table of three, where `wins` has shares of wins as one_others; the rest are even.

    A pair of a share and a share of deals at the limit of length is possible, too.
    """
    plan = Plan("mine", "before", ["strong", "before"], ["strong", "before", "other"], levels or {}, {})
    found = {}
    for one, others in permutations(["mine", "strong", "before", "other"], 2):
        given = wins.get(f"{one}_{others}", 1 / 3)
        found[3, one, others] = rows_of(*given) if isinstance(given, tuple) else rows_of(given)
    return judge(TORO, plan, [3], Rows(TORO, found))


def test_a_candidate_level_with_all_passes():
    found = judged()
    assert found.failures == []
    assert found.odd == []
    assert found.claims == 2 * 3 + 4 + 2 * 3  # members both ways, references among members, lengths


def test_a_member_ahead_of_the_candidate_fails_it():
    for wins in ({"other_mine": 0.45}, {"mine_other": 0.2}):
        (failure,) = judged(**wins, strong_other=0.2, before_other=0.2).failures
        assert (failure.kind, failure.seats) == (BEATEN, 3)
        assert failure.sentence.startswith("other beats mine: ")


def test_a_candidate_below_a_reference_among_a_member_fails():
    (failure,) = judged(mine_other=0.6, before_other=0.75).failures
    assert failure.kind == BELOW
    assert re.match(
        r"mine is below before among copies of other, 3 seats: 0\.6\d\d and 0\.7\d\d, -0\.1", failure.sentence
    )


def test_deals_at_the_limit_of_length_fail_the_candidate_alone():
    (failure,) = judged(mine_other=(1 / 3, 0.1)).failures
    assert failure.kind == LONG
    assert failure.sentence.startswith("10.0% of the deals of mine among copies of other, 3 seats")
    found = judged(mine_other=(1 / 3, 0.1), strong_other=(1 / 3, 0.1))  # with strong in its place they do, too
    assert found.failures == []
    assert "with strong in its place 10.0% do" in found.odd[0]


def test_lengths_are_compared_deal_by_deal():
    assert judged(mine_other=(1 / 3, 0.155), strong_other=(1 / 3, -0.1)).failures == []  # other deals: not sure
    (failure,) = judged(mine_other=(1 / 3, 0.155), strong_other=(1 / 3, 0.1)).failures
    assert failure.kind == LONG


def test_a_level_not_surely_above_the_next_lower_one_fails():
    steps = {"easy": "before", "hard": "mine"}
    (failure,) = judged(steps).failures
    assert failure.kind == LEVEL
    assert failure.sentence.startswith("hard is not surely above easy: mine among copies of before, 3 seats: 0.3")
    found = judged(steps, mine_before=0.6, before_mine=0.2, strong_before=0.6)
    assert found.failures == []
    assert 180 < found.steps[0].points.mean < 220
    assert found.steps[0].points.low > 100


def test_an_agent_that_never_wins_is_odd():
    (odd,) = judged(other_mine=0.0).odd
    assert odd.startswith("other among copies of mine, 3 seats: 0.000, mine in its place 0.333")


def test_members_that_let_no_agent_win_do_not_fail_the_candidate():
    found = judged(mine_other=0.0, strong_other=0.0, before_other=0.0)
    assert found.failures == []
    assert "strong never wins among copies of other, 3 seats, either" in found.odd
    found = judged(mine_other=0.0, strong_other=0.1, before_other=0.0)
    assert {one.kind for one in found.failures} == {BEATEN, BELOW}


def test_claims_are_corrected_for_their_number():
    values = np.random.default_rng(3).normal(0.02, 0.2, 400)  # two standard errors above 0
    assert lower_end(values, (-1, 1), ERRORS) > 0 > lower_end(values, (-1, 1), ERRORS / 100)
    assert lower_end(np.ones(20), (-1, 1), ERRORS / 100) < 0.6  # without variation few deals are not sure
    draws = np.random.default_rng(4).normal(0, 1, (400, 20, 100))
    wrong = sum(any(lower_end(one, (-9, 9), ERRORS / 20) > 0 for one in test) for test in draws)
    assert wrong / len(draws) < 2 * ERRORS


# Values of real matches.


@pytest.fixture
def scripted(monkeypatch):
    """Games whose champion is `strong`, without levels."""
    monkeypatch.setattr(members, "champion_of", lambda game: "strong")
    monkeypatch.setattr(members, "levels", lambda game: {})


def test_values_are_those_of_scores(scripted, tmp_path):
    found = agents.population(TORO, "simple", out=tmp_path, against=["random"], seats=[3], deals=100, seed=3)
    cells = {(one.agent, one.among): one for one in found.cells}
    assert set(cells) == {("simple", "random"), ("random", "simple"), ("strong", "random")}
    for names, cell in cells.items():
        pair = [agents.load(name, TORO) for name in names]
        wanted = win_rate(play_among_copies(TORO, *pair, 100, seed=3, seats=3))
        assert (cell.deals, cell.baseline) == (100, pytest.approx(1 / 3))
        assert cell.value == pytest.approx((wanted.value, wanted.low, wanted.high))


def test_values_in_roles_are_those_of_scores(scripted, tmp_path):
    found = agents.population(ESTAFADO, "simple", out=tmp_path, against=["strong"], deals=60, seed=3)
    wanted = {
        (one.candidate, one.opponents[0], one.role): one
        for pair in (("simple", "strong"), ("strong", "simple"))
        for one in score(ESTAFADO, found.matches, *pair)
    }
    assert len(found.cells) == 4
    for one in found.cells:
        same = wanted[one.agent, one.among, one.place]
        assert (one.value.mean, one.baseline, one.lead.mean) == pytest.approx((same.value, same.baseline, same.lead))


def test_values_of_teams_are_those_of_scores(scripted, tmp_path):
    found = agents.population(BANDIDO, "simple", out=tmp_path, against=["strong"], seats=[1, 2], deals=40, seed=3)
    teams = [one for one in found.cells if one.place == "team"]
    for cell, seats in zip(teams, (1, 2), strict=True):
        mine, other = (agents.load(name, BANDIDO) for name in ("simple", "strong"))
        wanted = agents.compare(BANDIDO, mine, other, 40, seed=3, seats=seats)
        assert (cell.value.mean, cell.baseline, cell.lead.mean) == pytest.approx(wanted[4:5] + wanted[7:9])
    assert {(one.agent, one.place, one.seats) for one in found.cells} == {
        ("simple", "team", 1), ("simple", "team", 2), ("simple", "one", 2), ("strong", "one", 2),
    }  # fmt: skip


# The command, and its rows.


def test_a_champion_below_a_member_exits_with_1(tmp_path, capsys):
    out, file = tmp_path / "rows", tmp_path / "found.json"
    given = ("population", "leduc_poker", "random", "--deals", 200, "--out", out, "--json", file)
    assert sobremesa(*given, "--against", "strong") == 1
    printed = capsys.readouterr().out
    assert re.search(r"\nrandom fails \(failures: 1; 1 claims, .*\):\n- strong beats random: random among", printed)
    found = json.loads(file.read_text())
    assert [one["kind"] for one in found["failures"]] == [BEATEN]
    assert found["cells"][0]["value"]["mean"] < 0.5
    assert not found["passes"]
    tables = population_tables.tables_of("leduc", found)
    (row,) = tables["leduc-2"].whole("population/leduc-2")
    assert (row.cells[0], row.cells[1], row.cells[2][0]) == ("`strong`", 200, found["cells"][0]["value"]["mean"])
    assert results.stale(row) == []
    assert all(same for *_, same in results.compared(row, tables["leduc-2"].head, found))
    assert tables["leduc-verdict"].rows[0]["cells"][1].startswith("fails: strong beats random")
    assert sobremesa("population", "leduc_poker", "--deals", 200, "--out", out) == 0
    assert "\nstrong passes (1 claims" in capsys.readouterr().out


def test_rows_are_kept_for_other_candidates_and_more_deals(tmp_path):
    given = {"out": tmp_path, "seed": 2}
    first = agents.population(LEDUC, "strong", against=["simple", "random"], deals=150, **given)
    files = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.npz")}
    assert len(files) == 2 * 2  # strong among both; two pieces each
    more = agents.population(LEDUC, "strong", against=["simple", "random"], deals=300, **given)
    other = agents.population(LEDUC, "simple", against=["random"], deals=150, **given)
    assert {file: file.stat().st_mtime_ns for file in files} == files
    assert [one.deals for one in more.cells] == [300] * len(first.cells)
    again = agents.population(LEDUC, "strong", against=["simple", "random"], deals=150, **given)
    assert again.cells == first.cells
    assert other.cells[0].deals == 150


def test_an_interrupted_test_goes_on_with_the_same_result(tmp_path):
    def play(out, **given):
        return agents.population(LEDUC, "strong", against=["simple"], deals=200, out=out, seed=4, **given).cells

    def stop(done, total, doing):
        if done:
            raise KeyboardInterrupt

    whole = play(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "part", progress=stop)
    assert len(list((tmp_path / "part").rglob("*.npz"))) == 1
    assert play(tmp_path / "part", processes=1) == whole


def test_a_test_with_an_external_agent_resumes_with_its_secret(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stored_matches, "PIECE", 2)
    (tmp_path / "mine.py").write_text("def act(view):\n    return view.legal[0]\n")
    out = tmp_path / "rows"

    def play(**given):
        return agents.population(LEDUC, "python:mine.py:act", against=["simple"], deals=2, out=out, **given)

    first, files = play(), {file: file.stat().st_mtime_ns for file in out.rglob("*.npz")}
    again = play()
    assert (again.secret, again.cells) == (first.secret, first.cells)
    assert {file: file.stat().st_mtime_ns for file in out.rglob("*.npz")} == files
    for damaged in ("", "x", first.secret * 9):
        (out / "secret.txt").write_text(damaged)
        with pytest.raises((ValueError, OSError), match=r"secret\.txt"):
            play()
    assert play(secret=first.secret).cells == first.cells


def test_matches_with_language_models_have_small_pieces():
    assert stored_matches.is_slow("llm:small@http://127.0.0.1:9/v1")
    assert stored_matches.is_slow("search(strong)")
    assert not stored_matches.is_slow("strong")


def test_numbers_and_members_out_of_range_are_refused(tmp_path):
    for name, given in {"deals": 1, "search_deals": 0, "processes": 0}.items():
        with pytest.raises(ArgumentError, match=f"{name}={given} is not allowed"):
            agents.population(LEDUC, out=tmp_path, **{name: given})
    with pytest.raises(ArgumentError, match="against names no agent but strong"):
        agents.population(LEDUC, "strong", out=tmp_path, against=["strong"])


def test_a_copy_of_a_member_is_no_candidate(tmp_path):
    shutil.copytree(agents.bot_folders(TORO)["champion"], tmp_path / "mine")
    with pytest.raises(ValueError, match="mine is the same agent as champion; give another candidate"):
        agents.population(TORO, str(tmp_path / "mine"), out=tmp_path / "out", against=["simple"])
    assert not (tmp_path / "out").exists()


# Members.


@pytest.mark.parametrize("name", envs.games())
def test_members_are_agents_of_different_builds(name):
    game = envs.load(name)
    found, before = members.members_of(game)
    assert {"simple", "strong"} <= set(found)
    assert not before or before in rivals(game)
    assert not set(rivals(game)) & set(agents.names(game))  # they are on no ladder
    assert set(rivals(game)) <= set(found.values())
    assert len({identity(agents.load(spec, game)) for spec in found.values()}) == len(found)


def test_a_game_without_a_population_has_its_agents():
    assert members.members_of(LEDUC) == ({"simple": "simple", "strong": "strong"}, "")
    assert members.champion_of(LEDUC) == "strong"
    assert members.champion_of(TORO) == "champion"


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"member": {}}, "has 'member'; it takes members and predecessor"),
        ({"members": {"one": 3}}, "members must be a table of names and agents"),
        ({"members": {}}, "members must be a table of names and agents"),
        ({"predecessor": "one"}, "predecessor = 'one' is no member; there are simple, strong"),
        ({"predecessor": ["one"]}, "predecessor = ['one'] is no member; there are simple, strong"),
    ],
)
def test_an_unsound_population_is_refused(monkeypatch, table, problem):
    monkeypatch.setattr(home, "table", lambda game, name: table if name == members.FILE else {})
    with pytest.raises(ValueError, match=re.escape(problem)):
        members.members_of(LEDUC)


def test_another_candidate_is_compared_with_the_champion():
    plan = members.plan_population(TORO, "trained", ())
    assert (plan.predecessor, plan.references) == ("champion", ["strong", "champion"])
    assert "champion" in plan.members
    assert plan.levels["champion"] == "trained"  # it would be the champion
    own = members.plan_population(TORO, None, ())
    assert (own.candidate, own.predecessor) == ("champion", "stage_10")
    assert "champion" not in own.members


def test_a_restricted_champion_keeps_its_zapatillas():
    agent, laying = agents.load("keeps_zapatillas", ENCIERRO), slice(state.A_LAY, state.A_LAY + cards.NUM_SPECIALS)
    seen, masks = np.zeros((2, LAYOUT.size), np.float32), np.zeros((2, ENCIERRO.num_actions), np.int8)
    seen[1, LAYOUT.start("specials") + cards.ZAPATILLAS - cards.FIRST_SPECIAL] = 1  # the second one wears them
    masks[:, laying] = masks[:, state.A_DONE] = 1
    agent.base.act_batch = lambda observations, masks, streams: masks[:, laying].sum(1)
    agent = RestrictedAgent(agent.name, agent.base, agent.restrict)
    assert agent.act_batch(seen, masks, np.zeros(2, STREAM)).tolist() == [3, 0]
    assert masks[:, laying].all()  # those of the caller stay


def test_only_bots_without_a_memory_can_be_restricted():
    with pytest.raises(ValueError, match="mine: strong cannot be restricted; take a bot without a memory"):
        RestrictedAgent("mine", agents.load("strong", ENCIERRO), None)


def test_claims_makes_each_claim_that_the_judge_accepts():
    claims, strong = (agents.load(name, ERASE) for name in ("claims", "strong"))
    asked = others = 0
    for seed in range(12):
        for ply in deal_between(ERASE, [agents.load("simple", ERASE)] * 3, seed):
            held = [card for card in range(NUM_ELEMENTS) if ply.mask[told.A_CLAIM + card]]
            stream = new_stream(1)[0]
            action = strong.kernel(ply.observation, ply.mask, stream)
            weights = {card: weight_of(ply.observation, card) for card in held}
            if max(weights.values(), default=0) >= OPINION / 100:
                asked += 1
                others += action != told.A_CLAIM + max(weights, key=weights.get)
                action = told.A_CLAIM + max(weights, key=weights.get)
            assert ply.action < 0 or claims.kernel(ply.observation, ply.mask, stream) == action
    assert asked > others > 0
