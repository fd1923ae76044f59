"""Cards of *Érase una vez*: emblems, names that fit, and text in lines."""

import re
import xml.etree.ElementTree as ET

import pytest

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import width_of
from sobremesa.envs.erase_una_vez.drawing.art import ALIKE, EMBLEMS, emblem
from sobremesa.envs.erase_una_vez.drawing.cards import label, sketch, story_card
from sobremesa.envs.erase_una_vez.drawing.pieces import wrap
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS, NUM_THINGS, THINGS

SVG = "{http://www.w3.org/2000/svg}"


def texts(root):
    """Yield about where each text of a card stands: left, top, right, bottom."""
    for one in root.iter(f"{SVG}text"):
        size, x, y = (float(one.get(name)) for name in ("font-size", "x", "y"))
        wide = float(one.get("textLength") or 0.92 * size * width_of("".join(one.itertext())))
        left = x - wide / 2 if one.get("text-anchor") == "middle" else x
        yield left, y - 0.72 * size, left + wide, y


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_a_face_with_its_name_within(language):
    for thing in range(NUM_THINGS):
        faces = [sketch(thing, language)] + ([story_card(thing, language)] if thing < NUM_ELEMENTS else [])
        for face in faces:
            root = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{face}</svg>')
            assert root.find(f".//{SVG}title").text == label(thing, language)
            for left, top, right, bottom in texts(root):
                assert -46 <= left < right <= 46, THINGS[thing].id
                assert 1 < top < bottom < 68, THINGS[thing].id
            shown = re.sub(r"[ /]+", "", "".join(one.text for one in root.iter(f"{SVG}text")).lower())
            assert re.sub(r"[ /]+", "", THINGS[thing].name.lower()) in shown
            assert (THINGS[thing].english.lower().replace(" ", "") in shown) or language == "es"


def test_c1_1_every_element_has_an_emblem_of_its_own():
    assert {thing.id for thing in THINGS[:NUM_ELEMENTS]} <= set(EMBLEMS)
    assert len({emblem(thing) for thing in range(NUM_ELEMENTS)}) == NUM_ELEMENTS


def test_c1_3_concepts_have_emblems_or_borrow_one():
    assert {*EMBLEMS, *ALIKE} == {thing.id for thing in THINGS}
    assert set(ALIKE.values()) <= set(EMBLEMS)
    assert not set(EMBLEMS) & set(ALIKE)


def test_emblems_stay_within_their_hundred():
    for name, emblem_of in EMBLEMS.items():
        for one in ET.fromstring(f"<g>{emblem_of}</g>"):
            if one.tag == "circle":
                x, y, radius = (float(one.get(key, 0)) for key in ("cx", "cy", "r"))
                assert max(abs(x), abs(y)) + radius <= 54, name
            for x, y in re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", one.get("d", "")):
                assert max(abs(float(x)), abs(float(y))) <= 52, name


def test_interruptions_have_their_ribbon():
    for card in range(NUM_ELEMENTS):
        assert ("Interrupción" in story_card(card, "es")) == THINGS[card].interruption
        assert ("Interruption" in story_card(card, "en")) == THINGS[card].interruption


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("said", ["Lobo", "Dos personas se enamoran", "extraordinariamente", "a b c d e f g h " * 9])
def test_wrapped_words_fit_or_are_cut_short(said, most):
    lines, size = wrap(said, 14, 60, most)
    assert 1 <= len(lines) <= most
    assert all(width_of(line) * size <= 60 for line in lines)
    assert size <= 14
    kept = " ".join(lines)
    assert kept == " ".join(said.split()) or kept.endswith("…")
