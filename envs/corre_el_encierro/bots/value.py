"""Value estimates of the strong bot of *Corre el encierro*.

The unit is the natural logarithm of the odds of winning. `worth` is the value of my own position, place,
objects and hand. Hurting another runner has the value of its cost times the runner's share of the threat
(`weigh_threats`). `draw_worth` looks ahead over the cards that I may still draw this turn.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.state import BEHIND, OUT, RUNNING

_MOST = 4  # columns of a table by count: 0, 1, 2, 3 or more
_FAIR_BULLS, _FAIR_FALLS = 6 / 54, 3 / 54  # chances at a fresh pile

WEIGHTS = with_attributes(
    [
        ("place", np.float64, c.NUM_LOCATIONS + 1),  # to stand at each location; place[0] is to be out
        ("hearts", np.float64, c.NUM_OBJECTS + 2),  # to have so many objects, the special one included
        ("haste", np.float64),  # share of that lost near the Plaza
        ("avanzar", np.float64, _MOST),  # to hold so many Avanzar tramo
        ("bull", np.float64, _MOST),  # to hold so many answers to bulls
        ("fall", np.float64, _MOST),  # and to falls
        ("card", np.float64, c.NUM_HAND_CARDS),  # to hold a card, apart from all this
        ("boost", np.float64),  # Avanzar tramo with something that makes it two
        ("pair", np.float64),  # Santo Patrón with Ernest Hemingway
        ("full", np.float64),  # a hand of five, of which one must go
        ("ready", np.float64),  # holding a win for the next turn
        ("sweep", np.float64),  # to stand before the Cabestros with no way on
        ("horizon", np.float64),  # cards left in the pile, for each seat, from which on that counts
        ("crowd", np.float64),  # another runner on the same stretch
        ("turn", np.float64),  # a turn
        ("theirs", np.float64),  # a card in another hand
        ("late", np.float64),  # how much more cards and turns of others are worth near the Plaza
        ("heat", np.float64),  # how little the threat depends on the standing
        ("watch", np.float64),  # dependence of answers on the rest of the pile
        ("out", np.float64),  # that another runner is out
        ("drawn", np.float64),  # how much of its worth a card drawn blindly keeps
    ]
)
_TABLE = with_attributes([("best", np.float64, (c.HAND_LIMIT + 1, _MOST, _MOST))])  # by cards to draw, answers left


@kernel
def reach(hand, special):
    """Return how far the cards of a hand lead in one turn, without Intercambio."""
    if hand[c.SANTO_PATRON] and hand[c.HEMINGWAY]:
        return 2
    if hand[c.AVANZAR] == 0:
        return 0
    return 2 if hand[c.CARRERA] or hand[c.ZAPATILLAS] or special == c.ZAPATILLAS else 1


@kernel
def answers(hand, special, fall):
    """Return how many hits of a kind, bull or fall, I can repel."""
    count = int(special == (c.LIQUIDO if fall else c.CAPOTE))
    for kind in range(c.GIGANTES if fall else c.RECORTE, (c.TXIKI if fall else c.TORO_VOLTEADO) + 1):
        count += hand[kind]
    return count


@kernel
def answer_worth(view, count, fall, weights):
    """Return the value of a number of answers to a kind of hit."""
    share = view.danger[1] / _FAIR_FALLS if fall else view.danger[0] / _FAIR_BULLS
    table = weights.fall if fall else weights.bull
    return table[min(count, _MOST - 1)] * (1 + weights.watch * (min(share, 3.0) - 1))


@kernel
def heart_worth(count, place, weights):
    """Return the value of a number of objects, the special one included, at a location: less near the Plaza."""
    return weights.hearts[count] * (1 - weights.haste * (place - 1) / c.LAST_LOCATION)


@kernel
def _way_worth(hand, place, special, weights):
    """Return the value of the cards of a hand that advance: before the Plaza one step is as good as two."""
    last = place == c.LAST_LOCATION - 1
    value = weights.avanzar[min(hand[c.AVANZAR], 1 if last else _MOST - 1)]
    if last:
        return value - hand[c.CARRERA] * weights.card[c.CARRERA] - hand[c.INTERCAMBIO] * weights.card[c.INTERCAMBIO]
    if hand[c.AVANZAR] and (hand[c.CARRERA] or hand[c.ZAPATILLAS] or special == c.ZAPATILLAS):
        value += weights.boost
    if hand[c.SANTO_PATRON] and hand[c.HEMINGWAY]:
        value += weights.pair
    return value


@kernel
def worth(view, hand, place, objects, special, weights):
    """Return the value of my position with the given hand, location and objects."""
    if place >= c.LAST_LOCATION:
        return weights.place[c.LAST_LOCATION]
    value = weights.place[place] + heart_worth(objects + (special != c.NO_CARD), place, weights)
    value += answer_worth(view, answers(hand, special, False), False, weights)
    value += answer_worth(view, answers(hand, special, True), True, weights)
    value += _way_worth(hand, place, special, weights)
    size = 0
    for kind in range(c.NUM_HAND_CARDS):
        if hand[kind]:
            size += hand[kind]
            value += hand[kind] * weights.card[kind]
    if size >= c.HAND_LIMIT:
        value -= weights.full
    steps = reach(hand, special)
    if place + steps >= c.LAST_LOCATION:
        value += weights.ready
    if place == view.closed + 1 and steps == 0:
        value -= weights.sweep * view.near * (0.5 if hand[c.INTERCAMBIO] else 1.0)
    for seat in range(1, view.seats):
        if view.place[seat] == place and view.status[seat] < BEHIND:
            value -= weights.crowd
    return value


@kernel
def my_worth(view, weights):
    """Return the value of my present position."""
    return worth(view, view.hand, view.place[0], view.objects[0], view.special[0], weights)


@kernel
def hearts(view, seat):
    """Return the number of a runner's objects, the special one included."""
    return view.objects[seat] + (view.special[seat] != c.NO_CARD)


