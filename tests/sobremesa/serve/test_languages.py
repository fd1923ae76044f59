"""Pages and pictures name things in their own language: none of the other language's names is in them.

The names come from the tables of the games. Real deals are drawn, listed and told in each language.
"""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scale import COMPILED_ONLY

from sobremesa import envs
from sobremesa.envs.bandido_alcatraz.text.words import TEXTS as DUG
from sobremesa.envs.core.deal import outcome, random_deal
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.picture.pointing import pointable_scene
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.wording import entry_of, shown_name
from sobremesa.envs.corre_el_encierro.cards import CARDS, ENGLISH_OBJECTS, OBJECT_NAMES
from sobremesa.envs.erase_una_vez.tables import ENDINGS, FACT_WORDS, THINGS
from sobremesa.envs.ese_toro_enamorado.board import PHASE_NAMES, TILE_NAMES
from sobremesa.envs.estafado.cards import CARDS as BEASTS
from sobremesa.serve.guides import guide_of
from sobremesa.serve.lobby import game_page
from sobremesa.serve.opponents import Opponents

SVG = "{http://www.w3.org/2000/svg}"
PAIRS = {  # Spanish and English names of each game's tables
    "bandido_alcatraz": [(DUG["marks"]["es"][mark], DUG["marks"]["en"][mark]) for mark in DUG["marks"]["es"]],
    "corre_el_encierro": [
        *((one.name, one.english) for one in CARDS),
        *zip(OBJECT_NAMES, ENGLISH_OBJECTS, strict=True),
        ("Cabestros", "Steers"),
        ("vuelta", "turn"),
    ],
    "erase_una_vez": [
        *((one.name, one.english) for one in THINGS),
        *((one.spanish, one.english) for one in ENDINGS),
        *zip(FACT_WORDS["es"], FACT_WORDS["en"], strict=True),
    ],
    "ese_toro_enamorado": [
        *zip(TILE_NAMES["es"], TILE_NAMES["en"], strict=True),
        *zip(PHASE_NAMES["es"], PHASE_NAMES["en"], strict=True),
        ("vuelta", "turn"),
    ],
    "estafado": [(one.spanish, one.name) for one in BEASTS],
}
GAMES = [envs.load(name) for name in PAIRS]


def foreign(game, language):
    """Return a pattern for the names of the other language that no name of this one has as a word."""
    pairs = [*PAIRS[game.name], (game.words.title["es"], game.words.title["en"])]
    own = " ".join(pair[language == "en"] for pair in pairs).casefold()
    others = {pair[language != "en"].casefold() for pair in pairs}
    others = {name for name in others if not re.search(rf"\b{re.escape(name)}\b", own)}
    assert others or game.name == "bandido_alcatraz"
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(others)) or r"(?!)")


def printed_below(game, language):
    """Return the names that stand small below English ones in a bilingual picture, by the English ones."""
    if (game.name, language) != ("erase_una_vez", "en"):
        return {}
    return {one.english.casefold(): one.name.casefold() for one in THINGS}


def drawn(svg, small):
    """Return the words of a picture, without the small ones below a name."""
    root = ET.fromstring(svg)
    for part in list(root.iter()):
        title = (part.findtext(f"{SVG}title") or "").casefold()
        below = [
            one for one in part.iter(f"{SVG}text") if one.get("font-style") == "italic" and not one.get("font-weight")
        ]
        if title in small and " ".join("".join(one.itertext()) for one in below).casefold() == small[title]:
            for one in below:
                one.clear()
    texts = ["".join(one.itertext()) for one in root.iter() if one.tag in (f"{SVG}text", f"{SVG}title")]
    return [*texts, *(one.get("aria-label") or "" for one in root.iter())]


def said(game, ply, after, seat, language, small):
    """Yield what a page shows of a ply to a seat, None or PUBLIC."""
    words, mine = game.words, seat == ply.seat
    for narrow in (False, True):
        yield from drawn(pointable_scene(game, ply.states, seat, language, narrow=narrow), small)
    yield words.describe(ply.states, seat, language)
    if mine:
        yield words.asks(ply.states, seat, language)
    for action in np.flatnonzero(ply.mask).tolist() if mine else ():
        yield words.action_name(action, language)
        yield shown_name(words, action, language, ply.states)
        yield " ".join(entry_of(words, action, language, ply.states))
    if seat not in (None, PUBLIC):
        yield from words.tell(ply.states, ply.action, after, seat, language)


@COMPILED_ONLY
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pages_name_things_in_one_language(game, language):
    others, small, shown = foreign(game, language), printed_below(game, language), 0
    assert not others.search(game.words.help(language).casefold())
    for seed, seats in enumerate({game.default_seats, game.max_seats}):
        plies = list(random_deal(game, seed, {"seats": seats}, plies=240))
        for number, ply in enumerate(plies):
            if number % 37 and ply.action != OVER:
                continue
            after = ply.states if ply.action == OVER else outcome(game, ply)
            for seat in {None, ply.seat if ply.action != OVER else 0} | ({PUBLIC} if game.words.public else set()):
                for text in (
                    said(game, ply, after, seat, language, small)
                    if ply.action != OVER
                    else drawn(game.words.scene(ply.states, seat, language), small)
                ):
                    shown += 1
                    assert not (found := others.search(text.casefold())), (found[0], text)
    assert shown > 200


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_lobby_and_lessons_name_things_in_one_language(game, language):
    others = foreign(game, language)
    page = game_page(game, Opponents(), language)
    texts = [one.text[language] for one in guide_of(game).lessons]
    texts += [page["title"], page["fair_name"], *(name for _, name, _ in page["levels"])]
    texts += [text for option in page["options"] for text in (option["asks"], *(one for _, one in option["choices"]))]
    for text in texts:
        assert not (found := others.search(text.casefold())), (found[0], text)
