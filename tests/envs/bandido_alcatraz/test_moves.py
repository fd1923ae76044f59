"""Moves of *Bandido Alcatraz* in words for people with a picture, what is at stake, and the explanations of pieces."""

import re
from itertools import pairwise

import numpy as np
import pytest

import sobremesa
from sobremesa.envs.bandido_alcatraz import state as s
from sobremesa.envs.bandido_alcatraz.cards import CARDS, NO_CARD, NUM_KINDS
from sobremesa.envs.bandido_alcatraz.notation import parse_action
from sobremesa.envs.bandido_alcatraz.text.moves import STAKES, asks, at_stake, entry
from sobremesa.envs.bandido_alcatraz.text.story import loss_reasons
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, TEXTS, card_label, card_text, half_label, plain
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.pointing import legal_actions, pointable_scene, pointed
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.report.show import verdict
from sobremesa.serve.lobby import glossary

GAME = sobremesa.load("bandido_alcatraz")
SETUPS = (
    {"seats": 1, "solo_hand": "six", "difficulty": "easy", "early_stop": True},
    {"seats": 2, "early_stop": True},
    {"seats": 3, "signals": True},
)
NOTATION = re.compile(r"\[|\||\b\d[ab]\b")


def decisions(setup, seeds=range(6)):
    """Yield the states of random deals at each decision."""
    for seed in seeds:
        yield from (ply.states for ply in random_deal(GAME, seed, setup) if ply.seat != OVER)


def play(states, action):
    later = states.copy()
    table_kernels(GAME).step(later, action, np.zeros(GAME.layout.size, np.float32), np.zeros(s.NUM_ACTIONS, np.int8))
    return later[0]


def button(action, language, states):
    return ": ".join(entry(action, language, states))


def losses(action, states):
    """Return what an entry says of a loss."""
    return re.findall(r"\((.*)\)$", entry(action, "en", states)[1])


# Words.


@pytest.mark.parametrize("text", ["2a", "lay 2a", "6 b"])
def test_a_card_without_a_side_is_told_how_to_name_one(text):
    with pytest.raises(ValueError, match=rf"^'{text}' to which side\?.*'{text} north'$"):
        parse_action(text, "en")
    with pytest.raises(ValueError, match="^" + re.escape(MOVES["es"]["no_side"].format("2a")) + "$"):
        parse_action("2a", "es")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("setup", SETUPS)
