"""Observations of *Ese Toro enamorado*, rebuilt from the text of a prompt."""

import numpy as np
from read_prompts import count_of, gaps, gaps_in, items, seat_of, unwrapped

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.ese_toro_enamorado import GAME
from sobremesa.envs.ese_toro_enamorado.board import NODE_NAMES, PHASE_NAMES, PLACE_NAMES, TILE_COUNTS, TILE_NAMES, WATER
from sobremesa.envs.ese_toro_enamorado.observe import NUM_STAGES
from sobremesa.envs.ese_toro_enamorado.state import CHOOSE
from sobremesa.envs.ese_toro_enamorado.text.words import TILES, WORDS


def read(heard):
    """Return the observation by block."""
    head, _, table, *rest, _ = heard.position  # the last paragraph counts the markers left
    out = {block.name: np.zeros(block.shape) for block in GAME.layout}
    for row in range(heard.setup["seats"]):
        out["present"][row] = 1
    _read_head(out, head, heard)
    for line in table[1:]:
        _read_seat(out, line, heard)
    _read_tiles(out, unwrapped(rest[0]) if rest else [], heard)
    options = [option.encode(heard.setup[option.name]) for option in GAME.options[1:]]
    out["setup"][:] = [*options[:8], options[8] / 24, options[9] / 48]
    return out


def _row(seat, heard):
    return (seat - heard.seat) % heard.setup["seats"]


def _read_head(out, lines, heard):
    """Read the round, its phase, the moon, and the turn."""
    words = WORDS[heard.language]
    turn, order, asked = gaps_in(words["turn"], lines)
    stage = next(stage for stage in range(NUM_STAGES) if words[f"stage{stage}"] == asked)
    out["stage"][stage] = 1
    out["turn"][_row(seat_of(turn), heard)] = 1
    out["first"][_row(seat_of(order), heard)] = 1
    phase = 0
    if stage != CHOOSE:
        number, _, name, part, moon = gaps_in(words["round"], lines)
        phase = PHASE_NAMES[heard.language].index(name)
        out["round"][0] = int(number) / 48
        out["moon"][int(moon)] = 1
        night = gaps(words["night"], part)
        out["vuelta"][0] = (int(night[0]) - 1) / 24 if night else 0
    out["phase"][phase] = 1


def _read_seat(out, line, heard):
    """Read the line of a seat: bull, mountain, markers by phase, tiles in hand, whether it has met the moon."""
    words = WORDS[heard.language]
    sign, bull, home, *numbers = line.replace(words["you"], "").lstrip("> ").split()[:8]
    row = _row(SEAT_SIGNS.index(sign), heard)
    for block, place in (("bulls", bull), ("homes", home)):
        if place != "–":
            out[block][row, NODE_NAMES.index(place)] = 1
    *markers, held = (0 if number == "–" else int(number) for number in numbers)
    out["markers"][row] = np.minimum(markers, 1)
    out["spares"][row] = (markers - out["markers"][row]) / 4
    out["hands"][row] = held / 2
    out["scored"][row] = line.endswith(words["met"])


def _read_tiles(out, lines, heard):
    """Read the tiles on the board, in hand, and unseen."""
    words, kinds = WORDS[heard.language], list(TILE_NAMES[heard.language])
    singular = dict(zip(TILES[heard.language]["plurals"], kinds, strict=True))
    for head in ("in_sight", "face_down"):
        for item in items(words[head], lines):
            kind, place, owner = gaps(words["laid"], item)
            node = PLACE_NAMES.index(place)
            if node >= WATER:
                out["lily"][node - WATER] = 1
                continue
            out["tile_owners"][_row(seat_of(owner), heard), node] = 1
            out["hidden_tiles"][node] = head == "face_down"
            if kind != words["unknown"]:
                out["known_tiles"][kinds.index(kind), node] = 1
    for block, parts in (("hand", 2), ("unseen", TILE_COUNTS)):
        found = [" ".join(singular.get(word, word) for word in item.split()) for item in items(words[block], lines)]
        out[block][:] = count_of(found, kinds) / parts
    if not lines:  # no tile is dealt before the mountains are chosen
        out["unseen"][:] = 1
