"""Animations of a deal: a self-contained HTML page with one or several views, or a GIF."""

import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from sobremesa.envs.core.errors import MissingExtra
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.picture.render import to_png
from sobremesa.report.page import render

PLAYER = Path(__file__).parent / "player"  # the scene player; the browser table uses it too

GIF_WIDTH, GIF_MILLISECONDS = 640, 500
GIF_COLOURS, GIF_SAMPLES = 255, 12  # one palette for all frames, of frames at equal distances

_WORDS = {
    "en": {"play": "play", "pause": "pause", "back": "back", "on": "on", "ply": "ply", "viewer": "viewer",
           "old": "This film needs a newer browser."},
    "es": {"play": "ver", "pause": "pausa", "back": "atrás", "on": "adelante", "ply": "jugada", "viewer": "quién mira",
           "old": "Esta película necesita un navegador más nuevo."},
}  # fmt: skip


class Scenes(Sequence[str]):
    """Scenes (SVG) of `states`, drawn on access, since all scenes together may take gigabytes."""

    def __init__(self, draw: Callable[[np.ndarray], str], states: Sequence[np.ndarray]) -> None:
        self._draw, self._states = draw, states

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, at: int) -> str:  # type: ignore[override]  # no slices
        return self._draw(self._states[at])


class ViewerFilm(NamedTuple):
    """The view of one viewer over a deal, scene by scene."""

    name: str  # of the viewer
    scenes: Sequence[str]  # SVG
    captions: Sequence[str]
    plies: Sequence[int]  # ply of each scene, rising


def page(title: str, sights: Sequence[ViewerFilm], language: str = "en", up: str = "") -> str:
    """Return a self-contained page (HTML) that plays a deal, opens with the first of `sights` and offers the others.

    `#12` behind its address opens frame 12, `#play` plays. With `up` it has a link of that name to the address above.
    """
    pieces, frames = _shared_pieces(scene for sight in sights for scene in sight.scenes)
    shown: list[dict[str, list[Any]]] = []
    start = 0
    for sight in sights:
        end = start + len(sight.scenes)
        shown.append({"frames": frames[start:end], "captions": list(sight.captions)})
        if len(sights) > 1:  # a single view must not reveal the plies between its decisions
            shown[-1]["plies"] = list(sight.plies)
        start = end
    return render(
        "film",
        language=language,
        title=title,
        up=up,
        words=_WORDS[language],
        style=Markup((PLAYER / "player.css").read_text(encoding="utf-8").strip()),
        player=Markup("".join(_plain(name) for name in ("seats.js", "scene.js"))),
        last=len(sights[0].scenes) - 1,
        viewers=[sight.name for sight in sights] if len(sights) > 1 else [],
        film=[pieces, shown],
    )


def _plain(name: str) -> str:
    """Return a module of the player as part of a script."""
    return re.sub(r"^import .*\n|^export ", "", (PLAYER / name).read_text(encoding="utf-8"), flags=re.MULTILINE)


def write_gif(path: Path, scenes: Sequence[str]) -> None:
    """Write an animated GIF of `scenes` (SVG); raise MissingExtra without the `render` extra.

    All frames have one palette and no dithering, so that a frame has only the part that differs from the last one.
    """
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("writing a GIF", "render") from None

    def drawn(at: int) -> Image.Image:
        return Image.open(io.BytesIO(to_png(scenes[at], GIF_WIDTH))).convert("RGB")

    samples = [drawn(len(scenes) * part // GIF_SAMPLES) for part in range(min(GIF_SAMPLES, len(scenes)))]
    strip = Image.new("RGB", (GIF_WIDTH, sum(one.height for one in samples)))
    for number, one in enumerate(samples):
        strip.paste(one, (0, sum(above.height for above in samples[:number])))
    palette = strip.quantize(GIF_COLOURS)
    frames = [drawn(at).quantize(palette=palette, dither=Image.Dither.NONE) for at in range(len(scenes))]
    out = io.BytesIO()
    times = [GIF_MILLISECONDS] * (len(frames) - 1) + [6 * GIF_MILLISECONDS]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    write_whole(path, out.getvalue())


def _shared_pieces(scenes: Iterable[str]) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Split scenes at their tags and store each different piece once: a frame is runs of (first piece, length)."""
    places: dict[str, int] = {}
    known: dict[tuple[int, int], tuple[int, int]] = {}  # frames share equal runs
    frames = []
    for scene in scenes:
        runs: list[tuple[int, int]] = []
        for piece in re.split(r"(?<=>)(?=<)", scene):
            place = places.setdefault(piece, len(places))
            if runs and sum(runs[-1]) == place:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((place, 1))
        frames.append([known.setdefault(run, run) for run in runs])
    return list(places), frames
