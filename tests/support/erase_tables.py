"""Hand-made states of *Érase una vez*, and actions on them by name, through the public interface.

Things and cards go by their name or their id, `"Bosque"` or `"L11"`, `"bebé"` or `"C01"`, endings by their id. Actions
are texts:

    "card Bosque" (tell of it and play it)   "tell bebé" (a bridge or a link)   "hook 1" .. "hook 3"
    "pass"   "keep"   "discard Bosque"   "change 1"   "change 2"   "end 1"   "end 2"
    "nothing"   "claim Bosque"   "interrupt Tormenta"   "protest"   "yes"   "no"
"""

import numpy as np
from tables import Tables, listed

from sobremesa import envs
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.erase_una_vez import state, tables
from sobremesa.envs.erase_una_vez.tale import add_thing, sense_of, weight_of

GAME = envs.load("erase_una_vez")
THINGS = [thing.name for thing in tables.THINGS]
CARDS = THINGS[: tables.NUM_ELEMENTS]
ENDINGS = [ending.id for ending in tables.ENDINGS]
STAGES = ("tell", "hook", "passing", "react", "vote", "go on")
KINDS = ("card", "bridge", "link", "break in", "pass", "end")
FATES = ("stands", "undone", "claimed", "interrupted", "refused", "accepted")
CASES = (None, "protest", "claim", "ending")
PLACES = {state.DECK: "deck", state.TABLE: "table", state.OPEN: "open", state.BURIED: "buried"}
EVENTS = (
    "tells", "undone", "in vain", "claims", "interrupts", "protests", "votes", "wrong", "void", "takes over", "draws",
    "turn", "passes", "discards", "changes", "ends", "refused", "new ending", "reshuffles", "wins", "too long",
)  # fmt: skip
# Where the actions of each text begin, and what the rest of it names.
_BLOCKS = (
    (state.A_CARD, "card", CARDS), (state.A_TELL, "tell", THINGS), (state.A_PASS, "pass", None),
    (state.A_END, "end", "12"), (state.A_KEEP, "keep", None), (state.A_DISCARD, "discard", CARDS),
    (state.A_CHANGE, "change", "12"), (state.A_NOTHING, "nothing", None), (state.A_CLAIM, "claim", CARDS),
    (state.A_INTERRUPT, "interrupt", [CARDS[card] for card in tables.INTERRUPTIONS]),
    (state.A_PROTEST, "protest", None), (state.A_YES, "yes", None), (state.A_NO, "no", None),
    (state.A_HOOK, "hook", "123"),
)  # fmt: skip
ACTIONS = [verb if of is None else f"{verb} {one}" for _, verb, of in _BLOCKS for one in (of or [""])]


def thing(name):
    """Return the number of the thing called `name`, or with that id."""
    return tables.NUMBER[name] if name in tables.NUMBER else THINGS.index(name)


def card(name):
    """Return the number of the card called `name`."""
    number = thing(name)
    assert number < tables.NUM_ELEMENTS, f"{name} is on no card"
    return number


def ending(name):
    """Return the number of an ending, by its id."""
    return ENDINGS.index(name)


def action(text):
    """Return the number of an action, which may name a card by its id."""
    if text in ACTIONS:
        return ACTIONS.index(text)
    verb, _, name = text.partition(" ")
    return ACTIONS.index(f"{verb} {THINGS[thing(name)]}")


_TABLES = Tables(GAME, ACTIONS.__getitem__, action)
dealt, reseeded, redealt = _TABLES.dealt, _TABLES.reseeded, _TABLES.redealt
checked, choices, after = _TABLES.checked, _TABLES.choices, _TABLES.after
do, paid, view, states_of = _TABLES.play, _TABLES.paid, _TABLES.view, _TABLES.states_of


@kernel
def _tell_of(states, thing, by_card):
    add_thing(states[0], thing, by_card)


@kernel
def _sense(states, thing, kind):
    return sense_of(states[0], thing, kind)


@kernel
def _weight(states, card):
    return weight_of(states[0], card)


