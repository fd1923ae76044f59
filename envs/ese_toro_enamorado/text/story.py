"""Events of *Ese Toro enamorado* in sentences."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.ese_toro_enamorado import board as b, state as s
from sobremesa.envs.ese_toro_enamorado.markers import phases_held
from sobremesa.envs.ese_toro_enamorado.text.words import STORY, place_name

Line = list[int]  # of the news: event, seat, two numbers


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` (None: all) sees, a sentence each (C9.1).

    A tile that another seat lays on a crossing appears face down. Forced actions are included.
    """
    old, new, words = before[0], after[0], STORY[check_language(language)]
    news: list[Line] = new.news[: new.news_count].tolist()
    told: list[str] = []
    if s.A_LAY <= action < s.A_GO:
        told.append(_laid(old, action, seat in (None, int(old.seat)), language))
        if news or new.stage != s.DAY:  # laying itself is no news
            told.append(words["night_new" if old.phase == b.NEW else "night"])
    told += _Night(old, action, new, language).sentences(news)
    if new.over:
        told.append(_won(new, language))
    return told


def _laid(old: Any, action: int, known: bool, language: str) -> str:
    """Return the sentence of a laid tile; a tile on water is known to be the lily (C4.2)."""
    if action >= s.A_LILY:
        kind, place = b.LILY, b.WATER + action - s.A_LILY
    else:
        kind, place = (action - s.A_LAY) // b.NUM_CROSSINGS, b.OUTER + (action - s.A_LAY) % b.NUM_CROSSINGS
    key = f"lay{kind}" if known or kind == b.LILY else "lay_unseen"
    return STORY[language][key].format(seat=SEAT_SIGNS[old.seat], at=_placed("at", place, language))


def _placed(key: str, place: int, language: str) -> str:
    return place_name(b.PLACE_NAMES[place], language, key)


def _won(state: Any, language: str) -> str:
    """Return the sentence on the winners of a finished deal (C8.2, C8.3)."""
    words, winners = STORY[language], np.flatnonzero(state.winner).tolist()
    *others, last = [SEAT_SIGNS[winner] for winner in winners]
    key = "wins4" if phases_held(state, winners[0]) == b.NUM_PHASES else "wins"
    if not others:
        return words[key].format(seats=last)
    return words[f"{key}_more"].format(seats=f"{', '.join(others)}{words['and']}{last}")


