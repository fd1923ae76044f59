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

from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fair_votes import FairVotes
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.picture.drawing import picture
from sobremesa.envs.core.renaming import Renaming, ranked
from sobremesa.envs.core.symmetry import Symmetry
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
    renamed = reading.renaming.there
    return replace(
        base,
        **_kernels(reading),
        name=f"{base.name}_obfuscated_{seed}",
        layout=layout,
        words=_words(reading),
        roles=_each(base.roles, reading.renaming),
        figures=lambda ends: {
            renamed(name, "en"): _named(values, renamed) for name, values in base.figures(ends).items()
        },
        symmetries=tuple(_symmetry(one, reading) for one in base.symmetries),
        fair_votes=_fair_votes(base, layout, reading),
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
    def legal(state, mask):
        held = scratch(count, np.int8)
        held[:] = 0
        legal_there(state, held)
        for action in range(count):
            mask[action] = held[actions[action]]

    @kernel
    def play(state, action):
        play_there(state, actions[action])

    @kernel
    def observe(state, seat, out):
        seen = scratch(width, np.uint8)
        observe_there(state, seat, seen)
        for place in range(width):
            out[place] = seen[places[place]]

    others = {name: getattr(base, name) for name in ("reset", "go_on", "redeal", "reshuffle", "payoff")}
    return {"legal": legal, "play": play, "observe": observe} | {
        name: one and shared(one) for name, one in others.items()
    }


def _symmetry(one: Symmetry, reading: Reading) -> Symmetry:
    seen = reading.places[one.seen[reading.numbers]]
    return Symmetry(seen, reading.here[one.actions[reading.actions]], one.setup)


def _fair_votes(base: Game, layout: Layout, reading: Reading) -> FairVotes | None:
    if (votes := base.fair_votes) is None:
        return None
    start = base.layout.start(votes.block)
    first = int(np.flatnonzero((reading.numbers >= start) & (reading.numbers < start + len(votes.logits)))[0])
    rows = reading.numbers[first : first + len(votes.logits)] - start
    block = next(one.name for one in layout if layout.start(one.name) == first)
    actions = tuple(int(reading.here[action]) for action in votes.actions)
    return FairVotes(block, actions, tuple(votes.logits[row] for row in rows))


def _words(reading: Reading) -> ObfuscatedWords:
    """Return the words of the base with other names and the numbers of this reading."""
    words, there, back = reading.base.words, reading.renaming.there, reading.renaming.back
    actions, here = reading.actions.tolist(), reading.here.tolist()

    def parse(text: str, language: str) -> int:
        known = back(text, language)
        if there(text, language) != text:  # with a name of the base
            known = there(text, language)
        try:
            return here[words.parse_action(known, language)]
        except ValueError as error:
            raise ValueError(there(str(error), language)) from None

    def view(shown: View) -> View:
        return lambda states, seat, language: there(shown(states, seat, language), language)

    def spelled(names: Mapping[str, Any], language: str) -> dict[str, list[int]]:
        return {there(name, language): [here[one] for one in found] for name, found in names.items()}

    spelling = words if isinstance(words, SpellingWords) else None
    return ObfuscatedWords(
        title={language: there(title, language) for language, title in words.title.items()},
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
        setup=words.setup and {language: _deep(one, language, there) for language, one in words.setup.items()},
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


def _deep(value: Any, language: str, there: Any) -> Any:
    """Return the texts in `value`, a mapping of mappings of texts, with other names."""
    if isinstance(value, str):
        return there(value, language)
    return {key: _deep(one, language, there) for key, one in value.items()}


def _each(roles: Mapping[str, tuple[str, ...]] | None, renaming: Renaming) -> dict[str, tuple[str, ...]] | None:
    return roles and {
        language: tuple(renaming.there(role, language) for role in named) for language, named in roles.items()
    }


def _named(values: np.ndarray, there: Any) -> np.ndarray:
    """Return figures of deals, names among them with other names."""
    return np.array([there(str(one), "en") for one in values]) if values.dtype.kind == "U" else values
