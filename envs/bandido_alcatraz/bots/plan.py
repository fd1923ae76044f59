"""Choices of the strong bot of *Bandido Alcatraz*, each rated by the network that it leaves."""

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots.network import dig
from sobremesa.envs.bandido_alcatraz.bots.value import NUM_WEIGHED, weigh, worth
from sobremesa.envs.bandido_alcatraz.bots.ways import MOST_WAYS, halves, list_ways
from sobremesa.envs.bandido_alcatraz.bots.weights import UNITS
from sobremesa.envs.bandido_alcatraz.cards import EXIT_KIND, NO_CARD, PICTURE, RAINCOAT, ROPE
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND, HOW
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes

GATHER = -1  # in the place of an open end or a flood
MOST_CHOICES = BIG_HAND + MOST_WAYS
CHOICES = with_attributes([("rows", np.int64, (MOST_CHOICES, 3))])  # room for `list_choices`


@kernel
def list_choices(view, mask, choices):
    """Write every choice into `choices` `(MOST_CHOICES, 3)`: where or GATHER, slot, way; return their number."""
    count = 0
    for slot in range(BIG_HAND):
        kind = view.hand[slot]
        if view.asked != HOW and kind != NO_CARD:
            coat, rope = PICTURE[kind] == RAINCOAT, PICTURE[kind] == ROPE
            if (coat and view.coats_needed) or (rope and view.ropes_needed):
                choices[count, 0], choices[count, 1], choices[count, 2] = GATHER, slot, 0
                count += 1
    return count + list_ways(view, mask, choices[count:])


@kernel
def weigh_choice(view, choice, networks, hand, features):
    """Write the features after a choice; return WON, LOST, or 0 for neither."""
    where, slot, way = choice
    kind = view.hand[slot]
    _hold(view, slot, hand)
    if where == GATHER:
        coat = PICTURE[kind] == RAINCOAT
        hand.raincoats -= coat
        hand.ropes -= 1 - coat
        return weigh(view, networks[0], hand, features)
    grid, one = view.grid, view.at[where]
    here, there, step = halves(kind, way)
    before_here, before_there = grid[one], grid[one + step]
    grid[one], grid[one + step] = here, there
    dig(grid, networks[0], one, one + step, networks[1])
    grid[one], grid[one + step] = before_here, before_there
    hand.exit_laid |= kind == EXIT_KIND
    return weigh(view, networks[1], hand, features)


@kernel
def _hold(view, played, hand):
    """Fill `hand` with my cards after playing a card."""
    hand.kinds = 0
    for slot in range(BIG_HAND):
        hand.cards[slot] = NO_CARD if slot == played else view.hand[slot]
        if hand.cards[slot] != NO_CARD:
            hand.kinds |= 1 << hand.cards[slot]
    hand.raincoats, hand.ropes, hand.exit_laid = view.coats_needed, view.ropes_needed, view.exit_laid


@kernel
def odds_of(view, choice, networks, hand, weights, features, units):
    """Return the value of a choice: WON, LOST, or the log odds of an escape."""
    odds = weigh_choice(view, choice, networks, hand, features)
    return odds if odds != 0 else worth(features, weights, units)


@kernel
def best_choice(view, choices, count, networks, hand, weights):
    """Return the number of the choice after which an escape is most likely, -1 without choices."""
    features, units = scratch(NUM_WEIGHED, np.float64), scratch(UNITS, np.float64)
    best, most = -1, 0.0
    for number in range(count):
        odds = odds_of(view, choices[number], networks, hand, weights, features, units)
        if best < 0 or odds > most:
            best, most = number, odds
    return best
