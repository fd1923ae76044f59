"""Passing, endings, piles and memory in *Érase una vez*; C, H, O and V numbers as in its RULES.md."""

import erase_tables as deals
import numpy as np
import pytest
from scale import scaled

from sobremesa.envs.erase_una_vez import state, tables

pytestmark = pytest.mark.kernels

HANDS = ("Princesa, Rana", "Príncipe", "Mendigo")
NEXT = "Cocina, Capilla, Hogar, Loco"  # the cards to be drawn
LOVE = "Rey, Reina, Dos personas se enamoran"  # fits F01; Rey and Reina alone do not
WORLDS = range(6)


def same(one, other, seat):
    """Say whether a seat sees the same at two tables."""
    here, there = deals.view(one, seat), deals.view(other, seat)
    return all((here[name] == there[name]).all() for name in here)


def events(states):
    return [line[0] for line in deals.news(states)]


def played_out(tale="Rey, Reina", endings=("F01",), seats=3, **settings):
    """Return a table whose narrator has no cards left; F02, F03 and so on are the next endings."""
    hands = ["", "Princesa", "Mendigo", "Lobo", "Anciano", "Pastora"][:seats]
    return deals.table(hands, **{"tale": tale, "endings": endings, "pile": "F02, F03", "top": NEXT, **settings})


# C7: passing


@pytest.mark.parametrize("teller", range(3))
def test_c7_1_who_passes_may_discard_a_card_and_draws_one(teller):
    states = deals.table(HANDS, tale="Rey", narrator=teller, top=NEXT)
    deals.do(states, "pass")
    mine = deals.hand(states, teller)
    assert deals.asked(states) == (teller, "passing")
    assert deals.choices(states) == {"keep", *(f"discard {name}" for name in mine)}
    kept, less = deals.after(states, "keep"), deals.after(states, f"discard {mine[0]}")
    assert set(deals.hand(kept, teller)) == {*mine, "Cocina"}
    assert set(deals.hand(less, teller)) == {*mine[1:], "Cocina"}
    for later in (kept, less):
        assert deals.asked(later) == ((teller + 1) % 3, "tell")
        assert deals.narrator(later) == (teller + 1) % 3
        assert deals.deck(later)[0] == "Capilla"


def test_c7_1_a_narrator_may_pass_whenever_he_could_tell():
    states = deals.table(HANDS, tale="Rey", top=NEXT)
    assert "pass" in deals.choices(states)
    for text in ("card Princesa", "tell Rey", "tell Reino"):
        deals.answer(deals.do(states, text))
        assert "pass" in deals.choices(states)


def test_c7_1_without_cards_there_is_nothing_to_discard():
    states = deals.do(played_out(), "pass")
    assert deals.asked(states) == (1, "tell")
    assert deals.hand(states, 0) == ["Cocina"]


def test_c7_1_the_next_one_begins_afresh():
    states = deals.table(HANDS, tale="Rey", top=NEXT, passes=4, stale=2, idle=4, played=1, protested=[0, 0, 1, 0, 0, 0])
    one = deals.do(states, "pass", "keep")[0]
    assert (one.stale, one.idle, one.played, one.links, one.chosen) == (0, 0, 0, 0, state.MOST_HOOKS)
    assert not one.protested.any()


def test_c7_1_nobody_answers_to_a_pass():
    hands = ["Rana", "Rey, Tormenta, Árbol", "Mendigo"]
    states = deals.table(hands, tale="Rey", top=NEXT)
    deals.do(states, "tell Corona", "nothing", "pass")
    assert deals.asked(states) == (0, "passing")
    deals.do(states, "keep")
    assert deals.asked(states) == (1, "tell")
    assert deals.log(states) == deals.log(states) | {
        "seat": 0,
        "kind": "pass",
        "thing": None,
        "hook": None,
        "fate": "stands",
    }


def test_c7_1_the_tale_stays_as_it_is():
    states = deals.table(HANDS, tale="Rey, Bruja", top=NEXT)
    before = states.copy()
    deals.do(states, "pass", "discard Rana")
    for field in ("told", "told_at", "facts", "fact_at", "context", "people", "objects"):
        assert (states[field] == before[field]).all()


def test_c7_2_a_card_discarded_so_lies_face_down():
    states = deals.do(deals.table(HANDS, tale="Rey", top=NEXT), "pass")
    one, other = deals.after(states, "discard Rana"), deals.after(states, "discard Princesa")
    assert deals.where(one, "Rana") == deals.where(other, "Princesa") == "buried"
    for seat in (1, 2):
        assert same(one, other, seat)
        assert not deals.buried(one, seat)
        assert "Rana" in deals.unseen(one, seat)
    assert deals.buried(one, 0) == {"Rana"}
    assert one[0].buried_by[deals.CARDS.index("Rana")] == 0


