"""The accuracy of the detector of *Érase una vez* on labelled sentences.

A label is right if its element is found with the same kind. An element that is found without a label is spurious.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS, NUMBER
from sobremesa.envs.erase_una_vez.text.detector import HEARD, Mention, detect
from sobremesa.envs.erase_una_vez.text.phrases import VALID

CERTAIN = 0.75  # from which on a claim is right (C6)


def read(path: Path) -> list[dict[str, Any]]:
    """Return the labelled sentences of a file in the languages of the detector."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [one for one in found if one["language"] in HEARD]


def heard_in(one: dict[str, Any]) -> dict[str, Mention]:
    """Return what the detector finds in a labelled sentence, by thing.

    A sentence with a list of `doubtful` things has labels for cards alone, and its author could judge those things
    either way: other things and doubtful ones are left out.
    """
    heard = {mention.thing: mention for mention in detect(one["text"], one["language"])}
    if "doubtful" not in one:
        return heard
    left_out = {*one["doubtful"], *(thing for thing in heard if NUMBER[thing] >= NUM_ELEMENTS)}
    return {thing: mention for thing, mention in heard.items() if thing not in left_out}


def found(text: str, language: str = "es") -> dict[str, str]:
    """Return the kind of each thing that the detector finds."""
    return {mention.thing: mention.kind for mention in detect(text, language)}


def measure(sentences: Iterable[dict[str, Any]]) -> Counter[tuple[str, str]]:
    """Return how often each label (valid, named, absent) was found as each kind."""
    confusion: Counter[tuple[str, str]] = Counter()
    for one in sentences:
        heard = {thing: mention.kind for thing, mention in heard_in(one).items()}
        for thing in {*heard, *one["labels"]}:
            confusion[one["labels"].get(thing, "absent"), heard.get(thing, "absent")] += 1
    return confusion


def accuracy(confusion: Counter[tuple[str, str]]) -> tuple[float, float]:
    """Return right / (labels + spurious) and right / labels."""
    right = confusion["valid", "valid"] + confusion["named", "named"]
    labels = sum(count for (label, _), count in confusion.items() if label != "absent")
    return right / max(1, sum(confusion.values())), right / max(1, labels)


def reliability(sentences: Iterable[dict[str, Any]]) -> tuple[int, int, int, int]:
    """Return how many verdicts are sure and wrong, all verdicts, how many right valid ones are sure, and all of these.

    A verdict is a thing that is labelled or heard.
    """
    wrong = verdicts = sure = right = 0
    for one in sentences:
        heard = heard_in(one)
        verdicts += len({*heard, *one["labels"]})
        for mention in heard.values():
            if mention.kind == VALID:
                is_right = one["labels"].get(mention.thing) == VALID
                is_sure = mention.certainty >= CERTAIN
                wrong += is_sure and not is_right
                sure += is_sure and is_right
                right += is_right
    return wrong, verdicts, sure, right
