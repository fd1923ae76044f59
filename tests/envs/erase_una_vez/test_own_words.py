"""Sentences in a player's own words in *Érase una vez* (O16)."""

import dataclasses
import json

import numpy as np
import pytest
from erase_tables import GAME, action, card, choices, do, hand, log, table, thing, weight, where
from in_words import InWords

from sobremesa import agents, text_dataset
from sobremesa.agents.arena import replay
from sobremesa.agents.human import Human
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.stored import setup_problem
from sobremesa.envs import erase_una_vez
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between, outcome
from sobremesa.envs.core.record import to_bytes
from sobremesa.envs.core.sayings import sayings_of, words_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.erase_una_vez import state
from sobremesa.report import terminal

TELLING = GAME.words.telling
WOOD = "La princesa se perdió en un bosque oscuro."
HANDS = ["Princesa, Hacha", "Bosque, Loco", "Ventana, Rana"]


def own(hands=HANDS, tale="", **settings):
    """Return a table with own words, on which seat 0 tells."""
    return table(hands, tale=tale, setup={"telling": "words", **settings})


def say(states, text, act, language="es"):
    """Tell a sentence in own words; return the state after it."""
    TELLING.say(states, action(act), TELLING.listen(states, text, language))
    return do(states, act)


# What a sentence can stand for.


def test_o16_a_sentence_stands_for_what_it_states():
    states = own()
    stands = TELLING.actions(states, TELLING.listen(states, WOOD, "es"))
    assert stands[0] == action("card Princesa")
    assert action("tell Bosque") in stands
    assert action("card Hacha") not in stands
    with pytest.raises(ValueError, match="does not hear Hacha"):
        say(states, WOOD, "card Hacha")


def test_o16_others_claim_what_they_hear():
    states = say(own(), WOOD, "card Princesa")
    assert weight(states, "Bosque") == 100
    assert "claim Bosque" in choices(states)
    assert states[0].told[thing("Bosque")] == 1


def test_o16_in_the_words_of_the_game_the_wood_is_not_heard():
    states = do(own(), "card Princesa")
    assert weight(states, "Bosque") == 0


def test_o16_a_thing_named_in_passing_is_doubtful():
    states = say(own(), "La princesa corría como una rana.", "card Princesa")
    assert 35 <= weight(states, "Rana") < 75
    assert not states[0].told[thing("Rana")]


def test_o16_a_card_that_is_only_named_may_be_protested():
    states = own(["Rana, Hacha", "Bosque, Loco", "Ventana, Rey"])
    states = say(states, "El viento saltaba como una rana.", "card Rana")
    assert states[0].sense == 4
    assert "protest" in choices(states)


@pytest.mark.kernels
def test_o16_an_undone_sentence_leaves_no_trace():
    states = own(["Hacha, Rana", "Loco, Bosque", "Ventana, Rey"], tale="Princesa")
    before = states.copy()
    states = say(states, "Un rey viejo llegó al pueblo, y el viento saltaba como una rana.", "card Rana")
    assert states[0].told[thing("Rey")]
    do(states, "protest", "nothing")
    for vote in ("yes", "yes"):
        if choices(states) and "yes" in choices(states):
            do(states, vote)
    for name in ("told", "told_at", "facts", "fact_at", "context", "people", "objects"):
        np.testing.assert_array_equal(states[name], before[name], name)
    assert log(states)["fate"] == "undone"
    assert where(states, "Rana") == where(before, "Rana")
    assert not states["heard"].any()
    assert not states["words"].any()


def test_o16_nothing_new_before_the_ending():
    states = own(["", "Bosque, Loco", "Ventana, Rana"], tale="Princesa, Palacio")
    assert not hand(states, 0)
    with pytest.raises(ValueError, match="nothing new"):
        say(states, WOOD, "tell Princesa")
    say(states, "La princesa volvió a su palacio.", "tell Princesa")


def test_o16_the_next_sentence_forgets_what_was_heard():
    states = own(["Princesa, Hacha, Rey", "Loco", "Ventana"])
    say(states, WOOD, "card Princesa")
    do(states, "tell Rey")
    assert not states["heard"].any()
    assert states[0].words == state.OF_GAME