def test_c7_2_a_wrong_claim_lies_face_up():
    states = deals.do(
        deals.table(["Rana", "Reino", "Mendigo"], tale="Hermano(a)*, Corona*", top=NEXT), "tell Rey", "claim Reino"
    )
    assert deals.where(states, "Reino") == "open"
    assert not any("Reino" in deals.unseen(states, seat) for seat in range(3))


def test_h4_a_hidden_discard_ends_the_knowledge_of_a_hand():
    states = deals.table(HANDS, tale="Rey", top=NEXT)
    states[0].shown[[deals.CARDS.index("Rana"), deals.CARDS.index("Mendigo")]] = 1
    deals.do(states, "pass")
    assert deals.shown(deals.after(states, "keep")) == {"Rana", "Mendigo"}
    assert deals.shown(deals.after(states, "discard Princesa")) == {"Mendigo"}
    assert deals.shown(deals.after(states, "discard Rana")) == {"Mendigo"}


# O9: draw first


def test_o9_the_card_drawn_first_may_be_discarded():
    states = deals.do(deals.table(HANDS, tale="Rey", top=NEXT, setup={"pass_draw": "before"}), "pass")
    assert deals.hand(states, 0) == ["Princesa", "Rana", "Cocina"]
    assert deals.choices(states) == {"keep", "discard Princesa", "discard Rana", "discard Cocina"}
    later = deals.after(states, "discard Cocina")
    assert deals.hand(later, 0) == ["Princesa", "Rana"]
    assert deals.hand(deals.after(states, "keep"), 0) == ["Princesa", "Rana", "Cocina"]
    assert deals.deck(later)[0] == "Capilla"
    assert deals.asked(later) == (1, "tell")


def test_o9_without_cards_the_one_drawn_may_be_discarded():
    states = deals.do(played_out(setup={"pass_draw": "before"}), "pass")
    assert deals.choices(states) == {"keep", "discard Cocina"}
    assert deals.hand(deals.do(states, "discard Cocina"), 0) == []


# C9.1, C9.2, O12: when a tale may end


def test_c9_1_an_ending_takes_an_empty_hand():
    states = deals.table(["Princesa", "Rana", "Mendigo"], tale=LOVE, endings=["F01, F02"], top=NEXT)
    assert not {"end 1", "end 2"} & deals.choices(states)
    deals.answer(deals.do(states, "card Princesa"))
    assert {"end 1", "end 2", "pass"} <= deals.choices(states)


def test_c9_1_one_of_two_slots_may_be_empty():
    assert {"end 1", "end 2"} & deals.choices(played_out()) == {"end 1"}


def test_c9_1_who_takes_over_with_the_last_card_may_end():
    states = deals.table(["Rana", "Rey", "Mendigo"], tale="Reina", endings=["F02", "F01"], top=NEXT)
    deals.do(states, "tell Rey", "claim Rey")
    assert deals.asked(states) == (1, "tell")
    assert deals.choices(states) == {"end 1", "pass", "tell Rey", "tell Reina"}


def test_c9_2_without_cards_nothing_new_is_told():
    states = played_out("Rey*, bebé, Corona")
    assert deals.choices(states) == {"tell Rey", "tell bebé", "tell Corona", "pass", "end 1"}


def test_c9_2_two_sentences_may_come_before_the_ending():
    states = deals.table(["Reina", "Rana", "Mendigo"], tale="Rey*", top=NEXT)
    for text in ("tell Rey", "card Reina", "tell Rey", "tell Reina"):
        assert any(choice.startswith("tell") for choice in deals.choices(states))
        deals.answer(deals.do(states, text))
    assert deals.choices(states) == {"end 1", "pass"}
    assert states[0].links == 2


def test_c9_2_they_may_be_claimed():
    states = deals.table(["", "Rey", "Mendigo"], tale="Rey, Reina*", top=NEXT)
    deals.do(states, "tell Rey")
    assert "claim Rey" in deals.choices(states)
    deals.do(states, "claim Rey")
    assert (deals.narrator(states), deals.hand(states, 0)) == (1, ["Cocina"])


def test_c9_2_each_turn_has_its_own():
    states = played_out("Rey*, Reina*", links=2)
    deals.do(states, "pass")
    states[0].hand_size[1] = 0
    states[0].where[deals.CARDS.index("Princesa")] = state.TABLE
    assert {"tell Rey", "tell Reina"} < deals.choices(states)


def test_o12_without_cards_one_may_pass_unless_one_must_end():
    for must in (False, True):
        setup = {"must_end": must}
        assert ("pass" in deals.choices(played_out(setup=setup))) is not must
        assert "pass" in deals.choices(deals.table(HANDS, tale="Rey", setup=setup))


def test_o12_after_two_sentences_the_ending_comes_by_itself():
    states = played_out(LOVE, setup={"must_end": True}, links=1)
    deals.answer(deals.do(states, "tell Rey"))
    assert deals.winners(states) == [0]


