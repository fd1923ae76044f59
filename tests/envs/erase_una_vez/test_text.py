"""*Érase una vez* in words: the table and the story."""

import re
from itertools import pairwise

import numpy as np
import pytest
from erase_logs import tale
from story_pages import Scene, check

from sobremesa import envs
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.api.encoders import MAX_TEXT, text_view
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES, SEAT_SIGNS
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.notation import action_name, help_text, parse_action
from sobremesa.envs.erase_una_vez.tables import fact_mask
from sobremesa.envs.erase_una_vez.text import words as w
from sobremesa.envs.erase_una_vez.text.fits import fit_of
from sobremesa.envs.erase_una_vez.text.story import tell, within_quotes, won
from sobremesa.envs.erase_una_vez.text.table import describe
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence
from sobremesa.envs.erase_una_vez.text.words import ending_words, name_of

GAME = envs.load("erase_una_vez")
KERNELS = table_kernels(GAME)
SETUPS = (
    {"seats": 2, "beginners": 2, "rejected": "kept", "max_sentences": 120},
    {"seats": 3, "judge": "votes", "hook": "manual", "max_sentences": 120},
    {"seats": 4, "strictness": "strict", "between_cards": 1, "max_sentences": 60},
    {"seats": 5, "judge": "mixed", "chain": True, "change_ending": True, "max_sentences": 60},
    {"seats": 6, "protest_card": "stays", "must_end": True, "strictness": "strict", "max_sentences": 60},
)
BOSQUE, LOBO = t.NUMBER["L11"], t.NUMBER["P05"]


def readers(table):
    return (None, *range(int(table["seats"][0])))


def dealt(seed=0, **setup):
    return next(iter(random_deal(GAME, seed, setup))).states.copy()


def play(table, *actions):
    """Play on from `table` by the names of actions; return each state with the action that led there."""
    seen = [(None, table.copy())]
    for name in actions:
        mask, action = np.zeros(s.NUM_ACTIONS, np.int8), parse_action(name, "en")
        KERNELS.legal(table, mask)
        assert mask[action], name
        KERNELS.step(table, action, np.zeros(GAME.layout.size, np.float32), mask)
        seen.append((action, table.copy()))
    return seen


def told(seen, seat, language="en"):
    """Return all that `seat` is told of what `play` returned."""
    return [
        line for (_, before), (action, after) in pairwise(seen) for line in tell(before, action, after, seat, language)
    ]


def one_line(text):
    return " ".join(text.split())


def give(table, seat, *names):
    """Make the cards called `names` the hand of a seat; what it held goes below the deck."""
    state = table[0]
    cards = [t.NUMBER[name] for name in names]
    for card in np.flatnonzero(state.where == seat).tolist() + cards:
        if state.where[card] < s.MAX_SEATS:
            state.hand_size[state.where[card]] -= 1
            state.deck[1 : state.deck_size + 1] = state.deck[: state.deck_size].copy()
            state.deck[0], state.where[card] = card, s.DECK
            state.deck_size += 1
    for card in cards:
        place = state.deck.tolist().index(card)
        state.deck[place : state.deck_size - 1] = state.deck[place + 1 : state.deck_size].copy()
        state.deck_size -= 1
        state.deck[state.deck_size] = 0
        state.where[card] = seat
        state.hand_size[seat] += 1


def set_table(*hands, **setup):
    """Return the first state of a deal in which seat 0 narrates and the seats hold `hands`, lists of ids."""
    table = dealt(1, seats=len(hands), begins="seat 0", **setup)
    for seat, names in enumerate(hands):
        give(table, seat, *names)
    return table


@pytest.fixture(scope="module")
def deals():
    """Whole random deals at tables of every size."""
    return [list(random_deal(GAME, 4, setup)) for setup in SETUPS]


@pytest.fixture(scope="module")
def tables(deals):
    """States from these deals, their ends too."""
    return [ply.states for deal in deals for ply in deal if ply.states["ply"][0] % 29 == 0 or ply.seat == OVER]


