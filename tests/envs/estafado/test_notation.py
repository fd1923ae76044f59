"""Names of the actions of *Estafado* that parse back, and synonyms."""

import re
from collections import defaultdict

import pytest
from estafado_tables import play, table

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.estafado import notation, state as s
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name
from sobremesa.envs.estafado.notation import action_name, parse_action

ACTIONS = range(s.NUM_ACTIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_has_a_name_of_its_own_that_parses_back(language):
    names = [action_name(action, language) for action in ACTIONS]
    assert len({name.casefold() for name in names}) == s.NUM_ACTIONS
    assert [parse_action(name, language) for name in names] == list(ACTIONS)
    assert max(map(len, names)) <= 14


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_people_type_means_two_things(language):
    meanings = defaultdict(set)
    for words, action in notation.said(language):
        meanings[key(words, "+-")].add(action)
        assert parse_action(words, language) == action
    assert all(len(actions) == 1 for actions in meanings.values())
    assert set().union(*meanings.values()) == set(ACTIONS)


def test_names_read_as_people_say_them():
    c3 = CELL_NAMES.index("c3")
    some = [
        s.A_GO + c3, s.A_TUNNEL + c3, s.A_VIXEN + c3, s.A_LOOK + c3, s.A_SWAP + c3, s.A_BEAR + c3,
        s.A_START + RING - 1, s.A_EAGLE, s.A_EAGLE + 3, s.A_SLIDE, s.A_HAND, s.A_PASS, s.A_DECK,
    ]  # fmt: skip
    assert [action_name(action, "en") for action in some] == [
        "go c3", "tunnel c3", "vixen c3", "look c3", "swap c3", "bear c3", "eagle at W1", "eagle -2", "eagle +2",
        "crow -1", "hand 1", "pass", "deck",
    ]  # fmt: skip
    assert [action_name(action, "es") for action in some] == [
        "ir c3", "túnel c3", "zorra c3", "mirar c3", "cambiar c3", "oso c3", "águila en O1", "águila -2", "águila +2",
        "cuerva -1", "mano 1", "pasar", "baraja",
    ]  # fmt: skip


def test_spaces_go_by_sides_of_the_compass_as_read_by_the_fox():
    assert [space_name(space, "en") for space in (0, 4, 5, 9, 10, 14, 15, 19)] == [
        "Na", "Ne", "E1", "E5", "Se", "Sa", "W5", "W1",
    ]  # fmt: skip
    assert [space_name(space, "es") for space in (4, 5, 10, 15)] == ["Ne", "E1", "Se", "O5"]


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("GO C3", "en", "go c3"),
        ("goc3", "en", "go c3"),
        ("move to c3", "en", "go c3"),
        ("leap a1", "en", "go a1"),
        ("peek at e5", "en", "look e5"),
        ("swap with d2", "en", "swap d2"),
        ("place the vixen on b4", "en", "vixen b4"),
        ("Start at W3", "en", "eagle at W3"),
        ("eagle 2", "en", "eagle +2"),
        ("eagle - 1", "en", "eagle -1"),
        ("eagle \N{MINUS SIGN}1", "en", "eagle -1"),
        ("dive \N{EN DASH}2", "en", "eagle -2"),
        ("fly clockwise", "en", "eagle +1"),
        ("eagle anticlockwise 2", "en", "eagle -2"),
        ("crow counterclockwise", "en", "crow -1"),
        ("slide 1", "en", "crow +1"),
        ("play 3", "en", "hand 3"),
        ("keep it", "en", "pass"),
        ("swap with the deck", "en", "deck"),
        ("ir a a1", "es", "ir a1"),
        ("salto a B2", "es", "ir b2"),
        ("tunel c3", "es", "túnel c3"),
        ("colocar a la Zorra en c3", "es", "zorra c3"),
        ("ver c3", "es", "mirar c3"),
        ("intercambiar con c3", "es", "cambiar c3"),
        ("mover al oso a c3", "es", "oso c3"),
        ("aguila en o3", "es", "águila en O3"),
        ("águila en W3", "es", "águila en O3"),
        ("zambullida -2", "es", "águila -2"),
        ("volar sentido antihorario", "es", "águila -1"),
        ("cuerva horario", "es", "cuerva +1"),
        ("jugar 5", "es", "mano 5"),
        ("no", "es", "pasar"),
        ("enterrar", "es", "baraja"),
    ],
)
def test_typing_is_forgiven(text, language, name):
    assert action_name(parse_action(text, language), language) == name


@pytest.mark.parametrize("text", ["", "c3", "go", "go f1", "go c6", "eagle +3", "hand 6", "hand 0", "crow +2", "7"])
def test_what_is_no_move_is_refused_with_examples_that_are_moves(text):
    for language in LANGUAGES:
        with pytest.raises(ValueError, match=re.escape(repr(text))) as refused:
            parse_action(text, language)
        examples = re.findall(r"`([^`]+)`", str(refused.value))
        assert [action_name(parse_action(example, language), language) for example in examples] == examples
        assert len(examples) == 5


@pytest.mark.parametrize("action", [-1, s.NUM_ACTIONS])
def test_an_action_out_of_range_has_no_name(action):
    with pytest.raises(ValueError, match=rf"action={action} .* 0 to {s.NUM_ACTIONS - 1}"):
        action_name(action, "en")


def test_an_unknown_language_is_refused():
    for say in (lambda: action_name(0, "fr"), lambda: parse_action("deck", "fr")):
        with pytest.raises(ValueError, match=r"language='fr'.*'en' or 'es'"):
            say()


def test_plus_is_clockwise_for_eagle_and_crow_alike():
    states = table(stage="eagle", eagle="Ne", crow="Se", bear="a5")
    play(states, *(action_name(parse_action(text, "en"), "en") for text in ("eagle clockwise", "crow clockwise")))
    assert [space_name(int(states[0][token]), "en") for token in ("eagle", "crow")] == ["E1", "Sd"]
