"""Names of actions of *Bandido Alcatraz*, and other accepted texts."""

import re
from collections import defaultdict

import pytest

from sobremesa import envs
from sobremesa.envs.bandido_alcatraz import state as s
from sobremesa.envs.bandido_alcatraz.cards import NUM_WAYS
from sobremesa.envs.bandido_alcatraz.notation import action_name, parse_action, said
from sobremesa.envs.bandido_alcatraz.text.words import MOVES
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.words import key

GAME = envs.load("bandido_alcatraz")
ACTIONS = range(s.NUM_ACTIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_has_a_name_of_its_own_that_parses_back(language):
    names = [action_name(action, language) for action in ACTIONS]
    assert len({name.casefold() for name in names}) == s.NUM_ACTIONS
    assert [parse_action(name, language) for name in names] == list(ACTIONS)
    assert max(map(len, names)) <= 24


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_people_type_means_two_things(language):
    meanings = defaultdict(set)
    for words, action in said(language):
        meanings[key(words)].add(action)
        assert parse_action(words, language) == action
    assert all(len(actions) == 1 for actions in meanings.values())
    assert set().union(*meanings.values()) == set(ACTIONS)


def test_both_languages_know_the_same_signals_and_sides():
    for words in ("signals", "other_sides", "side_letters", "sides"):
        assert len(MOVES["en"][words]) == len(MOVES["es"][words])
    assert len(MOVES["en"]["signals"]) == s.NUM_SIGNALS


def test_names_read_as_people_say_them():
    some = [s.A_WHERE, s.A_WHERE + 62, s.A_GATHER - 1, s.A_GATHER + 2, s.A_LAY + NUM_WAYS + 4, s.A_SIGNAL + 2]
    assert [action_name(action, "en") for action in some] == [
        "end 1", "end 63", "water 4", "gather 3", "2b west", "I can join two tunnels",
    ]  # fmt: skip
    assert [action_name(action, "es") for action in some] == [
        "túnel 1", "túnel 63", "agua 4", "reunir 3", "2b oeste", "puedo unir dos túneles",
    ]  # fmt: skip


def test_c3_4_the_side_in_a_name_is_that_of_the_other_half():
    sides = [action_name(s.A_LAY + way, "en") for way in range(NUM_WAYS)]
    assert sides == ["1a east", "1a south", "1a west", "1a north", "1b west", "1b north", "1b east", "1b south"]


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        (" END  3 ", "en", "end 3"),
        ("tunnel 3", "en", "end 3"),
        ("dig at end 12", "en", "end 12"),
        ("flood 1", "en", "water 1"),
        ("cover 2", "en", "water 2"),
        ("give card 2", "en", "gather 2"),
        ("1A North", "en", "1a north"),
        ("1an", "en", "1a north"),
        ("2 b left", "en", "2b west"),
        ("lay 3a up", "en", "3a north"),
        ("card 1b s", "en", "1b south"),
        ("nothing", "en", "silence"),
        ("i can cover", "en", "I can cover water"),
        ("rope", "en", "I will give a rope"),
        ("tunel 3", "es", "túnel 3"),
        ("Boca 7", "es", "túnel 7"),
        ("excavar en el túnel 7", "es", "túnel 7"),
        ("cubrir el agua 1", "es", "agua 1"),
        ("dar 3", "es", "reunir 3"),
        ("1a o", "es", "1a oeste"),
        ("poner 2b arriba", "es", "2b norte"),
        ("2b izquierda", "es", "2b oeste"),
        ("Nada bueno", "es", "no tengo nada bueno"),
        ("impermeable", "es", "doy un impermeable"),
    ],
)
def test_typing_is_forgiven(text, language, name):
    assert action_name(parse_action(text, language), language) == name


@pytest.mark.parametrize("text", ["2a", "lay 2a", "6 b"])
def test_a_card_without_a_side_is_told_how_to_name_one(text):
    with pytest.raises(ValueError, match=rf"^'{text}' to which side\?.*'{text} north'$"):
        parse_action(text, "en")
    with pytest.raises(ValueError, match="^" + re.escape(MOVES["es"]["no_side"].format("2a")) + "$"):
        parse_action("2a", "es")


@pytest.mark.parametrize(
    "text", ["", "end", "end 0", "end 64", "water 5", "gather 7", "7a north", "1c north", "3", "N"]
)
def test_what_is_no_move_is_refused_with_examples_that_are_moves(text):
    for language in LANGUAGES:
        with pytest.raises(ValueError, match=re.escape(repr(text))) as refused:
            parse_action(text, language)
        examples = re.findall(r"'([^']+)'", str(refused.value).split(";")[1])
        assert len(examples) == 4
        assert [action_name(parse_action(example, language), language) for example in examples] == examples


@pytest.mark.parametrize("action", [-1, s.NUM_ACTIONS])
def test_an_action_out_of_range_has_no_name(action):
    with pytest.raises(ValueError, match=rf"action={action} .* 0 to {s.NUM_ACTIONS - 1}"):
        action_name(action, "en")


def test_an_unknown_language_is_refused():
    for say in (lambda: action_name(0, "fr"), lambda: parse_action("end 3", "fr")):
        with pytest.raises(ValueError, match=r"language='fr'.*'en' or 'es'"):
            say()


def test_the_game_uses_these_names():
    assert GAME.words.parse_action("túnel 3", "es") == s.A_WHERE + 2
    assert GAME.words.action_name(s.A_GATHER, "es") == "reunir 1"
