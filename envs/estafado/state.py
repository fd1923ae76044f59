"""The state of *Estafado*: record, action numbers, and basic operations.

Seat 0 is the fox's player, seat 1 the crow's. Clause numbers refer to RULES.md.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import news, note
from sobremesa.envs.core.record import record
from sobremesa.envs.estafado import cards as c
from sobremesa.envs.estafado.board import NUM_CELLS, RING

FOX, CROW = 0, 1  # seats
BALANCED, RULEBOOK, DUSK = 0, 1, 2  # option reading (O1)
ALL_MISS, ANY_HIT = 0, 1  # option rolls (O3)
DECK_SWAPS = 3  # the crow's, in a deal
PILE_SIZE = DECK_SWAPS  # cards that she has taken out of the game
MIN_DISTANCE = 5  # of the eagle's start from the crow, balanced (H3)

# Questions to the seat to act; GO_ON means an automatic move.
(
    START, MOVE, REPLACE, LEAPING, TUNNELLING, PEEKING, SWAP_FIRST, SWAP_SECOND, DIVING, EAGLE,
    SLIDE, LOOK, EXCHANGE, BEAR, GO_ON,
) = range(15)  # fmt: skip
NUM_QUESTIONS = GO_ON
ASKED = np.array([FOX] * SLIDE + [CROW] * (GO_ON - SLIDE) + [FOX], np.int8)  # the seat that is asked, by stage


@kernel
def is_in_step(stage):
    """Return whether a question belongs to the fox's step: its move and the effects of cards."""
    return MOVE <= stage <= DIVING


# Actions, by block; a block of cells has one action for each.
A_GO = 0  # + cell: the fox moves or leaps there
A_TUNNEL = A_GO + NUM_CELLS  # + cell: he tunnels there
A_VIXEN = A_TUNNEL + NUM_CELLS  # + cell: she protects it
A_LOOK = A_VIXEN + NUM_CELLS  # + cell: look at the card there
A_SWAP = A_LOOK + NUM_CELLS  # + cell: swap the card there
A_BEAR = A_SWAP + NUM_CELLS  # + cell: the bear moves there
A_START = A_BEAR + NUM_CELLS  # + space: the eagle begins there
A_EAGLE = A_START + RING  # -2, -1, 1, 2 spaces clockwise
A_SLIDE = A_EAGLE + 4  # the crow: -1, 1
A_HAND = A_SLIDE + 2  # + slot: a card of the hand takes the place of the one revealed
A_PASS = A_HAND + c.HAND_SIZE  # keep, decline, or stop
A_DECK = A_PASS + 1  # swap with the top card of the deck
NUM_ACTIONS = A_DECK + 1
EAGLE_STEPS = np.array([-2, -1, 1, 2], np.int8)
SLIDE_STEPS = np.array([-1, 1], np.int8)

# Events of the news: (event, and up to three numbers: cells, spaces, kinds of public cards, or counts)
(
    E_STARTS, E_MOVES, E_TUNNELS, E_LEAPS, E_REVEALS, E_REPLACES, E_ROLLS, E_CATCHES, E_EVADES, E_YIKES, E_OUCH,
    E_PEEKS, E_SWAPS, E_SWAP_FAILS, E_SHOWS, E_DIVES, E_BEAR_SKIPS, E_STEAL, E_HURRICANE, E_LEAVES, E_DOWN, E_EXTRA,
    E_LOST_TURN, E_VIXEN, E_EAGLE, E_SLIDES, E_LOOKS, E_NOTHING, E_EXCHANGES, E_BURIES, E_BEAR, E_BEAR_STAYS,
    E_BEAR_STUCK, E_SUN, E_WINS,
) = range(35)  # fmt: skip
NEWS_LENGTH = 40  # further events of one ply are dropped
RABBITS, CAUGHT, SUNSET, EATEN = 1, 2, 3, 4  # endings: three rabbits, eagle on crow, the sun, bear on fox

# Twenty rounds of at most three steps of the fox: only a capture gives another step, and the third one ends the deal.
# In a step each card that leads on (leaps and tunnels) does so once, with two plies, and the last card asks for six at
# most. The other plies: one eagle's start, one vixen, and in each round the eagle, the crow three times, the bear.
MAX_PLIES = 20 * 3 * (1 + c.LEADS_ON * 2 + 6) + 2 + 20 * 5

