"""Decoding of observations of *Érase una vez* (C11.3)."""

import random
from functools import cache

import numpy as np
import pytest
from erase_tables import THINGS, choices, do, sense, table, thing as number_of
from scale import PLAIN, scaled

import sobremesa
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.fields import PADDING
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.decode import (
    NOT_KNOWN,
    NOT_SEEN,
    SEEN,
    asked_of,
    decode,
    fits,
    sense_of,
    sentences_left,
    told_value,
    unclaimed_probability,
    weight_of,
)
from sobremesa.envs.erase_una_vez.observe import EXPOSED, MENTIONED, SENSE, STEERS, STEPS
from sobremesa.envs.erase_una_vez.table_files import MOST_CLAUSES
from sobremesa.envs.erase_una_vez.tables import CLAUSES, NO_ENDING, NO_THING, NUM_ELEMENTS, NUM_ENDINGS, NUM_THINGS
from sobremesa.envs.erase_una_vez.tale import accepts, blocked, meets, weight_of as weight_in

pytestmark = pytest.mark.kernels

GAME = sobremesa.load("erase_una_vez")
FIELDS = [name for name in SEEN.names if not name.startswith(PADDING)]
DEALS, EVERY = 40, 7  # each of other options; so many plies apart
UNUSUAL = {
    "strictness": "strict", "between_cards": 1, "rejected": "kept", "protest_card": "stays", "chain": True, "fine": 1,
    "special_tells": True, "pass_draw": "before", "reshuffle": False, "begins": "seat 1", "must_end": True,
    "protest_penalty": True, "auto_protest": True, "max_sentences": 60, "beginners": 1, "change_ending": True,
}  # fmt: skip


@cache
def made():
    """Return a vote on an ending that fits, and tales told without cards; one of them goes on, in an unusual setup."""
    fitting = table(("", "Rey, Reina", "Hacha"), tale="Princesa, Anillo*", endings=("F53",), setup={"judge": "votes"})
    closing = table(("", "Rey, Hacha"), tale="Princesa*, Anillo*")
    hands, lost = ("Reino, Loco", "Hacha", "Malvado"), {"discards": "Llave", "buried": "Bosque, Árbol"}
    long = table(hands, tale="Rey*", idle=s.MOST_IDLE, setup=UNUSUAL, **lost)
    return [do(fitting, "end 1"), do(closing, "tell Princesa"), long]


@cache
def tables():
    """Return those made by hand, and states of random deals and options."""
    dice, found = random.Random(5), made().copy()
    for seed in range(scaled(DEALS)):
        setup = {option.name: dice.choice(option.choices) for option in GAME.options}
        setup |= {"max_sentences": dice.randrange(10, 60), "beginners": dice.randrange(setup["seats"] + 1)}
        found += [ply.states.copy() for ply in random_deal(GAME, seed, setup)][seed % EVERY :: EVERY]
    return found


def observed(states, seat):
    observation = np.zeros(GAME.layout.size, np.float32)
    table_kernels(GAME).observe(states, seat, observation)
    return observation


def expected(state, me):
    """Return what SEEN should hold by the state alone, field by field."""
    seats = int(state.seats)

    def turned(seat):
        return (int(seat) - me) % seats

    def of_seats(numbers):
        return [int(numbers[(me + seat) % seats]) if seat < seats else 0 for seat in range(s.MAX_SEATS)]

    focus, context = int(state.focus), [int(thing) for thing in state.context]
    asked = int(state.stage) if state.seat == me and not state.over else s.GO_ON
    where = []
    for card in range(NUM_ELEMENTS):
        at, holder = int(state.where[card]), int(state.where[card]) < s.MAX_SEATS
        hidden = at == s.DECK or (holder and at != me and not state.shown[card])
        hidden |= at == s.BURIED and state.buried_by[card] != me
        where.append(NOT_SEEN if hidden else turned(at) if holder else at)
    own = [int(ending) for ending in state.ending[me]]
    places = dict.fromkeys(range(NUM_ENDINGS), NOT_KNOWN)
    places |= {int(one): s.MAX_SEATS + at for at, one in enumerate(state.endings[: state.endings_size])}
    places |= {int(one): turned(seat) for seat in range(seats) for one in state.ending[seat] if one != NO_ENDING}
    known = [bool(int(state.ending_known[ending]) >> me & 1) for ending in range(NUM_ENDINGS)]
    met = [slot * MOST_CLAUSES + clause for slot, ending in enumerate(own) if ending != NO_ENDING
           for clause in range(CLAUSES[ending]) if meets(state, ending, clause)]  # fmt: skip
    claim, end = state.case == s.ON_CLAIM, state.case == s.ON_ENDING
    card = int(state.choice[state.claimant]) - s.A_CLAIM if claim else NUM_ELEMENTS
    last = int(state.log[state.sentences - 1, s.LOG_THING]) if end else NO_ENDING
    hangs = [place for place, thing in enumerate(context) if thing == state.hooked != NO_THING]
    same = {option.name: int(state[option.name]) for option in GAME.options if option.name in FIELDS}
    same |= {name: int(state[name]) for name in ("sentences", "played", "links", "kind", "sense", "focus",
             "facts", "deck_size", "endings_size", "case")}  # fmt: skip
    return same | {
        "sentences": min(int(state.sentences), int(state.max_sentences)),
        "asked": asked,
        "narrator": turned(state.narrator),
        "idle": min(6, int(state.idle)),
        "stale": min(6, int(state.stale)),
        "protested": int(state.protested[me]),
        "hooked": hangs[0] if hangs else len(context),
        "chosen": int(state.chosen) if asked == s.TELL else s.NOT_CHOSEN,
        "told": state.told.tolist(),
        "context": [
            NO_THING if thing in context[:place] or (thing == focus != context[0]) else thing
            for place, thing in enumerate(context)
        ],
        "where": where,
        "hand_size": of_seats(state.hand_size),
        "ending": own,
        "met": sum(1 << bit for bit in met),
        "blocked": [int(one != NO_ENDING and bool(blocked(state, one))) for one in own],
        "fits": [int(one != NO_ENDING and bool(accepts(state, one))) for one in own],
        "ending_at": [places[ending] if known[ending] else NOT_KNOWN for ending in range(NUM_ENDINGS)],
        "claimant": s.NOBODY if state.case == s.NO_CASE or state.claimant == s.NOBODY else turned(state.claimant),
        "claimed": card,
        "weight": int(weight_in(state, card)) if claim else 0,
        "ended_with": last,
        "ended_well": int(end and bool(accepts(state, last))),
        "fines": of_seats(state.fines),
    }


