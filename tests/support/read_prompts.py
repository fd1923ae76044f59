"""Prompts read back into observations, to test that the text of a view is complete.

A reader `read_<game>.py` has a function `read(heard)` that returns the numbers of the observation by block. It gets
only the text of two messages: the rules, and the prompt of one decision with the events of the deal so far. It writes
NaN for a number that the text leaves out.
"""

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.language.prompt import Style, rules_prompt, texts, turn_prompt
from sobremesa.envs.core.agent import History, make_view, new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.table import OVER

CLOSE = 1e-6  # float32 sums in another order


class Heard(NamedTuple):
    """The text of one view, in parts."""

    language: str
    seat: int
    setup: dict[str, Any]
    events: list[str]  # of the deal so far
    position: list[list[str]]  # lines by paragraph


@cache
def gaps(template: str, text: str) -> tuple[str, ...] | None:
    """Return what `text` has in the gaps of `template`, in order; None if it does not fit."""
    found = _pattern(template).fullmatch(text)
    return found and found.groups()


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w*\})", template)
    return re.compile("".join("(.+?)" if one.startswith("{") else re.escape(one) for one in parts))


def gaps_in(template: str, lines: list[str]) -> tuple[str, ...] | None:
    """Return the gaps of the first of `lines` that fits `template`; None without one."""
    return next((found for line in lines if (found := gaps(template, line)) is not None), None)


def seat_of(name: str) -> int:
    """Return the seat of a sign, perhaps with words behind it."""
    return SEAT_SIGNS.index(name[0])


def unwrapped(lines: list[str]) -> list[str]:
    """Return lines with the indented ones joined to those before them."""
    return re.sub(r"\n +", " ", "\n".join(lines)).split("\n")


def items(head: str, lines: list[str], between: str = ", ") -> list[str]:
    """Return the items of the list `head` in unwrapped lines; empty without it."""
    found = gaps_in(head + ": {}", lines)
    return found[-1].split(between) if found else []


def count_of(items_of: list[str], names: list[str]) -> np.ndarray:
    """Return how many of each of `names` are in a list such as "Recorte, 2 Kilikis"."""
    counts = np.zeros(len(names), int)
    for item in items_of:
        number, _, name = item.partition(" ")
        counts[names.index(name if number.isdigit() else item)] += int(number) if number.isdigit() else 1
    return counts


def heard(game, rules: str, prompt: str, style: Style) -> Heard:
    """Return the parts of two messages."""
    words, turn = texts("rules", style), texts("turn", style)
    opening = rules.split("\n\n")[0]
    head, _, others = opening.partition(words["setup"].partition("{")[0])
    kinds = {kind: gaps(words[kind].replace("{setup}", ""), head) for kind in ("role", "seat", "alone")}
    kind, (_, *middle) = next((kind, found) for kind, found in kinds.items() if found)
    fields = {option.name: str(option.default) for option in game.options}
    fields |= dict(field.split("=") for field in others.rstrip(".").split(", ") if field)
    fields["seats"] = {"alone": "1", "role": fields["seats"]}.get(kind) or middle[1]
    heads = [turn[key] for key in ("before", "since", "begun", "position", "legal", "ask")]
    sections: dict[str, list[list[str]]] = {}
    head = ""
    for paragraph in (part.split("\n") for part in prompt.split("\n\n")):
        fits = [one for one in heads if gaps(one, paragraph[0]) is not None]
        if fits:
            head, paragraph = fits[0], paragraph[1:]
        sections.setdefault(head, []).append(paragraph)
    events = [line for key in ("before", "since", "begun") for lines in sections.get(turn[key], []) for line in lines]
    return Heard(
        style.language,
        seat_of(middle[0]) if middle else 0,
        {option.name: option.parse(fields[option.name]) for option in game.options},
        events,
        sections[turn["position"]],
    )


def views_of(game, setup, names, seed, language):
    """Yield the view of each seat before each decision of a deal between the agents `names`, one a seat."""
    seated = [agents.load(name, game) for name in names]
    stories = [History(game, seat, language) for seat in range(len(names))]
    last = None
    for ply in deal_between(game, seated, seed, **setup):
        for story in stories if last else ():
            story.add(last.states, last.action, ply.states)
        if ply.seat == OVER:
            return
        for seat, story in enumerate(stories):
            yield make_view(game, ply.states, seat, new_stream(0), story)
        last = ply


def check_reading(game, read, setup, names, seed, language, every=1):
    """Check that `read` rebuilds the observations of a deal.

    Returns the names of the blocks that were not zero, and of those with numbers left out.
    """
    style, rules, shown, out = Style(language, history=True), {}, set(), set()
    for number, view in enumerate(views_of(game, setup, names, seed, language)):
        if number // len(names) % every:
            continue
        if view.seat not in rules:  # they are one message, at the beginning
            rules[view.seat] = rules_prompt(view, style)
        prompt = turn_prompt(view, style)
        blocks = read(heard(game, rules[view.seat], prompt, style))
        for name, true in game.layout.split(view.observation).items():
            found = np.broadcast_to(blocks[name], true.shape)
            wrong = ~(np.abs(found - true) < CLOSE) & ~np.isnan(found)
            assert not wrong.any(), f"{name}, seat {view.seat}: {np.argwhere(wrong)} of\n{found}\n{true}\n{prompt}"
            shown |= {name} if true.any() else set()
            out |= {name} if np.isnan(found).any() else set()
    return shown, out
