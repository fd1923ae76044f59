"""A slow referee of *Bandido Alcatraz* in plain Python that follows a deal beside the kernels.

It is written from the clauses of RULES.md over dicts and sets, without the game's tables, fits or state code: the grid
is a dict from places `(x, y)` to halves. Chance alone is shared: the same draws in the order in which the clauses need
them (the shuffle, who begins, and the order of cards that go under the pile).
"""

from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.chance import STREAM, below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel

COMPASS = "NESW"
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
NAMES = {"N": "north", "E": "east", "S": "south", "W": "west"}

# How many, tunnels of half a / of half b in rotation 0, what is drawn on the card (C1.1).
DECK = """
2 N/ raincoat, 1 N/ rope, 2 S/ raincoat, 1 S/ rope, 1 W/ raincoat, 1 W/ rope, 1 W/ EXIT, 2 NS/ raincoat, 1 NS/ rope,
2 WN/ raincoat, 1 WN/ rope, 2 WS/ raincoat, 1 WS/ rope, 1 WNS/ raincoat, 2 WNS/ rope, 2 N/N, 1 N/S wet b, 1 N/S, 2 S/N,
1 W/E wet b, 1 W/E, 1 W/N wet b, 1 W/N, 2 W/S, 2 N/ES, 2 N/NE, 2 N/NS, 2 S/ES, 2 S/NE, 2 S/NS, 2 W/ES, 1 W/NE wet b,
1 W/NE, 2 W/NS, 2 N/NES, 2 NS/NS, 2 S/NES, 2 W/NES, 2 WN/ES, 2 WN/NE, 2 WN/NS, 2 WS/NE, 2 WS/NS
"""
COPIES = {row.strip()[2:]: int(row.strip()[0]) for row in DECK.split(",")}  # by card, a card is named as in the deck
CARDS = list(COPIES)
TILES = {"easy": "NS/NES", "normal": "WNS/NES"}
SIGNALS = (
    "silence", "I can close a tunnel", "I can join two tunnels", "I can cover water", "I will give a raincoat",
    "I will give a rope", "I have nothing good",
)  # fmt: skip
NEEDED = {"raincoat": 3, "rope": 2}
NEWS = 40  # lines that are told of one ply

# What numbers in the record stand for.
KINDS = [*CARDS, None, TILES["easy"], TILES["normal"]]
MOST_ENDS, NO_CELL = 63, 140


class Half(NamedTuple):
    """What lies on a cell: the sides where it has tunnels, the one to its other half too."""

    tunnels: frozenset
    wet: bool


class Way(NamedTuple):
    """How a card may lie: this half on the cell, the other one on that side of it."""

    half: str
    side: str
    here: Half
    there: Half


def opposite(side):
    return COMPASS[(COMPASS.index(side) + 2) % 4]


def neighbour(cell, side):
    return cell[0] + STEP[side][0], cell[1] + STEP[side][1]


def picture(card):
    """Return what is drawn on a card: raincoat, rope, EXIT, or nothing."""
    return next((name for name in ("raincoat", "rope", "EXIT") if name in card), "")


def lying(card, half, side):
    """Return a card with `half` here and the other one on that side."""
    a, b = card.split()[0].split("/")
    quarters = (COMPASS.index(side) - COMPASS.index("E" if half == "a" else "W")) % 4
    halves = {}
    for name, letters in (("a", a + "E"), ("b", b + "W")):
        turned = frozenset(COMPASS[(COMPASS.index(letter) + quarters) % 4] for letter in letters)
        halves[name] = Half(turned, f"wet {name}" in card)
    return Way(half, side, halves[half], halves["b" if half == "a" else "a"])


def all_ways(card):
    """Return the ways to lay a card that look different, half a here before half b (H4)."""
    found = []
    for half in "ab":
        for side in COMPASS:
            way = lying(card, half, side)
            if way[1:] not in [other[1:] for other in found]:
                found.append(way)
    return found


WAYS = {card: all_ways(card) for card in CARDS}


