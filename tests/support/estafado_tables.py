"""Hand-made states of *Estafado*, and actions on them by name, through the public interface.

Cards, cells, spaces and actions go by their names: `table({"c1": "Bullfrog"}, fox="a1")` and `play(states, "go c1")`.
"""

from collections import Counter

import numpy as np
from tables import Tables

import sobremesa
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.estafado import cards, state
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name

GAME = sobremesa.load("estafado")
NAMES = [card.name for card in cards.CARDS]
SPACES = [space_name(space, "en") for space in range(RING)]
FOX, CROW = 0, 1
ENDINGS = (None, "rabbits", "caught", "sunset", "eaten")
STAGES = (
    "start", "move", "replace", "leap", "tunnel", "peek", "swap", "swap second", "dive", "eagle",
    "slide", "look", "exchange", "bear",
)  # fmt: skip
_TABLES = Tables(GAME, problems=lambda states: state_problems(GAME, states))
dealt, reseeded, checked = _TABLES.dealt, _TABLES.reseeded, _TABLES.checked
choices, play, after = _TABLES.choices, _TABLES.play, _TABLES.after
paid, view, same_views, states_of = _TABLES.paid, _TABLES.view, _TABLES.same_views, _TABLES.states_of
DULL = ("Vegetation", "Fruit & Seeds", "Eastern Box Turtle", "Spotted Salamander")  # no effects, no symbols
MOST_IN_DECK = 18


def kind(name):
    """Return the number of the card called `name`."""
    return NAMES.index(name)


def cell(name):
    """Return the number of the cell called `name`: a column a to e, a row 1 to 5."""
    return CELL_NAMES.index(name)


def space(name):
    """Return the number of the space of the ring called `name`: `Sc` lies under column c."""
    return SPACES.index(name)


def listed(names):
    """Return the names in a text, `"Coyote, Beaver"` or `"a1 b2"`, or in a list."""
    if not isinstance(names, str):
        return list(names)
    return [name.strip() for name in names.split(",") if name.strip()] if "," in names else [names] if names else []


def cells(names):
    """Return the numbers of the cells in a text, `"a1 b2"`."""
    return [cell(name) for name in names.split()]


def table(
    floor=(), *, fox="a1", bear="e5", crow="Sc", eagle="Nc", stage="move", up="", fox_knows="", crow_knows="", hand="",
    deck="", prey="", pile="", vixen=None, before=None, chosen=None, setup=(), seed=0, **fields,
):  # fmt: skip
    """Return a table at the question `stage`.

    Args:
        floor: cards by cell; those not named are dull ones first, then others but the Hurricane, rabbits last.
        fox: its cell, where the step began.
        bear: its cell.
        crow: its space.
        eagle: its space.
        stage: one of `STAGES` that can be asked between two cards.
        up: cells whose cards lie face-up.
        fox_knows: cells whose cards the fox knows.
        crow_knows: cells whose cards the crow knows.
        hand: the fox's cards, by slot.
        deck: the cards to be drawn, the first one first.
        prey: the rabbits caught, in order.
        pile: cards that the crow has swapped with the deck.
        vixen: its cell.
        before: where the bear was.
        chosen: the cell at which the crow has looked.
        setup: of the game.
        seed: of chance from here on.
        **fields: fields of the record, set last.
    """
    states = reseeded(dealt(seed, **dict(setup)), seed)
    one = states[0]
    left = Counter({name: int(copies) for name, copies in zip(NAMES, cards.COPIES, strict=True)})
    hand, deck, prey, pile, floor = listed(hand), listed(deck), listed(prey), listed(pile), dict(floor)
    left.subtract([*floor.values(), *hand, *deck, *prey, *pile])
    assert min(left.values()) >= 0, "there are not as many cards"
    order = sorted(NAMES[cards.NUM_RABBITS :], key=lambda name: (name == "Hurricane", name not in DULL))
    rest = [name for name in order for _ in range(left[name])]
    rabbits = [name for name in NAMES[: cards.NUM_RABBITS] for _ in range(left[name])]
    free = [name for name in CELL_NAMES if name not in floor]
    fill = rest[: len(free) - len(rabbits)] + rabbits
    rest = rest[len(free) - len(rabbits) :]
    floor |= dict(zip(free, fill, strict=True))
    below = rest[: MOST_IN_DECK - len(prey) - len(pile) - len(deck)]
    one.cards[:] = [kind(floor[name]) for name in CELL_NAMES]
    one.hand[:], one.prey[:], one.pile[:], one.deck[:] = (cards.NO_CARD,) * 4
    for array, names in ((one.hand, hand), (one.prey, prey), (one.pile, pile), (one.deck, below[::-1] + deck[::-1])):
        array[: len(names)] = [kind(name) for name in names]
    one.catches, one.deck_size, one.deck_swaps = len(prey), len(deck) + len(below), 3 - len(pile)
    one.discards[:] = 0
    for name in rest[len(below) :]:
        one.discards[kind(name)] += 1
    _lay_down(one, up, fox_knows, crow_knows, len(pile))
    one.fox = one.fox_start = cell(fox)
    one.bear, one.crow, one.eagle = cell(bear), space(crow), space(eagle)
    one.vixen, one.bear_before, one.chosen = (
        len(CELL_NAMES) if name is None else cell(name) for name in (vixen, before, chosen)
    )
    one.stage = STAGES.index(stage)
    one.seat = state.ASKED[one.stage]
    for name, value in fields.items():
        one[name] = value
    return checked(states)


