"""The picture of *Bandido Alcatraz*, which shows a seat only its own information (C11)."""

import re
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest
from read_bandido_picture import (
    NORTH_TO_WEST,
    SVG,
    areas,
    drawn_ways,
    network,
    places_listed,
    spots,
    titles,
    tops,
    untitled_shapes,
    ways_through,
    words,
)
from worlds import check_pictures

import sobremesa
from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.drawing import scene
from sobremesa.envs.bandido_alcatraz.drawing.hands import STOCK, hand, stock
from sobremesa.envs.bandido_alcatraz.drawing.pieces import SEAT_COLOURS
from sobremesa.envs.bandido_alcatraz.drawing.tunnels import card
from sobremesa.envs.bandido_alcatraz.state import CLOSED, HOW, IMPOSSIBLE, NO_CARDS, NO_CELL, NOBODY, SIGNAL, WHERE
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, card_label
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.secrets import SecretLeaked

GAME = sobremesa.load("bandido_alcatraz")
MOST_LISTED = 8  # open ends; below a card there is room for so many numbers
SETUPS = (
    {"seats": 1, "solo_hand": "six", "difficulty": "easy"},
    {"seats": 2, "signals": True},
    {"seats": 3},
    {"seats": 4, "signals": True, "early_stop": True},
)


@cache
def deal(number, seed=0):
    return [ply.states for ply in random_deal(GAME, seed, SETUPS[number])]


def find(number, fits):
    """Return the first state of some random deals for which `fits(record)` holds."""
    for seed in range(40):
        for states in deal(number, seed):
            if fits(states[0]):
                return states
    raise AssertionError("no random deal has such a state")


def draw(states, seat=None, language="en"):
    return ET.fromstring(GAME.words.scene(states, seat, language))


def allowed(states):
    mask = np.zeros(GAME.num_actions, np.int8)
    table_kernels(GAME).legal(states, mask)
    return mask.nonzero()[0].tolist()


@pytest.mark.parametrize("kind", range(c.NUM_KINDS))
def test_c1_1_every_card_has_a_face(kind):
    drawn = {language: card(kind, language) for language in LANGUAGES}
    for language in LANGUAGES:
        root = ET.fromstring(drawn[language])
        assert root[0].text == card_label(kind, language)
    runs = re.search(r'class="tunnels" d="([^"]*)"', drawn["en"])
    wet = re.search(r'class="flooded" d="([^"]*)"', drawn["en"])
    mouths = "".join(one.group(1) for one in (runs, wet) if one).count("M")
    assert mouths == len(c.CARDS[kind].a) + max(1, len(c.CARDS[kind].b))
    assert (wet is not None) == (c.CARDS[kind].flooded < 2)
    assert ("EXIT" in "".join(ET.fromstring(drawn["en"]).itertext())) == (c.CARDS[kind].picture == c.EXIT)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_c4_2_the_tunnels_drawn_are_those_of_the_cards_on_top(number):
    for states in (*deal(number)[::30], deal(number)[-1]):
        root = draw(states)
        assert drawn_ways(root, "tunnels") == ways_through(states[0], False)
        assert drawn_ways(root, "flooded") == ways_through(states[0], True)


