"""`sobremesa ladder`, `rate` on the ladder, and `analyse`: output, files and errors."""

import functools
import html.parser
import json
import re
import shutil

import pytest
from command_line import sobremesa
from foreigners import function
from kuhn import ALWAYS, HIGH, WITH_ROLES
from plank import JUMPER, STAYER, TEAM

from sobremesa import agents, envs
from sobremesa.agents.arena import ladder as ladders, leaderboard_file, meetings
from sobremesa.agents.arena.leaderboard import rank
from sobremesa.agents.arena.pairings import play_matches
from sobremesa.agents.arena.replay import record
from sobremesa.agents.arena.score import Score
from sobremesa.arguments import AGENT_HELP
from sobremesa.envs.core.agent import KernelAgent
from sobremesa.report import ladder_page, tables as tabulate

GAME = "ese_toro_enamorado"
TORO = envs.load(GAME)


@pytest.fixture
def known(monkeypatch, tmp_path):
    """Make a game known, with two scripted agents and a place of its own for ladders."""

    def install(game, simple, strong):
        monkeypatch.setitem(envs._REGISTERED, game.name, game)
        bots = KernelAgent("simple", simple.kernel), KernelAgent("strong", strong.kernel)
        monkeypatch.setitem(envs._BOTS, game.name, bots)
        monkeypatch.setattr(leaderboard_file, "frozen_file", lambda one: tmp_path / f"{one.name}.json")
        monkeypatch.setattr(ladders, "rank", functools.partial(rank, resamples=20))
        return game

    return install


class Reader(html.parser.HTMLParser):
    """Notes what a page would load from elsewhere, what it says, and the pages inside it."""

    def __init__(self):
        super().__init__()
        self.outside, self.inside, self.said, self.tags = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "data", "poster"):
                self.outside.append(value)
            if name == "srcdoc":
                self.inside.append(value)

    def handle_data(self, data):
        self.said.append(data)


def read_page(text):
    reader = Reader()
    reader.feed(text)
    return reader


# The ladder.


def test_the_ladder_of_the_library_is_shown_at_once(capsys, monkeypatch):
    monkeypatch.setattr(meetings, "play_matches", None)  # nothing is played
    assert sobremesa("ladder", GAME) == 0
    out = capsys.readouterr().out
    assert out.startswith("The ladder of The Bull in Love: ese_toro_enamorado-v1, 2 seats")
    assert all(re.search(rf"^{name} +\d", out, re.MULTILINE) for name in agents.names(TORO))
    assert re.search(r"^random +0 +fixed", out, re.MULTILINE)
    assert sobremesa("ladder", GAME, "--language", "es") == 0
    assert capsys.readouterr().out.startswith("La escalera de Ese Toro enamorado")


def test_a_ladder_is_played_written_and_read_again(tmp_path, capsys):
    page, file = tmp_path / "ladder.html", tmp_path / "ladder.json"
    words = ("ladder", GAME, "--deals", 10, "--seed", 3, "--setup", "max_rounds=2")
    assert sobremesa(*words, "-o", page, "--json", file) == 0
    out = capsys.readouterr().out
    assert f"report: {page}" in out
    ladder = leaderboard_file.read(file, TORO)
    assert set(ladder.agents) == set(agents.names(TORO))
    assert (ladder.deals, ladder.seed, ladder.setup["max_rounds"]) == (10, 3, 2)
    assert ladder.command == f"sobremesa ladder {GAME} --seats 2 --deals 10 --seed 3 --setup max_rounds=2"
    assert "max_rounds=2" in out.splitlines()[0]
    again = tmp_path / "again.json"
    assert sobremesa(*ladder.command.split()[1:], "--json", again) == 0
    assert leaderboard_file.read(again, TORO).rungs == ladder.rungs


def test_a_report_needs_nothing_but_itself(tmp_path, capsys):
    page = tmp_path / "ladder.html"
    words = ("ladder", GAME, "--deals", 10, "--setup", "max_rounds=1", "-o", page, "--language", "es")
    assert sobremesa(*words) == 0
    text = page.read_text(encoding="utf-8")
    found = read_page(text)
    assert found.outside == []
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org)", text)
    assert len(found.inside) == 3
    for inside in found.inside:
        assert read_page(inside).outside == []
        assert 'const packed = "' in inside
        assert inside.endswith("</script></body></html>\n")
    said = " ".join(found.said)
    assert "La escalera de Ese Toro enamorado" in said
    assert "Parte media de la victoria por parejas" in said
    assert "Por eso pueden no coincidir." in said
    assert len(text) < 3_000_000