def test_moves_differ_and_have_no_notation(setup, language):
    for states in decisions(setup, range(2)):
        names = [button(action, language, states) for action in legal_actions(GAME, states)]
        assert len(set(names)) == len(names)
        assert not [name for name in names if NOTATION.search(name) or name != name.strip()]
        things = pointed(pointable_scene(GAME, states, int(states["seat"][0]), language))
        assert not [one.words for one in things if NOTATION.search(one.words)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_events_at_a_table_have_no_notation(language):
    told = 0
    for setup in SETUPS:
        plies = list(random_deal(GAME, 5, setup))
        for ply, after in pairwise(plies):
            for sentence in GAME.words.tell(ply.states, ply.action, after.states, None, language):
                words = plain(sentence, language)
                assert not NOTATION.search(words), words
                assert "  " not in words
                told += words != sentence
    assert told > 60


def test_events_in_words():
    assert plain("⓪ closes end 3 with [WN|▲] (raincoat).", "en") == (
        "⓪ closes end 3 with a card with a raincoat and 2 tunnels."
    )
    assert plain("⓪ aporta una cuerda, [N|§]: 1 de 2.", "es") == "⓪ aporta una cuerda: 1 de 2."
    assert plain("① roba 2 cartas ([O|EXIT] y [O|NE≈]).", "es") == (
        "① roba 2 cartas (la EXIT y una carta con agua y 3 túneles)."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_differ_in_words(language):
    assert len({card_label(kind, language) for kind in range(NUM_KINDS)}) == NUM_KINDS
    for kind in range(NUM_KINDS):
        assert not NOTATION.search(plain(f"{card_text(kind, language)}.", language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_halves_name_the_sides_to_which_they_open(language):
    heads = {"en": "open to the ", "es": "abierta al "}
    for kind, card in enumerate(CARDS):
        for half, sides in enumerate((card.a, card.b)):
            head, _, named = half_label(kind, half, language).partition(heads[language])
            listed = re.split(", | and | y ", named) if named else []
            assert listed == [MOVES[language]["sides"]["NESW".index(side)] for side in sides]
            assert bool(head) == (not sides or card.flooded == half)
            assert not sides or f"{'ab'[half]} {heads[language]}{named}" in card_label(kind, language)


def test_a_card_in_hand_is_played_only_after_a_question():
    asked = set()
    for states in decisions(SETUPS[0], range(2)):
        for point in GAME.words.points(states, legal_actions(GAME, states), "en"):
            assert point.ask == point.words.startswith("card "), point.words
            asked.add((int(states["stage"][0]), point.ask))
    assert asked == {(stage, ask) for stage in (s.WHERE, s.HOW) for ask in (False, True)}


# Explanations.


def explained(label, terms):
    return [term for term in terms if re.search(rf"(?<![^\W\d_]){term}(?![^\W\d_])", label, re.IGNORECASE)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_piece_and_move_has_its_line_of_the_rules(language):
    terms = glossary(GAME, language)
    signals = {GAME.words.action_name(action, language) for action in range(s.A_SIGNAL, s.NUM_ACTIONS)}
    for setup in SETUPS:
        for states in list(decisions(setup, [3]))[::6]:
            seat = int(states["seat"][0])
            svg = pointable_scene(GAME, states, seat, language)
            titles = re.findall(r"<title>([^<]*)</title>", svg)
            titles = [one for one in titles if not one.endswith((" in hand", " en mano")) and one not in signals]
            moves = [button(action, language, states) for action in legal_actions(GAME, states)]
            things = [one.words for one in pointed(svg) if one.words not in signals]
            assert not [one for one in (*titles, *moves, *things) if not explained(one, terms)]


@pytest.mark.parametrize(("language", "place", "card"), [("en", "end 1", "raincoat"), ("es", "túnel 1", "impermeable")])
def test_a_place_is_not_explained_by_gathering(language, place, card):
    terms = glossary(GAME, language)
    assert [term.lower() for term in explained(place, terms)] == [place.split()[0]]
    assert terms[card.capitalize()] != terms["Gather" if language == "en" else "Reunir"]


# What is at stake.


def test_a_move_that_is_said_to_lose_loses():
    marked, reasons = 0, set()
    for setup in SETUPS[:2]:
        for states in decisions(setup, range(12)):
            for action in legal_actions(GAME, states) if states["stage"][0] == s.HOW else ():
                after, said = play(states, action), losses(action, states)
                if said:
                    assert after.over
                    assert not after.won
                    marked += 1
                    reasons.add(said[0].split(":")[1])
                else:
                    assert not loss_reasons(after)
                    assert not after.over or after.won or after.ending != s.CLOSED
    assert marked > 20
    assert len(reasons) > 1


def test_a_place_where_every_card_loses_is_named():
    named = 0
    for states in decisions(SETUPS[0], range(20)):
        wheres = [action for action in legal_actions(GAME, states) if action < s.A_GATHER]
        for where in wheres:
            chosen = play(states, where)
            if chosen.over or chosen.stage != s.HOW:  # only one way: it was played at once
                assert bool(losses(where, states)) == bool(chosen.over and not chosen.won and _by_the_card(chosen))
                continue
            table = np.array([chosen], states.dtype)
            every = all(losses(action, table) for action in legal_actions(GAME, table))
            assert bool(losses(where, states)) == every
            named += every
    assert named


def _by_the_card(state):
    """Return whether the loss is in the network, not in cards set aside or run out."""
    return state.ending == s.CLOSED or bool(loss_reasons(state))


def _closing(seed):
    """Yield the states of a deal of a player who closes tunnels whenever it is possible."""
    lot = np.random.default_rng(seed)
    states = next(decisions({"seats": 1, "solo_hand": "six", "difficulty": "easy"}, [seed])).copy()
    while not states["over"][0]:
        yield states
        legal = [one for one in legal_actions(GAME, states) if not s.A_GATHER <= one < s.A_LAY] or [s.A_GATHER]
        ends = [int(play(states, action).ends) for action in legal]
        best = [action for action, count in zip(legal, ends, strict=True) if count == min(ends)]
        states = np.array([play(states, int(lot.choice(best)))], states.dtype)


def test_c8_1_that_the_last_tunnel_may_close_is_told_before():
    told = 0
    for seed in range(12):
        for states in _closing(seed):
            said = [one for one in at_stake(states, "en") if one.startswith(STAKES["en"]["last"].split("{")[0])]
            if states["stage"][0] != s.HOW or loss_reasons(states[0]):
                continue
            ends = [play(states, action) for action in legal_actions(GAME, states)]
            assert bool(said) == any(after.ending == s.CLOSED and not after.won for after in ends)
            assert all("EXIT is not on the table" in one for one in said if not states["exit_laid"][0])
            told += bool(said)
    assert told


def test_the_question_counts_what_is_left_near_the_end():
    states = next(decisions({"seats": 2}))
    assert "(" not in asks(states, 0, "en")
    later = states.copy()
    later["pile"], later["pile_size"] = NO_CARD, 0
    assert asks(later, 0, "en").endswith("(6 cards to play and 6 open ends)")
    assert asks(later, 0, "es").endswith("(6 cartas por jugar y 6 túneles abiertos)")
    later["hand"][0, :, 1:], later["hand"][0, 1 - later["seat"][0], 0] = NO_CARD, NO_CARD
    later["fits"], later["ends"] = 0, 1
    assert "1 card to play and 1 open end" in at_stake(later, "en")


@pytest.mark.parametrize("setup", SETUPS)
def test_c11_2_moves_and_stakes_are_the_same_in_all_worlds(setup):
    sample = redealt(GAME)
    for number, states in enumerate(decisions(setup, range(2))):
        if number % 4:
            continue
        seat = int(states["seat"][0])
        world = sample(states, seat, number)
        for language in LANGUAGES:
            assert asks(world, seat, language) == asks(states, seat, language)
            for action in legal_actions(GAME, states):
                assert entry(action, language, world) == entry(action, language, states)


def test_both_languages_name_the_same_pieces():
    assert TEXTS["pieces"]["en"].keys() == TEXTS["pieces"]["es"].keys()
    assert len(glossary(GAME, "es")) >= 12


@pytest.mark.parametrize(("seats", "said"), [(1, ("lost", "perdida")), (2, ("All lose", "Pierden todos"))])
def test_the_verdict_speaks_to_one_person_or_to_all(seats, said):
    states = list(random_deal(GAME, 0, {"seats": seats}))[-1].states
    for language, words in zip(LANGUAGES, said, strict=True):
        assert words in verdict(GAME, states, ["Ana", "Eva"][:seats], language)
