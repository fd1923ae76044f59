"""Measure the detector of *Érase una vez* on a file of labelled sentences, beside three baselines.

    python tests/tools/detector.py tests/envs/erase_una_vez/sentences_building.jsonl [--third] [--faults]

A label is right if its element is found with the same kind. An element that is found without a label is spurious. The
baselines call each element valid whose words occur: as exact forms, by Snowball stems, and by simplemma lemmas. The
last two need the packages `snowballstemmer` and `simplemma`; a baseline is left out without its package.
"""

import argparse
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sobremesa.envs.erase_una_vez.tables import NUMBER, THINGS
from sobremesa.envs.erase_una_vez.text.detector import HEARD, detect
from sobremesa.envs.erase_una_vez.text.forms import key, words_of
from sobremesa.envs.erase_una_vez.text.lexicon import NOUNS

KINDS = ("valid", "named", "absent")
Found = dict[str, str]  # kind by id
Finder = Callable[[str, str], Found]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the labelled sentences of a file in the languages of the detector."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [one for one in found if one["language"] in HEARD]


def by_detector(text: str, language: str) -> Found:
    """Return the things that the detector finds."""
    return {mention.thing: mention.kind for mention in detect(text, language)}


def by_tables(change: Callable[[str, str], str]) -> Finder:
    """Return a finder of the words of the game's own tables, all changed by `change(word, language)`."""
    tables: dict[str, list[tuple[str, list[str]]]] = {"es": [], "en": []}
    for one in THINGS:
        noun = NOUNS[NUMBER[one.id]].noun
        for language, names in (("es", [*one.words, one.name, noun["es"]]), ("en", [one.english, noun["en"]])):
            for name in names:
                tables[language].append((one.id, [change(word.key, language) for word in words_of(name)]))

    def find(text: str, language: str) -> Found:
        said = [change(word.key, language) for word in words_of(text)]
        return {
            one: "valid"
            for one, name in tables[language]
            if name and any(said[place : place + len(name)] == name for place in range(len(said)))
        }

    return find


def baselines() -> Iterable[tuple[str, Finder]]:
    """Yield the names and finders of the baselines whose packages are installed."""
    yield "exact forms", by_tables(lambda word, _: word)
    try:
        snowball = importlib.import_module("snowballstemmer")
        stems = {"es": snowball.stemmer("spanish"), "en": snowball.stemmer("english")}
        yield "snowball stems", by_tables(lambda word, language: key(stems[language].stemWord(word)))
    except ImportError:
        print("no package snowballstemmer")
    try:
        lemma = importlib.import_module("simplemma").lemmatize
        yield "simplemma", by_tables(lambda word, language: key(lemma(word, lang=language)))
    except ImportError:
        print("no package simplemma")


def measure(sentences: Iterable[dict[str, Any]], find: Finder) -> Counter[tuple[str, str]]:
    """Return how often each label (valid, named, absent) was found as each kind."""
    confusion: Counter[tuple[str, str]] = Counter()
    for one in sentences:
        found = find(one["text"], one["language"])
        for thing in {*found, *one["labels"]}:
            confusion[one["labels"].get(thing, "absent"), found.get(thing, "absent")] += 1
    return confusion


def accuracy(confusion: Counter[tuple[str, str]]) -> tuple[float, float]:
    """Return right / (labels + spurious) and right / labels."""
    right = confusion["valid", "valid"] + confusion["named", "named"]
    labels = sum(count for (label, _), count in confusion.items() if label != "absent")
    return right / max(1, sum(confusion.values())), right / max(1, labels)


def report(name: str, confusion: Counter[tuple[str, str]]) -> str:
    """Return a line of figures."""
    right, found = confusion["valid", "valid"], sum(confusion[label, "valid"] for label in KINDS)
    labels = sum(confusion["valid", kind] for kind in KINDS)
    strict, loose = accuracy(confusion)
    return (
        f"{name:22} {right / max(1, found):9.3f} {right / max(1, labels):9.3f} {strict:9.3f} {loose:9.3f}   "
        + " ".join(f"{confusion[label, kind]:4}" for label in KINDS for kind in KINDS)
    )


def faults(sentences: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Yield a line for each sentence with a fault."""
    for one in sentences:
        found = by_detector(one["text"], one["language"])
        wrong = [
            f"{thing}:{one['labels'].get(thing, 'absent')[0]}>{found.get(thing, 'absent')[0]}"
            for thing in sorted({*found, *one["labels"]})
            if found.get(thing) != one["labels"].get(thing)
        ]
        if wrong:
            yield f"{one['id']} {' '.join(wrong)} | {one['text']}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--third", action="store_true", help="measure every third sentence and the others apart")
    parser.add_argument(
        "--faults", action="store_true", help="list the sentences with faults; with --third, not its own"
    )
    arguments = parser.parse_args()
    sentences = read(arguments.file)
    others = [one for place, one in enumerate(sentences) if place % 3 != 2]
    sets = {"all": sentences}
    if arguments.third:
        sets = {"two thirds": others, "every third": sentences[2::3]}
    pairs = " ".join(f"{label[0]}>{kind[0]} " for label in KINDS for kind in KINDS)
    for name, chosen in sets.items():
        print(f"{name}: {len(chosen)} sentences\n{'':22} precision    recall  accuracy  of labels  {pairs}")
        for language in (*HEARD, ""):
            own = [one for one in chosen if one["language"].startswith(language)]
            print(report(f"detector {language}", measure(own, by_detector)))
        for base, find in baselines():
            print(report(base, measure(chosen, find)))
    if arguments.faults:
        print(*faults(others if arguments.third else sentences), sep="\n")


if __name__ == "__main__":
    main()
