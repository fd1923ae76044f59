"""Read back the pages that show deals."""

import json
import re


def pieces_and_sights(page):
    """Return what a page holds: pieces of scenes, and for each viewer its frames and captions."""
    match = re.search(r"const pieces = (\[.*?\]), sights = (\[\{.*?\}\]);\n", page, re.DOTALL)
    return map(json.loads, match.groups())


def scenes_of(pieces, sight):
    """Return the scenes (SVG) that one viewer is shown."""
    return ["".join("".join(pieces[start : start + count]) for start, count in frame) for frame in sight["frames"]]
