"""Invariants of the state of *Estafado*, for tests, checks and loaders."""

import numpy as np

from sobremesa.envs.core.fields import Record
from sobremesa.envs.core.record import beyond
from sobremesa.envs.estafado import cards as c, state as s
from sobremesa.envs.estafado.board import DISTANCE, LINE, NO_SPACE, NOWHERE, NUM_CELLS, NUM_NEIGHBOURS, RING
from sobremesa.envs.estafado.effects import FACES, stays
from sobremesa.envs.estafado.rules import legal
from sobremesa.envs.estafado.state import count_cards, hides, is_complete, is_rabbit

# The largest number that a field may hold; the smallest is 0.
_LARGEST = {
    "seat": s.CROW, "reading": s.DUSK, "rolls": s.ANY_HIT, "bear_blocks": 1, "stage": s.GO_ON, "fox": NUM_CELLS - 1,
    "fox_start": NUM_CELLS - 1, "bear": NUM_CELLS - 1, "bear_before": NOWHERE, "vixen": NOWHERE, "eagle": NO_SPACE,
    "crow": RING - 1, "sun": RING, "double": 1, "deck_swaps": s.DECK_SWAPS, "lost": 1, "bear_skip": 1, "caught": 1,
    "cards": c.NUM_KINDS - 1, "up": 1, "shown": 1, "known": 1, "no_rabbit": 1, "swappable": 1, "hand": c.NO_CARD,
    "prey": c.NO_CARD, "catches": c.NUM_RABBITS, "deck": c.NO_CARD, "deck_size": c.DECK_SIZE,
    "discards": int(c.COPIES.max()), "pile": c.NO_CARD, "pile_known": 1, "pile_no_rabbit": 1, "pile_swappable": 1,
    "card": c.NO_CARD, "effect": c.MOST_EFFECTS, "left": NUM_NEIGHBOURS, "chosen": NOWHERE, "news_count": s.NEWS_LENGTH,
    "ending": s.EATEN, "winner": 1, "over": 1, "ply": s.MAX_PLIES,
}  # fmt: skip