class _Night:
    """The public part of a deal, followed from news to news, with the moon's steps between them.

    The news do not list the moon's steps: they follow from the turns that end. Kinds of tiles are read only where they
    are face up, so the sentences are the same for every seat.
    """

    def __init__(self, old: Any, action: int, new: Any, language: str) -> None:
        self.old, self.new, self.language, self.words = old, new, language, STORY[language]
        self.chosen = not s.A_LAY <= action < s.A_GO  # the first line of the news is `action` itself
        self.turns = 0 if old.stage == s.DAY else int(old.turns)
        self.stage = s.NIGHT if old.stage == s.DAY else int(old.stage)
        self.moon, self.met = int(old.moon), bool(old.met)
        self.bulls: list[int] = old.bull.tolist()
        self.lily = action - s.A_LILY if s.A_LILY <= action < s.A_GO else None
        for water in np.flatnonzero(old.tile[b.WATER :] != b.NO_TILE):
            self.lily = int(water)
        self.due = False  # all bulls have had their turn, and the moon's step is to be told

    def sentences(self, news: list[Line]) -> list[str]:
        """Return the sentences of the `news`, in order."""
        told: list[str] = []
        last = -1  # the seat that moved last
        for number, (event, seat, one, two) in enumerate(news):
            own = event == s.E_MEETS and seat == last and self.bulls[seat] == b.SHORE + self.moon
            if self.due and not own:  # the bull that moved is tested before the moon moves (C7.1)
                told += self._moon()
            if event == s.E_MEETS:
                told.append(self._meets(seat, one, two))
            elif event == s.E_ROUND:
                told += self._round(seat, one, two)
            elif event not in (s.E_BOUNCES, s.E_FINDS):  # these follow E_GOES and are part of its sentence
                forced = number > 0 or not self.chosen
                following = news[number + 1] if number + 1 < len(news) else [s.E_ROUND, 0, 0, 0]
                told.append(self._moves(event, seat, one, forced, following))
                last = seat
        if self.due:
            told += self._moon()
        if self.new.over and not self.met:
            told.append(self.words["missed"])
        return told

    def _moves(self, event: int, seat: int, one: int, forced: bool, following: Line) -> str:
        """Return the sentence of a chosen mountain or a move, and count the turn if it ends here."""
        sign = SEAT_SIGNS[seat]
        if event == s.E_CHOOSES:
            key = "choose_forced" if forced else "choose"
            return self.words[key].format(seat=sign, place=b.PLACE_NAMES[b.MOUNTAIN + one])
        node = one if event == s.E_GOES else self.bulls[seat]
        if event != s.E_GOES:
            key, ends = "stay_on" if self.stage == s.EXTRA else "stay_forced" if forced else "stay", True
        elif following[0] == s.E_BOUNCES:
            ends = self.old.fence_bounce == s.TURN_ENDS
            key = "bounce" if ends else "bounce_again"
        else:
            key, ends = self._reaches(node, forced, following)
            self.bulls[seat] = node
        if ends:
            self.stage = s.NIGHT
            self.turns = (self.turns + 1) % int(self.old.seats)
            self.due = self.turns == 0
        to = _placed("to", node, self.language) if event == s.E_GOES else ""
        return self.words[key].format(seat=sign, to=to, at=_placed("at", node, self.language))

    def _reaches(self, node: int, forced: bool, following: Line) -> tuple[str, bool]:
        """Return the key of a bull's step onto `node`, and whether its turn ends there (C6.1 to C6.4, O5)."""
        if forced:  # only a poppy forces a bull to walk (H1)
            return "poppy_forced", True
        found = following[3] if following[0] == s.E_FINDS else b.NO_TILE
        tile = found if found != b.NO_TILE else int(self.old.tile[node]) if self.old.face_up[node] else b.NO_TILE
        if tile == b.ROSEMARY:
            ends = self.stage == s.EXTRA and not self.old.rosemary_chain
            if not ends:
                self.stage = s.EXTRA
            return ("found2" if found == tile else "rosemary") + ("_last" if ends else ""), ends
        if tile == b.POPPY:
            return "found1" if found == tile else "poppy", True
        if tile == b.FENCE:
            return "fence_open", True
        return "go_on" if self.stage == s.EXTRA else "go", True

    def _moon(self) -> list[str]:
        """Return the sentence of the moon's step, which there is not after an encounter with O3 `moon_waits` (C5.2)."""
        self.due = False
        if self.met and self.old.round_end == s.MOON_WAITS:
            return []
        self.moon = (self.moon + 1) % b.NUM_SHORES
        key = "moon_lily" if self.moon == self.lily else "moon"
        return [self.words[key].format(shore=b.PLACE_NAMES[b.SHORE + self.moon])]

    def _meets(self, seat: int, phase: int, marker: int) -> str:
        self.met = True
        at = _placed("at", b.SHORE + self.moon, self.language)
        phase_name = b.PHASE_NAMES[self.language][phase]
        return self.words[f"meet{marker}"].format(seat=SEAT_SIGNS[seat], at=at, phase=phase_name)

    def _round(self, seat: int, number: int, phase: int) -> list[str]:
        """Return the sentences of a round that begins with `seat`, and of a night before it without encounter."""
        told = [] if self.met or number == 1 else [self.words["missed"]]
        self.moon = int(self.new.moon) if self.moon == b.NO_SHORE else (self.moon + 1) % b.NUM_SHORES
        self.met, self.lily = False, None
        phase_name = b.PHASE_NAMES[self.language][phase]
        named = {"number": number, "phase": phase_name, "shore": b.PLACE_NAMES[b.SHORE + self.moon]}
        return [*told, self.words["round"].format(seat=SEAT_SIGNS[seat], **named)]
