"""Pictures of *Estafado*: contents, and secrets of seats (C12)."""

import importlib
import itertools
import xml.etree.ElementTree as ET
from functools import cache

import pytest
from worlds import check_pictures

import sobremesa
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import place, width_of
from sobremesa.envs.core.picture.pointing import legal_actions
from sobremesa.envs.core.testing.secrets import SecretLeaked
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, NOWHERE, NUM_CELLS, RING, SUN_START, space_name
from sobremesa.envs.estafado.cards import HURRICANE, NO_CARD, NUM_KINDS, NUM_RABBITS
from sobremesa.envs.estafado.drawing import cards, panels
from sobremesa.envs.estafado.drawing.animals import picture
from sobremesa.envs.estafado.drawing.cards import face, ghost, large_face, large_ghost
from sobremesa.envs.estafado.notation import is_creep
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.story import won
from sobremesa.envs.estafado.text.words import PICTURE

GAME = sobremesa.load("estafado")
SCENE = importlib.import_module("sobremesa.envs.estafado.drawing.scene")
VIEWERS = (None, s.FOX, s.CROW)


@cache
def deal(seed):
    return [ply.states for ply in random_deal(GAME, seed, {})]


def find(fits):
    """Return the first state of some random deals for which `fits(record)` holds."""
    for seed in range(100):
        for states in deal(seed):
            if fits(states[0]):
                return states.copy()
    raise AssertionError("no random deal has such a state")


def titles(svg):
    return [one.text for one in ET.fromstring(svg).iter() if one.tag.endswith("title")]


def words(svg):
    return " ".join(ET.fromstring(svg).itertext())


def texts(svg):
    return [one.text for one in ET.fromstring(svg).iter() if one.tag.endswith("text")]


def where(svg, name):
    """Return the place of the token `name`."""
    found = [one.split(": ")[1] for one in titles(svg) if one.startswith(f"{name}: ")]
    assert len(found) <= 1
    return found[0] if found else None


