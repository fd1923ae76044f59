"""Observations of Kuhn poker (K4).

There is no `reshuffle`: the two seats together know all cards.
"""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.kuhn_poker.rules import NONE, NUM_CARDS, NUM_SEATS, shown

LAYOUT = Layout(
    Block("card", (NUM_CARDS,), "the observer's card: J, Q, K"),
    Block("shown", (NUM_CARDS,), "the other's card, once shown"),
    Block("pot", (NUM_SEATS,), "chips put in, mine first, in halves", per=2),
    Block("last", (NONE + 1,), "the last action: pass, bet, none"),
    Block("turn", (NUM_SEATS,), "the seat to act, the observer first"),
    Block("first", (1,), "1 if the observer began"),
)
CARD, _SHOWN, _POT, LAST, _TURN, FIRST = (LAYOUT.start(block.name) for block in LAYOUT)


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` (K4)."""
    out[:] = 0
    other = 1 - seat
    out[CARD + int(state.deck[seat])] = 1
    if shown(state):
        out[_SHOWN + int(state.deck[other])] = 1
    out[_POT] = state.pot[seat]
    out[_POT + 1] = state.pot[other]
    out[LAST + int(state.last)] = 1
    out[_TURN + (state.seat != seat)] = 1
    out[FIRST] = seat == 0
