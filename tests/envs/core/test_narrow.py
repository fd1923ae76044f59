"""Pictures for narrow screens: drawn by the games, legible on a phone, and as secret as the scenes."""

import re
import xml.etree.ElementTree as ET

import pytest
from positions import positions
from rooms import ALL, ENCIERRO

from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.picture.narrow_screen import WIDTH, moved
from sobremesa.envs.core.picture.pieces import pieces
from sobremesa.envs.core.picture.pointing import PHONE, pointable_scene, pointed
from sobremesa.envs.core.table import table_kernels

DRAWN = [game for game in ALL if game.words.narrow]
each_game = pytest.mark.parametrize("game", DRAWN, ids=lambda game: game.name)
SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 12  # pixels of a phone's window beside the picture
REACH = (844 - 120) * WIDTH / (PHONE - MARGIN)  # of a window without the page's head and foot, in units of the picture
SCALE = re.compile(r"scale\((-?[\d.]+)")


def letters(svg):
    """Yield the height in pixels of a phone's window of each text, and its words."""

    def of(node, scale):
        scale *= abs(float((SCALE.search(node.get("transform", "")) or [0, "1"])[1]))
        if node.tag == f"{SVG}text":
            yield float(node.attrib["font-size"]) * scale * (PHONE - MARGIN) / WIDTH, node.text or ""
        for child in node:
            yield from of(child, scale)

    return of(ET.fromstring(svg), 1.0)


def viewers(game, states):
    return (None, *([PUBLIC] if game.words.public else []), *range(int(states["seats"][0])))


@each_game
def test_the_picture_is_as_wide_as_a_phone_and_shows_nothing_twice(game):
    for states, seat in positions(game, deals=2, plies=30, every=9):
        svg = pointable_scene(game, states, seat, "es", narrow=True)
        root = ET.fromstring(svg)
        assert root.get("viewBox").split()[:3] == ["0", "0", str(WIDTH)]
        assert not [one for one in root.iter() if one.tag in (f"{SVG}svg", f"{SVG}use")][1:]
        drawn, scene = pieces(svg), pieces(game.words.followed(states, seat, "es"))
        assert set(drawn) == set(scene)


@each_game
def test_letters_are_legible_on_a_phone(game):
    for states, seat in positions(game, deals=2, plies=60, every=9):
        for language in LANGUAGES:
            sizes = sorted(letters(game.words.narrow.scene(states, seat, language)))
            words = [one for one in sizes if len(one[1]) > 2]
            assert words[0][0] >= 9, words[:3]
            assert sum(size >= 11 for size, _ in words) >= 0.8 * len(words), words[:9]


@each_game
def test_a_narrow_picture_tells_nothing_that_is_hidden(game):
    draw, differed = game.words.narrow.scene, False
    for states, _ in positions(game, deals=3, plies=40, every=5):
        for viewer in viewers(game, states):
            for language in LANGUAGES if viewer is not None else ():
                seats = range(int(states["seats"][0])) if viewer == PUBLIC else [viewer]
                for seat in seats:
                    world = states.copy()
                    table_kernels(game).redeal(world, seat, 7)
                    assert draw(world, viewer, language) == draw(states, viewer, language)
                    differed |= draw(world, None, language) != draw(states, None, language)
    assert differed


def test_the_hand_is_in_reach_of_a_thumb():
    for states, seat in positions(ENCIERRO, deals=4, plies=40, every=5):
        hand = int(states["hand_size"][0, seat])
        own = ENCIERRO.words.narrow.points(states, (), "es")[:hand]
        for _, _, (x, y, across, down), *_ in own:
            assert x >= 0
            assert x + across <= WIDTH
            assert y + down <= REACH
            assert across > 80


def test_a_box_moves_with_its_fragment():
    assert moved((10, 20, 30, 40), 100, 200, 0.5) == (105, 210, 15, 20)


def test_buttons_below_a_narrow_picture_suit_a_thumb():
    seen = 0
    for states, seat in positions(ENCIERRO, deals=2, plies=30, every=3):
        high = float(ET.fromstring(ENCIERRO.words.narrow.scene(states, seat, "en")).get("height"))
        for one in pointed(pointable_scene(ENCIERRO, states, seat, "en", narrow=True)):
            if one.box[1] > high:
                assert one.box[3] >= 38
                seen += 1
    assert seen
