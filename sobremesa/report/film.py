"""Write the scenes of a deal, through one pair of eyes or several, as one self-contained HTML page, or as a GIF."""

import html
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from sobremesa.envs.core.errors import MissingExtra
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.render import to_png

GIF_WIDTH, GIF_MILLISECONDS = 640, 500


_WORDS = {
    "en": {"play": "play", "pause": "pause", "back": "back", "on": "on", "ply": "ply", "viewer": "viewer"},
    "es": {"play": "ver", "pause": "pausa", "back": "atrás", "on": "adelante", "ply": "jugada", "viewer": "quién mira"},
}


class Sight(NamedTuple):
    """A deal as somebody sees it, scene by scene."""

    name: str  # whose eyes these are
    scenes: Sequence[str]  # SVG
    captions: Sequence[str]
    plies: Sequence[int]  # at which ply each scene stands, rising


_PAGE = Template("""<!doctype html>
<html lang="$language"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
 body { margin: 0; background: #10162f; color: #eee; font: 16px/1.5 "DejaVu Sans", Verdana, sans-serif }
 main { max-width: 1000px; margin: 0 auto; padding: 8px }
 h1 { font-size: 18px; margin: 8px 0 } #scene svg { width: 100%; height: auto; max-height: 80vh; display: block }
 #bar { display: flex; gap: 8px; align-items: center; margin: 8px 0 } #at { flex: 1 }
 button, select { font: inherit; padding: 4px 14px; border: 0; border-radius: 6px; background: #f3c05a }
 button, select { cursor: pointer; color: #10162f } button, #count { white-space: nowrap }
 #caption { min-height: 3em }
</style>
<main><h1>$title</h1><div id="scene"></div>
<div id="bar"><button id="back" aria-label="$back">&#9664;</button><button id="play">&#9654; $play</button>
<button id="on" aria-label="$on">&#9654;|</button><input id="at" type="range" min="0" max="$last" value="0"
 aria-label="$ply"><span id="count"></span>$choice</div>
<div id="caption" aria-live="polite"></div></main>
<script>
 const pieces = $pieces, sights = $sights;
 const by = id => document.getElementById(id);
 let {frames, captions, plies} = sights[0], at = 0, timer = null;
 function show(to) {
   at = Math.max(0, Math.min(frames.length - 1, to));
   by("scene").innerHTML = frames[at].map(([from, count]) => pieces.slice(from, from + count).join("")).join("");
   by("caption").textContent = captions[at]; by("at").value = at;
   by("count").textContent = (at + 1) + " / " + frames.length;
   if (at === frames.length - 1) stop();
 }
 function look(sight) {
   const ply = plies[at];
   ({frames, captions, plies} = sight);
   by("at").max = frames.length - 1; show(plies.filter(one => one <= ply).length - 1);
 }
 function stop() { clearInterval(timer); timer = null; by("play").textContent = "\\u25B6 $play" }
 function play() {
   if (timer) return stop();
   if (at === frames.length - 1) show(0);
   by("play").textContent = "\\u275A\\u275A $pause"; timer = setInterval(() => show(at + 1), 700);
 }
 by("play").onclick = play; by("back").onclick = () => show(at - 1); by("on").onclick = () => show(at + 1);
 by("at").oninput = event => show(+event.target.value);
 if (by("eyes")) by("eyes").onchange = event => look(sights[event.target.selectedIndex]);
 document.onkeydown = event => {
   if (event.target.matches("input, select")) return;
   if (event.key === "ArrowLeft") show(at - 1); if (event.key === "ArrowRight") show(at + 1);
   if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); play() }
 };
 show(0);
</script></html>
""")


def page(title: str, sights: Sequence[Sight], language: str = "en") -> str:
    """Return a page (HTML) that shows a deal with play, step and a slider; it needs nothing but itself.

    It opens with the first of `sights` and lets people choose where there are several.
    """
    pieces, frames = _shared_pieces([scene for sight in sights for scene in sight.scenes])
    shown: list[dict[str, list[Any]]] = []
    start = 0
    for sight in sights:
        end = start + len(sight.scenes)
        shown.append({"frames": frames[start:end], "captions": list(sight.captions)})
        if len(sights) > 1:  # one viewer alone must not count what happened between its decisions
            shown[-1]["plies"] = list(sight.plies)
        start = end
    words = _WORDS[language]
    names = "".join(f"<option>{html.escape(sight.name)}</option>" for sight in sights)
    return _PAGE.substitute(
        words,
        language=language,
        title=html.escape(title),
        last=len(sights[0].scenes) - 1,
        choice=f'<select id="eyes" aria-label="{words["viewer"]}">{names}</select>' if len(sights) > 1 else "",
        pieces=_script_json(pieces),
        sights=_script_json(shown),
    )


def write_gif(path: Path, scenes: Sequence[str]) -> None:
    """Write an animated GIF of `scenes` (SVG); raise MissingExtra without the `render` extra."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("writing a GIF", "render") from None
    frames = [Image.open(io.BytesIO(to_png(scene, GIF_WIDTH))).convert("P", palette=Image.Palette.ADAPTIVE)
              for scene in scenes]  # fmt: skip
    out = io.BytesIO()
    times = [GIF_MILLISECONDS] * (len(frames) - 1) + [6 * GIF_MILLISECONDS]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    write_whole(path, out.getvalue())


def _shared_pieces(scenes: Sequence[str]) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Split scenes at their tags and store each different piece once: a frame is runs of (first piece, how many)."""
    places: dict[str, int] = {}
    frames = []
    for scene in scenes:
        runs: list[tuple[int, int]] = []
        for piece in re.split(r"(?<=>)(?=<)", scene):
            place = places.setdefault(piece, len(places))
            if runs and sum(runs[-1]) == place:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((place, 1))
        frames.append(runs)
    return list(places), frames


def _script_json(value: object) -> str:
    """Return JSON that can neither end the script element it stands in nor hide its end in a comment."""
    return json.dumps(value, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\u0021--")