def demands(grid, cell):
    """Return the sides of a cell that are settled and those that must be tunnels; None where nothing may lie."""
    if cell in grid:
        return (set(COMPASS), grid[cell].tunnels) if grid[cell].wet else None
    touching = {side for side in COMPASS if neighbour(cell, side) in grid}
    return touching, {side for side in touching if opposite(side) in grid[neighbour(cell, side)].tunnels}


def frontier(grid):
    """Return the cells of which any card that is laid must cover one: those before open tunnels, and flooded ones."""
    wet = {cell for cell, half in grid.items() if half.wet}
    before = {neighbour(cell, side) for cell, half in grid.items() for side in half.tunnels}
    return wet | (before - set(grid))


def placements(grid, card, known=None):
    """Return all that may be done with a card at all: `{(cell, way), ...}`, by both of its cells where both serve.

    `known` keeps the demands of cells from card to card.
    """
    known = {} if known is None else known
    found = set()
    for cell in frontier(grid):
        for way in WAYS[card]:
            beyond = neighbour(cell, way.side)
            for one in (cell, beyond):
                if one not in known:
                    known[one] = demands(grid, one)
            if known[cell] is None or known[beyond] is None:
                continue
            if picture(card) == "EXIT" and (cell in grid or beyond in grid):
                continue
            agree = all(
                half.tunnels & settled == tunnels
                for half, (settled, tunnels) in ((way.here, known[cell]), (way.there, known[beyond]))
            )
            if agree:
                found.add((cell, way))
    return found


def lay(grid, cell, way):
    """Lay a card; return the two cells, half a first."""
    beyond = neighbour(cell, way.side)
    grid[cell], grid[beyond] = way.here, way.there
    return (cell, beyond) if way.half == "a" else (beyond, cell)


def open_tunnels(grid):
    """Return all tunnels that lead nowhere: `{(cell, side), ...}`."""
    return {(cell, side) for cell, half in grid.items() for side in half.tunnels if neighbour(cell, side) not in grid}


# The network as the record has it.


def cell_at(state, number):
    return int(state.cell_x[number]), int(state.cell_y[number])


def grid_of(state):
    """Return what lies on top of each cell, from what was laid and where."""
    grid = {}
    for number in range(state.cells):
        laid = state.cell_laid[number]
        card = KINDS[state.laid_kind[laid]]
        way = lying(card, "a", COMPASS[(1 + state.laid_turn[laid]) % 4])
        grid[cell_at(state, number)] = way.there if state.cell_half[number] else way.here
    return grid


def ends_of(state):
    return {
        number: (cell_at(state, cell), COMPASS[state.end_side[number]])
        for number, cell in enumerate(state.end_cell)
        if cell != NO_CELL
    }


def floods_of(state):
    return {number: cell_at(state, cell) for number, cell in enumerate(state.flood) if cell != NO_CELL}


def places_of(state):
    """Return the cells where cards may go, by number."""
    ends = {number: neighbour(*end) for number, end in ends_of(state).items()}
    return ends | {MOST_ENDS + number: cell for number, cell in floods_of(state).items()}


class Chance:
    """The random stream of a deal."""

    def __init__(self, seed):
        self.stream = np.zeros(1, STREAM)
        _start(self.stream, seed)

    def shuffled(self, cards):
        order = np.arange(len(cards))
        _shuffle(self.stream, order)
        return [cards[number] for number in order]

    def below(self, count):
        return int(_below(self.stream, count))


@kernel
def _start(streams, seed):
    start(streams[0], seed)


@kernel
def _shuffle(streams, items):
    shuffle(streams[0], items, len(items))


@kernel
def _below(streams, count):
    return below(streams[0], count)