# C9.3 and O2: what fits


def fits(name, tale, strictness):
    """Say whether an ending should be accepted after a tale, a thing a sentence; read off the tables, not the rules."""
    card = next(card for card in tables.ENDINGS if card.id == name)
    things = [tables.THINGS[tables.NUMBER[one]] for one in tale]
    since = len(tale) - 12 if strictness == "strict" else 0
    holds, recent = set(), set()
    for number, thing in enumerate(things):
        holds = holds - set(thing.clears) | set(thing.sets)
        if number >= since:
            recent |= {thing.id, *thing.sets}
    met = [any(one in recent and (one in holds or one in tale) for one in clause) for clause in card.clauses]
    return not holds & set(card.blockers) and all(met)


def ends(name, tale, strictness, **settings):
    """Return the table after an ending; the tale is given by ids."""
    return deals.do(played_out(tale, [name], pile="", setup={"strictness": strictness}, **settings), "end 1")


@pytest.mark.parametrize("strictness", ["lenient", "strict"])
def test_c9_3_o2_any_tale_and_any_ending(strictness):
    draw = np.random.default_rng(3)
    ids = [thing.id for thing in tables.THINGS if thing.id not in ("P01", "P03")]
    seen = {True: 0, False: 0}
    for number in range(scaled(336)):
        length = draw.integers(3, 20 if strictness == "strict" else 9)
        tale = [str(one) for one in draw.choice(ids, length, replace=False)]
        name = tables.ENDINGS[number % tables.NUM_ENDINGS].id
        fit = fits(name, tale, strictness)
        assert deals.winners(ends(name, tale, strictness)) == ([0] if fit else None), (name, tale)
        seen[fit] += 1
    assert min(seen.values()) > 0


@pytest.mark.parametrize("strictness", ["lenient", "strict"])
@pytest.mark.parametrize(
    ("name", "tale", "taken"),
    [
        ("F05", "Hermano(a), Una discusión", True), ("F05", "Un combate, Hermano(a)", True), ("F05", "Noche", False),
        ("F05", "Hermano(a)", False), ("F05", "Una discusión", False),
        ("F05", "Una discusión, Un combate", False),  # one clause met twice
        ("F48", "Rey, Ciego", True), ("F48", "Rey, Loco", False), ("F49", "Torre", True), ("F49", "Pájaro", False),
        ("F29", "Embarcación", True), ("F29", "Río", False), ("F38", "Anciana", True), ("F38", "Muy sabio(a)", True),
    ],
)  # fmt: skip
def test_c9_3_all_that_an_ending_asks_for_has_to_fit(name, tale, taken, strictness):
    assert deals.winners(ends(name, tale, strictness)) == ([0] if taken else None)


@pytest.mark.parametrize("strictness", ["lenient", "strict"])
@pytest.mark.parametrize(
    ("name", "tale", "taken"),
    [
        ("F01", LOVE, True), ("F01", f"{LOVE}, Separación", False),
        ("F01", f"{LOVE}, Separación, Encuentro entre personas", True),  # who met is parted no more
        ("F08", "Enemigo", True), ("F08", "Enemigo, Prisión", False), ("F08", "Enemigo, Prisión, Fuga", True),
        ("F19", "Palacio, Secreto(a)", True), ("F19", "Secreto(a), Algo es revelado", False),
    ],
)  # fmt: skip
def test_c9_3_what_bars_an_ending_bars_it_for_all_judges(name, tale, taken, strictness):
    assert deals.winners(ends(name, tale, strictness)) == ([0] if taken else None)


def test_c9_3_a_fact_that_has_gone_meets_nothing():
    assert deals.winners(ends("F18", "Palacio, Secreto(a)", "lenient")) == [0]
    assert deals.winners(ends("F03", "Bruja, Separación", "lenient")) is None
    parted = "Padre/Madre, Separación"
    assert deals.winners(ends("F04", parted, "lenient")) == [0]
    assert deals.winners(ends("F04", f"{parted}, Encuentro entre personas", "lenient")) is None


def test_c9_3_a_card_that_was_not_told_of_meets_no_clause():
    assert deals.winners(ends("F48", "Rey", "lenient", laid="Ciego")) is None
    assert deals.winners(ends("F48", "Rey, Ciego*", "lenient")) == [0]


@pytest.mark.parametrize(("since", "taken"), [(0, True), (10, True), (11, True), (12, False), (30, False)])
def test_c9_3_o2_a_strict_judge_counts_twelve_sentences(since, taken):
    for name, tale in (("F01", LOVE), ("F48", "Rey, Ciego")):  # a fact, and a thing
        states = played_out(tale, [name], passes=since, setup={"strictness": "strict"})
        assert deals.winners(deals.do(states, "end 1")) == ([0] if taken else None)
        assert deals.winners(ends(name, tale, "lenient", passes=since)) == [0]


