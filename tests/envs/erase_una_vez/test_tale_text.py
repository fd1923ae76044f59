"""The prose of *Érase una vez*: sentences of rows of the log, and the tables of words."""

import csv
import re
from dataclasses import replace

import numpy as np
import pytest
from erase_logs import a_log, a_walk, tale, ways

from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.table_files import DATA
from sobremesa.envs.erase_una_vez.tables import ENDINGS, NO_THING, NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text import flavour, lexicon
from sobremesa.envs.erase_una_vez.text.flavour import CONNECTIVES
from sobremesa.envs.erase_una_vez.text.lexicon import NOUNS, WORDINGS, phrase
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence

# How adverbials begin that end in a comma; "y", "pero" and the like after it begin a clause instead.
OPENING = re.compile(
    r"(por|tras|al|ante|entre|con|sin|después|en|de|rumbo|gota|because|at|in|on|what with|after|when)\b[^,:]*, "
    r"(?!y |o |and |or |as )",
    re.IGNORECASE,
)
LONGEST = 200  # signs of a sentence
SHAPE = re.compile(r"[¡«“]?[A-ZÁÉÍÓÚ][^{}]*[.!»”]")  # a capital first, a stop last, no gap left open


def connective_of(text, language):
    """Return what leads a sentence, the longest that does; "" for nothing."""
    leads = [one.text[language] for one in CONNECTIVES if text.startswith(one.text[language] + " ")]
    return max(leads, key=len, default="")


@pytest.mark.parametrize("language", ["es", "en"])
def test_whatever_is_told_on_whatever_hook_is_a_sentence(language):
    log = a_log((s.CARD, "P13", ""), (s.BRIDGE, 0, ""), (s.CARD, 0, ""), (s.LINK, 0, ""))
    for hook in range(NUM_THINGS):
        for thing in range(NUM_THINGS):
            log[1:4, s.LOG_THING] = hook, thing, thing
            log[2:4, s.LOG_HOOK] = hook
            for text in tale(log, 4, language):
                assert SHAPE.fullmatch(text), text
                assert "  " not in text
                assert len(text) <= LONGEST, text


@pytest.mark.parametrize("language", ["es", "en"])
def test_things_that_were_never_told_can_be_hooks(language):
    for thing in range(NUM_THINGS):
        log = np.zeros((s.MAX_SENTENCES, s.LOG_COLUMNS), np.uint8)
        log[0] = (0, s.LINK, thing, (thing * 3 + 1) % NUM_THINGS, s.STANDS, 0, 0)
        assert SHAPE.fullmatch(sentence(log, 0, language))


def test_every_wording_can_be_said_in_good_spanish():
    said = [text for start in range(0, NUM_THINGS, 3) for text in tale(a_walk(start, 120), 120, "es")]
    text = "\n".join(said)
    assert not re.search(r"\b(de|a) el\b", text)
    assert not re.search(r"\b(la|una) (hada|hacha|hambre)\b", text)
    assert not re.search(r"\b(el|un|del|al) (princesa|bruja|niña|espada|isla|reina|llave)\b", text)
    assert not re.search(r"\b(la|una|los|unos) ruinas\b", text)


def test_every_wording_can_be_said_in_good_english():
    text = "\n".join(text for start in range(0, NUM_THINGS, 3) for text in tale(a_walk(start, 120), 120, "en"))
    assert not re.search(r"\ba [aeio]", text)
    assert not re.search(r"\ban [^aeiou]", text)
    assert not re.search(r"\b(a|an|ruins was|stairs was) (ruins|stairs|food)\b", text)


def test_the_first_sentence_begins_as_tales_begin():
    for thing in range(NUM_THINGS):
        log = np.zeros((s.MAX_SENTENCES, s.LOG_COLUMNS), np.uint8)
        log[0] = (0, s.CARD, thing, NO_THING, s.STANDS, 0, 0)
        assert sentence(log, 0, "es").startswith(("Érase una vez", "Éranse una vez"))
        assert sentence(log, 0, "en").startswith("Once upon a time")


def test_after_an_undone_first_sentence_the_next_one_begins():
    log = a_log((s.CARD, "P05", "", s.UNDONE), (s.CARD, "P17", ""))
    (text,) = tale(log, 2, "es")
    assert text.startswith("Érase una vez")
    assert "un rey llamado " in text


def test_a_thing_is_new_once():
    log = a_log((s.BRIDGE, "P05", ""), (s.CARD, "L11", "P05"), (s.LINK, "P05", "L11"))
    first, second, third = tale(log, 3, "es")
    assert "un lobo" in first
    assert "un bosque" in second
    assert "el lobo" in third.lower()
    assert "un lobo" not in second + third


