"""How a newcomer fares at *Érase una vez* who tells plain sentences in own words among two agents.

    PYTHONPATH=tests/support python tests/tools/newcomers.py --deals 300 --among easy
    PYTHONPATH=tests/support python tests/tools/newcomers.py --deals 300 --among strong --person plain

The sentences are those of the labelled sets of the tests, in one language. The person `plain` tells any of them, with
no regard to cards. The person `sensible` tells one about a card in hand or about what the own ending lacks. It claims
what is right, interrupts and protests where that is right, and votes as the judge would. The person `quiet` tells in
the same way and never claims, interrupts or protests. With `--unseen` the person does not look at the verdict before
telling. The output is the share of the sentences that stand and that of wins, with 95 % intervals, and counts.
"""

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from labelled_sentences import read

from sobremesa import agents, envs
from sobremesa.agents.arena.score import estimate
from sobremesa.agents.levels import LEVELS, agent_of
from sobremesa.arguments import count
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.tale import VALID, accepts, meets, weight_of
from sobremesa.envs.erase_una_vez.text.fits import fit_of

GAME = envs.load("erase_una_vez")
FOLDER = Path(__file__).parents[1] / "envs/erase_una_vez"
SETS = ("fresh", "held_out", "extra", "building")
TRIES = 3  # sentences that are read for a thing, and in all before the person passes
FATES = {s.UNDONE: "undone", s.CLAIMED: "claimed", s.INTERRUPTED: "interrupted"}
SEATS = 3


class Newcomer:
    """A person who tells sentences of the labelled sets in `language`; each is told once in a deal."""

    name = "newcomer"

    def __init__(self, language: str, kind: str = "sensible", *, looks: bool = True) -> None:
        self.language, self.kind, self.looks = language, kind, looks
        rows = [row for name in SETS for row in read(FOLDER / f"sentences_{name}.jsonl") if row["language"] == language]
        self.texts = [row["text"] for row in rows if row["kind"] != "trap"]
        self.about = defaultdict(list)
        for row in rows:
            for thing, label in row["labels"].items():
                if label == "valid":
                    self.about[t.NUMBER[thing]].append(row["text"])

    def begin(self, seed: int) -> None:
        """Forget the sentences of the deal before."""
        self.lot, self.used, self.saying = random.Random(seed), set(), None

    def act(self, view) -> int:
        """Return the action, with a sentence in own words on the person's turn."""
        state, self.saying = view.state[0], None
        legal = np.flatnonzero(view.mask).tolist()
        if state.stage == s.TELL:
            return self.tell(view, legal)
        if state.stage == s.REACT:
            return self.react(state, legal)
        if state.stage == s.VOTE:
            return s.A_YES if self.agrees(state) else s.A_NO
        fits = {one: fit_of(state, one - s.A_DISCARD, int(state.seat), True) for one in legal if one < s.A_KEEP}
        return max(fits, key=fits.get) if fits else legal[0]

    def tell(self, view, legal) -> int:
        """End the tale if the ending fits, else tell a sentence, else pass."""
        state = view.state[0]
        for action in (one for one in legal if s.A_END <= one < s.A_END + s.MOST_ENDINGS):
            if accepts(state, state.ending[state.seat, action - s.A_END]):
                return action
        for text, wanted in self.sentences(state):
            telling = GAME.words.telling
            saying = telling.listen(view.state, text, telling.language(text, self.language))
            offers = telling.actions(view.state, saying)
            action = wanted if wanted in offers else offers[0] if offers and wanted < 0 else -1
            if action >= 0 and (not self.looks or telling.preview(view.state, saying, self.language).stands):
                self.used.add(text)
                self.saying = saying
                return action
        return s.A_PASS if s.A_PASS in legal else legal[0]

    def said(self):
        """Return the sentence for the last action."""
        return self.saying

    def sentences(self, state):
        """Yield sentences with the actions that they are to mean, -1 for the likeliest."""
        seat = int(state.seat)
        if self.kind != "plain":
            hand = np.flatnonzero(state.where == seat).tolist()
            hand.sort(key=lambda card: (fit_of(state, card, seat, True), self.lot.random()))
            for card in hand:
                yield from self.of(card, s.A_CARD)
            for thing in self.lacking(state, seat):
                yield from self.of(thing, s.A_TELL)
            return
        left = [text for text in self.texts if text not in self.used]
        yield from ((text, -1) for text in self.lot.sample(left, TRIES))

    def of(self, thing, first):
        """Yield sentences about a thing."""
        texts = [text for text in self.about[thing] if text not in self.used]
        for text in self.lot.sample(texts, min(TRIES, len(texts))):
            yield text, first + thing

    def lacking(self, state, seat):
        """Return things that bring what the first ending lacks, in random order."""
        ending = int(state.ending[seat, 0])
        found = []
        for clause in range(t.CLAUSES[ending]):
            if not meets(state, ending, clause):
                facts, named = int(t.CLAUSE_FACTS[ending, clause]), t.CLAUSE_THINGS[ending, clause].tolist()
                found += [one for one in range(t.NUM_THINGS) if one in named or int(t.SETS[one]) & facts]
        return self.lot.sample(found, len(found))

    def react(self, state, legal) -> int:
        """Return a right claim, an interruption, a protest or nothing."""
        right = [
            one for one in legal if s.A_CLAIM <= one < s.A_INTERRUPT and weight_of(state, one - s.A_CLAIM) >= VALID
        ]
        right += [one for one in legal if s.A_INTERRUPT <= one <= s.A_PROTEST]
        return right[0] if right and self.kind == "sensible" else s.A_NOTHING

    def agrees(self, state) -> bool:
        """Return whether the person votes yes, as the judge would."""
        if state.case == s.ON_CLAIM:
            return weight_of(state, int(state.choice[state.claimant]) - s.A_CLAIM) >= 50
        return state.case == s.ON_PROTEST or bool(accepts(state, state.log[state.sentences - 1, s.LOG_THING]))


