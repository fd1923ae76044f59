"""Pictures for narrow screens: drawn by the games, legible on a phone, and as secret as the scenes."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from positions import positions
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO

from sobremesa.envs.bandido_alcatraz.state import HOW
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import place
from sobremesa.envs.core.picture.narrow_screen import WIDTH, below, lowered, lowered_box, moved, shelf_of, size_of
from sobremesa.envs.core.picture.pieces import pieces
from sobremesa.envs.core.picture.pointing import FINGER, MARGIN, PHONE, legal_actions, pointable_scene, pointed
from sobremesa.envs.core.wording import PictureWords
from sobremesa.envs.estafado.cards import NO_CARD
from sobremesa.envs.estafado.state import FOX

DRAWN = [game for game in ALL if isinstance(game.words, PictureWords)]
each_game = pytest.mark.parametrize("game", DRAWN, ids=lambda game: game.name)
SVG = "{http://www.w3.org/2000/svg}"
REACH = (844 - 120) * WIDTH / (PHONE - MARGIN)  # of a window without the page's head and foot, in units of the picture
LEAST, MOST = 8, 10  # pixels: of any words, and of four words in five
LEAST_WIDE, MOST_WIDE = 7.5, 8.8  # the same on a laptop
LAPTOP = 768 - 112  # pixels of a window 1366 wide that are for the picture and its buttons (look.css)
SCALE = re.compile(r"scale\((-?[\d.]+)")


def letters(svg, pixels=(PHONE - MARGIN) / WIDTH):
    """Yield the height in pixels of each text, and its words, where a unit has so many `pixels`; those of a phone."""

    def of(node, scale):
        scale *= abs(float((SCALE.search(node.get("transform", "")) or [0, "1"])[1]))
        if node.tag == f"{SVG}text":
            yield float(node.attrib["font-size"]) * scale * pixels, node.text or ""
        for child in node:
            yield from of(child, scale)

    return of(ET.fromstring(svg), 1.0)


@each_game
def test_the_picture_suits_a_phone_and_shows_nothing_twice(game):
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
            words = [one for one in sizes if len(one[1]) > 2 and one[1] != "EXIT"]  # a part of a drawing
            assert words[0][0] >= LEAST, words[:3]
            assert sum(size >= MOST for size, _ in words) >= 0.8 * len(words), words[:9]


@each_game
def test_letters_are_legible_on_a_laptop(game):
    for states, seat in positions(game, deals=2, plies=60, every=9):
        for viewer, language in itertools.product((None, seat), LANGUAGES):
            svg = pointable_scene(game, states, viewer, language)
            sizes = sorted(letters(svg, LAPTOP / size_of(svg)[1]))
            words = [one for one in sizes if len(one[1]) > 2 and one[1] != "EXIT"]  # a part of a drawing
            assert words[0][0] >= LEAST_WIDE, words[:3]
            if viewer is not None:  # an open table shows all hands
                assert sum(size >= MOST_WIDE for size, _ in words) >= 0.8 * len(words), words[:9]


@pytest.mark.parametrize(
    ("game", "held", "wide"),
    [
        (ENCIERRO, lambda state, seat: state.hand_size[seat], 55),
        (ESTAFADO, lambda state, seat: 1 + (state.hand != NO_CARD).sum() if seat == FOX else 0, 60),
        (TORO, lambda state, seat: state.hand[seat].sum(), 30),
        (BANDIDO, lambda state, seat: 2 if state.stage == HOW else 0, 50),
        (ERASE, lambda state, seat: min(state.hand_size[seat], 8), 75),
    ],
    ids=lambda one: one.name if hasattr(one, "name") else "",
)
def test_the_hand_is_in_reach_of_a_thumb(game, held, wide):
    for states, seat in positions(game, deals=4, plies=40, every=5):
        own = game.words.narrow.points(states, (), "es")[: int(held(states[0], seat))]
        for _, _, (x, y, across, down), *_ in own:
            assert x >= 0
            assert x + across <= WIDTH
            assert y + down <= REACH
            assert across > wide


def test_a_box_moves_with_its_fragment():
    assert moved((10, 20, 30, 40), 100, 200, 0.5) == (105, 210, 15, 20)


def test_parts_below_a_shelf_make_room_for_buttons():
    svg = f"<svg>{below(120, '<a/>')}</svg>"
    assert shelf_of(svg) == 120
    assert shelf_of("<svg/>") is None
    assert lowered(svg, 50) == '<svg><g class="below" transform="translate(0 50)"><a/></g></svg>'
    assert lowered_box((0, 100, 9, 30), "<b/>", 120, 50) == ((0, 100, 9, 30), "<b/>")
    assert lowered_box((0, 110, 9, 30), "<b/>", 120, 50) == ((0, 160, 9, 30), place(0, 50, "<b/>"))


@each_game
def test_buttons_stand_below_the_hand_and_suit_a_thumb(game):
    for states, seat in positions(game, deals=2, plies=30, every=3):
        svg = pointable_scene(game, states, seat, "en", narrow=True)
        drawn = game.words.narrow.scene(states, seat, "en")
        places = {point.box for point in game.words.narrow.points(states, legal_actions(game, states), "en")}
        shelf = shelf_of(drawn) or float(ET.fromstring(drawn).get("height"))
        buttons = [one for one in pointed(svg) if None in places or not places]
        high = [one.box for one in buttons if shelf <= one.box[1] and one.box[3] == pytest.approx(39)]
        assert all(box[2] >= 60 for box in high)
        if game is not ERASE or states["hand_size"][0, seat] <= 12:  # four rows of cards
            assert shelf <= REACH


def test_the_spaces_at_the_edge_suit_a_finger():
    found = 0
    for states, seat in positions(ESTAFADO, deals=3, plies=30, every=1):
        for one in pointed(pointable_scene(ESTAFADO, states, seat, "en", narrow=True)):
            assert min(one.box[2:]) * (PHONE - MARGIN) / WIDTH >= FINGER, one.words
            found += "eagle" in one.words
    assert found > 5
