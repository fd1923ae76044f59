"""The game's own sentences of *Érase una vez* as texts whose things are known, for the detector."""

from typing import NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import GAME
from sobremesa.envs.erase_una_vez.mentions import MEETING, meeting_weight
from sobremesa.envs.erase_una_vez.state import LOG_HOOK
from sobremesa.envs.erase_una_vez.tables import MEANT, NO_THING, NUM_ELEMENTS, NUMBER, THINGS
from sobremesa.envs.erase_una_vez.text import telling
from sobremesa.envs.erase_una_vez.text.detector import HEARD, detect
from sobremesa.envs.erase_una_vez.text.lexicon import phrase
from sobremesa.envs.erase_una_vez.text.plot import NOUN, Tale

# Things that are heard in the name of each thing, such as an animal in an animal that talks.
_NAMES = [
    {NUMBER[one.thing] for language in HEARD for one in detect(phrase(thing, language), language)}
    for thing in range(len(THINGS))
]


class Own(NamedTuple):
    """A sentence of the game in each language."""

    thing: int  # that it is about
    of: frozenset[int]  # its thing and its hook, who acts, what these mean, a meeting, and all told before
    text: dict[str, str]


def told_in(log):
    """Yield the sentences of a whole log."""
    tale = Tale()
    for line in log.tolist():
        for told in telling._advance(tale, line):
            if told is None or told.modes.get(told.thing, NOUN) != NOUN:
                continue  # a name or a pronoun names no card (H14)
            spoken = (told.mentioned_things() | {line[LOG_HOOK]}) - {NO_THING}
            meant = {int(one) for thing in spoken for one in MEANT[thing]}
            met = {MEETING for hook in told.mentioned_things() if meeting_weight(0, told.thing, hook)}
            of = spoken.union(meant, met, told.known, *(_NAMES[thing] for thing in spoken))
            yield Own(told.thing, frozenset(of), {language: telling._words(told, language) for language in HEARD})


def sentences(deals, agent="strong", seats=3, first=0):
    """Yield the sentences of some deals, with seeds from `first` on."""
    played = agents.load(agent, GAME)
    for seed in range(first, first + deals):
        *_, last = deal_between(GAME, [played] * seats, seed)
        state = last.states[0]
        yield from told_in(np.array(state.log[: int(state.sentences)]))


def heard(own, language):
    """Return whether a sentence states its thing; and others that it is heard to state, cards also to name."""
    found = {NUMBER[one.thing]: one for one in detect(own.text[language], language)}
    states = own.thing in found and found[own.thing].kind == "valid"
    heard_too = [one for number, one in found.items() if number not in own.of]
    return states, [one for one in heard_too if one.kind == "valid" or NUMBER[one.thing] < NUM_ELEMENTS]


def report(owns, language):
    """Return the share of sentences that state their thing, the share in which others are heard, and each fault."""
    stated = others = 0
    lines = []
    for own in owns:
        states, more = heard(own, language)
        stated += states
        others += bool(more)
        if not states or more:
            faults = [
                *([] if states else [f"not {THINGS[own.thing].id}"]),
                *(f"{one.thing} ({one.words})" for one in more),
            ]
            lines.append(f"{', '.join(faults)} | {own.text[language]}")
    return stated / len(owns), others / len(owns), sorted(set(lines))
