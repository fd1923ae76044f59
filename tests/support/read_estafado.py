"""Observations of *Estafado*, rebuilt from the text of a prompt.

The position shows what the reader knows. Marks on cards that the reader knows, and the cards turned up in this step,
follow from the events.
"""

import re
from functools import cache

import numpy as np
from read_estafado_story import Marks
from read_prompts import gaps, gaps_in, items, unwrapped

from sobremesa.envs.estafado import GAME, state as s
from sobremesa.envs.estafado.board import CELL_NAMES, LINE, NUM_CELLS, RING, SIDE, SUN_START, space_name
from sobremesa.envs.estafado.cards import COPIES, DECK_SIZE, FEATURES_OF, HAND_SIZE, HURRICANE, NUM_KINDS
from sobremesa.envs.estafado.observe import SETUP_FIELDS
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import WORDS

FIRST, ACROSS = 10, 12  # column of the first cell, columns of a cell
UP, SHOWN, KNOWN, THEIRS, NO_RABBIT, SWAPPABLE, FOX_AT, BEGAN, BEAR_AT, CAME, VIXEN_AT, CHOSEN, CROW_LINE = range(13)


def read(heard):
    """Return the observation by block."""
    words, out = WORDS[heard.language], {block.name: np.zeros(block.shape) for block in GAME.layout}
    lines = [line for part in heard.position[1:] for line in (*part, "")]
    legend = lines.index(words["legend"])
    rest = unwrapped([line for line in lines[legend + 1 :] if line])
    marks = Marks(heard)
    out["role"][heard.seat] = 1
    stage = _read_question(out, unwrapped(heard.position[0]), heard)
    _read_floor(out, lines[:legend], heard)
    _read_tokens(out, rest, heard)
    _read_cards(out, rest, lines[legend + 1 :], heard)
    cells = out["cells"].reshape(-1, NUM_CELLS)
    marks.write(out, cells, s.MOVE <= stage <= s.DIVING)
    for other in (s.FOX, s.CROW):
        cells[THEIRS, [CELL_NAMES.index(name) for name in items(words[f"knows{other}"], rest)]] = 1
    cells[THEIRS] = np.maximum(cells[THEIRS], cells[UP])
    options = {option.name: option.encode(heard.setup[option.name]) for option in GAME.options}
    out["setup"][:] = [options[name] for name in SETUP_FIELDS]
    if options["reading"] == s.DUSK:
        out["setup"][0] = s.BALANCED
    return out


@cache
def _kinds(language):
    return {card_name(kind, language).upper(): kind for kind in range(NUM_KINDS)}


def kind_of(name, language):
    """Return the kind of card with a name, in capitals or not."""
    return _kinds(language)[name.upper()]


def _read_question(out, lines, heard):
    """Read the question with the card that it is about, and the card whose effects happen; return its stage."""
    words = WORDS[heard.language]
    key, text = next(
        (key, found[0]) for key in ("yours", "theirs0", "theirs1") if (found := gaps_in(words[key], lines))
    )
    out["mine"][0] = key == "yours"
    for stage in range(s.NUM_QUESTIONS):
        template = words[f"stage{stage}"]
        found = gaps(template, text)
        found = gaps(template + ", {}", text) if found is None else found
        if found is not None:
            break
    out["question"][stage] = 1
    if stage in (s.SWAP_SECOND, s.EXCHANGE):
        out["cells"].reshape(-1, NUM_CELLS)[CHOSEN, CELL_NAMES.index(found[0][:2])] = 1
    if s.LEAPING <= stage <= s.DIVING:
        card = gaps_in(words["on"], lines[-2:])[0]
        out["card"][:] = FEATURES_OF[kind_of(card[4:-1], heard.language)]
        out["left"][0] = int(found[0]) / 4 if stage == s.PEEKING else 0
    return stage


def _read_floor(out, lines, heard):
    """Read the known cards: in capitals those that lie face-up."""
    words = WORDS[heard.language]
    ring = {words[token] for token in ("eagle", "crow", "sun")}
    cells, floor = out["cells"].reshape(-1, NUM_CELLS), out["floor"].reshape(-1, NUM_CELLS)
    starts = [number for number, line in enumerate(lines) if re.match(r".{7}[1-5] ", line)]
    for row, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True)):
        for column in range(SIDE):
            left = FIRST + ACROSS * column
            parts = [line[left : left + ACROSS].strip() for line in lines[start:end]]
            name = " ".join(part for part in parts if part and part[0] != "<" and part not in ring)
            if name in ("·", words["no_rabbit"]):
                continue
            kind, cell = kind_of(name, heard.language), SIDE * row + column
            floor[:, cell] = FEATURES_OF[kind]
            cells[KNOWN, cell] = 1
            cells[UP, cell] = name == card_name(kind, heard.language).upper()


