"""Two scripted bots for *Corre el encierro*: kernels from an observation, its mask and a stream to an action.

`simple` races: it advances as far as it can, defends itself, recovers objects, draws to a full hand, and plays the
attacks in its hand at random. It discards the first card of least use to a racer.

`strong` estimates the effect of each action on its own position and those of its rivals (`value.py`): it keeps
answers to the hits still in the pile, stops drawing when the risk exceeds the value of a card, and hurts the runner
who threatens it most.
"""

import numpy as np

from sobremesa.envs.core.blocks import NO_ACTION, any_of, empty, index_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.bots.value import (
    card_harm,
    draw_worth,
    heart_worth,
    hearts,
    hit_harm,
    look_ahead,
    look_round,
    my_payment,
    my_worth,
    open_to,
    reach,
    turn_harm,
    worth,
)
from sobremesa.envs.corre_el_encierro.bots.view import VIEW, read
from sobremesa.envs.corre_el_encierro.bots.weights import TUNED
from sobremesa.envs.corre_el_encierro.cards import costs_object, is_aimed_near
from sobremesa.envs.corre_el_encierro.observe import LAYOUT

_SPECIALS = LAYOUT.start("specials")
_NEVER = -1e9


def _ranges(*blocks: tuple[int, int]) -> np.ndarray:
    return np.concatenate([np.arange(first, first + count) for first, count in blocks])


# What `simple` does: the first that it may. Attacks, and sending the bull on, it draws lots for.
_RACE = _ranges(
    (s.A_CARRERA, 1), (s.A_ZAPATILLAS, 1), (s.A_PATRON, 1), (s.A_ADVANCE, 1), (s.A_SWAP, s.NUM_OTHERS), (s.A_RECOVER, 1)
)  # fmt: skip
_REACT = _ranges((s.A_DEFEND, c.NUM_DEFENCES), (s.A_SHIELD, 2), (s.A_ANSWER, 1), (s.A_PAY_OBJECT, 4), (s.A_DRAW, 1))
_DISCARDS = s.A_DISCARD + _ranges(
    (c.FIRST_ATTACK, c.NUM_ATTACKS), (c.PERDIDOS, 1), (c.INTERCAMBIO, 1), (c.OTRA_VEZ, 1),
    (c.FIRST_SPECIAL, c.NUM_SPECIALS), (c.RECORTE, c.NUM_DEFENCES), (c.CARRERA, 1), (c.AVANZAR, 1),
)  # fmt: skip


@kernel
def _first(mask, actions):
    """Return the first legal one of `actions`, or NO_ACTION."""
    for action in actions:
        if mask[action]:
            return action
    return NO_ACTION


@kernel
def simple(observation, mask, stream):
    """Race: advance, recover, attack at random, keep cards that help to race, draw to a full hand, answer hits."""
    action = _first(mask, _RACE)
    if action == NO_ACTION and index_of(observation, _SPECIALS, c.NUM_SPECIALS) == c.NUM_SPECIALS:
        action = any_of(mask, s.A_LAY, s.A_LAY + c.NUM_SPECIALS, stream)
    if action == NO_ACTION:
        action = any_of(mask, s.A_ATTACK, s.A_DEFEND, stream)
    if action == NO_ACTION and mask[s.A_DONE]:
        return s.A_DONE
    if action == NO_ACTION:
        action = _first(mask, _DISCARDS)
    if action == NO_ACTION:
        action = _first(mask, _REACT)
    if action == NO_ACTION:
        action = any_of(mask, s.A_SEND, s.A_SHIELD, stream)
    return s.A_NOTHING if action == NO_ACTION else action


@kernel
def strong(observation, mask, stream):
    """Take the action of the highest value."""
    return weigh(observation, mask, TUNED[0])


@kernel
def weigh(observation, mask, weights):
    """Take the action of the highest value by `weights`."""
    views = scratch(1, VIEW)
    empty(views)
    view = views[0]
    read(observation, view)
    look_round(view, weights)
    if view.asked == s.PLAY:
        return _play(view, mask, weights)
    if view.asked == s.DISCARD:
        return _discard(view, mask, weights)
    if view.asked == s.DRAW:
        look_ahead(view, weights)
        return s.A_DRAW if draw_worth(view, c.HAND_LIMIT - view.hand_size[0], True, weights) > 0 else s.A_STOP
    if view.asked == s.ANSWER:
        return _answer(view, weights)
    if view.asked == s.DEFEND:
        return _defend(view, mask, weights)
    if view.asked == s.PAY:
        return _pay(view, mask, weights)
    action, _ = _best_move(view, mask, weights)  # out of the way of the Cabestros
    return action if action != NO_ACTION else s.A_NOTHING