@pytest.mark.parametrize("since", range(9, 15))
@pytest.mark.parametrize("strictness", ["lenient", "strict"])
def test_c9_3_the_view_says_before_what_the_judge_says_after(since, strictness):
    states = played_out(LOVE, ["F01"], passes=since, setup={"strictness": strictness})
    sees = deals.view(states, 0)
    taken = deals.winners(deals.do(states, "end 1")) == [0]
    assert (sees["blocked"][0, 1] == 1) == taken
    assert (sees["clauses"][0, 0, 1] == 1) == taken


def test_c9_3_to_tell_of_it_again_is_recent_enough():
    states = played_out(LOVE, ["F01"], passes=20, setup={"strictness": "strict"})
    deals.answer(deals.do(states, "tell Dos personas se enamoran"))
    assert deals.winners(deals.do(states, "end 1")) == [0]


# C9.4 to C9.6


def test_c9_4_whose_ending_is_accepted_has_won():
    states = deals.do(played_out(LOVE), "end 1")
    assert deals.winners(states) == [0]
    one = states[0]
    assert (one.ending_kind, one.won_with, one.over) == (state.CHEERED, deals.ending("F01"), 1)
    assert deals.paid(states) == [1.0, -0.5, -0.5]
    assert deals.log(states) == deals.log(states) | {"seat": 0, "kind": "end", "thing": "F01", "fate": "accepted"}
    assert [line[:3] for line in deals.news(states)] == [
        ("ends", 0, deals.ending("F01")),
        ("wins", 0, deals.ending("F01")),
    ]
    assert deals.choices(states) == set()


@pytest.mark.parametrize("teller", range(3))
def test_c9_5_a_refused_ending_goes_under_the_pile(teller):
    hands = ["Princesa", "Mendigo", "Lobo"]
    hands[teller] = ""
    held = ["F20", "F21", "F22"]
    held[teller] = "F01"
    states = deals.table(hands, tale="Rey, Reina", endings=held, pile="F02, F03", top=NEXT, narrator=teller)
    size = len(deals.endings_pile(states))
    deals.do(states, "end 1")
    assert deals.endings_pile(states)[-1] == "F01"
    assert deals.endings_pile(states)[0] == "F03"
    assert len(deals.endings_pile(states)) == size
    assert deals.held_endings(states, teller) == ["F02"]
    assert deals.hand(states, teller) == ["Cocina"]
    assert deals.asked(states) == ((teller + 1) % 3, "tell")
    assert deals.log(states)["fate"] == "refused"
    assert deals.winners(states) is None


def test_c10_2_the_pile_of_endings_turns_in_order():
    states = played_out(endings=["F01", "F09"])
    deals.do(states, "end 1")
    states[0].hand_size[1] = 0
    states[0].where[deals.CARDS.index("Princesa")] = state.TABLE
    deals.do(states, "end 1")  # nothing is told of danger
    assert deals.endings_pile(states)[-2:] == ["F01", "F09"]
    assert (deals.held_endings(states, 0), deals.held_endings(states, 1)) == (["F02"], ["F03"])


def test_c9_6_nobody_can_interrupt_an_ending():
    others = ["Palacio, Tormenta, Árbol, Llave", "Esposo(a), Encuentro entre personas"]
    for tale in (LOVE, "Rey, Reina"):
        states = deals.table(["", *others], tale=tale, endings=["F01"], top=NEXT)
        deals.do(states, "end 1")
        assert deals.winners(states) == [0] if tale == LOVE else deals.asked(states) == (1, "tell")
        assert "claims" not in events(states)


# O4: a refused ending may be kept


def test_o4_a_refused_ending_may_stay_beside_the_new_one():
    states = played_out(setup={"rejected": "kept"})
    size = len(deals.endings_pile(states))
    deals.do(states, "end 1")
    assert deals.held_endings(states, 0) == ["F01", "F02"]
    assert len(deals.endings_pile(states)) == size - 1
    assert "F01" not in deals.endings_pile(states)
    assert deals.hand(states, 0) == ["Cocina"]
    assert deals.known_endings(states, 2)[0] == {(1, "F01")}


@pytest.mark.parametrize("slot", [1, 2])
def test_o4_nobody_keeps_more_than_two(slot):
    for rejected in ("kept", "under"):
        states = played_out(endings=["F01, F09"], setup={"rejected": rejected})
        deals.do(states, f"end {slot}")
        assert deals.endings_pile(states)[-1] == ("F01", "F09")[slot - 1]
        assert deals.held_endings(states, 0) == (["F02", "F09"] if slot == 1 else ["F01", "F02"])


# C10.1 and O10: the deck