def test_the_ladder_of_the_library_is_written_as_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(meetings, "play_matches", None)  # no tournament is played
    page, file = tmp_path / "ladder.html", tmp_path / "ladder.json"
    assert sobremesa("ladder", GAME, "--json", file) == 0
    assert file.read_text(encoding="utf-8") == leaderboard_file.frozen_file(TORO).read_text(encoding="utf-8")
    monkeypatch.setattr(ladders, "MOST_REPLAYS", 1)
    assert sobremesa("ladder", GAME, "-o", page, "--language", "es") == 0
    found = read_page(page.read_text(encoding="utf-8"))
    top = leaderboard_file.frozen(TORO).rungs[0]
    assert any(said.startswith(f"{top.value:.0f} (") for said in found.said)
    (inside,) = found.inside
    assert '<html lang="es">' in inside
    assert "▶ ver" in read_page(inside).said
    assert "pausa" in inside
    assert "pause" not in inside


def test_a_faulty_external_agent_loses_deals_only(tmp_path, capsys):
    file, page = tmp_path / "ladder.json", tmp_path / "ladder.html"
    broken = function(tmp_path, "def act(view):\n    return -1\n")
    words = ("ladder", GAME, broken, "--deals", 2, "--setup", "max_rounds=1", "--json", file, "-o", page)
    assert sobremesa(*words) == 0
    out = capsys.readouterr().out
    assert "results were forfeited" in out
    assert "have 5 seconds for a move" in out
    assert "No agent has a time limit" not in out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["time_limit"] == 5
    assert written["forfeits"][0]["kind"] == "illegal"
    found = read_page(page.read_text(encoding="utf-8"))
    assert any("Forfeited results" in said for said in found.said)
    assert 0 < len(found.inside) < 3
    leaderboard_file.read(file, TORO)


def test_forfeits_are_told_where_roles_and_teams_are_rated(known, tmp_path, capsys):
    broken = function(tmp_path, "def act(view):\n    return -1 if view.deal == 2 else view.legal[0]\n")
    file = tmp_path / "scores.json"
    for game, name in ((WITH_ROLES, "kuhn"), (TEAM, "team_plank")):
        known(game, ALWAYS if game is WITH_ROLES else JUMPER, HIGH if game is WITH_ROLES else STAYER)
        assert sobremesa("rate", name, "simple", "--against", broken, "--deals", 3, "--json", file) == 0
        assert "results were forfeited, by kind with the first reason:" in capsys.readouterr().out
        assert json.loads(file.read_text(encoding="utf-8"))["forfeits"][0]["rows"] > 0


def test_long_names_are_shortened_where_they_are_printed(capsys):
    long = Score("c" * 90, "strong", 2, 5, 0.5, 0.4, 0.6, 0.5, 0.0, -0.1, 0.1, 9.0)
    tabulate.print_scores(TORO, [long, long._replace(candidate="simple")])
    head, *lines = capsys.readouterr().out.splitlines()
    assert {line.index("strong") for line in lines} == {head.index("reference") + 3}
    assert lines[0].split()[0] == "…" + "c" * 31
    assert tabulate.short("simple") == "simple"


@pytest.mark.parametrize("command", ["rate", "ladder", "analyse", "watch", "stats", "play", "exploit"])
def test_help_says_how_agents_are_named(command, capsys):
    assert sobremesa(command, "--help") == 0
    assert AGENT_HELP in " ".join(capsys.readouterr().out.split())


def test_names_cannot_break_out_of_the_report():
    name = "</script><script>alert('1')</script>\"'&"
    met = [agents.load("random", TORO), KernelAgent(name, agents.load("simple", TORO).kernel)]
    setup = {"seats": 2, "max_rounds": 1}
    ladder = rank(TORO, play_matches(TORO, met, 4, **setup), deals=4, resamples=5, command=name, **setup)
    shown = record(TORO, [agents.load("random", TORO)] * 2, 1, max_rounds=1)
    shown = type(shown)(**{**vars(shown), "agents": (name, "random")})
    found = read_page(ladder_page.report(TORO, ladder, [shown], "en"))
    assert "script" not in found.tags
    assert name in found.said
    inside = read_page(found.inside[0])
    assert inside.tags.count("script") == 1
    assert any(name in said for said in inside.said)