# The table.


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_text_leaves_room_for_the_actions(language):
    """All is told of and true, all cards are in two hands and known, and every sentence is a long one."""
    table = dealt(seats=2, judge="mixed", beginners=2, chain=True, change_ending=True, strictness="strict")
    state = table[0]
    state.where[: t.NUM_ELEMENTS] = np.arange(t.NUM_ELEMENTS) % 2
    state.hand_size[:2] = [(state.where == seat).sum() for seat in range(2)]
    state.shown[:], state.told[:], state.facts, state.deck_size = 1, 1, (1 << t.NUM_FACTS) - 1, 0
    state.sentences = s.MAX_SENTENCES - 1
    for row in state.log[: state.sentences]:
        row[:3], row[s.LOG_HOOK] = (row[0], s.BRIDGE, t.NUMBER["A22"]), t.NUMBER["E16"]
    state.log[::2, s.LOG_SEAT] = 1
    for seat in readers(table):
        assert len(describe(table, seat, language)) < 12_500
    assert len(text_view(make_view(GAME, table, int(state.seat), new_stream(0)), language)) < MAX_TEXT


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_who_narrates_and_asks_the_reader_alone(tables, language):
    words, asked = w.WORDS[language], 0
    for table in tables:
        state = table[0]
        for seat in readers(table):
            head = one_line(describe(table, seat, language).split("\n\n")[0])
            if state.over:
                assert head.startswith(words["over"].format(int(state.sentences)))
                assert head.endswith(one_line(" ".join(won(state, language))))
                continue
            narrator = SEAT_SIGNS[state.narrator] + (words["you"] if state.narrator == seat else "")
            assert words["head"].format(int(state.sentences), int(state.max_sentences), narrator) in head
            assert (words["yours"].format("") in head) == (seat == state.seat)
            assert (words["theirs"].format(SEAT_SIGNS[state.seat], "") in head) == (seat is None)
            asked += seat == state.seat
    assert asked > 30


def test_c5_5_who_is_asked_is_not_seen():
    """While a sentence may be reacted to, the text is as when the narrator is about to go on."""
    table = set_table(["L11", "P05", "P01"], ["P13", "O14"], ["P25", "P03"], ["P06"], hook="manual")
    after = play(table, "play Lobo")[-1][1]
    assert after["stage"][0] == s.REACT
    for language in LANGUAGES:
        texts = set()
        for stage, asked in ((s.REACT, 2), (s.REACT, 1), (s.TELL, 0), (s.HOOK, 0)):
            after["stage"], after["seat"] = stage, asked
            after["answered"][0, 1], after["choice"][0, 1] = asked == 2, s.A_INTERRUPT * (asked == 2)
            after["chosen"] = asked
            texts.add(describe(after, 3, language))
        assert len(texts) == 1
        assert after["seat"][0] != 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tale_is_told_again_by_its_last_sentences(tables, language):
    words, claimed = w.WORDS[language], 0
    for table in tables:
        count, log, text = int(table["sentences"][0]), table["log"][0], describe(table, 0, language)
        told = [one_line(line) for line in tale(log, count, language)]
        assert all(line in one_line(text) for line in told[-20:])
        assert (words["untold"] in text) == (count == 0 or not told)
        rows = log[:count][~np.isin(log[:count, s.LOG_KIND], (s.PASS, s.END))]
        rows = rows[rows[:, s.LOG_FATE] != s.UNDONE].tolist()
        if rows and rows[-1][s.LOG_FATE] in (s.CLAIMED, s.TOLD_TOO) and rows[-1][s.LOG_CARD] != rows[-1][s.LOG_THING]:
            assert re.search(rf"\n  {SEAT_SIGNS[rows[-1][s.LOG_TAKER]]} {re.escape(told[-1][:20])}", text)
            claimed += 1
        hidden = re.search(re.escape(words["before"]).replace(r"\{\}", r"(\d+)"), text)
        assert bool(hidden) == (len(told) > 25)
    assert claimed