def table(
    hands=("Princesa", "Príncipe", "Mendigo"), *, tale="", passes=0, top="", deck=None, laid="", discards="", buried="",
    endings=(), pile="", facts=None, context=None, narrator=0, seed=0, setup=(), **fields,
):  # fmt: skip
    """Return a table at which the narrator is asked what to tell.

    Args:
        hands: the cards of each seat.
        tale: what has been told so far, a sentence each; `"Rey*"` if by its card, which lies on the table.
        passes: rows of the log after that, in which somebody passed.
        top: the cards to be drawn next, the first one first; all others lie below.
        deck: all cards of the deck, the first to be drawn first. Those that then have no place lie on the table.
        laid: cards on the table that nothing has been told of by.
        discards: cards discarded face up.
        buried: cards discarded face down, by seat 0.
        endings: of each seat, `"F01"` or `"F01, F02"`; one for those not given.
        pile: the endings to be drawn next, the first one first; all others lie below.
        facts: those that hold, if not those that the tale has brought about.
        context: what was told of last, the latest first, if not by the tale.
        narrator: whose turn it is, from its start on.
        seed: of what is random from here on.
        setup: the options; the judge decides, unless it says otherwise.
        **fields: fields of the record, set last.
    """
    states = reseeded(dealt(0, **{"judge": "rules", **dict(setup), "seats": len(hands)}), seed)
    one = states[0]
    _clear(one)
    _tell(states, listed(tale), passes, narrator)
    if facts is not None:
        one.facts = tables.fact_mask(tuple(listed(facts)))
        for fact in listed(facts):
            number = tables.FACTS.index(fact)
            one.fact_at[number] = max(1, int(one.fact_at[number]))
        one.sentences = max(1, int(one.sentences))
    if context is not None:
        one.context[:] = tables.NO_THING
        one.context[: len(listed(context))] = [thing(name) for name in listed(context)]
    _place(one, [[card(name) for name in listed(hand)] for hand in hands], listed(top), deck, listed(laid))
    for names, place in ((discards, state.OPEN), (buried, state.BURIED)):
        for name in listed(names):
            one.where[card(name)] = place
    one.buried_by[one.where == state.BURIED] = 0
    _stack(one, deck is None)
    _give_endings(one, [listed(held) for held in endings], listed(pile))
    one.narrator = one.seat = one.first = narrator
    for name, value in fields.items():
        one[name] = value
    return checked(states)


def _clear(one):
    one.log[:] = 0
    one.told[:], one.told_at[:], one.facts, one.fact_at[:] = 0, 0, 0, 0
    one.people = one.objects = one.sentences = 0
    one.stale = one.idle = one.listed = one.played = one.links = 0
    one.kind, one.focus, one.hooked, one.sense = state.LINK, tables.NO_THING, tables.NO_THING, 10
    one.context[:] = tables.NO_THING
    one.where[:], one.shown[:], one.buried_by[:] = state.DECK, 0, state.NOBODY
    one.stage = state.TELL
    one.chosen = state.MOST_HOOKS
    one.ply = 0
    one.news[:], one.news_count = 0, 0


def _tell(states, names, passes, narrator):
    """Tell of things, a sentence each, and pass some times."""
    one = states[0]
    for name in names:
        number, by_card = thing(name.rstrip("*")), name.endswith("*")
        kind = state.CARD if by_card else state.LINK if one.told[number] else state.BRIDGE
        one.log[one.sentences] = (narrator, kind, number, one.context[0], state.STANDS, 0, 0)
        one.sentences += 1
        _tell_of(states, number, by_card)
        if by_card:
            one.where[number] = state.TABLE
    for _ in range(passes):
        one.log[one.sentences] = (narrator, state.PASS, 0, tables.NO_THING, state.STANDS, 0, 0)
        one.sentences += 1


def _place(one, hands, top, deck, laid):
    """Put the cards into hands, onto the table, and onto the deck, whose field holds what is named for now."""
    for seat, held in enumerate(hands):
        assert (one.where[held] == state.DECK).all(), f"a card of seat {seat} lies elsewhere"
        one.where[held] = seat
    for name in laid:
        one.where[card(name)] = state.TABLE
    one.hand_size[:] = [int((one.where == seat).sum()) for seat in range(state.MAX_SEATS)]
    order = [card(name) for name in (top if deck is None else listed(deck))]
    assert (one.where[order] == state.DECK).all(), "a card to be drawn lies elsewhere"
    one.deck[:] = 0
    one.deck[: len(order)] = order[::-1]
    one.deck_size = len(order)


def _stack(one, others):
    """Put all cards that have no place yet under those named on the deck; on the table, unless `others` go there."""
    top = one.deck[: one.deck_size].tolist()
    below = [number for number in np.flatnonzero(one.where == state.DECK).tolist() if number not in top]
    if not others:
        one.where[below] = state.TABLE
        return
    one.deck_size = len(below) + len(top)
    one.deck[: one.deck_size] = below + top


def _give_endings(one, held, pile):
    named = [name for names in held for name in names] + pile
    spare = [number for number in range(tables.NUM_ENDINGS) if ENDINGS[number] not in named]
    one.ending[:], one.ending_known[:] = tables.NO_ENDING, 0
    for seat in range(one.seats):
        mine = [ending(name) for name in held[seat]] if seat < len(held) and held[seat] else [spare.pop(0)]
        one.ending[seat, : len(mine)] = mine
        one.ending_known[mine] = 1 << seat
    order = [ending(name) for name in pile] + spare
    one.endings[:] = tables.NO_ENDING
    one.endings[: len(order)] = order
    one.endings_size = len(order)


def _question(states):
    """Return what tells a window, or a vote, from the next one; None outside of both."""
    one = states[0]
    if one.over or one.stage not in (state.REACT, state.VOTE):
        return None
    return tuple(int(one[field]) for field in ("stage", "sentences", "narrator", "case", "claimant"))


def answer(states, answers=()):
    """Have all seats that are asked in this window, or this vote, do as `{seat: text}` says; return `states`.

    A seat that is not named does nothing, and votes no; one that is named must be asked.
    """
    left, question = dict(answers), _question(states)
    while question and _question(states) == question:
        do(states, left.pop(int(states[0].seat), "nothing" if states[0].stage == state.REACT else "no"))
    assert not left, f"nobody asked {left}"
    return states


