"""Own words for a fair listener: what the tale leaves open, sentences without a thing, and the preview (O16)."""

import io
from pathlib import Path

import pytest
from erase_tables import ACTIONS, GAME, action, choices, do, table, thing, weight
from labelled_sentences import read

from sobremesa.agents.human import Human
from sobremesa.cli import main
from sobremesa.envs import erase_una_vez
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.sayings import meanings, words_of
from sobremesa.envs.erase_una_vez.text.languages import language_of

TELLING = GAME.words.telling
HANDS = ["Hacha, Rana", "Bosque, Loco", "Ventana, Fuga"]


def own(tale="", hands=HANDS, **more):
    return table(hands, tale=tale, setup={"telling": "words"}, **more)


def heard_in(states, text):
    """Return a sentence in the language in which it is written."""
    return TELLING.listen(states, text, TELLING.language(text))


def tell(states, text, act=None):
    """Tell a sentence, by default as the likeliest thing that it can mean."""
    saying = heard_in(states, text)
    chosen = TELLING.actions(states, saying)[0] if act is None else action(act)
    TELLING.say(states, chosen, saying)
    return do(states, ACTIONS[chosen])


OPENINGS = [
    "The princess fled from the tower into the forest.",
    "Once upon a time a war broke out in the kingdom.",
    "The shepherd saved a lamb from the river.",
    "Un día se rompió el puente.",
    "Long ago, in a land far beyond the hills, there lived a blind harpist.",
    "Everybody was asleep when the bell cracked.",
    "He was so strong that he carried the cart home.",
    "Two neighbours had quarrelled for years over a hedge.",
    "One night somebody died in the inn.",
    "A stranger fell in love with the sea.",
    "Nobody knew who had poisoned the well.",
    "Un hombre muy sabio vivía solo.",
    "Dos desconocidos se enamoraron en un mercado.",
    "Aquella noche alguien huyó por los tejados.",
    "Hace mucho tiempo unos pescadores salvaron a un niño.",
    "Un sastre y su vecina discutían cada mañana.",
    "Érase una vez una muchacha ciega que tocaba el arpa.",
    "Se le rompió el cántaro y no dijo nada.",
    "El cuervo habló antes del amanecer.",
    "Hubo un torneo, y nadie quiso ganarlo.",
]
WITHOUT_A_THING = [
    "Nadie contestó.",
    "He rang the bell twice, but nobody opened.",
    "Los dos jóvenes se miraron largo rato sin decir nada.",
    "And so it was.",
    "She shrugged and went on counting buttons.",
    "Aquello no le gustó nada.",
    "Era martes.",
]


@pytest.mark.parametrize("text", OPENINGS)
def test_o16_3_an_opening_that_denies_nothing_makes_sense(text):
    states = tell(own(), text)
    assert states[0].sense >= 5
    assert "protest" not in choices(states)


def test_o16_3_what_the_tale_leaves_open_can_be_claimed():
    states = tell(own(), "The princess fled from the tower into the forest.")
    assert weight(states, "Fuga") >= 75


def test_o16_3_trouble_is_denied_right_after_a_rescue_alone():
    states = own(tale="Princesa, Un rescate", facts="libre")
    tell(states, "The princess fled.", "tell Fuga")
    assert states[0].sense == 2
    assert weight(states, "Fuga") == 0
    later = own(tale="Princesa, Un rescate, Palacio, Libro, Corona", facts="libre")
    assert tell(later, "The princess fled.", "tell Fuga")[0].sense >= 5
    danger = own(tale="Princesa, Un rescate", facts="libre, peligro")
    assert tell(danger, "The princess fled.", "tell Fuga")[0].sense >= 5


def test_o16_3_a_sentence_of_the_game_still_needs_what_it_needs():
    states = do(own(), "tell Fuga")
    assert states[0].sense == 2


@pytest.mark.kernels
@pytest.mark.parametrize("text", WITHOUT_A_THING)
@pytest.mark.parametrize("tale", ["", "Rey*, Princesa"])
def test_o16_9_a_sentence_without_a_thing_tells_on(text, tale):
    states = own(tale=tale)
    before = states.copy()
    saying = heard_in(states, text)
    assert [name for _, name in meanings(GAME, states, saying, "en")] == ["tell on"]
    tell(states, text)
    assert GAME.problems(states) == []
    assert states[0].sense == 10
    assert int(states[0].seat) == int(before[0].seat)
    for name in ("told", "told_at", "facts", "fact_at", "context", "people", "objects", "stale", "listed", "hand_size"):
        assert (states[name] == before[name]).all(), name
    words = words_of(GAME, [saying])
    assert text in " ".join(words.describe(states, None, "es").split())
    assert text in words.tale(states, "en")
    assert "…" in GAME.words.tale(states, "en") or tale
    assert GAME.words.scene(states, None, "es")


@pytest.mark.parametrize("name", ["fresh", "third"])
def test_sentences_of_others_are_told_and_make_sense(name):
    start, refused = own(), []
    for one in read(Path(__file__).with_name(f"sentences_{name}.jsonl")):
        states = tell(start.copy(), one["text"])
        if TELLING.language(one["text"]) != one["language"] or states[0].sense < 5:
            refused.append(one["text"])
    assert refused == []