# The effects that each question about a card stands for.
_ASKING = {
    s.LEAPING: (c.LEAP,), s.TUNNELLING: (c.TUNNEL,), s.PEEKING: (c.PEEK_ADJACENT, c.PEEK_ANYWHERE),
    s.SWAP_FIRST: (c.SWAP_TWO,), s.SWAP_SECOND: (c.SWAP_TWO,), s.DIVING: (c.WATER_DIVE,),
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
    dusk = state.reading == s.DUSK  # dealt with no swaps, two rabbits caught, a small deck, and cards face-up
    buried = 0 if dusk else s.DECK_SWAPS - int(state.deck_swaps)
    whole = c.DUSK_DECK_SIZE + len(c.DUSK_PREY) if dusk else c.DECK_SIZE
    served = int(state.discards.sum()) - int((state.hand == c.NO_CARD).sum())  # cards that went once they were resolved
    rabbits = np.arange(c.NUM_RABBITS)
    away = np.isin(rabbits, state.prey) | (np.isin(rabbits, state.pile) & (state.reading == s.RULEBOOK))
    return [
        (is_complete(state), f"there are {c.COPIES} cards, here {count_cards(state)}"),
        (
            (dusk or 0 <= served <= int(state.discards[c.ONE_SHOT].sum()))
            and state.deck_size == whole - state.catches - buried - (0 if dusk else served),
            f"a deck of {state.deck_size}, {state.catches} caught, {buried} buried, {served} that served once",
        ),
        (_stacked(state.deck, state.deck_size), f"the deck of {state.deck_size} is {state.deck}"),
        (_stacked(state.prey, state.catches), f"{state.catches} rabbits were caught, {state.prey}"),
        (_stacked(state.pile, buried), f"{buried} cards were swapped with the deck, {state.pile}"),
        (bool((np.isin(rabbits, state.cards) | away).all()), "a rabbit is neither on the floor nor caught"),
        (bool((state.shown <= state.up).all()), "a card was turned up and lies face-down"),
        (
            bool((dusk | c.KEEPS_UP[state.cards] | (state.shown == 1) | (state.up == 0)).all()),
            "a card should be face-down",
        ),
    ]


def _stacked(cards: np.ndarray, count: int) -> bool:
    return bool((cards[:count] != c.NO_CARD).all() and (cards[count:] == c.NO_CARD).all())


def _knowledge(state: Record) -> list[tuple[bool, str]]:
    rabbit, barring = is_rabbit(state.cards), c.NO_SWAP[state.cards]
    public = (state.up == 1) | (state.cards == c.HURRICANE)
    held = state.pile != c.NO_CARD
    pile = state.pile[held]
    return [
        (bool(state.known[:, public].all()), "a seat does not know a card that all see"),
        (not (rabbit & (state.no_rabbit == 1)).any(), "a rabbit where all know that there is none"),
        (not (barring & (state.swappable == 1)).any(), "a card bars swaps where all know that none does"),
        (not (is_rabbit(pile) & (state.pile_no_rabbit[held] == 1)).any(), "a rabbit was buried unbeknown"),
        (not (c.NO_SWAP[pile] & (state.pile_swappable[held] == 1)).any(), "a buried card bars swaps unbeknown"),
        (not (state.pile_known + state.pile_no_rabbit + state.pile_swappable)[~held].any(), "no card, but known"),
    ]


def _tokens(state: Record) -> list[tuple[bool, str]]:
    eaten, caught = state.fox == state.bear, state.eagle == state.crow
    won = state.winner.sum() == 1 and s.RABBITS <= state.ending <= s.EATEN
    return [
        (
            (state.eagle == NO_SPACE) == (state.stage == s.START),
            "the eagle has no space after the start, or one before",
        ),
        (not (eaten or caught or state.catches == c.NUM_RABBITS or state.sun == RING) or state.over == 1, "it is over"),
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
        (stage != s.GO_ON, "nobody is asked anything"),
        (state.seat == s.ASKED[stage], f"seat {state.seat} is asked question {stage}"),
        (stage != s.REPLACE or state.shown[state.fox] == 1, "a card is to be replaced that was not revealed"),
        ((chosen != NOWHERE) == (stage in (s.SWAP_SECOND, s.EXCHANGE)), f"cell {chosen} is chosen"),
        (s.MOVE < stage <= s.DIVING or not state.shown.any(), "cards shown after the fox's step"),
        (stage != s.MOVE or not state.lost, "a lost turn is taken"),
        (not state.caught, "a rabbit was caught, and no new step begun"),
        (stage != s.SWAP_SECOND or (chosen != NOWHERE and not stays(state, chosen)), "a card to swap that stays"),
        (stage != s.EXCHANGE or (chosen in LINE[state.crow] and _looked_at(state, chosen)), "a card that was not seen"),
        (_resolved(state), f"card {state.card}, effect {state.effect}, {state.left} looks at question {stage}"),
        (_choices(state) > 1, "less than two actions to choose from"),
    ]


def _looked_at(state: Record, cell: int) -> bool:
    return bool(hides(state, cell) and state.known[s.CROW, cell])


def _resolved(state: Record) -> bool:
    """Return whether the question belongs to the effect that is being resolved."""
    if not s.LEAPING <= state.stage <= s.DIVING:
        return bool(state.card == c.NO_CARD and state.effect == 0 and state.left == 0)
    if state.card == c.NO_CARD or state.card != state.cards[state.fox] or not state.up[state.fox]:
        return False
    effect, amount = c.EFFECTS[state.card, state.effect]
    looks = 1 <= state.left <= amount if state.stage == s.PEEKING else state.left == 0
    return effect in _ASKING[state.stage] and bool(looks)


def _choices(state: Record) -> int:
    mask = np.zeros(s.NUM_ACTIONS, np.int8)
    legal(state, mask)
    return int(mask.sum())
