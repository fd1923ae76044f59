"""Scripted bots of *Érase una vez*: legal, deterministic, right in clear cases, `strong` above `simple`."""

import numpy as np
import pytest
from erase_tables import ACTIONS, CARDS, GAME, answer, do, sense, table
from scale import COMPILED_ONLY, LONG_IN_PLAIN, PLAIN, scaled

from sobremesa import agents
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.bots.kernels import SURE
from sobremesa.envs.erase_una_vez.observe import EXPOSED, MENTIONED, SENSE

pytestmark = pytest.mark.kernels

BOTS = ("simple", "strong")
both_bots = pytest.mark.parametrize("bot", BOTS)
MOST_SENTENCES = 12 if PLAIN else 40  # of short deals


def chosen(bot, states, seed=1):
    """Return the text of what `bot` does for the seat to act, which is legal."""
    view = make_view(GAME, states, int(states[0].seat), new_stream(seed))
    action = agents.load(bot, GAME).act(view)
    assert view.mask[action]
    return ACTIONS[action]


def plies(bot, seats=3, deals=10, company="", **setup):
    """Yield the plies of some deals between `bot` and copies of it, or `company`, that do not end there."""
    seated = [agents.load(name, GAME) for name in (bot, *[company or bot] * (seats - 1))]
    for seed in range(scaled(deals)):
        for ply in deal_between(GAME, seated, seed, **setup):
            if not ply.states[0].over:
                yield ply


@pytest.mark.walks
@LONG_IN_PLAIN
@pytest.mark.parametrize("setup", setups(GAME), ids=str)
def test_the_bots_play_legally_and_alike_from_equal_seeds(setup):
    seats = setup.get("seats", 3)
    seated = [agents.load(("simple", "strong", "random")[seat % 3], GAME) for seat in range(seats)]
    short = {"max_sentences": MOST_SENTENCES, **setup}  # the arena refuses what is not allowed
    rows = [agents.play(GAME, seated, scaled(4), seed=7, **short) for _ in range(2)]
    assert np.array_equal(rows[0].payoffs, rows[1].payoffs)
    assert np.array_equal(rows[0].plies, rows[1].plies)


# The narrator.


@both_bots
def test_the_narrator_ends_once_the_ending_would_be_accepted(bot):
    assert chosen(bot, table(("", "Rey, Reina"), tale="Princesa, Anillo*", endings=("F53",))) == "end 1"
    assert chosen(bot, table(("", "Rey, Reina"), tale="Princesa, Anillo*", endings=("F54, F53",))) == "end 2"


@both_bots
def test_the_narrator_prefers_an_ending_to_a_hook(bot):
    manual = {"hook": "manual"}
    states = table(("", "Rey, Reina"), tale="Princesa, Anillo*", endings=("F53",), setup=manual, stage=1)
    assert chosen(bot, states) == "end 1"


@both_bots
def test_only_cards_that_make_sense_are_played(bot):
    seen = 0
    for ply in plies(bot):
        if ply.states[0].stage == s.TELL and ply.action < s.A_TELL:
            seen += 1
            assert sense(ply.states, CARDS[ply.action], "card") >= 7
    assert seen >= scaled(10)


def test_strong_makes_its_ending_fit_before_the_last_card():
    states = table(("Rey", "Espada, Hacha"), tale="Reina*, Palacio*, Corona*", endings=("F53",))
    assert chosen("strong", states) == "tell Anillo"


def test_strong_lifts_with_a_link_what_blocks_its_ending():
    tale = "Princesa*, Príncipe*, Dos personas se enamoran*, Encuentro entre personas*, Separación*"
    assert (
        chosen("strong", table(("", "Espada, Hacha"), tale=tale, endings=("F01",))) == "tell Encuentro entre personas"
    )


def test_strong_replaces_an_unreachable_ending():
    states = table(("", "Espada, Hacha"), tale="Reina*, Palacio*", endings=("F53",), setup={"must_end": True})
    assert chosen("strong", states) == "end 1"


@both_bots
def test_of_two_cards_the_one_that_ties_is_played(bot):
    states = table(("Cocinero, Libro", "Espada, Hacha"), tale="Montaña*, Árbol*, Hoguera*", endings=("F29",))
    assert chosen(bot, states) in ("card Libro", "tell Embarcación")


