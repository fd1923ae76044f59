"""A game from another package brings each part that the library's games have: bots, levels, a ladder and so on."""

import dataclasses
import pickle
import re
import sys
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import sobremesa
from serving import HOME, LONG, play_on, seen
from starlette.testclient import TestClient

from sobremesa import agents, configs, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.levels import levels
from sobremesa.agents.search.improve import Budget
from sobremesa.agents.search.spec import usual_budget
from sobremesa.envs.core import home, plugins
from sobremesa.report import show
from sobremesa.serve.app import make_app
from sobremesa.serve.guides import guide_of, has_guide
from sobremesa.serve.opponents import levels_of
from sobremesa.serve.tables import Tables
from sobremesa.training.benchmark import tasks, version
from sobremesa.training.config.classes import default_for, from_dict

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "liars_dice"
HOUSE = EXAMPLE / "liars_dice" / "home"
BAD_SEAT = "seed = 1\nseat = 7\nlessons = []\n[setup]\nseats = 2"
BAD_OPPONENT = BAD_SEAT.replace("seat = 7", 'seat = 0\nopponent = "nobody"')
home_bots, home_folder = home.bots, home.folder


@pytest.fixture
def dice(monkeypatch):
    """Liar's dice, which the library knows by its entry point alone."""
    envs.games()
    for name in ("_REGISTERED", "_BOTS", "_FAILED"):
        monkeypatch.setattr(envs, name, {})
    monkeypatch.syspath_prepend(EXAMPLE)
    waiting = [EntryPoint("liars_dice-v1", "liars_dice", envs.GROUP)]
    monkeypatch.setattr(plugins, "_waiting", lambda _: waiting)
    return envs.load("liars_dice")


def test_bots_are_imported_when_an_agent_is_asked_for(dice, monkeypatch):
    monkeypatch.delitem(sys.modules, "liars_dice.bots", raising=False)
    assert "liars_dice" in envs.games()
    assert "liars_dice.bots" not in sys.modules
    assert agents.scripted_names(dice) == ["random", "simple", "strong"]


def test_the_trained_bot_loads_by_its_name_and_travels(dice):
    assert agents.names(dice) == ["random", "simple", "strong", "trained"]
    bot = agents.load("trained", dice)
    assert bot.manifest["game"] == "liars_dice"
    assert bot.source[0] == HOUSE / "trained"
    assert bot.__reduce__()[1][0] == "trained"  # a path in the game's folder, which may be elsewhere on another machine
    assert pickle.loads(pickle.dumps(bot)).manifest == bot.manifest


def test_its_configuration_is_the_default_and_made_the_bot(dice):
    assert configs.path("liars_dice") == HOUSE / "config.toml"
    assert "liars_dice" in configs.names()
    trained = agents.load("trained", dice).manifest["config"]
    assert from_dict(trained) == from_dict(default_for("liars_dice"))
    assert from_dict(trained) != from_dict({"game": "liars_dice"})


def test_ratings_increase_with_the_level(dice):
    ladder = leaderboard_file.frozen(dice)
    assert set(ladder.agents) == set(agents.names(dice))
    assert ladder.builds == {"trained": agents.load("trained", dice).manifest["sha256"]}
    rungs = {one.agent: one.value for one in ladder.rungs}
    assert list(levels(dice)) == ["easy", "hard"]
    for weak, strong in pairwise(levels(dice).values()):
        assert rungs[weak] < rungs[strong]


def test_a_search_has_its_settings(dice):
    for rollout, kind in (("strong", "scripted"), ("trained", "exported")):
        wanted = home.table(dice, "search.toml")[kind]
        found = usual_budget(dice, agents.load(rollout, dice))
        assert {name: getattr(found, name) for name in wanted} == wanted
    assert agents.load("search(strong)", dice).budget == Budget(worlds=64, actions=12, gate=1.5) != Budget()


def test_its_task_is_what_is_measured_today_and_not_in_the_suite(dice):
    task = tasks.load("liars_dice-2")
    assert tasks.stamped(version.tasks(dice)[0]) == task
    assert tasks.score(task, agents.load("trained", dice)).score > 1  # better than `strong`
    assert "liars_dice-2" in tasks.names()
    assert task not in (*tasks.suite(), *tasks.playable())


def test_a_terminal_shows_its_ladder_and_plays_at_a_level(dice, monkeypatch, capsys):
    assert sobremesa("ladder", "liars_dice") == 0
    out = capsys.readouterr().out
    assert re.search(r"^trained +426 ", out, re.MULTILINE)
    answers = iter(["1x1", "liar", ""])  # no film
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    assert sobremesa("play", "liars_dice", "--level", "hard", "--seed", 8) == 0
    out = capsys.readouterr().out
    assert "computer (hard)" in out
    assert "All is revealed" in out