@pytest.mark.parametrize(("who", "ending"), [("P01", "a"), ("P19", "a"), ("P17", "o"), ("P25", "a")])
def test_aspects_agree_with_whom_they_describe(who, ending):
    told = ways(a_log((s.CARD, who, ""), (s.CARD, "A06", who)), "es")
    assert any(text.lower().endswith(f"se quedó profundamente dormid{ending}.") for text in told)
    assert not any(re.search(rf"dormid{'oa'.replace(ending, '')}", text) for text in told)


def test_aspects_agree_in_number():
    told = ways(a_log((s.CARD, "L06", ""), (s.CARD, "A13", "L06")), "es")
    assert told >= {"Las ruinas eran de una belleza nunca vista.", "Las ruinas eran bellísimas."}
    told = ways(a_log((s.CARD, "L06", ""), (s.CARD, "A11", "L06")), "en")
    assert any(text.endswith("you could have held them in the palm of your hand.") for text in told)


def test_articles_and_contractions():
    log = a_log((s.CARD, "P17", ""), (s.CARD, "P19", "P17"), (s.CARD, "L04", "P19"), (s.CARD, "P05", "L04"))
    assert "un hada" in sentence(log, 1, "es")
    assert re.search(r"\bal? .*mar\b", sentence(log, 2, "es"))
    assert "a el" not in " ".join(tale(log, 4, "es"))
    assert any(re.search(r"\bdel mar|\bal mar", text.lower()) for text in ways(log, "es"))


def test_what_cannot_act_leaves_the_acting_to_nobody_else():
    log = a_log((s.CARD, "P17", ""), (s.CARD, "P25", "P17"), (s.CARD, "L05", "P25"), (s.CARD, "O11", "L05"))
    assert not [text for text in ways(log, "es") if re.search("rana|rey", text)]


def test_babies_and_children_do_not_fall_in_love():
    for child in ("C01", "P13", "P21", "P05"):
        log = a_log((s.CARD, "P17", ""), (s.CARD, "P18", "P17"), (s.CARD, child, "P18"), (s.CARD, "E13", child))
        assert not [text for text in ways(log, "es") if re.search("bebé|niña|huérfano|lobo|rey|reina", text)]
    log = a_log((s.CARD, "P17", ""), (s.CARD, "P18", "P17"), (s.CARD, "E13", "P18"))
    assert any("reina" in text for text in ways(log, "es"))
    assert {thing for thing in range(NUM_THINGS) if NOUNS[thing].kind == "child"} == {NUMBER["P13"], NUMBER["P21"]}


def test_no_connective_leads_to_an_adverbial():
    for wording in WORDINGS:
        for text in wording.text.values():
            assert not (wording.lead and OPENING.match(text)), text


def test_links_tell_something_else_each_time():
    log = a_log((s.CARD, "P05", ""), (s.CARD, "L11", "P05"), *((s.LINK, "P05", "L11") for _ in range(6)))
    assert len(set(tale(log, 8, "es"))) == len(set(tale(log, 8, "en"))) == 8


@pytest.mark.parametrize("language", ["es", "en"])
def test_no_connective_comes_twice_in_a_row(language):
    used = set()
    for start in range(0, NUM_THINGS, 7):
        before = ""
        for text in tale(a_walk(start, 90), 90, language):
            connective = connective_of(text, language)
            assert not connective or connective != before
            before = connective
            used.add(connective)
    assert used >= {one.text[language] for one in CONNECTIVES}


def test_words_depend_only_on_earlier_rows():
    log = a_walk(3, 60)
    once = [sentence(log, row, "es") for row in range(60)]
    log[40:] = a_walk(5, s.MAX_SENTENCES)[40:]
    log[39, s.LOG_FATE] = s.CLAIMED
    assert [sentence(log, row, "es") for row in range(40)] == once[:40]


def test_a_claimed_card_is_told_of():
    log = a_log((s.CARD, "P04", ""), (s.BRIDGE, "O14", "P04", s.CLAIMED, "L11"), (s.LINK, "L11", "O14"))
    assert "un bosque" in aside(log, 1, "es")
    assert "a forest" in aside(log, 1, "en")
    assert "bosque" in sentence(log, 2, "es")
    assert "un bosque" not in sentence(log, 2, "es")
    assert tale(log, 3, "es") == [
        sentence(log, 0, "es"), sentence(log, 1, "es"), aside(log, 1, "es"), sentence(log, 2, "es")
    ]  # fmt: skip


