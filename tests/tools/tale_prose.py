"""How the tales of *Érase una vez* read: what they take up, how often they repeat themselves, and who is in them.

    python tests/tools/tale_prose.py
    python tests/tools/tale_prose.py --tales 200 --keep 20 --out tales.txt

It plays tales of three `strong`, with seeds from 0, and prints one line for each figure. A sentence *takes up* what was
told if its subject was told of before, or if its words name such a thing by its noun, by a name of its own or by a
pronoun. With `--out` it writes the first tales in Spanish and English.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state
from sobremesa.envs.erase_una_vez.tables import PERSON, THINGS
from sobremesa.envs.erase_una_vez.text.lexicon import NOUNS
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence, tale

VAGUE = re.compile(r"\b(alguien|algo|todos|nadie)\b", re.IGNORECASE)
CALLED = re.compile(r"llamad[oa] (\w+)")
PRONOUN = re.compile(r"\b(he|she)\b", re.IGNORECASE)  # of English, where the subject is not left out
OFTEN, MANY = 3, 3  # tales that share a sentence; mentions of a character who matters


def played(seed):
    """Return the last state of a deal of three `strong`."""
    game = envs.load("erase_una_vez")
    *_, end = deal_between(game, [agents.load("strong", game)] * 3, seed)
    return end.states[0]


def lines(one):
    """Return subject, Spanish and English text of each sentence that stands; endings left out."""
    log, found = one.log, []
    for row, line in enumerate(log[: one.sentences].tolist()):
        fate, kind = line[state.LOG_FATE], line[state.LOG_KIND]
        if fate in (state.UNDONE, state.REFUSED) or kind == state.END:
            continue
        for subject, words in ((line[state.LOG_THING], sentence), (line[state.LOG_CARD], aside)):
            if spanish := words(log, row, "es"):
                found.append((subject, spanish, words(log, row, "en")))
    return found


class Reader:
    """A reader of one tale, who keeps count of the things that it names."""

    def __init__(self):
        self.told, self.names, self.mentions, self.latest = set(), {}, Counter(), None

    def read(self, subject, spanish, english):
        """Return whether a sentence takes up what was told, and whether it takes up a character."""
        named = {one for one in self.told | {subject} if self._is_named(one, spanish)} | {subject}
        people = {one for one in named if THINGS[one].group == PERSON}
        if not people and self.latest is not None and PRONOUN.search(english):
            people, named = {self.latest}, named | {self.latest}
        taken = bool(named & self.told), bool(people & self.told)
        self.mentions.update(people)
        self.latest = people.pop() if len(people) == 1 else None if people else self.latest
        self.told.add(subject)
        if called := CALLED.search(spanish):
            self.names[subject] = called[1]
        return taken

    def _is_named(self, thing, text):
        words = [NOUNS[thing].noun["es"], *([self.names[thing]] if thing in self.names else [])]
        return any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for word in words)


def figures(ends):
    """Return the figures of tales by their names."""
    found, tales_of, but_for_names = Counter(), Counter(), Counter()
    for one in ends:
        reader, texts = Reader(), []
        for subject, spanish, english in lines(one):
            found["sentences"] += 1
            found["new"] += subject not in reader.told
            taken, character = reader.read(subject, spanish, english)
            found["taken"] += taken
            found["character"] += character
            found["vague"] += VAGUE.search(spanish) is not None
            texts.append(spanish)
        found["again"] += len(texts) - len(set(texts))
        tales_of.update(set(texts))
        nameless = [re.sub("|".join(map(re.escape, reader.names.values())) or "$", "·", text) for text in texts]
        but_for_names.update(set(nameless))
        people = {thing for thing in reader.told if THINGS[thing].group == PERSON}
        found["people"] += len(people)
        found["matter"] += sum(reader.mentions[thing] >= MANY for thing in people)
    found["often"] = sum(count for count in tales_of.values() if count >= OFTEN)
    found["nameless"] = sum(count for count in but_for_names.values() if count >= OFTEN)
    found["shared"] = sum(count for count in tales_of.values() if count > 1)
    return found


def write(ends, path):
    """Write tales in both languages."""
    parts = []
    for number, one in enumerate(ends):
        for language in ("es", "en"):
            text = "\n".join(tale(one.log, int(one.sentences), language))
            parts.append(f"--- {number} {language}\n{text}\n")
    path.write_text("\n".join(parts), encoding="utf-8")


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tales", type=int, default=200)
    parser.add_argument("--keep", type=int, default=20, help="tales to write")
    parser.add_argument("--out", type=Path, help="file to write tales to")
    given = parser.parse_args()
    ends = [played(seed) for seed in range(given.tales)]
    found = figures(ends)
    told = found["sentences"]
    share = {name: f"{count / told:.1%}" for name, count in found.items()}
    people, matter = found["people"] / given.tales, found["matter"] / given.tales
    print(f"sentences: {told}, {told / given.tales:.1f} a tale; {share['new']} tell of something new")
    print(f"sentences that take up what was told: {share['taken']}; a character: {share['character']}")
    print(f"sentences that come in {OFTEN} tales or more: {share['often']}; but for names: {share['nameless']}")
    print(f"sentences that come in two tales or more: {share['shared']}")
    print(f"sentences that come again in their tale: {found['again']}")
    print(f"sentences with alguien, algo, todos or nadie: {share['vague']}")
    print(f"characters a tale: {people:.1f}, mentioned {MANY} times or more: {matter:.1f}")
    if given.out:
        write(ends[: given.keep], given.out)


if __name__ == "__main__":
    main()
