"""Texts of *Ese Toro enamorado*: tables as a seat sees them."""

import re

import numpy as np
import pytest

from sobremesa.envs.core import chance
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import LANGUAGES, SEAT_SIGNS
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.ese_toro_enamorado import GAME, board as b, state as s
from sobremesa.envs.ese_toro_enamorado.knowledge import knows as knows_place
from sobremesa.envs.ese_toro_enamorado.text.map import MOON_SIGN, draw_board, known_places
from sobremesa.envs.ese_toro_enamorado.text.table import describe
from sobremesa.envs.ese_toro_enamorado.text.words import WORDS

_RESET, _STEP = step_kernels(GAME)


@kernel
def _play(tables, seed, streams, mask, plies):
    """Deal, then play `plies` random legal actions or to the end."""
    state = tables[0]
    _RESET(state, seed, mask)
    for _ in range(plies):
        if state.over:
            return
        _STEP(state, pick(streams[0], mask), mask)


def played(seed, plies, seats=4, **setup):
    table = np.zeros(1, s.STATE)
    usual = {"rosemary_chain": 1, "shore_tiles": 1, "max_vueltas": s.MAX_VUELTAS, "max_rounds": s.MAX_ROUNDS}
    for name, number in (usual | {"seats": seats} | setup).items():
        table[name] = number
    streams = np.zeros(1, chance.STREAM)
    streams["stream"][0, chance.KEY] = 7 * seed + 1
    _play(table, seed, streams, np.zeros(s.NUM_ACTIONS, np.int8), plies)
    return table


@pytest.fixture(scope="module")
def tables():
    """Tables of every size on both boards: choosing, day, night, new moon, over, and odd rules."""
    stops = (0, 2, 7, 9, 12, 20, 60, 100, 150, 220, s.MAX_PLIES)
    found = [
        played(seed, plies, 2 + (seed + count) % 3, board=seed % 2)
        for seed in range(4)
        for count, plies in enumerate(stops)
    ]
    odd = {"round_end": 2, "rosemary": 1, "rosemary_chain": 0, "fence_bounce": 1, "shore_tiles": 0, "duplicates": 2}
    return [*found, *(played(5, plies, 4, mountains=1, **odd) for plies in stops)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_where_the_deal_stands(tables, language):
    words = WORDS[language]
    for table in tables:
        state, text = table[0], describe(table, 0, language)
        assert describe(table.copy(), 0, language) == text
        if state.over:
            winners = [SEAT_SIGNS[seat] for seat in range(int(state.seats)) if state.winner[seat]]
            assert all(winner in text.split("\n")[1] for winner in winners)
            continue
        assert words[f"stage{int(state.stage)}"] in text
        assert SEAT_SIGNS[state.seat] in text.split("\n")[1]
        assert (words["you"] in text.split("\n")[1]) == (state.seat == 0)
        if state.stage != s.CHOOSE:
            assert b.PHASE_NAMES[language][state.phase] in text.split("\n")[0]
            assert f"{int(state.round_number)} " in text.split("\n")[0]


@pytest.mark.parametrize("board", [b.STANDARD, b.SMALL])
def test_the_map_names_every_place_of_its_board_once(board):
    text = "\n".join(draw_board(played(1, 9, board=board)[0], None, "en"))
    there = [name for node, name in enumerate(b.PLACE_NAMES) if node >= b.NUM_NODES or b.DEGREE[board, node] > 0]
    assert sorted(re.findall(r"[MOISW]\d", text)) == sorted(there)


def test_the_map_shows_every_piece_beside_its_place(tables):
    for table in tables:
        state = table[0]
        text = "\n".join(draw_board(state, 0, "es"))
        labels = dict(re.findall(rf"([MOISW]\d)((?:\[.\])?[{MOON_SIGN}{SEAT_SIGNS}]*)", text))
        known = known_places(state, 0)
        for place, name in enumerate(b.PLACE_NAMES):
            if name not in labels:
                continue
            bulls = "".join(SEAT_SIGNS[seat] for seat in range(int(state.seats)) if state.bull[seat] == place < b.WATER)
            moon = MOON_SIGN if place == b.WATER + int(state.moon) else ""
            tile = re.sub(r"[\[\]]", "", labels[name][:3]) if "[" in labels[name] else ""
            assert labels[name].endswith(moon + bulls)
            if state.tile[place] == b.NO_TILE:
                assert labels[name] == moon + bulls
            elif not known[place]:
                assert tile == "?"
            else:
                assert tile.lower() == b.TILE_NAMES["es"][state.tile[place]][0]
                assert tile.isupper() == bool(state.face_up[place] or place >= b.WATER)


def test_the_known_places_are_those_that_observe_knows():
    table = played(3, 11, board=b.SMALL)
    for seat in range(4):
        knows = [bool(knows_place(table[0], seat, place)) for place in range(len(b.PLACE_NAMES))]
        assert known_places(table[0], seat).tolist() == knows


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_lists_the_tiles_that_the_seat_knows(tables, language):
    words, kinds = WORDS[language], b.TILE_NAMES[language]
    for table in (table for table in tables if table[0].stage != s.CHOOSE):
        state, text = table[0], describe(table, 1, language).replace("\n  ", " ")
        known = known_places(state, 1)
        for place in np.flatnonzero(state.tile != b.NO_TILE):
            kind = kinds[state.tile[place]] if known[place] else words["unknown"]
            assert words["laid"].format(kind, b.PLACE_NAMES[place], SEAT_SIGNS[state.owner[place]]) in text
        assert (words["hand"] in text) == state.hand[1].any()
        assert (words["gone"] in text) == state.gone.any()


def test_the_open_table_shows_all_hands_and_all_tiles():
    for seed in range(6):
        table = played(seed, 9)
        text = describe(table, None, "en")
        assert "?" not in text.replace(WORDS["en"]["legend"], "")
        assert WORDS["en"]["unknown"] not in text
        assert WORDS["en"]["you"] not in text
        for seat, held in enumerate(table[0].hand):
            assert not held.any() or SEAT_SIGNS[seat] in text.split(WORDS["en"]["hands"])[1]


def test_other_rules_of_the_table_are_told():
    assert WORDS["en"]["variants"] not in describe(played(0, 9), 0, "en")
    text = " ".join(describe(played(0, 9, rosemary=1, shore_tiles=0), 0, "es").split())
    assert f"{WORDS['es']['rosemary1']}; {WORDS['es']['shore_tiles0']}" in text


def test_a_bull_that_is_not_on_the_board_is_not_drawn():
    table = played(0, 0)
    assert (table[0].bull == b.NO_NODE).all()
    assert not set(SEAT_SIGNS) & set("".join(draw_board(table[0], 0, "en")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_all_phases(language):
    assert all(phase in GAME.words.help(language) for phase in b.PHASE_NAMES[language])
