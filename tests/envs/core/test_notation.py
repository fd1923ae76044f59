"""Names of actions, what people type for them, and texts of every game."""

import importlib
import re

import goldens
import pytest
from rooms import GAMES

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.words import COLUMNS

WIDEST = {"bandido_alcatraz": 24, "ese_toro_enamorado": 14, "estafado": 14}  # letters of a name; 40 in other games
LINES = {"corre_el_encierro": 60, "ese_toro_enamorado": 45, "estafado": 64}  # of a text, where there is a limit
LONGEST = 14_000  # letters of a text: with the legal actions it fits a text view
EXAMPLES = {"bandido_alcatraz": 4, "corre_el_encierro": 5, "erase_una_vez": 6, "ese_toro_enamorado": 5, "estafado": 5}

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def names_of(game, language):
    return [game.words.action_name(action, language) for action in range(game.num_actions)]


@every_language
@every_game
def test_every_action_has_a_name_of_its_own_that_parses_back(game, language):
    names, actions = names_of(game, language), list(range(game.num_actions))
    assert len({name.casefold() for name in names}) == game.num_actions
    for written in (names, [name.upper() for name in names]):
        assert [game.words.parse_action(name, language) for name in written] == actions
    assert max(map(len, names)) <= WIDEST.get(game.name, 40)
    assert not any("," in name or "|" in name for name in names)


@every_game
def test_names_read_as_on_the_page(game):
    """The page lists the name of each action in English and Spanish."""
    lines = [f"{en} | {es}" for en, es in zip(*(names_of(game, language) for language in LANGUAGES), strict=True)]
    file, text = f"actions_{game.name}.txt", "\n".join([f"game: {game.id}", *lines, ""])
    if goldens.REGENERATE:
        goldens.rewrite(file, text)
    assert text.split("\n") == goldens.read(file).split("\n")


@every_language
@every_game
def test_nothing_that_people_type_means_two_things(game, language):
    notation, found = importlib.import_module(f"sobremesa.envs.{game.name}.notation"), set()
    for text, action in notation.said(language):
        assert game.words.parse_action(text, language) == action, text
        found.add(action)
    assert found == set(range(game.num_actions))


def typed(game, language):
    """Yield the lines of the page in one language: what a person types, and the action or None."""
    ours = False
    for line in goldens.read(f"typed_{game.name}.txt").split("\n")[2:]:
        if " | " not in line:
            ours = line in (f"language: {language}", "in both languages")
        elif ours:
            text, name = line.rsplit(" | ", 1)
            yield text, None if name == "-" else name


@every_language
@every_game
def test_typing_is_forgiven_or_refused_with_examples(game, language):
    words, pages = game.words, list(typed(game, language))
    assert {name is None for _, name in pages} == {True, False}
    for text, name in pages:
        if name is not None:
            assert words.action_name(words.parse_action(text, language), language) == name, text
            continue
        with pytest.raises(ValueError, match=re.escape(repr(text))) as refused:
            words.parse_action(text, language)
        examples = re.findall(r"['`]([^'`]+)['`]", str(refused.value).removeprefix(repr(text)))
        assert len(examples) == EXAMPLES[game.name], refused.value
        read = [words.parse_action(example, language) for example in examples]
        assert [words.action_name(action, language).casefold() for action in read] == [
            example.casefold() for example in examples
        ]


@every_language
@every_game
def test_the_help_names_moves_that_parse_and_fits_a_terminal(game, language):
    text, words = game.words.help(language), game.words
    assert max(map(len, text.split("\n"))) <= 80
    moves = " ".join(text.split("\n\n")[-1].split()).rsplit(": ", 1)[1].split(". ")[0].rstrip(".").split(", ")
    assert len(moves) >= 7
    assert [words.action_name(words.parse_action(move, language), language) for move in moves] == moves


@every_language
@every_game
def test_every_text_fits_a_terminal(game, language):
    for number, setup in enumerate(setups(game)[:6]):
        for ply in random_deal(game, number, setup):
            if ply.states["ply"][0] % 29 and ply.seat != OVER:
                continue
            for seat in (None, *range(int(ply.states["seats"][0]))):
                text = game.words.describe(ply.states, seat, language)
                lines = text.split("\n")
                assert max(map(len, lines)) <= COLUMNS, text
                assert len(lines) <= LINES.get(game.name, len(lines)), text
                assert len(text) < LONGEST or (seat is None and ply.seat == OVER)  # the whole tale, for spectators
                assert not re.search(r"[{}]|\n\n\n|\bNone\b|[ ]\n", text), text


@every_game
def test_unknown_actions_languages_and_seats_are_refused(game):
    words, states = game.words, next(iter(random_deal(game, 0, {}))).states
    for action in (-1, game.num_actions):
        with pytest.raises(ValueError, match=rf"action={action} .* 0 to {game.num_actions - 1}"):
            words.action_name(action, "en")
    for say in (
        lambda: words.action_name(0, "fr"),
        lambda: words.parse_action(words.action_name(0, "en"), "fr"),
        lambda: words.describe(states, 0, "fr"),
        lambda: words.tell(states, 0, states, 0, "fr"),
        lambda: words.help("fr"),
    ):
        with pytest.raises(ValueError, match=r"language='fr'.*'en' or 'es'"):
            say()
    seats = int(states["seats"][0])
    with pytest.raises(ValueError, match=rf"seat={seats} .* 0 to {seats - 1}, .*None"):
        words.describe(states, seats, "en")
