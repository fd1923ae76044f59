"""Names of actions of *Érase una vez*, and other accepted texts."""

import re
from collections import defaultdict
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
BOSQUE, DRAGON = t.NUMBER["L11"], t.NUMBER["C07"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_has_a_name_of_its_own_that_parses_back(language):
    names = [action_name(action, language) for action in ACTIONS]
    assert len({name.casefold() for name in names}) == s.NUM_ACTIONS
    assert [parse_action(name, language) for name in names] == list(ACTIONS)
    assert [parse_action(name.upper(), language) for name in names] == list(ACTIONS)
    assert max(map(len, names)) <= 40
    assert not any("," in name or "|" in name for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_people_type_means_two_things(language):
    meanings = defaultdict(set)
    for words, action in notation.said(language):
        meanings[notation._key(words, language)].add(action)
        assert parse_action(words, language) == action
    assert all(len(actions) == 1 for actions in meanings.values())
    assert "" not in meanings
    assert set().union(*meanings.values()) == set(ACTIONS)


def test_names_read_as_people_say_them():
    rana = t.INTERRUPTIONS.tolist().index(t.NUMBER["P25"])
    some = [
        s.A_CARD + BOSQUE, s.A_TELL + BOSQUE, s.A_TELL + DRAGON, s.A_PASS, s.A_END + 1, s.A_KEEP, s.A_DISCARD + BOSQUE,
        s.A_CHANGE, s.A_NOTHING, s.A_CLAIM + BOSQUE, s.A_INTERRUPT + rana, s.A_PROTEST, s.A_YES, s.A_NO, s.A_HOOK + 2,
    ]  # fmt: skip
    assert [action_name(action, "en") for action in some] == [
        "play Forest", "tell Forest", "tell dragon", "pass", "end 2", "keep", "discard Forest", "change ending 1",
        "nothing", "claim Forest", "interrupt Frog", "protest", "yes", "no", "hook 3",
    ]  # fmt: skip
    assert [action_name(action, "es") for action in some] == [
        "carta Bosque", "contar Bosque", "contar dragón", "paso", "final 2", "guardar", "descartar Bosque",
        "cambiar final 1", "nada", "reclamar Bosque", "interrumpir Rana", "protestar", "sí", "no", "gancho 3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("Play the forest", "en", "play Forest"),
        ("bosque", "en", "play Forest"),
        ("tell about a wolf", "en", "tell Wolf"),
        ("tell of the wolf", "en", "tell Wolf"),
        ("DRAGON", "en", "tell dragon"),
        ("claim with Niño", "en", "claim Child"),
        ("claim nino (a)", "en", "claim Child"),
        ("claim the child", "en", "claim Child"),
        ("play madre", "en", "play Parent"),
        ("play Bosque (Forest)", "en", "play Forest"),
        ("claim Niño(a) (Child)", "en", "claim Child"),
        ("interrupt with Rana (Frog)", "en", "interrupt Frog"),
        ("tell Dragón (dragon)", "en", "tell dragon"),
        ("play the father", "en", "play Parent"),
        ("Mother", "en", "play Parent"),
        ("claim brother", "en", "claim Sibling"),
        ("claim the sister", "en", "claim Sibling"),
        ("tell of the wife", "en", "tell Spouse"),
        ("tell about the sea", "en", "tell At Sea"),
        ("an object breaks", "en", "play An Object Breaks"),
        ("play object breaks", "en", "play An Object Breaks"),
        ("tell lost", "en", "tell Lost"),
        ("tell long lost", "en", "tell Long Lost"),
        ("break in with frog", "en", "interrupt Frog"),
        ("happy ending 1", "en", "end 1"),
        ("End 2", "en", "end 2"),
        ("discard nothing", "en", "keep"),
        ("say nothing", "en", "nothing"),
        ("I protest", "en", "protest"),
        ("Y", "en", "yes"),
        ("hook1", "en", "hook 1"),
        ("carta el bosque", "es", "carta Bosque"),
        ("juego bosque", "es", "carta Bosque"),
        ("contar lobo", "es", "contar Lobo"),
        ("cuento del lobo", "es", "contar Lobo"),
        ("contar castillo", "es", "contar Palacio"),
        ("contar un bebe", "es", "contar bebé"),
        ("dragón", "es", "contar dragón"),
        ("contar carta", "es", "contar carta"),
        ("carta asustada", "es", "carta Asustado(a)"),
        ("carta asustado (a)", "es", "carta Asustado(a)"),
        ("reclamar niña", "es", "reclamar Niño(a)"),
        ("reclamo con padre", "es", "reclamar Padre/Madre"),
        ("contar perdida", "es", "contar Perdido(a)"),
        ("contar perdido tiempo atras", "es", "contar Perdido(a) tiempo atrás"),
        ("carta mar", "es", "carta En el mar"),
        ("viaje", "es", "carta Un viaje"),
        ("interrumpo con la llave", "es", "interrumpir Llave"),
        ("Pasar", "es", "paso"),
        ("final feliz 1", "es", "final 1"),
        ("no digo nada", "es", "nada"),
        ("no descarto", "es", "guardar"),
        ("SI", "es", "sí"),
        ("vale", "es", "sí"),
        ("protesto", "es", "protestar"),
        ("gancho 2", "es", "gancho 2"),
        ("cambio final 2", "es", "cambiar final 2"),
    ],
)
def test_typing_is_forgiven(text, language, name):
    assert action_name(parse_action(text, language), language) == name


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


@pytest.mark.parametrize("text", ["", "el", "final 3", "gancho 0", "carta dragón", "reclamar", "interrumpir Lobo", "7"])
def test_what_is_no_move_is_refused_with_examples_that_are_moves(text):
    for language in LANGUAGES:
        with pytest.raises(ValueError, match=re.escape(repr(text))) as refused:
            parse_action(text, language)
        examples = re.findall(r"'([^']+)'", str(refused.value).removeprefix(repr(text)))
        assert len({parse_action(example, language) for example in examples}) == len(examples) == 6


def test_bad_actions_and_languages_are_refused():
    for action in (-1, s.NUM_ACTIONS):
        with pytest.raises(ValueError, match=rf"action={action} .* 0 to {s.NUM_ACTIONS - 1}"):
            action_name(action, "en")
    for say in (lambda: action_name(0, "fr"), lambda: parse_action("pass", "fr")):
        with pytest.raises(ValueError, match=r"language='fr'.*'en' or 'es'"):
            say()


def test_the_blocks_of_actions_are_all_named():
    heads = defaultdict(int)
    for action in ACTIONS:
        heads[action_name(action, "en").split()[0]] += 1
    assert heads == {
        "play": t.NUM_ELEMENTS, "tell": t.NUM_THINGS, "pass": 1, "end": s.MOST_ENDINGS, "keep": 1,
        "discard": t.NUM_ELEMENTS, "change": s.MOST_ENDINGS, "nothing": 1, "claim": t.NUM_ELEMENTS,
        "interrupt": t.NUM_INTERRUPTIONS, "protest": 1, "yes": 1, "no": 1, "hook": s.MOST_HOOKS,
    }  # fmt: skip
