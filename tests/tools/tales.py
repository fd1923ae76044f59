"""How well the rules of *Érase una vez* take what people tell: the rulebook's examples, newcomers and endings.

    python tests/tools/tales.py
    python tests/tools/tales.py --tales 1000 --endings 1000

It prints one line for each figure. All deals have three seats and the default setup. A newcomer plays his cards in
random order, claims what is certain, interrupts whenever he may, and plays his ending as soon as he may. A newcomer who
looks at the screen leaves out cards that make no sense now, and tells what his ending asks for before his last card.
Both sit between two `strong`.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from erase_rulebook import GOOD, LIST, LIST_TALE, REFUSED
from erase_tables import GAME, THINGS, choices, do, last, sense, silently, table, thing, weight

from sobremesa import agents
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state, tables
from sobremesa.envs.erase_una_vez.tale import UPHELD, VALID, meets
from sobremesa.envs.erase_una_vez.text.telling import sentence

SPARE = ("Esposo(a)", "Hacha", "Loco")  # cards that no example speaks of
PERSON, PLACE, ASPECT = (list(np.flatnonzero(tables.GROUP[: tables.NUM_ELEMENTS] == group)) for group in (0, 2, 3))
MEETINGS = ("se encontró", "se encontraron", "se cruzó con", "al paso de", "le pidió ayuda", "una pregunta que nadie")


def holds(step):
    """Return whether the rules take a step: its sentence makes sense, and its reaction is right."""
    own = step.says.removeprefix("card ") if step.says.startswith("card ") else ""
    other = step.reaction.partition(" ")[2]
    states = table([f"{own}, {SPARE[0]}", f"{other}, {SPARE[1]}", SPARE[2]], tale=step.tale)
    do(states, step.says)
    if last(states)[3] < UPHELD:
        return False
    if not step.reaction:
        return True
    return step.reaction in choices(states) and (
        step.reaction.startswith("interrupt") or weight(states, other) >= VALID
    )


def of_list():
    """Return the number of members of the rulebook's list that make sense, told one after the other."""
    states, found = table(["Hacha, Loco", "Esposo(a)", "Ventana"], tale=LIST_TALE), 0
    for name in LIST:
        found += sense(states, name) >= UPHELD
        silently(states, f"tell {name}")
    return found


def nonsense_after(first, second):
    """Return the number of pairs of which the second makes no sense after the first, as the whole tale."""
    found = 0
    for one in first:
        states = table(("", "", ""), tale=THINGS[one])
        found += sum(sense(states, THINGS[other]) < UPHELD for other in second)
    return found


class Newcomer:
    """A player who plays the cards in random order; a careful one looks at the screen."""

    def __init__(self, careful):
        self.name, self.careful = "newcomer", careful

    def act(self, view):
        """Return the action of the newcomer."""
        one, mask = view.state[0], view.mask
        cards = np.flatnonzero(mask[: state.A_TELL])
        if one.stage == state.REACT:
            claims = np.flatnonzero(mask[state.A_CLAIM : state.A_INTERRUPT])
            sure = [card for card in claims if weight(view.state, THINGS[card]) >= VALID]
            breaks = np.flatnonzero(mask[state.A_INTERRUPT : state.A_PROTEST])
            if sure:
                return state.A_CLAIM + int(sure[0])
            return state.A_INTERRUPT + int(breaks[0]) if breaks.size else state.A_NOTHING
        if one.stage == state.VOTE:
            return agents.load("simple", GAME).act(view)
        if one.stage == state.PASSING:
            return state.A_KEEP
        if self.careful and cards.size <= 1 and (asked := self._asked(view)):
            return asked
        if self.careful:
            good = [card for card in cards if sense(view.state, THINGS[card], "card") >= UPHELD]
            cards = np.array(good) if good else cards
        if cards.size:
            return int(cards[int(view.stream[0].seed + one.sentences) % cards.size])
        return state.A_END if mask[state.A_END] else state.A_PASS

    def _asked(self, view):
        """Return the action that tells something that the ending still asks for; None if there is none."""
        ending = int(view.state[0].ending[view.seat][0])
        for number, clause in enumerate(tables.ENDINGS[ending].clauses):
            if meets(view.state[0], ending, number):
                continue
            for one in range(tables.NUM_THINGS):
                named = tables.THINGS[one].id in clause or set(tables.THINGS[one].sets) & set(clause)
                own = state.A_CARD + one if one < tables.NUM_ELEMENTS else state.A_TELL + one
                action = own if one < tables.NUM_ELEMENTS and view.mask[own] else state.A_TELL + one
                if named and view.mask[action] and sense(view.state, THINGS[one]) >= UPHELD:
                    return action
        return None


