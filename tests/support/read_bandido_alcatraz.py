"""Observations of *Bandido Alcatraz*, rebuilt from the text of a prompt.

Cards of each kind that the reader has not seen follow from the cards laid and gathered, which the events name.
"""

import re
from functools import cache

import numpy as np
from read_bandido_map import covered_at, read_map, sides_of, ways_to_lay
from read_prompts import gaps, gaps_in, items, seat_of, unwrapped

from sobremesa.envs.bandido_alcatraz import GAME
from sobremesa.envs.bandido_alcatraz.cards import COPIES, EXIT_KIND, MOST_ENDS, NUM_CARDS, NUM_KINDS
from sobremesa.envs.bandido_alcatraz.observe import CROP, FEATURES_OF
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND, HOW, SIGNAL, WHERE
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, STORY, WORDS, card_text

CARD = r"\[[^\]]*\]"
NEAR = 5


def read(heard):
    """Return the observation by block."""
    words, out = WORDS[heard.language], {block.name: np.zeros(block.shape) for block in GAME.layout}
    start = next(one for one, lines in enumerate(heard.position) if gaps(words["goal"], unwrapped(lines)[0]))
    head, goal, *rest = heard.position[0], heard.position[start], *heard.position[start + 1 :]
    lines = [line for paragraph in heard.position[1:start] for line in (*paragraph, "")]
    cells, ends, floods = read_map(lines)
    hand = {}
    for number, card in re.findall(rf"(\d+)  ({CARD})", "\n".join(rest[0])):
        hand[int(number) - 1] = _kind(card, heard)
    _read_head(out, unwrapped(head), heard)
    _read_goal(out, unwrapped(goal), heard)
    _read_network(out, cells, ends, floods, hand)
    _read_cards(out, hand, [line for part in rest for line in unwrapped(part)], heard)
    options = {option.name: option.encode(heard.setup[option.name]) for option in GAME.options}
    out["setup"][:] = [options[name] for name in ("difficulty", "solo_hand", "signals")]
    return out


@cache
def _kinds(language):
    return {card_text(kind, language): kind for kind in range(NUM_KINDS)}


def _kind(text, heard):
    return _kinds(heard.language)[text]


def _row(name, heard):
    return (seat_of(name) - heard.seat) % heard.setup["seats"]


def _read_head(out, lines, heard):
    """Read the turn, and the question to the reader with the place that was chosen."""
    words = WORDS[heard.language]
    out["turn"][_row(gaps_in(words["turn"], lines)[1], heard)] = 1
    out["present"][: heard.setup["seats"]] = 1
    asked = gaps_in(words["yours"], lines)
    if not asked:
        return
    questions = {words["stage0"]: SIGNAL, words["stage1"]: WHERE, words["or_gather"]: WHERE}
    out["asked"][questions.get(asked[0], HOW)] = 1
    if asked[0] not in questions:
        [place] = gaps(words["stage2"], asked[0])
        end = gaps(words["end"], place)
        out["chosen"][int(end[0]) - 1 if end else MOST_ENDS + int(gaps(words["water"], place)[0]) - 1] = 1


def _read_goal(out, lines, heard):
    """Read the open ends, the gathered cards, the cards left, and the last signals."""
    words = WORDS[heard.language]
    ends, _, coats, ropes, laid = gaps_in(words["goal"], lines)
    out["open"][0] = int(ends) / MOST_ENDS
    out["gathered"][:] = int(coats) / 3, int(ropes) / 2
    out["exit"][0] = laid == words["exit1"]
    pile, hands = gaps_in(f"{words['pile']} · {words['hands']}", lines)
    out["pile"][0] = int(pile) / NUM_CARDS
    for held in hands.split(", "):
        out["hand_sizes"][_row(held, heard)] = int(held.split()[-1]) / BIG_HAND
    out["said"][: heard.setup["seats"], 0] = 1
    signals = [names[0] for names in MOVES[heard.language]["signals"]]
    said_last = gaps_in(words["said"] + ": {}", lines)
    for said in said_last[0].split(", ") if said_last else ():
        sign, _, signal = said.replace(words["you"], "").partition(" ")
        out["said"][_row(sign, heard)] = np.arange(len(signals)) == signals.index(signal)


def _read_network(out, cells, ends, floods, hand):
    """Read the network: where cards may go, with the ways to lay each card, and the planes around two places."""
    near = list(ends.values())
    middle = [sum(place[axis] for place in near) // len(near) for axis in range(2)]
    out["middle"][:] = np.array(middle) / CROP
    places = ends | {MOST_ENDS + number: place for number, place in floods.items()}
    for where, place in places.items():
        ways = np.zeros(BIG_HAND)
        for slot, kind in hand.items() if out["asked"].any() else ():
            if kind not in [other for earlier, other in hand.items() if earlier < slot]:
                ways[slot] = ways_to_lay(cells, kind, place) / 8
        block, row = ("ends", where) if where < MOST_ENDS else ("floods", where - MOST_ENDS)
        out[block][row] = [1, *(np.array(place) - middle) / CROP, *sides_of(cells, place), *ways]
    out["map"][:] = covered_at(cells, middle, CROP)
    if out["chosen"].any():
        out["near"][:] = covered_at(cells, places[int(out["chosen"].argmax())], NEAR)


def _read_cards(out, hand, lines, heard):
    """Read the reader's cards, and those that it put under the pile or set aside; count those that it has not seen."""
    words, story = WORDS[heard.language], STORY[heard.language]
    for slot, kind in hand.items():
        out["hand"][slot] = FEATURES_OF[kind]
    out["exit"][1] = EXIT_KIND in hand.values()
    out["exit"][2] = 1 - out["exit"][:2].sum()
    under = [_kind(card, heard) for card in items(words["under"], lines)]
    aside = [_kind(card.split(" ")[0], heard) for card in items(words["aside_own"], lines)]
    if theirs := gaps_in(words["aside_by"], lines):
        out["aside"][0] = int(theirs[1].split()[0]) / BIG_HAND
    elif aside:
        out["aside"][:] = len(aside) / BIG_HAND, 1
    played = [EXIT_KIND] * int(out["exit"][0])
    others = [story[key] for key in ("draws_card", "exchanges", "exchanges_on", "takes_all")]
    for event in heard.events:
        if not any(gaps(template, event) for template in others):
            played += [_kind(card, heard) for card in re.findall(CARD, event)]
    out["under"][:] = np.bincount(under, minlength=NUM_KINDS) / COPIES
    located = np.bincount([*played, *under, *aside, *hand.values()], minlength=NUM_KINDS)
    out["unseen"][:] = (COPIES - located) / COPIES