def test_c6_2_a_covered_half_is_covered():
    states = find(1, lambda state: int(state.cells) < 2 * int(state.laid))
    assert len(tops(states[0])) == states["cells"][0]
    assert drawn_ways(draw(states), "tunnels") == ways_through(states[0], False)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_c3_6_ends_and_floods_are_numbered_in_the_picture(number):
    for states in (*deal(number)[::30], deal(number)[-1]):
        state = states[0]
        ends, floods = spots(draw(states), "end"), spots(draw(states), "water")
        assert set(ends) == {slot + 1 for slot in range(c.MOST_ENDS) if state.end_cell[slot] != NO_CELL}
        for shown, (x, y) in ends.items():
            cell, side = int(state.end_cell[shown - 1]), int(state.end_side[shown - 1])
            off_x, off_y = NORTH_TO_WEST[side]
            assert abs(x - 100 * int(state.cell_x[cell]) - 1.2 * off_x) < 1
            assert abs(y - 100 * int(state.cell_y[cell]) - 1.2 * off_y) < 1
        assert set(floods) == {slot + 1 for slot, cell in enumerate(state.flood) if cell != NO_CELL}
        for shown, (x, y) in floods.items():
            cell = int(state.flood[shown - 1])
            assert max(abs(x - 100 * int(state.cell_x[cell])), abs(y - 100 * int(state.cell_y[cell]))) < 50
        assert set(spots(draw(states, 0, "es"), "túnel")) == set(ends)
        assert set(spots(draw(states, 0, "es"), "agua")) == set(floods)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_c3_5_a_large_network_stays_in_its_field(number):
    left, top, across, down = scene.WIDE.box
    for states in (deal(number)[0], deal(number)[-1]):
        root = draw(states)
        x, y, scale = map(
            float, re.match(r"translate\((\S+) (\S+)\) scale\((\S+)\)", network(root).get("transform")).groups()
        )
        for at_x, at_y in tops(states[0]):
            for off in (-50, 50):
                assert left <= x + scale * (100 * at_x + off) <= left + across
                assert top <= y + scale * (100 * at_y + off) <= top + down
    for far in (60, -60):  # a long row, as no deal has it
        states = deal(number)[0].copy()
        states["laid_x"][0, 0], states["cell_x"][0, :2] = far, (far, far + 1)
        assert spots(draw(states), "end")


def test_c11_1_a_seat_sees_its_own_hand_and_backs_of_others():
    for states in deal(2)[::40]:
        state = states[0]
        sizes = [int((hand != c.NO_CARD).sum()) for hand in state.hand[:3]]
        for seat in range(3):
            shown = titles(draw(states, seat))
            for kind in range(c.NUM_KINDS):
                assert shown.count(card_label(kind, "en")) == (state.hand[seat] == kind).sum()
            backs = sorted(one for one in shown if "in hand" in one)
            assert backs == sorted(f"{size} in hand" for other, size in enumerate(sizes) if other != seat)
        shown = titles(draw(states, None, "es"))
        for kind in range(c.NUM_KINDS):
            assert shown.count(card_label(kind, "es")) == (state.hand[:3] == kind).sum()


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_c2_3_every_seat_has_its_place(number):
    seats = SETUPS[number]["seats"]
    for viewer in (None, *range(seats)):
        svg = GAME.words.scene(deal(number)[0], viewer, "en")
        for seat in range(4):
            assert (f'fill="{SEAT_COLOURS[seat]}"' in svg) == (seat < seats)
            assert (f"Player {seat + 1}" in words(ET.fromstring(svg))) == (seat < seats)


def test_c3_4_only_the_seat_to_act_sees_the_chosen_place():
    for where, named in ((lambda where: where < c.MOST_ENDS, "end"), (lambda where: where >= c.MOST_ENDS, "water")):
        states = find(1, lambda state, where=where: state.stage == HOW and where(state.where))
        state = states[0]
        name = f"▸ {GAME.words.action_name(int(state.where), 'en')}"
        assert named in name
        for seat in (None, 0, 1):
            known = seat in (None, int(state.seat))
            root = draw(states, seat)
            assert (name in titles(root)) == known
            assert ("which card, and how?" in words(root)) == known
            assert ("¿qué carta, y cómo?" in words(draw(states, seat, "es"))) == known


def test_c11_1_only_the_seat_to_act_sees_where_cards_fit():
    for stage in (SIGNAL, WHERE, HOW):
        states = find(3, lambda state, stage=stage: state.stage == stage and state.laid > 10)
        asked = int(states["seat"][0])
        other = states.copy()
        other["fits"] = 0
        other["stage"], other["where"] = (WHERE, c.MOST_ENDS) if stage != WHERE else (SIGNAL, 0)
        for seat in range(4):
            same = GAME.words.scene(other, seat, "en") == GAME.words.scene(states, seat, "en")
            assert same == (seat != asked)