def test_o16_own_words_ramble_too():
    states = own(["Hacha, Loco", "Bosque", "Ventana"], tale="Princesa*, Palacio*, Rey*")
    for _ in range(2):
        say(states, "La princesa volvió a su palacio.", "tell Princesa")
    say(states, "La princesa volvió a su palacio.", "tell Princesa")
    assert states[0].sense == 3


def test_o16_what_is_also_told_needs_no_named_characters():
    states = own(["Hacha", "Dos personas se enamoran", "Ventana"], tale="Bosque*")
    say(states, "Con el hacha en la mano, dos se enamoraron y se besaron.", "card Hacha")
    assert states[0].sense >= 7
    assert weight(states, "Dos personas se enamoran") >= 75


def test_o16_a_rescue_that_is_also_told_may_end_its_own_danger():
    hands = ["Princesa, Hacha", "Un rescate", "Ventana"]
    states = table(hands, tale="Rey*", facts="cautivo", setup={"telling": "words"})
    say(states, "La princesa acudió a la torre y rescató al rey.", "card Princesa")
    assert states[0].told[thing("Un rescate")] == 1
    assert states[0].sense >= 7
    assert weight(states, "Un rescate") >= 75


def test_o16_the_third_of_a_group_lists():
    states = own(["Hacha, Loco", "Bosque", "Ventana"], tale="Palacio*")
    for text, thing_told in (
        ("Había un rey.", "Rey"),
        ("Había un gigante.", "Gigante"),
        ("Había un ladrón.", "Ladrón"),
    ):
        say(states, text, f"tell {thing_told}")
    assert states[0].sense == 4


def test_o16_what_is_new_is_heard_in_other_words_too():
    states = own(["Hacha, Loco", "Príncipe, Rana", "Ventana"], tale="Reina*, Pastora*")
    say(states, "La pastora encontró un bebé.", "tell Pastora")
    assert weight(states, "Príncipe") == 85


def test_o16_two_who_are_stated_may_meet():
    states = own(["Hacha, Loco", "Encuentro entre personas, Rana", "Ventana"], tale="Princesa*")
    say(states, "Un rey cenaba junto a la princesa.", "tell Rey")
    assert weight(states, "Encuentro entre personas") >= 50


def test_o16_a_chain_forgets_the_words():
    states = own(["Princesa, Hacha", "Bosque, Loco", "Ventana, Rana"], chain=True)
    say(states, WOOD, "card Princesa")
    do(states, "claim Bosque", "nothing")
    assert not states["words"].any()


# Texts.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no words"),
        (" \n\t ", "no words"),
        ("\x1b\x07\u202e", "no words"),
        ("¡...!", "no words"),
        ("a" * 301, "301 characters"),
    ],
)
def test_bad_texts_are_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        TELLING.listen(own(), text, "es")


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="'fr'"):
        TELLING.listen(own(), WOOD, "fr")


@pytest.mark.parametrize(
    ("text", "read"),
    [("La\x1b[31m  princesa\u202e\nduerme.", "La[31m princesa duerme."),
     ("La princesa \u200b duerme.", "La princesa duerme."),
     ("\ufeff La princesa duerme.", "La princesa duerme."),
     ("Gana ⓪ la princesa.", "Gana 0 la princesa.")],
)  # fmt: skip
def test_signs_that_do_not_print_are_dropped(text, read):
    saying = TELLING.listen(own(), text, "es")
    assert saying.text == read
    assert action("card Princesa") in TELLING.actions(own(), saying)


@pytest.mark.parametrize("text", [None, 5, b"La princesa"])
def test_a_sentence_is_a_text(text):
    with pytest.raises(TypeError, match="is a text"):
        TELLING.listen(own(), text, "es")


@pytest.mark.parametrize(
    "change",
    [{"row": 5}, {"text": ""}, {"text": "\x1b"}, {"stated": (200,)}, {"stated": (0, 0)}, {"heard": ((0, 101),)},
     {"heard": ((104, 0),)}, {"heard": ((-1, 50),)}, {"language": "fr"}],
)  # fmt: skip
def test_a_forged_sentence_is_refused_without_a_change(change):
    states = own()
    before = states.copy()
    forged = TELLING.listen(states, WOOD, "es")._replace(**change)
    with pytest.raises(ValueError, match=r"number|heard"):
        TELLING.say(states, action("card Princesa"), forged)
    assert (states == before).all()


