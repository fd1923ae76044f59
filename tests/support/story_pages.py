"""Golden pages of events: the sentences that each reader of a deal gets, with every sentence of a game's `[story]`.

A page begins with scenes that a test sets up. Plies of random deals follow, each with a sentence that the page did not
have before. `REGENERATE=1 pytest <test file>` rewrites the pages of a game.
"""

from collections.abc import Callable
from difflib import unified_diff
from typing import NamedTuple

import goldens
import numpy as np

from sobremesa.envs.core.deal import Ply, outcome, random_deal
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.check import setups

DEALS = 16  # random deals at most, whose plies are looked through


class Scene(NamedTuple):
    """A table made by a test, and the English names of the actions that are played there."""

    about: str  # title on the page, with clauses of the rules
    make: Callable[[], np.ndarray]  # -> the (1,) state
    actions: tuple[str, ...]

    def plies(self, game):
        """Yield the plies of the scene."""
        states, observation = self.make().copy(), np.zeros(game.layout.size, np.float32)
        kernels = table_kernels(game)
        for name in self.actions:
            action, mask = game.words.parse_action(name, "en"), np.zeros(game.num_actions, np.int8)
            kernels.legal(states, mask)
            assert mask[action], f"{self.about}: {name} is not allowed"
            yield Ply(states.copy(), int(states["seat"][0]), action, observation, mask)
            kernels.step(states, action, observation, mask)


class Counted(dict):
    """Texts by key, which counts the keys that are read."""

    def __init__(self, texts):
        super().__init__(texts)
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)


def check(name, game, language, story, scenes=(), deals=(), untold=()):
    """Compare the page of `game` with its golden file; every key of `story` but for `untold` must be on it.

    `story` are the game's sentences by language, which `tell` reads; `deals` are further deals, each with a title;
    `untold` maps keys to the reason why a page has no such sentence.
    """
    kept = story[language]
    counted = story[language] = Counted(kept)
    try:
        text = page(game, language, scenes, deals, counted)
    finally:
        story[language] = kept
    assert set(kept) - counted.read == set(untold), "keys without a line on the page, and those with a reason"
    file = f"story_{name}_{language}.txt"
    if goldens.REGENERATE:
        goldens.rewrite(file, text)
    before = goldens.read(file)
    assert text == before, "\n".join(unified_diff(before.splitlines(), text.splitlines(), file, "now", lineterm=""))


def page(game, language, scenes, deals, counted):
    """Return the page of `game`; `counted` are the sentences that `tell` reads."""
    lines = [f"game: {game.id}", f"language: {language}", ""]
    for scene in scenes:
        seats = int(scene.make()["seats"][0])
        lines.append(f"scene: {scene.about}, {seats} seats")
        for ply in scene.plies(game):
            lines += told(game, ply, language)
        lines.append("")
    for title, plies in (*deals, *_random_deals(game)):
        found = [part for ply in plies if (part := _new(game, ply, language, counted))]
        if found:
            lines += [f"deal: {title}", *(line for part in found for line in part), ""]
        if counted.read >= set(counted):
            break
    return "\n".join(lines)


def _random_deals(game):
    """Yield random deals of all setups, each with its seed and setup as title."""
    tried = setups(game)
    for seed in range(DEALS):
        setup = tried[seed % len(tried)]
        title = ", ".join(f"{option}={value}" for option, value in {"seed": seed, **setup}.items())
        yield title, random_deal(game, seed, setup)


def _new(game, ply, language, counted):
    """Return the lines of `ply` if they have a sentence of another key than those read before."""
    before = set(counted.read)
    lines = told(game, ply, language) if ply.action != OVER else []
    return lines if counted.read > before else []


def told(game, ply, language):
    """Return the lines of a ply: the action, and the sentences of each reader; equal sentences stand once."""
    after, words = outcome(game, ply), game.words
    readers = {"open": None} | {SEAT_SIGNS[seat]: seat for seat in range(int(after["seats"][0]))}
    by_text = {}
    for name, seat in readers.items():
        sentences = tuple(words.tell(ply.states, ply.action, after, seat, language))
        by_text.setdefault(sentences, []).append(name)
    head = f"ply {int(ply.states['ply'][0])}, {SEAT_SIGNS[ply.seat]} | {words.action_name(ply.action, language)}"
    lines = [head]
    for sentences, names in by_text.items():
        lines.append(f"  {'all' if len(names) == len(readers) else ' '.join(names)}:")
        lines += [f"    {sentence}" for sentence in sentences] or ["    -"]
    return lines
