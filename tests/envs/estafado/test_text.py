"""Texts of *Estafado*: tables as seats see and remember them, and stories of deals."""

import re
from itertools import pairwise

import numpy as np
import pytest
from estafado_tables import CROW, FOX, GAME, after, dealt, play, table, view
from story_pages import Scene, check

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES, SEAT_SIGNS
from sobremesa.envs.core.picture.pointing import legal_actions
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.wording import shown_name
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name
from sobremesa.envs.estafado.cards import CARDS, COPIES, NUM_EFFECTS
from sobremesa.envs.estafado.notation import action_name, help_text, parse_action
from sobremesa.envs.estafado.text.cards import card_effect, card_name
from sobremesa.envs.estafado.text.story import KEYS, tell
from sobremesa.envs.estafado.text.table import describe, unseen
from sobremesa.envs.estafado.text.words import EFFECTS, PICTURE, SEATS, STORY, WORDS, line_name

READERS = (None, FOX, CROW)
STUCK = {"a3": "Coyote", "b3": "Beaver", "c3": "Eastern Mole", "d3": "Groundhog", "e3": "Porcupine"}
# What random deals seldom or never bring: (table, actions).
SELDOM = (
    (lambda: table(STUCK, up="a3 b3 c3 d3 e3", stage="slide", crow="W2"), ("crow -1",)),
    (lambda: table({"c1": "Raccoon"}, prey=["Rabbit #0", "Rabbit #1"]), ("go c1",)),
    (lambda: table({"c1": "Raccoon"}), ("go c1",)),
    (lambda: table({"c1": "Monarch Butterfly", "d4": "Beaver"}), ("go c1", "swap d4", "swap b2")),
    (
        lambda: table(stage="exchange", bear="a5", before="a4", vixen="b5", fox="c1", chosen="c5", crow_knows="c5"),
        ("swap d5",),
    ),
    (lambda: table({"b1": "Rabbit #0"}, fox="d1", prey=["Rabbit #1", "Rabbit #2"]), ("go b1",)),
)


def played(states, *names):
    """Play the named actions; return each state with the action that led there, the first without one."""
    seen = [(None, states.copy())]
    for name in names:
        states = after(states, name)
        seen.append((parse_action(name, "en"), states))
    return seen


def told(seen, seat, language="en"):
    """Return the story for `seat` of the states from `played`."""
    steps = pairwise(seen)
    return [line for (_, before), (action, later) in steps for line in tell(before, action, later, seat, language)]


def news(states):
    return states[0].news[: states[0].news_count].tolist()


def one_line(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def deals():
    """Whole random deals, one of each setup among them."""
    found = [list(random_deal(GAME, seed)) for seed in range(50)]
    return found + [list(random_deal(GAME, 7, setup)) for setup in setups(GAME)]


@pytest.fixture(scope="module")
def steps(deals):
    """Transitions of these deals, and rare ones: (state before, action, state after)."""
    found = [(ply.states, ply.action, later.states) for deal in deals for ply, later in pairwise(deal)]
    for make, names in SELDOM:
        found += [(before, action, later) for (_, before), (action, later) in pairwise(played(make(), *names))]
    return found


@pytest.fixture(scope="module")
def tables(deals):
    """States from these deals, their ends too."""
    return [ply.states for deal in deals for ply in deal if ply.states["ply"][0] % 23 == 0 or ply.seat == OVER]


# Words.


def test_each_effect_has_words():
    assert {f"effect{effect}" for effect in range(1, NUM_EFFECTS)} <= EFFECTS["en"].keys()


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        (
            "en",
            (
                "chooses a space for the Eagle, five or more",
                "five cards and is not refilled",
                "she looked at is buried",
            ),
        ),
        (
            "es",
            ("elige un espacio para el Águila, a cinco o más", "cinco cartas y no se repone", "ha mirado queda enterr"),
        ),
    ],
)
def test_the_help_explains_setup_hand_and_burying(language, parts):
    assert all(part in one_line(help_text(language)) for part in parts)