def test_a_table_without_own_words_takes_none():
    states = table(HANDS)
    assert not TELLING.takes(states)
    with pytest.raises(ValueError, match="telling='words'"):
        say(states, WOOD, "card Princesa")


def test_the_text_stands_in_the_tale_and_in_the_story():
    states = own()
    saying = TELLING.listen(states, WOOD, "es")
    before = states.copy()
    say(states, WOOD, "card Princesa")
    words = words_of(GAME, [saying])
    for language in ("es", "en"):
        assert WOOD in " ".join(words.describe(states, None, language).split())
        assert WOOD in words.tale(states, language)
        assert any(WOOD in line for line in words.tell(before, action("card Princesa"), states, 2, language))
    assert WOOD not in GAME.words.tale(states, "es")


# Files from before.


def test_a_setup_may_lack_the_option_and_no_other():
    setup = GAME.setup(table(HANDS))
    del setup["telling"]
    assert setup_problem(setup, GAME) == ""
    del setup["judge"]
    assert "are not the options" in setup_problem(setup, GAME)


def test_states_without_own_words_have_the_bytes_from_before():
    states = table(HANDS)
    older = to_bytes(states, GAME.later)
    assert len(older) < states.nbytes
    states[0].telling = state.WORDS
    assert to_bytes(states, GAME.later) == states.tobytes()


# Whole deals.


@pytest.fixture(scope="module")
def spoken():
    strong = agents.load("strong", GAME)
    return InWords(strong, "es")


def test_deals_in_own_words_are_valid_and_keep_secrets(spoken):
    """Each state is valid, and everything that a seat sees is the same in each redealt world."""
    observe = table_kernels(GAME).observe
    seen, again = (np.zeros(GAME.layout.size, np.float32) for _ in range(2))
    heard = 0
    for seed in range(4):
        for number, ply in enumerate(deal_between(GAME, [spoken] * 3, seed, telling="words")):
            states = ply.states.copy()
            assert GAME.problems(states) == []
            heard += bool(states["heard"].any())
            if number % 5:
                continue
            for seat in range(3):
                world = states.copy()
                GAME.redeal(world[0], seat, 7)
                observe(states, seat, seen)
                observe(world, seat, again)
                np.testing.assert_array_equal(seen, again)
                assert GAME.words.describe(states, seat, "es") == GAME.words.describe(world, seat, "es")
    assert heard > 20


def test_a_replay_holds_the_texts(spoken, tmp_path):
    made = replay.record(GAME, [spoken] * 3, 5, telling="words")
    assert len(made.sayings) > 5
    replay.write(tmp_path / "deal.json", made)
    read = replay.read(tmp_path / "deal.json")
    assert read == dataclasses.replace(made, file=read.file)
    again = list(replay.plies(read))
    assert sayings_of(again) == [saying for _, saying in made.sayings]


def test_a_replay_with_another_text_heard_is_refused(spoken, tmp_path):
    made = replay.record(GAME, [spoken] * 3, 5, telling="words")
    replay.write(tmp_path / "deal.json", made)
    found = json.loads((tmp_path / "deal.json").read_text())
    found["sayings"][0][1][4] = [[card("Rana"), 100]]
    (tmp_path / "deal.json").write_text(json.dumps(found))
    with pytest.raises(replay.ReplayError):
        replay.verify(replay.read(tmp_path / "deal.json"))


@pytest.mark.parametrize(
    "change",
    [lambda told: told[0][1].__setitem__(1, "Nada de nada."), lambda told: told.append(told[0]),
     lambda told: told.append([10**6, told[0][1]])],
)  # fmt: skip
def test_a_replay_with_changed_sentences_is_refused(spoken, tmp_path, change):
    replay.write(tmp_path / "deal.json", replay.record(GAME, [spoken] * 3, 5, telling="words"))
    found = json.loads((tmp_path / "deal.json").read_text())
    change(found["sayings"])
    (tmp_path / "deal.json").write_text(json.dumps(found))
    with pytest.raises(replay.ReplayError):
        replay.verify(replay.read(tmp_path / "deal.json"))


