"""The plot of a tale of *Érase una vez*: what is looked for, danger before rescue, and a close for each character."""

import re
from dataclasses import replace

import pytest
from erase_logs import a_deal, a_log, a_walk, tale

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import ENDINGS, NO_THING, NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text import closing as c, lexicon as lex, telling
from sobremesa.envs.erase_una_vez.text.flavour import GLAD, TAILS, WISHES
from sobremesa.envs.erase_una_vez.text.lexicon import WORDINGS
from sobremesa.envs.erase_una_vez.text.telling import sentence

DANGERS = {"trapped", "lost", "hidden", "chased", "hurt", "asleep"}
DANGER = {
    "es": "socorro|gritos|corriente|rama|barro|candados|saco|cerraron|Rodearon|prender|No dejaban|quitarle",
    "en": "help|cries|current|branch|mud|padlocks|sack|in .*'s way|closed in|take|would not let",
}
TELLS_A_SECRET = re.compile(r"\b(habló {of thing} por|contó la verdad|confesó|confesó todo|reveló|confesó la verdad)")


def finished():
    """Yield the tales of some deals that ended with an ending, and its number."""
    for seed in range(28):
        state = a_deal(seed)
        rows = int(state.sentences)
        if state.ending_kind == s.CHEERED:
            yield telling._step_of(state.log, rows).tale, int(state.log[rows - 1, s.LOG_THING])


def planned(so_far, ending):
    """Return the lead of an ending, its subject, and the sentences before it."""
    lead, subject = c._lead(so_far, ending)
    return lead, subject, c._plan(so_far, ending, lead, subject)


def test_a_rescue_or_an_escape_has_a_danger():
    checked = 0
    for wording in WORDINGS:
        if wording.when == "new" and set(wording.of) & {"E11", "E12"} and not wording.needs & DANGERS:
            for language, words in DANGER.items():
                assert re.search(words, wording.text[language]), wording.text[language]
                checked += 1
    assert checked > 40


def test_no_thing_is_to_blame_for_love_or_a_wound():
    for wording in WORDINGS:
        if set(wording.of) & {"E08", "E09", "E13", "C23", "C24"}:
            assert not re.match("Por culpa {of what}|Because of {what}", wording.text["es"]), wording.text["es"]


def test_animals_do_not_sing_or_whistle_out_of_sight():
    for wording in WORDINGS:
        if "beast" in wording.of and wording.when == "new":
            assert not re.search(r"(cantar|silbar)\b.*{to thing}", wording.text["es"]), wording.text["es"]


def test_a_secret_that_is_told_keeps_nobody_silent():
    heroic = [wording for wording in WORDINGS if "hero" in wording.cast]
    found = [wording for wording in heroic if TELLS_A_SECRET.search(wording.text["es"])]
    assert found
    assert all("silent" in one.clears or "wicked" in one.clears for one in found), found


def test_no_goal_is_named_before_its_wish():
    seen = 0
    for start in range(0, NUM_THINGS, 9):
        log, so_far = a_walk(start, 80), telling.Tale()
        for row in range(80):
            wish, seeker = so_far.wish, so_far.seeker
            for told in telling._advance(so_far, log[row].tolist()):
                if told is not None and told.wording.seeks:
                    assert wish >= 0
                    assert not told.wording.cast or told.roles[told.wording.whom] == seeker
                    assert WISHES[wish].goal["en"] in telling._words(told, "en").lower()
                    seen += 1
    assert seen > 20


def test_no_trouble_begins_with_a_smile():
    glad = 0
    for start in range(0, NUM_THINGS, 5):
        log, so_far = a_walk(start, 80), telling.Tale()
        for row in range(80):
            for told in telling._advance(so_far, log[row].tolist()):
                if told is not None and told.lead is not None and told.lead.state in GLAD:
                    assert not told.wording.sets & lex.TROUBLES
                    glad += 1
    assert glad


def test_a_wish_is_granted_by_a_cause():
    causes = set()
    for so_far, ending in finished():
        if so_far.wish < 0:
            continue
        (one, gaps) = next(part for part in planned(so_far, ending)[2] if part[0].kind in (c.CAUSE, c.WAY))
        (cause,) = gaps["cause"]
        assert cause in so_far.told or (cause == NO_THING and one.key == "none")
        causes.add(c._class_of(cause))
        for language in LANGUAGES:
            assert WISHES[so_far.wish].after[language].split("{one} ")[1][:12] in c.closing(so_far, ending, language)
    assert {"living", "item"} <= causes


def test_each_character_is_sent_off():
    sent = 0
    for so_far, ending in finished():
        lead, subject, parts = planned(so_far, ending)
        gaps = [gaps for part, gaps in parts if part.kind != c.BRIDGE]
        closed = {subject} | {one for filled in gaps for ones in filled.values() for one in ones}
        living = {one for one in so_far.told if lex.NOUNS[one].kind in lex.LIVING}
        assert living <= closed, (living - closed, lead)
        sent += len(living)
    assert sent > 30


