"""The rules pages: worked turns are plies of real deals, and every card is explained."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import sobremesa

from sobremesa import envs
from sobremesa.envs.corre_el_encierro.cards import CARDS

ROOT = Path(__file__).resolve().parents[2]
TABLETOP = [name for name in envs.games() if (ROOT / "envs" / name / "RULES.md").exists()]
COMMAND = re.compile(r"^Plies of `sobremesa (watch \w+ .*--plain)`", re.MULTILINE)
ROW = re.compile(r"^\| (\d+) \| (.*?) \| ([^|]*) \|$", re.MULTILINE)


def rules_of(name):
    return (ROOT / "envs" / name / "RULES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLETOP)
def test_a_worked_turn_shows_plies_of_a_real_deal(name, capsys):
    text = rules_of(name)
    (command,) = COMMAND.findall(text)
    assert sobremesa(*shlex.split(command)) == 0
    events = dict(re.findall(r"^(\d+)\. (.*)$", capsys.readouterr().out, re.MULTILINE))
    section = text[text.index(command) :].partition("\n## ")[0]
    rows = ROW.findall(section)
    assert len(rows) >= 5
    for ply, shown, why in rows:
        assert shown.replace("\\|", "|") == events[ply], f"ply {ply}"
        for clause in re.findall(r"\b[CHO]\d+(?:\.\d+)?\b", why):
            assert f"**{clause}" in text, f"ply {ply} names {clause}"
    assert all(re.search(r"\b[CHO]\d", why) for _, _, why in rows[:2])


def test_every_card_of_encierro_is_explained():
    text = rules_of("corre_el_encierro")
    table = text[text.index("What each card does") :].partition("\n## ")[0]
    missing = [card for card in CARDS if card.name not in table or card.english not in table]
    assert not missing