def test_claims_of_the_subject_and_interruptions_add_no_sentence():
    log = a_log((s.BRIDGE, "P04", "", s.CLAIMED, "P04"), (s.CARD, "O14", "P04", s.INTERRUPTED, "O13"))
    assert aside(log, 0, "es") == aside(log, 1, "es") == aside(log, 0, "en") == ""
    assert len(tale(log, 2, "en")) == 2


@pytest.mark.parametrize(("card", "spanish"), [("P01", "una princesa"), ("P02", "un príncipe"), ("P13", "una niña")])
def test_a_claim_by_another_word_says_that_it_is_the_same(card, spanish):
    for teller in range(5):
        log = a_log((s.CARD, "P17", ""), (s.BRIDGE, "C01", "P17", s.CLAIMED, card))
        log[0, s.LOG_SEAT] = teller
        assert re.search(rf"[Ee]l bebé era\b.* {spanish}", aside(log, 1, "es"))
        assert re.search(r"[Tt]he baby was\b.* a ", aside(log, 1, "en"))


def test_an_interruption_that_tells_is_told_like_a_claim():
    log = a_log((s.CARD, "P04", ""), (s.CARD, "O14", "P04", s.TOLD_TOO, "O13"), (s.LINK, "O13", "O14"))
    assert "un regalo" in aside(log, 1, "es")
    assert "a gift" in aside(log, 1, "en")
    assert "regalo" in sentence(log, 2, "es")
    assert "un regalo" not in sentence(log, 2, "es")
    assert tale(log, 2, "es")[2] == aside(log, 1, "es")


def test_a_card_that_broke_in_tells_nothing_itself():
    silent = a_log((s.CARD, "P04", ""), (s.CARD, "O14", "P04", s.INTERRUPTED, "O13"), (s.BREAK_IN, "O13", ""))
    assert sentence(silent, 2, "es") == aside(silent, 2, "es") == ""
    assert len(tale(silent, 3, "es")) == 2
    chain = a_log((s.CARD, "P04", ""), (s.CARD, "O14", "P04", s.TOLD_TOO, "O13"),
                  (s.BREAK_IN, "O13", "", s.TOLD_TOO, "O15"), (s.LINK, "O15", "O13"))  # fmt: skip
    assert sentence(chain, 2, "es") == ""
    assert "una llave" in aside(chain, 2, "es")
    assert "una llave" not in sentence(chain, 3, "es")
    assert len(tale(chain, 4, "en")) == 5
    chain[2, s.LOG_FATE] = s.INTERRUPTED
    assert aside(chain, 2, "es") == ""


def test_passes_and_undone_sentences_are_not_in_the_tale():
    log = a_log((s.CARD, "P04", ""), (s.PASS, 0, ""), (s.CARD, "O14", "P04", s.UNDONE), (s.END, 3, "", s.REFUSED),
                (s.END, 4, "", s.ACCEPTED))  # fmt: skip
    assert sentence(log, 1, "es") == ""
    assert sentence(log, 2, "es") != ""
    assert tale(log, 5, "es") == [sentence(log, 0, "es"), ENDINGS[4].spanish]
    assert tale(log, 5, "en")[1] == ENDINGS[4].english


def test_endings_are_sentences_in_both_languages():
    for ending in ENDINGS:
        assert SHAPE.fullmatch(ending.spanish)
        assert SHAPE.fullmatch(ending.english)


def test_names():
    assert phrase(NUMBER["P05"], "es") == "el lobo"
    assert phrase(NUMBER["P05"], "es", "a") == "un lobo"
    assert phrase(NUMBER["P05"], "es", "none") == "lobo"
    assert phrase(NUMBER["P19"], "es") == "el hada"
    assert phrase(NUMBER["O10"], "en", "a") == "an axe"
    assert phrase(NUMBER["O09"], "en", "a") == "some food"
    assert phrase(NUMBER["A13"], "en") == "the beauty"
    assert phrase(NUMBER["E17"], "es") == "la tormenta"
    assert len({phrase(thing, "es") for thing in range(NUM_THINGS)}) == NUM_THINGS
    assert len({phrase(thing, "en") for thing in range(NUM_THINGS)}) == NUM_THINGS
    with pytest.raises(ValueError, match="language"):
        phrase(0, "fr")


