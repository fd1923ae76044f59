"""Plank, the smallest game of elimination, for 2 to 5 seats.

In turn the remaining seats stay or jump. Staying falls with probability 1/4, jumping with 1/2. The
last seat left wins; after 20 plies the seats left share the win.
"""

import dataclasses

import numpy as np

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.record import record
from sobremesa.envs.core.wording import Words

STAY, JUMP = 0, 1
MOST_SEATS, MAX_PLIES = 5, 20

STATE = record(("left", np.uint8, MOST_SEATS))  # 1 for each seat that has not fallen
LAYOUT = Layout(
    Block("left", (MOST_SEATS,), "seats that have not fallen, me first"),
    Block("present", (MOST_SEATS,), "seats at the table, me first"),
    Block("place", (MOST_SEATS,), "my seat"),
    Block("ply", (1,), "plies played, in twentieths", per=MAX_PLIES),
)
_PRESENT, _PLACE, _PLY = (LAYOUT.start(name) for name in ("present", "place", "ply"))


@kernel
def reset(state, seed):
    start(state, seed)
    for seat in range(state.seats):
        state.left[seat] = 1


@kernel
def legal(state, mask):
    mask[:] = not state.over


@kernel
def play(state, action):
    if below(state, 2 if action == JUMP else 4) == 0:
        state.left[state.seat] = 0
    left = 0
    for seat in range(state.seats):
        left += int(state.left[seat])
    state.over = left <= 1 or state.ply == MAX_PLIES
    if not state.over:
        following = (int(state.seat) + 1) % int(state.seats)
        while not state.left[following]:
            following = (following + 1) % int(state.seats)
        state.seat = following


@kernel
def payoff(state, out):
    out[:] = 0
    if not state.over:
        return
    seats, left = int(state.seats), 0
    for seat in range(seats):
        left += int(state.left[seat])
    for seat in range(seats):
        won = (seats - left) / (left * (seats - 1))
        out[seat] = won if state.left[seat] else -1 / (seats - 1)


@kernel
def observe(state, seat, out):
    out[:] = 0
    seats = int(state.seats)
    for away in range(seats):
        out[away] = state.left[(seat + away) % seats]
        out[_PRESENT + away] = 1
    out[_PLACE + seat] = 1
    out[_PLY] = state.ply


@kernel
def redeal(state, seat, seed):
    start(state, seed)


def action_name(action, language):
    return ("stay", "jump")[action]


GAME = Game(
    name="plank", version=1, state=STATE, reset=reset, legal=legal, play=play, payoff=payoff, observe=observe,
    redeal=redeal, num_actions=2, layout=LAYOUT, max_plies=MAX_PLIES,
    options=(Option("seats", 3, range(2, MOST_SEATS + 1), "players at the table"),),
    words=Words(
        title={"en": "Plank", "es": "Tabla"}, action_name=action_name,
        parse_action=lambda text, language: ("stay", "jump").index(text),
        describe=lambda table, seat, language: f"left {table['left'][0]}",
        scene=lambda table, seat, language: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
        tell=lambda before, action, after, seat, language: [action_name(action, language)],
        help=lambda language: "Stay or jump; the last one left wins.",
    ),
    problems=lambda table: [],
)  # fmt: skip


@kernel
def pay_together(state, out):
    out[:] = 0
    if state.over and state.ply == MAX_PLIES:
        for seat in range(state.seats):
            out[seat] = 1


# All win if two are left at the last ply: whoever stays is of more use than whoever jumps.
TEAM = dataclasses.replace(GAME, name="team_plank", payoff=pay_together, cooperative=True)


@kernel
def stay(observation, mask, stream):
    return STAY


@kernel
def jump(observation, mask, stream):
    return JUMP


STAYER, JUMPER = KernelAgent("stayer", stay), KernelAgent("jumper", jump)
