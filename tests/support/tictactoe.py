"""Tic-tac-toe, a game of perfect information with a known value (a draw), for tests of search."""

import numpy as np

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.record import record
from sobremesa.envs.core.wording import Words

CELLS, NUM_SEATS = 9, 2
LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])
STATE = record(("marks", np.int8, CELLS))  # 0 free, s + 1 of seat s
LAYOUT = Layout(Block("mine", (CELLS,), "my marks"), Block("theirs", (CELLS,), "the other's marks"))


@kernel
def reset(state, seed):
    start(state, seed)


@kernel
def legal(state, mask):
    if not state.over:
        for cell in range(CELLS):
            mask[cell] = state.marks[cell] == 0


@kernel
def winner(state):
    """Return the seat with three in a row, or -1."""
    for line in range(LINES.shape[0]):
        first = state.marks[LINES[line, 0]]
        if first and first == state.marks[LINES[line, 1]] and first == state.marks[LINES[line, 2]]:
            return int(first) - 1
    return -1


@kernel
def play(state, action):
    state.marks[action] = state.seat + 1
    full = True
    for cell in range(CELLS):
        full = full and state.marks[cell] != 0
    state.over = full or winner(state) >= 0
    if not state.over:
        state.seat = 1 - state.seat


@kernel
def payoff(state, out):
    out[:] = 0
    won = winner(state)
    if won >= 0:
        out[won] = 1
        out[1 - won] = -1


@kernel
def observe(state, seat, out):
    for cell in range(CELLS):
        out[cell] = state.marks[cell] == seat + 1
        out[CELLS + cell] = state.marks[cell] == 2 - seat


@kernel
def redeal(state, seat, seed):
    start(state, seed)


def describe(table, seat, language):
    return "".join(".XO"[mark] for mark in table[0].marks)


GAME = Game(
    name="tictactoe", version=0, state=STATE, reset=reset, legal=legal, play=play, payoff=payoff, observe=observe,
    redeal=redeal, num_actions=CELLS, layout=LAYOUT,
    options=(Option("seats", NUM_SEATS, range(NUM_SEATS, NUM_SEATS + 1), "players at the table"),),
    max_plies=CELLS,
    words=Words(
        title={"en": "Tic-tac-toe", "es": "Tres en raya"}, action_name=lambda action, _: str(action),
        parse_action=lambda text, _: int(text), describe=describe, scene=lambda *_: "<svg/>",
        tell=lambda *_: [], help=lambda _: "",
    ),
    problems=lambda _: [], hidden=(),
)  # fmt: skip