@pytest.mark.parametrize(("language", "wrong"), [("en", ("his move", "game")), ("es", ("mazo", "captur", "paso del"))])
def test_text_and_picture_have_one_vocabulary(tables, language, wrong):
    written = [help_text(language), *WORDS[language].values(), *STORY[language].values()]
    written += [*EFFECTS[language].values(), *PICTURE[language].values()]
    written += [GAME.words.scene(states, seat, language) for states in tables[:10] for seat in READERS]
    for text in written:
        assert not any(re.search(rf"(?<![-\w]){word}", text, re.IGNORECASE) for word in wrong), text[:300]


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_have_names_of_their_own_that_fit_a_column(language):
    names = [card_name(kind, language) for kind in range(len(CARDS))]
    assert len(set(names)) == len(names)
    assert max(len(word) for name in names for word in name.split()) <= 11


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_all_cards(language):
    text = help_text(language)
    for kind, card in enumerate(CARDS):
        name = card_name(kind, language)
        assert (f"{name} ×2" if card.copies == 2 else name) in one_line(text)
        assert card_effect(kind, language) in one_line(text)


def test_spaces_go_by_sides_of_the_compass_as_read_by_the_fox():
    assert [space_name(space, "en") for space in (0, 4, 5, 9, 10, 14, 15, 19)] == [
        "Na", "Ne", "E1", "E5", "Se", "Sa", "W5", "W1",
    ]  # fmt: skip
    assert [space_name(space, "es") for space in (4, 5, 10, 15)] == ["Ne", "E1", "Se", "O5"]


def test_plus_is_clockwise_for_eagle_and_crow_alike():
    states = table(stage="eagle", eagle="Ne", crow="Se", bear="a5")
    play(states, *(action_name(parse_action(text, "en"), "en") for text in ("eagle clockwise", "crow clockwise")))
    assert [space_name(int(states[0][token]), "en") for token in ("eagle", "crow")] == ["E1", "Sd"]


# The table.