def drawn_out(reshuffle=True, **settings):
    """Return a table without a deck, whose narrator has passed."""
    states = deals.table(HANDS, tale="Rey*", deck="", setup={"reshuffle": reshuffle}, **settings)
    return deals.do(states, "pass")


def test_c10_1_an_empty_deck_is_made_of_the_discards():
    firsts = set()
    for seed in range(12):
        states = deals.do(drawn_out(discards="Lobo, Bruja", buried="Noche", seed=seed), "keep")
        drawn = set(deals.hand(states, 0)) - {"Princesa", "Rana"}
        assert len(drawn) == 1
        assert drawn | set(deals.deck(states)) == {"Lobo", "Bruja", "Noche"}
        assert len(deals.deck(states)) == 2
        assert ("reshuffles", state.NOBODY, 3, 0) in deals.news(states)
        assert (states[0].buried_by == state.NOBODY).all()
        assert deals.where(states, "Rey") == "table"
        firsts |= drawn
    assert firsts == {"Lobo", "Bruja", "Noche"}


def test_c10_1_what_was_just_discarded_is_among_them():
    states = deals.do(drawn_out(), "discard Rana")
    assert deals.hand(states, 0) == ["Princesa", "Rana"]
    assert deals.deck(states) == []


def test_c10_1_without_discards_nothing_is_drawn():
    states = deals.do(drawn_out(), "keep")
    assert deals.hand(states, 0) == ["Princesa", "Rana"]
    assert deals.deck(states) == []
    assert deals.asked(states) == (1, "tell")
    assert not {"draws", "reshuffles"} & set(events(states))


def test_c10_1_a_deck_is_not_made_before_it_is_needed():
    states = deals.table(HANDS, tale="Rey*", deck="Noche", discards="Lobo")
    deals.do(states, "pass", "keep")
    assert deals.deck(states) == []
    assert deals.where(states, "Lobo") == "open"
    deals.do(states, "pass", "keep")
    assert set(deals.hand(states, 1)) == {"Príncipe", "Lobo"}


def test_c10_1_between_two_draws_too():
    states = deals.table(["Rana", "Reino", "Mendigo"], tale="Hermano(a)*, Corona*", deck="Noche", discards="")
    deals.do(states, "tell Rey", "claim Reino")
    assert set(deals.hand(states, 1)) == {"Noche", "Reino"}  # the card of the wrong claim is drawn again


def test_o10_discards_may_stay_where_they_are():
    states = deals.do(drawn_out(reshuffle=False, discards="Lobo", buried="Noche"), "keep")
    assert deals.hand(states, 0) == ["Princesa", "Rana"]
    assert (deals.where(states, "Lobo"), deals.where(states, "Noche")) == ("open", "buried")
    assert deals.asked(states) == (1, "tell")


def test_c10_1_what_lay_face_up_is_hidden_again():
    states = deals.do(drawn_out(discards="Lobo, Bruja", buried="Noche"), "keep")
    assert deals.unseen(states, 1) == {"Lobo", "Bruja", "Noche", "Princesa", "Rana", "Mendigo"}


# C11.1, H5, O15: too long a tale

SHORT = {"max_sentences": 10}


@pytest.mark.parametrize(
    ("hands", "won"),
    [
        (["Rana, Lobo", "Príncipe", "Mendigo, Noche"], [1]), (["Rana", "Príncipe, Lobo", "Mendigo"], [0, 2]),
        (["Rana", "Príncipe", "Mendigo"], [0, 1, 2]), (["Rana, Lobo", "", "Mendigo"], [1]),
    ],
)  # fmt: skip
def test_c11_1_h5_those_with_the_fewest_cards_share_the_win(hands, won):
    states = deals.table(hands, tale="Corona*", passes=8, setup=SHORT, top=NEXT)
    deals.answer(deals.do(states, "tell Reino"))
    assert deals.winners(states) == won
    assert states[0].sentences == 10
    assert (states[0].ending_kind, states[0].won_with) == (state.TOO_LONG, tables.NO_ENDING)
    assert ("too long", state.NOBODY, 0, 0) in deals.news(states)


def test_c11_1_it_goes_on_until_then():
    states = deals.table(HANDS, tale="Corona*", passes=7, setup=SHORT, top=NEXT)
    deals.answer(deals.do(states, "tell Reino"))
    assert states[0].sentences == 9
    assert deals.asked(states) == (0, "tell")


def test_c11_1_h5_a_pass_is_a_sentence_and_is_finished_first():
    states = deals.table(["Rana", "Príncipe", "Mendigo"], tale="Corona*", passes=8, setup=SHORT, top=NEXT)
    deals.do(states, "pass")
    assert deals.asked(states) == (0, "passing")
    assert deals.winners(deals.after(states, "keep")) == [1, 2]
    assert deals.winners(deals.after(states, "discard Rana")) == [0, 1, 2]


