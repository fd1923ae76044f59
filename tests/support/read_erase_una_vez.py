"""Observations of *Érase una vez*, rebuilt from the text of a prompt.

The columns of `things` and `cards` that judge what could be told next are not in the text.
"""

import re
from functools import cache

import numpy as np
from read_prompts import gaps, gaps_in, items, seat_of, unwrapped

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.erase_una_vez import GAME, state as s, tables as t
from sobremesa.envs.erase_una_vez.observe import (
    CARD_EXPOSED,
    CARD_SENSE,
    CARD_STEERS,
    EXPOSED,
    INTERRUPTS,
    MENTIONED,
    MINE,
    NUM_KINDS,
    RECENCY,
    SENSE,
    STEERS,
    TOLD,
)
from sobremesa.envs.erase_una_vez.text.words import STORY, WORDS, ending_words, name_of

_PER = next(block.per for block in GAME.layout if block.name == "setup")
SETUP_PARTS = [part or 1 for part in _PER]  # the share of MAX_SENTENCES is no whole number of parts


def read(heard):
    """Return the observation by block."""
    out = {block.name: np.zeros(block.shape) for block in GAME.layout}
    raw = [line for part in heard.position for line in part]
    lines = unwrapped(raw)
    out["present"][: heard.setup["seats"]] = 1
    context = _read_tale(out, lines, heard)
    _read_head(out, unwrapped(heard.position[0]), context, heard)
    _read_cards(out, raw, lines, heard)
    _read_endings(out, raw, heard)
    _read_piles(out, lines, heard)
    numbers = {
        option.name: option.encode(heard.setup[option.name])
        for option in GAME.options[1:]
        if option.name not in GAME.later
    }
    share = numbers.pop("max_sentences") / s.MAX_SENTENCES
    *first, fine = numbers.values()
    out["setup"][:] = np.array([*first, share, fine]) / SETUP_PARTS
    own = out["hand"] > 0
    out["things"][:, [SENSE, EXPOSED, STEERS]] = np.nan
    for column in (CARD_SENSE, CARD_EXPOSED, CARD_STEERS, MENTIONED):
        out["cards"][own, column] = np.nan
    out["cards"][own, MINE] = 1
    out["cards"][own, INTERRUPTS] = t.INTERRUPTION[own.nonzero()] < t.NUM_INTERRUPTIONS
    return out


@cache
def _numbers(language):
    return {name_of(thing, language): thing for thing in range(t.NUM_THINGS)}


def _things(names, heard):
    return [_numbers(heard.language)[name.removesuffix("*")] for name in names]


def _ending(words, heard):
    return next(one for one in range(t.NUM_ENDINGS) if ending_words(one, heard.language) == words)


def _row(name, heard):
    return (seat_of(name) - heard.seat) % heard.setup["seats"]


def _read_tale(out, lines, heard):
    """Read the things told and the facts; return the context, the latest thing first."""
    words = WORDS[heard.language]
    context = _things([item.partition(" ")[2] for item in items(words["context"], lines)], heard)
    out["facts"][[t.FACT_WORDS[heard.language].index(fact) for fact in items(words["facts"], lines)]] = 1
    for key, told in (("told2", 1), ("told1", 0.5), ("told0", 0.5), ("unsaid", np.nan)):
        out["told"][_things(items(words[key], lines), heard)] = told
    out["things"][:, TOLD] = out["told"]
    for place in reversed(range(len(context))):
        out["things"][context[place], RECENCY] = 1 - place / s.MOST_HOOKS
    return context