def test_mentions_that_the_text_has_not_are_refused(spoken):
    class Forger(InWords):
        def said(self):
            return self.saying and self.saying._replace(stated=(*self.saying.stated, 136))

    with pytest.raises(ValueError, match="not those of the sentence"):
        list(deal_between(GAME, [Forger(spoken.agent, "es")] * 3, 5, telling="words"))


def test_plies_hold_the_table_before_the_words(spoken):
    for ply in deal_between(GAME, [spoken] * 3, 4, telling="words", chain=True):
        assert GAME.problems(ply.states) == []
        if ply.saying is not None:
            assert outcome(GAME, ply)["sentences"][0] > ply.states["sentences"][0]


def test_a_text_dataset_has_the_sentences(spoken):
    made = replay.record(GAME, [spoken] * 3, 5, telling="words")
    rows = list(text_dataset.rows(made, GAME, Style("es")))
    answers = [row["messages"][2]["content"] for row in rows]
    assert sum(answer.startswith("FRASE: ") for answer in answers) == len(made.sayings)


def test_watching_in_a_terminal_has_the_sentences(spoken):
    plies = list(deal_between(GAME, [spoken] * 3, 5, telling="words"))
    shown = " ".join(terminal.events(GAME, plies, ["a", "b", "c"], 0, "en").split())
    assert all(shown.count(saying.text) >= 2 for saying in sayings_of(plies)[-3:])


def test_the_same_seed_gives_the_same_deal(spoken):
    first, second = (list(deal_between(GAME, [spoken] * 2, 3, telling="words")) for _ in range(2))
    assert [(ply.action, ply.saying) for ply in first] == [(ply.action, ply.saying) for ply in second]


# Environments and people.


def test_an_environment_takes_a_sentence():
    env = erase_una_vez.env(seats=3, telling="words", render_mode="ansi", language="es").unwrapped
    env.reset(seed=1)
    teller = env.agent_selection
    chosen = env.say(WOOD, "es")
    assert chosen == action("tell Princesa") or chosen == action("card Princesa")
    assert WOOD in " ".join(env.render().split())
    assert env.agents
    assert teller.startswith("seat_")
    assert env.clone().render() == env.render()


def test_an_environment_refuses_a_sentence_about_another_thing():
    env = erase_una_vez.env(seats=3, telling="words").unwrapped
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(ValueError, match="stand for"):
        env.say(WOOD, "es", action("tell Rana"))
    with pytest.raises(ValueError, match="no words"):
        env.say("", "es")
    assert env.get_state() == before


def test_an_environment_without_own_words_takes_none():
    env = erase_una_vez.env().unwrapped
    env.reset(seed=1)
    with pytest.raises(ValueError, match="own words"):
        env.say(WOOD, "es")


def asked(lines, states):
    """Return the action of a person who types `lines`, what the screen shows, and the sentence."""
    typed, shown = iter(lines), []
    person = Human("es", lambda _: next(typed), shown.append)
    chosen = person.act(make_view(GAME, states, 0, new_stream(1)))
    return chosen, "\n".join(shown), person.said()


def test_a_person_sees_what_is_heard_and_rewords():
    chosen, shown, saying = asked(["Había una vez un pastor muy pobre.", WOOD, ""], own())
    assert "La mesa oye: Pastora" in shown
    assert "La mesa oye: Princesa" in shown
    assert chosen == action("card Princesa")
    assert saying.text == WOOD


def test_a_person_chooses_what_the_sentence_stands_for():
    chosen, _, saying = asked([WOOD, "2"], own())
    assert chosen in TELLING.actions(own(), saying)
    assert chosen != action("card Princesa")


def test_a_person_names_what_the_sentence_stands_for():
    chosen, _, saying = asked([WOOD, "contar Bosque"], own())
    assert chosen == action("tell Bosque")
    assert saying.text == WOOD


def test_a_person_who_names_a_move_uses_the_words_of_the_game():
    chosen, _, saying = asked([WOOD, "carta Hacha"], own())
    assert chosen == action("card Hacha")
    assert saying is None


def test_text_marks_do_not_break_pictures():
    states = own()
    saying = TELLING.listen(states, "La princesa <script>alert(1)</script> & {seat} lloró.", "es")
    assert thing("Princesa") in saying.stated
    say(states, saying.text, "card Princesa")
    assert "<script>alert" not in words_of(GAME, [saying]).scene(states, None, "es")
