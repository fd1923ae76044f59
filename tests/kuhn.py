"""Kuhn poker, the smallest room: everything generic can be checked against its known answers.

H. W. Kuhn, "A simplified two-person poker" (1950). Clauses:

- K1 Three cards, J < Q < K, are shuffled; each of two seats gets one and puts in one chip. The third stays unseen.
- K2 In turn the seats pass or bet one chip more; a pass by both, an answered bet or a pass after a bet ends the deal.
- K3 A seat that passes after a bet loses what it put in; otherwise cards are shown and the higher one wins the other's
  chips. Payoffs are in units of two chips, so that they lie in [-1, 1].
- K4 A seat sees its own card, and the other's once shown.
"""

import dataclasses

import numpy as np

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.game import SEAT_SIGNS, Game, Option, Words
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.record import record

PASS, BET, NONE = 0, 1, 2
NUM_SEATS, NUM_ACTIONS, NUM_CARDS, MAX_PLIES = 2, 2, 3, 3
CHIPS_PER_UNIT = 2

STATE = record(
    ("deck", np.int8, NUM_CARDS),  # deck[s] is the card of seat s, 0 low; deck[2] lies unseen
    ("pot", np.int8, NUM_SEATS),  # chips put in by each seat, 1 or 2
    ("last", np.int8),  # last action; NONE before the first
)

LAYOUT = Layout(
    Block("card", (NUM_CARDS,), "my card: J, Q, K"),
    Block("shown", (NUM_CARDS,), "the other's card, once shown"),
    Block("pot", (NUM_SEATS,), "chips put in, mine first, in halves", per=2),
    Block("last", (NONE + 1,), "the last action: pass, bet, none"),
    Block("turn", (NUM_SEATS,), "the seat to act, me first"),
    Block("first", (1,), "1 if I began"),
)
_CARD, _SHOWN, _POT, _LAST, _TURN, _FIRST = (LAYOUT.start(block.name) for block in LAYOUT)


@kernel
def reset(state, seed):
    """Shuffle the cards and take the antes (K1)."""
    start(state, seed)
    for card in range(NUM_CARDS):
        state.deck[card] = card
    shuffle(state, state.deck, NUM_CARDS)
    state.pot[:] = 1
    state.last = NONE


