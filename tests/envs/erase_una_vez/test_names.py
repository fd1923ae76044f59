"""Sentences of *Érase una vez* name only their subject and hook (C5.2, H1)."""

import re

import numpy as np
import pytest
from erase_logs import a_deal

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez.notation import ENGLISH_WORDS
from sobremesa.envs.erase_una_vez.state import CHEERED, CLAIMED, LOG_CARD, LOG_FATE, LOG_HOOK, LOG_THING, TOLD_TOO
from sobremesa.envs.erase_una_vez.tables import ENDINGS, NO_THING, NUMBER, RELATIONS, THINGS
from sobremesa.envs.erase_una_vez.text.flavour import CONNECTIVES, EFFECTS, NAMES, TAILS, WISHES
from sobremesa.envs.erase_una_vez.text.lexicon import GAP, NOUNS, WORDINGS
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence
from sobremesa.envs.erase_una_vez.text.words import ending_words

pytestmark = pytest.mark.kernels

MEANT = {number: set() for number in range(len(THINGS))}
for row in RELATIONS:
    MEANT[NUMBER[row.said]].add(NUMBER[row.meant])
MEANT[NUMBER["A19"]].add(NUMBER["C12"])  # it is called "this animal can talk"
DEALS = 14
HARMLESS = {"es": {"tomo"}, "en": set()}  # a verb far more often than a volume


def _names(number, language):
    """Return what a thing is called: by its card, by the tale, by other words."""
    thing, noun = THINGS[number], NOUNS[number].noun[language]
    if language == "en":
        return {thing.english, noun, *ENGLISH_WORDS.get(thing.id, ())}
    names = {name.removesuffix("(a)") for name in thing.name.split("/")}
    return {noun, *names, *(f"{name[:-1]}a" for name in names if "(a)" in thing.name), *thing.words}


def _words(text):
    return re.findall(r"[^\W\d_]+", text.lower())


def _pattern(language):
    """Return a pattern that finds any name, one or many of it, and whose it is."""
    owners = {}
    for number in range(len(THINGS)):
        for name in _names(number, language):
            owners.setdefault(" ".join(_words(name)), set()).add(number)
    for word in HARMLESS[language]:
        owners.pop(word)
    longest_first = sorted(owners, key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(longest_first)})(?:e?s)?\b"), owners


PATTERNS = {language: _pattern(language) for language in LANGUAGES}


def named(text, language, allowed=()):
    """Return the things that a text names, a set of numbers for each name; what `allowed` are called names nothing."""
    found, owners = PATTERNS[language]
    plain = " ".join(_words(text))
    for thing in allowed:
        plain = plain.replace(" ".join(_words(NOUNS[thing].noun[language])), "")
    return [owners[match[1]] for match in found.finditer(plain)]


def strangers(text, language, allowed):
    """Return the names in a text of things that are none of `allowed`."""
    wide = set(allowed).union(*(MEANT[thing] for thing in allowed))
    return [[THINGS[one].name for one in owners] for owners in named(text, language, allowed) if not owners & wide]


