"""Galleries: folders of films with an index page."""

import json
import re

from rooms import TORO

from sobremesa import cli
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.report import gallery

DEAL = ("watch", TORO.name, "random", "random", "--setup", "max_rounds=1", "--gallery")


def test_deals_are_added_to_what_is_there(tmp_path, capsys):
    folder = tmp_path / "deals"
    assert cli.main([*DEAL, str(folder), "--seed", "3", "--deals", "2"]) == 0
    assert "index.html" in capsys.readouterr().out
    assert cli.main([*DEAL, str(folder), "--seed", "4"]) == 0  # written anew
    deals = gallery.read(folder)
    assert [one.seed for one in deals] == [3, 4]
    index = (folder / "index.html").read_text(encoding="utf-8")
    for one in deals:
        assert f'href="{one.name}.html"' in index
        assert f'src="{one.name}.svg"' in index
        assert one.result[1:] in re.sub("<span[^>]*>.</span>", "", index)
        assert "const packed" in (folder / f"{one.name}.html").read_text(encoding="utf-8")
        assert (folder / f"{one.name}.svg").read_text(encoding="utf-8").startswith("<svg")
    assert not re.search(r"(src|href)=\"(/|http|\.\.)", index)  # it can lie anywhere
    assert "<script" not in index


def test_names_cannot_break_out_of_a_gallery():
    hostile = '"><script>alert(1)</script>'
    page = gallery._index([gallery.GalleryDeal(hostile, hostile, hostile, hostile, 1, 1)], "en")
    assert "<script" not in page
    assert page.count("&lt;script") == 6


def test_a_folder_with_another_list_is_left_alone(tmp_path, capsys):
    elsewhere = (
        '{"format": 1, "deals": [{"name": "../x", "title": "", "seating": "", "result": "", "plies": 1, "seed": 1}]}'
    )
    for content in ("[", "{}", '{"format": 1, "deals": [{"name": 1}]}', elsewhere, '{"format": 2, "deals": []}'):
        (tmp_path / "gallery.json").write_text(content)
        assert cli.main([*DEAL, str(tmp_path)]) == 2
        assert "gallery.json" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["gallery.json"]


def test_a_replay_is_added(tmp_path):
    file, folder = tmp_path / "deal.json", tmp_path / "deals"
    assert cli.main(["watch", TORO.name, "random", "random", "--setup", "max_rounds=1", "--out", str(file)]) == 0
    assert cli.main(["watch", str(file), "--gallery", str(folder)]) == 0
    (shown,) = gallery.read(folder)
    assert shown.seed == json.loads(file.read_text())["seed"]


def test_a_gallery_draws_seat_signs_and_whole_covers():
    page = gallery._index([gallery.GalleryDeal("a-b", "Deal", "⓪ simple · ① strong", "① strong wins", 1, 1)], "en")
    assert not any(sign in page for sign in SEAT_SIGNS)
    assert '<span class="seat s0">1</span> simple · <span class="seat s1">2</span> strong' in page
    assert "object-fit: cover" not in page
    assert page.startswith("<!doctype html>")