def test_what_was_undone_is_no_part_of_the_tale():
    table = set_table(["L11", "P05"], ["P13"], ["P25"], judge="votes", protest_card="back")
    seen = play(table, "tell frightened")
    assert seen[-1][1]["sense"][0] == 2
    words = one_line(sentence(seen[-1][1]["log"][0], 0, "en"))
    assert words in one_line(describe(seen[-1][1], 1, "en"))
    seen = play(seen[-1][1], "protest", "protest")  # both involved: the judge decides
    assert table["log"][0, 0, s.LOG_FATE] == s.UNDONE or seen[-1][1]["log"][0, 0, s.LOG_FATE] == s.UNDONE
    assert words not in one_line(describe(seen[-1][1], 1, "en"))
    assert "Nothing has been told yet." in describe(seen[-1][1], 1, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_lists_facts_and_things_told(tables, language):
    words = w.WORDS[language]
    for table in tables:
        state = table[0]
        lists = _lists(describe(table, 0, language))
        facts = [word for fact, word in enumerate(t.FACT_WORDS[language]) if int(state.facts) >> fact & 1]
        assert lists.get(words["facts"], []) == facts
        laid = state.where == s.TABLE
        expected = {
            "told2": np.flatnonzero(state.told == 2),
            "told1": np.flatnonzero((state.told[: t.NUM_ELEMENTS] == 1) & ~laid),
            "told0": t.NUM_ELEMENTS + np.flatnonzero(state.told[t.NUM_ELEMENTS :]),
            "unsaid": np.flatnonzero(laid & (state.told[: t.NUM_ELEMENTS] != 2)),
        }
        for key, things in expected.items():
            assert lists.get(words[key], []) == [name_of(int(thing), language) for thing in things]
        context = [name_of(int(thing), language) for thing in state.context if thing != t.NO_THING]
        assert [item[2:] for item in lists.get(words["context"], [])] == context


def _lists(text):
    """Return the lists of a text: items by head."""
    found = {}
    for line in re.sub(r"\n +", " ", text).split("\n"):
        head, _, items = line.partition(": ")
        found[head] = items.split(", ")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hand_is_its_owners(tables, language):
    words = w.WORDS[language]
    for table in tables:
        state = table[0]
        for seat in range(int(state.seats)):
            paragraph = describe(table, seat, language).split("\n\n")[-2]
            hand = one_line(re.split(rf"\n(?={words['ending'][:9]}|\S)", paragraph)[0])
            held = np.flatnonzero(state.where == seat).tolist()
            fits = [fit_of(state, card, seat, True) for card in held]
            listed = [
                f"{words[f'fit{fit}']}: "
                + ", ".join(_marked(card, language) for card, one in zip(held, fits, strict=True) if one == fit)
                for fit in sorted(set(fits))
            ]
            assert hand.endswith(" ".join(listed) if held else words["empty"])
            lists = _lists(paragraph)
            for other in range(int(state.seats)):
                known = np.flatnonzero((state.where == other) & (state.shown == 1))
                head = words["known_own"] if other == seat else words["known"].format(SEAT_SIGNS[other])
                assert lists.get(head, []) == [_marked(int(card), language) for card in known]
            piles = _lists(describe(table, seat, language).split("\n\n")[-1])
            buried = np.flatnonzero((state.where == s.BURIED) & (state.buried_by == seat))
            assert piles.get(words["buried"], []) == [_marked(int(card), language) for card in buried]
            thrown = np.flatnonzero(state.where == s.OPEN)
            assert piles.get(words["open"], []) == [_marked(int(card), language) for card in thrown]
        everything = one_line(describe(table, None, language))
        for ending in state.ending[state.ending != t.NO_ENDING]:
            assert one_line(ending_words(int(ending), language)) in everything


def _marked(card, language):
    return name_of(card, language) + "*" * t.THINGS[card].interruption


def test_c9_3_own_endings_say_what_they_ask_for_and_what_is_met():
    table = set_table(["L11"], ["P13"], strictness="lenient")
    state = table[0]
    number = next(n for n, one in enumerate(t.ENDINGS) if one.blockers and set(one.clauses[0]) & set(t.FACTS))
    ending, fact = t.ENDINGS[number], next(one for one in t.ENDINGS[number].clauses[0] if one in t.FACTS)
    _hold(state, 0, number)
    words = dict(zip(t.FACTS, t.FACT_WORDS["es"], strict=True))
    clause = " o ".join(words.get(one) or t.THINGS[t.NUMBER[one]].name for one in ending.clauses[0])
    blocker = words[ending.blockers[0]]
    text = one_line(describe(table, 0, "es"))
    assert f"Tu final 1: «{ending.spanish}» ✗ {clause} " in text
    assert f" ✓ no lo impide: {blocker} el juez lo rechazaría" in text
    state.facts = fact_mask((fact, ending.blockers[0]))
    text = one_line(describe(table, 0, "es"))
    assert f"Tu final 1: «{ending.spanish}» ✓ {clause} " in text
    assert f" ✗ lo impide: {blocker} el juez lo rechazaría" in text
    assert ending.spanish not in one_line(describe(table, 1, "es"))


@pytest.mark.parametrize(("strictness", "late"), [("lenient", False), ("strict", True)])
def test_c9_3_what_was_told_too_long_ago_is_marked(strictness, late):
    table = set_table(["L11"], ["P13"], strictness=strictness)
    state = table[0]
    number = next(n for n, one in enumerate(t.ENDINGS) if len(one.clauses) == 1 and not one.blockers)
    _hold(state, 0, number)
    state.sentences, state.log[:40, s.LOG_KIND] = 40, s.PASS
    for one in t.ENDINGS[number].clauses[0]:
        if one in t.FACTS:
            state.facts, state.fact_at[t.FACTS.index(one)] = fact_mask((one,)), 20
        else:
            state.told[t.NUMBER[one]], state.told_at[t.NUMBER[one]] = 1, 20
    text = one_line(describe(table, 0, "en"))
    assert ("(too long ago) the judge would refuse it" in text) == late
    assert ("the judge would accept it" in text) != late


def _hold(state, seat, ending):
    """Give a seat an ending, in exchange for the one that it holds."""
    held = int(state.ending[seat, 0])
    state.endings[state.endings == ending] = held
    state.ending[state.ending == ending] = held
    state.ending_known[held], state.ending_known[ending] = 0, 1 << seat
    state.ending[seat, 0] = ending


def test_the_question_names_what_may_be_said_to_a_sentence():
    table = set_table(["P18", "P05", "O05"], ["P13", "O14"], ["P25", "P03"])
    seen = play(table, "tell birth")
    text = one_line(describe(seen[-1][1], 1, "en").split("\n\n")[0])
    assert "Last sentence, by ⓪: birth, without a card; it makes sense" in text
    assert "Your choice: what you say to the last sentence: claim Child (right), or nothing" in text
    seen = play(seen[-1][1], "nothing", "play Lobo")
    text = one_line(describe(seen[-1][1], 2, "es").split("\n\n")[0])
    assert "Última frase, de ⓪: Lobo, con su carta, a partir de nacimiento; nada lleva a ello, y se puede" in text
    assert "qué dices a la última frase: interrumpir con Rana, o nada" in text
    seen = play(seen[-1][1], "nothing", "tell Se rompe un objeto")
    text = one_line(describe(seen[-1][1], 1, "es").split("\n\n")[0])
    assert "al cuento le falta lo que necesita" in text
    assert "qué dices a la última frase: protestar, o nada" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotations_within_quotations_have_other_marks(language):
    first, last = "“”" if language == "en" else "«»"
    said = within_quotes(f"{first}a{last}", language)
    assert said == {"en": "‘a’", "es": "“a”"}[language]


def test_what_is_put_to_the_vote_is_told_to_all():
    table = set_table(["P18", "P05", "O05"], ["P13", "O14"], ["P25", "P03"], judge="votes")
    seen = play(table, "tell forest", "claim Árbol")
    state = seen[-1][1][0]
    assert (state.stage, state.case, state.seat) == (s.VOTE, s.ON_CLAIM, 2)
    for seat in (0, 1, 2):
        text = one_line(describe(seen[-1][1], seat, "en"))
        assert "claim that it told of Tree (70 in 100)" in text
        assert ("Your choice: vote yes or no" in text) == (seat == 2)
    assert "Votan: ② (tú)" in describe(seen[-1][1], 2, "es")


def test_questions_to_the_narrator():
    table = set_table(["L11", "P05"], ["O01"], ["O02"], between_cards=1)
    assert "Your choice: play a card and tell of it, tell of something else, or pass" in one_line(
        describe(table, 0, "en")
    )
    table["played"], table["idle"] = 1, 0
    assert "tell something without a card (the next card may follow after 1), or pass" in one_line(
        describe(table, 0, "en")
    )
    give(table, 0)
    table["links"] = 1
    text = one_line(describe(table, 0, "es"))
    assert "Tú decides: contar algo de lo ya contado (1 como mucho), jugar tu final, o pasar" in text
    table["links"], table["must_end"] = 2, 1
    assert "Tú decides: jugar tu final En esta mesa" in one_line(describe(table, 0, "es"))
    table["stage"], table["hand_size"][0, 0] = s.HOOK, 1
    table["context"][0] = BOSQUE, BOSQUE, LOBO
    assert "the next sentence goes on from: 1 Forest, 3 Wolf, or pass" in one_line(describe(table, 0, "en"))
    table["stage"], table["chosen"] = s.TELL, 2
    assert "Your choice: tell what goes on from Wolf" in one_line(describe(table, 0, "en"))
    table["stage"], table["change_ending"] = s.PASSING, 1
    assert "discard a card face down, or keep all, or change an ending" in one_line(describe(table, 0, "en"))


def test_options_of_the_table_are_told():
    known = {option.name for option in GAME.options}
    for language in LANGUAGES:
        assert {name.rstrip("0123456789") for name in w.OPTION_WORDS[language]} <= known
        text = one_line(describe(dealt(seats=3, judge="votes", between_cards=2, reshuffle=False), 1, language))
        for key in ("judge1", "strictness0", "between_cards2", "reshuffle0"):
            assert w.OPTION_WORDS[language][key] in text
        assert w.OPTION_WORDS[language]["chain1"] not in text


# What is told.


@pytest.mark.parametrize("language", LANGUAGES)
def test_o8_an_interrupting_card_has_a_sentence(language):
    before = set_table(["P13", "L11"], ["P21", "O14"], ["P25", "P03"], special_tells=True)
    seen = play(before, "play Niño(a)", "interrupt Huérfano", "nothing")
    after = seen[-1][1]
    assert after["log"][0, 0, s.LOG_FATE] == s.TOLD_TOO
    words = aside(after["log"][0], 0, language)
    for seat in (None, 0, 1, 2):
        lines = told(seen, seat, language)
        assert w.STORY[language]["breaks_in_telling"].format(
            seat="①", card=name_of(t.NUMBER["P21"], language), words=words) in lines  # fmt: skip
        assert f"① {one_line(words)}" in one_line(describe(after, seat, language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_o6_a_break_in_that_is_broken_in_on_tells_nothing(language):
    before = set_table(["P13", "L11"], ["P21", "O14"], ["P25", "P03"], chain=True)
    after = play(before, "play Niño(a)", "interrupt Huérfano", "nothing", "interrupt Rana")[-1][1]
    assert after["log"][0, :2, s.LOG_KIND].tolist() == [s.CARD, s.BREAK_IN]
    assert len(tale(after["log"][0], int(after["sentences"][0]), language)) == 1
    for seat in (None, 0, 1, 2):
        text = one_line(describe(after, seat, language))
        assert one_line(sentence(after["log"][0], 0, language)) in text
        assert w.WORDS[language]["broke_in"].split("{}")[1].strip() in text
        assert name_of(t.NUMBER["P25"], language) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_in_a_deal_is_told(deals, language):
    for deal in deals:
        for ply, after in pairwise(deal):
            for seat in readers(ply.states):
                lines = tell(ply.states, ply.action, after.states, seat, language)
                assert all(line and not re.search(r"[{}\n]", line) for line in lines)
                assert lines or seat not in (None, ply.seat), action_name(ply.action, language)
                if ply.states["stage"][0] == s.TELL and ply.action < s.A_PASS:
                    row = int(ply.states["sentences"][0])
                    assert within_quotes(sentence(after.states["log"][0], row, language), language) in lines[0]


def test_c11_3_only_the_owner_reads_drawn_cards_and_discards(deals):
    counts = dict.fromkeys((s.E_DRAWS, s.E_DISCARDS), 0)
    for deal in deals:
        for ply, after in pairwise(deal):
            for event, owner, what, _ in after.states["news"][0, : after.states["news_count"][0]].tolist():
                if event not in counts or what == t.NUM_ELEMENTS:
                    continue
                counts[event] += 1
                name, verb = name_of(what, "es"), "roba" if event == s.E_DRAWS else "descarta"
                for seat in readers(ply.states):
                    lines = tell(ply.states, ply.action, after.states, seat, "es")
                    known = [line for line in lines if f"{SEAT_SIGNS[owner]} {verb} " in line and name in line]
                    assert bool(known) == (seat in (None, owner))
    assert all(counts.values()), counts


def test_c9_5_a_refused_ending_is_told_and_known():
    table = _refused_ending()
    old = ending_words(int(table["ending"][0, 0, 0]), "es")
    seen = play(table, "end 1")
    text = one_line(describe(seen[-1][1], 1, "es"))
    assert f"El cuento: ⓪ (rechazado: «{old}») " in text
    assert f"Final conocido de ⓪: «{old}»" in text
    assert "Final conocido" not in describe(seen[-1][1], 0, "es")
    seen[-1][1]["ending"][0, 0, 0] = t.NO_ENDING
    seen[-1][1]["endings"][0, 7] = [ending_words(n, "es") for n in range(t.NUM_ENDINGS)].index(old)
    assert f"Final conocido del montón, el número 8 desde arriba: «{old}»" in one_line(describe(seen[-1][1], 1, "es"))


def _before_the_end():
    table = set_table(["P18"], ["O14"])
    give(table, 0)
    table["facts"] = fact_mask(("amor",))
    table["ending"][0, 0] = 0, t.NO_ENDING
    table["ending_known"][0, 0] = 1
    return table


def test_the_end_is_told():
    after = play(_before_the_end(), "end 1")[-1][1]
    words = t.ENDINGS[0].spanish
    assert one_line(describe(after, 1, "es")).startswith(
        f"Se acabó el cuento · frases: 1 Gana ⓪, y colorín, colorado: «{words}»"
    )
    after["ending_kind"] = s.TOO_LONG
    assert won(after[0], "en") == ["The tale has grown too long.", "⓪ wins, with the fewest cards: 0."]
    after["winner"][0, 1], after["hand_size"][0, 1] = 1, 0
    assert won(after[0], "en")[1:] == [f"{sign} shares the win, with the fewest cards: 0." for sign in "⓪①"]


# The help.


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_all_cards(language):
    text = help_text(language)
    for thing in range(t.NUM_THINGS):
        assert name_of(thing, language) in one_line(text)
    assert one_line(text).count("*") == len(t.INTERRUPTIONS) + 2  # and where the mark is explained


def _refused_ending():
    table = set_table(["P18"], ["P13"], ["P02"], strictness="strict", rejected="kept", judge="rules")
    give(table, 0)
    return table


FOREST = ["P18", "P05", "O05"], ["O14"], ["P03"]
UNDONE = ["E07", "L11"], ["O05"], ["E17", "O08"], ["L15"]
FEAR = ["A01", "P05", "O05"], ["O14"]
PROTEST = "play Un combate", "protest", "interrupt Tormenta", "nothing"
SCENES = (
    Scene(
        "a reaction that comes too late (C6.7)",
        lambda: set_table(["P17"], ["P22", "O05"], ["P25", "O08"], ["L11"]),
        ("play Rey", "interrupt Caballo", "interrupt Rana"),
    ),
    Scene("a reaction to an undone sentence (C6.1)", lambda: set_table(*UNDONE, judge="rules"), PROTEST),
    Scene("the same by votes (C6.1)", lambda: set_table(*UNDONE, judge="votes"), (*PROTEST, "yes")),
    Scene(
        "the owner alone reads changed endings (C11.3)",
        lambda: set_table(["P18", "L11"], ["P13"], ["P02"], change_ending=True),
        ("pass", "change ending 1"),
    ),
    Scene("a refused ending (C9.5)", _refused_ending, ("end 1",)),
    Scene(
        "reactions when all are laid open (C5.5)",
        lambda: set_table(["P18", "P13", "O05"], ["P21", "O14"], ["P24", "P03"]),
        ("play Niño(a)", "interrupt Huérfano", "nothing"),
    ),
    Scene(
        "votes when all have voted (C8.2)",
        lambda: set_table(*FOREST, ["O01"], judge="votes"),
        ("tell forest", "claim Árbol", "yes", "no"),
    ),
    Scene(
        "an upheld protest, the card goes back",
        lambda: set_table(*FEAR, protest_card="back"),
        ("play frightened", "protest"),
    ),
    Scene(
        "an upheld protest, the card stays",
        lambda: set_table(*FEAR, protest_card="stays"),
        ("play frightened", "protest"),
    ),
    Scene("a wrong claim", lambda: set_table(*FOREST), ("tell axe", "claim tree")),
    Scene("a right claim", lambda: set_table(*FOREST), ("tell tree", "claim tree")),
    Scene("the end", _before_the_end, ("end 1",)),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_events_is_as_before(language):
    check("erase_una_vez", GAME, language, w.STORY, SCENES)