class Referee:
    """A deal as the clauses have it: `legal()` names what may be done, `play(name)` follows it."""

    def __init__(self, setup, seed):
        self.seats, self.speak, self.stops = (
            setup["seats"],
            setup["signals"] and setup["seats"] > 1,
            setup["early_stop"],
        )
        self.limit = 6 if self.seats == 1 and setup["solo_hand"] == "six" else 3
        self.chance = Chance(seed)
        self.grid, self.ends, self.floods, self.laid = {}, {}, {}, []
        self._cover((0, 0), lying(TILES[setup["difficulty"]], "a", "E"))
        pile = self.chance.shuffled([card for card in CARDS for _ in range(COPIES[card])])
        self.pile, self.under = pile, [None] * len(pile)  # bottom first; and (who put it there, with which packet)
        self.packets = []
        self.hands = [[None] * 6 for _ in range(self.seats)]
        for seat in range(self.seats):
            for slot in range(self.limit):
                self._draw(seat, slot)
        self.gathered, self.played = {"raincoat": 0, "rope": 0}, []
        self.aside, self.aside_by = [], None
        self.said, self.turns, self.passes, self.where = [0] * self.seats, 0, 0, None
        self.ending, self.won, self.news = None, False, []
        self.first = self.seat = self.chance.below(self.seats)
        self._begin_turn()
        self._play_forced()

    # What is allowed.

    def legal(self):
        """Return the names of what may be done."""
        if self.question == "signal":
            return set(SIGNALS)
        if self.question == "how":
            cell = self.places()[self.where]
            return {
                f"{slot + 1}{way.half} {NAMES[way.side]}"
                for slot in self.first_slots()
                for there, way in placements(self.grid, self.hands[self.seat][slot])
                if there == cell
            }
        return self._may_dig() | {f"gather {slot + 1}" for slot in self._may_gather()}

    def places(self):
        """Return where cards may go, the cells by name."""
        ends = {f"end {number + 1}": neighbour(*end) for number, end in self.ends.items()}
        return ends | {f"water {number + 1}": cell for number, cell in self.floods.items()}

    def first_slots(self):
        """Return the slots of the hand to act that hold a card, of equal cards the first (H2)."""
        hand = self.hands[self.seat]
        return [slot for slot, card in enumerate(hand) if card and card not in hand[:slot]]

    def _may_dig(self):
        known = {}
        cells = set()
        for slot in self.first_slots():
            cells |= {cell for cell, _ in placements(self.grid, self.hands[self.seat][slot], known)}
        return {name for name, cell in self.places().items() if cell in cells}

    def _may_gather(self):
        hand = self.hands[self.seat]
        pictures = {slot: picture(hand[slot]) for slot in self.first_slots()}
        return [slot for slot, thing in pictures.items() if self.gathered.get(thing, 9) < NEEDED.get(thing, 0)]

    def _can_play(self):
        return bool(self._may_dig() or self._may_gather())

    # What is done.

    def play(self, name):
        """Follow an action, and all that is played unasked after it."""
        self.news = []
        self._play(name)
        self._play_forced()

    def _play_forced(self):
        while not self.ending:
            if self.question is None:
                self.seat = (self.seat + 1) % self.seats
                self._begin_turn()
                continue
            allowed = self.legal()
            if len(allowed) > 1:
                return
            self._play(*allowed)

    def _play(self, name):
        if self.question == "signal":
            self.said[self.seat] = SIGNALS.index(name)
            self._note("signals", self.said[self.seat])
            self.question = "where"
        elif name.startswith("gather"):
            slot = int(name.split()[1]) - 1
            card = self.hands[self.seat][slot]
            self.gathered[picture(card)] += 1
            self._note("gathers", CARDS.index(card))
            self._end_turn(slot)
        elif self.question == "where":
            self.where, self.question = name, "how"
        else:
            self._dig(name)

    def _dig(self, name):
        card_half, side = name.split()
        slot, half = int(card_half[0]) - 1, card_half[1]
        card, cell = self.hands[self.seat][slot], self.places()[self.where]
        way = next(way for way in WAYS[card] if (way.half, NAMES[way.side]) == (half, side))
        wet = {there for there, lies in self.grid.items() if lies.wet}
        covers = bool(wet & {cell, neighbour(cell, way.side)})
        self._note("covers" if covers else "lays", CARDS.index(card), len(self.laid))
        self._cover(cell, way)
        self._end_turn(slot)

    def _cover(self, cell, way):
        """Lay a card, and number what opens: the lowest free numbers, half a first, from the north clockwise (C3.6)."""
        cells = lay(self.grid, cell, way)
        self.laid.append(cells)
        self.floods = {number: there for number, there in self.floods.items() if there not in cells}
        still = open_tunnels(self.grid)
        self.ends = {number: end for number, end in self.ends.items() if end in still}
        for there in cells:
            if self.grid[there].wet:
                self.floods[_lowest(self.floods)] = there
            for side in COMPASS:
                if (there, side) in still and (there, side) not in self.ends.values():
                    self.ends[_lowest(self.ends)] = (there, side)

    def _end_turn(self, slot):
        self.played.append(self.hands[self.seat][slot])
        self.hands[self.seat][slot] = None
        if self.pile:
            self._draw(self.seat, slot)
            self._note("draws")
        self.where, self.passes, self.question = None, 0, None
        if not self.ends:
            self._end("closed")
        elif self.stops and self.hopeless():
            self._end("impossible")

    def _begin_turn(self):
        self.turns += 1
        self._note("turn")
        tries = -(-len(self.pile) // self.limit) + 1  # H6
        while tries and self.pile and not self._can_play():
            self._exchange()
            tries -= 1
        if self._can_play():
            self.question = "signal" if self.speak else "where"
            return
        self._note("passes")
        self.question = None
        self.passes += 1
        if self.passes == self.seats:
            self._end("no cards")
        elif self.stops and self.hopeless():
            self._end("impossible")

    def _exchange(self):
        hand = self.hands[self.seat]
        old = [card for card in hand if card]
        self.hands[self.seat] = [None] * 6
        count = min(len(old), len(self.pile))
        if len(self.pile) > len(old):
            if self.news[-1:] and self.news[-1][0] == "exchanges" and len(self.news) <= NEWS:
                self.news[-1] = (*self.news[-1][:3], self.news[-1][3] + 1)
            else:
                self._note("exchanges", count, 1)
            self.pile[:0] = self.chance.shuffled(old)
            self.under[:0] = [(self.seat, len(self.packets))] * len(old)
            self.packets.append(old)
        else:
            self._note("takes all", len(self.pile), len(old))
            self.aside, self.aside_by = old, self.seat
        for slot in range(count):
            self._draw(self.seat, slot)

    def _draw(self, seat, slot):
        """Draw the top card; if another put it there, that one is not sure any more of what is left of it (C11.3)."""
        self.hands[seat][slot] = self.pile.pop()
        packet = self.under.pop()
        if packet is not None and packet[0] != seat:
            self.under = [None if other == packet else other for other in self.under]

    # The end.

    def _end(self, ending):
        self.ending = ending
        dry = not any(half.wet for half in self.grid.values())
        out = any("EXIT" in card for card in self.played)
        self.won = out and dry and not open_tunnels(self.grid) and self.gathered == NEEDED
        self._note_line("ends", int(self.won), ["closed", "no cards", "impossible"].index(ending) + 1, 0)

    def hopeless(self):
        """Say whether nobody can win any more, as far as the option looks (O3)."""

        def room(cell):
            return demands(self.grid, cell) is not None

        stuck = any(not any(room(neighbour(neighbour(*end), side)) for side in COMPASS) for end in self.ends.values())
        blocked = any(
            not any(room(neighbour(cell, side)) for side in half.tunnels)
            for cell, half in self.grid.items()
            if half.wet
        )
        left = [card for cards in (*self.hands, self.pile) for card in cards if card]
        short = any(
            self.gathered[thing] + sum(picture(card) == thing for card in left) < needed
            for thing, needed in NEEDED.items()
        )
        return stuck or blocked or short or any("EXIT" in card for card in self.aside)

    def _note(self, event, one=0, two=0):
        self._note_line(event, self.seat, one, two)

    def _note_line(self, *line):
        if len(self.news) < NEWS:
            self.news.append(line)


def _lowest(numbered):
    return next(number for number in range(99) if number not in numbered)
