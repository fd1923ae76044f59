"""Recall, the smallest game of memory, for two seats.

Each seat sees one of three cards at its first ply only, then plays `BLANK` plies without meaning, and at its last ply
names the card. A right name beats a wrong one. An agent without memory is right a third of the time.
"""

import numpy as np

from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.record import record
from sobremesa.envs.core.wording import Words

NUM_SEATS, NUM_CARDS, BLANK = 2, 3, 2
MAX_PLIES = NUM_SEATS * (BLANK + 2)
NAMES = ("uno", "dos", "tres")

STATE = record(("cards", np.int8, NUM_SEATS), ("named", np.int8, NUM_SEATS))
LAYOUT = Layout(
    Block("card", (NUM_CARDS,), "my card, at my first ply"),
    Block("ply", (BLANK + 2,), "plies that I have played, up to the last"),
)


@kernel
def reset(state, seed):
    start(state, seed)
    for seat in range(NUM_SEATS):
        state.cards[seat] = below(state, NUM_CARDS)


@kernel
def legal(state, mask):
    mask[:] = not state.over


@kernel
def play(state, action):
    state.named[state.seat] = action
    state.over = state.ply == MAX_PLIES
    if not state.over:
        state.seat = 1 - state.seat


@kernel
def payoff(state, out):
    out[:] = 0
    if state.over:
        mine, yours = state.named[0] == state.cards[0], state.named[1] == state.cards[1]
        out[0] = int(mine) - int(yours)
        out[1] = -out[0]


@kernel
def observe(state, seat, out):
    out[:] = 0
    played = min(int(state.ply) // NUM_SEATS, BLANK + 1)
    if played == 0:
        out[int(state.cards[seat])] = 1
    out[NUM_CARDS + played] = 1


@kernel
def redeal(state, seat, seed):
    start(state, seed)
    state.cards[1 - seat] = below(state, NUM_CARDS)


def action_name(action, language):
    return NAMES[action]


GAME = Game(
    name="recall", version=1, state=STATE, reset=reset, legal=legal, play=play, payoff=payoff, observe=observe,
    redeal=redeal, num_actions=NUM_CARDS, layout=LAYOUT, max_plies=MAX_PLIES,
    options=(Option("seats", NUM_SEATS, range(NUM_SEATS, NUM_SEATS + 1), "players at the table"),),
    words=Words(
        title={"en": "Recall", "es": "Memoria"}, action_name=action_name,
        parse_action=lambda text, language: NAMES.index(text),
        describe=lambda table, seat, language: f"ply {table['ply'][0]}",
        scene=lambda table, seat, language: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
        tell=lambda before, action, after, seat, language: [action_name(action, language)],
        help=lambda language: "Remember the card of your first ply and name it at your last.",
    ),
    problems=lambda table: [],
)  # fmt: skip