def test_c11_1_h5_a_sentence_that_is_undone_counts():
    states = deals.table(["Rana", "Príncipe", "Mendigo"], tale="Corona*", passes=8, setup=SHORT, top=NEXT)
    deals.answer(deals.do(states, "tell Fuga"), {1: "protest"})
    assert deals.winners(states) == [1, 2]
    assert deals.log(states)["fate"] == "undone"


def test_c11_1_the_last_sentence_may_still_be_claimed():
    states = deals.table(["Rana", "Reino", "Mendigo, Lobo"], tale="Corona*", passes=8, setup=SHORT, top=NEXT)
    deals.answer(deals.do(states, "tell Reino"), {1: "claim Reino"})
    assert deals.winners(states) == [1]
    assert (deals.hand(states, 0), deals.hand(states, 1)) == (["Rana", "Cocina"], [])


def test_c11_1_h5_an_ending_counts_and_may_be_the_last_sentence():
    assert deals.winners(deals.do(played_out(LOVE, passes=6, setup=SHORT), "end 1")) == [0]
    states = deals.do(played_out(passes=7, setup=SHORT), "end 1")
    assert deals.winners(states) == [0, 1, 2]  # one card each, for seat 0 has drawn
    assert deals.log(states)["fate"] == "refused"
    assert states[0].ending_kind == state.TOO_LONG


def test_o15_h5_three_hundred_sentences_if_nobody_chooses():
    assert deals.GAME.new_tables(1, {})[0].max_sentences == state.MAX_SENTENCES == 300
    for limit in (10, 37):
        for states in deals.states_of([1], {"max_sentences": limit}):
            assert states[0].sentences <= limit
        assert states[0].over
        assert states[0].sentences == limit or states[0].ending_kind == state.CHEERED


def test_c11_1_random_deals_end_as_they_should():
    for seed in range(scaled(30)):
        for states in deals.states_of([seed], {"seats": 2 + seed % 5, "max_sentences": 20}):
            one = states[0]
            if one.over and one.ending_kind == state.TOO_LONG:
                sizes = [len(deals.hand(states, seat)) for seat in range(one.seats)]
                assert deals.winners(states) == [seat for seat, size in enumerate(sizes) if size == min(sizes)]
            assert not one.winner[one.seats :].any()
            assert one.over or not any(deals.paid(states))


# C11.2


@pytest.mark.parametrize("seats", range(2, 7))
def test_c11_2_a_sole_winner_is_paid_one(seats):
    states = deals.do(played_out(LOVE, seats=seats), "end 1")
    assert deals.paid(states) == pytest.approx([1.0] + [-1 / (seats - 1)] * (seats - 1))


@pytest.mark.parametrize("seats", range(2, 7))
def test_c11_2_those_who_share_a_win_share_what_it_pays(seats):
    cards = ["Rana", "Príncipe", "Mendigo", "Lobo", "Anciano", "Pastora"]
    more = ["Princesa", "Noche", "Río", "Isla", "Torre", "Cueva"]
    for winning in range(1, seats + 1):
        hands = [cards[seat] if seat < winning else f"{cards[seat]}, {more[seat]}" for seat in range(seats)]
        states = deals.table(hands, tale="Corona*", passes=8, setup=SHORT, top=NEXT)
        deals.answer(deals.do(states, "tell Reino"))
        share = (seats - winning) / (winning * (seats - 1))
        expected = [share] * winning + [-1 / (seats - 1)] * (seats - winning)
        assert deals.paid(states) == pytest.approx(expected, abs=1e-6)
        assert sum(deals.paid(states)) == pytest.approx(0, abs=1e-6)


def test_c11_2_nobody_is_paid_before_the_end():
    assert deals.paid(played_out(LOVE)) == [0.0, 0.0, 0.0]


# C11.3: what is remembered


def test_c11_3_everybody_remembers_a_refused_ending():
    states = deals.do(played_out(), "end 1")
    place = len(deals.endings_pile(states)) - 1
    for seat in range(3):
        assert deals.known_endings(states, seat) == (set(), {"F01"})
        assert deals.view(states, seat)["ending_places"][deals.ending("F01")] == pytest.approx(
            place / tables.NUM_ENDINGS - 1
        )
        for seed in WORLDS:
            assert deals.endings_pile(deals.redealt(states, seat, seed))[-1] == "F01"
    assert states[0].ending_known[deals.ending("F01")] == state.PUBLIC | 0b111


def test_c11_3_an_ending_that_is_voted_on_lies_open():
    states = deals.do(played_out(setup={"judge": "votes"}), "end 1")
    for seat in (1, 2):
        assert deals.known_endings(states, seat) == ({(3 - seat, "F01")}, set())
        for seed in WORLDS:
            world = deals.redealt(states, seat, seed)
            assert deals.held_endings(world, 0) == ["F01"]
            refused = deals.answer(world)
            assert (deals.endings_pile(refused)[-1], len(deals.held_endings(refused, 0))) == ("F01", 1)