def _read_tokens(out, lines, heard):
    """Read the tokens, the rights that are left, and what is to come."""
    words, cells = WORDS[heard.language], out["cells"].reshape(-1, NUM_CELLS)
    parts = [part for line in lines for part in line.split(" · ")]
    spaces = [space_name(space, heard.language) for space in range(RING)]

    def cell(plane, name):
        cells[plane, CELL_NAMES.index(name)] = 1

    fox = gaps_in(words["fox_at"] + words["began"], parts) or gaps_in(words["fox_at"], parts)
    cell(FOX_AT, fox[0])
    bear = gaps_in(words["bear_at"] + words["came"], parts) or gaps_in(words["bear_at"], parts)
    for plane, name in zip((BEAR_AT, CAME), bear, strict=False):
        cell(plane, name)
    if vixen := gaps_in(words["vixen_at"], parts):
        cell(VIXEN_AT, vixen[0])
    crow = spaces.index(gaps_in(words["crow_at"], parts)[0])
    cells[CROW_LINE, LINE[crow]] = 1
    out["sun"][0] = sun = (RING - int(gaps_in(words["sun_at"], parts)[1])) / RING
    out["ring"][1, crow] = out["ring"][2, (SUN_START + round(sun * RING)) % RING] = 1
    if eagle := gaps_in(words["eagle_at"], lines):
        space = spaces.index(eagle[0])
        out["ring"][0, space] = out["pursuit"][(space - crow) % RING] = 1
    left, due = items(words["left"], lines), items(words["due"], lines)
    swaps = gaps_in(words["left_deck"], left)
    out["rights"][:] = [
        words["left_vixen"] in left,
        words["left_double"] in left,
        int(swaps[0] if swaps else 0) / s.DECK_SWAPS,
    ]
    out["due"][:] = [words["lost"] in due, words["bear_skip"] in due]


def _read_cards(out, lines, raw, heard):
    """Read the hand, the caught rabbits, the deck, and the cards buried and unseen."""
    words, language = WORDS[heard.language], heard.language
    if heard.seat == s.FOX:
        for slot, name in re.findall(r"^  (\d) (.+?): ", "\n".join(raw), re.MULTILINE):
            out["hand"][int(slot) - 1] = FEATURES_OF[kind_of(name, language)]
            out["backs"][int(slot) - 1] = 1
            out["backs"][HAND_SIZE] += kind_of(name, language) == HURRICANE
    else:
        size = gaps_in(words["hand_size"], lines) or gaps_in(f"{words['hand_size']}, {words['hurricane']}", lines)
        out["backs"][:HAND_SIZE] = {"0": 0, str(HAND_SIZE): 1}.get(size[0][0], np.nan)  # its slots are not in the text
        out["backs"][HAND_SIZE] = any(line.endswith(words["hurricane"]) for line in lines)
    caught = [kind_of(name, language) for name in items(words["prey"], lines) if name != words["none"]]
    out["rabbits"][caught] = 1
    out["last"][caught[-1:]] = 1
    deck = gaps_in(words["deck_size"], [line.split("; ")[0] for line in lines])
    out["deck"][0] = int(deck[0]) / DECK_SIZE
    out["backs"][HAND_SIZE + 1] = any(words["on_top"] in line.split("; ")[1:] for line in lines)
    for item in items(words["unseen"], lines):
        name, _, count = item.partition(" ×")
        kind = kind_of(name, language)
        out["unseen"][kind] = int(count or 1) / COPIES[kind]
    buried = next((line.partition(": ")[2] for line in lines if line.startswith(words["pile"] + ": ")), "")
    for slot, item in enumerate(re.split(r", (?![^(]*\))", buried) if buried else []):
        name = item.split(" (")[0]
        if name != words["unknown"]:
            out["pile"][slot] = FEATURES_OF[kind_of(name, language)]
        out["pile_marks"][slot, 0] = heard.seat == s.FOX or words["fox_knows"] in item
