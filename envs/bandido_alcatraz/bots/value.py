"""Value of a network and a hand for the strong bot of *Bandido Alcatraz*: the odds of an escape.

`weigh` counts what matters, above all which of the cards that are left fit next to each open end, which of them close
more ends than they open, and which of my own do. `worth` makes one number of it, a natural logarithm of the odds.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots import tables as t
from sobremesa.envs.bandido_alcatraz.bots.network import apart
from sobremesa.envs.bandido_alcatraz.cards import EXIT_KIND, NO_CARD, NUM_CARDS
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes

WON, LOST = 1e6, -1e6  # what an ending is worth

# Features by number. Of the cells to be covered: how many there are
F_CLOSING = 0  # 0 to 3: where few to many of the cards left close more than they open
F_FITTING = 4  # 4 to 7: where few to many fit
F_MY_CLOSING, F_MY_FITTING = 8, 9  # where a card of mine closes, fits
F_NARROW = 10  # 10, 11: with room for the other half on one side, on two
F_LONELY, F_TIGHT = 16, 17  # fading with each card left that closes, that fits
F_LEAST, F_FEWEST = 18, 19  # the smallest share of cards left that close, that fit at one of them
F_ENDS, F_CELLS, F_JOINTS, F_CROWD = 20, 27, 28, 29  # open ends (21 to 26: just so many), cells, with two ends, squared
F_JOINING, F_MOST_JOINING = 64, 65  # the share of cards left that close two, summed; the largest
F_NEAREST = 66  # 66 to 69: by how near the next one is
F_CLOSE_SUM, F_LEVEL_SUM = 70, 71  # the shares that close one, none at least, summed
# Of the water
F_MY_COVER, F_FLOODS, F_COVER, F_WET = 12, 13, 14, 15  # floods I can cover, floods, the smallest share of covers, any
# Of EXIT
F_EXIT_LAID, F_MY_EXIT, F_TAKERS, F_TAKEN, F_ONLY = 30, 31, 32, 33, 34  # cells where it fits, any, where it alone fits
F_SNUG, F_LAST, F_LAST_YET, F_LAST_CELL = 35, 36, 37, 38  # fewest cards that fit where it does; one end left, or cell
# Of the material
F_COATS, F_ROPES, F_MY_COATS, F_MY_ROPES, F_SPARE_COATS, F_SPARE_ROPES = 39, 40, 41, 42, 43, 44
F_NEEDY, F_NEEDS, F_READY = 45, 46, 47
# Of the cards left, and of mine: which of them join, close, do no harm, fit anywhere; can be played, without harm
F_SHARES, F_MINE, F_PLAYABLE, F_SAFE = 48, 52, 56, 57
F_HAND, F_OPENINGS, F_CAPS, F_PILE, F_TURNS, F_SEATS = 58, 59, 60, 61, 62, 63
# and what there is of them for each open end
F_CLOSERS_EACH, F_CARDS_EACH, F_CAPS_EACH, F_MY_OPENINGS, F_WATER, F_MY_WATER, F_ALONE, F_ODDS = range(72, 80)
NUM_WEIGHED = 80

# What is counted once for a whole hand, before the network is weighed.
HOLDING = with_attributes(
    [
        ("cards", np.int64, BIG_HAND),  # kinds; NO_CARD
        ("kinds", np.int64),  # the set of them
        ("raincoats", np.int64),  # still needed
        ("ropes", np.int64),
        ("exit_laid", np.int64),
    ]
)


@kernel
def size(kinds):
    """Return the number of kinds in a set."""
    kinds = (kinds & 0x5555555555555555) + (kinds >> 1 & 0x5555555555555555)
    kinds = (kinds & 0x3333333333333333) + (kinds >> 2 & 0x3333333333333333)
    kinds = kinds + (kinds >> 4) & 0x0F0F0F0F0F0F0F0F
    kinds += kinds >> 8
    kinds += kinds >> 16
    kinds += kinds >> 32
    return kinds & 127


@kernel
def left(view, kinds):
    """Return the number of cards left of a set of kinds."""
    return size(kinds & view.ones) + size(kinds & view.twos)


@kernel
def weigh(view, network, hand, out):
    """Write the features of a network with a hand into `out` `(NUM_WEIGHED,)`; return WON, LOST, or 0 for neither."""
    out[:] = 0
    if network.count == 0:
        done = hand.exit_laid and network.floods == 0 and hand.raincoats == 0 and hand.ropes == 0
        return WON if done else LOST
    exit_there = (1 - hand.exit_laid) * ((hand.kinds | view.ones) >> EXIT_KIND & 1)
    if not hand.exit_laid and not exit_there:
        return LOST
    total = view.total + 1e-9
    sets = scratch(t.NUM_GRADES, np.int64)
    sets[:] = 0
    lost = _weigh_material(view, hand, out)
    lost |= _weigh_cells(view, network, hand, exit_there, sets, out)
    lost |= _weigh_water(view, network, hand, sets, out)
    if lost:
        return LOST
    _weigh_cards(view, hand, sets, out)
    ends = int(out[F_ENDS])
    if ends < 7:
        out[F_ENDS + ends] = 1
    out[F_CELLS], out[F_CROWD] = network.count, ends * ends / 16.0
    out[F_LAST] = (ends == 1) * hand.exit_laid
    out[F_LAST_YET] = (ends == 1) * (1 - hand.exit_laid)
    out[F_LAST_CELL] = (network.count == 1) * (1 - hand.exit_laid)
    needs = hand.raincoats + hand.ropes
    out[F_CLOSERS_EACH] = min(left(view, sets[t.CLOSES]) / ends, 10.0)
    out[F_CARDS_EACH] = min((view.pile_size + view.cards) / ends, 15.0)
    out[F_CAPS_EACH] = min((left(view, t.CAPS) - needs) / ends, 6.0)
    out[F_WATER] = left(view, t.FLOOD_KINDS)
    out[F_OPENINGS] = view.openings / total
    out[F_CAPS] = left(view, t.CAPS) / total
    out[F_PILE] = view.pile_size / NUM_CARDS
    out[F_TURNS] = (view.pile_size + view.cards) / NUM_CARDS
    out[F_SEATS] = 1.0 / view.seats
    return 0.0


@kernel
def _weigh_material(view, hand, out):
    """Write the features of EXIT, raincoats and ropes; return whether too few are left."""
    coats, ropes = 0, 0
    for slot in range(BIG_HAND):
        if hand.cards[slot] != NO_CARD:
            coats += t.RAINCOAT_KINDS >> hand.cards[slot] & 1
            ropes += t.ROPE_KINDS >> hand.cards[slot] & 1
            out[F_MY_EXIT] += hand.cards[slot] == EXIT_KIND
            out[F_MY_WATER] += t.FLOOD_KINDS >> hand.cards[slot] & 1
            out[F_MY_OPENINGS] += t.OPENINGS[hand.cards[slot]]
            out[F_HAND] += 1
    needs = hand.raincoats + hand.ropes
    spare_coats = left(view, t.RAINCOAT_KINDS) + coats - hand.raincoats
    spare_ropes = left(view, t.ROPE_KINDS) + ropes - hand.ropes
    out[F_EXIT_LAID] = hand.exit_laid
    out[F_COATS], out[F_ROPES] = hand.raincoats, hand.ropes
    out[F_MY_COATS], out[F_MY_ROPES] = min(coats, hand.raincoats), min(ropes, hand.ropes)
    out[F_SPARE_COATS], out[F_SPARE_ROPES] = min(spare_coats, 6), min(spare_ropes, 5)
    out[F_NEEDY], out[F_NEEDS] = needs > 0, needs
    out[F_READY] = (needs == 0) * hand.exit_laid
    return spare_coats < 0 or spare_ropes < 0


@kernel
def _weigh_cells(view, network, hand, exit_there, sets, out):
    """Write the features of cells to be covered, and the kinds that fit into `sets`; return whether one is blocked."""
    total = view.total + 1e-9
    out[F_LEAST] = out[F_FEWEST] = out[F_SNUG] = 1.0
    for number in range(network.count):
        own = network.sets[number]
        for grade in range(t.NUM_GRADES):
            sets[grade] |= own[grade]
        closers, fitting = left(view, own[t.CLOSES]), left(view, own[t.ANY])
        close, fit, join = closers / total, fitting / total, left(view, own[t.JOINS]) / total
        taken = network.takes_exit[number] & exit_there
        if fitting == 0 and not own[t.ANY] & hand.kinds:
            if not taken:
                return True
            out[F_ONLY] += 1
        if taken:
            out[F_TAKERS] = min(out[F_TAKERS] + 1, 3)
            out[F_TAKEN] = 1
            out[F_SNUG] = min(out[F_SNUG], fit)
        out[F_CLOSING + (close > 0.02) + (close > 0.07) + (close > 0.14)] += 1
        out[F_FITTING + (fit > 0.08) + (fit > 0.2) + (fit > 0.4)] += 1
        out[F_MY_CLOSING] += (own[t.CLOSES] & hand.kinds) != 0
        out[F_MY_FITTING] += (own[t.ANY] & hand.kinds) != 0
        if 1 <= network.room[number] <= 2:
            out[F_NARROW + network.room[number] - 1] += 1
        out[F_LONELY] += np.exp(-0.4 * closers)
        out[F_TIGHT] += np.exp(-0.3 * fitting)
        out[F_LEAST], out[F_FEWEST] = min(out[F_LEAST], close), min(out[F_FEWEST], fit)
        out[F_ENDS] += network.tunnels[number]
        out[F_JOINTS] += network.tunnels[number] > 1
        out[F_ALONE] += join == 0
        out[F_ODDS] += np.log(close + 0.02)
        out[F_JOINING] += join
        out[F_MOST_JOINING] = max(out[F_MOST_JOINING], join)
        out[F_NEAREST + _nearest(network, number)] += 1
        out[F_CLOSE_SUM] += close
        out[F_LEVEL_SUM] += left(view, own[t.LEVEL]) / total
    return out[F_ONLY] > 1


@kernel
def _nearest(network, number):
    """Return how near the next cell to be covered is: 0 next to this one, 1 or 2 a little further, 3 far away."""
    least = 4
    for other in range(network.count):
        if other != number:
            least = min(least, apart(network.cell[number], network.cell[other]))
    return max(least, 1) - 1


@kernel
def _weigh_water(view, network, hand, sets, out):
    """Write the features of floods; return whether one can never be covered."""
    total = view.total + 1e-9
    out[F_FLOODS], out[F_WET], out[F_COVER] = network.floods, network.floods > 0, 1.0
    for number in range(network.floods):
        cover = network.cover[number]
        if left(view, cover) == 0 and not cover & hand.kinds:
            return True
        out[F_COVER] = min(out[F_COVER], left(view, cover) / total)
        out[F_MY_COVER] += (cover & hand.kinds) != 0
        sets[t.ANY] |= cover
    return False


@kernel
def _weigh_cards(view, hand, sets, out):
    """Write the features of the uses of my cards and of the cards left."""
    total = view.total + 1e-9
    for grade in range(t.NUM_GRADES):
        kinds = sets[t.NUM_GRADES - 1 - grade]
        out[F_SHARES + grade] = left(view, kinds) / total
        for slot in range(BIG_HAND):
            if hand.cards[slot] != NO_CARD:
                out[F_MINE + grade] += kinds >> hand.cards[slot] & 1
    wanted = (t.RAINCOAT_KINDS if hand.raincoats else 0) | (t.ROPE_KINDS if hand.ropes else 0)
    out[F_PLAYABLE] = left(view, sets[t.ANY] | wanted) / total
    out[F_SAFE] = left(view, sets[t.LEVEL] | wanted) / total


@kernel
def worth(features, weights, units):
    """Return the logarithm of the odds of an escape, from features `(NUM_WEIGHED,)`.

    weights: (NUM_WEIGHED + 2, units) float64: the weights of each feature, what is added to them, and what a unit
        counts for as far as it is above zero. units: room for them, (units,).
    """
    count = units.shape[0]
    for unit in range(count):
        units[unit] = weights[NUM_WEIGHED, unit]
    for place in range(NUM_WEIGHED):
        feature = features[place]
        if feature != 0:
            for unit in range(count):
                units[unit] += feature * weights[place, unit]
    odds = 0.0
    for unit in range(count):
        odds += weights[NUM_WEIGHED + 1, unit] * max(units[unit], 0.0)
    return odds
