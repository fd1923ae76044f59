"""Hand-made states of *Bandido Alcatraz*, and actions on them by name, through the public interface.

A card is named by its tunnels: `"W+NE"` has one of half a in the west and two of half b, `"W+E~"` lies half under
water, and those whose half b has none by their picture: `"WN rope"`, `"N raincoat"`, `"EXIT"`. A laid card is its name,
the place `x, y` of half a, and the side on which half b lies: `("W+NE", 2, 0, "E")`. Actions go by their names.
"""

from collections import Counter
from itertools import chain

import numpy as np
from tables import Tables, listed

from sobremesa import envs
from sobremesa.envs.bandido_alcatraz import cards, state
from sobremesa.envs.bandido_alcatraz.fits import write_fits
from sobremesa.envs.bandido_alcatraz.state import find as cell_at, lay as lay_card, lay_tile
from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel

GAME = envs.load("bandido_alcatraz")
_TABLES = Tables(GAME)
dealt, checked, choices = _TABLES.dealt, _TABLES.checked, _TABLES.choices
step, play, after = _TABLES.step, _TABLES.play, _TABLES.after
paid, states_of = _TABLES.paid, _TABLES.states_of
_PICTURES = ("", "raincoat", "rope", "EXIT")
SIDES = "NESW"
_STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
EVENTS = ("turn", "lays", "covers", "gathers", "draws", "exchanges", "takes all", "passes", "signals", "ends")
ENDINGS = (None, "closed", "no cards", "impossible")


def _name(card):
    if card.b:
        return f"{card.a}+{card.b}" + "~" * (card.flooded != cards.NO_HALF)
    return "EXIT" if card.picture == cards.EXIT else f"{card.a} {_PICTURES[card.picture]}"


NAMES = [_name(card) for card in cards.CARDS]
# Networks from the easy tile with one open end, the one at (2, 0), which its neighbours leave room for one sort of
# card: at the end of a corridor for halves W (or E, if b), in a bend to the south for halves a with S, b with N, alone.
CORRIDOR = (
    ("S raincoat", 1, -1, "E"), ("N raincoat", 0, -1, "W"), ("N raincoat", 1, 1, "E"), ("S raincoat", 0, 1, "W"),
)  # fmt: skip
BEND = (("W+N", 2, -1, "W"), ("N raincoat", 0, -1, "W"), ("S raincoat", 3, -1, "S"), ("N+N", 0, 1, "E"))
DULL = ("N+N", "N+S", "N+ES", "N+NE", "N+NS", "S+NS", "N+NES", "NS+NS", "WN+ES", "WS+NS")  # none fits a corridor


def kind(name):
    """Return the number of the card called `name`."""
    return NAMES.index(name)


@kernel
def _begin(states, seed):
    start(states[0], seed)
    lay_tile(states[0])


@kernel
def _lay(states, card, x, y, turn):
    lay_card(states[0], card, x, y, turn)


@kernel
def _write_fits(states):
    write_fits(states[0], states[0].seat)


@kernel
def _find(states, x, y):
    return cell_at(states[0], x, y)


def lay(states, name, x, y, side):
    """Lay a card with half a at a place and half b on a side of it, whether it fits or not; None has no openings."""
    _lay(states, kind(name) if name else cards.NO_CARD, x, y, (SIDES.index(side) - 1) % 4)


def laid_at(states, where, way, name):
    """Return a copy of `states` in which a card lies at an end in the named way, and nothing else has happened."""
    later = states.copy()
    half, side = way[1], way.split()[1][0].upper()
    x, y = ends(states)[where]
    if half == "a":
        lay(later, name, x, y, side)
    else:
        lay(later, name, x + _STEPS[side][0], y + _STEPS[side][1], SIDES[(SIDES.index(side) + 2) % 4])
    return later


def found(states, x, y):
    """Return the number of the cell at a place, None if nothing lies there."""
    cell = int(_find(states, x, y))
    return None if cell == state.NO_CELL else cell


def bare(seed=0, **setup):
    """Return a table with the start tile and no cards at all."""
    states = GAME.new_tables(1, setup)
    _begin(states, seed)
    for field in ("hand", "aside", "pile"):
        states[0][field][:] = cards.NO_CARD
    states[0].put_under[:] = state.NOBODY
    return states


