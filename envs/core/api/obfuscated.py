"""Obfuscated readings: the same game under other numbers and other names, which a seed draws.

Actions and numbers of observations are permuted, the blocks of an observation come in another order, and texts have
other names (renaming.py). State, rules, chance and payoffs are those of the game, so a player who knows both
permutations plays the same deals. A reading is a `Game` of its own, called `<game>_obfuscated_<seed>`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from sobremesa.envs.core.api.renaming import Renaming, ranked
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.picture.drawing import picture
from sobremesa.envs.core.wording import PromptWords, SpellingWords, View

NAME = re.compile(r"((?:(?!_obfuscated_)\w)+)_obfuscated_(0|[1-9]\d{0,17})")
_WIDE, _HIGH = 9, 18  # a character of a picture, in its units


@dataclass(frozen=True, eq=False)
class Reading:
    """The way from an obfuscated game to the game `base` that it is a reading of."""

    base: Game
    actions: np.ndarray  # (A,) int64: the base's number of each action
    numbers: np.ndarray  # (D,) int64: the place in the base's observation of each number
    renaming: Renaming

    @property
    def here(self) -> np.ndarray:
        """The number of each of the base's actions `(A,)` int64."""
        return np.argsort(self.actions)

    @property
    def places(self) -> np.ndarray:
        """The place of each number of the base's observations `(D,)` int64."""
        return np.argsort(self.numbers)


@dataclass(frozen=True, kw_only=True)
class ObfuscatedWords(PromptWords, SpellingWords):
    """Words with other names; pictures are texts, since art would show what a thing is."""

    renaming: Renaming


def obfuscated(base: Game, seed: int) -> Game:
    """Return the obfuscated reading of `base` for `seed`, a whole number from 0."""
    layout, numbers = _layout(base.layout, seed)
    actions = np.array(ranked(base.num_actions, seed, "actions"))
    reading = Reading(base, actions, numbers, Renaming(base.words, base.num_actions, seed))
    there = reading.renaming.there
    return replace(
        base,
        **_kernels(reading),
        name=f"{base.name}_obfuscated_{seed}",
        layout=layout,
        words=_words(reading),
        roles=base.roles and {language: _renamed(one, language, there) for language, one in base.roles.items()},
        figures=lambda ends: {
            there(name, "en"): _renamed(values, "en", there) for name, values in base.figures(ends).items()
        },
        symmetries=tuple(
            one._replace(seen=reading.places[one.seen[numbers]], actions=reading.here[one.actions[actions]])
            for one in base.symmetries
        ),
        fair_votes=base.fair_votes and _fair_votes(reading, layout),
        reading=reading,
    )


def _layout(layout: Layout, seed: int) -> tuple[Layout, np.ndarray]:
    """Return the blocks in another order, each with its numbers in another order, and where these were, `(D,)`."""
    blocks, numbers = [], []
    for place, number in enumerate(ranked(len(layout.blocks), seed, "blocks")):
        block = layout.blocks[number]
        within = np.array(ranked(block.size, seed, block.name))
        per = np.broadcast_to(block.per, block.shape).ravel()[within]
        blocks.append(Block(f"part_{place}", (block.size,), "", block.low, block.high, per=per))
        numbers.append(layout.start(block.name) + within)
    return Layout(*blocks), np.concatenate(numbers)


def _bytes(base: Layout, numbers: np.ndarray) -> np.ndarray:
    """Return the place of each byte of an observation among those of the base, `(W,)` int64."""
    places = np.arange(base.width)
    places[: base.size] = numbers
    wide = numbers[np.isin(numbers, base.wide)]  # in the order of the reading
    four = base.tail + 4 * np.searchsorted(base.wide, wide)
    places[base.tail :] = (four[:, None] + np.arange(4)).ravel()
    return places