def test_c3_4_the_ways_to_lay_a_card_are_listed():
    states = find(2, lambda state: state.stage == HOW)
    seat = int(states["seat"][0])
    shown = [part.text for part in draw(states, seat).iter(f"{SVG}text") if " here, " in (part.text or "")]
    ways = {(line[0], side) for line in shown for side in line.split()[-1].split("·")}
    names = [GAME.words.action_name(action, "en").split() for action in allowed(states)]
    assert ways == {(card[-1], side[0].upper()) for card, side in names}
    assert len(shown) == len({card for card, _ in names})


def test_c7_1_what_was_gathered_is_counted():
    states = find(2, lambda state: state.raincoats == 2 and state.ropes == 1)
    assert {"raincoats 2/3", "ropes 1/2"} <= {one.text for one in draw(states, 0).iter(f"{SVG}text")}
    assert {"impermeables 2/3", "cuerdas 1/2"} <= {one.text for one in draw(states, 0, "es").iter(f"{SVG}text")}
    assert str(int(states["pile_size"][0])) in {one.text for one in draw(states, 0).iter(f"{SVG}text")}


def test_c7_1_a_card_that_may_be_gathered_says_so():
    def fits(state):
        kinds = [kind for kind in state.hand[state.seat] if kind != c.NO_CARD]
        return (
            state.stage == WHERE and any(c.PICTURE[kind] in (c.RAINCOAT, c.ROPE) for kind in kinds) and state.laid < 5
        )

    states = find(2, fits)
    seat = int(states["seat"][0])
    names = [GAME.words.action_name(action, "en") for action in allowed(states)]
    written = words(draw(states, seat))
    for slot in range(1, 4):
        assert (f"gather {slot}" in written) == (f"gather {slot}" in names)
    assert ("or gather a card" in written) == any("gather" in one for one in names)


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_each_spot_of_the_network_and_the_piles_has_its_name(number):
    for states in (*deal(number)[::40], deal(number)[-1]):
        assert not untitled_shapes(network(draw(states)))
        state = states[0]
        named = areas(ET.fromstring(f'<g xmlns="{SVG[1:-1]}">{stock(state, 0, "es")}</g>'))
        pile, raincoats, ropes = (
            named[next(one for one in named if one.startswith(word))] for word in ("mazo", "impermeable", "cuerda")
        )
        assert pile[:2] == (0, 0)
        assert raincoats[:2] == (pile[2], 0)
        assert ropes[:2] == (pile[2], raincoats[3])
        assert (pile[2] + ropes[2], pile[3]) == (raincoats[0] + raincoats[2], raincoats[3] + ropes[3]) == STOCK


@pytest.mark.parametrize("number", range(len(SETUPS)))
def test_all_places_of_a_card_are_listed_below_it(number):
    checked = 0
    for states in deal(number):
        state = states[0]
        if state.over or state.stage != WHERE or state.ends > MOST_LISTED:
            continue
        seat = int(state.seat)
        kinds = state.hand[seat].tolist()
        for drawn in (GAME.words.scene, GAME.words.narrow.scene):
            for slot, signs in places_listed(ET.fromstring(drawn(states, seat, "en"))).items():
                wheres = state.fits[:, slot].nonzero()[0] if kinds.index(kinds[slot]) == slot else ()
                assert signs == [str(one + 1) if one < c.MOST_ENDS else f"≈{one - c.MOST_ENDS + 1}" for one in wheres]
                checked += len(signs)
    assert checked > 50


def test_c5_3_cards_put_aside_are_open_to_who_put_them_there():
    states = deal(2)[0].copy()
    size = int(states["pile_size"][0])
    states["aside"][0, :3] = states["pile"][0, size - 3 : size]
    states["pile"][0, size - 3 : size] = c.NO_CARD
    states["pile_size"], states["aside_by"] = size - 3, 1
    kinds = [int(kind) for kind in states["aside"][0, :3]]
    for seat in (None, 0, 1, 2):
        root = draw(states, seat)
        assert "put aside 3" in words(root)
        hands = states["hand"][0, :3] if seat is None else states["hand"][0, seat]
        for kind in kinds:
            count = kinds.count(kind) if seat in (None, 1) else 0
            assert titles(root).count(card_label(kind, "en")) == (hands == kind).sum() + count


