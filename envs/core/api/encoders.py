"""Observation encoders: named forms of an observation, the same in every game.

An encoder receives a `View`, never the state, so it cannot leak hidden information.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from sobremesa.envs.core.agent import View
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import words_of

MAX_TEXT = 16_384  # characters; no text view is longer


@dataclass(frozen=True)
class Encoder:
    """A form of observations: its space, and the function that encodes a view."""

    name: str
    space: Callable[[Game], spaces.Space[Any]]
    encode: Callable[[View, str], Any]  #: (view, language) -> an element of the space

    def __reduce__(self) -> tuple[Any, ...]:
        return load_encoder, (self.name,)


_ENCODERS: dict[str, Encoder] = {}


def register_encoder(encoder: Encoder) -> None:
    """Register `encoder` for every game under its name; raise ValueError if the name is taken."""
    if encoder.name in _ENCODERS:
        raise ValueError(f"an encoder named {encoder.name!r} is registered already")
    _ENCODERS[encoder.name] = encoder


def load_encoder(name: str) -> Encoder:
    """Return the encoder called `name`; raise ValueError with the known names."""
    if name not in _ENCODERS:
        raise ValueError(f"no encoder {name!r}; there are {', '.join(encoders())}")
    return _ENCODERS[name]


def encoders() -> list[str]:
    """Return the names of all encoders."""
    return list(_ENCODERS)


class Text(str):
    """A str with a dtype, which PettingZoo's API test reads from every observation."""

    __slots__ = ()
    dtype = np.dtype(str)


def text_view(view: View, language: str) -> Text:
    """Return the view of the seat as text, and its legal actions by name, in "es" or "en"."""
    game = view.game
    names = [game.words.action_name(int(action), language) for action in np.flatnonzero(view.mask)]
    heading = {"en": "Your actions", "es": "Tus jugadas"}[language]
    choices = f"\n{heading}: {', '.join(names)}\n" if names else ""
    return Text(words_of(game, view.sayings, fenced=True).describe(view.state, view.seat, language) + choices)


def _flat_space(game: Game) -> spaces.Space[Any]:
    low, high = game.layout.bounds()
    return spaces.Box(low, high, dtype=np.float32)


def _blocks_space(game: Game) -> spaces.Space[Any]:
    return spaces.Dict(
        {block.name: spaces.Box(block.low, block.high, block.shape, np.float32) for block in game.layout}
    )


_LETTERS = "".join(chr(code) for code in range(0x20, 0x2800)) + "\n🂠"

register_encoder(Encoder("flat", _flat_space, lambda view, _: view.observation))
register_encoder(Encoder("blocks", _blocks_space, lambda view, _: view.game.layout.split(view.observation)))
register_encoder(Encoder("text", lambda _: spaces.Text(MAX_TEXT, min_length=1, charset=_LETTERS), text_view))