def read_back(states, seat):
    """Return what `decode` reads of the observation of a seat, which lies within bounds, and is what it may know."""
    seen, observation, (low, high) = np.zeros(1, SEEN), observed(states, seat), GAME.layout.bounds()
    assert ((low <= observation) & (observation <= high)).all(), (seat, int(states[0].sentences))
    decode(observation, seen[0])
    wanted = expected(states[0], seat)
    assert set(wanted) == set(FIELDS)
    for name in FIELDS:
        assert seen[name][0].tolist() == wanted[name], (name, seat, int(states[0].sentences))
    return seen


def test_c11_3_what_is_read_back_of_tables_made_by_hand():
    for states in made():
        for seat in range(int(states[0].seats)):
            read_back(states, seat)


def test_c11_3_what_is_read_back_is_what_the_seat_may_know():
    before = np.zeros(1, SEEN)
    met_with = dict.fromkeys(FIELDS, False)
    for states in tables():
        for seat in range(int(states[0].seats)):
            seen = read_back(states, seat)
            for name in FIELDS:
                met_with[name] |= bool((before[name] != seen[name]).any())
            before = seen
    assert PLAIN or not [name for name, met in met_with.items() if not met]


def test_c4_c11_3_all_see_the_sense_of_possible_sentences():
    for states in (table(("Ladrón", "Hacha", "Loco"), tale="Princesa*, bebé"), made()[-1]):
        things = [name.removeprefix("tell ") for name in choices(states) if name.startswith("tell ")]
        assert len(things) > 100
        for seat, kind in ((0, "bridge"), (1, "card")):  # what the narrator may tell, and what another might by a card
            observation = observed(states, seat)
            for name in things:
                told = kind if kind == "card" or not states[0].told[number_of(name)] else "link"
                assert round(10 * sense_of(observation, number_of(name))) == sense(states, name, told), (name, seat)


def test_c9_c11_3_a_narrator_sees_what_helps_his_ending():
    """In halves of an ending, one less where something bars it."""
    states = table(("Reino, Loco", "Hacha", "Malvado"), tale="Rey*", endings=("F01",))
    steers = GAME.layout.split(observed(states, 0))["things"][:, STEERS] * STEPS
    met = {THINGS[number]: round(float(steers[number])) for number in np.flatnonzero(steers)}
    brought = dict.fromkeys(("Dos personas se enamoran", "boda", "beso"), 2)
    assert met == brought | {"Separación": -1}


def test_c5_2_c11_3_a_narrator_sees_the_risk_of_claims():
    states = table(("Ladrón", "Bosque", "Feo(a)"), tale="Pastora*")
    states[0].shown[number_of("Bosque")] = 1  # which means Bosque wholly, and Árbol by 70 in a hundred
    parts = GAME.layout.split(observed(states, 0))
    share = 1 / parts["unseen"].sum()  # one card that he does not know is in another hand
    assert parts["things"][number_of("Bosque"), EXPOSED] == pytest.approx((1 + 0.7 * share) / 2)


def test_what_is_read_one_by_one_is_what_the_blocks_hold():
    for states in tables()[:: len(tables()) // 20 + 1]:
        for seat in range(int(states[0].seats)):
            observation = observed(states, seat)
            parts = GAME.layout.split(observation)
            asked = np.flatnonzero(parts["asked"])
            assert asked_of(observation) == (asked[0] if len(asked) else s.GO_ON)
            for thing in range(NUM_THINGS):
                assert told_value(observation, thing) == parts["told"][thing]
                assert sense_of(observation, thing) == parts["things"][thing, SENSE]
                assert unclaimed_probability(observation, thing) == pytest.approx(
                    max(0, 1 - 2 * parts["things"][thing, EXPOSED])
                )
            for card in range(NUM_ELEMENTS):
                assert weight_of(observation, card) == parts["cards"][card, MENTIONED]
            assert [fits(observation, slot) for slot in range(2)] == [one[1] == 1 for one in parts["blocked"]]
            left = int(states[0].max_sentences) - int(states[0].sentences)
            assert sentences_left(observation) == pytest.approx(max(0, left), abs=1e-3)