@pytest.mark.parametrize("language", LANGUAGES)
def test_o4_signals_are_quoted_if_the_option_is_on(language):
    states = deal(1)[0].copy()
    states["said"][0, :2] = 3, 6
    for seat in (None, 0, 1):
        written = words(draw(states, seat, language))
        for said in (3, 6):
            assert f"«{MOVES[language]['signals'][said][0]}»" in written
    states["signals"] = 0
    assert "«" not in words(draw(states, 0, language))


def test_c8_3_escape_is_told():
    states = deal(2)[-1].copy()
    states["end_cell"], states["ends"], states["flood"] = NO_CELL, 0, NO_CELL
    states["won"], states["exit_laid"], states["ending"] = 1, 1, CLOSED
    states["raincoats"], states["ropes"] = 3, 2
    for seat in (None, 0, 1, 2):
        assert "Bandido has escaped!" in words(draw(states, seat))
        assert "¡Bandido se ha fugado!" in words(draw(states, seat, "es"))


def test_c8_3_defeat_is_told_with_what_was_missing():
    states = deal(2)[-1].copy()
    assert states["ending"][0] == NO_CARDS
    states["ending"], states["exit_laid"], states["raincoats"], states["ropes"] = CLOSED, 0, 1, 2
    written = words(draw(states, 1))
    for told in (
        "Bandido is caught!",
        "all is closed",
        "no EXIT",
        "raincoats 1/3",
        f"open tunnels: {states['ends'][0]}",
    ):
        assert told in written
    assert "ropes 2/2 ·" not in written
    assert "¡Bandido, atrapado!" in words(draw(states, 1, "es"))


@pytest.mark.parametrize(("ends", "exit_laid", "band"), [(9, 1, 0), (5, 0, 1), (2, 1, 2), (0, 0, 2), (0, 1, 3)])
def test_c9_2_the_band_of_a_solitaire_is_told(ends, exit_laid, band):
    states = deal(0)[-1].copy()
    states["ends"], states["exit_laid"] = ends, exit_laid
    assert f"solitaire: band {band} of 3" in words(draw(states, 0))
    assert f"solitario: nivel {band} de 3" in words(draw(states, 0, "es"))
    states["ending"] = IMPOSSIBLE
    assert "band" not in words(draw(states, 0))


# Secrets.


def test_c11_2_open_hands_would_be_caught(monkeypatch):
    monkeypatch.setattr(scene, "hand", lambda state, panel, seat, language: hand(state, panel, None, language))
    with pytest.raises(SecretLeaked, match=r"the picture \(en\) differs"):
        check_pictures(GAME)


def test_c11_2_lanterns_lit_for_all_would_be_caught(monkeypatch):
    monkeypatch.setattr(scene, "knows_decision", lambda state, seat: not state.over)
    with pytest.raises(SecretLeaked, match=r"the picture \(en\) differs"):
        check_pictures(GAME, every=3)


def test_c11_1_other_hands_the_pile_and_memories_are_not_drawn():
    states = find(2, lambda state: state.laid > 12 and not state.over)
    other = states.copy()
    viewer = (int(states["seat"][0]) + 1) % 3
    third = (viewer + 1) % 3
    other["pile"][0, : int(states["pile_size"][0])] = 0
    other["hand"][0, third][states["hand"][0, third] != c.NO_CARD] = 1
    other["put_under"][0, 0] = third if states["put_under"][0, 0] == NOBODY else NOBODY
    other["ply"], other["news_count"], other["turns"], other["passes"] = 0, 0, 0, 0
    assert GAME.words.scene(other, viewer, "es") == GAME.words.scene(states, viewer, "es")
