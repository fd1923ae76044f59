"""The bots of the library."""

import re
import sys
from pathlib import Path

import pytest

from sobremesa import agents, configs, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.score import nature
from sobremesa.agents.exported import load_bot, read_manifest
from sobremesa.envs.core.errors import MissingExtra
from sobremesa.training.config.classes import find, from_dict, read

BOTS = [(game, name) for game in envs.games() for name in agents.names(envs.load(game))
        if name not in agents.scripted_names(envs.load(game))]  # fmt: skip
ROOMS = Path(envs.__path__[0])  # the folders of the games
LARGEST = 2_000_000  # bytes
GONE = {"teacher_weight": 1.0, "critic": "own"}  # keys of older configurations, at their only values


def test_every_folder_is_a_bot_of_a_game():
    assert {"ese_toro_enamorado", "corre_el_encierro"} <= {game for game, _ in BOTS}
    folders = {(file.parents[2].name, file.parent.name) for file in ROOMS.glob("*/home/*/*")}
    assert {(game, name) for game, name in folders if name != "rivals"} == set(BOTS)


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_a_bot_of_the_library_fits_its_game_and_plays(game, name):
    bot = agents.load(name, game)
    assert bot.name == name
    assert bot.manifest["game"] == game
    assert {"config", "trained", "evaluation"} <= bot.manifest.keys()  # what made it
    loaded = envs.load(game)
    rows = play(loaded, [bot, agents.load("random", loaded)], 10, seats=2)
    assert not nature(loaded).rated or rows.payoffs.any()
    assert rows.plies.all()
    assert sum(file.stat().st_size for file in (agents.bot_folders(envs.load(game))[name]).iterdir()) < LARGEST


@pytest.mark.parametrize("game", [game for game, name in BOTS if name == "champion"])
def test_a_champion_has_its_configuration_and_beats_strong(game):
    manifest, loaded = read_manifest(agents.bot_folders(envs.load(game))["champion"]), envs.load(game)
    config = from_dict(read(configs.path(f"{game}_champion")))
    gone = {key: manifest["config"].pop(key) for key in manifest["config"].keys() - vars(config).keys()}
    assert gone.items() <= GONE.items()
    assert from_dict(manifest["config"]) == config
    view = {"observation": ["n", loaded.layout.size], "mask": ["n", loaded.num_actions]}
    assert manifest["inputs"] == view or "strong" in (
        manifest.get("afterstates", "").partition(".")[0],  # who tells of a view what choices leave
        manifest.get("advised_by"),  # who tells what it would do there
    )
    scores = manifest["card"]["against_strong"]
    assert sorted({score["seats"] for score in scores}) == list(loaded.seat_range)
    if loaded.roles:
        assert [score["role"] for score in scores] == list(loaded.roles["en"])
    for score in scores:
        assert score["deals"] >= 4_000
        value = "payoff" if loaded.roles else "success" if loaded.cooperative else "win_rate"
        assert score["low"] < score[value] < score["high"]
        if loaded.roles or loaded.cooperative:  # on the same deals
            assert 0 < score["ahead_low"] < score["ahead"] < score["ahead_high"]
        else:
            assert 1 / score["seats"] < score["low"]


@pytest.mark.parametrize(
    "game", [game for game, name in BOTS if name == "champion" and not envs.load(game).cooperative]
)
def test_the_card_of_a_champion_states_exploitability(game):
    found = read_manifest(agents.bot_folders(envs.load(game))["champion"])["card"]["exploitability"]
    assert any(one["by"] == "exact" for one in found) or game == "erase_una_vez"  # whose tree is too large
    for one in found:
        assert re.fullmatch("[0-9a-f]{7,8}", one["commit"])
        assert one["command"].startswith(("sobremesa exploit ", "python tests/tools/search_strength.py "))
        assert one["by"] == "exact" or (one["low"] < one["payoff"] < one["high"] and one["deals"] > 0)


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_without_onnxruntime_it_says_what_to_install(game, name, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert name in agents.names(envs.load(game))
    with pytest.raises(MissingExtra, match="bots"):
        agents.load(name, game)


@pytest.mark.parametrize("folder", sorted(ROOMS.glob("*/home/rivals/*")), ids=lambda folder: folder.name)
def test_the_card_of_a_rival_names_what_made_it(folder):
    manifest = read_manifest(folder)
    made, made_by = manifest["config"], manifest["card"]["made_by"]
    if named := re.search(r" train .* --config (\S+)", made_by):
        wanted = read(find(named[1])) | {"start": made.get("start")}
        assert wanted == {key: made.get(key) for key in wanted}
    else:
        assert re.search(r"^the configuration \S+ of commit [0-9a-f]{7,8}$| exploit ", made_by)


def test_scripted_agents_come_first_and_a_bot_needs_its_game():
    game, name = BOTS[0]
    known = agents.names(envs.load(game))
    assert known[: len(agents.scripted_names(envs.load(game)))] == ["random", "simple", "strong"]
    with pytest.raises(ValueError, match=f"no agent '{name}'; there are random, the folders"):
        agents.load(name)


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_chances_are_those_of_the_policy(game, name):
    bot, loaded = load_bot(agents.bot_folders(envs.load(game))[name]), envs.load(game)
    tables = envs.make_vec(game, 5)
    observations, masks, *_ = tables.step(tables.sample())
    chances = bot.chances(observations, masks)
    assert chances.shape == (5, loaded.num_actions)
    assert chances.sum(1) == pytest.approx(1)
    assert not chances[masks == 0].any()
    bot.temperature = 0.0
    assert bot.chances(observations, masks).argmax(1).tolist() == chances.argmax(1).tolist()
    assert set(bot.chances(observations, masks).ravel()) == {0, 1}