def test_a_browser_has_its_picture_levels_and_guided_deal(dice, tmp_path):
    tables, picture = Tables(tmp_path), (HOUSE / "board.svg").read_text(encoding="utf-8")
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, headers={"origin": HOME}) as client:
        for language in ("en", "es"):
            assert client.get(f"/picture/liars_dice.svg?language={language}").text == picture
        page = client.get("/game/liars_dice").text
        assert list(dict.fromkeys(re.findall(r"computer \((\w+)\)", page))) == ["easy", "hard"]
        assert "Play a guided deal" in page
        table = opened(tables, client, guided="1")
        assert [table.opening.seed, *(one.spec for one in table.opening.seated)] == [guide_of(dice).seed, "", "simple"]
        shown = [seen(table, 0)["guide"]]
        for bid in ("1x2", "liar"):
            table.play(0, table.moment(0), dice.words.parse_action(bid, "en"))
            play_on(table, plies=1)
            shown.append(seen(table, 0)["guide"])
        lessons = [one.text["en"] for one in guide_of(dice).lessons]
        assert shown == [lessons[0], lessons[1], lessons[3]]
        assert {one.spec for one in opened(tables, client, quick="1", level="hard").opening.seated} == {"", "trained"}


def opened(tables, client, **form):
    """Return the table that a submitted form opens."""
    page = client.post("/tables", data={"game": "liars_dice", **form})
    return tables.find(page.url.path.rsplit("/")[-1])[0].table


def test_a_variant_with_another_name_has_no_part_of_the_package(dice):
    other = dataclasses.replace(dice, name="other_dice")
    assert home.folder(other) is None
    assert agents.names(other) == ["random"]
    assert levels(other) == {}
    assert leaderboard_file.frozen(other) is None
    assert show.board(other, "en") is None
    assert not has_guide(other)


def test_a_package_that_is_none_is_refused(dice):
    with pytest.raises(ValueError, match=r"liars_dice: package='dice' is no package; give __name__ in its __init__.py"):
        dataclasses.replace(dice, package="dice")


def test_bots_that_fail_leave_other_games_and_parts_alone(dice, monkeypatch, capsys):
    monkeypatch.setattr(envs, "_WITHOUT_BOTS", set())
    monkeypatch.setattr(home, "bots", lambda game: sys.exit("no such library") if game is dice else home_bots(game))
    assert agents.scripted_names(dice) == ["random"]
    assert agents.scripted_names(envs.load("leduc_poker"))[1:] == ["simple", "strong"]
    assert "bots of liars_dice are left out: SystemExit: no such library" in capsys.readouterr().err


def test_a_damaged_file_of_levels_leaves_the_lobby_alone(dice, tmp_path, monkeypatch):
    (tmp_path / "levels.toml").write_text("easy = ", encoding="utf-8")
    monkeypatch.setattr(home, "folder", lambda game: tmp_path if game is dice else home_folder(game))
    levels_of.cache_clear()
    client = TestClient(make_app(Tables(tmp_path / "tables")), base_url=HOME)
    assert client.get("/").status_code == client.get("/game/liars_dice").status_code == 200
    assert client.get("/game/estafado").status_code == 200
    levels_of.cache_clear()


def test_bots_of_a_folder_take_no_name_of_a_scripted_agent(dice, tmp_path, monkeypatch):
    for name in ("strong", "search(strong)", "mine"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(home, "folder", lambda game: tmp_path)
    assert agents.names(dice) == ["random", "simple", "strong", "mine"]


def test_a_pickle_that_names_the_game_still_loads():
    game = envs.load("estafado")
    bot = agents.load("trained", game)
    load_again, (folder, _, content) = bot.__reduce__()[:2]
    assert load_again(f"estafado/{folder}", game, content).manifest == bot.manifest


def searching(game):
    return agents.load("search(strong)", game)


@pytest.mark.parametrize(
    ("name", "content", "read", "why"),
    [
        ("levels.toml", "easy = ", levels, "levels.toml: Invalid value"),
        ("levels.toml", 'easy = "nobody"', levels, "levels.toml of liars_dice: easy = 'nobody' is no agent"),
        ("levels.toml", "easy = 3", levels, "levels.toml of liars_dice: easy = 3 is no agent"),
        ("levels.toml", 'beginner = "simple"', levels, "levels.toml of liars_dice has 'beginner'"),
        ("guide.toml", "seed = 1", guide_of.__wrapped__, "guide.toml of liars_dice: seat is missing"),
        (
            "guide.toml",
            BAD_SEAT,
            guide_of.__wrapped__,
            "guide.toml of liars_dice: seat=7 is not allowed; it takes 0 to 1",
        ),
        (
            "guide.toml",
            BAD_OPPONENT,
            guide_of.__wrapped__,
            "guide.toml of liars_dice: opponent='nobody' is not allowed; it takes random, simple",
        ),
        ("search.toml", "[scripted]\nworld = 3", searching, "search.toml of liars_dice: .*'world'"),
        ("search.toml", "[scriptd]\nworlds = 3", searching, r"search.toml of liars_dice has \[scriptd\]"),
        ("benchmark.json", "[{}]", lambda _: tasks.load("liars_dice-2"), r"benchmark.json: .*missing required field"),
        ("ladder.json", "{}", leaderboard_file.frozen, r"ladder.json: "),
    ],
)
def test_a_damaged_file_is_named(dice, tmp_path, monkeypatch, name, content, read, why):
    (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(home, "folder", lambda game: tmp_path if game is dice else None)
    tasks.tasks_of.cache_clear()
    with pytest.raises(ValueError, match=why):
        read(dice)