@kernel
def legal(state, mask):
    """Allow passing and betting until the end (K2)."""
    mask[:] = not state.over


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat` (K2)."""
    facing_bet = state.last == BET
    if action == BET:
        state.pot[state.seat] += 1
    state.over = facing_bet or (action == PASS and state.last == PASS)
    state.last = action
    if not state.over:
        state.seat = 1 - state.seat


@kernel
def payoff(state, out):
    """Pay half a unit for each chip won (K3)."""
    out[:] = 0
    if not state.over:
        return
    if state.pot[0] == state.pot[1]:
        winner = 0 if state.deck[0] > state.deck[1] else 1
    else:
        winner = 0 if state.pot[0] > state.pot[1] else 1
    won = min(state.pot[0], state.pot[1]) / CHIPS_PER_UNIT
    out[winner] = won
    out[1 - winner] = -won


@kernel
def shown(state):
    """Say whether the cards are shown (K3)."""
    return state.over == 1 and state.pot[0] == state.pot[1]


@kernel
def observe(state, seat, out):
    """Write what `seat` sees into `out` (K4)."""
    out[:] = 0
    other = 1 - seat
    out[_CARD + int(state.deck[seat])] = 1
    if shown(state):
        out[_SHOWN + int(state.deck[other])] = 1
    out[_POT] = state.pot[seat]
    out[_POT + 1] = state.pot[other]
    out[_LAST + int(state.last)] = 1
    out[_TURN + (state.seat != seat)] = 1
    out[_FIRST] = seat == 0


@kernel
def redeal(state, seat, seed):
    """Draw the other's card from the two that `seat` has not seen, and begin another stream (K4)."""
    start(state, seed)
    if shown(state):
        return
    unseen = np.empty(2, np.int8)
    count = 0
    for card in range(NUM_CARDS):
        if card != state.deck[seat]:
            unseen[count] = card
            count += 1
    first = below(state, 2)
    state.deck[1 - seat] = unseen[first]
    state.deck[2] = unseen[1 - first]


CARDS = "JQK"
NAMES = {"en": ("pass", "bet"), "es": ("pasar", "apostar")}
WORDS = {
    "en": ("Seat {}", "holds {}", "put in {}", "to act", "the deal is over"),
    "es": ("Asiento {}", "tiene {}", "ha puesto {}", "le toca", "se acabó"),
}
HELP = {
    "en": "Three cards, J < Q < K. Pass or bet a chip; the higher card wins. Type pass or bet.",
    "es": "Tres cartas, J < Q < K. Pasa o apuesta una ficha; gana la carta mayor. Escribe pasar o apostar.",
}


def action_name(action, language):
    return NAMES[language][action]


def parse_action(text, language):
    if text not in NAMES[language]:
        raise ValueError(f"{text!r} is no action; it takes {' or '.join(NAMES[language])}")
    return NAMES[language].index(text)


def _lines(table, seat, language):
    state, (name, holds, put_in, to_act, over) = table[0], WORDS[language]
    for other in range(NUM_SEATS):
        card = CARDS[state.deck[other]] if seat in (None, other) or shown(state) else "?"
        parts = [name.format(other), holds.format(card), put_in.format(state.pot[other])]
        yield ", ".join([*parts, to_act] if state.seat == other and not state.over else parts)
    if state.over:
        yield over


def describe(table, seat, language):
    return "\n".join(_lines(table, seat, language))


def scene(table, seat, language):
    lines = enumerate(_lines(table, seat, language))
    texts = "".join(f'<text x="4" y="{16 + 16 * number}">{line}</text>' for number, line in lines)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 60">{texts}</svg>'


def tell(before, action, after, seat, language):
    return [f"{SEAT_SIGNS[before[0].seat]} {action_name(action, language)}"]


def problems(table):
    state, found = table[0], []
    if sorted(state.deck) != list(range(NUM_CARDS)):
        found.append(f"cards {state.deck}")
    if not set(state.pot.tolist()) <= {1, 2}:
        found.append(f"pot {state.pot}")
    if state.last not in (PASS, BET, NONE) or (state.last == NONE and state.pot.sum() > NUM_SEATS):
        found.append(f"last action {state.last} with {state.pot} in the pot")
    if not 0 <= state.seat < NUM_SEATS:
        found.append(f"seat {state.seat} to act")
    return found


GAME = Game(
    name="kuhn",
    version=1,
    state=STATE,
    reset=reset,
    legal=legal,
    play=play,
    payoff=payoff,
    observe=observe,
    redeal=redeal,
    num_actions=NUM_ACTIONS,
    layout=LAYOUT,
    options=(Option("seats", NUM_SEATS, range(NUM_SEATS, NUM_SEATS + 1), "players at the table"),),
    max_plies=MAX_PLIES,
    words=Words(
        title={"en": "Kuhn poker", "es": "Póquer de Kuhn"},
        action_name=action_name,
        parse_action=parse_action,
        describe=describe,
        scene=scene,
        tell=tell,
        help=HELP.__getitem__,
    ),
    room_problems=problems,
)

ROLES = {"en": ("Opener", "Answerer"), "es": ("Mano", "Postre")}
WITH_ROLES = dataclasses.replace(GAME, roles=ROLES)


@kernel
def bet_always(observation, mask, stream):
    return BET


@kernel
def bet_high(observation, mask, stream):
    return BET if observation[_CARD + NUM_CARDS - 1] else PASS


ALWAYS, HIGH = KernelAgent("always", bet_always), KernelAgent("high", bet_high)