def hidden(kind, language):
    return PICTURE[language]["face_down"].format(card_name(kind, language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", range(NUM_KINDS))
def test_c1_1_every_card_has_a_picture_and_its_name(kind, language):
    for drawn in (face(kind, language), large_face(kind, language, True)):
        assert titles(drawn) == [card_name(kind, language)]
        assert card_name(kind, language).split()[-1] in [word for one in texts(drawn) for word in one.split()]
    for drawn in (ghost(kind, language), large_ghost(kind, language, True)):
        assert titles(drawn) == [hidden(kind, language)]
    assert picture(kind) in face(kind, language)


def test_c1_1_only_rabbits_share_a_picture():
    assert len({picture(kind) for kind in range(NUM_KINDS)}) == NUM_KINDS - NUM_RABBITS + 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_c12_1_a_card_is_open_only_to_seats_that_know_it(language):
    for states in deal(5)[::7]:
        state = states[0]
        for viewer in VIEWERS:
            shown = titles(GAME.words.scene(states, viewer, language))
            for kind in range(NUM_KINDS):
                lying = [cell for cell in range(NUM_CELLS) if state.cards[cell] == kind]
                known = [cell for cell in lying if viewer is None or state.known[viewer, cell]]
                down = sum(not state.up[cell] for cell in known)
                buried = sum(
                    card == kind and (viewer != s.FOX or bool(state.pile_known[slot]))
                    for slot, card in enumerate(state.pile)
                )
                hands = sum(card == kind for card in state.hand) if kind == HURRICANE and viewer == s.CROW else 0
                top = kind == HURRICANE and state.deck[state.deck_size - 1] == HURRICANE
                assert shown.count(hidden(kind, language)) == down + buried + hands + top
            unknown = 0 if viewer is None else NUM_CELLS - int(state.known[viewer].sum())
            assert shown.count(PICTURE[language]["back"]) >= unknown


def test_c12_1_a_memory_is_drawn_for_its_owner_alone():
    states = find(
        lambda state: any(state.known[s.CROW, cell] and not state.known[s.FOX, cell] for cell in range(NUM_CELLS))
    )
    state = states[0]
    cell = next(cell for cell in range(NUM_CELLS) if state.known[s.CROW, cell] and not state.known[s.FOX, cell])
    kind = int(state.cards[cell])
    drawn = ghost(kind, "en")
    corner = SCENE.board.corner(cell)
    placed = place(*corner, drawn).removesuffix("</g>")
    assert placed in GAME.words.scene(states, s.CROW, "en")
    assert placed in GAME.words.scene(states, None, "en")
    assert placed not in GAME.words.scene(states, s.FOX, "en")


def test_c12_1_cards_seen_by_the_other_seat_are_marked():
    states = find(lambda state: not state.over and state.known[s.FOX].sum() > 4 and state.known[s.CROW].sum() > 4)
    state = states[0]
    marks = {s.FOX: "the fox has seen it", s.CROW: "the crow has seen it"}
    plain = (state.up == 0) & (state.cards != HURRICANE)
    for seat, mark in marks.items():
        seen = int((plain & (state.known[seat] == 1)).sum())
        assert titles(GAME.words.scene(states, 1 - seat, "en")).count(mark) == seen
        assert titles(GAME.words.scene(states, None, "en")).count(mark) == seen
        assert titles(GAME.words.scene(states, seat, "en")).count(mark) == 0


def test_c12_1_what_all_know_of_an_unseen_card_is_marked():
    states = deal(1)[0].copy()
    cell = next(cell for cell in range(NUM_CELLS) if NUM_RABBITS < states["cards"][0, cell] != HURRICANE)
    states["no_rabbit"][0, cell] = states["swappable"][0, cell] = 1
    for viewer in (s.FOX, s.CROW):
        shown = titles(GAME.words.scene(states, viewer, "en"))
        assert shown.count("no rabbit") == shown.count("may be swapped") == 1
    states["known"][0, s.FOX, cell] = 1
    assert "no rabbit" not in titles(GAME.words.scene(states, s.FOX, "en"))


def test_c2_6_pictures_show_the_back_of_the_hurricane():
    for lies in (
        lambda state: (state.cards == HURRICANE).any(),
        lambda state: (state.hand == HURRICANE).any(),
        lambda state: state.deck[state.deck_size - 1] == HURRICANE,
    ):
        assert hidden(HURRICANE, "es") in titles(GAME.words.scene(find(lies), s.CROW, "es"))
    deep = find(lambda state: (state.deck[: state.deck_size - 1] == HURRICANE).any())
    for viewer in VIEWERS:
        assert hidden(HURRICANE, "en") not in titles(GAME.words.scene(deep, viewer, "en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_c2_1_the_crow_sees_only_backs_of_the_hand(language):
    states = deal(2)[0]
    hand = {card_name(int(card), language) for card in states["hand"][0]}
    for viewer in (None, s.FOX):
        assert hand <= set(titles(GAME.words.scene(states, viewer, language)))
    assert not hand & set(titles(GAME.words.scene(states, s.CROW, language)))


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ("Fox", "Bear", "Vixen", "Eagle", "Crow", "Sun", "Moon")),
        ("es", ("Zorro", "Oso", "Zorra", "Águila", "Cuerva", "Sol", "Luna")),
    ],
)
def test_tokens_stand_where_they_are(language, names):
    fox, bear, vixen, eagle, crow, sun, moon = names
    for states in (*deal(4)[::5], find(lambda state: state.ending == s.SUNSET)):
        state = states[0]
        for viewer in VIEWERS:
            svg = GAME.words.scene(states, viewer, language)
            assert where(svg, fox) == CELL_NAMES[state.fox]
            assert where(svg, bear) == CELL_NAMES[state.bear]
            assert where(svg, vixen) == (None if state.vixen == NOWHERE else CELL_NAMES[state.vixen])
            assert where(svg, eagle) == (None if state.eagle == RING else space_name(int(state.eagle), language))
            assert where(svg, crow) == space_name(int(state.crow), language)
            day, night = (moon, sun) if state.sun == RING else (sun, moon)
            assert where(svg, day) == space_name((SUN_START + int(state.sun)) % RING, language)
            assert where(svg, night) is None


def test_the_bears_arrow_points_to_where_it_came_from():
    states = find(lambda state: NOWHERE != state.bear_before == state.bear + 1 and not state.over)
    assert 'rotate(90)"><path d="M-9,-19 L0,-33' in GAME.words.scene(states, None, "en")
    states["bear_before"] = NOWHERE
    assert '<path d="M-9,-19 L0,-33' not in GAME.words.scene(states, None, "en")


def test_chosen_cards_and_the_fox_s_step_are_marked():
    states = find(lambda state: state.stage == s.EXCHANGE and not state.over)
    for viewer in VIEWERS:
        assert f"chosen: {CELL_NAMES[int(states['chosen'][0])]}" in titles(GAME.words.scene(states, viewer, "en"))
    states = find(lambda state: state.stage == s.REPLACE and state.fox != state.fox_start and not state.over)
    start = f"the fox's step began on {CELL_NAMES[int(states['fox_start'][0])]}"
    assert start in titles(GAME.words.scene(states, s.CROW, "en"))
    assert start not in titles(GAME.words.scene(find(lambda state: state.stage == s.BEAR), s.CROW, "en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_whose_move_it_is_and_what_is_asked_stands_there(language):
    for stage in range(s.NUM_QUESTIONS):
        states = find(lambda state, stage=stage: not state.over and state.stage == stage)
        for viewer in VIEWERS:
            written = words(GAME.words.scene(states, viewer, language))
            assert PICTURE[language][f"asks{stage}"] in written
    assert len({PICTURE[language][f"asks{stage}"] for stage in range(s.NUM_QUESTIONS)}) == s.NUM_QUESTIONS


def test_rights_lost_turn_and_dozing_bear_are_told():
    fresh = words(GAME.words.scene(deal(0)[0], None, "en"))
    assert "used" not in fresh
    assert "3/3" in fresh
    states = deal(0)[0].copy()
    states["double"], states["vixen"], states["lost"], states["bear_skip"], states["deck_swaps"] = 0, 3, 1, 1, 1
    told = {"en": ("used", "loses a turn", "the bear dozes"), "es": ("usada", "pierde turno", "el oso dormita")}
    for language, phrases in told.items():
        written = words(GAME.words.scene(states, s.CROW, language))
        assert written.count(phrases[0]) == 2
        assert phrases[1] in written
        assert phrases[2] in written
        assert "1/3" in written


def test_rabbits_caught_deck_and_discards_are_shown():
    states = find(lambda state: state.catches == 2 and state.discards.sum() > 1 and not state.over)
    state = states[0]
    shown = titles(GAME.words.scene(states, s.CROW, "es"))
    for kind in state.prey[:2]:
        assert f"atrapado: {card_name(int(kind), 'es')}" in shown
    written = words(GAME.words.scene(states, s.CROW, "es"))
    assert f" {int(state.deck_size)} " in written
    assert f"Descartes · {int(state.discards.sum())}" in written
    for kind in range(NUM_KINDS):
        assert shown.count(card_name(kind, "es")) >= state.discards[kind]


@pytest.mark.parametrize("ending", [s.CAUGHT, s.SUNSET, s.EATEN])
def test_c11_the_result_is_told(ending):
    states = find(lambda state: state.over and state.ending == ending)
    for language in LANGUAGES:
        written = words(GAME.words.scene(states, None, language))
        assert all(part in written for part in won(states[0], language).split(": "))


# Secrets.


def test_c12_a_picture_that_shows_too_much_would_be_caught(monkeypatch):
    honest = SCENE._card
    monkeypatch.setattr(SCENE, "_card", lambda state, cell, viewer, *more: honest(state, cell, None, *more))
    with pytest.raises(SecretLeaked, match=r"the picture \(en\) differs"):
        check_pictures(GAME)


def test_c12_a_hand_shown_to_the_crow_would_be_caught(monkeypatch):
    honest = SCENE.panels.panels
    monkeypatch.setattr(SCENE.panels, "panels", lambda state, viewer, language: honest(state, None, language))
    with pytest.raises(SecretLeaked, match=r"seat 1: the picture \(en\) differs"):
        check_pictures(GAME)


def test_c8_5_buried_cards_are_drawn_for_seats_that_know_them():
    states = find(
        lambda state: state.pile[0] not in (NO_CARD, HURRICANE) and not state.pile_known[0] and not state.over
    )
    drawn = large_ghost(int(states["pile"][0, 0]), "en", True)
    assert drawn in GAME.words.scene(states, s.CROW, "en")
    assert drawn not in GAME.words.scene(states, s.FOX, "en")
    states["pile_no_rabbit"][0, 0] = states["pile_swappable"][0, 0] = 0
    plain = titles(GAME.words.scene(states, s.FOX, "en"))
    states["pile_no_rabbit"][0, 0] = states["pile_swappable"][0, 0] = 1
    for mark in ("no rabbit", "may be swapped"):
        assert titles(GAME.words.scene(states, s.FOX, "en")).count(mark) == plain.count(mark) + 1
    states["pile_known"][0, 0] = 1
    assert drawn in GAME.words.scene(states, s.FOX, "en")


def test_news_and_the_random_stream_are_not_drawn():
    states = find(lambda state: state.stage == s.SWAP_SECOND)
    other = states.copy()
    other["ply"], other["news_count"], other["news"] = 0, 0, 0
    for viewer in VIEWERS:
        assert GAME.words.scene(other, viewer, "es") == GAME.words.scene(states, viewer, "es")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fox_covers_no_name_of_a_card(language):
    (_, down), scale = SCENE._FOX_SPOT
    for kind in range(NUM_KINDS):
        for size in (10.6, 19.0):  # of the wide and of the narrow picture
            _, below = cards._large_name(card_name(kind, language), 50, size, 94, "")
            assert below - 0.3 * size < down - 21 * scale, card_name(kind, language)


def sign_texts(svg):
    """Return the words on the sign of a narrow picture with their left and right ends and base line."""
    found = []
    for one in (one for one in ET.fromstring(svg).iter() if one.tag.endswith("text")):
        x, y, size = (float(one.get(name)) for name in ("x", "y", "font-size"))
        if 60 < x <= panels.WIDTH and y < 84 and one.text and len(one.text) > 3:
            wide = float(one.get("textLength", width_of(one.text) * size))
            left = x - wide if one.get("text-anchor") == "end" else x
            found.append((one.text, left, left + wide, y))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_on_the_sign_do_not_meet(language):
    for states in (state for seed in (6, 7, 8) for state in deal(seed)[::2]):
        for large in (False, True):
            texts = sign_texts(f"<svg>{panels.panel(panels.SIGN, states[0], s.FOX, language, large)}</svg>")
            assert len(texts) >= 2
            for (one, left, right, y), (other, start, end, level) in itertools.combinations(texts, 2):
                assert abs(y - level) > 10 or right <= start or end <= left, (one, other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_looks_left_are_shown_once(language):
    states = find(lambda state: not state.over and state.stage == s.PEEKING)
    looks = panels.looks(states[0], language)
    assert looks.endswith(f": {int(states['left'][0])}")
    for draw in (GAME.words.scene, GAME.words.narrow.scene):
        assert words(draw(states, s.FOX, language)).count(looks) == 1
        assert words(draw(deal(0)[0], s.FOX, language)).count(looks.split(":")[0]) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_rights_and_the_die_have_names_whoever_is_asked(language):
    named = {
        "en": ("vixen", "eagle ×2", "dodges on 2 of 6", "Deck swaps left", "Deck"),
        "es": ("zorra", "águila ×2", "esquiva con 2 de 6", "Cambios que quedan", "Baraja"),
    }[language]
    for states in deal(5)[::5]:
        for draw in (GAME.words.scene, GAME.words.narrow.scene):
            assert set(named) <= set(titles(draw(states, s.FOX, language)))


@pytest.mark.parametrize("narrow", [False, True])
def test_only_cards_for_steps_of_one_card_bear_a_track(narrow):
    crept = 0
    for states in (state for state in deal(5) if not state[0].over and int(state["seat"][0]) == s.FOX):
        legal = legal_actions(GAME, states)
        points = GAME.words.narrow.points if narrow else GAME.words.points
        drawn = [set(point.actions) & set(legal) for point in points(states, legal, "es") if point.drawn]
        assert set().union(*drawn) == {action for action in legal if is_creep(states[0], action)}
        crept += len(drawn)
    assert crept > 5
