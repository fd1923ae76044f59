"""Read back the pages that show deals."""

import base64
import json
import re
import zlib

from sobremesa.envs.core.picture.drawing import without_pieces


def pieces_and_sights(page):
    """Return what a page holds: pieces of scenes, and for each viewer its frames and captions."""
    packed = re.search(r'const packed = "([\w+/=]+)";\n', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def scenes_of(pieces, sight):
    """Return the scenes (SVG) that one viewer is shown, without the names of their pieces."""
    parts = (("".join(pieces[start : start + count]) for start, count in frame) for frame in sight["frames"])
    return [without_pieces("".join(one)) for one in parts]