def grid(states, seat, language="en"):
    """Return the words of the text on each cell, by cell name."""
    lines = describe(states, seat, language).split("\n\n\n")[0].split("\n")
    first = next(number for number, line in enumerate(lines) if line.split() == list("abcde"))
    last = next(number for number, line in enumerate(lines) if line.startswith(WORDS[language]["legend"][:8]))
    shown, row = dict.fromkeys(CELL_NAMES, ""), 0
    for line in lines[first + 1 : last]:
        row = int(line[7]) if line[7:8].isdigit() else row
        for column in range(5):
            shown[f"{'abcde'[column]}{row}"] += " " + line[10 + 12 * column : 22 + 12 * column].strip()
    return {name: " ".join(words.split()) for name, words in shown.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_c12_1_the_floor_shows_only_known_cards(tables, language):
    words = WORDS[language]
    for states in tables:
        state = states[0]
        for seat in READERS:
            shown = grid(states, seat, language)
            for cell, name in enumerate(CELL_NAMES):
                card = card_name(int(state.cards[cell]), language)
                unknown = words["no_rabbit"] if state.no_rabbit[cell] else "·"
                known = seat is None or state.known[seat, cell]
                text = (card.upper() if state.up[cell] else card) if known else unknown
                standing = [
                    f"<{words[word]}>"
                    for word, token in (("fox", "fox"), ("bear", "bear"), ("vixen_token", "vixen"))
                    if state[token] == cell
                ]
                ring = [words[token] for token in ("eagle", "crow", "sun")]
                assert [part for part in shown[name].split() if part not in ring] == [*text.split(), *standing]


def test_the_ring_stands_round_the_floor():
    for eagle, crow, sun, line in (
        ("Nb", "Sd", 0, "                      Eagle"),
        ("E2", "W4", 3, "  Crow 4  "),
        ("W1", "E5", 0, " Eagle 1  "),
    ):
        text = describe(table(eagle=eagle, crow=crow, sun=sun), FOX, "en")
        assert any(one.startswith(line) for one in text.split("\n")), text
        assert f"Eagle at {eagle}" in text
        assert f"Crow at {crow}, before" in text
    assert re.search(r"^ +2 .* Águila$", describe(table(eagle="E2"), CROW, "es"), re.MULTILINE)
    assert re.search(r"^ +Sun$", describe(table(eagle="E2", crow="E5"), CROW, "en"), re.MULTILINE)


@pytest.mark.parametrize(
    ("eagle", "crow", "text"),
    [
        ("Sb", "Sc", "Eagle at Sb, 1 clockwise of the Crow"),
        ("Sd", "Sc", "Eagle at Sd, 1 anticlockwise of the Crow"),
        ("Nc", "Sc", "Eagle at Nc, 10 clockwise of the Crow"),
        ("W1", "Nb", "Eagle at W1, 2 anticlockwise of the Crow"),
    ],
)
def test_the_text_says_how_far_the_eagle_is_from_the_crow(eagle, crow, text):
    assert f"{text}\n" in describe(table(eagle=eagle, crow=crow), FOX, "en")


def test_lines_are_named_by_column_and_row():
    named = [line_name(space, "en") for space in range(RING)]
    assert named[::5] == ["column a", "row 1", "column e", "row 5"]
    for space in range(RING):
        assert named[space][-1] == space_name(space, "en")[1]
    assert line_name(7, "es") == "la fila 3"


def test_the_tokens_say_where_they_came_from():
    states = table({"c1": "Bullfrog"}, before="e4", vixen="b5")
    text = describe(play(states, "go c1"), CROW, "en")
    assert "Fox on c1, his step began on a1 · Bear on e5, came from e4 · Vixen protects b5" in text
    assert (
        "On c1 (Bullfrog): the Fox may leap in a straight line, exactly 1 away\nThe Fox's choice: leap, or pass" in text
    )
    text = describe(table(), CROW, "es")
    assert "Zorro en a1 · Oso en e5 · la Zorra, sin colocar" in text
    assert "el Águila, sin colocar" in describe(dealt(0), CROW, "es")


def test_what_is_left_and_what_is_to_come():
    text = describe(table(), FOX, "en")
    assert "Still to use: the Vixen, two spaces for the Eagle, swaps with the deck: 3" in text
    assert "To come" not in text
    text = describe(table(vixen="c3", double=0, deck_swaps=3, lost=1, bear_skip=1, stage="eagle"), CROW, "es")
    assert "Por usar: cambios con la baraja: 3\n" in text
    assert "Pendiente: el Zorro pierde su próximo turno, el Oso no se moverá\n" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_who_is_asked_and_what(tables, language):
    words = WORDS[language]
    for states in tables:
        state = states[0]
        for seat in READERS:
            head = one_line(describe(states, seat, language).split("\n\n")[0])
            assert f"{SEAT_SIGNS[0]} {SEATS[language][0]}" in head
            assert (words["you"] in head) == (seat is not None)
            if state.over:
                assert head.endswith(".")
                assert SEATS[language][int(state.winner.argmax())] in head.split(": ")[-2]
            else:
                question = words["yours" if seat == state.seat else f"theirs{int(state.seat)}"].format("")
                assert question + words[f"stage{int(state.stage)}"].split("{")[0] in head


@pytest.mark.parametrize(
    ("make", "question"),
    [
        (lambda: table(vixen="c3"), "move the Fox two cards, or one without turning it up"),
        (lambda: table(), "without turning it up, or place the Vixen"),
        (lambda: table({"a1": "Groundhog"}, up="a1", vixen="c3"), "without turning it up, or tunnel"),
        (
            lambda: table(stage="eagle", vixen="c3"),
            "move the Eagle one space (+ is clockwise), or two just once",
        ),
        (lambda: table(stage="eagle", vixen="c3", double=0), "move the Eagle one space (+ is clockwise)"),
        (lambda: play(table({"c1": "Ladybug"}), "go c1"), "look at a card (looks left: 4), or pass"),
        (lambda: play(table({"c1": "Monarch Butterfly"}), "go c1", "swap e2"), "the card to swap with e2 (Mosquito)"),
        (lambda: table(stage="look"), "look at a face-down card of column c"),
    ],
)
def test_questions_name_what_they_are_about(make, question):
    assert one_line(describe(make(), None, "en").split("\n\n")[0]).endswith(question)


def test_a_hand_is_its_owners():
    states = table(hand=["Firefly", "Hurricane"])
    own = describe(states, FOX, "en")
    assert "Your hand:\n  1 Firefly: the Fox may look at face-down cards next to him, 2 at most\n  2 Hurricane: " in own
    other = describe(states, CROW, "en")
    assert "Cards in the Fox's hand: 2, the Hurricane among them\n" in other
    assert "Cartas en la mano del Zorro: 2, entre ellas el Huracán\n" in describe(states, CROW, "es")
    assert "The Fox's hand: 1 Firefly, 2 Hurricane\n" in describe(states, None, "en")
    assert "Your hand: no cards\n" in describe(table(), FOX, "en")
    assert "Cards in the Fox's hand: 0\n" in describe(table(), CROW, "en")
    assert "Mano del Zorro: ninguna carta\n" in describe(table(), None, "es")


def test_prey_deck_and_discards_are_told():
    text = describe(table(prey=["Rabbit #2", "Rabbit #0"], deck=["Hurricane", "Beaver"]), CROW, "en")
    assert "Rabbits caught: Rabbit #2, Rabbit #0\n" in text
    assert "Deck: 16 cards; the Hurricane on top\n" in text
    assert "Conejos atrapados: ninguno\n" in describe(table(), FOX, "es")
    assert "next: Hurricane, Beaver, " in describe(table(deck=["Hurricane", "Beaver"]), None, "en")
    assert "Hurricane" not in describe(table(deck=["Beaver", "Hurricane"]), FOX, "en").split("Cards that")[0]


def test_c8_5_buried_cards_are_told_as_far_as_they_are_known():
    states = table(pile=["Firefly", "Copperhead"])
    states["pile_known"][0, 0] = 1
    assert "Buried by the Crow: Firefly, unknown (no rabbit)\n" in describe(states, FOX, "en")
    assert "Enterradas por la Cuerva: Luciérnaga (la conoce el Zorro), Víbora cobriza\n" in describe(states, CROW, "es")
    states["pile_no_rabbit"][0, 1] = 0
    assert "Enterradas por la Cuerva: Luciérnaga, desconocida\n" in describe(states, FOX, "es")
    states["pile_no_rabbit"][0, 1] = states["pile_swappable"][0, 1] = 1
    assert "by the Crow: Firefly, unknown (no rabbit, not marked 'do not swap')\n" in describe(states, FOX, "en")
    assert "by the Crow: Firefly (the Fox knows it), Copperhead" in describe(states, None, "en")


def test_each_is_told_what_the_other_knows_and_what_all_know():
    states = table({"b2": "Hurricane"}, fox_knows="a3 c4", crow_knows="a3 e1")
    states["swappable"][0, CELL_NAMES.index("d4")] = 1
    fox, crow, both = (describe(states, seat, "en") for seat in (FOX, CROW, None))
    assert "Face-down cards that the Crow knows: e1, b2, a3\n" in fox
    assert "Face-down cards that the Fox knows: b2, a3, c4\n" in crow
    assert "that the Fox knows" not in fox
    assert "that the Fox knows: b2, a3, c4\nFace-down cards that the Crow knows: e1, b2, a3" in both
    assert "not marked 'do not swap': d4\n" in fox
    assert "not marked" not in both


def test_c12_1_cards_not_located_are_those_of_the_observation(tables):
    for states in tables:
        for seat in (FOX, CROW):
            counts = unseen(states[0], seat)
            assert (np.float32(counts / COPIES) == view(states, seat)["unseen"]).all()
            listed = one_line(describe(states, seat, "en").split(WORDS["en"]["unseen"] + ": ")[1])
            assert listed.count(",") == np.count_nonzero(counts) - 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_options_that_are_not_the_usual_ones_are_told(language):
    words = WORDS[language]
    assert words["setup"][:10] not in describe(dealt(0), FOX, language)
    for option, text in (
        ({"reading": "rulebook"}, words["reading"]),
        ({"reading": "dusk"}, words["dusk"]),
        ({"evading_faces": 3}, words["faces"].format(3)),
        ({"rolls": "any"}, words["rolls"]),
        ({"bear_blocks": False}, words["bear_blocks"]),
    ):
        assert words["setup"].format(text) in one_line(describe(dealt(0, **option), FOX, language))


def test_c8_5_what_the_crow_may_do_with_a_card_is_no_news_of_it():
    knows = {"stage": "exchange", "chosen": "c4", "crow_knows": "c4"}
    rabbit, dull = table({"c4": "Rabbit #1"}, **knows), table({"c4": "Mosquito"}, **knows)
    for language in LANGUAGES:
        deck = WORDS[language]["deck"]
        heads = [one_line(describe(states, FOX, language).split("\n\n")[0]) for states in (rabbit, dull)]
        assert heads[0] == heads[1]
        assert deck in heads[0]
        assert deck not in one_line(describe(rabbit, CROW, language))
        assert deck in one_line(describe(dull, CROW, language))
        assert deck not in one_line(describe(rabbit, None, language))
    buriable = table({"c4": "Rabbit #1"}, setup={"reading": "rulebook"}, **knows)
    assert WORDS["en"]["deck"] in one_line(describe(buriable, CROW, "en"))
    spent = table({"c4": "Mosquito"}, pile=["Fisher", "Bobcat", "Beaver"], **knows)
    assert WORDS["en"]["deck"] not in one_line(describe(spent, CROW, "en"))


# The story.


def _cells_and_cards(event, numbers):
    """Return the cells, spaces and kinds of card that an event names."""
    one, two, three = numbers
    if event in (s.E_STARTS, s.E_DIVES, s.E_EAGLE, s.E_SLIDES):
        return [], [one], []
    if event in (s.E_REVEALS, s.E_SHOWS, s.E_LEAVES):
        return [one], [], [two]
    if event == s.E_REPLACES:
        return [one], [], [two, three]
    if event in (s.E_ROLLS, s.E_STEAL):
        return [], [], [one]
    if event in (s.E_CATCHES, s.E_EVADES):
        return [two], [], [one]
    if event in (s.E_SWAPS, s.E_SWAP_FAILS, s.E_EXCHANGES):
        return [one, two], [], []
    single = (s.E_MOVES, s.E_TUNNELS, s.E_LEAPS, s.E_YIKES, s.E_PEEKS, s.E_VIXEN, s.E_LOOKS, s.E_BURIES, s.E_BEAR)
    return ([one], [], []) if event in single else ([], [], [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_is_told_to_all_with_its_cells_and_cards(steps, language):
    met = set()
    for before, action, later in steps:
        for seat in READERS:
            lines = tell(before, action, later, seat, language)
            text = " ".join(lines)
            assert len(lines) >= max(1, len(news(later))), action_name(action, language)
            assert all(re.fullmatch(r"[¡A-ZÁ].{8,110}[.!]", line) and "{" not in line for line in lines), lines
            for event, *numbers in news(later):
                met.add(event)
                cells, spaces, kinds = _cells_and_cards(event, numbers)
                named = [CELL_NAMES[cell] for cell in cells] + [space_name(space, language) for space in spaces]
                for name in named + [card_name(kind, language) for kind in kinds]:
                    assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text), (name, text)
    assert met == set(range(s.E_WINS + 1))
    assert {*KEYS, s.E_WINS} == met


@pytest.mark.parametrize("language", LANGUAGES)
def test_c12_1_a_card_is_named_to_those_alone_who_know_it(steps, language):
    told_cards = dict.fromkeys(READERS, 0)
    for before, action, later in steps:
        for seat in READERS:
            for line in tell(before, action, later, seat, language):
                for cell, card in re.findall(r"([a-e][1-5]) \((.+?)\)", line):
                    place = CELL_NAMES.index(cell)
                    held = [
                        card_name(int(states[0].cards[place]), language)
                        for states in (before, later)
                        if seat is None or states[0].known[seat, place]
                    ]
                    # a card revealed may have been replaced or mixed with others since
                    shown = [card_name(two, language) for event, one, two, _ in news(later) if one == place]
                    assert card in held + shown, line
                    told_cards[seat] += 1
    assert told_cards[None] > max(told_cards[FOX], told_cards[CROW]) > 100


def test_what_was_turned_down_again_is_named(steps):
    count = 0
    for before, action, later in steps:
        for event, number, *_ in news(later):
            if event == s.E_DOWN:
                (line,) = [line for line in tell(before, action, later, CROW, "en") if line.startswith("Face-down")]
                assert len(re.findall(r"[a-e][1-5] \(", line)) == number
                count += 1
    assert count > 20


def test_c3_2_rounds_are_counted():
    states = table(stage="bear", fox="c1", sun=4)
    assert describe(states, CROW, "en").startswith("Round 5 of 20 · ⓪ Fox · ① Crow (you)\n")
    seen = played(states, "bear d5")
    assert told(seen, CROW)[-1] == "The Sun moves on: end of round 5."
    assert describe(seen[-1][1], FOX, "es").startswith("Ronda 6 de 20 · ⓪ Zorro (tú) · ① Cuerva\n")


def test_the_vixen_comes_last_in_a_list():
    actions = [s.A_GO, s.A_VIXEN, s.A_VIXEN + 24, s.A_EAGLE, s.A_PASS]
    assert GAME.words.ordered(table(), actions) == [s.A_GO, s.A_EAGLE, s.A_PASS, s.A_VIXEN, s.A_VIXEN + 24]


def test_steps_of_one_card_have_a_heading_of_their_own():
    states = table(fox="c3", bear="e5")
    legal = GAME.words.ordered(states, legal_actions(GAME, states))
    for language, heads in (("en", ["go", "creep", "vixen"]), ("es", ["ir", "ir con sigilo", "zorra"])):
        entries = [GAME.words.entry(action, language, states) for action in legal]
        assert list(dict.fromkeys(head for head, _ in entries)) == heads
        crept = {name for head, name in entries if head == heads[1]}
        assert crept == {"b3", "d3", "c2", "c4"}
        for head, name in entries:
            assert parse_action(f"{head} {name}", language) in legal
        b3 = parse_action(f"{heads[1]} b3", language)
        assert shown_name(GAME.words, b3, language, states) == f"{heads[1]} b3"
    leaping = play(table({"c1": "Bullfrog"}), "go c1", "pass")
    assert GAME.words.entry(parse_action("go b1", "en"), "en", leaping) == ("go", "b1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_c5_3_a_card_says_whether_the_hand_can_replace_it(language):
    words, asked = {"en": "cannot be replaced", "es": "no se puede reemplazar"}[language], set()
    for kind, card in enumerate(CARDS):
        states = play(table({"c1": card.name}, hand=["Firefly"]), "go c1")
        offered = bool(states[0].stage == s.REPLACE)
        assert (words in GAME.words.terms(language)[card_name(kind, language)]) != offered, card.name
        asked.add(offered)
    assert asked == {True, False}


BUTTERFLY = {"c1": "Monarch Butterfly", "d4": "Beaver", "a3": "Mosquito"}
ENDINGS = (
    Scene(
        "three rabbits (C11)",
        lambda: table({"b1": "Rabbit #0"}, fox="d1", prey=["Rabbit #1", "Rabbit #2"]),
        ("go b1",),
    ),
    Scene("the Eagle on the Crow (C11)", lambda: table(stage="eagle", eagle="W5", crow="Sa"), ("eagle -1",)),
    Scene("sunset (C11)", lambda: table(stage="bear", fox="e4", sun=19), ("bear d5",)),
    Scene("the Bear on the Fox (C11)", lambda: table(stage="bear", fox="e4"), ("bear e4",)),
)
SCENES = (
    Scene(
        "the Fox looks at a card (C7.6)",
        lambda: table({"c1": "Firefly", "d1": "Mosquito"}),
        ("go c1", "look d1", "pass"),
    ),
    Scene(
        "a tunnel (C4.4)",
        lambda: table({"c3": "Eastern Mole", "d4": "Great Horned Owl"}, fox="c3", bear="b2", up="c3"),
        ("tunnel d4",),
    ),
    Scene(
        "the Crow looks and swaps (C8)",
        lambda: table({"b4": "Rabbit #0", "d2": "Mosquito"}, stage="slide", fox_knows="d2", deck=["Hurricane"]),
        ("crow +1", "look b4", "swap d2", "bear e4"),
    ),
    Scene(
        "a Hurricane comes from the deck (C2.6)",
        lambda: table({"b4": "Mosquito"}, stage="slide", deck=["Hurricane", "Beaver"]),
        ("crow +1", "look b4", "deck"),
    ),
    Scene(
        "another card comes from the deck (C2.6)",
        lambda: table({"b4": "Mosquito"}, stage="slide", deck=["Beaver"]),
        ("crow +1", "look b4", "deck"),
    ),
    Scene("a swap (C7.9)", lambda: table(BUTTERFLY, fox_knows="a3"), ("go c1", "swap a3", "swap e2")),
    Scene("a swap that cannot be (C7.9)", lambda: table(BUTTERFLY, fox_knows="a3"), ("go c1", "swap a3", "swap d4")),
    Scene("a swap declined (C7.9)", lambda: table(BUTTERFLY), ("go c1", "pass")),
    Scene("a card without effect", lambda: table({"c1": "Vegetation"}), ("go c1",)),
    Scene("a card from the hand", lambda: table({"c1": "Fisher"}, hand=["Coyote"]), ("go c1", "hand 1")),
    Scene("a card that the hand cannot replace", lambda: table({"c1": "Beaver"}, hand=["Coyote"]), ("go c1",)),
    Scene("a Raccoon without a rabbit", lambda: table({"c1": "Raccoon"}, hand=["Coyote"]), ("go c1", "pass")),
    Scene("a Raccoon and a rabbit", lambda: table({"c1": "Raccoon"}, prey=["Rabbit #2"]), ("go c1",)),
    Scene("a rabbit that cannot dodge", lambda: table({"c1": "Rabbit #0"}), ("go c1",)),
    Scene("a fright", lambda: table({"c1": "Bobcat"}), ("go c1",)),
    Scene("a sting", lambda: table({"c1": "Yellow Jacket"}), ("go c1",)),
    Scene("two spaces of the Eagle", lambda: table(eagle="Nc", stage="eagle"), ("eagle +2",)),
    Scene("no card to look at", *SELDOM[0]),
    *ENDINGS,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_events_is_as_before(language):
    check("estafado", GAME, language, STORY, SCENES)


@pytest.mark.parametrize("scene", ENDINGS, ids=lambda scene: scene.about)
def test_c11_the_table_names_the_ending_of_the_story(scene):
    seen = played(scene.make(), *scene.actions)
    for language in LANGUAGES:
        for seat in READERS:
            assert told(seen, seat, language)[-1] in describe(seen[-1][1], seat, language)