STATE = record(
    ("reading", np.int8),  # setup: BALANCED, RULEBOOK or DUSK (O1)
    ("evading_faces", np.int8),  # setup: faces of the die, of six, on which a rabbit gets away (O2)
    ("rolls", np.int8),  # setup: ALL_MISS or ANY_HIT (O3)
    ("bear_blocks", np.uint8),  # setup: 1 if the fox cannot enter the bear's card (O4)
    ("stage", np.int8),  # the question to `seat`
    # tokens
    ("fox", np.int8),  # cell
    ("fox_start", np.int8),  # where this step of his began
    ("bear", np.int8),  # cell
    ("bear_before", np.int8),  # where its arrow points; NOWHERE
    ("vixen", np.int8),  # cell; NOWHERE while she has not been placed
    ("eagle", np.int8),  # space; NO_SPACE before it is chosen
    ("crow", np.int8),  # space
    ("sun", np.int8),  # steps that it has gone, 0..20
    # rights and hindrances
    ("double", np.uint8),  # 1 while the eagle may move two spaces
    ("deck_swaps", np.int8),  # that the crow has left, 0..3
    ("lost", np.uint8),  # 1 if the fox loses his next turn
    ("bear_skip", np.uint8),  # 1 if the bear does not move next time
    ("caught", np.uint8),  # 1 if a rabbit was caught in this step
    # cards
    ("cards", np.int8, NUM_CELLS),  # kinds on the floor
    ("up", np.uint8, NUM_CELLS),  # 1 for cards that lie face-up
    ("shown", np.uint8, NUM_CELLS),  # 1 for those that were turned up in this step
    ("known", np.uint8, (2, NUM_CELLS)),  # 1 where a seat knows the card; that it knows is no secret
    ("no_rabbit", np.uint8, NUM_CELLS),  # 1 where all know that there is none
    ("swappable", np.uint8, NUM_CELLS),  # 1 where all know that the card does not bar swaps
    ("hand", np.int8, c.HAND_SIZE),  # the fox's, by slot; NO_CARD for those played
    ("prey", np.int8, c.NUM_RABBITS),  # rabbits caught, in order; NO_CARD behind them
    ("catches", np.int8),  # how many, 0..3
    ("deck", np.int8, c.DECK_SIZE),  # the top card last; NO_CARD behind it
    ("deck_size", np.int8),  # 11..18 (H10), at dusk 1..2: caught, buried and one-shot cards are replaced
    ("discards", np.int8, c.NUM_KINDS),  # by kind
    ("pile", np.int8, PILE_SIZE),  # cards that the crow swapped with the deck; NO_CARD behind them
    ("pile_known", np.uint8, PILE_SIZE),  # 1 where the fox's player knows it
    ("pile_no_rabbit", np.uint8, PILE_SIZE),  # 1 where all know that it is none
    ("pile_swappable", np.uint8, PILE_SIZE),  # 1 where all know that it does not bar swaps
    # the card being resolved
    ("card", np.int8),  # the kind whose effects happen; NO_CARD
    ("effect", np.int8),  # which of them
    ("left", np.int8),  # looks that are left
    ("chosen", np.int8),  # the first card to swap, or the one that the crow looked at; NOWHERE
    # events since the last decision, for the story
    *news(NEWS_LENGTH),
    ("ending", np.int8),  # RABBITS..EATEN, once over
    ("winner", np.uint8, 2),  # 1 for the winner, once over
)


@kernel
def win(state, seat, ending):
    """End the deal."""
    state.over = 1
    state.winner[seat] = 1
    state.ending = ending
    note(state, E_WINS, seat, ending, 0)


@kernel
def is_rabbit(card):
    """Return whether a kind of card is a rabbit."""
    return card < c.NUM_RABBITS


@kernel
def lay(state, cell, card):
    """Lay an unseen card face-down on a cell; both seats know the Hurricane by its back (C2.6)."""
    state.cards[cell] = card
    state.up[cell] = 0
    state.shown[cell] = 0
    state.known[:, cell] = card == c.HURRICANE
    state.no_rabbit[cell] = card == c.HURRICANE
    state.swappable[cell] = card == c.HURRICANE


@kernel
def draw_to(state, cell):
    """Lay the top card of the deck, which is no rabbit, on a cell."""
    state.deck_size -= 1
    card = state.deck[state.deck_size]
    state.deck[state.deck_size] = c.NO_CARD
    lay(state, cell, card)
    state.no_rabbit[cell] = 1


@kernel
def show_all(state, cell):
    """Reveal the card on a cell to both seats."""
    card = state.cards[cell]
    state.known[:, cell] = 1
    state.no_rabbit[cell] = not is_rabbit(card)
    state.swappable[cell] = not c.NO_SWAP[card]


@kernel
def exchange(state, one, other):
    """Swap the cards on two cells, with the knowledge of them; both keep their facing (C8.3)."""
    for seat in (FOX, CROW):
        _swap_in(state.known[seat], one, other)
    for array in (state.up, state.shown, state.no_rabbit, state.swappable):
        _swap_in(array, one, other)
    _swap_in(state.cards, one, other)


@kernel
def _swap_in(array, one, other):
    array[one], array[other] = array[other], array[one]


@kernel
def hides(state, cell):
    """Return whether the card on a cell is mixed by Hurricanes: face-down and not protected (C7.11)."""
    return not state.up[cell] and cell != state.vixen


@kernel
def count_cards(state):
    """Return the number of cards of each kind in all places, `(NUM_KINDS,)` int64 (C1.2)."""
    counts = np.zeros(c.NUM_KINDS + 1, np.int64)  # the last is NO_CARD
    for kind in range(c.NUM_KINDS):
        counts[kind] = state.discards[kind]
    for cards in (state.cards[:], state.hand[:], state.prey[:], state.deck[:], state.pile[:]):  # alike as slices
        for card in cards:
            counts[card] += 1
    return counts[: c.NUM_KINDS]


@kernel
def is_complete(state):
    """Return whether each card is in exactly one place (C1.2)."""
    return not (count_cards(state) - c.COPIES).any()