def _lay_down(one, up, fox_knows, crow_knows, buried):
    """Turn cards up and set the knowledge of both seats."""
    one.up[:], one.shown[:], one.known[:], one.no_rabbit[:], one.swappable[:] = 0, 0, 0, 0, 0
    one.known[FOX, cells(fox_knows)] = 1
    one.known[CROW, cells(crow_knows)] = 1
    one.up[cells(up)] = 1
    for place in {*cells(up), *np.flatnonzero(one.cards == cards.HURRICANE)}:
        one.known[:, place] = 1
        one.no_rabbit[place] = one.cards[place] >= cards.NUM_RABBITS
        one.swappable[place] = not cards.NO_SWAP[one.cards[place]]
    one.pile_known[:], one.pile_no_rabbit[:], one.pile_swappable[:] = 0, 0, 0
    one.pile_no_rabbit[:buried] = one.reading == state.BALANCED


def targets(states, word):
    """Return the targets of the legal actions of `word`: `targets(states, "go")` gives {"b1", "c1", ...}."""
    return {name.removeprefix(f"{word} ") for name in choices(states) if name.startswith(f"{word} ")}


def end_round(states):
    """Play the rest of the round, the crow flying away from the eagle and the bear as far from the fox as it may."""
    sun = int(states[0].sun)
    while states[0].sun == sun and not states[0].over:
        here = sorted(choices(states))
        if asked(states) == "slide":
            gap = (int(states[0].crow) - int(states[0].eagle)) % RING
            here = ["crow +1" if gap < RING // 2 else "crow -1"]
        elif asked(states) == "bear":
            fox = int(states[0].fox)
            here.sort(key=lambda name: _apart(cell(name.split()[1]), fox), reverse=True)
        play(states, "pass" if "pass" in here else here[0])
    return states


def _apart(one, other):
    return abs(one % 5 - other % 5) + abs(one // 5 - other // 5)


def asked(states):
    """Return the name of the question to the seat to act, or None once the deal is over."""
    return None if states[0].over else STAGES[states[0].stage]


def at(states, token):
    """Return the name of the cell or space of a token, or None."""
    number = int(states[0][token])
    names = SPACES if token in ("eagle", "crow") else CELL_NAMES
    return names[number] if number < len(names) else None


def card(states, name):
    """Return the name of the card on a cell."""
    return NAMES[states[0].cards[cell(name)]]


def face_up(states):
    """Return the names of the cells whose cards lie face-up."""
    return {CELL_NAMES[place] for place in np.flatnonzero(states[0].up)}


def known(states, seat):
    """Return the names of the cells whose cards a seat knows."""
    return {CELL_NAMES[place] for place in np.flatnonzero(states[0].known[seat])}


def public(states, field):
    """Return the names of the cells with public knowledge: `no_rabbit` or `swappable`."""
    return {CELL_NAMES[place] for place in np.flatnonzero(states[0][field])}


def held(states, field):
    """Return the names of the cards in `hand`, `prey`, `pile` or `deck`, by slot."""
    return [NAMES[number] for number in states[0][field] if number != cards.NO_CARD]


def discarded(states):
    """Return the names of the cards on the discard pile, sorted."""
    return sorted(NAMES[number] for number in np.repeat(np.arange(len(NAMES)), states[0].discards))


def floor_cards(states):
    """Return the number of cards of each name on the floor."""
    return Counter(NAMES[number] for number in states[0].cards)


def won(states):
    """Return the ending and the winner; None while the deal runs."""
    one = states[0]
    return (ENDINGS[one.ending], int(np.flatnonzero(one.winner)[0])) if one.over else None
