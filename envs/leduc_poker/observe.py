"""Observations of Leduc poker (L5).

There is no `reshuffle`: the public card is drawn from the random stream when it is shown (L3).
"""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.leduc_poker import rules as r
from sobremesa.envs.leduc_poker.rules import shown

LAYOUT = Layout(
    Block("card", (r.NUM_CARDS,), "the observer's card: J♠, J♥, Q♠, Q♥, K♠, K♥"),
    Block("public", (r.NUM_CARDS,), "the public card, in the second round"),
    Block("shown", (r.NUM_CARDS,), "the other's card, once shown"),
    Block("history", (r.NUM_ROUNDS, r.MOST_ACTIONS, r.NUM_ACTIONS), "each round's actions in order: fold, call, raise"),
    Block("pot", (r.NUM_SEATS,), "chips put in, mine first, in thirteenths", per=r.MOST_CHIPS),
    Block("round", (r.NUM_ROUNDS,), "the round"),
    Block("turn", (r.NUM_SEATS,), "the seat to act, the observer first"),
    Block("first", (1,), "1 if the observer opens the rounds"),
)
CARD, PUBLIC, _SHOWN, _HISTORY, POT, _ROUND, _TURN, _FIRST = (LAYOUT.start(block.name) for block in LAYOUT)


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` (L5)."""
    out[:] = 0
    other = 1 - seat
    out[CARD + int(state.card[seat])] = 1
    if state.public != r.NO_CARD:
        out[PUBLIC + int(state.public)] = 1
    if shown(state):
        out[_SHOWN + int(state.card[other])] = 1
    for betting_round in range(r.NUM_ROUNDS):
        for place in range(r.MOST_ACTIONS):
            action = int(state.history[betting_round, place])
            if action != r.NONE:
                out[_HISTORY + (betting_round * r.MOST_ACTIONS + place) * r.NUM_ACTIONS + action] = 1
    out[POT] = state.pot[seat]
    out[POT + 1] = state.pot[other]
    out[_ROUND + int(state.betting_round)] = 1
    out[_TURN + (state.seat != seat)] = 1
    out[_FIRST] = seat == 0
