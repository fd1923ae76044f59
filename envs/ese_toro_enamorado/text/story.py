"""Events of *Ese Toro enamorado* in sentences."""

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.ese_toro_enamorado.board import MOUNTAIN, NODE_NAMES, NUM_CROSSINGS, OUTER, PHASE_NAMES
from sobremesa.envs.ese_toro_enamorado.notation import action_name
from sobremesa.envs.ese_toro_enamorado.state import (
    A_GO,
    A_LAY,
    A_LILY,
    E_BOUNCES,
    E_CHOOSES,
    E_FINDS,
    E_GOES,
    E_MEETS,
    E_ROUND,
    E_STAYS,
)
from sobremesa.envs.ese_toro_enamorado.text.words import MOVES, STORY, TILES

_KEYS = {E_CHOOSES: "choose", E_GOES: "go", E_STAYS: "stay", E_BOUNCES: "bounce", E_FINDS: "find"}


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` (None: all) sees, a sentence each (C9.1).

    A tile that another seat lays on a crossing appears face down. Forced actions are included.
    """
    old, new, words = before[0], after[0], STORY[language]
    if seat in (None, int(old.seat)) or not A_LAY <= action < A_LILY:
        what = action_name(action, language)
    else:
        what = f"{MOVES[language]['tile']} {NODE_NAMES[OUTER + (action - A_LAY) % NUM_CROSSINGS]}"
    told = [f"{SEAT_SIGNS[old.seat]} {what}"]
    news = new.news[: new.news_count].tolist()
    if not A_LAY <= action < A_GO:
        news = news[1:]  # the first line is `action` itself
    told += [_sentence(line, language) for line in news]
    if new.over:
        *others, last = [SEAT_SIGNS[other] for other in np.flatnonzero(new.winner)]
        key, joined = ("wins2", f"{', '.join(others)}{words['and']}{last}") if others else ("wins1", last)
        told.append(words[key].format(seats=joined))
    return told


def _sentence(line: list[int], language: str) -> str:
    """Return the sentence for a line of the news."""
    event, seat, one, two = line
    words, sign, phases = STORY[language], SEAT_SIGNS[seat], PHASE_NAMES[language]
    if event == E_MEETS:
        return words[f"meet{two}"].format(seat=sign, phase=phases[one])
    if event == E_ROUND:
        return words["round"].format(number=one, phase=phases[two])
    place = NODE_NAMES[MOUNTAIN + one if event == E_CHOOSES else one]
    return words[_KEYS[event]].format(seat=sign, place=place, tile=TILES[language]["found"][two])