def silently(states, *texts):
    """Play actions one after the other, to which the others say nothing; return `states`."""
    for text in texts:
        answer(do(states, text))
    return states


def seats_asked(states):
    """Return the seats that are asked in this window, or this vote, in order, where each does nothing, or says no."""
    states, seats, question = states.copy(), [], _question(states)
    while question and _question(states) == question:
        seats.append(int(states[0].seat))
        do(states, "nothing" if states[0].stage == state.REACT else "no")
    return seats


def asked(states):
    """Return the seat that is asked and what, `(0, "tell")`; None once the deal is over."""
    one = states[0]
    return None if one.over else (int(one.seat), STAGES[one.stage])


def narrator(states):
    return int(states[0].narrator)


def hand(states, seat):
    """Return the names of the cards of a hand, in the order of the cards."""
    return [CARDS[number] for number in np.flatnonzero(states[0].where == seat)]


def where(states, name):
    """Return where a card is: a seat, "deck", "table", "open" or "buried"."""
    place = int(states[0].where[card(name)])
    return PLACES.get(place, place)


def deck(states):
    """Return the names of the cards of the deck, the first to be drawn first."""
    return [CARDS[number] for number in states[0].deck[: states[0].deck_size][::-1]]


def shown(states):
    """Return the names of cards in hands that all know of."""
    return {CARDS[number] for number in np.flatnonzero(states[0].shown)}


def held_endings(states, seat):
    """Return the endings of a seat."""
    return [ENDINGS[number] for number in states[0].ending[seat] if number != tables.NO_ENDING]


def endings_pile(states):
    """Return the endings of the pile, the first to be drawn first."""
    return [ENDINGS[number] for number in states[0].endings[: states[0].endings_size]]


def told(states):
    """Return what has been told of: `{"Rey": 2, "bebé": 1}`, 2 by its card."""
    return {THINGS[number]: int(states[0].told[number]) for number in np.flatnonzero(states[0].told)}


def facts(states):
    """Return the facts that hold."""
    return {fact for number, fact in enumerate(tables.FACTS) if int(states[0].facts) >> number & 1}


def context(states):
    """Return what was told of last, the latest first."""
    return [THINGS[number] for number in states[0].context if number != tables.NO_THING]


def sense(states, name, kind="bridge"):
    """Return how much sense a sentence would make now, in tenths."""
    return int(_sense(states, thing(name), KINDS.index(kind)))


def weight(states, name):
    """Return how far the last sentence tells of a card, in hundredths."""
    return int(_weight(states, card(name)))


def log(states, row=-1):
    """Return a row of the log by column, the last one if none is named; things by their names, None for nothing."""
    rows = states[0].log[: states[0].sentences]
    seat, kind, number, hook, fate, taker, laid = rows[row].tolist()
    what = ENDINGS[number] if kind == state.END else None if kind == state.PASS else THINGS[number]
    taken = fate in (state.CLAIMED, state.INTERRUPTED)
    return {
        "seat": seat, "kind": KINDS[kind], "thing": what, "hook": None if hook == tables.NO_THING else THINGS[hook],
        "fate": FATES[fate], "taker": taker if taken else None, "card": CARDS[laid] if taken else None,
    }  # fmt: skip


def last(states):
    """Return the sentence that stands: its kind, focus, hook and sense."""
    one = states[0]
    names = [*THINGS, None]
    return KINDS[one.kind], names[one.focus], names[one.hooked], int(one.sense)


def news(states):
    """Return what happened since the last decision: event, seat and two numbers."""
    return [(EVENTS[event], *rest) for event, *rest in states[0].news[: states[0].news_count].tolist()]


def noted(states, event):
    """Return the seats of the news of one event, in order."""
    return [row[1] for row in news(states) if row[0] == event]


def winners(states):
    """Return who has won; None while the deal runs."""
    return np.flatnonzero(states[0].winner).tolist() if states[0].over else None


def unseen(states, seat):
    """Return the cards that may be anywhere, as far as a seat sees."""
    return {CARDS[number] for number in np.flatnonzero(view(states, seat)["unseen"])}


def buried(states, seat):
    """Return the cards that a seat sees to have been discarded face down."""
    return {CARDS[number] for number in np.flatnonzero(view(states, seat)["elsewhere"] == -1)}


def known(states, seat):
    """Return the cards that a seat knows to be in other hands, with how far to the left these sit."""
    places = view(states, seat)["elsewhere"] * state.MAX_SEATS
    return {(CARDS[number], round(float(places[number]))) for number in np.flatnonzero((places > 0) & (places < 5.5))}


def known_endings(states, seat):
    """Return what a seat knows of endings: those of others, by how far to the left they sit, and those in the pile."""
    places = view(states, seat)["ending_places"]
    held = {(round(float(places[n]) * state.MAX_SEATS), tables.ENDINGS[n].id) for n in np.flatnonzero(places > 0)}
    return held, {tables.ENDINGS[number].id for number in np.flatnonzero(places < 0)}
