"""Invariants of the state of *Estafado*, for tests, checks and loaders."""

import numpy as np

from sobremesa.envs.core.fields import Record
from sobremesa.envs.core.record import beyond
from sobremesa.envs.estafado.board import DISTANCE, LINE, NO_SPACE, NOWHERE, NUM_CELLS, NUM_NEIGHBOURS, RING
from sobremesa.envs.estafado.cards import (
    COPIES,
    DECK_SIZE,
    DUSK_DECK_SIZE,
    DUSK_PREY,
    EFFECTS,
    HURRICANE,
    KEEPS_UP,
    LEAP,
    MOST_EFFECTS,
    NO_CARD,
    NO_SWAP,
    NUM_KINDS,
    NUM_RABBITS,
    ONE_SHOT,
    PEEK_ADJACENT,
    PEEK_ANYWHERE,
    SWAP_TWO,
    TUNNEL,
    WATER_DIVE,
)
from sobremesa.envs.estafado.crow import legal_crow
from sobremesa.envs.estafado.effects import FACES, stays
from sobremesa.envs.estafado.fox import legal_fox
from sobremesa.envs.estafado.state import (
    ANY_HIT,
    ASKED,
    CROW,
    DECK_SWAPS,
    DIVING,
    DUSK,
    EATEN,
    EXCHANGE,
    FOX,
    GO_ON,
    LEAPING,
    MAX_PLIES,
    MOVE,
    NEWS_LENGTH,
    NUM_ACTIONS,
    PEEKING,
    RABBITS,
    REPLACE,
    RULEBOOK,
    START,
    SWAP_FIRST,
    SWAP_SECOND,
    TUNNELLING,
    all_there,
    count_cards,
    hides,
    is_rabbit,
)

# The largest number that a field may hold; the smallest is 0.
_LARGEST = {
    "seat": CROW, "reading": DUSK, "rolls": ANY_HIT, "bear_blocks": 1, "stage": GO_ON, "fox": NUM_CELLS - 1,
    "fox_start": NUM_CELLS - 1, "bear": NUM_CELLS - 1, "bear_before": NOWHERE, "vixen": NOWHERE, "eagle": NO_SPACE,
    "crow": RING - 1, "sun": RING, "double": 1, "deck_swaps": DECK_SWAPS, "lost": 1, "bear_skip": 1, "caught": 1,
    "cards": NUM_KINDS - 1, "up": 1, "shown": 1, "known": 1, "no_rabbit": 1, "swappable": 1, "hand": NO_CARD,
    "prey": NO_CARD, "catches": NUM_RABBITS, "deck": NO_CARD, "deck_size": DECK_SIZE, "discards": int(COPIES.max()),
    "pile": NO_CARD, "pile_known": 1, "pile_no_rabbit": 1, "pile_swappable": 1, "card": NO_CARD,
    "effect": MOST_EFFECTS, "left": NUM_NEIGHBOURS, "chosen": NOWHERE, "news_count": NEWS_LENGTH, "ending": EATEN,
    "winner": 1, "over": 1, "ply": MAX_PLIES,
}  # fmt: skip

# The effects that each question about a card stands for.
_ASKING = {
    LEAPING: (LEAP,), TUNNELLING: (TUNNEL,), PEEKING: (PEEK_ADJACENT, PEEK_ANYWHERE), SWAP_FIRST: (SWAP_TWO,),
    SWAP_SECOND: (SWAP_TWO,), DIVING: (WATER_DIVE,),
}  # fmt: skip