def test_o16_9_telling_on_too_long_is_rambling():
    states = own(tale="Rey*")
    for _ in range(6):
        tell(states, "Nadie contestó.")
        assert states[0].sense == 10
    tell(states, "Nadie contestó.")
    assert states[0].sense == 3
    assert "protest" in choices(states)


def test_o16_9_a_tale_has_to_begin():
    states = own()
    for _ in range(6):
        tell(states, "Nadie contestó.")
    saying = heard_in(states, "Nadie contestó.")
    assert TELLING.actions(states, saying) == []
    assert TELLING.preview(states, saying, "es").text.startswith("Ahora no se puede contar")
    assert tell(states, "Vivía allí un rey.")[0].told[thing("Rey")]


def test_o16_9_what_is_only_named_may_be_claimed():
    states = own(tale="Rey*", hands=["Hacha", "Rana", "Ventana"])
    tell(states, "Saltaba como una rana.")
    assert weight(states, "Rana") == 40
    assert not states[0].told[thing("Rana")]


def test_o16_9_two_sentences_at_most_before_the_ending():
    states = own(hands=["", "Bosque", "Ventana"], tale="Rey*")
    tell(tell(states, "Nadie contestó."), "Era martes.")
    assert TELLING.actions(states, heard_in(states, "Nadie contestó.")) == []


# What its author learns before.


@pytest.mark.parametrize(
    ("tale", "facts", "text", "said"),
    [
        ("", "", "Había una vez una reina.", "Nadie puede decir que no tenga sentido."),
        ("", "", "Nadie contestó.", "así que solo sigue el cuento.\nNadie puede decir"),
        ("", "", "Once there was a queen.", "Nadie puede decir"),
        ("Princesa, Un rescate", "libre", "Y entonces huyó.", "acaba de liberar a alguien"),
        ("Libro*, Corona*", "", "Saltaba como una rana.", "Nadie puede decir"),
    ],
)  # fmt: skip
def test_the_preview_says_whether_it_is_nonsense(tale, facts, text, said):
    states = own(tale=tale, **({"facts": facts} if facts else {}))
    before = states.copy()
    assert said in TELLING.preview(states, heard_in(states, text), "es").text
    assert (states == before).all()


def test_the_preview_says_why_it_is_nonsense():
    rambling = own(tale="Rey*, Palacio*")
    for _ in range(2):
        tell(rambling, "El rey volvió a su palacio.")
    saying = heard_in(rambling, "El rey volvió a su palacio.")
    assert "divaga" in TELLING.preview(rambling, saying, "es").text
    assert "rambles" in TELLING.preview(rambling, saying, "en").text
    closing = own(hands=["", "Bosque", "Ventana"], tale="Rey*")
    assert "nothing new" in TELLING.preview(closing, heard_in(closing, "Un lobo llegó."), "en").text


# The language.


@pytest.mark.parametrize("text", [*OPENINGS, *WITHOUT_A_THING])
def test_the_language_of_a_sentence_is_recognized(text):
    spanish = any(sign in text for sign in "áéíóúñ") or text.startswith(("Dos", "Un ", "Hubo", "Era", "É"))
    for usual in ("es", "en"):
        assert language_of(text, usual) == ("es" if spanish else "en")


def test_words_of_both_languages_are_in_the_usual_one():
    assert [language_of("Gloria", usual) for usual in ("es", "en")] == ["es", "en"]


@pytest.mark.parametrize(
    ("text", "language"),
    [("Fermín ran to the house.", "en"), ("Nuño and Mencía hid.", "en"), ("El rey dijo 'ven'.", "es")],
)
def test_names_of_the_game_and_quotes_are_in_both_languages(text, language):
    assert [language_of(text, usual) for usual in ("es", "en")] == [language, language]


def test_eleven_in_spanish_is_no_english_word():
    assert language_of("Once lobos aullaron.", "es") == "es"


def test_an_environment_recognizes_spanish():
    env = erase_una_vez.env(seats=3, telling="words").unwrapped
    env.reset(seed=1)
    assert env.say("La princesa se perdió en un bosque oscuro.") in (action("tell Princesa"), action("card Princesa"))


def test_a_person_at_an_english_table_may_write_spanish():
    shown, typed = [], iter(["La princesa se perdió en un bosque.", ""])
    person = Human("en", lambda _: next(typed), shown.append)
    states = own()
    chosen = person.act(make_view(GAME, states, 0, new_stream(1)))
    assert "The table hears: Princess" in "\n".join(shown)
    assert "Nobody can call it nonsense." in "\n".join(shown)
    assert chosen == action("tell Princesa")
    assert person.said().language == "es"


def test_a_person_who_writes_sees_the_moves_on_request():
    shown, typed = [], iter(["lista", "contar bosque"])
    person = Human("es", lambda _: next(typed), shown.append)
    states = own()
    assert person.act(make_view(GAME, states, 0, new_stream(1))) == action("tell Bosque")
    listed = [number for number, text in enumerate(shown) if text.startswith("\nPuedes jugar:")]
    assert listed == [2]
    assert "Cuéntalo con tus palabras" in shown[1]
    assert person.said() is None


@pytest.mark.parametrize(("more", "asked"), [([], True), (["telling=sentences"], False)])
def test_the_terminal_asks_for_own_words_unless_told_otherwise(more, asked, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert main(["play", "erase_una_vez", "--seed", "3", "--seat", "0", "--setup", "begins=seat 0", *more]) == 0
    assert ("in your own words" in capsys.readouterr().out) == asked
