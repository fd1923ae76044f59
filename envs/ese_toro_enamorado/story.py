"""What happens in *Ese Toro enamorado*, told in sentences."""

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.ese_toro_enamorado.board import NODE_NAMES, NUM_CROSSINGS, OUTER, PHASE_NAMES
from sobremesa.envs.ese_toro_enamorado.notation import action_name
from sobremesa.envs.ese_toro_enamorado.rules import A_LAY, A_LILY, DAY
from sobremesa.envs.ese_toro_enamorado.words import STORY, TILE_WORD


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return what `seat` (None: everybody) sees happen from `(1,)` state `before` to `after`, a sentence each (C9.1).

    A tile that another seat lays on a crossing is seen face down. Bulls that had one way alone are told of too.
    """
    old, new, words = before[0], after[0], STORY[language]
    if seat in (None, int(old.seat)) or not A_LAY <= action < A_LILY:
        what = action_name(action, language)
    else:
        what = f"{TILE_WORD[language]} {NODE_NAMES[OUTER + (action - A_LAY) % NUM_CROSSINGS]}"
    told = [f"{SEAT_SIGNS[old.seat]} {what}"]
    seats = range(int(new.seats))
    if new.round_number == old.round_number:
        for node in np.flatnonzero(new.face_up[: len(NODE_NAMES)] > old.face_up[: len(NODE_NAMES)]):
            if old.stage != DAY:
                told.append(words["bounce"].format(SEAT_SIGNS[old.seat], NODE_NAMES[node]))
        forced = [other for other in seats if other != old.seat and new.bull[other] != old.bull[other]]
        told += [words["forced"].format(SEAT_SIGNS[other], NODE_NAMES[new.bull[other]]) for other in forced]
    for other in seats:
        for phase in np.flatnonzero(new.markers[other] > old.markers[other]):
            told.append(words["marker"].format(SEAT_SIGNS[other], PHASE_NAMES[language][phase]))
    if new.round_number > max(old.round_number, 1):
        told.append(words["round"].format(int(new.round_number), PHASE_NAMES[language][new.phase]))
    return told