def play(person: Newcomer, among: str, deals: int) -> tuple[Counter, list[float]]:
    """Return the counts of sentences of the person by fate and of the agents' sentences, and the wins of each deal."""
    other, found = agents.load(agent_of(among, GAME) if among in LEVELS else among, GAME), Counter()
    wins = []
    for seed in range(deals):
        mine = seed % SEATS
        person.begin(seed)
        seated = [person if seat == mine else other for seat in range(SEATS)]
        plies = list(deal_between(GAME, seated, seed, **GAME.words.telling.setup))
        end, rows = plies[-1].states[0], {ply.saying.row for ply in plies if ply.saying is not None}
        for number, row in enumerate(end.log[: end.sentences].tolist()):
            if number in rows:
                found["told"] += 1
                found[FATES.get(row[s.LOG_FATE], "stands")] += 1
                found["with a card"] += row[s.LOG_KIND] == s.CARD
            elif row[s.LOG_KIND] in (s.CARD, s.BRIDGE, s.LINK):
                found["others told"] += 1
        wins.append(int(end.winner[mine]) / max(1, int(end.winner.sum())))
    return found, wins


def share(values: list[float]) -> str:
    """Return the mean of values between 0 and 1 with its interval."""
    return "{:.3f} ({:.3f} to {:.3f}) of {:,}".format(*estimate(np.array(values, float), (0, 1)), len(values))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--deals", type=count, default=300)
    parser.add_argument("--among", default="easy", help="level or agent of the two others")
    parser.add_argument("--person", choices=("sensible", "quiet", "plain"), default="sensible")
    parser.add_argument("--unseen", action="store_true", help="do not look at the verdict before telling")
    parser.add_argument("--language", default="es", choices=("es", "en"))
    given = parser.parse_args()
    person = Newcomer(given.language, given.person, looks=not given.unseen)
    found, wins = play(person, given.among, given.deals)
    print("not undone:", share([0] * found["undone"] + [1] * (found["told"] - found["undone"])))
    print("wins:", share(wins))
    print(dict(found))


if __name__ == "__main__":
    main()
