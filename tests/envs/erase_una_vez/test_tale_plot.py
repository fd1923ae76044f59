"""How the words of a tale of *Érase una vez* follow what was told: characters, states, places and wishes (H9, H14)."""

import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from erase_logs import a_deal, a_log, a_walk, tale, ways

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez import mentions, state as s
from sobremesa.envs.erase_una_vez.tables import ENDINGS, NO_THING, NUM_ELEMENTS, NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text import flavour, own_words, telling
from sobremesa.envs.erase_una_vez.text.flavour import EFFECTS, NAMES, TAILS, WISHES
from sobremesa.envs.erase_una_vez.text.lexicon import AGAIN, GAP, NEW, ROLES, WORDINGS, wordings_of
from sobremesa.envs.erase_una_vez.text.plot import PRONOUN
from sobremesa.envs.erase_una_vez.text.telling import sentence

CALLED = re.compile(r"llamad[oa] (\w+)")
HOOKS = "9d419847d17e02427274"  # digest of the classes of hooks that the words for each thing name, since version 2


def test_c5_2_the_words_name_the_same_hooks_as_ever():
    """Claims depend on this table, so other classes in it are another version of the game."""
    assert hashlib.sha256(mentions._NAMED.tobytes()).hexdigest().startswith(HOOKS)


def test_h9_a_hook_can_be_named_without_any_state():
    for when in (NEW, AGAIN):
        for thing in range(NUM_THINGS):
            found = wordings_of(thing, when)
            classes = {kind for one in found for role in one.roles for kind in ROLES[role]}
            always = {
                kind for one in found if not one.needs and not one.cast for role in one.roles for kind in ROLES[role]
            }
            assert classes == always, (thing, when)


@pytest.mark.parametrize("language", LANGUAGES)
def test_h9_a_hook_that_may_be_claimed_is_named_in_every_state(language):
    """Its words stand in the sentence whatever was told before; a name or a pronoun does not do."""
    nouns = {"es": ("mendigo", "espada", "cueva"), "en": ("beggar", "sword", "cave")}[language]
    for hook, noun in zip(("P03", "O11", "L07"), nouns, strict=True):
        for thing in range(NUM_THINGS):
            log = a_log((s.CARD, "P01", ""), (s.BRIDGE, hook, "P01"), (s.CARD, "A06", hook), (s.BRIDGE, thing, hook))
            if mentions.names_hook.py_func(0, thing, NUMBER[hook]) and thing not in (NUMBER["P01"], NUMBER["A06"]):
                assert noun in sentence(log, 3, language).lower(), (hook, thing)


def names_in(text):
    return {name.text for name in NAMES if re.search(rf"\b{name.text}\b", text)}


def test_h14_only_free_characters_have_names():
    named = 0
    for seed in range(14):
        state = a_deal(seed)
        cards, log = {}, state.log[: state.sentences]
        for row, line in enumerate(log.tolist()):
            if line[s.LOG_FATE] == s.UNDONE:
                continue
            text = sentence(log, row, "es")
            for name in names_in(text) - set(CALLED.findall(text)):
                assert name in cards, text
                named += 1
            if called := CALLED.search(text):
                cards[called[1]] = line[s.LOG_THING]
                assert line[s.LOG_THING] >= NUM_ELEMENTS or line[1] == s.CARD, text
            for called in CALLED.findall(telling.aside(log, row, "es")):
                cards[called] = NO_THING
    assert named > 50


def test_h14_unlaid_characters_act_by_a_pronoun():
    log, acts = a_log((s.BRIDGE, "P01", ""), (s.CARD, "O14", "P01"), (s.CARD, "E04", "O14")), 0
    for language, noun in (("es", "princesa"), ("en", "princess")):
        for text in ways(log, language):
            assert not names_in(text)
            assert noun not in text
            acts += not re.search("alguien|somebody", text)
    assert acts


def test_o16_rows_in_own_words_give_no_name_wish_or_state():
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A06", "P01"), (s.CARD, "O14", "P01"), (s.END, 4, "", s.ACCEPTED))
    said = own_words._SAID.set(((0, "Había una princesa."), (1, "La princesa se quedó dormida.")))
    try:
        for language in LANGUAGES:
            assert not any(names_in(text) for text in tale(log, 4, language)[2:])
            assert not any(tale(log, 4, language)[2].startswith(one.text[language]) for one in EFFECTS["asleep"])
            assert sentence(log, 2, language) == tale(log, 4, language)[2]
    finally:
        own_words._SAID.reset(said)
    assert names_in(tale(log, 4, "es")[3])


def test_names_are_the_same_in_both_languages():
    for start in range(0, NUM_THINGS, 11):
        log = a_walk(start, 60)
        for spanish, english in zip(tale(log, 60, "es"), tale(log, 60, "en"), strict=True):
            assert names_in(english) <= names_in(spanish) | set(CALLED.findall(spanish)) | names_in(english)
            assert set(re.findall(r"called (\w+)", english)) == set(CALLED.findall(spanish))


def test_a_sleeper_wakes_before_acting():
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A06", "P01"), (s.CARD, "O14", "P01"))
    woken = 0
    for language in LANGUAGES:
        effects = {one.text[language] for one in EFFECTS["asleep"]}
        for text in ways(log, language):
            assert any(text.startswith(effect) for effect in effects), text
            woken += 1
    assert woken > 4