def _read_head(out, lines, context, heard):
    """Read the progress, the last sentence, the turn, the case, and the question to the reader."""
    words = WORDS[heard.language]
    told, most, narrator = gaps_in(words["head"], lines)
    out["piles"][2] = min(1, int(told) / int(most))
    out["narrator"][_row(narrator, heard)] = 1
    _read_sentence(out, lines, context, heard)
    parts = [part for line in lines for part in line.split("; ")]
    if gaps_in(words["passing"], lines) or gaps_in(words["voters"], lines):
        out["turn"][1:] = np.nan
    else:
        turn = gaps_in(words["turn"].removesuffix("{}{}"), parts)
        closing = gaps_in(words["closing"].removeprefix("; "), parts) or "0"
        protested = gaps_in(words["protested"].removeprefix("; "), parts) or [""]
        out["turn"][1:4] = [min(6, int(number)) / 6 for number in (*turn, closing[0])]
        out["turn"][4] = any(_row(name, heard) == 0 for name in protested[0].split(", ") if name)
    out["turn"][0] = _has_played(heard)
    for item in (gaps_in(words["fines"], lines) or [""])[0].split(", "):
        if item:
            out["fines"][_row(item, heard)] = int(item.rsplit(" ", 1)[1]) / s.MOST_FINES
    _read_case(out, lines, heard)
    if asked := gaps_in(words["yours"], lines):
        _read_question(out, asked[0], context, heard)


def _read_sentence(out, lines, context, heard):
    """Read the last sentence: its kind, thing, hook and sense, or the card that broke in."""
    words, groups = WORDS[heard.language], out["sentence"][NUM_KINDS:-1]
    out["sentence"][-1] = 1
    focus = None
    if broke := gaps_in(words["broke_in"], lines):
        [focus] = _things([broke[1]], heard)
        out["sentence"][s.BREAK_IN] = 1
    elif found := _last(lines, words):
        (_, thing, *hook), with_card, sense, taken = found
        [focus] = _things([thing], heard)
        out["sentence"][-1] = sense / 10
        for hooked in _things(hook, heard):
            out["hooked"][: s.MOST_HOOKS] = [hooked in context[place : place + 1] for place in range(s.MOST_HOOKS)]
        new = gaps_in(words["turn"].removesuffix("{}{}"), [part for line in lines for part in line.split("; ")])
        if with_card:
            out["sentence"][s.CARD] = 1
        elif taken or not new:
            out["sentence"][[s.BRIDGE, s.LINK]] = np.nan
        else:
            out["sentence"][s.LINK if new[1] != "0" else s.BRIDGE] = 1
    else:
        out["sentence"][_kind_without_sentence(heard)] = 1
    if focus is not None:
        groups[t.GROUP[focus]] = 1
        if focus not in context[:1]:
            out["things"][focus, RECENCY] = -1


def _last(lines, words):
    """Return of the last sentence its teller, thing and hook; whether with its card; its sense; whether taken."""
    senses = {
        text: int(key.removeprefix("sense").removesuffix("_own"))
        for key, text in words.items()
        if key.startswith("sense")
    }
    start, between, middle, *_ = words["last"].split("{}")
    for line in lines:
        sentence, *parts = line.split("; ")
        sense = senses.get(parts[0] if parts else "")
        for key in ("with_card", "without"):
            for hang in (words["hangs"], ""):
                template = f"{start}{{}}{between}{{}}{middle}{words[key]}{hang}"
                if sense and (found := gaps(template, sentence)):
                    return found, key == "with_card", sense, len(parts) > 1
    return None


def _kind_without_sentence(heard):
    """Return what the narrator has done instead of a sentence, by the events."""
    kinds = {"passes": s.PASS, "ends": s.END, "undone": s.LINK, "undone_back": s.LINK, "undone_stays": s.LINK}
    story, kind = STORY[heard.language], s.LINK
    for event in heard.events:
        kind = next((kinds[key] for key in kinds if gaps(story[key], event)), kind)
    return kind


def _has_played(heard):
    """Return whether the narrator has played a card in this turn, by the events."""
    story, played = STORY[heard.language], False
    begins = ("turn", "takes_over", "takes_over_telling", "breaks_in_telling")
    for event in heard.events:
        played |= gaps(story["plays"], event) is not None
        played &= not any(gaps(story[key], event) for key in begins)
    return played


