"""Explanations at the table: what to decide now, and what each card, piece and button does."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from browsing import PHONE, Visitor, chromium, running
from positions import positions
from rooms import ALL, ENCIERRO, ESTAFADO, KUHN, TORO
from scale import COMPILED_ONLY
from serving import opening, play_on, seen

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.picture.pointing import legal_actions, pointable_scene
from sobremesa.envs.estafado.cards import CARDS
from sobremesa.serve.deal import Deal
from sobremesa.serve.lobby import glossary
from sobremesa.serve.store import Store
from sobremesa.serve.table import open_table
from sobremesa.serve.tables import FILE


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_its_line_of_the_rules(language):
    encierro, toro, estafado = (glossary(game, language) for game in (ENCIERRO, TORO, ESTAFADO))
    assert {"Chupete", "Toro volteado", "Zaldiko", "Pobre de ti"} <= encierro.keys()
    assert len(encierro) == 36 + 29  # cards, and moves, objects and places
    assert {card.name if language == "en" else card.spanish for card in CARDS} <= estafado.keys()
    assert toro["Poppy" if language == "en" else "Amapola"].startswith(("a bull one path", "el toro que"))
    assert "(" not in "".join([*encierro, *toro])


def names_in(label, terms):
    """Return the terms that the page finds in a label."""
    return [one for one in terms if re.search(rf"(?<![^\W\d_]){re.escape(one)}(?![^\W\d_])", label, re.IGNORECASE)]


def labels(svg):
    """Return the names of the things in a picture, without the signs of players and the numbers of cards."""
    parts = ET.fromstring(svg).iter()
    found = {one.get("aria-label") or (one.text if one.tag.endswith("title") else "") for one in parts}
    return {one for one in found if one and len(one) > 2}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", [TORO, ENCIERRO], ids=lambda game: game.name)
def test_every_piece_place_and_move_explains_itself(game, language):
    terms, named = glossary(game, language), set()
    for states, seat in positions(game, deals=4, plies=60, every=4):
        for narrow in (False, True):
            named |= labels(pointable_scene(game, states, seat, language, narrow=narrow))
        for action in legal_actions(game, states):
            named.add(" ".join(game.words.entry(action, language, states)))
    assert len(named) > 60
    assert not [label for label in named if not names_in(label, terms)]
    assert max(map(len, named)) <= 80  # longer labels are not explained


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", [game for game in ALL if game is not KUHN], ids=lambda game: game.name)
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
    assert any(", played by" in one and "answer with Otra vez será" in one for one in asked)


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
        page.wait_for_timeout(450)
        before = visitor.state()
        page.locator("#ask").tap()
        page.wait_for_timeout(450)
        visitor.choices().last.tap()
        assert explained.inner_text()
        page.wait_for_timeout(300)
        assert visitor.state() == before  # the tap has played nothing
        assert page.locator("#ask").get_attribute("aria-pressed") == "true"
        page.locator("#ask").tap()
        assert explained.inner_text() == ""
        assert visitor.fits
        assert not visitor.barriers()
        with page.expect_popup() as rules:
            page.locator("a[target=_blank]").click()
        assert rules.value.locator("#rules").is_visible()
        assert not visitor.complaints
