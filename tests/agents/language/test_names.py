"""Every name in a prompt is read as the action that it suggests, or refused with a reason."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from plank import GAME as PLANK
from printed_names import fragments, names_of, subjects_of

from sobremesa import envs
from sobremesa.agents.language.parser import ILLEGAL, NONE, SEVERAL, parse_answer, refusal
from sobremesa.agents.language.prompt import Style, turn_prompt
from sobremesa.envs.core.agent import History, make_view, new_stream
from sobremesa.envs.core.deal import outcome, random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import stored_names
from sobremesa.envs.core.wording import SpellingWords

sys.path.append(str(Path(__file__).parents[3] / "examples" / "liars_dice"))
EXAMPLE = importlib.import_module("liars_dice").GAME
GAMES = [*(envs.load(name) for name in envs.all_games()), PLANK, EXAMPLE]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def positions(game, language, seeds, every):
    """Yield the view of the seat to act and its prompt, at some decisions of random deals."""
    for seed in seeds:
        setup = {"seats": game.seat_range[seed % len(game.seat_range)]}
        stories = [History(game, seat, language) for seat in range(setup["seats"])]
        for number, ply in enumerate(random_deal(game, seed, setup, plies=200)):
            if ply.seat == OVER:
                break
            if number % every == seed % every:
                view = make_view(game, ply.states, ply.seat, new_stream(0), stories[ply.seat])
                yield view, turn_prompt(view, Style(language))
            after = outcome(game, ply)
            for story in stories:
                story.add(ply.states, ply.action, after)


def read(view, text, language):
    return parse_answer(f"ACTION: {text}", view.game, view.mask, language, state=view.state)


def check_names(view, prompt, language, about):
    """Check each name in `prompt`, alone and after each verb; return how many were read and refused."""
    game, read_, refused = view.game, 0, 0
    legal = np.flatnonzero(view.mask).tolist()
    names = names_of(game, language)
    for name, subject in names.items():
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prompt):
            continue
        stand = [action for action in legal if subject in about(action)]
        found = read(view, name, language)
        own = game.words.action_name(found.action if found.named is None else found.named, language) if (
            found.action is not None or found.named is not None) else ""  # fmt: skip
        if own.casefold() == name.casefold():  # it is itself the name of an action
            assert found.action is None or found.action in legal
        elif any(other.casefold() == name.casefold() and names[other] != subject for other in names):  # E3 and e3
            assert found.action is None
        elif len(stand) == 1:
            assert found.action == stand[0], (name, prompt)
        else:
            assert found.action is None, (name, prompt)
            message = refusal(found, view, Style(language), 2)
            assert found.kind in ((SEVERAL,) if stand else (ILLEGAL, NONE)), (name, found)
            assert found.near == tuple(sorted(stand)) or found.kind in (ILLEGAL, NONE)
            assert found.kind == ILLEGAL or found.near or name in message, message
            refused += 1
        read_ += found.action is not None
    return read_, refused


def check_fragments(view, prompt, language, words):
    """Check each part of `prompt`: it is read as an action whose name shares a word with it, or refused."""
    for part in fragments(prompt.split("\n\n", 1)[-1]):
        found = read(view, part, language)
        if found.action is None:
            assert found.kind in (NONE, SEVERAL, ILLEGAL)
        else:
            assert view.mask[found.action]
            shared = words(part) & words(view.game.words.action_name(found.action, language))
            assert shared or _typed(view, part, language) == found.action, (part, found)


def _typed(view, part, language):
    """Return the action that a person would play by typing `part`, or that the position names so."""
    try:
        return view.game.words.parse_action(part, language)
    except ValueError:
        now = {name.casefold(): actions for name, actions in _names_now(view, language).items()}  # board: in capitals
        return next((action for action in now.get(part.casefold(), ()) if view.mask[action]), None)


def _names_now(view, language):
    words = view.game.words
    return words.names_now(view.state, language) if isinstance(words, SpellingWords) else {}


def folded_words(text):
    return set(re.findall(r"[\w+-]+", text.casefold()))


def check_positions(game, seeds, every):
    tally = np.zeros(2, int)
    for language in LANGUAGES:
        about = {}
        for view, prompt in positions(game, language, seeds, every):
            about.clear()

            def subjects(action, view=view, about=about, language=language):
                if action not in about:
                    about[action] = subjects_of(game, action, language, view.state)
                return about[action]

            tally += check_names(view, prompt, language, subjects)
            check_fragments(view, prompt, language, folded_words)
    return tally


@each_game
def test_names_in_prompts_are_read_or_refused_with_a_reason(game):
    tally = check_positions(game, range(2), 17)
    if names_of(game, "en"):
        assert tally.min() > 5


@pytest.mark.thorough
@each_game
def test_names_in_prompts_are_read_at_thousands_of_positions(game):
    check_positions(game, range(2, 22), 2)


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_names_with_verbs_are_read(game, language):
    """All spellings of a card behind a verb mean the same action, in every position."""
    mask = np.ones(game.num_actions, np.int8)
    by_subject = {}
    for name, subject in names_of(game, language).items():
        by_subject.setdefault(subject, []).append(name)
    for action in range(game.num_actions) if game.name == "erase_una_vez" else ():
        verb, _, subject = game.words.action_name(action, language).partition(" ")
        for name in by_subject.get(subject, ()):
            assert parse_answer(f"ACTION: {verb} {name}", game, mask, language).action == action, name


@each_game
def test_stored_names_are_read_in_english(game):
    """Transcripts and manifests of bots hold these names."""
    mask = np.ones(game.num_actions, np.int8)
    for action, name in enumerate(stored_names(game)):
        found = parse_answer(f"ACTION: {name}", game, mask, "en")
        assert found.action == action or action in found.near, name


@pytest.mark.parametrize("name", envs.games())
def test_an_illegal_action_is_refused_with_its_reason(name):
    game = envs.load(name)
    for view, _ in positions(game, "en", range(2), 13):
        for action in np.flatnonzero(view.mask == 0)[:: 1 + game.num_actions // 30].tolist():
            found = read(view, game.words.action_name(action, "en"), "en")
            if found.kind == ILLEGAL:
                assert " is not legal now (" in refusal(found, view, Style("en"), 2)
