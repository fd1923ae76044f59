"""The picture of *Érase una vez*, which shows a seat only its own information (C11.3)."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from worlds import check_pictures

import sobremesa
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.drawing import width_of
from sobremesa.envs.core.testing.secrets import SecretLeaked
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.drawing import endings, hands, scene, tale
from sobremesa.envs.erase_una_vez.drawing.cards import label, sketch, story_card
from sobremesa.envs.erase_una_vez.drawing.pieces import SEAT_COLOURS
from sobremesa.envs.erase_una_vez.tables import fact_mask
from sobremesa.envs.erase_una_vez.tale import blocked, meets
from sobremesa.envs.erase_una_vez.text.words import ending_words

GAME = sobremesa.load("erase_una_vez")
SVG = "{http://www.w3.org/2000/svg}"
SEATS = range(2, 7)
MOST_BYTES = 300_000
TAKEN = (s.CLAIMED, s.INTERRUPTED, s.TOLD_TOO)
WINDOW, LEGIBLE = 790, 9  # pixels: the width of the picture in a window of 1366 by 768, and the least letters
SHORT = 60  # sentences of a random deal


@cache
def deal(seats, seed=0):
    """Return some states of a random deal: its beginning, then one of fifteen, and its end."""
    states = [ply.states for ply in random_deal(GAME, seed, {"seats": seats, "max_sentences": SHORT})]
    return [*states[:-1:15], states[-1]]


def find(seats, fits):
    """Return the first state of some random deals for which `fits(record)` holds."""
    for seed in range(20):
        for ply in random_deal(GAME, seed, {"seats": seats, "max_sentences": SHORT}):
            if fits(ply.states[0]):
                return ply.states.copy()
    raise AssertionError("no random deal has such a state")


def told(seats, rows):
    """Return a state in which the log holds rows (seat, kind, thing, hook, fate, taker, card)."""
    states = deal(seats)[0].copy()
    state = states[0]
    for number, (seat, kind, thing, hook, fate, taker, card) in enumerate(rows):
        state.log[number] = (seat, kind, thing, hook, fate, taker, card)
    state.sentences = len(rows)
    return states


def draw(states, seat=None, language="en"):
    return ET.fromstring(GAME.words.scene(states, seat, language))


def titles(root):
    return [one.text for one in root.iter(f"{SVG}title")]


def words(root):
    return " ".join("".join(one.itertext()) for one in root.iter(f"{SVG}text"))


def entries(root):
    """Return the titles of what stands in the book: those that begin with the number of a sentence."""
    return [one for one in titles(root) if re.match(r"\d+\. ", one)]


def boxes(node, x=0.0, y=0.0, scale=1.0):
    """Yield about where each text in a drawing stands: left, top, right, bottom, words."""
    if move := re.match(r"translate\((\S+) (\S+?)\)(?: scale\((\S+?)\))?$", node.get("transform", "")):
        x, y = x + scale * float(move[1]), y + scale * float(move[2])
        scale *= float(move[3] or 1)
    if node.tag == f"{SVG}text":
        size, said = float(node.get("font-size")), "".join(node.itertext())
        wide = float(node.get("textLength") or 0.92 * size * width_of(said))
        left = float(node.get("x")) - wide * {"middle": 0.5, "end": 1.0}.get(node.get("text-anchor"), 0.0)
        top, bottom = float(node.get("y")) - 0.72 * size, float(node.get("y"))
        yield x + scale * left, y + scale * top, x + scale * (left + wide), y + scale * bottom, said
    for child in node:
        yield from boxes(child, x, y, scale)


def assert_words_stay_apart(root):
    found = list(boxes(root))
    for left, top, right, bottom, said in found:
        assert 0 <= left < right <= 1000, said
        assert 0 <= top < bottom <= 750, said
    for one, other in combinations(found, 2):
        across = min(one[2], other[2]) - max(one[0], other[0])
        down = min(one[3], other[3]) - max(one[1], other[1])
        assert across <= 1 or down <= 1, (one[4], other[4])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", SEATS)
def test_words_stay_in_the_picture_and_apart(seats, language):
    states_of = deal(seats)
    for states in (states_of[0], *states_of[len(states_of) // 3 :: len(states_of) // 3]):
        for seat in (None, 0, seats - 1):
            assert_words_stay_apart(draw(states, seat, language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_words_stay_apart_however_much_there_is_to_say(seats, language):
    states = deal(seats)[-1].copy()
    state = states[0]
    state.facts, state.judge, state.fines[:] = (1 << t.NUM_FACTS) - 1, s.MIXED, 3
    longest = sorted(range(len(t.ENDINGS)), key=lambda ending: -len(str(t.ENDINGS[ending])))
    for seat in range(seats):
        state.ending[seat] = longest[2 * seat : 2 * seat + 2]
        for card in np.flatnonzero(state.where == s.DECK)[:6]:
            state.where[card], state.shown[card] = seat, seat % 2
            state.hand_size[seat] += 1
    state.ending_known[longest[2]] = 63
    for viewer in (None, 0, 1):
        root = draw(states, viewer, language)
        assert_words_stay_apart(root)
        assert len(ET.tostring(root)) < MOST_BYTES


# The tale.


def test_the_book_is_blank_at_first():
    states = told(3, [])
    assert "nce upon a time…" in words(draw(states, 0))
    assert "rase una vez…" in words(draw(states, 0, "es"))
    assert not entries(draw(states, 0))


def test_c3_1_only_played_cards_have_a_frame():
    wolf, forest, lake = t.NUMBER["P05"], t.NUMBER["L11"], t.NUMBER["C14"]
    rows = [(0, s.CARD, wolf, t.NO_THING, s.STANDS, 0, 0), (0, s.BRIDGE, forest, wolf, s.STANDS, 0, 0),
            (0, s.LINK, wolf, forest, s.STANDS, 0, 0), (0, s.BRIDGE, lake, wolf, s.STANDS, 0, 0)]  # fmt: skip
    states = told(2, rows)
    states["where"] = s.DECK
    svg = GAME.words.scene(states, None, "es")
    assert svg.count(story_card(wolf, "es")) == 1
    assert svg.count(sketch(wolf, "es")) == 1
    assert svg.count(sketch(forest, "es")) == svg.count(sketch(lake, "es")) == 1
    assert entries(ET.fromstring(svg)) == [
        "1. Lobo · jugador 1", "2. Bosque · jugador 1 · cuelga de Lobo", "3. Lobo · jugador 1 · cuelga de Bosque",
        "4. Lago · jugador 1 · cuelga de Lobo",
    ]  # fmt: skip


def test_c6_takers_cards_and_undone_sentences_are_drawn():
    wolf, forest, king, horse, witch = (t.NUMBER[one] for one in ("P05", "L11", "P17", "P22", "P06"))
    rows = [(0, s.CARD, wolf, t.NO_THING, s.CLAIMED, 2, forest), (2, s.CARD, king, forest, s.INTERRUPTED, 1, horse),
            (1, s.CARD, witch, king, s.UNDONE, 0, 0), (2, s.PASS, 0, t.NO_THING, s.STANDS, 0, 0),
            (0, s.END, 3, t.NO_THING, s.REFUSED, 0, 0), (1, s.END, 4, t.NO_THING, s.ACCEPTED, 0, 0)]  # fmt: skip
    found = tale.entries(told(3, rows)[0])
    assert [(one.number, one.seat, one.thing, one.kind) for one in found] == [
        (1, 0, wolf, s.CARD), (1, 2, forest, s.BREAK_IN), (2, 2, king, s.CARD), (2, 1, horse, s.BREAK_IN),
        (3, 1, witch, s.CARD), (5, 0, 3, s.END), (6, 1, 4, s.END),
    ]  # fmt: skip
    assert [one.change for one in found] == ["", "bolt", "", "bolt", "", "passed", "refused"]
    svg = GAME.words.scene(told(3, rows), 0, "en")
    assert svg.count('stroke="#a8201a"') == 2  # undone, refused
    shown = entries(ET.fromstring(svg))
    assert "1. Forest · player 3 · takes the floor with this card" in shown
    assert "2. Horse · player 2 · breaks in without telling of it" in shown
    assert "3. Witch · player 2 · hangs on King · undone by protest" in shown
    assert any(one.endswith("ending refused") for one in shown)
    assert any(one.endswith("ending accepted") for one in shown)
    for language, words_of in (("en", "english"), ("es", "spanish")):
        said = f"6. {getattr(t.ENDINGS[4], words_of)} · "
        assert any(one.startswith(said) for one in entries(draw(told(3, rows), 0, language)))


def test_o6_o8_interrupting_cards_are_drawn_once():
    wolf, horse, frog, orphan = (t.NUMBER[one] for one in ("P05", "P22", "P25", "P21"))
    rows = [(0, s.CARD, wolf, t.NO_THING, s.TOLD_TOO, 1, horse),
            (1, s.BREAK_IN, horse, t.NO_THING, s.INTERRUPTED, 2, frog),
            (2, s.BREAK_IN, frog, t.NO_THING, s.TOLD_TOO, 0, orphan),
            (0, s.CARD, 2, orphan, s.STANDS, 0, 0)]  # fmt: skip
    found = tale.entries(told(3, rows)[0])
    assert [(one.number, one.seat, one.thing, one.kind, one.change) for one in found] == [
        (1, 0, wolf, s.CARD, ""), (1, 1, horse, s.BREAK_IN, "bolt"), (2, 2, frog, s.BREAK_IN, "bolt"),
        (3, 0, orphan, s.BREAK_IN, "bolt"), (4, 0, 2, s.CARD, ""),
    ]  # fmt: skip
    assert entries(draw(told(3, rows), 0))[1:4] == [
        "1. Horse · player 2 · breaks in and tells of it",
        "2. Frog · player 3 · breaks in without telling of it",
        "3. Orphan · player 1 · breaks in and tells of it",
    ]  # fmt: skip


def threads(svg):
    return svg.count('stroke="#8a5a2b" stroke-width="1.6"')


def test_c3_3_threads_lead_to_what_a_sentence_hangs_on():
    wolf, forest, king = t.NUMBER["P05"], t.NUMBER["L11"], t.NUMBER["P17"]
    rows = [(0, s.CARD, wolf, t.NO_THING, s.STANDS, 0, 0), (0, s.CARD, forest, wolf, s.STANDS, 0, 0),
            (0, s.CARD, king, wolf, s.STANDS, 0, 0)]  # fmt: skip
    assert threads(GAME.words.scene(told(2, rows), 0, "es")) == 2
    many = [*rows, *[(0, s.LINK, wolf, forest, s.STANDS, 0, 0)] * 5]  # a thread, but for the two of the next page
    svg = GAME.words.scene(told(2, many), 0, "es")
    assert threads(svg) == 5
    assert svg.count('fill="#f2d488"') == 2


def test_long_tales_show_the_last_things_and_count_the_others():
    rows = [
        (number % 2, s.BRIDGE, number % t.NUM_THINGS, t.NO_THING, s.STANDS, 0, 0) for number in range(s.MAX_SENTENCES)
    ]
    for count in (1, 12, 13, 24, 25, 26, s.MAX_SENTENCES):
        root = draw(told(2, rows[:count]), 1)
        shown = entries(root)
        assert len(shown) == min(count, tale.MOST)
        assert shown[-1].startswith(f"{count}. ")
        assert (f"{count - 24} things before" in words(root)) == (count > 25)
        assert ("one thing before" in words(root)) == (count == 25)


def test_names_in_the_book_are_legible_however_long_the_tale():
    told_things = [*range(t.NUM_ELEMENTS), *range(t.NUM_ELEMENTS)]
    for first in range(0, t.NUM_ELEMENTS, 12):
        rows = [(0, s.CARD, one, t.NO_THING, s.STANDS, 0, 0) for one in told_things[first : first + 24]]
        drawn = ET.fromstring(f'<svg xmlns="{SVG[1:-1]}">{tale.tale(told(2, rows)[0], "es", *scene.BOOK)}</svg>')
        sizes = [size for said, size in letters(drawn) if not said.isdigit() and said != "Interrupción"]
        assert len(sizes) >= 12
        assert min(sizes) * WINDOW / 1000 >= LEGIBLE


def letters(node, scale=1.0):
    """Yield each text in a drawing with the size of its letters."""
    if move := re.search(r"scale\((\S+?)\)", node.get("transform", "")):
        scale *= float(move[1])
    if node.tag == f"{SVG}text":
        yield "".join(node.itertext()), scale * float(node.get("font-size"))
    for child in node:
        yield from letters(child, scale)


def test_earlier_things_are_tokens_that_can_be_pointed_at():
    rows = [(number % 2, s.BRIDGE, number % t.NUM_THINGS, t.NO_THING, s.STANDS, 0, 0) for number in range(40)]
    for count in (0, 12, 13, 15, 16, 24, 25, 40):
        found = tale.told_boxes(told(2, rows[:count])[0], 160.0, 528.0)
        assert [entry.number for entry, _ in found] == list(range(max(0, count - tale.MOST) + 1, count + 1))
        for (_, one), (_, other) in combinations(found, 2):
            across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
            down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
            assert across <= 0 or down <= 0


def test_c4_a_sentence_that_makes_little_sense_is_marked():
    wolf = t.NUMBER["P05"]
    states = told(2, [(0, s.CARD, wolf, t.NO_THING, s.STANDS, 0, 0)])
    states["kind"], states["focus"] = s.CARD, wolf
    for sense, said in ((10, None), (4, "no viene a cuento"), (3, "divaga"), (2, "contradice lo contado")):
        states["sense"] = sense
        marks = {"no viene a cuento", "divaga", "contradice lo contado"} & set(titles(draw(states, 1, "es")))
        assert marks == ({said} if said else set())


@pytest.mark.parametrize("seats", SEATS)
def test_the_book_holds_what_the_log_holds(seats):
    for states in deal(seats)[::5]:
        state, found = states[0], tale.entries(states[0])
        log = state.log[: int(state.sentences)].tolist()
        said = [row for row in log if row[s.LOG_KIND] not in (s.PASS, s.BREAK_IN)]
        assert [one.thing for one in found if one.kind != s.BREAK_IN] == [row[s.LOG_THING] for row in said]
        algorithms_with = [(row[s.LOG_TAKER], row[s.LOG_CARD]) for row in log if row[s.LOG_FATE] in TAKEN]
        assert [(one.seat, one.thing) for one in found if one.kind == s.BREAK_IN] == algorithms_with


def test_facts_that_hold_and_piles_are_told():
    states = deal(4)[0].copy()
    states["ending"] = t.NO_ENDING  # what an ending asks for has the same words
    for facts in (0, fact_mask(("agua",)), (1 << t.NUM_FACTS) - 1):
        states["facts"] = facts
        for language in LANGUAGES:
            shown = [box[4] for box in boxes(draw(states, 1, language))]
            for number, said in enumerate(t.FACT_WORDS[language]):
                assert (said in shown) == bool(facts >> number & 1)
    sizes = {str(int(states[name][0])) for name in ("deck_size", "endings_size")}
    assert sizes <= {box[4] for box in boxes(draw(states, 1))}


# Seats, hands and endings.


@pytest.mark.parametrize("seats", SEATS)
def test_every_seat_has_its_place(seats):
    for viewer in (None, *range(seats)):
        svg = GAME.words.scene(deal(seats)[0], viewer, "es")
        for seat in range(6):
            assert (f'fill="{SEAT_COLOURS[seat]}"' in svg) == (seat < seats)
            assert (f"Jugador {seat + 1}" in words(ET.fromstring(svg))) == (seat < seats)


@pytest.mark.parametrize("seats", SEATS)
def test_c11_3_a_seat_sees_its_hand_and_what_all_know_of_others(seats):
    for states in deal(seats)[::7]:
        state = states[0].copy()
        states = states.copy()
        states["sentences"] = 0  # what stands in the book has names too
        for viewer in range(seats):
            shown = titles(draw(states, viewer))
            for card in range(t.NUM_ELEMENTS):
                holder = int(state.where[card])
                known = holder == viewer or (holder < seats and state.shown[card])
                listed = label(card, "en" if holder == viewer else "es") in shown
                if holder < seats and known and holder == viewer:
                    assert listed
                elif holder < seats and not known:
                    assert label(card, "en") not in shown
        shown = titles(draw(states, None))
        for card in range(t.NUM_ELEMENTS):
            assert state.where[card] >= seats or label(card, "en") in shown


def test_many_known_cards_are_counted():
    states = deal(6)[0].copy()
    cards = np.flatnonzero(states["where"][0] == s.DECK)[:30]
    states["where"][0][cards], states["shown"][0][cards] = 1, 1
    states["hand_size"][0, 1] += 30
    assert re.search(r"and \d+ more", words(draw(states, 0)))


def test_a_hand_fits_however_large_it_is():
    for count in range(1, 60):
        columns, scale = hands.grid(count, 630, 280)
        rows = -(-count // columns)
        assert columns * (100 * scale + 6) <= 630 + 1e-6
        assert rows * (140 * scale + 6) <= 280 + 1e-6
        assert scale > 0.2


@pytest.mark.parametrize("language", LANGUAGES)
def test_c9_3_endings_show_their_requirements_and_marks(language):
    for states in deal(4)[::6]:
        for ending, one in enumerate(t.ENDINGS):
            asked = endings.requirements(states[0], ending, language)
            assert len(asked) == len(one.clauses) + bool(one.blockers)
            for number in range(len(one.clauses)):
                met = "M-3,0 L-1,2.6" in asked[number][0]
                assert met == bool(meets(states[0], ending, number))
            if one.blockers:
                assert ("#c0392b" in asked[-1][0]) == bool(blocked(states[0], ending))


def test_own_endings_are_shown_and_others_only_if_known():
    states = deal(3)[0].copy()
    states["sentences"], states["over"] = 0, 0
    mine, other = int(states["ending"][0, 0, 0]), int(states["ending"][0, 1, 0])
    said = [ending_words(ending, "es") for ending in (mine, other)]
    assert said[0] in titles(draw(states, 0, "es"))
    assert said[1] not in titles(draw(states, 0, "es"))
    assert set(said) <= set(titles(draw(states, None, "es")))
    states["ending_known"][0, other] |= 1
    assert said[1] in titles(draw(states, 0, "es"))
    free = next(ending for ending in range(len(t.ENDINGS)) if ending not in states["ending"][0])
    states["ending"][0, 0, 1] = free
    assert ending_words(free, "es") in titles(draw(states, 0, "es"))
    assert "Tus finales felices" in words(draw(states, 0, "es"))


def test_a_hand_without_cards_may_end():
    states = deal(3)[0].copy()
    states["where"][0][states["where"][0] == 1] = s.DECK
    states["hand_size"][0, 1] = 0
    assert "you may end!" in words(draw(states, 1))


def test_fines_are_told_where_there_are_fines():
    states = deal(3)[0].copy()
    states["judge"], states["fines"] = s.MIXED, 2
    assert "fines: 2" in words(draw(states, 0))
    states["judge"] = 0
    assert "fines" not in words(draw(states, 0))


# What happens now.


def test_what_is_asked_is_told_to_who_is_asked():
    states = told(3, [(1, s.CARD, 4, t.NO_THING, s.STANDS, 0, 0)])
    states["narrator"], states["seat"], states["over"] = 1, 2, 0
    for stage, asked in (
        (s.REACT, "do you speak up?"),
        (s.HOOK, "what does it hang on?"),
        (s.TELL, "what do you tell"),
    ):
        states["stage"] = stage
        for viewer in (None, 0, 1, 2):
            assert (asked in words(draw(states, viewer))) == (viewer in (None, 2))
            assert ("You tell the tale" in words(draw(states, viewer))) == (viewer == 1)
    states["stage"] = s.PASSING
    assert "Player 2 passes" in words(draw(states, 0))
    states["stage"], states["claimant"], states["choice"][0, 0] = s.VOTE, 0, s.A_CLAIM + t.NUMBER["L11"]
    for case, said in ((s.ON_PROTEST, "is the protest right?"), (s.ON_CLAIM, "is player 1's Forest right?"),
                       (s.ON_ENDING, "is the ending good?")):  # fmt: skip
        states["case"] = case
        assert said in words(draw(states, 1))


def test_c9_4_the_winner_and_its_ending_are_told():
    states = told(3, [(1, s.END, 7, t.NO_THING, s.ACCEPTED, 0, 0)])
    states["over"], states["ending_kind"], states["won_with"] = 1, s.CHEERED, 7
    states["winner"][0, 1] = 1
    for viewer in (None, 0, 1, 2):
        assert "Gana el jugador 2" in words(draw(states, viewer, "es"))
        assert "Player 2 wins" in words(draw(states, viewer))
        assert f"«{t.ENDINGS[7].spanish}»" in words(draw(states, viewer, "es"))


def test_c11_1_too_long_a_tale_is_told():
    states = told(3, [(1, s.CARD, 4, t.NO_THING, s.STANDS, 0, 0)])
    states["over"], states["ending_kind"], states["won_with"] = 1, s.TOO_LONG, t.NO_ENDING
    states["winner"][0, 1] = 1
    assert "gana el jugador 2" in words(draw(states, 0, "es"))
    states["winner"][0, 2] = 1
    assert "ganan los jugadores 2 y 3" in words(draw(states, 0, "es"))


# Secrets.


def test_c11_3_open_hands_would_be_caught(monkeypatch):
    monkeypatch.setattr(scene, "others", lambda state, viewer, language, area: hands.open_hands(state, language, area))
    with pytest.raises(SecretLeaked, match=r"the picture \(en\) differs"):
        check_pictures(GAME)


def test_c11_3_hidden_cards_and_reactions_are_not_drawn():
    states = find(4, lambda state: state.sentences > 12 and state.stage == s.REACT and not state.over)
    viewer = (int(states["seat"][0]) + 1) % 4
    other = states.copy()
    state = other[0]
    hidden = [seat for seat in range(4) if seat != viewer]
    for seat in hidden:  # a card that nobody knows of for one from the deck
        for card in range(t.NUM_ELEMENTS):
            if state.where[card] == seat and not state.shown[card]:
                drawn_card = next(one for one in range(t.NUM_ELEMENTS) if state.where[one] == s.DECK)
                state.where[card], state.where[drawn_card] = s.DECK, seat
                break
        if not state.ending_known[state.ending[seat, 0]] >> viewer & 1:
            free = next(one for one in range(len(t.ENDINGS)) if one not in state.ending and not state.ending_known[one])
            state.ending[seat, 0] = free
    state.deck[:] = 0
    state.endings[:] = 0
    state.choice[:] = 0
    state.answered[:] = 1
    state.vote[:] = 1
    state.order[:] = s.NOBODY
    state.chosen, state.ply, state.news_count = 1, 0, 0
    state.buried_by[state.buried_by != viewer] = hidden[0]
    assert (other["where"] != states["where"]).any()
    assert (other["ending"] != states["ending"]).any()
    for language in LANGUAGES:
        assert GAME.words.scene(other, viewer, language) == GAME.words.scene(states, viewer, language)


def test_c5_5_who_is_asked_after_a_sentence_is_not_drawn():
    states = find(4, lambda state: state.sentences > 5 and state.stage == s.REACT and not state.over)
    viewer = int(states["narrator"][0])
    svg = GAME.words.scene(states, viewer, "es")
    for stage in (s.TELL, s.HOOK, s.REACT):
        for asked in range(4):
            if asked != viewer:
                states["stage"], states["seat"] = stage, asked
                assert GAME.words.scene(states, viewer, "es") == svg


def test_c7_2_buried_cards_are_known_to_who_buried_them():
    states = deal(3)[0].copy()
    card = int(np.flatnonzero(states["where"][0] == s.DECK)[0])
    states["where"][0, card], states["buried_by"][0, card] = s.BURIED, 1
    said = f"discarded face down: {label(card, 'en')}"
    for viewer in (None, 0, 1, 2):
        assert (said in titles(draw(states, viewer))) == (viewer in (None, 1))
    states["where"][0, card], states["buried_by"][0, card] = s.OPEN, s.NOBODY
    for viewer in (None, 0, 1, 2):
        assert label(card, "en") in titles(draw(states, viewer))