def test_names_are_found():
    assert strangers("Los reyes y la rana", "es", [NUMBER["P25"]]) == [["Rey"]]
    assert strangers("The old woman met some wolves and a bird.", "en", [NUMBER["P11"]]) == [["Pájaro"]]
    assert strangers("Nadie sabía nada de aquel encuentro.", "es", [NUMBER["E16"]]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_wording_names_more_than_its_thing(language):
    for wording in WORDINGS:
        own = [NUMBER[one] for one in wording.of if one in NUMBER]
        own += [NUMBER["L05"]] if wording.of == ("night",) else []
        text = GAP.sub("…", wording.text[language])
        assert not strangers(text, language, own), text
    for noun in NOUNS:
        for tail in TAILS[noun.thing]:
            text = f"{noun.noun[language]} {tail.text[language]}"
            assert not strangers(text, language, [noun.thing]), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_h14_names_and_effects_name_no_thing(language):
    effects = [one.text[language] for group in EFFECTS.values() for one in group]
    wishes = [text[language] for wish in WISHES for text in (wish.text, wish.goal, wish.after)]
    for text in (*(one.text[language] for one in CONNECTIVES), *effects, *wishes, *(name.text for name in NAMES)):
        assert not strangers(GAP.sub("…", text), language, []), text


# Verbs among the data's other words, by stem, that mean more than the deed of a card: to fall and to fall ill.
OFTEN = {"hac", "pas", "corr", "part", "her", "mat", "mor", "tem", "top", "vol", "volv", "ide", "muj", "manj", "hog",
         "perd", "conoc", "encontr", "sangr", "confes", "abandon"}  # fmt: skip


def stems():
    """Return the cards by the stems of the verbs among the data's words for them."""
    found = {}
    for thing in THINGS:
        for word in " ".join(thing.words).split():
            if match := re.fullmatch(r"(\w{3,})[aei]r(se)?", word):
                found.setdefault(match[1], set()).add(thing.id)
    return {stem: cards for stem, cards in found.items() if stem not in OFTEN}


def test_c5_2_no_wording_tells_of_the_deed_of_another_card():
    deeds = stems()
    assert {"soñ", "escond", "enamor", "viaj", "dorm"} <= set(deeds)
    pattern = re.compile(rf"\b({'|'.join(deeds)})")
    for wording in WORDINGS:
        for match in pattern.finditer(GAP.sub("…", wording.text["es"]).lower()):
            own = deeds[match[1]] | ({"O03"} if match[1] == "her" else set())
            assert own & set(wording.of), wording.text["es"]


def test_c5_2_new_people_meet_those_they_hang_on():
    """Who is new and hangs on another meets him: these words tell of nothing else."""
    told = [w.text["es"] for w in WORDINGS if w.when == "new" and "person" in w.of and w.roles & {"who", "human"}]
    verbs = ("encontró con", "salió al paso", "se cruzó con", "conoció", "a saludar a", "pidió ayuda", "acompañó a")
    assert len(told) == len(verbs)
    assert all(any(verb in text for text in told) for verb in verbs)


def test_no_animal_has_hands():
    """No horse loses a cloak from its hands."""
    for wording in WORDINGS:
        if re.search(r"\bmanos?\b", wording.text["es"]) and wording.roles | wording.cast:
            assert not (wording.roles | wording.cast) & {"who", "beast", "hero"}, wording.text["es"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_c9_3_an_ending_asks_for_all_that_it_names(language):
    """No judge takes an ending that names something where that was not told."""
    for number, ending in enumerate(ENDINGS):
        asked = {NUMBER[clause[0]] for clause in ending.clauses if len(clause) == 1 and clause[0] in NUMBER}
        for owners in named(ending_words(number, language), language):
            assert owners & asked, ending


def test_c5_2_sentences_name_only_claimable_or_laid_things():
    told = 0
    for seed in range(DEALS):
        state = a_deal(seed)
        log = state.log[: state.sentences]
        for row, line in enumerate(log.tolist()):
            hook = [line[LOG_HOOK]] if line[LOG_HOOK] != NO_THING else []
            for language in LANGUAGES:
                text = sentence(log, row, language)
                if text and text != ending_words(line[LOG_THING] % len(ENDINGS), language):
                    assert not strangers(text, language, [line[LOG_THING], *hook]), text
                    told += 1
                if line[LOG_FATE] in (CLAIMED, TOLD_TOO):
                    text = aside(log, row, language)
                    assert not strangers(text, language, [line[LOG_CARD], line[LOG_THING]]), text
    assert told > 300


def test_c9_4_a_won_tale_has_told_all_that_its_ending_names():
    won, seen = 0, 0
    for seed in range(DEALS):
        state = a_deal(seed)
        if state.ending_kind == CHEERED:
            for language in LANGUAGES:
                for owners in named(ending_words(int(state.won_with), language), language):
                    seen += 1
                    assert any(state.told[one] for one in owners)
            won += 1
    assert won > 4
    assert seen > 0


def test_a_sentence_agrees_with_what_it_shows():
    """«Sin decir de dónde la había sacado, … mostró una espada»."""
    texts = set()
    log = np.zeros((8, LOG_CARD + 1), np.uint8)
    for teller in range(120):
        log[0] = (teller, 0, NUMBER["P01"], NO_THING, 0, 0, 0)
        log[1] = (0, 0, NUMBER["O11"], NUMBER["P01"], 0, 0, 0)
        texts.add(sentence(log, 1, "es"))
    assert any(text.startswith("Sin decir de dónde la había sacado, la princesa mostró una espada") for text in texts)