def test_what_broke_does_not_act_as_if_it_were_whole():
    log = a_log(
        (s.CARD, "P01", ""), (s.CARD, "O10", "P01"), (s.CARD, "E01", "O10"), *((s.LINK, "O10", "O10") for _ in range(3))
    )
    told = [text for row in (3, 4) for text in ways(log, "es", row)]
    assert not any("se quedó clavada" in text for text in told)
    assert any("pedazos" in text for text in told)


def test_only_who_longs_for_a_thing_gets_it():
    """With a princess who longs for a forest and a cook who longs for a book, she does not have what she wanted."""
    cast = (s.CARD, "P01", ""), (s.CARD, "P16", "P01")
    hers = a_log(*cast, (s.CARD, "O01", "P01"), (s.CARD, "L07", "O01"))
    his = a_log(*cast, (s.CARD, "L11", "P01"), (s.CARD, "O01", "P16"), (s.CARD, "L07", "O01"))
    assert any("lo que quería" in text for text in ways(hers, "es"))
    assert not any("lo que quería" in text for text in ways(his, "es", tellers=256))


def test_nobody_comes_to_a_place_that_he_is_at():
    log, there = a_log((s.CARD, "P01", ""), (s.CARD, "L02", "P01"), (s.LINK, "P01", "L02"), (s.LINK, "P01", "L02")), 0
    for teller in range(64):
        log[0, s.LOG_SEAT] = teller
        if re.search(r"(?i)llegó a|fue a parar|vivía|pasó una temporada", sentence(log, 1, "es")):
            there += 1
            assert not any(re.search(r"(?i)llegó al palacio", sentence(log, row, "es")) for row in (2, 3))
    assert there


def test_traits_of_one_character_do_not_contradict():
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A07", "P01"), (s.CARD, "A13", "P01"))
    for teller in range(64):
        log[0, s.LOG_SEAT] = teller
        beauty = telling._step_of(log, 3).own
        assert "beautiful" not in beauty.wording.sets


def test_the_wish_of_the_first_character_comes_true_at_the_end():
    log = a_log((s.CARD, "P01", ""), (s.CARD, "A14", "P01"), (s.CARD, "O14", "P01"), (s.END, 4, "", s.ACCEPTED))
    for language, ending in (("es", ENDINGS[4].spanish), ("en", ENDINGS[4].english)):
        story = tale(log, 4, language)
        assert story[-1].endswith(ending)
        assert story[-1] != ending
        assert names_in(story[-1])
        assert sentence(log, 3, language) == ending
    assert len(WISHES) > 8


def test_c9_3_an_ending_without_a_character_stands_alone():
    log = a_log((s.CARD, "O14", ""), (s.END, 4, "", s.ACCEPTED))
    assert tale(log, 2, "es")[1] == ENDINGS[4].spanish


def test_no_connective_follows_one_of_its_kind():
    for start in range(0, NUM_THINGS, 7):
        log = a_walk(start, 90)
        so_far = telling._step_of(log, 89).tale
        kinds = [one.kind for one in so_far.leads if one is not None and not one.state]
        assert all(one != two for one, two in pairwise(kinds))
        assert kinds


def test_a_pronoun_means_the_last_character():
    seen = 0
    for start in range(0, NUM_THINGS, 9):
        log, so_far = a_walk(start, 80), telling.Tale()
        for row in range(80):
            latest = so_far.latest
            for told in telling._advance(so_far, log[row].tolist()):
                meant = [one for one, mode in told.modes.items() if mode == PRONOUN] if told else []
                assert meant in ([], [latest])
                seen += len(meant)
    assert seen > 20


def test_the_longest_tale_has_words_for_every_row():
    log = np.zeros((s.MAX_SENTENCES, s.LOG_COLUMNS), np.uint8)
    log[:] = (0, s.LINK, NUMBER["P01"], NUMBER["L02"], 0, 0, 0)
    log[0, 1], log[0, s.LOG_HOOK], log[1, s.LOG_THING] = s.CARD, NO_THING, NUMBER["L02"]
    assert all(tale(log, s.MAX_SENTENCES, "es"))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [({"text": {"es": "Cojeando", "en": "Limping,"}}, "no beginning"),
     ({"text": {"es": "Con {who},", "en": "With {who},"}}, "no beginning"),
     ({"hard": True}, "hard"), ({"lasts": 99}, "lasts")],
)  # fmt: skip
def test_broken_effects_are_refused(change, complaint):
    flavour.check_effects(EFFECTS)
    first, *others = EFFECTS["hurt"]
    with pytest.raises(ValueError, match=rf"effects\.csv, row \d+: .*{complaint}"):
        flavour.check_effects({"hurt": (replace(first, **change), *others)})


def test_states_that_no_wording_sets_are_refused():
    flavour.check_states(WORDINGS, EFFECTS)
    with pytest.raises(ValueError, match=r"sentences\.csv, row \d+, .*no wording leads to \['purple'\]"):
        flavour.check_states((replace(WORDINGS[0], bars=frozenset({"purple"})),), EFFECTS)


def test_every_noun_has_several_tails_in_both_languages():
    for tails in TAILS:
        for language in LANGUAGES:
            assert len({tail.text[language] for tail in tails}) == len(tails) >= 3
    assert not any(GAP.search(text) for tails in TAILS for tail in tails for text in tail.text.values())
