"""Texts of *Corre el encierro*: names that parse back, tables, and stories of deals."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from story_pages import Scene, check

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES, SEAT_SIGNS
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.words import COLUMNS
from sobremesa.envs.corre_el_encierro import cards, state as s
from sobremesa.envs.corre_el_encierro.cards import NO_CARD, NUM_CARDS, NUM_HAND_CARDS
from sobremesa.envs.corre_el_encierro.knowledge import count_unseen
from sobremesa.envs.corre_el_encierro.notation import action_name, help_text, parse_action
from sobremesa.envs.corre_el_encierro.text.cards import card_name, effect, object_name
from sobremesa.envs.corre_el_encierro.text.story import tell
from sobremesa.envs.corre_el_encierro.text.table import describe
from sobremesa.envs.corre_el_encierro.text.words import STORY, WORDS

GAME = envs.load("corre_el_encierro")
VIEWED = [(seats, seed) for seats in range(2, 6) for seed in (seats, seats + 10)]


def readers(table):
    return (None, *range(int(table["seats"][0])))


@pytest.fixture(scope="module")
def deals():
    """Whole random deals at tables of every size, one with the other deck."""
    found = [list(random_deal(GAME, seed, {"seats": seats})) for seats, seed in VIEWED]
    return [*found, list(random_deal(GAME, 5, {"seats": 4, "deck": "conflict"}))]


@pytest.fixture(scope="module")
def tables(deals):
    """States from these deals, their ends too."""
    return [ply.states for deal in deals for ply in deal if ply.states["ply"][0] % 9 == 0 or ply.seat == OVER]


def dealt(seats=3):
    return next(iter(random_deal(GAME, 0, {"seats": seats}))).states


def give(table, seat, *kinds):
    """Make `kinds` the whole hand of a seat, whatever the other cards are."""
    table["hand"][0, seat] = 0
    for kind in kinds:
        table["hand"][0, seat, kind] += 1
    table["hand_size"][0, seat] = len(kinds)


def play(table, *actions):
    """Play on from `table`; return each state with the action that led there, the first without one."""
    seen = [(None, table.copy())]
    for action in actions:
        mask = np.zeros(s.NUM_ACTIONS, np.int8)
        table_kernels(GAME).legal(table, mask)
        assert mask[action], action_name(action, "en")
        table_kernels(GAME).step(table, action, np.zeros(GAME.layout.size, np.float32), mask)
        seen.append((action, table.copy()))
    return seen


def told(seen, seat, language="en"):
    """Return the story for `seat` of the states from `play`."""
    steps = pairwise(seen)
    return [line for (_, before), (action, after) in steps for line in tell(before, action, after, seat, language)]


@pytest.mark.parametrize("text", ["Kilikis", "el pillo", "Intercambio"])
def test_an_attack_without_a_target_is_told_how_to_name_one(text):
    with pytest.raises(ValueError, match=rf"'{text}' at whom\?.*'{text} \+1' is the next runner"):
        parse_action(text, "en")
    with pytest.raises(ValueError, match=rf"¿'{text}' contra quién\?"):
        parse_action(text, "es")


def test_the_widest_rows_fit_a_terminal():
    table = dealt(5)
    table["special"] = cards.LIQUIDO
    table["status"] = s.WARNED
    table["status"][0, 1] = s.BEHIND
    for seat in readers(table):
        for language in LANGUAGES:
            assert max(map(len, describe(table, seat, language).split("\n"))) <= COLUMNS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_shows_the_turn_and_asks_only_the_reader(tables, language):
    words = WORDS[language]
    questions = [words["full"], words["last"], *(words[f"stage{stage}"] for stage in range(s.PLAY, s.GO_ON))]
    for table in (table for table in tables if not table["over"][0]):
        state = table[0]
        for seat in readers(table):
            text = describe(table, seat, language)
            assert SEAT_SIGNS[state.turn] in text.split("\n")[0]
            assert str(int(state.turns)) in text.split("\n")[0]
            assert sum(f": {question}" in text for question in questions) == (seat in (None, state.seat))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_has_a_line_for_each_runner(tables, language):
    words = WORDS[language]
    for table in tables:
        state, seats = table[0], int(table[0].seats)
        for seat in readers(table):
            centre = int(state.seat) if seat is None else seat
            lines = describe(table, seat, language).split("\n\n")[2].split("\n")[1:]
            assert len(lines) == seats
            for other, line in enumerate(lines):
                assert SEAT_SIGNS[other] in line
                assert (words["you"] in line) == (other == seat)
                assert line.startswith("> ") == (other == state.turn and not state.over)
                if other != centre and not state.over:
                    assert f" +{(other - centre) % seats} " in line
                if state.status[other] != s.RUNNING:
                    assert line.endswith(words[f"status{int(state.status[other])}"])
                if state.status[other] != s.OUT:
                    assert f" {int(state.objects[other])} " in line
                    assert state.special[other] == NO_CARD or card_name(int(state.special[other]), language) in line
                    assert str(int(state.hand_size[other])) in line


def test_the_course_shows_runners_and_closed_locations():
    table = dealt(4)
    table["place"][0, :4] = (2, 3, 2, 6)
    table["closed"] = 1
    names, runners, closed = describe(table, 0, "en").split("\n\n")[1].split("\n")
    assert names.split("  ") == ["Santo Domingo", *cards.LOCATION_NAMES[1:6], "Plaza"]
    assert abs(runners.index("⓪②") - names.index("Ayuntamiento") - 5) <= 1
    assert names.index("Callejón") < runners.index("③") < names.index("Plaza")
    assert closed.split() == ["closed"]
    assert closed.index("closed") < names.index("Ayuntamiento")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_lists_the_own_hand_and_no_other(tables, language):
    words = WORDS[language]
    for table in tables:
        state = table[0]
        for seat in range(int(state.seats)):
            paragraph = " ".join(describe(table, seat, language).split("\n\n")[3].split())
            for kind in range(NUM_HAND_CARDS):
                count = int(state.hand[seat, kind])
                listed = re.search(
                    rf"(\d )?{re.escape(card_name(kind, language))}: {re.escape(effect(kind, language))}", paragraph
                )
                assert bool(listed) == (count > 0)
                if listed and count > 1:
                    assert listed[1] == f"{count} "
            assert (words["empty"] in paragraph) == (state.hand_size[seat] == 0)
            worn = paragraph.split(words["hand"])[0]
            assert [object_name(n, language) in worn for n in range(5)] == [n < state.objects[seat] for n in range(5)]
        hands = describe(table, None, language).split("\n\n")[3] if (state.status != s.OUT).any() else ""
        for seat in np.flatnonzero(state.hand_size):
            line = " ".join(hands.split(words["hand_of"].format(SEAT_SIGNS[seat]))[1].split())
            assert all(card_name(int(kind), language) in line for kind in np.flatnonzero(state.hand[seat]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_counts_what_is_unseen(tables, language):
    words, names = WORDS[language], [card_name(card, language) for card in range(NUM_CARDS)]
    for table in tables[::3]:
        state = table[0]
        text = " ".join(describe(table, 1, language).split("\n\n")[-1].split())
        assert text.startswith(words["pile"].format(int(state.pile_size)))
        left = np.empty(NUM_CARDS, np.int64)
        count_unseen(state, 1, left)
        bulls, falls = sum(left[NUM_HAND_CARDS : cards.FIRST_FALL]), sum(left[cards.FIRST_FALL :])
        assert (words["bulls"].format(bulls) in text) == (bulls > 0)
        assert (words["falls"].format(falls) in text) == (falls > 0)
        unknown = text.split(words["discards"])[0]
        assert [name in unknown for name in names] == [count > 0 for count in left]
        discarded = text.split(words["discards"])[1] if state.discards.any() else ""
        assert [name in discarded for name in names] == [count > 0 for count in state.discards]


def test_the_text_says_what_is_being_resolved():
    table = dealt(3)
    table["turn"] = table["seat"] = 0
    give(table, 0, cards.KILIKIS)
    give(table, 1, cards.OTRA_VEZ)
    seen = play(table, parse_action("Kilikis +1", "en"))
    assert "Big Heads, played by ⓪, at ① (you)" in describe(seen[-1][1], 1, "en")
    assert "Kilikis, de ⓪ contra ①\n" in describe(seen[-1][1], 2, "es")
    assert "Your choice: answer with Better Luck Next Time" in describe(seen[-1][1], 1, "en")


def test_the_text_says_who_is_hit_next_and_who_has_sent_the_bull():
    table = _about_to_draw(cards.CHULIN)
    give(table, 0, cards.TORO_VOLTEADO)
    give(table, 1, cards.TORO_VOLTEADO)
    seen = play(table, s.A_DRAW)
    assert "Chulín, drawn by ⓪ (you), hits ⓪ (you); then ①, ②" in describe(seen[-1][1], 0, "en")
    seen = play(table, parse_action("Toro volteado +1", "en"))
    assert "Chulín, que manda ⓪, va a por ① (tú); luego ① (tú), ②" in describe(seen[-1][1], 1, "es")


def test_the_text_says_whom_the_cabestros_threaten():
    table = _about_to_draw(cards.RECORTE)
    table["pile_size"] = 1
    give(table, 1, cards.AVANZAR)
    seen = play(table, s.A_DRAW)
    text = describe(seen[-1][1], 1, "en")
    assert "The Steers sweep Santo Domingo; in danger: ⓪, ① (you), ②; still to flee: ②, ⓪" in " ".join(text.split())
    assert "Your choice: flee from the Steers" in text
    assert "Your choice" not in describe(seen[-1][1], 2, "en")


def test_c11_1_the_robbed_are_reminded_of_their_cards():
    table = dealt(3)
    for theft, (kind, hands) in enumerate([(cards.CAPOTE, 0b100), (cards.RECORTE, 0b110)]):
        table["theft_kind"][0, theft], table["theft_from"][0, theft] = kind, 0
        table["theft_by"][0, theft], table["theft_hands"][0, theft] = 2, hands
    assert "Stolen from you: Cape (② has it), Sidestep (① or ② has it)" in describe(table, 0, "en")
    assert "Te han quitado: Capote (la tiene ②), Recorte (la tiene ① o ②)" in describe(table, 0, "es")
    assert "Stolen" not in describe(table, 1, "en")
    assert "A ⓪ le han quitado: Capote (la tiene ②)" in describe(table, None, "es")


@pytest.mark.parametrize(
    ("card", "stages"), [(cards.KILIKIS, (s.ANSWER, s.PAY)), (cards.CHULIN, (s.DEFEND, s.PAY)), (NO_CARD, (s.SAVE,))]
)
def test_c11_2_a_bystander_does_not_read_what_another_is_asked(card, stages):
    table = dealt(3)
    table["turn"], table["card"], table["closing"], table["closed"] = 0, card, card == NO_CARD, 1
    texts = set()
    for stage in stages:
        for seat in (0, 1) if card == NO_CARD else (1,):
            table["stage"], table["seat"] = stage, seat
            texts.add(describe(table, 2, "es"))
    assert len(texts) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_winners_are_named(deals, language):
    for deal in deals:
        table = deal[-1].states
        winners = [SEAT_SIGNS[seat] for seat in np.flatnonzero(table["winner"][0])]
        head = describe(table, None, language).split("\n\n")[0].split("\n")
        assert len(head) == 1 + len(winners) + int(table["deck"][0])
        assert all(winner in line for winner, line in zip(winners, head[1:], strict=False))
        assert (
            tell(deal[-2].states, deal[-2].action, table, None, language)[-len(winners) :] == head[1:][: len(winners)]
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_endings_are_told_and_shared_wins_too(language):
    table, endings = dealt(3), set()
    table["over"], table["winner"][0, 1] = 1, 1
    for ending in (s.PLAZA, s.LAST_RUNNER, s.SWEPT):
        table["ending"] = ending
        (line,) = tell(table, s.A_DRAW, table, 0, language)[-1:]
        assert "①" in line
        assert line.replace("①", "①" + WORDS[language]["you"]) in describe(table, 1, language)
        endings.add(line)
    table["winner"][0, 2] = 1
    assert [sign for line in tell(table, s.A_DRAW, table, 0, language)[-2:] for sign in "①②" if sign in line] == [
        "①",
        "②",
    ]
    assert len(endings) == 3


def test_another_deck_is_told():
    standard, conflict = (next(iter(random_deal(GAME, 0, {"deck": deck}))).states for deck in ("standard", "conflict"))
    for language in LANGUAGES:
        assert WORDS[language]["conflict"] not in describe(standard, 0, language)
        assert WORDS[language]["conflict"] in describe(conflict, 0, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_in_a_deal_is_told_to_all_and_in_sentences(deals, language):
    for deal in deals:
        for ply, after in pairwise(deal):
            for seat in readers(ply.states):
                lines = tell(ply.states, ply.action, after.states, seat, language)
                assert all(re.fullmatch(r"[¡⓪①②③④\w].*[.]", line) for line in lines)
                assert max(map(len, lines), default=0) <= 90
                assert lines or seat not in (None, ply.seat), action_name(ply.action, language)


def test_c11_1_the_drawer_alone_is_told_his_card(deals):
    named = 0
    for deal in deals:
        for ply, after in pairwise(deal):
            if ply.action != s.A_DRAW:
                continue
            gained = after.states["hand"][0, ply.seat].astype(int) - ply.states["hand"][0, ply.seat]
            if after.states["status"][0, ply.seat] != s.OUT and gained.sum() == 1:
                sentence = f"{SEAT_SIGNS[ply.seat]} draws a card: {card_name(int(gained.argmax()), 'en')}."
                for seat in readers(ply.states):
                    first = tell(ply.states, ply.action, after.states, seat, "en")[0]
                    assert first == (sentence if seat in (None, ply.seat) else sentence.split(":")[0] + ".")
                named += 1
    assert named > 100


def test_c6_4_the_card_stolen_is_the_one_that_is_missing(deals):
    for deal in deals:
        for ply, after in pairwise(deal):
            state = after.states[0]
            for event, victim, _, thief in state.news[: state.news_count].tolist():
                if event != s.E_ROBBED:
                    continue
                lost = ply.states["hand"][0, victim].astype(int) - state.hand[victim]
                card = card_name(int(lost.argmax()), "en")
                sentence = f"{SEAT_SIGNS[thief]} takes a card from {SEAT_SIGNS[victim]}: {card}."
                assert sentence in tell(ply.states, ply.action, after.states, victim, "en")


def _about_to_draw(card):
    """Return a table where seat 0 may draw `card`, all share a location, and the other hands are useless."""
    table = dealt(3)
    table["turn"] = table["seat"] = 0
    table["phase"], table["stage"], table["drawn"] = s.DRAWING, s.DRAW, 1
    table["pile"][0, table["pile_size"][0] - 1] = table["pile"][0, 0] = card
    give(table, 0, cards.AVANZAR)
    give(table, 1, cards.CARRERA)
    give(table, 2, cards.CARRERA)
    return table


def _attacked():
    table = dealt(3)
    table["turn"] = table["seat"] = 0
    give(table, 0, cards.KILIKIS, cards.AVANZAR)
    give(table, 1, cards.CARRERA)
    return table


def _swept():
    table = _about_to_draw(cards.RECORTE)
    table["pile_size"], table["place"][0, :3] = 1, (2, 1, 2)
    return table


@pytest.mark.parametrize(
    ("table", "card", "action"),
    [
        (_attacked, cards.OTRA_VEZ, parse_action("Kilikis +1", "en")),
        (lambda: _about_to_draw(cards.CHULIN), cards.RECORTE, s.A_DRAW),
        (lambda: _about_to_draw(cards.CHULIN), cards.TORO_VOLTEADO, s.A_DRAW),
        (lambda: _about_to_draw(cards.SELFIE), cards.ZALDIKO, s.A_DRAW),
        (_swept, cards.AVANZAR, s.A_DRAW),
        (lambda: _about_to_draw(cards.RECORTE), cards.KILIKIS, s.A_STOP),
    ],
    ids=["attack", "bull", "bull that may be sent on", "fall", "sweep", "turn"],
)
def test_c11_2_all_sentences_together_do_not_show_who_was_asked(table, card, action):
    unasked, asked = table(), table()
    give(asked, 1, card)
    decline = s.A_DONE if action == s.A_STOP else s.A_NOTHING
    short, long = play(unasked, action), play(asked, action, decline)
    assert long[1][1]["seat"][0] == 1
    for language in LANGUAGES:
        for bystander in (0, 2):
            assert told(long, bystander, language) == told(short, bystander, language)
        for insider in (None, 1):
            own = STORY[language]["done_playing" if decline == s.A_DONE else "nothing"].format(seat="①")
            assert Counter(told(long, insider, language)) - Counter(told(short, insider, language)) == {own: 1}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_all_cards(language):
    spaced = " ".join(help_text(language).split())
    for kind in range(NUM_CARDS):
        copies, name = int(cards.COPIES[cards.STANDARD, kind]), card_name(kind, language)
        assert (f"{copies} {name}" if copies > 1 else name) in spaced
        assert effect(kind, language) in spaced


def _new_pile():
    table = _about_to_draw(cards.RECORTE)
    table["pile_size"], table["discards"][0, cards.ZALDIKO] = 1, 1
    table["place"][0, :3] = 2
    give(table, 0, *[cards.AVANZAR] * 4)  # the card drawn fills the hand, and the next runner has none
    give(table, 1)
    return table


def _own_turn(*hand):
    table = _about_to_draw(cards.AVANZAR)
    table["phase"], table["stage"], table["drawn"] = s.PLAYING, s.PLAY, 0
    give(table, 0, *hand)
    return table


def _last_of_the_pile():
    table = _about_to_draw(cards.ZALDIKO)
    table["phase"], table["stage"], table["drawn"] = s.DISCARDING, s.DISCARD, 0
    table["pile_size"], table["place"][0, :3] = 1, (1, 2, 2)
    give(table, 0, cards.RECORTE)
    return table


def _robber():
    table = dealt(3)
    table["turn"] = table["seat"] = 0
    give(table, 0, cards.PILLO, cards.RECORTE)
    give(table, 1, cards.CAPOTE)
    return table


def _bull(*hands):
    table = _about_to_draw(cards.CHULIN)
    for seat, kind in enumerate(hands):
        give(table, seat, kind)
    return table


ONE, TWO = (cards.AVANZAR,), (cards.AVANZAR, cards.RECORTE)
SCENES = (
    Scene("a card from a new pile is named", _new_pile, ("draw",)),
    Scene("the card drawn is like the one played", lambda: _own_turn(*ONE), ("Advance a Stretch",)),
    Scene("like the one discarded", lambda: _own_turn(*ONE), ("done", "discard Advance a Stretch")),
    Scene("like the one discarded, of two", lambda: _own_turn(*TWO), ("done", "discard Advance a Stretch", "done")),
    Scene("like one in the hand", lambda: _own_turn(*ONE), ("done", "done")),
    Scene("a card that was swept away with its drawer", _last_of_the_pile, ("discard Sidestep",)),
    Scene("the two alone read what El Pillo took (C6.4)", _robber, ("El Pillo +1",)),
    Scene("an escape (C5.2)", lambda: _bull(cards.RECORTE), ("draw", "Sidestep")),
    Scene(
        "a bull that is sent back",
        lambda: _bull(cards.TORO_VOLTEADO, cards.TORO_VOLTEADO),
        ("draw", "Bull Turned Round +1", "Bull Turned Round +2"),
    ),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_events_is_as_before(language):
    check("corre_el_encierro", GAME, language, STORY, SCENES)
