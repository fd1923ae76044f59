"""Observations of liar's dice, and the resampling of hidden dice (L4)."""

from liars_dice.rules import BIDS, FACES
from sobremesa.envs import Block, Layout, below, kernel, start

LAYOUT = Layout(
    Block("die", (FACES,), "my die"),
    Block("shown", (FACES,), "the other die, at the end"),
    Block("mine", (BIDS,), "bids that I made"),
    Block("theirs", (BIDS,), "bids of the other player"),
    Block("turn", (1,), "1 if it is my turn"),
)
DIE, SHOWN, MINE, THEIRS, TURN = (LAYOUT.start(block.name) for block in LAYOUT)


@kernel
def observe(state, seat, out):
    """Write what `seat` knows into `out`: its die and all bids, and both dice at the end (L4)."""
    out[:] = 0
    out[DIE + state.die[seat]] = 1
    if state.over:
        out[SHOWN + state.die[1 - seat]] = 1
    for bid in range(BIDS):
        out[MINE + bid] = state.bidder[bid] == seat + 1
        out[THEIRS + bid] = state.bidder[bid] == 2 - seat
    out[TURN] = state.seat == seat


@kernel
def redeal(state, seat, seed):
    """Roll the other die again unless it has been shown, and start a new random stream (L4)."""
    start(state, seed)
    if not state.over:
        state.die[1 - seat] = below(state, FACES)
