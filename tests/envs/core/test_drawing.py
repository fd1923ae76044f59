"""Scenes of all games, and the SVG fragments that they use."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rooms import GAMES

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import symbols, titled
from sobremesa.envs.core.testing.check import setups

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ART = [path for path in sorted((ROOT / "envs").rglob("*.svg")) if not path.name.startswith("board.")]
MOST_BYTES = 300_000  # of a scene
PREFIXES = {"bandido_alcatraz": "alcatraz-", "erase_una_vez": "erase-"}  # of ids, on pages with scenes of several games
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_scene_is_well_formed_and_the_same_each_time(game, language):
    defined = {}  # fragments by id: those that return in another scene mean the same, so that scenes can share a page
    for seed, setup in enumerate(setups(game)[:4]):
        deal = [ply.states for ply in random_deal(game, seed, setup)]
        for states in (*deal[:-1:40], deal[-1]):
            before = states.tobytes()
            for seat in (None, *range(int(states["seats"][0]))):
                svg = game.words.scene(states, seat, language)
                root = ET.fromstring(svg)
                assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
                assert svg == game.words.scene(states, seat, language)
                assert len(svg.encode()) < MOST_BYTES
                assert "href" not in svg
                ids = {one.get("id"): ET.tostring(one) for one in root.iter() if one.get("id")}
                assert len(re.findall(r'\bid="', svg)) == len(ids)
                assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= set(ids)
                assert all(name.startswith(PREFIXES.get(game.name, "")) for name in ids)
                assert all(defined.setdefault(name, drawn) == drawn for name, drawn in ids.items())
            assert states.tobytes() == before


def test_symbols_are_read_by_their_names(tmp_path):
    path = tmp_path / "art.svg"
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg">\n<!-- things -->\n'
        '<symbol id="dot">\n  <g fill="{colour}">\n    <circle\n      r="2"/>\n  </g>\n</symbol>\n'
        '<symbol id="ring" overflow="visible"><circle r="3"/>\n  {more}\n  <text>a b</text></symbol>\n</svg>\n'
    )
    assert symbols(path) == {
        "dot": '<g fill="{colour}"><circle r="2"/></g>',
        "ring": '<circle r="3"/>{more}<text>a b</text>',
    }


def test_a_title_holds_for_the_gaps_of_its_area():
    title, ground, shape = ET.fromstring(titled("a & b", "<path/>", (1, 2, 30, 40.5)))
    assert (title.tag, title.text, shape.tag) == ("title", "a & b", "path")
    assert [ground.get(name) for name in ("x", "y", "width", "height")] == ["1", "2", "30", "40.5"]
    assert ground.get("fill-opacity") == "0"
    assert len(ET.fromstring(titled("a", "<path/>"))) == 2


def test_art_is_well_formed_and_every_symbol_of_it_is_read():
    for path in ART:
        root = ET.parse(path).getroot()
        assert root.tag == f"{SVG}svg", path
        names = [one.get("id") for one in root.iter(f"{SVG}symbol")]
        assert len(names) == len(set(names)) > 0, path
        assert list(symbols(path)) == names, path
        assert "href" not in "".join(symbols(path).values()), path


def test_the_readme_shows_the_board_of_every_game():
    boards = [f"envs/{name}/home/board.svg" for name in envs.games()]
    assert all((ROOT / board).exists() for board in boards)
    assert [board for board in boards if f"]({board})" not in README] == []