def table(
    laid=(), hands=("",), *, top="", pile=None, gathered="", aside="", lost="", difficulty="easy", seat=0, seed=0,
    setup=(), **fields,
):  # fmt: skip
    """Return a table at which `seat` is asked where to play.

    Args:
        laid: cards on the table, as above.
        hands: the cards of each seat.
        top: the cards to be drawn next, the first one first; the others lie below.
        pile: all cards of the pile, the first to be drawn first. What has no place then lies under the tile.
        gathered: raincoats and ropes beside the pile.
        aside: cards out of the game, which were those of seat 0.
        lost: cards that lie under the tile, played and out of sight.
        difficulty: the side of the tile.
        seat: whose turn it is.
        seed: of what is random from here on.
        setup: the other options.
        **fields: fields of the record, set last.
    """
    states = bare(seed, seats=len(hands), difficulty=difficulty, **dict(setup))
    one = states[0]
    hands, gathered, aside, lost = [listed(hand) for hand in hands], listed(gathered), listed(aside), listed(lost)
    left = Counter({name: int(copies) for name, copies in zip(NAMES, cards.COPIES, strict=True)})
    left.subtract([card[0] for card in laid])
    left.subtract([*chain(*hands), *gathered, *aside, *lost, *listed(top), *listed(pile or "")])
    assert min(left.values()) >= 0, f"there are not as many cards: {+-left}"
    below = [] if pile is not None else sorted(left.elements())
    lost += [] if pile is None else sorted(left.elements())
    order = [*listed(top), *listed(pile or ""), *below][::-1]
    for card in laid:
        lay(states, *card)
        one.played[kind(card[0])] += 1
        one.exit_laid |= card[0] == "EXIT"
    for name in lost:
        _lose(one, kind(name))
    for name in gathered:
        one.played[kind(name)] += 1
    one.raincoats = sum("raincoat" in name for name in gathered)
    one.ropes = sum("rope" in name for name in gathered)
    for row, hand in zip(one.hand, hands, strict=False):
        row[: len(hand)] = [kind(name) for name in hand]
    one.pile[: len(order)] = [kind(name) for name in order]
    one.pile_size = len(order)
    one.aside[: len(aside)] = [kind(name) for name in aside]
    one.aside_by = 0 if aside else state.NOBODY
    one.seat, one.stage, one.where, one.turns = seat, state.WHERE, state.NOT_CHOSEN, 1
    for name, value in fields.items():
        one[name] = value
    _write_fits(states)
    return checked(states)


def _lose(one, card):
    """Put a card under the tile: it was played, and no cell shows it."""
    one.laid_kind[one.laid] = card
    one.laid += 1
    one.played[card] += 1


def ways(states, where):
    """Return how cards may be laid at an end or on a flood, also if it is one way, which is played unasked."""
    if where not in choices(states):
        return set()
    bits = states[0].fits[GAME.words.parse_action(where, "en")]
    actions = [(slot, way) for slot in range(state.BIG_HAND) for way in range(8) if int(bits[slot]) >> way & 1]
    return {GAME.words.action_name(state.A_LAY + slot * 8 + way, "en") for slot, way in actions}


def ends(states):
    """Return the next cells of the open ends, by name: `{"end 4": (2, 0)}`."""
    one, places = states[0], {}
    for number in np.flatnonzero(one.end_cell != state.NO_CELL):
        cell, side = int(one.end_cell[number]), SIDES[one.end_side[number]]
        places[f"end {number + 1}"] = (
            int(one.cell_x[cell]) + _STEPS[side][0],
            int(one.cell_y[cell]) + _STEPS[side][1],
        )
    return places


def end_at(states, x, y):
    """Return the name of the first end whose next cell is at a place."""
    return next(name for name, place in ends(states).items() if place == (x, y))


def floods(states):
    """Return where the flooded halves are, by name: `{"water 1": (3, 0)}`."""
    one = states[0]
    slots = np.flatnonzero(one.flood != state.NO_CELL)
    return {f"water {slot + 1}": (int(one.cell_x[one.flood[slot]]), int(one.cell_y[one.flood[slot]])) for slot in slots}


def shown(states, x, y):
    """Return the tunnels of what lies on top at a place, in the order N, E, S, W; None if nothing does."""
    cell = found(states, x, y)
    if cell is None:
        return None
    one = states[0]
    top = one.cell_laid[cell]
    bits = int(cards.TUNNELS[one.laid_kind[top], one.laid_turn[top], one.cell_half[cell]])
    return "".join(side for number, side in enumerate(SIDES) if bits >> number & 1)


def hand(states, seat):
    """Return the cards of a seat, by slot."""
    return [NAMES[number] for number in states[0].hand[seat] if number != cards.NO_CARD]


def pile(states):
    """Return the cards of the pile, the first to be drawn first."""
    return [NAMES[number] for number in states[0].pile[: states[0].pile_size][::-1]]


def aside(states):
    """Return the cards that are out of the game."""
    return [NAMES[number] for number in states[0].aside if number != cards.NO_CARD]


def news(states):
    """Return what happened since the last decision: event, seat and two numbers."""
    rows = states[0].news[: states[0].news_count].tolist()
    return [(EVENTS[event], *rest) for event, *rest in rows]


def told(states, event):
    """Return the seats of the news of one event, in order."""
    return [row[1] for row in news(states) if row[0] == event]


def ended(states):
    """Return how the deal has ended and whether it is won; None while it runs."""
    one = states[0]
    return (ENDINGS[one.ending], bool(one.won)) if one.over else None