def test_c11_3_and_sees_it_move_up_and_come_to_a_hand():
    states = played_out(endings=["F09", "F20", "F21"], pile="F01, F02")
    states[0].ending_known[deals.ending("F01")] = state.PUBLIC | 0b111
    deals.do(states, "end 1")
    assert deals.held_endings(states, 0) == ["F01"]
    for seat, steps in ((1, 2), (2, 1)):
        assert deals.known_endings(states, seat) == ({(steps, "F01")}, {"F09"})
        for seed in WORLDS:
            assert deals.held_endings(deals.redealt(states, seat, seed), 0) == ["F01"]


def test_c11_3_other_endings_are_secret():
    states = played_out()
    for seat in range(3):
        assert deals.known_endings(states, seat) == (set(), set())
        worlds = [deals.redealt(states, seat, seed) for seed in WORLDS]
        for other in range(3):
            assert (len({deals.held_endings(world, other)[0] for world in worlds}) == 1) == (other == seat)
        assert len({deals.endings_pile(world)[0] for world in worlds}) > 1


def test_c11_3_a_drawn_ending_is_the_secret_of_its_seat():
    states = deals.do(played_out(), "end 1")
    assert states[0].ending_known[deals.ending("F02")] == 0b001
    assert len({deals.held_endings(deals.redealt(states, 1, seed), 0)[0] for seed in WORLDS}) > 1
    assert {deals.held_endings(deals.redealt(states, 0, seed), 0)[0] for seed in WORLDS} == {"F02"}


def test_c11_3_who_discarded_face_down_remembers_it():
    states = deals.do(deals.table(HANDS, tale="Rey", top=NEXT), "pass", "discard Rana")
    assert {deals.where(deals.redealt(states, 0, seed), "Rana") for seed in WORLDS} == {"buried"}
    assert len({deals.where(deals.redealt(states, 1, seed), "Rana") for seed in range(60)}) > 1
    for seed in WORLDS:
        world = deals.redealt(states, 1, seed)
        assert (world[0].where == state.BURIED).sum() == 1
        assert world[0].buried_by[world[0].where == state.BURIED].tolist() == [0]


def test_c11_3_h4_cards_that_were_shown_are_known_in_their_hand():
    hands = ["Rana, Noche, Isla", "Reino, Torre", "Mendigo, Río"]
    states = deals.table(hands, tale="Hoguera*, Montaña*, Río", top=NEXT)  # in which nobody could be strong
    deals.answer(deals.do(states, "tell Muy fuerte"), {1: "protest", 2: "claim Río"})  # the protest comes first
    assert (deals.narrator(states), deals.shown(states)) == (1, {"Río"})
    for seat in (0, 1):
        assert deals.known(states, seat) == {("Río", 2 - seat)}
        assert {deals.where(deals.redealt(states, seat, seed), "Río") for seed in WORLDS} == {2}
        assert len({tuple(deals.hand(deals.redealt(states, seat, seed), 2)) for seed in WORLDS}) > 1
    assert not deals.known(states, 2)


def test_c11_3_h4_a_card_that_goes_back_after_a_protest_is_known():
    states = deals.table(["Fuga, Rana", "Reino", "Mendigo"], tale="Corona*", top=NEXT)
    deals.answer(deals.do(states, "card Fuga"), {1: "protest"})
    assert (deals.where(states, "Fuga"), deals.shown(states)) == (0, {"Fuga"})
    deals.answer(deals.do(states, "pass", "keep", "pass", "keep"))
    assert deals.shown(states) == {"Fuga"}
    deals.do(states, "pass", "discard Rana")
    assert deals.shown(states) == set()


def test_c11_3_h4_a_laid_card_is_not_known_in_a_hand():
    states = deals.table(["Río, Rana", "Reino", "Mendigo"], tale="Montaña*", top=NEXT)
    states[0].shown[deals.CARDS.index("Río")] = 1
    deals.answer(deals.do(states, "card Río"))
    assert deals.shown(states) == set()


# V1 to V3


@pytest.mark.parametrize("beginners", range(7))
def test_v1_beginners_hold_two_endings(beginners):
    for seats in (2, 4, 6):
        states = deals.dealt(seats=seats, beginners=beginners)
        assert [len(deals.held_endings(states, seat)) for seat in range(seats)] == [
            1 + (s < beginners) for s in range(seats)
        ]
        assert len(deals.endings_pile(states)) == 56 - seats - min(seats, beginners)


def test_v1_either_of_two_endings_wins():
    for slot, held in ((1, "F01, F09"), (2, "F09, F01")):
        states = deals.do(played_out(LOVE, [held]), f"end {slot}")
        assert deals.winners(states) == [0]
        assert states[0].won_with == deals.ending("F01")


