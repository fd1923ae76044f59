"""Observations of *Corre el encierro*, rebuilt from the text of a prompt."""

import re

import numpy as np
from read_prompts import count_of, gaps, gaps_in, items, seat_of, unwrapped

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.corre_el_encierro import GAME
from sobremesa.envs.corre_el_encierro.cards import CARDS_OF, COPIES, DECK_SIZE, FIRST_SPECIAL, NUM_CARDS, NUM_HAND_CARDS
from sobremesa.envs.corre_el_encierro.state import DISCARD, GO_ON, OUT, PAY
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.words import SHORT_LOCATIONS, WORDS

NAMES = {language: [card_name(card, language) for card in range(NUM_CARDS)] for language in LANGUAGES}
DECK = next(option for option in GAME.options if option.name == "deck")


def read(heard):
    """Return the observation by block."""
    words = WORDS[heard.language]
    head, course, runners, own, piles = heard.position
    out = {block.name: np.zeros(block.shape) for block in GAME.layout}
    deck = CARDS_OF[DECK.encode(heard.setup["deck"])]
    out["setup"][0] = deck
    out["present"][: heard.setup["seats"]] = 1
    out["closed"][: sum(line.count(words["closed"]) for line in course)] = 1
    _read_head(out, unwrapped(head), heard)
    for line in runners[1:]:
        _read_runner(out, line, heard)
    out["hand"][:] = _hand(own, heard.language) / COPIES[deck][:NUM_HAND_CARDS]
    for item in items(words["known"], unwrapped(own)):
        _read_stolen(out, item, heard)
    _read_piles(out, unwrapped(piles), heard.language, COPIES[deck])
    return out


def _rows(names, heard):
    return [(seat_of(name) - heard.seat) % heard.setup["seats"] for name in names]


def _read_head(out, lines, heard):
    """Read the turn, the card being resolved, those it hits next, and the question to the reader."""
    words = WORDS[heard.language]
    _, turn, doing = gaps_in(words["turn"], lines)
    out["turn"][_rows([turn], heard)] = 1
    phase, *further = doing.split(", ")
    out["phase"][:] = [words["moved"] in further, phase != words["phase0"], phase == words["phase2"],
                       words["lost"] in further]  # fmt: skip
    for part in (part for line in lines for part in line.split("; ")):
        for key in ("attack", "drawn", "sent"):
            if found := gaps(words[key], part):
                card, sender, struck = found
                out["card"][NAMES[heard.language].index(card)] = 1
                out["struck"][_rows([struck], heard)] = 1
                out["sender"][_rows([sender], heard)] = key != "drawn"
        if found := gaps(words["next"], part) or gaps(words["still"], part):
            out["waiting"][_rows(found[0].split(", "), heard)] = 1
    if asked := gaps_in(words["yours"], lines):
        questions = {words[f"stage{stage}"]: stage for stage in range(GO_ON)}
        questions |= {words["full"]: DISCARD, words["last"]: PAY}
        out["asked"][questions[asked[0]]] = 1


def _read_runner(out, line, heard):
    """Read the line of a runner: location, objects, special object, cards, and status."""
    name, place, objects, special, cards, *status = re.split(" {2,}", line.lstrip("> "))
    [row] = _rows([name], heard)
    words = WORDS[heard.language]
    number = next((one for one in range(1, OUT + 1) if status == [words[f"status{one}"]]), 0)
    out["status"][row, number] = 1
    if number == OUT:
        return
    out["places"][row, SHORT_LOCATIONS.index(place)] = 1
    out["objects"][row, : int(objects)] = 1
    out["hand_sizes"][row] = int(cards) / 5
    if special != "–":
        out["specials"][row, NAMES[heard.language].index(special) - FIRST_SPECIAL] = 1


def _hand(lines, language):
    """Return the reader's cards by kind; each stands in a line of its own with its effect."""
    start = next(number for number, line in enumerate(lines) if line.startswith(WORDS[language]["hand"] + ":"))
    held = [line.strip() for line in lines[start + 1 :] if re.match(" {2}[^ ]", line) and ": " in line]
    names = [line.split(": ")[0] for line in held]
    return count_of(names, NAMES[language])[:NUM_HAND_CARDS]


def _read_stolen(out, item, heard):
    """Read a card stolen from the reader, in equal parts for the hands where it may be."""
    words = WORDS[heard.language]
    name, hands = gaps("{} " + words["has_it"], item)
    rows = _rows(hands.split(words["or"]), heard)
    for row in rows:
        out["known"][row - 1, NAMES[heard.language].index(name)] += 1 / len(rows)


def _read_piles(out, lines, language, copies):
    """Read the pile, the cards there or in other hands, and the discard pile."""
    words = WORDS[language]
    size = out["pile"][0] = int(gaps_in(words["pile"], lines)[0])
    unseen = items(words["unseen"], lines)
    for number, key in enumerate(("bulls", "falls")):
        found = items(words[key], lines)
        unseen += found
        out["danger"][number] = len(found) / size if size else 0
    out["pile"][0] = size / DECK_SIZE
    out["unseen"][:] = count_of(unseen, NAMES[language]) / copies
    out["discards"][:] = count_of(items(words["discards"], lines), NAMES[language]) / copies
