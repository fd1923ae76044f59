"""What the events of *Estafado* leave on the table: marks of cards, and where the fox's step began."""

import re

import numpy as np
from read_prompts import gaps

from sobremesa.envs.estafado.board import CELL_NAMES, DUSK_FOX, DUSK_HIDES, DUSK_VIXEN, FOX_START, NOWHERE, NUM_CELLS
from sobremesa.envs.estafado.cards import DUSK_FLOOR, FEATURES, NO_SWAP, NUM_KINDS, NUM_RABBITS
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import STORY

_UP, _SHOWN, _NO_RABBIT, _SWAPPABLE = range(4)
_ROW_OF = {_SHOWN: 1, _NO_RABBIT: 4, _SWAPPABLE: 5}  # rows of the block `cells`
_BEGAN = 7


class Marks:
    """Cards face-up, shown in this step, known as no rabbit, and known not to bar swaps, from the events of a deal."""

    def __init__(self, heard):
        self._words, self._language = STORY[heard.language], heard.language
        self._of = np.zeros((4, NUM_CELLS), int)
        self._pile = []
        self._rulebook = heard.setup["reading"] == "rulebook"
        self._fox = self._began = self._began_before = FOX_START
        self._vixen = NOWHERE
        if heard.setup["reading"] == "dusk":
            self._fox = self._began = self._began_before = DUSK_FOX
            self._vixen = DUSK_VIXEN
            for cell, kind in zip(np.flatnonzero(~DUSK_HIDES), DUSK_FLOOR, strict=True):
                self._show(cell, kind)
                self._of[_UP, cell] = 1
        for event in heard.events:
            self._follow(event)

    def write(self, out, cells, in_step):
        """Write the marks into the observation; the Hurricane is known by its back."""
        for _row, mark in enumerate((_SHOWN, _NO_RABBIT, _SWAPPABLE)):
            cells[_ROW_OF[mark]] = self._of[mark]
        cells[_ROW_OF[_SHOWN]] *= in_step
        hurricane = FEATURES.index("hurricane")
        cells[4:6, out["floor"][hurricane].ravel() > 0] = 1
        cells[_BEGAN, self._began] = 1
        for slot, marks in enumerate(self._pile):
            out["pile_marks"][slot, 1:] = 1 if out["pile"][slot, hurricane] else marks

    def _show(self, cell, kind):
        self._of[_NO_RABBIT, cell] = kind >= NUM_RABBITS
        self._of[_SWAPPABLE, cell] = not NO_SWAP[kind]

    def _follow(self, event):
        """Follow an event, by the key of its sentence."""
        for key, then in _THEN.items():
            found = gaps(self._words[key], event)
            if found is not None:
                then(self, *found)

    def _kind(self, name):
        return next(kind for kind in range(NUM_KINDS) if card_name(kind, self._language) == name)

    def _reveal(self, card):
        self._show(_cell(card), self._kind(card[4:-1]))
        self._of[[_UP, _SHOWN], _cell(card)] = 1

    def _refill(self, card):
        """Lay a card from the deck, which is no rabbit."""
        self._of[:, _cell(card)] = 0
        self._of[_NO_RABBIT, _cell(card)] = 1

    def _bury(self, card):
        no_rabbit, swappable = self._of[[_NO_RABBIT, _SWAPPABLE], _cell(card)]
        self._pile.append((no_rabbit or not self._rulebook, swappable))

    def _swap(self, card, other):
        cells = [_cell(card), _cell(other)]
        self._of[:, cells] = self._of[:, cells[::-1]]

    def _learn(self, card, other):
        """Mark two cards as swapped unseen; the story shows one that is not."""
        self._of[_SWAPPABLE, [_cell(card), _cell(other)]] = 1

    def _forget(self, *_):
        hidden = self._of[_UP] == 0
        hidden[self._vixen : self._vixen + 1] = False
        self._of[_NO_RABBIT : _SWAPPABLE + 1, hidden] = 0

    def _turn_down(self, cards):
        self._of[_UP, [CELL_NAMES.index(name) for name in re.findall(r"\b[a-e][1-5]\b", cards)]] = 0

    def _go(self, name):
        self._fox = _cell(name)

    def _begin(self, *_):
        self._of[_SHOWN] = 0
        self._began_before, self._began = self._began, self._fox

    def _begin_not(self):
        self._began = self._began_before

    def _protect(self, card):
        self._vixen = _cell(card)


def _cell(card):
    return CELL_NAMES.index(card[:2])


_THEN = {
    "reveals": Marks._reveal,
    "replaces": lambda marks, name, cell, _: marks._show(_cell(cell), marks._kind(name)),
    "refills": Marks._refill,
    "buries": Marks._bury,
    "exchanges": Marks._swap,
    "swaps": lambda marks, *cards: (marks._swap(*cards), marks._learn(*cards)),
    "fails": Marks._learn,
    "shows": lambda marks, card: marks._show(_cell(card), marks._kind(card[4:-1])),
    "steal": Marks._forget,
    "hurricane": Marks._forget,
    "down": Marks._turn_down,
    **dict.fromkeys(("creeps", "runs", "tunnels", "leaps", "yikes"), Marks._go),
    **dict.fromkeys(("extra", "sun"), Marks._begin),
    "lost_turn": Marks._begin_not,
    "vixen": Marks._protect,
}