@kernel
def weigh_threats(view, weights):
    """Share out the threat among the other runners, by a softmax of their position values."""
    total = 0.0
    for seat in range(1, view.seats):
        if view.status[seat] == OUT:
            continue
        view.others += 1
        if view.place[seat] == c.LAST_LOCATION - 1:
            view.ready[seat] = 1 - open_to(view, seat, c.AVANZAR, c.AVANZAR)
        value = weights.place[view.place[seat]] + heart_worth(hearts(view, seat), view.place[seat], weights)
        value += weights.theirs * view.hand_size[seat] + weights.ready * view.ready[seat]
        if view.status[seat] != RUNNING:
            value -= weights.turn
        if view.place[seat] == view.closed + 1:
            value -= weights.sweep * view.near
        view.threat[seat] = np.exp(value / weights.heat)
        total += view.threat[seat]
    if total > 0:
        for seat in range(1, view.seats):
            view.threat[seat] /= total


@kernel
def look_round(view, weights):
    """Estimate the threats and the distance of the Cabestros."""
    view.near = max(0.0, 1 - view.pile_size / (weights.horizon * view.seats))
    weigh_threats(view, weights)


@kernel
def open_to(view, seat, first, last):
    """Return the chance that a runner does not have any of the kinds `first` to `last`."""
    share, chance = 0.0, 1.0
    for kind in range(first, last + 1):
        share += view.share[kind]
        chance *= 1 - min(view.known[seat, kind], 1.0)
    return chance * (1 - min(share, 1.0)) ** max(view.unknown[seat], 0.0)


@kernel
def _payment(view, seat, weights):
    """Return the cost of paying for a hit to a runner, 0 if it eliminates the runner."""
    left, place = hearts(view, seat), view.place[seat]
    if left > 1:
        return heart_worth(left, place, weights) - heart_worth(left - 1, place, weights)
    if place >= view.closed + 2:
        return weights.place[place] - weights.place[place - 1]
    return 0.0


@kernel
def my_payment(view, weights):
    """Return the cost of paying for a hit to me."""
    cost = _payment(view, 0, weights)
    return cost if cost else -weights.place[0]


@kernel
def hit_harm(view, seat, weights):
    """Return the value of another runner's payment for a hit."""
    cost = _payment(view, seat, weights)
    return view.threat[seat] * cost if cost else out_harm(view, seat, weights)


@kernel
def out_harm(view, seat, weights):
    """Return the value of another runner's elimination: a win, if it is the last one."""
    return weights.place[c.LAST_LOCATION] if view.others == 1 else view.threat[seat] * weights.out


@kernel
def shown_harm(view, fall, weights):
    """Return the value of hits on the others on my location by my draw."""
    harm = 0.0
    for seat in range(1, view.seats):
        if view.place[seat] == view.place[0] and view.status[seat] < BEHIND:
            if fall:
                unguarded = open_to(view, seat, c.GIGANTES, c.TXIKI) * (view.special[seat] != c.LIQUIDO)
            else:
                unguarded = open_to(view, seat, c.RECORTE, c.TORO_VOLTEADO) * (view.special[seat] != c.CAPOTE)
            harm += unguarded * hit_harm(view, seat, weights)
    return harm


