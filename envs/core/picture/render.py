"""Rendering of SVG scenes: as SVG, as pixels, or in a window. Pixels need the `render` extra."""

import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.envs.core.errors import MissingExtra
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import Saying, words_of

FRAMES_PER_SECOND = 4
_OWN_FONT = "FreeSans"
MODES = ("ansi", "human", "rgb_array", "svg")


def to_png(svg: str, width: int = 1000) -> bytes:
    """Return the scene as a PNG file, `width` pixels wide; raise MissingExtra without resvg-py."""
    try:
        import resvg_py
    except ImportError:
        raise MissingExtra("drawing pixels", "render") from None
    return bytes(
        resvg_py.svg_to_bytes(svg_string=svg, width=width, font_files=_own_fonts(), sans_serif_family=_OWN_FONT)
    )


def _own_fonts() -> list[str]:
    """Return the font of pygame, for machines without fonts; its family is _OWN_FONT."""
    found = importlib.util.find_spec("pygame")
    font = Path(found.origin).with_name("freesansbold.ttf") if found and found.origin else None
    return [str(font)] if font and font.exists() else []


def to_pixels(svg: str, width: int = 1000) -> np.ndarray:
    """Return the scene as `(height, width, 3)` uint8; raise MissingExtra without resvg-py and Pillow."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("drawing pixels", "render") from None
    with Image.open(io.BytesIO(to_png(svg, width))) as image:
        return np.asarray(image.convert("RGB"))


class Camera:
    """A renderer of states of one game in one render mode."""

    def __init__(self, game: Game, mode: str | None, language: str) -> None:
        if mode is not None and mode not in MODES:
            raise ValueError(f"render_mode={mode!r} is not allowed; it takes None or {', '.join(MODES)}")
        self._game, self._mode, self._language = game, mode, language
        self._window: Window | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_window": None}  # a copy opens its own

    def draw(self, states: np.ndarray, seat: int | None, sayings: Sequence[Saying] = ()) -> Any:
        """Return text, SVG or `(height, width, 3)` uint8 for `seat` (None: all); "human" shows it instead.

        `sayings`: the sentences of a tale in players' own words.
        """
        if self._mode is None:
            raise ValueError(f"{self._game.name}: no render_mode was given; it takes one of {', '.join(MODES)}")
        if self._mode == "ansi":
            return words_of(self._game, sayings).describe(states, seat, self._language)
        svg = self._game.words.scene(states, seat, self._language)
        if self._mode == "svg":
            return svg
        if self._mode == "rgb_array":
            return to_pixels(svg)
        self._window = self._window or Window(self._game.words.title[self._language])
        self._window.show(svg)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


class Window:
    """A pygame window that shows one scene after another."""

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ImportError:
            raise MissingExtra("render_mode='human'", "render") from None
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self._clock: Any = None

    def show(self, svg: str) -> None:
        """Draw `svg` and wait for its time on screen."""
        pixels = to_pixels(svg)
        size = (pixels.shape[1], pixels.shape[0])
        if self._screen is None:
            self._pygame.display.init()
            self._screen = self._pygame.display.set_mode(size)
            self._pygame.display.set_caption(self._title)
            self._clock = self._pygame.time.Clock()
        self._pygame.event.pump()
        self._screen.blit(self._pygame.surfarray.make_surface(pixels.swapaxes(0, 1)), (0, 0))
        self._pygame.display.flip()
        self._clock.tick(FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window; the next picture opens it again."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
