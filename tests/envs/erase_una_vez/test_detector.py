"""The detector of free text: traps, inflection, hostile input, and a floor of right labels."""

import json
import time
from pathlib import Path

import pytest
from detector import accuracy, by_detector, measure, read

from sobremesa.envs.erase_una_vez.tables import NUMBER
from sobremesa.envs.erase_una_vez.text.detector import HEARD, detect

BUILDING = Path(__file__).with_name("sentences_building.jsonl")


def heard_sentences():
    return [one for one in read(BUILDING) if one["language"] in HEARD]


def found(text, language="es"):
    return {mention.thing: mention.kind for mention in detect(text, language)}


@pytest.mark.parametrize("language", HEARD)
def test_most_labels_of_the_building_set_are_right(language):
    sentences = [one for one in read(BUILDING) if one["language"] == language]
    strict, loose = accuracy(measure(sentences, by_detector))
    assert loose >= FLOORS[language][0]
    assert strict >= FLOORS[language][1]


FLOORS = {"es": (0.9, 0.75), "en": (0.9, 0.75)}  # of labels, and of labels and spurious elements


@pytest.mark.parametrize(
    ("text", "thing", "kind"),
    [
        ("Había una princesa en la torre.", "P01", "valid"),
        ("Las princesas reían.", "P01", "valid"),
        ("Un lobezno salió del bosque.", "P05", "valid"),
        ("una CABAÑITA junto al rio", "L12", "valid"),
        ("La hija del rey se escapó.", "P01", "valid"),
        ("Tenía un hambre de lobo.", "P05", "named"),
        ("Tomó un libro y lo abrió.", "O01", "valid"),
    ],
)
def test_words_in_other_forms_and_traps_in_spanish(text, thing, kind):
    assert found(text).get(thing) == kind


@pytest.mark.parametrize(
    ("trap", "thing"),
    [("Yo tomo sopa.", "O01"), ("Don Tomás dijo que no.", "O13"), ("Tú me llamas cada noche.", "O03")],
)
def test_homographs_are_at_most_named(trap, thing):
    assert found(trap).get(thing) != "valid"


def test_every_mention_is_a_known_thing_with_a_certainty():
    for one in heard_sentences():
        for mention in detect(one["text"], one["language"]):
            assert mention.thing in NUMBER
            assert 0 < mention.certainty <= 1
            assert mention.kind in ("valid", "named")
            assert mention.words


def test_the_same_text_gives_the_same_mentions():
    texts = [(one["text"], one["language"]) for one in heard_sentences()[::7]]
    assert [detect(*one) for one in texts] == [detect(*one) for one in texts]


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\x00\x1b[31m\u202e", "🐺" * 500, "a\u0301" * 500, "(" * 1000, "lobo " * 2000, "no " * 5000,
     "x" * 10_000, "un rey y " * 1000, ", lobo" * 2000, json.dumps({"lobo": ["rey"] * 500})],
)  # fmt: skip
@pytest.mark.parametrize("language", HEARD)
def test_hostile_texts_are_read_in_linear_time(text, language):
    def seconds(read):
        start = time.process_time()
        detect(read, language)
        return time.process_time() - start

    detect("rey", language)
    short, long = (min(seconds(text * times) for _ in range(3)) for times in (1, 4))
    assert long < 10 * max(short, 0.005)


def test_another_language_is_refused():
    with pytest.raises(ValueError, match="language='fr'"):
        detect("roi", "fr")
