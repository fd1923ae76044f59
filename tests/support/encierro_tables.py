"""Hand-made states of *Corre el encierro*, and actions on them by name, through the public interface.

Cards, actions and questions go by their names: `table("1 1", hands=["Kilikis", "Otra vez será"], pile="Chulín")`.
"""

from collections import Counter

import numpy as np
import tables
from tables import Tables

import sobremesa
from sobremesa.envs.corre_el_encierro import cards, notation, state

GAME = sobremesa.load("corre_el_encierro")
NAMES = [card.name for card in cards.CARDS]
SHOWN = NAMES[cards.CHULIN :]
QUESTIONS = ("play", "discard", "draw", "answer", "defend", "pay", "save")
STATUSES = ("running", "warned", "behind", "out")
ENDINGS = (None, "plaza", "last runner", "swept")
MOST = 5  # cards beneath those that a test names
_TABLES = Tables(GAME, notation.stored_name)  # with the Spanish names of cards
dealt, checked, choices, play, after = _TABLES.dealt, _TABLES.checked, _TABLES.choices, _TABLES.play, _TABLES.after
paid, view, same_views = _TABLES.paid, _TABLES.view, _TABLES.same_views


def kind(name):
    """Return the number of the card called `name`."""
    return NAMES.index(name)


def listed(names):
    """Return the cards of a text as `"Kilikis, El Pillo"`, or of a list, by number."""
    return [kind(name) for name in tables.listed(names)]


def table(
    places, *, hands=(), pile="", beneath=MOST, objects=(), specials=(), status=(), turn=0, closed=0, discards="",
    deck="standard", seed=0, **fields,
):  # fmt: skip
    """Return a table where seat `turn` is to play cards.

    Args:
        places: each runner's location, `"1 3 2"`; "-" for a runner who is out.
        hands: each runner's cards.
        pile: cards to draw, the first one first.
        beneath: number of harmless cards beneath these, without those in `discards`.
        objects: each runner's objects, 5 for those not given.
        specials: the special object that lies before each runner, None for none.
        status: of each runner, "running" for those not given.
        turn: the seat whose turn it is.
        closed: locations turned down.
        discards: cards that shall lie on the discard pile; all that lie nowhere else do as well.
        deck: setup.
        seed: of chance from here on.
        **fields: fields of the record, set last.
    """
    places = places.split()
    states = dealt(seed, seats=len(places), deck=deck)
    one = states[0]
    left = cards.COPIES[cards.CARDS_OF[one.deck]].astype(int)
    one.hand[:], one.hand_size[:] = 0, 0
    one.turn = one.seat = turn
    one.struck = cards.MAX_SEATS
    one.phase, one.stage = state.PLAYING, state.PLAY
    one.closed = closed
    for seat, place in enumerate(places):
        out = place == "-"
        one.status[seat] = STATUSES.index("out" if out else _given(status, seat, "running"))
        one.place[seat] = 0 if out else int(place)
        one.objects[seat] = 0 if out else _given(objects, seat, cards.NUM_OBJECTS)
        for card in listed(_given(hands, seat, "")):
            one.hand[seat, card] += 1
            one.hand_size[seat] += 1
            left[card] -= 1
        special = _given(specials, seat, None)
        one.special[seat] = cards.NO_CARD if special is None else kind(special)
        if special is not None:
            left[kind(special)] -= 1
        left[cards.BARRERA] -= status_of(states, seat) in ("warned", "behind")
    drawn = listed(pile)
    for card in drawn:
        left[card] -= 1
    spare = left[: cards.NUM_HAND_CARDS].copy()
    for card in listed(discards):
        spare[card] -= 1
    below = np.repeat(np.arange(cards.NUM_HAND_CARDS), np.maximum(spare, 0))[:beneath].tolist()
    for card in below:
        left[card] -= 1
    one.pile_size = len(below) + len(drawn)
    one.pile[:] = 0
    one.pile[: one.pile_size] = below + drawn[::-1]
    assert (left >= 0).all(), "there are not as many cards"
    one.discards[:] = left
    for name, value in fields.items():
        one[name] = value
    return checked(states)


def drawing(places, **settings):
    """Return a table where seat `turn` has drawn, and is asked whether to draw on."""
    return table(places, **settings, phase=state.DRAWING, stage=state.DRAW, drawn=1)


def _given(values, seat, default):
    return values[seat] if seat < len(values) else default


def end_turn(states):
    """End the turn from wherever it stands, discarding and drawing no more than must be; return `states`."""
    turns = int(states[0].turns)
    while states[0].turns == turns and not states[0].over:
        here = choices(states)
        play(states, next((name for name in ("done", "stop") if name in here), min(here)))
    return states


def asked(states):
    """Return the seat that is asked and the question, or None once the deal is over."""
    one = states[0]
    return None if one.over else (int(one.seat), QUESTIONS[one.stage])


def hand(states, seat):
    """Return the names of the cards of a hand, in the order of the cards."""
    return [NAMES[card] for card in np.repeat(np.arange(cards.NUM_HAND_CARDS), states[0].hand[seat])]


def places(states):
    """Return the locations of the runners, 0 for those who are out."""
    return _seated(states, "place")


def objects(states):
    """Return the number of each runner's objects."""
    return _seated(states, "objects")


def _seated(states, field):
    return states[field][0][: int(states["seats"][0])].tolist()


def special(states, seat):
    """Return the special object that lies before a runner, or None."""
    number = int(states[0].special[seat])
    return None if number == cards.NO_CARD else NAMES[number]


def status_of(states, seat):
    return STATUSES[states[0].status[seat]]


def in_discards(states, name):
    """Return the number of cards called `name` on the discard pile."""
    return int(states[0].discards[kind(name)])


def discarded(before, states):
    """Return the names of the cards that have come onto the discard pile."""
    more = states[0].discards.astype(int) - before[0].discards
    assert (more >= 0).all()
    return [NAMES[card] for card in np.repeat(np.arange(cards.NUM_CARDS), more)]


def winners(states):
    """Return the ending and the winners; None while the deal runs."""
    one = states[0]
    return (ENDINGS[one.ending], np.flatnonzero(one.winner).tolist()) if one.over else None


def memories(states, seat):
    """Return the stolen cards that `seat` remembers: counts of (card, possible hands)."""
    one = states[0]
    return Counter(
        (NAMES[card], tuple(other for other in range(one.seats) if int(hands) >> other & 1))
        for card, knower, hands in zip(one.theft_kind, one.theft_from, one.theft_hands, strict=True)
        if knower == seat
    )


def known(states, seat):
    """Return the known cards in other hands in the view of `seat`: {(steps clockwise, card): number}."""
    block = view(states, seat)["known"]
    return {(int(row) + 1, NAMES[card]): float(block[row, card]) for row, card in np.argwhere(block)}


def robbed(**settings):
    """Return a table where seat 1 has robbed seat 0 of its one card, an Avanzar tramo, and is in its turn."""
    hands = ["Avanzar tramo", "El Pillo, Zaldiko, Línea roja", "Recorte, Olé maestro"]
    return play(table("2 2 2", turn=1, **{"hands": hands, **settings}), "El Pillo +2")