def _kernels(reading: Reading) -> dict[str, Any]:
    """Return the kernels of a reading; those of the base are shared, so that a reading compiles in a few seconds."""
    base, actions, places = reading.base, reading.actions, _bytes(reading.base.layout, reading.numbers)
    legal_there, play_there, observe_there = map(shared, (base.legal, base.play, base.observe))
    count, width = base.num_actions, base.layout.width

    @kernel
    def legal(state: Any, mask: Any) -> None:
        held = scratch(count, np.int8)
        held[:] = 0
        legal_there(state, held)
        for action in range(count):
            mask[action] = held[actions[action]]

    @kernel
    def play(state: Any, action: Any) -> None:
        play_there(state, actions[action])

    @kernel
    def observe(state: Any, seat: Any, out: Any) -> None:
        seen = scratch(width, np.uint8)
        observe_there(state, seat, seen)
        for place in range(width):
            out[place] = seen[places[place]]

    others = {name: getattr(base, name) for name in ("reset", "go_on", "redeal", "reshuffle", "payoff")}
    return {"legal": legal, "play": play, "observe": observe} | {
        name: one and shared(one) for name, one in others.items()
    }


def _fair_votes(reading: Reading, layout: Layout) -> Any:
    """Return the fair votes of the base by the numbers of the reading."""
    votes: Any = reading.base.fair_votes
    start, size = reading.base.layout.start(votes.block), len(votes.logits)
    first = int(np.flatnonzero((reading.numbers >= start) & (reading.numbers < start + size))[0])
    return votes._replace(
        block=next(block.name for block in layout if layout.start(block.name) == first),
        actions=tuple(int(reading.here[action]) for action in votes.actions),
        logits=tuple(votes.logits[row] for row in reading.numbers[first : first + size] - start),
    )


def _words(reading: Reading) -> ObfuscatedWords:
    """Return the words of the base with other names and the numbers of this reading."""
    words, there, back = reading.base.words, reading.renaming.there, reading.renaming.back
    actions, here = reading.actions.tolist(), reading.here.tolist()

    def parse(text: str, language: str) -> int:
        known = back(text, language)
        if there(text, language) != text:  # with a name of the base
            known = there(text, language)
        try:
            return int(here[words.parse_action(known, language)])
        except ValueError as error:
            raise ValueError(there(str(error), language)) from None

    def view(shown: View) -> View:
        return lambda states, seat, language: there(shown(states, seat, language), language)

    def spelled(names: Mapping[str, Any], language: str) -> dict[str, list[int]]:
        return {there(name, language): [here[one] for one in found] for name, found in names.items()}

    spelling = words if isinstance(words, SpellingWords) else None
    return ObfuscatedWords(
        title={language: there(one, language) for language, one in words.title.items()},
        action_name=lambda action, language: there(words.action_name(actions[action], language), language),
        parse_action=parse,
        describe=view(words.describe),
        read=view(words.read if isinstance(words, PromptWords) else words.describe),
        scene=_picture(view(words.describe)),
        tell=lambda before, action, after, seat, language: [
            there(one, language) for one in words.tell(before, actions[action], after, seat, language)
        ],
        help=lambda language: there(words.help(language), language),
        asks=lambda states, seat, language: there(words.asks(states, seat, language), language),
        why=lambda states, action, language: there(words.why(states, actions[action], language), language),
        details=lambda states, language: there(words.details(states, language), language),
        setup=words.setup and {language: _renamed(one, language, there) for language, one in words.setup.items()},
        public=words.public,
        spellings=lambda language: spelled(spelling.spellings(language), language) if spelling else {},
        names_now=lambda states, language: spelled(spelling.names_now(states, language), language) if spelling else {},
        renaming=reading.renaming,
    )


def _picture(describe: View) -> View:
    """Return the view that shows the text of `describe` as SVG."""

    def scene(states: np.ndarray, seat: int | None, language: str) -> str:
        lines = describe(states, seat, language).splitlines()
        drawn = [
            f'<text x="{_WIDE}" y="{_HIGH * (row + 1)}" xml:space="preserve">{escape(line)}</text>'
            for row, line in enumerate(lines)
        ]
        across = _WIDE * (2 + max(map(len, lines), default=0))
        return picture(across, _HIGH * (len(lines) + 1), drawn, "DejaVu Sans Mono, monospace")

    return scene


def _renamed(value: Any, language: str, there: Any) -> Any:
    """Return the texts in `value`, mappings or tuples of texts, or an array of names, with other names."""
    if isinstance(value, np.ndarray):
        return np.array([there(str(one), language) for one in value]) if value.dtype.kind == "U" else value
    if isinstance(value, str):
        return there(value, language)
    if isinstance(value, tuple):
        return tuple(there(one, language) for one in value)
    return {key: _renamed(one, language, there) for key, one in value.items()}