def test_bots_of_one_name_are_told_apart_by_their_folders(tiny_bot, tmp_path, capsys):
    bots = [tmp_path / "a" / "bot", tmp_path / "b" / "bot", tmp_path / "trained"]
    for bot in bots:
        shutil.copytree(tiny_bot, bot)
    file = tmp_path / "ladder.json"
    words = ("ladder", GAME, *bots, "--deals", 5, "--json", file)
    assert sobremesa(*words) == 0
    ladder = leaderboard_file.read(file, TORO)
    assert set(ladder.agents) == {"random", "simple", "strong", *map(str, bots)}
    frozen = leaderboard_file.frozen(TORO).ladder.frozen  # its ratings are what others are measured by
    assert ladder.anchors == {name: frozen[name] for name in ("random", "simple", "strong")}
    assert sobremesa("ladder", GAME, bots[0], bots[0], "--deals", 5) == 2
    assert f"{bots[0]} is given twice" in capsys.readouterr().err


def test_freezing_makes_the_ladder_of_the_library(known, tmp_path, capsys):
    game = known(WITH_ROLES, ALWAYS, HIGH)
    assert leaderboard_file.frozen(game) is None
    assert sobremesa("ladder", "kuhn", "--deals", 20, "--freeze") == 0
    out = capsys.readouterr().out
    assert "Balance of the roles" in out
    assert re.search(r"^random \(Opener\) +0 +fixed", out, re.MULTILINE)
    assert set(leaderboard_file.frozen(game).by_seat) == {"random", "simple", "strong"}
    assert sobremesa("ladder", "kuhn", "--language", "es", "-o", tmp_path / "ladder.html", "--deals", 5) == 0
    assert "random (Mano)" in " ".join(read_page((tmp_path / "ladder.html").read_text(encoding="utf-8")).said)


def test_who_thinks_ahead_stands_on_the_ladder_by_fewer_deals(known, tmp_path, monkeypatch, capsys):
    game = known(WITH_ROLES, ALWAYS, HIGH)
    monkeypatch.chdir(tmp_path)
    words = ("ladder", "kuhn", "--deals", 30, "--search-deals", 4, "--freeze", "-o", "ladder.html")
    assert sobremesa(*words) == 0
    out = capsys.readouterr().out
    assert "2 seats; 30 deals for each match, --seed 0; 4 in matches of a searching agent" in out
    assert "played the first 4 of 30 deals" in out
    ladder = leaderboard_file.frozen(game)
    assert {one.agent: one.deals for one in ladder.rungs if "strong" in one.agent} == {
        f"{name} ({role})": deals
        for name, deals in (("strong", 30), ("search(strong)", 4))
        for role in ("Opener", "Answerer")
    }
    assert set(ladder.builds) == {"search(strong)"}
    assert "first 4 of 30" in " ".join(read_page((tmp_path / "ladder.html").read_text(encoding="utf-8")).said)
    assert sobremesa(*ladder.command.split()[1:], "--json", "again.json") == 0
    assert leaderboard_file.read(tmp_path / "again.json", game).rungs == ladder.rungs