def newcomers(tales, careful):
    """Return the sentences of a newcomer, those undone, and the tales that he won."""
    strong, told, undone, won = agents.load("strong", GAME), 0, 0, 0
    for seed in range(tales):
        seat = seed % 3
        seated = [strong] * 3
        seated[seat] = Newcomer(careful)
        *_, end = deal_between(GAME, seated, seed)
        one = end.states[0]
        rows = one.log[: one.sentences]
        mine = (rows[:, state.LOG_SEAT] == seat) & (rows[:, state.LOG_KIND] <= state.LINK)
        told += int(mine.sum())
        undone += int((mine & (rows[:, state.LOG_FATE] == state.UNDONE)).sum())
        won += int(one.winner[seat])
    return told, undone, won


def strong_tales(tales):
    """Return figures of tales of `strong`: endings with an unmet clause, things without sense, and meetings."""
    strong, found = agents.load("strong", GAME), dict.fromkeys(("ends", "unmet", "untold", "senseless"), 0)
    found |= dict.fromkeys(("sentences", "meetings", "unheard"), 0)
    meeting = thing("Encuentro entre personas")
    for seed in range(tales):
        for ply in deal_between(GAME, [strong] * 3, seed):
            one = ply.states[0]
            if one.over:
                if one.ending_kind == state.CHEERED:
                    found["ends"] += 1
                    ending = int(one.won_with)
                    found["unmet"] += not all(meets(one, ending, c) for c in range(tables.CLAUSES[ending]))
            elif one.stage == state.TELL:
                untold = [THINGS[number] for number in np.flatnonzero(one.told == 0)]
                found["untold"] += len(untold)
                found["senseless"] += sum(sense(ply.states, name) < UPHELD for name in untold)
                if state.A_CARD <= ply.action < state.A_PASS:
                    _count_meeting(do(ply.states.copy(), _named(ply.action)), found, meeting)
    return found


def _named(action):
    verb, first = ("card", state.A_CARD) if action < state.A_TELL else ("tell", state.A_TELL)
    return f"{verb} {THINGS[action - first]}"


def _count_meeting(states, found, meeting):
    """Count a sentence in which two meet, ask or request, and whether the card of a meeting could claim it."""
    one = states[0]
    found["sentences"] += 1
    if one.focus in (meeting, tables.NO_THING) or one.kind not in (state.CARD, state.BRIDGE, state.LINK):
        return
    words = sentence(one.log, int(one.sentences) - 1, "es").lower()
    if any(one in words for one in MEETINGS):
        found["meetings"] += 1
        found["unheard"] += weight(states, THINGS[meeting]) == 0


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tales", type=int, default=150, help="tales of a newcomer")
    parser.add_argument("--endings", type=int, default=180, help="tales of strong")
    given = parser.parse_args()
    print(f"rulebook's good steps taken: {sum(map(holds, GOOD))} of {len(GOOD)}")
    print(f"rulebook's refused claims taken: {sum(map(holds, REFUSED))} of {len(REFUSED)}")
    print(f"rulebook's list, told one by one: {of_list()} of {len(LIST)} make sense")
    print(f"a place makes no sense after a person: {nonsense_after(PERSON, PLACE)} of {len(PERSON) * len(PLACE)} pairs")
    print(f"an aspect makes no sense after a person: {nonsense_after(PERSON, ASPECT)} of {len(PERSON) * len(ASPECT)}")
    for careful in (False, True):
        told, undone, won = newcomers(given.tales, careful)
        who = "newcomer who looks at the screen" if careful else "newcomer"
        print(f"{who}: {told} sentences, {undone / max(1, told):.0%} undone, won {won} of {given.tales} tales")
    found = strong_tales(given.endings)
    print(f"endings with an unmet clause: {found['unmet']} of {found['ends']}")
    print(f"untold things without sense at a decision: {found['senseless'] / found['untold']:.0%}")
    meet, told = found["meetings"], found["sentences"]
    print(f"sentences in which two meet: {meet} of {told}, {found['unheard']} of them not claimable as such")


if __name__ == "__main__":
    main()