def _read_case(out, lines, heard):
    """Read what is put to the vote."""
    words, case = WORDS[heard.language], out["case"]
    which = 3 + s.MAX_SEATS
    if gaps_in(words["case1"], lines):
        case[s.ON_PROTEST - 1] = 1
    elif claim := gaps_in(words["case2"], lines):
        case[[s.ON_CLAIM - 1, 3 + _row(claim[0], heard)]] = 1
        name, weight = f"{claim[1]} ({claim[2]}".rsplit(" (", 1)  # a name may have brackets
        case[which] = (1 + _things([name], heard)[0]) / t.NUM_ELEMENTS
        case[which + 1] = int(weight.split()[0]) / 100
    elif ending := gaps_in(words["case3"], lines):
        case[[s.ON_ENDING - 1, 3 + _row(ending[0], heard)]] = 1
        case[which] = (1 + _ending(ending[1], heard)) / t.NUM_ENDINGS
        case[which + 2] = np.nan


def _read_question(out, asked, context, heard):
    """Read the question to the reader, and the hook that it has chosen."""
    words = WORDS[heard.language]
    stage = s.TELL
    for one, key in ((s.PASSING, "passing_choice"), (s.REACT, "react"), (s.HOOK, "hook"), (s.VOTE, "vote")):
        if asked.startswith(words[key].split("{}")[0]):
            stage = one
    out["asked"][stage] = 1
    if hooked := gaps(words["tell_hooked"], asked):
        out["hooked"][s.MOST_HOOKS] = (1 + context.index(_things(hooked, heard)[0])) / s.MOST_HOOKS


def _read_cards(out, raw, lines, heard):
    """Read the reader's hand, and the cards that it knows elsewhere."""
    words, setup = WORDS[heard.language], heard.setup
    start = next(number for number, line in enumerate(raw) if line.startswith(words["hand"]))
    end = next(number for number in range(start + 1, len(raw)) if not raw[number].startswith(" "))
    for line in unwrapped([line[2:] for line in raw[start + 1 : end]]):
        out["hand"][_things(line.partition(": ")[2].split(", ") if line else [], heard)] = 1
    places = {words["open"]: -0.5, words["buried"]: -1, words["told2"]: 1, words["unsaid"]: 1}
    for seat in range(setup["seats"]):
        places[words["known"].format(SEAT_SIGNS[seat])] = (seat - heard.seat) % setup["seats"] / s.MAX_SEATS
    for head, place in places.items():
        out["elsewhere"][_things(items(head, lines), heard)] = place
    out["unseen"][:] = (out["hand"] == 0) & (out["elsewhere"] == 0)


def _read_endings(out, raw, heard):
    """Read the reader's endings: what each asks for, whether that is met, and the judge's verdict."""
    words, slot = WORDS[heard.language], None
    texts = [[]]
    for line in raw:
        texts += [[]] if not line.startswith(" ") else []
        texts[-1].append(line)
    for text in texts:
        marks = [line[2:] for line in text if re.match("  [✓✗] ", line)]
        head = " ".join(line.strip() for line in text if not line.startswith("   "))
        quoted = re.split(" [✓✗] ", head)[0]
        found = gaps(words["ending"], quoted)
        if not found:
            continue
        slot, ending = int(found[0]) - 1, _ending(found[1], heard)
        out["endings"][slot, ending] = 1
        for clause in range(t.CLAUSES[ending]):
            out["clauses"][slot, clause] = 1, marks[clause][0] == "✓"
        out["blocked"][slot] = (
            any(mark[2:].startswith(words["blocks"].split("{}")[0]) for mark in marks),
            text[-1].strip() == words["would1"],
        )


def _read_piles(out, lines, heard):
    """Read the numbers of cards, and the endings that the reader knows elsewhere."""
    words = WORDS[heard.language]
    for item in gaps_in(words["hands"], lines)[0].split(", "):
        out["hand_sizes"][_row(item, heard)] = int(item.rsplit(" ", 1)[1]) / 20
    deck, endings, *_ = gaps_in(words["piles"], lines)
    out["piles"][:2] = int(deck) / t.NUM_ELEMENTS, int(endings) / t.NUM_ENDINGS
    for line in lines:
        if found := gaps(words["known_ending"], line):
            out["ending_places"][_ending(found[1], heard)] = _row(found[0], heard) / s.MAX_SEATS
        elif found := gaps(words["known_pile"], line):
            out["ending_places"][_ending(found[1], heard)] = (int(found[0]) - 1) / t.NUM_ENDINGS - 1