@both_bots
def test_without_a_card_that_makes_sense_something_else_is_told(bot):
    states = table(("Fuga, Este animal puede hablar", "Espada, Hacha"), tale="Montaña*, Árbol*, Hoguera*")
    assert chosen(bot, states).startswith("tell")


def test_strong_finds_what_its_last_card_needs():
    states = table(("Fuga", "Espada, Hacha"), tale="Montaña*, Árbol*, Hoguera*", endings=("F50",))
    for _ in range(3):
        if choice := chosen("strong", states):
            answer(do(states, choice))
        if states[0].hand_size[0] == 0:
            break
    assert states[0].hand_size[0] == 0


def test_strong_says_little_that_others_may_claim():
    said, might = [], []
    for ply in plies("strong"):
        if ply.states[0].stage == s.TELL and s.A_TELL <= ply.action < s.A_PASS:
            things = GAME.layout.split(ply.observation)["things"]
            risks = things[:, EXPOSED]
            said.append(risks[ply.action - s.A_TELL])
            might.append(risks[things[:, SENSE] == 1].mean())
    assert PLAIN or np.mean(said) < np.mean(might) / 2


def test_strong_does_not_tell_of_what_another_is_known_to_hold():
    states = table(("Cocinero", "Cabaña, Hogar, Pueblo"), tale="Montaña*, Árbol*, Hoguera*", endings=("F29",))
    states[0].shown[states[0].where == 1] = 1
    assert chosen("strong", states).removeprefix("tell ") not in ("Cabaña", "Hogar", "Pueblo")


# The others.


@both_bots
def test_what_is_surely_told_of_is_claimed(bot):
    assert chosen(bot, do(table(("Rey, Reina", "Palacio, Espada")), "tell Palacio")) == "claim Palacio"


@both_bots
def test_no_claim_is_made_that_may_fail(bot):
    seen = 0
    for ply in plies(bot, seats=4):
        if s.A_CLAIM <= ply.action < s.A_INTERRUPT:
            seen += 1
            assert GAME.layout.split(ply.observation)["cards"][ply.action - s.A_CLAIM, MENTIONED] > SURE
    assert seen or PLAIN


def test_simple_breaks_in_whenever_it_may():
    seen = 0
    for ply in plies("simple", seats=4):
        if ply.states[0].stage == s.REACT and ply.mask[s.A_INTERRUPT : s.A_PROTEST].any():
            seen += 1
            assert s.A_CLAIM <= ply.action < s.A_PROTEST
    assert seen or PLAIN


def test_strong_breaks_in_on_a_narrator_who_is_about_to_win():
    states = do(table(("Rey", "Huérfano, Espada, Comida"), tale="Reina*"), "card Rey")
    assert chosen("strong", states) == "interrupt Huérfano"


def test_strong_plays_its_interruptions_last():
    states = table(("Huérfano, Mendigo", "Espada, Hacha"), tale="Niño(a)*, Camino*", endings=("F36",))
    assert chosen("strong", states) == "card Mendigo"


def test_strong_takes_over_from_a_nonsense_narrator():
    states = do(table(("Fuga, Reina", "Espada, Hacha"), tale="Río*"), "card Fuga")
    assert states[0].sense < 5
    assert chosen("strong", states) == "protest"


@LONG_IN_PLAIN
@both_bots
def test_nonsense_is_protested_against(bot):
    protests, quiet = 0, 0
    for ply in plies(bot, company="random"):
        if ply.states[0].seat == 0 and ply.mask[s.A_PROTEST]:
            protests += ply.action == s.A_PROTEST
            quiet += ply.action == s.A_NOTHING
    assert PLAIN or protests > quiet / 2


@both_bots
def test_votes_are_what_the_judge_would_say(bot):
    votes = {"judge": "votes"}
    states = table(("Fuga, Reina", "Espada, Hacha", "Comida, Llave"), tale="Río*", setup=votes)
    do(states, "card Fuga")
    answer(states, {1: "protest"})
    assert (states[0].stage, states[0].case) == (s.VOTE, s.ON_PROTEST)
    assert chosen(bot, states) == "yes"


# Strength.


@COMPILED_ONLY
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize(("better", "worse"), [("strong", "simple"), ("simple", "random")])
def test_each_bot_beats_the_one_before(better, worse, seats):
    score = agents.compare(GAME, agents.load(better, GAME), agents.load(worse, GAME), 60, seed=2, seats=seats)
    assert score.beats, score
