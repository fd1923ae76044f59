"""The cards and the deal of *Érase una vez*; C, H and O numbers as in its RULES.md."""

import unicodedata
from collections import Counter

import erase_tables as deals
import numpy as np
import pytest
from scale import scaled

from sobremesa.envs.core.agent import new_stream
from sobremesa.envs.core.chance import shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.erase_una_vez import state, tables

pytestmark = pytest.mark.kernels

every_setup = pytest.mark.parametrize("setup", setups(deals.GAME), ids=str)
SIZES = {2: 10, 3: 8, 4: 7, 5: 6, 6: 5}
INTERRUPTIONS = {
    "P": "Huérfano, Caballo, Monstruo, Esposo(a), Rana",
    "O": "Regalo, Árbol, Llave",
    "L": "Escaleras, Cocina, Capilla, Hogar",
    "A": "Loco, Este objeto puede hablar, Malvado, Ciego, Estúpido",
    "E": "Tormenta, Plan, Sueño, Contienda",
}
PLAIN = {
    "P": "Princesa, Príncipe, Mendigo, Anciano, Lobo, Bruja, Padre/Madre, Pastora, Enemigo, Ladrón, Anciana, "
    "Hermano(a), Niño(a), Gigante, Madrastra, Cocinero, Rey, Reina, Hada, Pájaro",
    "O": "Libro, Embarcación, Hoguera, Corona, Puerta, Hechizo, Anillo, Tesoro, Comida, Hacha, Espada, Ventana",
    "L": "Isla, Palacio, Pueblo, En el mar, Noche, Ruinas, Cueva, Prisión, Reino, Torre, Bosque, Cabaña, Camino, "
    "Ciudad, Montaña, Río",
    "A": "Asustado(a), Esto puede volar, Secreto(a), Perdido(a), Afortunado(a), Dormido(a), Feo(a), Lejano(a), "
    "Disfrazado(a), Maldito(a), Diminuto(a), Perdido(a) tiempo atrás, Bello(a), Feliz, Oculto(a), Envenenado(a), "
    "Muy fuerte, Robado(a), Este animal puede hablar, Muy sabio(a)",
    "E": "Se rompe un objeto, Algo es revelado, Separación, Un viaje, Una persecución, Pasa el tiempo, Un combate, "
    "Alguien resulta herido, Una muerte, Transformación, Un rescate, Fuga, Dos personas se enamoran, Una discusión, "
    "Una trampa, Encuentro entre personas",
}


def names_of(listing):
    """Return the cards named for each group, as groups of names."""
    return {group: set(names.split(", ")) for group, names in listing.items()}


def by_group(things):
    """Return the names of things by the letter of their group."""
    found = {group: set() for group in tables.GROUPS}
    for one in things:
        found[tables.GROUPS[one.group]].add(one.name)
    return found


ELEMENTS = tables.THINGS[: tables.NUM_ELEMENTS]
CONCEPTS = tables.THINGS[tables.NUM_ELEMENTS :]


# C1: the cards


def test_c1_1_there_are_105_story_cards_in_five_groups_each_once():
    assert len(deals.CARDS) == len(set(deals.CARDS)) == tables.NUM_ELEMENTS == 105
    assert Counter(tables.GROUPS[one.group] for one in ELEMENTS) == {"P": 25, "O": 15, "L": 20, "A": 25, "E": 20}
    assert all(one.id[0] == tables.GROUPS[one.group] for one in ELEMENTS)


def test_c1_1_21_of_them_interrupt():
    assert by_group(one for one in ELEMENTS if one.interruption) == names_of(INTERRUPTIONS)
    assert tables.NUM_INTERRUPTIONS == 21
    assert not any(one.interruption for one in CONCEPTS)


def test_c1_1_the_84_others_are_plain():
    assert by_group(one for one in ELEMENTS if not one.interruption) == names_of(PLAIN)
    assert sum(not one.interruption for one in ELEMENTS) == 84


def test_c1_1_interruption_numbers_map_back_to_cards():
    assert tables.INTERRUPTION[tables.INTERRUPTIONS].tolist() == list(range(21))
    plain = [number for number, one in enumerate(ELEMENTS) if not one.interruption]
    assert set(tables.INTERRUPTION[plain].tolist()) == {tables.NUM_INTERRUPTIONS}


def test_c1_2_there_are_56_endings_each_once():
    assert len(deals.ENDINGS) == len(set(deals.ENDINGS)) == tables.NUM_ENDINGS == 56
    assert len({one.spanish for one in tables.ENDINGS}) == 56


def test_c1_2_an_empty_tale_meets_no_ending():
    silent = np.zeros(tables.NUM_ENDINGS, bool)
    for number in range(tables.NUM_ENDINGS):
        for clause in range(int(tables.CLAUSES[number])):
            some = tables.CLAUSE_FACTS[number, clause] != 0
            silent[number] |= not some and (tables.CLAUSE_THINGS[number, clause] == tables.NO_THING).all()
    assert not silent.any()