@kernel
def keep_zapatillas(observation, mask):
    """Forbid another special object in place of the Zapatillas, which would be discarded (C3.3)."""
    if observation[_SPECIALS + c.ZAPATILLAS - c.FIRST_SPECIAL] > 0:
        for special in range(c.NUM_SPECIALS):
            mask[s.A_LAY + special] = 0


@kernel
def _moved(view, action, weights):
    """Return the value of my position after a way to advance, and its cost to the runner in front."""
    hand, place, special, harm = view.hand, view.place[0], view.special[0], 0.0
    paid, bonus, steps = c.AVANZAR, c.NO_CARD, 2
    if action == s.A_ADVANCE:
        steps = 1
    elif action == s.A_CARRERA:
        bonus = c.CARRERA
    elif action == s.A_ZAPATILLAS:
        special = c.NO_CARD
    elif action == s.A_PATRON:
        paid, bonus = c.SANTO_PATRON, c.HEMINGWAY
    else:
        other = action - s.A_SWAP + 1
        paid, steps = c.INTERCAMBIO, 1
        harm = weights.place[place + 1] - weights.place[place]
        if place == view.closed + 1:
            harm += weights.sweep * view.near
        harm *= view.threat[other]
    hand[paid] -= 1
    if bonus != c.NO_CARD:
        hand[bonus] -= 1
    value = worth(view, hand, min(place + steps, c.LAST_LOCATION), view.objects[0], special, weights)
    hand[paid] += 1
    if bonus != c.NO_CARD:
        hand[bonus] += 1
    return value + harm


@kernel
def _best_move(view, mask, weights):
    """Return the best way to advance, or NO_ACTION, and the value of my position after it."""
    best, most = NO_ACTION, _NEVER
    for action in range(s.A_ADVANCE, s.A_SWAP + s.NUM_OTHERS):
        if mask[action]:
            value = _moved(view, action, weights)
            if value > most:
                best, most = action, value
    return best, most


@kernel
def _laid(view, special, weights):
    """Return the value of my position with a special object laid, or used immediately if that is better."""
    hand = view.hand
    hand[special] -= 1
    value = worth(view, hand, view.place[0], view.objects[0], special, weights)
    if special == c.ZAPATILLAS and not view.moved and hand[c.AVANZAR]:
        value = max(value, _moved(view, s.A_ZAPATILLAS, weights))
    hand[special] += 1
    return value


@kernel
def _held(view, kind, weights):
    """Return the value of holding a card."""
    before = my_worth(view, weights)
    view.hand[kind] -= 1
    after = my_worth(view, weights)
    view.hand[kind] += 1
    return before - after


@kernel
def _attack_worth(view, kind, target, weights):
    """Return the value of an attack on a runner who does not cancel it."""
    if costs_object(kind):
        return hit_harm(view, target, weights)
    if kind == c.BARRERA:
        return turn_harm(view, target, weights)
    harm, gain = card_harm(view, target, weights)
    return harm + gain if kind == c.PILLO else harm


@kernel
def _best_attack(view, mask, weights, after):
    """Return the attack with the largest gain over holding its card, or NO_ACTION.

    `after` is my location after advancing: attacks that then have a better target are kept for it.
    """
    best, most = NO_ACTION, 0.0
    for kind in range(c.FIRST_ATTACK, c.FIRST_ATTACK + c.NUM_ATTACKS):
        if not view.hand[kind]:
            continue
        held, later, block = _held(view, kind, weights), 0.0, s.A_ATTACK + (kind - c.FIRST_ATTACK) * s.NUM_OTHERS
        if is_aimed_near(kind):
            for seat in range(1, view.seats):
                if view.place[seat] and 0 <= view.place[seat] - after <= 1:
                    later = max(later, hit_harm(view, seat, weights) * open_to(view, seat, c.OTRA_VEZ, c.OTRA_VEZ))
        for seat in range(1, view.seats):
            if mask[block + seat - 1]:
                value = _attack_worth(view, kind, seat, weights) * open_to(view, seat, c.OTRA_VEZ, c.OTRA_VEZ)
                if value >= later and value - held > most:
                    best, most = block + seat - 1, value - held
    return best