def test_deaths_and_curses_resolve():
    seen = set()
    for so_far, ending in finished():
        lead, _, parts = planned(so_far, ending)
        states = {state for states in so_far.states.values() for state in states} & {c.CURSED, c.MOURNING}
        settled = lead.settles if lead is not None else frozenset()
        told = {one.key for one, _ in parts}
        assert states <= told | settled
        seen |= states
    assert seen == {c.CURSED, c.MOURNING}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_close_is_a_text_for_every_ending(language):
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A10", "P01"), (s.CARD, "O14", "P01"), (s.CARD, "P13", "O14"),
                (s.CARD, "P05", "P13"), (s.CARD, "P17", "P05"))  # fmt: skip
    for ending in range(len(ENDINGS)):
        log[6] = (0, s.END, ending, NO_THING, s.ACCEPTED, 0, 0)
        text = tale(log, 7, language)[-1]
        assert not re.search(r"[{}]|  | [.,]|\b(de|a) el\b", text), text
        assert sentence(log, 6, language) in text


def test_the_close_changes_no_sentence():
    state = a_deal(3)
    rows = int(state.sentences)
    before = [sentence(state.log, row, "es") for row in range(rows)]
    telling.added_sentences(state.log, rows - 1, "es")
    assert [sentence(state.log, row, "es") for row in range(rows)] == before


@pytest.mark.parametrize(
    "change",
    [{"kind": "middle"}, {"spanish": "{one} y {hero}."}, {"kind": "lead", "key": "F99"}],
)
def test_broken_closings_are_refused(change):
    row = {
        "kind": "bye",
        "key": "person",
        "who": "",
        "settles": "",
        "spanish": "{one} se fue.",
        "english": "{one} left.",
    }
    assert len(c.read_closings([row])) == 1
    with pytest.raises(ValueError, match=r"closings\.csv, row 2"):
        c.read_closings([{**row, **change}])


def test_a_missing_closing_is_refused():
    c.check_closings(c.CLOSINGS)
    with pytest.raises(ValueError, match="F36"):
        c.check_closings(tuple(one for one in c.CLOSINGS if one.key != "F36"))
    with pytest.raises(ValueError, match="one language"):
        c.check_closings((replace(c.CLOSINGS[0], text={"es": "", "en": "x"}), *c.CLOSINGS))


def test_a_named_thing_has_its_id():
    assert c._find(telling._step_of(a_log((s.CARD, "P13", "")), 1).tale, "P13") == NUMBER["P13"]


def test_the_thing_told_of_last_leads_back_to_the_wish():
    seen = set()
    for so_far, ending in finished():
        parts = planned(so_far, ending)[2]
        granted = next((gaps["cause"][0] for one, gaps in parts if one.kind in (c.CAUSE, c.WAY)), NO_THING)
        last = so_far.told[-1]
        bridges = [(one, gaps) for one, gaps in parts if one.kind == c.BRIDGE]
        assert len(bridges) <= (granted not in (NO_THING, last))
        seen |= {one.key for one, gaps in bridges if gaps["last"] == [last] and gaps["cause"] == [granted]}
        kind = lex.NOUNS[last].kind
        assert bridges or granted in (NO_THING, last) or kind in ("trait", "spell", "night") or last == so_far.hero
    assert len(seen) > 3


def test_a_close_says_nothing_twice():
    repeated = 0
    for so_far, ending in finished():
        rows = [one for one, _ in planned(so_far, ending)[2]]
        assert [one.key for one in rows].count(c.MOURNING) <= 1
        for kind, key in {(one.kind, one.key) for one in rows}:
            said = [one.text["es"] for one in rows if (one.kind, one.key) == (kind, key)]
            assert len(set(said)) == min(len(said), len(c._rows(kind, key)))
            repeated += len(said) > 1
    assert repeated > 1


def test_a_villain_of_the_ending_grants_no_wish():
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A14", "P01"), (s.CARD, "P23", "A14"), (s.CARD, "P20", "P23"))
    so_far = telling._step_of(log, 4).tale.copy()
    so_far.parts |= {NUMBER["P20"]: lex.HELPER, NUMBER["P23"]: lex.HELPER}
    assert c._cause(so_far, NO_THING) == NUMBER["P23"]
    assert c._cause(so_far, NUMBER["P23"]) == NUMBER["P20"]


def test_a_character_of_whom_others_only_heard_meets_nobody():
    far = [wording for wording in WORDINGS if lex.FAR in wording.sets]
    assert len(far) > 10
    assert all(wording.when == lex.NEW and "{thing}" in wording.text["en"] for wording in far)
    arrivals = [wording for wording in WORDINGS if lex.FAR in wording.needs]
    assert arrivals
    assert all(lex.FAR in wording.clears for wording in arrivals)
    met = 0
    for start in range(0, NUM_THINGS, 5):
        log, so_far = a_walk(start, 80), telling.Tale()
        for row in range(80):
            away = {one for one in so_far.told if so_far.has(one, lex.FAR)}
            for told in telling._advance(so_far, log[row].tolist()):
                met += told is not None and bool(away & told.mentioned_things() & {told.thing})
    assert met


def test_a_ring_that_does_not_come_off_is_no_price():
    assert "stuck" in {state for tail in TAILS[NUMBER["O07"]] for state in tail.sets}
    so_far = telling._step_of(a_log((s.CARD, "P01", ""), (s.CARD, "O07", "P01")), 2).tale.copy()
    for states, key in (({}, "item"), ({c.STUCK: 1}, "none")):
        so_far.states[NUMBER["O07"]] = states
        assert c._price(so_far, NO_THING, 0, frozenset())[0].key == key