def test_a_ladder_of_teams(known, tmp_path, capsys):
    known(TEAM, JUMPER, STAYER)
    words = ("ladder", "team_plank", "--seats", 1 + 3, "--deals", 60, "--freeze", "-o", tmp_path / "ladder.html")
    assert sobremesa(*words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[:2] == ["agent", "success"]
    assert lines[3].startswith("strong")
    assert "Balance" not in " ".join(lines)
    assert "Rate of success" in " ".join(read_page((tmp_path / "ladder.html").read_text(encoding="utf-8")).said)


# Rating.


def test_a_new_agent_is_placed_on_the_ladder(tiny_bot, tmp_path, capsys):
    file = tmp_path / "scores.json"
    assert sobremesa("rate", GAME, tiny_bot, "--deals", 10, "--json", file) == 0
    out = capsys.readouterr().out
    told = re.search(r"^bot: rating (-?\d+) \(.*\) on the ladder of (\S+), 2 seats, (.*)$", out, re.MULTILINE)
    assert told[2] == "ese_toro_enamorado-v1"
    assert told[3] == "10 deals against each of random, simple, strong"
    written = json.loads(file.read_text(encoding="utf-8"))
    assert len(written["scores"]) == 3
    assert f"{written['placings'][0]['value']:.0f}" == told[1]
    assert sobremesa("rate", GAME, tiny_bot, "--deals", 4, "--seats", 3, "--setup", "max_rounds=1") == 0
    assert "rating" not in capsys.readouterr().out  # the ladder is of another table


def test_an_agent_of_the_library_stands_where_it_stands(capsys):
    assert sobremesa("rate", GAME, "simple", "--against", "random", "--deals", 3) == 0
    rung = leaderboard_file.frozen(TORO).ladder.frozen["simple"]
    assert f"simple: rating {rung:.0f} (" in capsys.readouterr().out


def test_a_bot_called_as_one_of_the_library_is_another(tiny_bot, tmp_path, capsys):
    shutil.copytree(tiny_bot, tmp_path / "strong")
    assert sobremesa("rate", GAME, tmp_path / "strong", "--deals", 10) == 0
    called = re.escape(str(tmp_path / "strong"))  # not to be taken for the library's own
    told = re.search(rf"^{called}: rating (-?\d+) ", capsys.readouterr().out, re.MULTILINE)
    assert int(told[1]) < leaderboard_file.frozen(TORO).ladder.frozen["simple"]


def test_roles_are_compared_and_placed_one_by_one(known, tmp_path, capsys, monkeypatch):
    known(WITH_ROLES, ALWAYS, HIGH)
    assert sobremesa("ladder", "kuhn", "--deals", 40, "--freeze") == 0
    capsys.readouterr()
    file = tmp_path / "scores.json"
    load = agents.load
    monkeypatch.setattr(meetings, "load", lambda spec, game: HIGH if spec == "high" else load(spec, game))
    assert sobremesa("rate", "kuhn", "high", "--deals", 300, "--json", file) == 0
    out = capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert {one["role"] for one in written["scores"]} == {"Opener", "Answerer"}
    assert all(one["opponents"] != ["high"] for one in written["scores"])
    mirrored = [one for one in written["scores"] if one["reference"] == "strong"]  # the same kernel by another name
    assert {(one["lead"], one["beats"]) for one in mirrored} == {(0, False)}
    assert re.search(r"^high +Opener +simple +random +2 +-?0", out, re.MULTILINE)
    places = {one["agent"]: one["value"] for one in written["placings"]}
    frozen = leaderboard_file.frozen(WITH_ROLES).ladder.frozen
    for role in ("Opener", "Answerer"):
        assert places[f"high ({role})"] == pytest.approx(frozen[f"strong ({role})"], abs=150)


def test_teams_are_compared_on_the_same_decks(known, tmp_path, capsys):
    known(TEAM, JUMPER, STAYER)
    file = tmp_path / "scores.json"
    assert sobremesa("rate", "team_plank", "strong", "--seats", 3, 5, "--deals", 300, "--json", file) == 0
    out = capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    leads = {(one["reference"], one["seats"]): one for one in written["scores"]}
    assert set(leads) == {(name, seats) for name in ("random", "simple") for seats in (3, 5)}
    assert leads["simple", 5]["lead_low"] > 0
    assert "success of teams of copies, on the same deals for all" in out
    assert sobremesa("rate", "team_plank", "strong", "--against", "strong") == 2
    assert "--against names only strong itself" in capsys.readouterr().err


# Analysis.


def test_an_analysis_is_printed_and_written(tmp_path, capsys):
    file, page = tmp_path / "figures.json", tmp_path / "deals.html"
    words = ("analyse", GAME, "simple", "--seats", 2, 3, "--deals", 20, "--followed", 2, "--setup", "max_rounds=2")
    assert sobremesa(*words, "--json", file, "-o", page) == 0
    out = capsys.readouterr().out
    for figure in ("plies", "length of deals", "wins, seat 3", "actions to choose from", "decision entropy", "decided"):
        assert re.search(rf"^\| {figure}", out, re.MULTILINE)
    tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
    assert [table["statistics"]["seats"] for table in tables] == [2, 3]
    found = read_page(page.read_text(encoding="utf-8"))
    assert found.outside == []
    assert {"2 seats", "3 seats"} <= set(found.said)


def test_a_team_and_roles_are_analysed(known, tmp_path, capsys):
    known(TEAM, JUMPER, STAYER)
    words = ("--deals", 20, "--followed", 3, "-o", tmp_path / "deals.html")
    assert sobremesa("analyse", "team_plank", *words) == 0
    assert "Success of the team." in (tmp_path / "deals.html").read_text(encoding="utf-8")
    known(WITH_ROLES, ALWAYS, HIGH)
    capsys.readouterr()
    assert sobremesa("analyse", "kuhn", *words) == 0
    assert "| wins, Opener " in capsys.readouterr().out


def test_a_stale_ladder_says_so_and_is_passed_over(monkeypatch, tmp_path, capsys):
    stale = json.loads(leaderboard_file.frozen_file(TORO).read_text(encoding="utf-8"))
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps({**stale, "rules_hash": "0" * 16}), encoding="utf-8")
    monkeypatch.setattr(leaderboard_file, "frozen_file", lambda game: file)
    assert sobremesa("ladder", GAME) == 2
    assert "the rules have changed since it was made" in capsys.readouterr().err
    assert sobremesa("rate", GAME, "simple", "--against", "random", "--deals", 2) == 0
    assert "rating" not in capsys.readouterr().out
