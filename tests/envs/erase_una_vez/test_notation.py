"""Names of actions of *Érase una vez*, and other accepted texts."""

from itertools import groupby

import pytest
from erase_tables import choices, do, table

from sobremesa import envs
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.wording import shown_name
from sobremesa.envs.erase_una_vez import notation, state as s, tables as t
from sobremesa.envs.erase_una_vez.drawing.cards import label
from sobremesa.envs.erase_una_vez.notation import action_name, parse_action
from sobremesa.envs.erase_una_vez.text.words import name_of

GAME = envs.load("erase_una_vez")
ACTIONS = range(s.NUM_ACTIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_parse_by_gloss_and_by_either_form(language):
    for number, thing in enumerate(t.THINGS):
        head = action_name(s.A_TELL + number, language).removesuffix(name_of(number, language))
        if language == "en":
            assert parse_action(f"tell {thing.english}", "en") == s.A_TELL + number
            assert parse_action(f"tell {thing.name} ({thing.english})", "en") == s.A_TELL + number
            assert parse_action(f"tell {label(number, 'en')}", "en") == s.A_TELL + number
        if number < t.NUM_ELEMENTS:
            for form in ("o", "a") if "(a)" in thing.name else ():
                assert parse_action(head + thing.name.replace("o(a)", form), language) == s.A_TELL + number
            for block in (s.A_CARD, s.A_DISCARD, s.A_CLAIM):
                assert action_name(block + number, language).endswith(f" {name_of(number, language)}")


@pytest.mark.parametrize(
    ("tale", "would"), [("Rey*, Camino*", "el juez lo aceptaría"), ("Rey*, Lobo*", "el juez lo rechazaría")]
)
def test_an_ending_comes_first_in_a_list_with_its_words(tale, would):
    states = table(["", "Bosque"], tale=tale, endings=["F52"])
    actions = [action for action in ACTIONS if action_name(action, "en") in choices(states)]
    listed = notation.ordered(states, actions)
    words = "Uno se quedó con todo y el otro siguió andando, y los dos salieron ganando"
    assert listed[0] == s.A_END
    assert notation.entry(s.A_END, "es", states) == (f"final 1 ({would})", words)
    assert shown_name(GAME.words, s.A_END, "es", states) == f"final 1 {words}"
    assert sorted(listed) == actions
    assert listed[-1] == s.A_PASS


def test_what_makes_no_sense_has_its_reason_in_a_list():
    states = table(["Este animal puede hablar, Un combate, Se rompe un objeto", "Bosque"], tale="Palacio*, Noche*")
    heads = {name: notation.entry(s.A_CARD + t.NUMBER[name], "es", states)[0] for name in ("A19", "E07", "E01")}
    assert heads == {
        "A19": "carta (ahora sin sentido: falta un animal)",
        "E07": "carta (ahora sin sentido: falta un personaje)",
        "E01": "carta (ahora sin sentido: falta un objeto)",
    }
    actions = [action for action in ACTIONS if action_name(action, "en") in choices(states)]
    listed = [notation.entry(action, "es", states)[0] for action in notation.ordered(states, actions)]
    assert len(list(groupby(listed))) == len(set(listed))  # each heading once
    labels = [point.words for point in GAME.words.points(states, actions, "es")]
    assert "Este animal puede hablar, ahora sin sentido: falta un animal" in labels


def test_a_card_that_only_broke_in_is_no_animal_in_the_tale():
    states = do(table(["Rey, Bosque", "Caballo, Este animal puede hablar"]), "card Rey", "interrupt Caballo")
    actions = [action for action in ACTIONS if action_name(action, "en") in choices(states)]
    labels = [point.words for point in GAME.words.points(states, actions, "es")]
    assert "Este animal puede hablar, ahora sin sentido: falta un animal" in labels
    assert "Caballo, interrumpe sin contarlo" in labels


@pytest.mark.parametrize("text", ["final", "cambiar final", "gancho"])
def test_what_takes_a_number_says_so(text):
    with pytest.raises(ValueError, match=rf"'{text}', pero ¿cuál\? .*'{text} 1'"):
        parse_action(text, "es")
