"""Reasons why a move of *Ese Toro enamorado* is illegal, in words."""

import numpy as np

from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.rules import calling_poppies
from sobremesa.envs.ese_toro_enamorado.state import A_GO, A_LAY, A_LILY, A_STAY, ANYWHERE, CHOOSE, DAY, EXTRA
from sobremesa.envs.ese_toro_enamorado.text.words import WHY, WORDS


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    state, words = table[0], WHY[language]
    stage = CHOOSE if action < A_LAY else DAY if action < A_GO else max(int(state.stage), DAY + 1)
    if stage != state.stage:
        return words["asked"].format(WORDS[language][f"stage{int(state.stage)}"])
    if stage == CHOOSE:
        return words["taken"]
    if stage == DAY:
        return _why_not_lay(state, action, language)
    here = int(state.bull[state.seat])
    paths = [int(node) for node in b.NEIGHBOURS[state.board, here, : b.DEGREE[state.board, here]]]
    poppies = calling_poppies(state)
    calling = [b.NODE_NAMES[node] for node in paths if poppies >> node & 1]
    if calling:
        return words["called"].format(", ".join(calling))
    node = action - A_GO
    if action == A_STAY or node == here:
        return words["here"].format(b.NODE_NAMES[here])
    if not b.DEGREE[state.board, node]:
        return words["no_place"]
    leaps = state.stage == EXTRA and state.rosemary == ANYWHERE and node >= b.OUTER
    return words["fence"] if node in paths or leaps else words["no_path"].format(b.NODE_NAMES[here], b.NODE_NAMES[node])


def _why_not_lay(state: np.record, action: int, language: str) -> str:
    words = WHY[language]
    kind = b.LILY if action >= A_LILY else (action - A_LAY) // b.NUM_CROSSINGS
    if not state.hand[state.seat, kind]:
        return words["not_held"].format(b.TILE_NAMES[language][kind])
    node = b.OUTER + (action - A_LAY) % b.NUM_CROSSINGS
    if not b.DEGREE[state.board, node]:
        return words["no_place"]
    if state.tile[node] != b.NO_TILE:
        return words["covered"]
    return words["shore"] if node >= b.SHORE and not state.shore_tiles else words["twin"]