def test_v1_the_other_ending_may_be_refused():
    states = deals.do(played_out(LOVE, ["F09, F32"]), "end 2")
    assert deals.log(states)["thing"] == "F32"
    assert deals.held_endings(states, 0) == ["F09", "F02"]
    assert deals.known_endings(states, 1) == (set(), {"F32"})


CHANGE = {"change_ending": True}


def test_v2_who_passes_may_change_an_ending_and_draws_two():
    states = deals.table(HANDS, tale="Rey", endings=["F09"], pile="F02, F03", top=NEXT, setup=CHANGE)
    deals.do(states, "pass")
    assert deals.choices(states) == {"keep", "discard Princesa", "discard Rana", "change 1"}
    deals.do(states, "change 1")
    assert deals.held_endings(states, 0) == ["F02"]
    assert (deals.endings_pile(states)[0], deals.endings_pile(states)[-1]) == ("F03", "F09")
    assert set(deals.hand(states, 0)) == {"Princesa", "Rana", "Cocina", "Capilla"}
    assert deals.asked(states) == (1, "tell")
    assert not (states[0].where == state.BURIED).any()


def test_v2_discarding_or_keeping_draws_one_as_ever():
    states = deals.do(deals.table(HANDS, tale="Rey", top=NEXT, setup=CHANGE), "pass")
    assert len(deals.hand(deals.after(states, "keep"), 0)) == 3
    assert len(deals.hand(deals.after(states, "discard Rana"), 0)) == 2
    assert deals.held_endings(deals.after(states, "keep"), 0) == deals.held_endings(states, 0)


def test_v2_not_unless_it_is_chosen():
    states = deals.do(deals.table(HANDS, tale="Rey", endings=["F09, F20"], top=NEXT), "pass")
    assert not {"change 1", "change 2"} & deals.choices(states)


def test_v2_o9_two_are_drawn_in_all_if_one_is_drawn_before():
    states = deals.do(deals.table(HANDS, tale="Rey", top=NEXT, setup={**CHANGE, "pass_draw": "before"}), "pass")
    assert len(deals.hand(states, 0)) == 3
    assert len(deals.hand(deals.do(states, "change 1"), 0)) == 4


def test_v2_without_cards_too():
    states = deals.do(played_out(setup=CHANGE), "pass")
    assert deals.choices(states) == {"keep", "change 1"}
    assert len(deals.hand(deals.do(states, "change 1"), 0)) == 2


@pytest.mark.parametrize("slot", [1, 2])
def test_v2_either_of_two_endings_may_be_changed(slot):
    states = deals.table(HANDS, tale="Rey", endings=["F09, F20"], pile="F02", top=NEXT, setup=CHANGE)
    deals.do(states, "pass", f"change {slot}")
    assert deals.held_endings(states, 0) == (["F02", "F20"] if slot == 1 else ["F09", "F02"])
    assert deals.endings_pile(states)[-1] == ("F09" if slot == 1 else "F20")


def test_v2_only_who_changed_an_ending_knows_where_it_went():
    states = deals.table(HANDS, tale="Rey", endings=["F09"], pile="F02", top=NEXT, setup=CHANGE)
    deals.do(states, "pass", "change 1")
    assert deals.known_endings(states, 0) == (set(), {"F09"})
    assert deals.known_endings(states, 1) == (set(), set())
    assert {deals.endings_pile(deals.redealt(states, 0, seed))[-1] for seed in WORLDS} == {"F09"}
    assert len({deals.endings_pile(deals.redealt(states, 1, seed))[-1] for seed in WORLDS}) > 1


def test_v2_of_one_ending_that_all_knew_all_know_where_it_went():
    states = deals.table(HANDS, tale="Rey", endings=["F09"], pile="F02", top=NEXT, setup=CHANGE)
    states[0].ending_known[deals.ending("F09")] = state.PUBLIC | 0b111
    deals.do(states, "pass", "change 1")
    for seat in range(3):
        assert deals.known_endings(states, seat) == (set(), {"F09"})


def test_v2_of_two_endings_nobody_else_knows_which_was_changed():
    seen = []
    for slot in (1, 2):
        states = deals.table(HANDS, tale="Rey", endings=["F09, F20"], pile="F02", top=NEXT, setup=CHANGE)
        states[0].ending_known[deals.ending("F09")] = state.PUBLIC | 0b111
        deals.do(states, "pass", f"change {slot}")
        assert deals.known_endings(states, 0) == (set(), {("F09", "F20")[slot - 1]})
        seen.append(states)
    for seat in (1, 2):
        assert same(*seen, seat)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_v3_a_seat_may_be_told_to_begin(seats):
    for seat in range(seats):
        assert {deals.narrator(deals.dealt(seed, seats=seats, begins=f"seat {seat}")) for seed in range(5)} == {seat}