def problems(states: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `states` is impossible; empty for a possible state."""
    state = states[0]
    if found := beyond(states, _LARGEST):  # the numbers below are looked up in tables
        return found
    checks = _setup(state) + _cards(state) + _knowledge(state) + _tokens(state) + _question(state)
    return [reason for holds, reason in checks if not holds]


def _setup(state: Record) -> list[tuple[bool, str]]:
    return [
        (state.seats == 2, f"{state.seats} seats"),
        (1 <= state.evading_faces < FACES, f"a rabbit gets away on {state.evading_faces} faces of six"),
    ]


def _cards(state: Record) -> list[tuple[bool, str]]:
    dusk = state.reading == DUSK  # dealt with no swaps, two rabbits caught, a small deck, and cards face-up
    buried = 0 if dusk else DECK_SWAPS - int(state.deck_swaps)
    whole = DUSK_DECK_SIZE + len(DUSK_PREY) if dusk else DECK_SIZE
    served = int(state.discards.sum()) - int((state.hand == NO_CARD).sum())  # cards that went once they were resolved
    rabbits = np.arange(NUM_RABBITS)
    away = np.isin(rabbits, state.prey) | (np.isin(rabbits, state.pile) & (state.reading == RULEBOOK))
    return [
        (all_there(state), f"there are {COPIES} cards, here {count_cards(state)}"),
        (
            (dusk or 0 <= served <= int(state.discards[ONE_SHOT].sum()))
            and state.deck_size == whole - state.catches - buried - (0 if dusk else served),
            f"a deck of {state.deck_size}, {state.catches} caught, {buried} buried, {served} that served once",
        ),
        (_stacked(state.deck, state.deck_size), f"the deck of {state.deck_size} is {state.deck}"),
        (_stacked(state.prey, state.catches), f"{state.catches} rabbits were caught, {state.prey}"),
        (_stacked(state.pile, buried), f"{buried} cards were swapped with the deck, {state.pile}"),
        (bool((np.isin(rabbits, state.cards) | away).all()), "a rabbit is neither on the floor nor caught"),
        (bool((state.shown <= state.up).all()), "a card was turned up and lies face-down"),
        (
            bool((dusk | KEEPS_UP[state.cards] | (state.shown == 1) | (state.up == 0)).all()),
            "a card should be face-down",
        ),
    ]


def _stacked(cards: np.ndarray, count: int) -> bool:
    return bool((cards[:count] != NO_CARD).all() and (cards[count:] == NO_CARD).all())


def _knowledge(state: Record) -> list[tuple[bool, str]]:
    rabbit, barring = is_rabbit(state.cards), NO_SWAP[state.cards]
    public = (state.up == 1) | (state.cards == HURRICANE)
    held = state.pile != NO_CARD
    pile = state.pile[held]
    return [
        (bool(state.known[:, public].all()), "a seat does not know a card that all see"),
        (not (rabbit & (state.no_rabbit == 1)).any(), "a rabbit where all know that there is none"),
        (not (barring & (state.swappable == 1)).any(), "a card bars swaps where all know that none does"),
        (not (is_rabbit(pile) & (state.pile_no_rabbit[held] == 1)).any(), "a rabbit was buried unbeknown"),
        (not (NO_SWAP[pile] & (state.pile_swappable[held] == 1)).any(), "a buried card bars swaps unbeknown"),
        (not (state.pile_known + state.pile_no_rabbit + state.pile_swappable)[~held].any(), "no card, but known"),
    ]


def _tokens(state: Record) -> list[tuple[bool, str]]:
    eaten, caught = state.fox == state.bear, state.eagle == state.crow
    won = state.winner.sum() == 1 and RABBITS <= state.ending <= EATEN
    return [
        ((state.eagle == NO_SPACE) == (state.stage == START), "the eagle has no space after the start, or one before"),
        (not (eaten or caught or state.catches == NUM_RABBITS or state.sun == RING) or state.over == 1, "it is over"),
        (bool(won) if state.over else not state.winner.any() and state.ending == 0, "winner and ending do not fit"),
        (
            state.bear_before == NOWHERE or DISTANCE[state.bear, state.bear_before] == 1,
            "the bear's arrow points far away",
        ),
    ]


def _question(state: Record) -> list[tuple[bool, str]]:
    if state.over:
        return []
    stage, chosen = state.stage, state.chosen
    return [
        (stage != GO_ON, "nobody is asked anything"),
        (state.seat == ASKED[stage], f"seat {state.seat} is asked question {stage}"),
        (stage != REPLACE or state.shown[state.fox] == 1, "a card is to be replaced that was not revealed"),
        ((chosen != NOWHERE) == (stage in (SWAP_SECOND, EXCHANGE)), f"cell {chosen} is chosen"),
        (MOVE < stage <= DIVING or not state.shown.any(), "cards shown after the fox's step"),
        (stage != MOVE or not state.lost, "a lost turn is taken"),
        (not state.caught, "a rabbit was caught, and no new step begun"),
        (stage != SWAP_SECOND or (chosen != NOWHERE and not stays(state, chosen)), "a card to swap that stays"),
        (stage != EXCHANGE or (chosen in LINE[state.crow] and _looked_at(state, chosen)), "a card that was not seen"),
        (_resolved(state), f"card {state.card}, effect {state.effect}, {state.left} looks at question {stage}"),
        (_choices(state) > 1, "less than two actions to choose from"),
    ]


def _looked_at(state: Record, cell: int) -> bool:
    return bool(hides(state, cell) and state.known[CROW, cell])


def _resolved(state: Record) -> bool:
    """Return whether the question belongs to the effect that is being resolved."""
    if not LEAPING <= state.stage <= DIVING:
        return bool(state.card == NO_CARD and state.effect == 0 and state.left == 0)
    if state.card == NO_CARD or state.card != state.cards[state.fox] or not state.up[state.fox]:
        return False
    effect, amount = EFFECTS[state.card, state.effect]
    looks = 1 <= state.left <= amount if state.stage == PEEKING else state.left == 0
    return effect in _ASKING[state.stage] and bool(looks)


def _choices(state: Record) -> int:
    mask = np.zeros(NUM_ACTIONS, np.int8)
    if state.seat == FOX:
        legal_fox(state, mask)
    else:
        legal_crow(state, mask)
    return int(mask.sum())