def test_c1_3_32_concepts_are_on_no_card():
    assert len(CONCEPTS) == 32
    assert [one.id for one in CONCEPTS] == [f"C{number:02}" for number in range(1, 33)]
    assert not {one.name for one in CONCEPTS} & set(deals.CARDS)
    assert tables.NUM_THINGS == tables.NO_THING == 137


def test_c1_3_a_concept_sets_no_fact_and_has_no_need():
    assert not any(one.sets or one.clears or one.needs for one in CONCEPTS)


def test_c1_3_every_concept_means_some_element():
    rows = tables.MEANT[tables.NUM_ELEMENTS :]
    assert (rows[:, 0] < tables.NUM_ELEMENTS).all()


def test_c1_1_an_element_means_itself_first_and_wholly():
    numbers = np.arange(tables.NUM_ELEMENTS)
    assert (tables.MEANT[numbers, 0] == numbers).all()
    assert (tables.WEIGHTS[numbers, 0] == 100).all()
    assert (tables.WEIGHT_FACTS[numbers, 0] == 0).all()


def test_c1_every_relation_of_the_table_is_in_the_arrays():
    for said, meant, weight, fact in tables.RELATIONS:
        row = deals.thing(said)
        place = tables.MEANT[row].tolist().index(deals.thing(meant))
        assert tables.WEIGHTS[row, place] == round(100 * weight)
        assert tables.WEIGHT_FACTS[row, place] == (tables.fact_mask((fact,)) if fact else 0)
    assert (tables.MEANT != tables.NO_THING).sum() == 105 + len(tables.RELATIONS)
    assert ((tables.MEANT == tables.NO_THING) == (tables.WEIGHTS == 0)).all()


def test_c1_things_are_tied_both_ways():
    assert (tables.LINKED == tables.LINKED.T).all()
    assert tables.LINKED.diagonal().all()
    assert not tables.LINKED.all()


# C2: the deal


@every_setup
def test_c2_the_deal_is_possible_and_asks_the_first_narrator(setup):
    states = deals.dealt(3, **setup)
    assert state_problems(deals.GAME, states) == []
    one = states[0]
    assert deals.asked(states) == (int(one.first), "tell")
    assert one.narrator == one.first
    assert (
        deals.told(states),
        deals.facts(states),
        deals.context(states),
        deals.news(states),
        deals.shown(states),
    ) == ({}, set(), [], [], set())
    assert (one.sentences, one.played, one.idle, one.stale, one.links) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("seats", SIZES)
def test_c2_1_hands_have_the_size_for_the_number_of_seats(seats):
    states = deals.dealt(7, seats=seats)
    assert [len(deals.hand(states, seat)) for seat in range(6)] == [SIZES[seats]] * seats + [0] * (6 - seats)
    assert states[0].hand_size.tolist() == [SIZES[seats]] * seats + [0] * (6 - seats)
    assert len(deals.deck(states)) == 105 - seats * SIZES[seats]
    everything = [*deals.deck(states), *(name for seat in range(seats) for name in deals.hand(states, seat))]
    assert sorted(everything) == sorted(deals.CARDS)


def test_c2_1_every_card_comes_to_every_seat():
    found = np.zeros((3, 105), int)
    for seed in range(scaled(400)):
        states = deals.dealt(seed, seats=3)
        for seat in range(3):
            found[seat] += states[0].where == seat
    share = found / scaled(400)
    assert abs(share.mean() - 8 / 105) < 1e-9
    if scaled(400) == 400:
        assert found.min() > 5
        assert share.max() < 0.16


@pytest.mark.parametrize("seats", SIZES)
def test_c2_2_each_seat_holds_one_hidden_ending(seats):
    states = deals.dealt(11, seats=seats)
    held = [deals.held_endings(states, seat) for seat in range(seats)]
    assert [len(mine) for mine in held] == [1] * seats
    assert sorted(deals.endings_pile(states) + [mine[0] for mine in held]) == sorted(deals.ENDINGS)
    for seat, mine in enumerate(held):
        assert states[0].ending_known[deals.ENDINGS.index(mine[0])] == 1 << seat
    assert np.count_nonzero(states[0].ending_known) == seats


def test_c2_2_endings_are_shuffled():
    first = {deals.held_endings(deals.dealt(seed), 0)[0] for seed in range(scaled(100))}
    assert len(first) > scaled(100) / 4
    assert len({deals.endings_pile(deals.dealt(seed))[0] for seed in range(scaled(100))}) > scaled(100) / 4


