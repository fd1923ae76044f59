"""A slow referee of *Estafado* in plain Python that follows a deal beside the compiled rules.

It is written from the clauses of RULES.md over names, sets and paths, without the game's tables of the board or its
kernels. It takes the results of chance from the state of the rules, and checks that they are possible.
"""

from collections import Counter

COLUMNS, ROWS = "abcde", "12345"
CELLS = [column + row for row in ROWS for column in COLUMNS]
RING = [f"N{c}" for c in COLUMNS] + [f"E{r}" for r in ROWS] + [f"S{c}" for c in COLUMNS[::-1]] + [
    f"W{r}" for r in ROWS[::-1]
]  # fmt: skip
RABBITS = ["Rabbit #0", "Rabbit #1", "Rabbit #2"]
TUNNELS = ["Eastern Mole", "Eastern Chipmunk", "Groundhog"]
MARKED = ["Beaver", "Porcupine"]
STAYING_UP = [*RABBITS, *TUNNELS, *MARKED, "Coyote"]
LEAPS = {"Bullfrog": 1, "Field Cricket": 1, "Praying Mantis": 1, "Fowler's Toad": 1, "Eastern Gray Squirrel": 2}
SCARES = ["Great Horned Owl", "Red-tailed Hawk", "Bobcat", "Fisher"]
LOSSES = ["Yellow Jacket", "Timber Rattlesnake", "Copperhead", "Black Widow", "Snapping Turtle", "Porcupine"]
LOSSES += ["Striped Skunk", "Virginia Opossum"]
DISCARDED_AT_DUSK = ["Hurricane", *TUNNELS, *SCARES, "Eastern Box Turtle", "Ladybug", "Honey Bee"]
DISCARDED_AT_DUSK += 2 * ["Spotted Salamander", "Firefly", "Dragonfly", "Monarch Butterfly"]
LOOKS = {"Firefly": (2, True), "Ladybug": (4, True), "Dragonfly": (1, False), "Honey Bee": (1, False)}


def away(cell, across, down):
    """Return the cell at an offset, or None."""
    column, row = COLUMNS.index(cell[0]) + across, ROWS.index(cell[1]) + down
    return COLUMNS[column] + ROWS[row] if 0 <= column < 5 and 0 <= row < 5 else None


def neighbours(cell, far=1):
    """Return the cells at a distance in the column and row."""
    ways = [(0, far), (0, -far), (far, 0), (-far, 0)]
    return {away(cell, *way) for way in ways} - {None}


def around(cell):
    """Return its eight neighbours, as far as there are."""
    return {away(cell, across, down) for across in (-1, 0, 1) for down in (-1, 0, 1)} - {None, cell}


