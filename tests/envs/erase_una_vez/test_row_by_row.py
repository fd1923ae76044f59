"""The text of a tale is computed once for each row, and never from the rows of another tale."""

import copy

import numpy as np
import pytest
from erase_tables import GAME

import sobremesa
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez.state import LOG_FATE, UNDONE
from sobremesa.envs.erase_una_vez.text import paragraphs, telling
from sobremesa.envs.erase_una_vez.text.paragraphs import whole_tale
from sobremesa.envs.erase_una_vez.text.row_by_row import RowByRow


def forget():
    telling._STEPS.clear()
    paragraphs._PARTS.clear()


def test_the_words_of_a_row_are_chosen_once_for_all_readers(monkeypatch):
    forget()
    chosen, choose = [], telling.choose
    monkeypatch.setattr(telling, "choose", lambda *given, **named: chosen.append(1) or choose(*given, **named))
    rows = 0
    for ply in random_deal(GAME, 3, {"max_sentences": 150}):
        for seat in range(3):
            for language in LANGUAGES:
                GAME.words.describe(ply.states, seat, language)
        rows = int(ply.states[0].sentences)
    assert rows == 150
    assert len(chosen) < 3 * rows  # the fate of a row comes to light after its sentence, and some have a second one


def test_tales_entered_in_the_middle_do_not_displace_one_another():
    """A row costs one advance once its tale is known, with as many tales as a process remembers values."""
    advanced, most = [], 8
    kept = RowByRow(0, lambda before, rows, said: advanced.append(rows) or before + 1, most)
    logs = [bytes([tale]) * 60 for tale in range(most // 2)]
    for turn in range(3):
        advanced.clear()
        for number, log in enumerate(logs):
            assert kept.of(log + b"x" * turn, 1, ()) == 60 + turn
            assert turn == 0 or len(advanced) == number + 1


def test_texts_do_not_depend_on_those_before():
    """Warm and cold, forwards, backwards and with a changed row, the same rows have the same text."""
    states = [ply.states for ply in random_deal(GAME, 4, {"max_sentences": 60})]
    warm = [whole_tale(one, "en") for one in states]
    forget()
    assert [whole_tale(one, "en") for one in reversed(states)] == warm[::-1]
    other = states[-1].copy()
    other[0].log[20, LOG_FATE] = UNDONE
    changed = whole_tale(other, "en")
    assert changed != warm[-1]
    forget()
    assert whole_tale(other, "en") == changed


@pytest.mark.parametrize("how", ["copied", "restored"])
def test_a_copied_or_restored_environment_has_the_same_text(how):
    env = sobremesa.make("erase_una_vez", encoder="text", seats=3)
    env.reset(seed=5)
    for _ in range(60):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1]))
    told = env.observe(env.agent_selection)["observation"]
    if how == "copied":
        other = copy.deepcopy(env)
    else:
        other = sobremesa.make("erase_una_vez", encoder="text", seats=3)
        other.reset(seed=6)
        other.set_state(env.get_state())
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))  # which the other does not see
    forget()
    assert other.observe(other.agent_selection)["observation"] == told