def test_c2_2_a_seat_sees_its_own_ending_alone():
    states = deals.dealt(5)
    for seat in range(3):
        mine = [deals.ENDINGS.index(name) for name in deals.held_endings(states, seat)]
        assert np.flatnonzero(deals.view(states, seat)["endings"].any(0)).tolist() == mine
        assert deals.known_endings(states, seat) == (set(), set())


def test_c2_1_a_seat_sees_its_own_cards_alone():
    states = deals.dealt(5)
    for seat in range(3):
        mine = deals.view(states, seat)["hand"]
        assert [deals.CARDS[number] for number in np.flatnonzero(mine)] == deals.hand(states, seat)
        assert not deals.known(states, seat)


def test_c2_1_the_seed_decides_the_deal():
    assert deals.dealt(3).tobytes() == deals.dealt(3).tobytes()
    assert deals.hand(deals.dealt(3), 0) != deals.hand(deals.dealt(4), 0)


@pytest.mark.parametrize("seats", SIZES)
def test_c2_3_o11_the_first_narrator_is_drawn_by_lot(seats):
    count = scaled(1000)
    found = Counter(int(deals.dealt(seed, seats=seats)[0].first) for seed in range(count))
    assert set(found) == set(range(seats))
    if count == 1000:
        assert all(abs(found[seat] / count - 1 / seats) < 0.06 for seat in range(seats))


# O11: by letter


def spelled(name):
    """Return what the alphabet knows of a card: its words, small, without accents and without a leading article."""
    words = unicodedata.normalize("NFD", name.lower())
    words = "".join(sign for sign in words if not unicodedata.combining(sign) and sign not in "()/").split()
    return words[1:] if words[0] in ("un", "una") else words


@kernel
def _shuffled(streams, seed, cards):
    start(streams[0], seed)
    shuffle(streams[0], cards, cards.shape[0])


def test_o11_the_alphabet_knows_neither_accents_nor_articles():
    order = [deals.CARDS[number] for number in np.argsort(tables.LETTERS)]
    assert order[:7] == [
        "Afortunado(a)",
        "Algo es revelado",
        "Alguien resulta herido",
        "Anciana",
        "Anciano",
        "Anillo",
        "Árbol",
    ]
    assert order[-2:] == ["Ventana", "Un viaje"]
    pairs = (
        ("Cocina", "Un combate"),
        ("Un combate", "Comida"),
        ("Una discusión", "Disfrazado(a)"),
        ("Reino", "Un rescate"),
    )
    pairs += ("Pájaro", "Palacio"), ("Montaña", "Una muerte"), ("Perdido(a)", "Perdido(a) tiempo atrás")
    pairs += (("Una persecución", "Pueblo"), ("Este animal puede hablar", "Este objeto puede hablar"))
    pairs += (("Este objeto puede hablar", "Esto puede volar"), ("Una trampa", "Transformación"))
    for one, other in pairs:
        assert order.index(one) < order.index(other)


def test_o11_the_alphabet_has_each_card_once_in_order():
    assert sorted(tables.LETTERS.tolist()) == list(range(105))
    order = [deals.CARDS[number] for number in np.argsort(tables.LETTERS)]
    assert order == sorted(deals.CARDS, key=spelled)


@pytest.mark.parametrize("seats", SIZES)
def test_o11_the_first_letter_of_the_alphabet_begins(seats):
    begun = set()
    for seed in range(scaled(60)):
        cards = np.arange(105, dtype=np.int8)
        _shuffled(new_stream(0), seed, cards)
        drawn = [spelled(deals.CARDS[number]) for number in cards[:seats]]
        states = deals.dealt(seed, seats=seats, begins="letter")
        assert states[0].first == drawn.index(min(drawn))
        begun.add(int(states[0].first))
    assert len(begun) > 1


def test_o11_cards_drawn_for_the_first_seat_go_back():
    dealt_out = []
    for seed in range(scaled(200)):
        cards = np.arange(105, dtype=np.int8)
        _shuffled(new_stream(0), seed, cards)
        states = deals.dealt(seed, seats=5, begins="letter")
        assert state_problems(deals.GAME, states) == []
        dealt_out += (states[0].where[cards[:5]] != state.DECK).tolist()
    assert abs(np.mean(dealt_out) - 5 * 6 / 105) < 0.1


def test_o11_begins_says_who_begins_and_deals_alike_otherwise():
    found = Counter(int(deals.dealt(seed, seats=4, begins="letter")[0].first) for seed in range(scaled(400)))
    assert set(found) <= set(range(4))
    assert scaled(400) < 400 or min(found.values()) > 60


def test_h1_a_sentence_is_about_one_thing():
    states = deals.dealt(1)
    sentences = [text for text in deals.choices(states) if text.split()[0] in ("card", "tell")]
    assert len(sentences) == 8 + 137
    assert deals.choices(states) - set(sentences) == {"pass"}