@kernel
def _play(view, mask, weights):
    """Win if possible; otherwise attack, lay, recover or advance by value, or be done."""
    now = my_worth(view, weights)
    move, after = _best_move(view, mask, weights)
    if after >= weights.place[c.LAST_LOCATION]:
        return move
    place = view.place[0]
    if move != NO_ACTION:
        place += 1 if move == s.A_ADVANCE or move >= s.A_SWAP else 2
    attack = _best_attack(view, mask, weights, place)
    if attack != NO_ACTION:
        return attack
    best, most = s.A_DONE, now
    for special in range(c.NUM_SPECIALS):
        if mask[s.A_LAY + special]:
            value = _laid(view, c.FIRST_SPECIAL + special, weights)
            if value > most:
                best, most = s.A_LAY + special, value
    if move != NO_ACTION and after > most:
        best, most = move, after
    if mask[s.A_RECOVER] and best == s.A_DONE:
        count = hearts(view, 0)
        gain = heart_worth(count + 1, place, weights) - heart_worth(count, place, weights)
        if gain > _held(view, c.PERDIDOS, weights):
            best = s.A_RECOVER
    return best


@kernel
def _discard(view, mask, weights):
    """Discard the card whose loss leaves the best hand and draws, or none."""
    look_ahead(view, weights)
    best, most = s.A_DONE, _NEVER
    if mask[s.A_DONE]:
        room = c.HAND_LIMIT - view.hand_size[0]
        most = my_worth(view, weights) + draw_worth(view, room, True, weights)
    for kind in range(c.NUM_HAND_CARDS):
        if mask[s.A_DISCARD + kind]:
            view.hand[kind] -= 1
            room = c.HAND_LIMIT - view.hand_size[0] + 1
            value = my_worth(view, weights) + draw_worth(view, room, True, weights)
            view.hand[kind] += 1
            if value > most:
                best, most = s.A_DISCARD + kind, value
    return best


@kernel
def _answer(view, weights):
    """Cancel an attack that costs more than the value of Otra vez será."""
    held = _held(view, c.OTRA_VEZ, weights)
    if costs_object(view.card):
        cost = my_payment(view, weights)
    elif view.card == c.BARRERA:
        cost = weights.turn
        cost += weights.ready if view.place[0] + reach(view.hand, view.special[0]) >= c.LAST_LOCATION else 0.0
    else:
        cost = 0.0
        for kind in range(c.NUM_HAND_CARDS):
            if view.hand[kind]:
                cost += view.hand[kind] * _held(view, kind, weights)
        cost /= view.hand_size[0]
    return s.A_ANSWER if cost > held else s.A_NOTHING


@kernel
def _defend(view, mask, weights):
    """Repel the hit with the cheapest answer, send the bull where it hurts most, or pay."""
    now = my_worth(view, weights)
    on = 0.0
    if view.turn == 0 and view.hand_size[0] < c.HAND_LIMIT:  # a drawer who repels may go on drawing
        look_ahead(view, weights)
        on = draw_worth(view, c.HAND_LIMIT - view.hand_size[0], False, weights)
    best, most = s.A_NOTHING, now - my_payment(view, weights)
    for action in range(s.A_DEFEND, s.A_SHIELD + 2):
        if not mask[action]:
            continue
        if action >= s.A_SHIELD:
            value = worth(view, view.hand, view.place[0], view.objects[0], c.NO_CARD, weights)
        else:
            kind = min(action - s.A_DEFEND, c.TORO_VOLTEADO) if action >= s.A_SEND else action - s.A_DEFEND
            view.hand[kind] -= 1
            value = my_worth(view, weights)
            view.hand[kind] += 1
        if s.A_SEND <= action < s.A_SHIELD:
            seat = action - s.A_SEND + 1
            unguarded = open_to(view, seat, c.RECORTE, c.TORO_VOLTEADO) * (view.special[seat] != c.CAPOTE)
            value += hit_harm(view, seat, weights) * unguarded
        if value + on > most:
            best, most = action, value + on
    return best


@kernel
def _pay(view, mask, weights):
    """Make the cheaper payment; go back rather than be out."""
    if mask[s.A_RETREAT]:
        return s.A_RETREAT
    if not mask[s.A_PAY_OBJECT]:
        return s.A_PAY_SPECIAL
    spared = worth(view, view.hand, view.place[0], view.objects[0] - 1, view.special[0], weights)
    given = worth(view, view.hand, view.place[0], view.objects[0], c.NO_CARD, weights)
    return s.A_PAY_OBJECT if spared >= given else s.A_PAY_SPECIAL