@kernel
def turn_harm(view, seat, weights):
    """Return the value of another runner's lost turn: more near the Plaza."""
    late = 1 + weights.late * max(0, view.place[seat] - 4)
    return view.threat[seat] * (weights.turn * late + weights.ready * view.ready[seat])


@kernel
def card_harm(view, seat, weights):
    """Return the value of another runner's loss of a random card, and the value of that card."""
    value = weights.theirs * view.unknown[seat]
    for kind in range(c.NUM_HAND_CARDS):
        if view.known[seat, kind] > 0:
            value += view.known[seat, kind] * (weights.avanzar[1] if kind == c.AVANZAR else weights.card[kind])
    value /= view.hand_size[seat]
    late = 1 + weights.late * max(0, view.place[seat] - 4)
    return view.threat[seat] * (late * value + weights.ready * view.ready[seat] / view.hand_size[seat]), value


@kernel
def _sweep_worth(view, weights):
    """Return the value of a sweep now."""
    value = 0.0
    for seat in range(view.seats):
        if view.status[seat] != OUT and view.place[seat] == view.closed + 1:
            if seat == 0:
                value += weights.place[0] * (reach(view.hand, view.special[0]) == 0)
            else:
                caught = open_to(view, seat, c.AVANZAR, c.AVANZAR) if view.status[seat] < BEHIND else 1.0
                value += caught * out_harm(view, seat, weights)
    return value


@kernel
def _mean_gain(view, weights):
    """Return the mean gain of a drawn card that is no bull or fall."""
    hand, before, gain = view.hand, my_worth(view, weights), 0.0
    plain = -weights.full if view.hand_size[0] == c.HAND_LIMIT - 1 else 0.0  # apart from the worth of the card alone
    for kind in range(c.NUM_HAND_CARDS):
        if view.share[kind] == 0:
            continue
        added = weights.card[kind] + plain
        if kind < c.FIRST_ATTACK or kind in (c.AVANZAR, c.CARRERA, c.INTERCAMBIO, c.ZAPATILLAS):
            hand[kind] += 1
            added = my_worth(view, weights) - before
            hand[kind] -= 1
        gain += view.share[kind] * added
    return gain * weights.drawn


@kernel
def look_ahead(view, weights):
    """Estimate the gains and risks of drawing a card."""
    view.gain = _mean_gain(view, weights)
    view.payment = my_payment(view, weights)
    view.harm[0], view.harm[1] = shown_harm(view, False, weights), shown_harm(view, True, weights)
    view.sweep = _sweep_worth(view, weights) if view.pile_size <= c.HAND_LIMIT else 0.0


@kernel
def _cost(view, count, fall, weights):
    """Return the cost of using one of a number of answers."""
    if count == 0:
        return 0.0
    return answer_worth(view, count, fall, weights) - answer_worth(view, count - 1, fall, weights)


@kernel
def draw_worth(view, room, compulsory, weights):
    """Return the value of drawing up to `room` cards with optimal stopping; the first may be compulsory.

    The search goes over cards still to draw and answers left. Call `look_ahead` first.
    """
    bulls = min(answers(view.hand, view.special[0], False), _MOST - 1)
    falls = min(answers(view.hand, view.special[0], True), _MOST - 1)
    safe = 1 - view.danger[0] - view.danger[1]
    harm = view.danger[0] * view.harm[0] + view.danger[1] * view.harm[1]
    tables = scratch(1, _TABLE)
    best = tables[0].best
    best[0, :, :] = 0
    for b in range(bulls + 1):
        bull_cost = _cost(view, b, False, weights)
        for f in range(falls + 1):
            fall_cost = _cost(view, f, True, weights)
            for left in range(1, room + 1):
                after_bull, after_fall = -view.payment, -view.payment
                if b:
                    after_bull = max(after_bull, best[left, b - 1, f] - bull_cost)
                if f:
                    after_fall = max(after_fall, best[left, b, f - 1] - fall_cost)
                value = safe * (view.gain + best[left - 1, b, f]) + harm
                value += view.danger[0] * after_bull + view.danger[1] * after_fall
                if room - left + 1 == view.pile_size:
                    value += view.sweep
                best[left, b, f] = value if compulsory and left == room else max(0.0, value)
    return best[room, bulls, falls]