def table(name):
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_lexicon_has_each_thing_once():
    rows = table("lexicon")
    with pytest.raises(ValueError, match="P03"):
        lexicon.read_nouns([row for row in rows if row["id"] != "P03"])
    with pytest.raises(ValueError, match="P03"):
        lexicon.read_nouns([*rows, next(row for row in rows if row["id"] == "P03")])
    with pytest.raises(ValueError, match=r"lexicon\.csv, row 2, P01: the number"):
        lexicon.read_nouns([{**rows[0], "number": "x"}, *rows[1:]])


@pytest.mark.parametrize(
    ("thing", "change", "complaint"),
    [
        ("P01", {"the": {"es": "el", "en": "the"}}, "does not agree"),
        ("P01", {"a": {"es": "un", "en": "a"}}, "does not agree"),
        ("P04", {"a": {"es": "un", "en": "a"}}, "does not go"),
        ("P04", {"gender": {"es": "n", "en": "m"}}, "gender"),
        ("P04", {"kind": "item"}, "is no item"),
        ("P04", {"tail": {"es": "", "en": "with a beard"}}, "lacks words"),
        ("P04", {"noun": {"es": "", "en": "old man"}}, "no noun"),
        ("P04", {"noun": {"es": "anciano", "en": " "}}, "no noun"),
        ("L04", {"at": {"es": "", "en": ""}}, "preposition"),
        ("L06", {"plural": False}, "does not agree"),
    ],
)
def test_broken_nouns_are_refused(thing, change, complaint):
    lexicon.check_noun(NOUNS[NUMBER[thing]])
    with pytest.raises(ValueError, match=rf"lexicon\.csv, row \d+, {thing}: .*{complaint}"):
        lexicon.check_noun(replace(NOUNS[NUMBER[thing]], **change))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"spanish": "{quien} llegó."}, "gaps"),
        ({"spanish": "{who} llegó.", "english": "{other} came."}, "gaps"),
        ({"spanish": "{who llegó."}, "gaps"),
        ({"spanish": "{thing} llegó"}, "no sentence"),
        ({"spanish": "{thing}  llegó."}, "no sentence"),
        ({"english": "{thing} hid {thing:his/her} face."}, "2 forms"),
        ({"spanish": "{it} era bell{it:o/a}.", "english": "{it} was nice."}, "2 forms"),
        ({"spanish": "Apareció {thing}.", "lead": "then"}, "begins small"),
        ({"english": "{thing} {tail} came."}, "tail"),
        ({"english": "she came."}, "one language alone"),
        ({"spanish": "Llegó cansad{thing:o/a}."}, "one language alone"),
        ({"spanish": "{thing} vio {what} {at where}.", "english": "{thing} saw {what} {at where}."}, "more named"),
        ({"spanish": "{hero} llegó.", "english": "{doer} came."}, "another character"),
        ({"spanish": "{hero} vio a {doer}.", "english": "{hero} saw {doer}."}, "two act"),
        ({"when": "later"}, "not known"),
        ({"of": "P99"}, "not known"),
        ({"lead": "so"}, "not known"),
    ],
)
def test_broken_wordings_are_refused(change, complaint):
    row = {"of": "person", "when": "new", "lead": "", "spanish": "{thing} llegó.", "english": "{thing} came."}
    row |= dict.fromkeys(("needs", "bars", "sets", "clears"), "")
    lexicon.check_wording(lexicon.read_wordings([row])[0])
    with pytest.raises(ValueError, match=rf"sentences\.csv, row 2, \w+: .*{complaint}"):
        lexicon.check_wording(lexicon.read_wordings([{**row, **change}])[0])


def test_every_thing_has_words_for_every_moment():
    lexicon.check_reach(NOUNS, WORDINGS)
    for when in ("first", "new", "again"):
        with pytest.raises(ValueError, match="no wording"):
            lexicon.check_reach(NOUNS, tuple(wording for wording in WORDINGS if wording.when != when))


def test_there_are_connectives_enough():
    flavour.check_connectives(CONNECTIVES, WORDINGS)
    with pytest.raises(ValueError, match="too few"):
        flavour.check_connectives(CONNECTIVES[:3])
    with pytest.raises(ValueError, match="of no kind"):
        flavour.check_connectives((*CONNECTIVES, replace(CONNECTIVES[0], lead="")))


def test_no_wording_brings_a_connective_of_its_own():
    text = {"es": "Entonces {thing} llegó.", "en": "{thing} came then."}
    with pytest.raises(ValueError, match="begins with a connective"):
        flavour.check_connectives(CONNECTIVES, (replace(WORDINGS[0], text=text),))