class Referee:
    """A deal by the clauses: `legal()` names the legal actions, `play(name, true)` follows one."""

    def __init__(self, setup, floor, hand, deck):
        self.literal, self.blocks = setup["reading"] == "rulebook", setup["bear_blocks"]
        self.floor, self.hand, self.deck = dict(zip(CELLS, floor, strict=True)), list(hand), list(deck)
        self.fox = self.began = "a1"
        self.bear, self.arrow, self.vixen = "e5", None, None
        self.eagle, self.crow, self.sun = None, "Sc", 0
        self.double, self.deck_swaps = True, 3
        self.lost = self.skip = self.caught = False
        self.up, self.shown, self.prey, self.pile = set(), set(), [], []
        self.discards = Counter()
        self.known = {0: self.backs(), 1: self.backs()}
        self.question, self.seat, self.chosen, self.left = "start", 0, None, 0
        self.winner = None
        self.dusk = setup["reading"] == "dusk"
        if self.dusk:
            self._begin_late()

    def _begin_late(self):
        """Start two rounds before the end (O1)."""
        self.fox, self.bear, self.arrow, self.vixen = "c1", "e1", "d1", "e5"
        self.eagle, self.crow, self.sun = "W5", "Sc", 18
        self.double, self.deck_swaps = False, 0
        self.prey, self.hand = ["Rabbit #0", "Rabbit #2"], []
        self.up = set(CELLS) - {"b2", "d2", "c3"}
        self.known = {0: set(self.up), 1: set(self.up)}
        self.discards = Counter(DISCARDED_AT_DUSK)
        self._step()

    def backs(self):
        return {cell for cell in CELLS if self.floor[cell] == "Hurricane"}

    # What is allowed.

    def legal(self):
        """Return the names of the legal actions."""
        return set(getattr(self, f"_may_{self.question.replace(' ', '_')}")())

    def _may_start(self):
        for number, space in enumerate(RING):
            apart = abs(number - RING.index(self.crow))
            if min(apart, 20 - apart) >= (1 if self.literal else 5):
                yield f"eagle at {space}"

    def _open(self, cell):
        return not (self.blocks and cell == self.bear)

    def _may_move(self):
        for first in neighbours(self.fox):
            if self._open(first):
                yield f"go {first}"
                for second in neighbours(first) - {self.fox}:
                    if self._open(second):
                        yield f"go {second}"
        if self.fox in self.up and self.floor[self.fox] in TUNNELS:
            for cell in around(self.fox):
                if cell != self.bear:
                    yield f"tunnel {cell}"
        yield from self._may_place()

    def _may_place(self):
        if self.vixen is None:
            yield from (f"vixen {cell}" for cell in CELLS)

    def _may_replace(self):
        yield "pass"
        if self.floor[self.fox] not in MARKED + RABBITS and self.fox != self.vixen:
            yield from (f"hand {slot + 1}" for slot, card in enumerate(self.hand) if card)

    def _may_leap(self):
        yield "pass"
        yield from (f"go {cell}" for cell in neighbours(self.fox, LEAPS[self.floor[self.fox]]) if cell != self.bear)

    def _may_tunnel(self):
        yield "pass"
        yield from (f"tunnel {cell}" for cell in around(self.fox) if cell != self.bear)

    def _may_peek(self):
        yield "pass"
        near = LOOKS[self.floor[self.fox]][1]
        yield from (f"look {cell}" for cell in (neighbours(self.fox) if near else CELLS) if cell not in self.up)

    def _free(self, cell):
        """Return whether the card on a cell may be swapped as far as both seats can see."""
        return cell not in (self.vixen, self.chosen) and not (cell in self.up and self.floor[cell] in RABBITS + MARKED)

    def _may_swap(self):
        free = [cell for cell in CELLS if self._free(cell)]
        yield "pass"
        if len(free) > 1:
            yield from (f"swap {cell}" for cell in free)

    def _may_swap_second(self):
        return (f"swap {cell}" for cell in CELLS if self._free(cell))

    def _may_dive(self):
        return ["pass", "eagle -2", "eagle -1", "eagle +1", "eagle +2"]

    def _may_eagle(self):
        yield from ("eagle -1", "eagle +1")
        if self.double:
            yield from ("eagle -2", "eagle +2")
        yield from self._may_place()

    def _may_slide(self):
        return ["crow -1", "crow +1"]

    def _may_look(self):
        line = [cell for cell in CELLS if self.crow[1] in cell]
        return (f"look {cell}" for cell in line if cell not in self.up and cell != self.vixen)

    def _may_exchange(self):
        found = [f"swap {cell}" for cell in CELLS if self._free(cell)]
        if self.deck_swaps and (self.literal or self.floor[self.chosen] not in RABBITS):
            found.append("deck")
        return found or ["pass"]

    def _may_bear(self):
        return (f"bear {cell}" for cell in neighbours(self.bear) if cell not in (self.arrow, self.vixen))

    # What is done.

    def play(self, name, true):
        """Follow an action and the automatic moves after it; `true` is the state of the rules."""
        self.true = true
        self._play(name)
        while self.winner is None:
            allowed = self.legal()
            if len(allowed) > 1:
                return
            self._play(*allowed)

    def _play(self, name):
        word, _, target = name.rpartition(" ")
        if word == "vixen":
            self.vixen = target
            return
        getattr(self, f"_do_{self.question.replace(' ', '_')}")(word, target)

    def _ask(self, question, seat=0):
        self.question, self.seat = question, seat

    def _do_start(self, _, space):
        self.eagle = space
        self._step()

    def _step(self):
        self.began, self.caught = self.fox, False
        self._ask("move")

    def _do_move(self, word, cell):
        self._arrive(cell, reveals=word == "tunnel" or cell not in neighbours(self.fox))

    def _arrive(self, cell, reveals):
        self.fox = cell
        if cell == self.bear:
            self.winner = 1, "eaten"
        elif cell in self.up:
            if self.floor[cell] in RABBITS:
                self._activate()
            else:
                self._finish()
        elif reveals:
            self.up.add(cell)
            self.shown.add(cell)
            self._all_know(cell)
            self._ask("replace")
        else:
            self._finish()

    def _all_know(self, cell):
        self.known[0].add(cell)
        self.known[1].add(cell)

    def _do_replace(self, word, slot):
        if word == "hand":
            self.discards[self.floor[self.fox]] += 1
            self.floor[self.fox] = self.hand[int(slot) - 1]
            self.hand[int(slot) - 1] = None
        self._activate()

    def _activate(self):
        card = self.floor[self.fox]
        if card in LEAPS:
            self._ask("leap")
        elif card in TUNNELS:
            self._ask("tunnel")
        elif card in LOOKS:
            self.left = LOOKS[card][0]
            self._ask("peek")
        elif card == "Monarch Butterfly":
            self._ask("swap")
        elif card == "Yellow Bullhead Catfish":
            self._ask("dive")
        else:
            self._happen(card)

    def _happen(self, card):
        if card in SCARES:
            self.fox = self.began
        elif card in LOSSES:
            self.lost = True
        elif card == "Mosquito":
            self.skip = True
        elif card in RABBITS:
            self._meet(card)
        elif card == "Raccoon":
            self._rob()
        elif card == "Hurricane":
            self._blow()
        if self.winner is None:
            self._finish()

    def _meet(self, rabbit):
        self.caught = rabbit in self.true["prey"]
        if rabbit == "Rabbit #0":
            assert self.caught
        if self.caught:
            self.prey.append(rabbit)
            self._draw(self.fox)
            if len(self.prey) == 3:
                self.winner = 0, "rabbits"

    def _draw(self, cell):
        """Lay the top card of the deck on a cell, unseen."""
        self.floor[cell] = self.deck.pop()
        self.up.discard(cell)
        self.shown.discard(cell)
        for seat in (0, 1):
            self.known[seat].discard(cell)
        if self.floor[cell] == "Hurricane":
            self._all_know(cell)

    def _mixed(self):
        return [cell for cell in CELLS if cell not in self.up and cell != self.vixen]

    def _forget(self, cells):
        for seat in (0, 1):
            self.known[seat] -= set(cells)

    def _rob(self):
        mixed = [cell for cell in self._mixed() if self.floor[cell] != "Hurricane"]
        places = [cell for cell in mixed if self.floor[cell] not in RABBITS]
        if not self.prey or not places:
            return
        rabbit = self.prey.pop()
        (cell,) = [cell for cell in CELLS if self.true["floor"][cell] == rabbit]
        assert cell in places
        self.deck.insert(0, self.floor[cell])
        self.floor[cell] = rabbit
        self._forget(mixed)

    def _blow(self):
        mixed = self._mixed()
        now = {cell: self.true["floor"][cell] for cell in mixed}
        assert Counter(now.values()) == Counter(self.floor[cell] for cell in mixed)
        self.floor |= now
        self._forget(mixed)
        self.discards["Hurricane"] += 1
        self._draw(self.fox)

    def _do_leap(self, _, cell):
        if cell == "pass":
            self._finish()
        else:
            self._arrive(cell, reveals=True)

    _do_tunnel = _do_leap

    def _do_peek(self, _, cell):
        if cell == "pass":
            self._finish()
            return
        self.known[0].add(cell)
        self.left -= 1
        if not self.left:
            self._finish()

    def _do_swap(self, _, cell):
        if cell == "pass":
            self._finish()
        else:
            self.chosen = cell
            self._ask("swap second")

    def _do_swap_second(self, _, cell):
        marked = [place for place in (self.chosen, cell) if self.floor[place] in MARKED]
        for place in marked:
            self._all_know(place)
        if not marked:
            self._exchange(self.chosen, cell)
        self.chosen = None
        self._finish()

    def _exchange(self, one, other):
        self.floor[one], self.floor[other] = self.floor[other], self.floor[one]
        for marks in (self.up, self.shown, self.known[0], self.known[1]):
            if (one in marks) != (other in marks):
                marks ^= {one, other}

    def _do_dive(self, _, way):
        if way != "pass":
            self._fly(int(way))
        if self.winner is None:
            self._finish()

    def _fly(self, spaces):
        self.eagle = RING[(RING.index(self.eagle) + spaces) % 20]
        if self.eagle == self.crow:
            self.winner = 0, "caught"

    def _finish(self):
        """End the fox's step."""
        self.up -= {cell for cell in self.shown if self.floor[cell] not in STAYING_UP}
        self.shown = set()
        if self.caught:
            self._step()
        else:
            self._ask("eagle")

    def _do_eagle(self, _, way):
        if abs(int(way)) == 2:
            self.double = False
        self._fly(int(way))
        if self.winner is None and self.dusk and self.sun == 19:
            self.sun, self.winner = 20, (1, "sunset")
        elif self.winner is None:
            self._ask("slide", 1)

    def _do_slide(self, _, way):
        self.crow = RING[(RING.index(self.crow) + int(way)) % 20]
        if self.crow == self.eagle:
            self.winner = 0, "caught"
            return
        self._ask("look", 1)
        if not self.legal():
            self._turn_to_bear()

    def _do_look(self, _, cell):
        self.known[1].add(cell)
        self.chosen = cell
        self._ask("exchange", 1)

    def _do_exchange(self, _, target):
        if target == "deck":
            self.deck_swaps -= 1
            self.pile.append((self.floor[self.chosen], self.chosen in self.known[0]))
            self._draw(self.chosen)
        elif target != "pass":
            self._exchange(self.chosen, target)
        self.chosen = None
        self._turn_to_bear()

    def _turn_to_bear(self):
        self._ask("bear", 1)
        if self.skip:
            self.skip = False
            self._sink()
        elif not self.legal():
            self.arrow = None
            self._sink()

    def _do_bear(self, _, cell):
        self.arrow, self.bear = self.bear, cell
        if self.bear == self.fox:
            self.winner = 1, "eaten"
        else:
            self._sink()

    def _sink(self):
        """Move the sun, and begin the next round."""
        self.sun += 1
        if self.sun == 20:
            self.winner = 1, "sunset"
        elif self.lost:
            self.lost = False
            self._ask("eagle")
        else:
            self._step()
