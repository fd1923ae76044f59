"""Read back the pages that show deals."""

import json
import re

from sobremesa.envs.core.picture.drawing import without_pieces


def pieces_and_sights(page):
    """Return what a page holds: pieces of scenes, and for each viewer its frames and captions."""
    match = re.search(r"const pieces = (\[.*?\]), sights = (\[\{.*?\}\]);\n", page, re.DOTALL)
    return map(json.loads, match.groups())


def scenes_of(pieces, sight):
    """Return the scenes (SVG) that one viewer is shown, without the names of their pieces."""
    parts = (("".join(pieces[start : start + count]) for start, count in frame) for frame in sight["frames"])
    return [without_pieces("".join(one)) for one in parts]
