"""Explanations at the table: what to decide now, and what each card, piece and button does."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from browsing import PHONE, Visitor, chromium, running
from rooms import ALL, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO
from scale import COMPILED_ONLY
from serving import opening, play_on, seen

from sobremesa import serve
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.corre_el_encierro.cards import CARDS as ENCIERRO_CARDS, NUM_CARDS, OBJECT_NAMES
from sobremesa.envs.corre_el_encierro.text.cards import card_name, object_name
from sobremesa.envs.erase_una_vez.tables import ENDINGS, FACT_WORDS, NUMBER, THINGS
from sobremesa.envs.erase_una_vez.text.words import ending_label, name_of
from sobremesa.envs.estafado.cards import CARDS
from sobremesa.serve.deal import Deal
from sobremesa.serve.frames import frame
from sobremesa.serve.lobby import glossary
from sobremesa.serve.store import Store
from sobremesa.serve.table import open_table
from sobremesa.serve.tables import FILE

LABEL = int(re.search(r"LABEL = (\d+)", (Path(serve.__file__).parent / "static/explain.js").read_text())[1])
STATUS = 125  # characters of the status in four lines of a phone
each_game = pytest.mark.parametrize("game", [game for game in ALL if game is not KUHN], ids=lambda game: game.name)
BEFORE = {"en": "Your move: ", "es": "Te toca: "}


def explained(terms, label):
    """Return the terms that a page finds in a label, as `Explain.of` in explain.js does."""
    left, found = label.lower(), []
    for name in sorted(terms, key=len, reverse=True):
        one = name.lower()
        at = left.find(one)
        if at >= 0 and not left[at - 1 : at].isalpha() and not left[at + len(one) :][:1].isalpha():
            left = left.replace(one, "\n", 1)
            found.append(name)
    return found if len(label) <= LABEL else []


def labels(table, seat, language):
    """Yield the labels of the moves and pieces that a seat sees now, wide and narrow, but signs and numbers."""
    for narrow in (False, True):
        shown = json.loads(frame(table, seat, language, narrow))
        yield from (f"{head}: {name}" if head else name for _, head, name in shown["actions"])
        for one in ElementTree.fromstring(shown["scene"]).iter():
            label = one.get("aria-label") or (one.text if one.tag.endswith("title") else "") or ""
            if len(label) > 2:
                yield label


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_move_and_piece_explains_itself(tmp_path, game, language):
    terms, store = glossary(game, language), Store(tmp_path / FILE)
    known, unknown = set(), set()
    for seed in range(2):
        table = open_table(store, opening(game, people=game.default_seats, seed=seed))
        for _ in range(30):
            if not table.deal.over:
                for one in labels(table, table.deal.seat, language):
                    (known if explained(terms, one) else unknown).add(one)
                play_on(table, plies=1)
    store.close()
    answers = {"en": {"yes", "no"}, "es": {"sí", "no"}}[language]  # the question explains them
    plain = {one for one in unknown if re.fullmatch(r"[a-e][1-5]|\d+ (cards|cartas|in hand|en mano)", one)}
    assert unknown <= answers | plain
    assert len(known) > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_of_a_tale_explains_itself(language):
    terms = glossary(ERASE, language)
    for thing, one in enumerate(THINGS):
        text = terms[name_of(thing, language)] if one.name != "carta" else ""  # which is also a move
        assert ("Interru" in text) == one.interruption
        assert ("juga" in text or "play" in text) == (one.id[0] != "C")  # the others are on no card
    assert {ending_label(number, language) for number in range(len(ENDINGS))} <= terms.keys()
    assert set(FACT_WORDS[language]) <= terms.keys()
    needy = terms[name_of(NUMBER["E13"], language)]
    assert "dos personajes" in needy if language == "es" else "two characters" in needy


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_term_explains_a_part_of_another_name(game, language):
    terms = glossary(game, language)
    wrong = {name: explained(terms, name) for name in terms if explained(terms, name) not in ([name], [])}
    spelled = {name: found for name, found in wrong.items() if found[0].lower() != name.lower()}
    assert not spelled


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_fit_four_lines_of_a_phone(tmp_path, game, language):
    store, longest = Store(tmp_path / FILE), ""
    for seed in range(2):
        table = open_table(store, opening(game, people=game.default_seats, seed=seed))
        while not table.deal.over and table.version < 60:
            longest = max(longest, seen(table, table.deal.seat, language)["asks"], key=len)
            play_on(table, plies=1)
    store.close()
    assert len(f"{BEFORE[language]}{longest}.") <= STATUS, longest


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_names_the_cards_of_a_hand(tmp_path, language):
    store = Store(tmp_path / FILE)
    table = open_table(store, opening(ESTAFADO, people=2, seed=12))
    first = ESTAFADO.words.parse_action("hand 1", "en")
    while not (listed := [one[1:] for one in seen(table, 0, language)["actions"] if one[0] == first]):
        play_on(table, plies=1)
    card = CARDS[table.deal.states[0].hand[0]]
    assert listed == [{"en": ["hand", f"1 {card.name}"], "es": ["mano", f"1 {card.spanish}"]}[language]]
    store.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_its_line_of_the_rules(language):
    encierro, toro, estafado = (glossary(game, language) for game in (ENCIERRO, TORO, ESTAFADO))
    names = {card_name(card, language) for card in range(NUM_CARDS)} | {object_name(one, language) for one in range(5)}
    spanish = {*(card.name for card in ENCIERRO_CARDS), *OBJECT_NAMES, "Cabestros"}  # which the pieces show
    assert names | spanish <= encierro.keys()
    assert len(encierro.keys() - (spanish - names if language == "en" else set())) == 36 + 31  # and moves and places
    assert {card.name if language == "en" else card.spanish for card in CARDS} <= estafado.keys()
    assert toro["Poppy" if language == "en" else "Amapola"].startswith(("a bull one path", "el toro que"))
    assert "(" not in "".join([*encierro, *toro])


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_frame_says_what_to_decide(tmp_path, game, language):
    store = Store(tmp_path / FILE)
    table = open_table(store, opening(game, people=game.default_seats))
    for _ in range(12):
        shown = [seen(table, seat, language) for seat in range(game.default_seats)]
        for seat, one in enumerate(shown):
            assert bool(one["asks"]) == (seat == table.deal.seat)
            assert not one["asks"].endswith(".")
        play_on(table, plies=1)
    store.close()


def test_the_question_names_the_card_that_is_resolved():
    deal, lot, asked = Deal(ENCIERRO, {"seats": 3}, 6), np.random.default_rng(0), set()
    while not deal.over:
        asked.add(ENCIERRO.words.asks(deal.states, deal.seat, "en"))
        deal.play(int(lot.choice(np.flatnonzero(deal.mask))))
    assert any(", played by" in one and "answer with Better Luck Next Time" in one for one in asked)


@COMPILED_ONLY
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_cards_and_buttons_explain_themselves(tmp_path):
    with chromium() as browser, running(tmp_path) as (home, _):
        visitor = Visitor(browser, home, PHONE, "es")
        page, explained = visitor.page, visitor.page.locator("#explain")
        visitor.sit_down("corre_el_encierro")
        assert page.locator("#status").inner_text().startswith("Te toca: ")
        card = page.locator("#scene .point.can").first
        name = card.get_attribute("aria-label").split(":")[0]
        card.focus()
        assert explained.inner_text() == f"{name}: {glossary(ENCIERRO, 'es')[name]}"
        before = visitor.state()
        for _ in range(3):  # each tap turns the question mark, however soon it follows
            page.locator("#ask").tap()
        visitor.choices().last.tap()
        assert explained.inner_text() not in ("", "Toca una carta, una pieza o una jugada para leer qué hace.")
        page.wait_for_timeout(300)
        assert visitor.state() == before  # the tap has played nothing
        assert page.locator("#ask").get_attribute("aria-pressed") == "true"
        page.locator("#ask").tap()
        assert not explained.is_visible()
        visitor.choices().first.tap()
        visitor.moved(before)
        assert not explained.is_visible()  # what explained the decision before is gone
        assert visitor.fits
        assert not visitor.barriers()
        with page.expect_popup() as rules:
            page.locator("a[target=_blank]").click()
        rules.value.wait_for_selector("#rules")
        assert not visitor.complaints
