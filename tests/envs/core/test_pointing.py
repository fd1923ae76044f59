"""Clickable scenes: every legal action can be reached, and other scenes have no layer."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from positions import positions
from rooms import ALL, KUHN, TORO, with_words

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import place, without_pieces
from sobremesa.envs.core.picture.narrow_screen import size_of
from sobremesa.envs.core.picture.pieces import CAME, CHANGED, MOVED, WENT, changes, pieces
from sobremesa.envs.core.picture.pointing import FINGER, MARGIN, PHONE, Pointed, legal_actions, pointable_scene, pointed
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.wording import PictureWords, Point

MOST_LEFT = 6  # actions that clicks can leave for buttons
every_game = pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
LAYER = re.compile(r'<g class="points">.*</g>(?=</svg>$)', re.DOTALL)
WIDE = 640  # pixels of the narrowest window with a wide scene (wire.js)
OPENING = re.compile("^<svg [^>]*>")  # the strip of buttons makes the picture higher


def remaining_actions(found, action):
    """Return the actions left when every thing of `action` has been clicked; an empty set if it has no thing."""
    about = [one.actions for one in found if action in one.actions]
    if about:
        about += [one.actions | one.then for one in found if action in one.then]
    return frozenset.intersection(*about) if about else frozenset()


def asked(game, states, seat, language="en"):
    return pointed(pointable_scene(game, states, seat, language))


def check(game, states, seat):
    """Check what can be pointed at in one position."""
    found, legal = asked(game, states, seat), legal_actions(game, states)
    where = f"{game.name}, ply {int(states['ply'][0])}"
    assert len(legal) > 1, where
    for one in found:
        assert set() < one.actions | one.then <= set(legal), (where, one)
        assert not one.actions & one.then, (where, one)
        assert one.words.strip(), (where, one)
    for action in legal:
        left = remaining_actions(found, action)
        assert action in left, (where, game.words.action_name(action, "en"))
        assert len(left) <= MOST_LEFT, (where, sorted(game.words.action_name(one, "en") for one in left))


def check_all(game, deals, plies, every):
    tried = 0
    for states, seat in positions(game, deals, plies, every):
        check(game, states, seat)
        tried += 1
    assert tried > deals // 2


@every_game
def test_all_that_is_legal_can_be_pointed_at_and_nothing_else(game):
    check_all(game, deals=3, plies=40, every=5)


@pytest.mark.thorough
@every_game
def test_all_that_is_legal_can_be_pointed_at_in_many_deals(game):
    check_all(game, deals=len(setups(game)), plies=120, every=5)


@every_game
def test_only_the_seat_to_act_has_a_layer_over_its_scene(game):
    for states, seat in positions(game, deals=2, plies=12, every=4):
        for viewer in (None, *range(int(states["seats"][0]))):
            scene = game.words.scene(states, viewer, "es")
            svg = without_pieces(pointable_scene(game, states, viewer, "es"))
            assert "data-actions" not in scene
            under, layers = LAYER.subn("", svg)
            assert layers == (viewer == seat)
            assert OPENING.sub("", under) == OPENING.sub("", scene)


def test_once_a_deal_is_over_there_is_nothing_to_point_at():
    *_, (states, *_) = random_deal(KUHN, 0)
    assert states["over"][0]
    for viewer in (None, 0, 1):
        assert not pointed(pointable_scene(KUHN, states, viewer, "en"))


@every_game
def test_buttons_do_not_change_the_size_of_a_wide_scene(game):
    sizes, rows = set(), set()
    for seed, setup in zip(range(3), setups(game), strict=False):
        for states, seat, *_ in itertools.islice(random_deal(game, seed, setup, 40), 0, None, 5):
            for viewer in {None, 0, seat}:
                svg = pointable_scene(game, states, viewer, "es")
                sizes.add(size_of(svg))
                boxes = [
                    one.box for one in pointed(svg) if one.box[1] >= size_of(game.words.scene(states, None, "es"))[1]
                ]
                rows |= {one[1] for one in boxes}
                assert all(x >= 0 and x + across <= size_of(svg)[0] for x, _, across, _ in boxes)
    assert len(sizes) == 1
    assert len(rows) <= 1


@every_game
def test_what_can_be_pointed_at_tells_nothing_that_is_hidden(game):
    for states, seat in positions(game, deals=2, plies=20, every=4):
        world = states.copy()
        table_kernels(game).redeal(world, seat, 11)
        for language, narrow in zip(LANGUAGES, (False, True), strict=True):
            seen = [pointable_scene(game, one, seat, language, narrow=narrow) for one in (states, world)]
            assert seen[0] == seen[1]


def test_points_that_look_at_what_is_hidden_are_caught():
    def telling(states, legal, language):
        other = 1 - int(states["seat"][0])
        return [Point(str(states["hand"][0, other].tolist()), legal, (0, 0, 9, 9))]

    game = with_words(TORO, points=telling)
    with pytest.raises(AssertionError):
        test_what_can_be_pointed_at_tells_nothing_that_is_hidden(game)


@pytest.mark.parametrize(
    "game", [game for game in ALL if isinstance(game.words, PictureWords)], ids=lambda game: game.name
)
def test_names_of_pieces_are_unique_and_hide_secrets(game):
    named = set()
    for states, _ in positions(game, deals=2, plies=20, every=4):
        for viewer in (None, *range(int(states["seats"][0]))):
            svg = game.words.followed(states, viewer, "es")
            assert without_pieces(svg) == game.words.scene(states, viewer, "es")
            named |= set(pieces(svg))
            if viewer is not None:
                world = states.copy()
                table_kernels(game).redeal(world, viewer, 5)
                assert game.words.followed(world, viewer, "es") == svg
    assert len(named) > 3, named


def test_what_became_of_pieces():
    def drawn(**placed):
        return f"<svg>{''.join(place(x, 0, body, piece=name) for name, (x, body) in placed.items())}</svg>"

    before = drawn(bull=(1, "<a/>"), moon=(2, "<a/>"), lily=(3, "<a/>"), tile=(4, "<a/>"))
    after = drawn(bull=(5, "<b/>"), moon=(2, "<b/>"), tile=(4, "<a/>"), card=(6, "<a/>"))
    assert changes(before, after) == {"bull": MOVED, "moon": CHANGED, "lily": WENT, "card": CAME}
    assert changes(before, before) == {}
    with pytest.raises(ValueError, match="two pieces are called 'bull'"):
        pieces(f"<svg>{place(0, 0, '', piece='bull')}{place(1, 0, '', piece='bull')}</svg>")


def test_a_bull_that_walks_has_moved():
    walked = 0
    deal = list(random_deal(TORO, 0, {"mountains": "fixed"}, 30))
    for ply, later in itertools.pairwise(deal):
        name = f"bull-{ply.seat}"
        moved = changes(*(TORO.words.followed(one.states, None, "en") for one in (ply, later))).get(name) == MOVED
        at = [int(one.states["bull"][0, ply.seat]) for one in (ply, later)]
        assert moved or at[0] == at[1]
        walked += at[0] != at[1]
    assert walked > 3


@every_game
def test_each_thing_is_a_button_with_a_name_in_its_language(game):
    for states, seat in positions(game, deals=2, plies=20, every=6):
        named = []
        for language in LANGUAGES:
            root = ET.fromstring(pointable_scene(game, states, seat, language))
            (layer,) = (one for one in root.iter() if one.get("class") == "points")
            buttons = [one for one in layer.iter() if one.get("class") == "point"]
            assert [one for one in root.iter() if {"data-actions", "data-then"} & set(one.attrib)] == buttons != []
            for one in buttons:
                assert (one.get("role"), one.get("tabindex")) == ("button", "0")
                assert one.get("aria-label") == one[0].text
            named.append([one.get("aria-label") for one in buttons])
        assert len(named[0]) == len(named[1])


@every_game
def test_targets_lie_in_the_picture_and_do_not_overlap(game):
    """What lay apart lies apart; what a finger can not hit on a phone has too little room (the buttons name it)."""
    for states, seat in positions(game, deals=2, plies=30, every=6):
        root = ET.fromstring(pointable_scene(game, states, seat, "en"))
        least = FINGER / (PHONE - MARGIN) * float(root.get("viewBox").split()[2])
        marks, touches = (
            [
                tuple(float(one.get(name)) for name in ("x", "y", "width", "height"))
                for one in root.iter()
                if one.get("class") == which
            ]
            for which in ("mark", "touch")
        )
        across, down = (float(one) for one in root.get("viewBox").split()[2:])
        for number, touch in enumerate(touches):
            assert contains(touch, marks[number])
            assert contains((0, 0, across, down), marks[number])
            near = [other for other in range(len(touches)) if other != number and meet(touch, touches[other], 0.2)]
            assert all(meet(marks[number], marks[other], -0.2) for other in near)
            button = touch[1] >= size_of(game.words.scene(states, seat, "en"))[1]
            if min(touch[2:]) < (least * (PHONE - MARGIN) / (WIDE - MARGIN) if button else least) - 0.2:
                others = (one for other, one in enumerate(touches) if other != number)
                assert any(meet(larger(touch, 0.5), one, -0.5) for one in others), touch


def contains(one, other):
    return (
        one[0] <= other[0] + 0.1
        and one[1] <= other[1] + 0.1
        and one[0] + one[2] >= other[0] + other[2] - 0.1
        and one[1] + one[3] >= other[1] + other[3] - 0.1
    )


def larger(box, by):
    return box[0] - by, box[1] - by, box[2] + 2 * by, box[3] + 2 * by


def meet(one, other, by):
    """Say whether two boxes have more than `by` in common, across and down."""
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return across > by and down > by


def test_a_game_without_points_has_a_button_for_each_action():
    states, seat = next(positions(KUHN, 1, 1))
    assert not isinstance(KUHN.words, PictureWords)
    svg = pointable_scene(KUHN, states, seat, "en")
    assert [(one.actions, one.words) for one in pointed(svg) if not one.then] == [
        (frozenset([action]), KUHN.words.action_name(action, "en")) for action in legal_actions(KUHN, states)
    ]
    assert pointed(KUHN.words.scene(states, seat, "en")) == []
    high = int(re.search(r'viewBox="0 0 \d+ (\d+)"', KUHN.words.scene(states, seat, "en"))[1])
    assert all(one.box[1] >= high for one in pointed(svg))


def test_waiting_things_are_hidden_and_buttons_stand_below():
    def points(states, legal, language):
        return [Point("later", (), (0, 0, 9, 9), then=legal), Point("a button", legal, None)]

    states, seat = next(positions(KUHN, 1, 1))
    svg = pointable_scene(with_words(KUHN, PictureWords, points=points), states, seat, "en")
    root = ET.fromstring(svg)
    later, button = (one for one in root.iter() if one.get("class") == "point")
    assert (later.get("visibility"), later.get("data-actions")) == ("hidden", None)
    assert (button.get("visibility"), button.get("data-then")) == (None, None)
    (first, second), legal = pointed(svg), frozenset(legal_actions(KUHN, states))
    assert (first.actions, first.then) == (frozenset(), legal)
    assert (second.actions, second.words) == (legal, "a button")
    assert second.box[1] > 60  # below the picture
    assert all(remaining_actions([first, second], action) == legal for action in legal)


def test_things_narrow_what_is_left():
    things = [("a card", [1, 2, 3], []), ("a place", [2, 9], [3]), ("another", [], [8])]
    found = [Pointed(frozenset(actions), frozenset(then), words, (0, 0, 9, 9)) for words, actions, then in things]
    assert remaining_actions(found, 2) == {2}
    assert remaining_actions(found, 1) == {1, 2, 3}
    assert remaining_actions(found, 3) == {2, 3}
    assert remaining_actions(found, 9) == {2, 9}
    assert remaining_actions(found, 8) == frozenset()  # nothing to point at before
    assert remaining_actions(found, 5) == frozenset()


def test_things_without_legal_actions_are_left_out():
    states, seat = next(positions(KUHN, 1, 1))
    some, *rest = legal_actions(KUHN, states)

    def points(states, legal, language):
        return [
            Point("all", range(99), (0, 0, 9, 9)),
            Point("none", [98], (0, 0, 9, 9)),
            Point("one", [some], (9, 9, 9, 9)),
        ]

    found = asked(with_words(KUHN, PictureWords, points=points), states, seat)
    assert [one.actions for one in found] == [{some, *rest}, {some}]
    assert found[1].words == f"one: {KUHN.words.action_name(some, 'en')}"


def test_a_scene_of_another_make_is_refused():
    game = with_words(KUHN, scene=lambda states, seat, language: "<svg><g/></svg>")
    states, seat = next(positions(KUHN, 1, 1))
    with pytest.raises(ValueError, match="it takes a viewBox"):
        pointable_scene(game, states, seat, "en")


@every_game
def test_a_narrow_scene_has_the_same_things_inside_the_picture(game):
    for states, seat in positions(game, deals=3, plies=30, every=9):
        for viewer in (None, *range(int(states["seats"][0]))):
            wide, narrow = (pointable_scene(game, states, viewer, "es", narrow=one) for one in (False, True))
            if not isinstance(game.words, PictureWords):  # the scene, with larger buttons
                assert [one[:3] for one in pointed(narrow)] == [one[:3] for one in pointed(wide)]
                continue
            size = [float(one) for one in ET.fromstring(narrow).get("viewBox").split()]
            before, now = pointed(wide), pointed(narrow)
            assert ("data-actions" in narrow) == (viewer == seat)
            assert [one[:3] for one in now] == [one[:3] for one in before]
            for one in now:
                x, y, across, down = one.box
                assert contains(size, (x + across / 2, y + down / 2, 0, 0))
