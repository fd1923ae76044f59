"""*Érase una vez* at the terminal: the questions to a person, and typed answers."""

import re
from functools import cache
from html import unescape

import pytest
from erase_logs import tale
from erase_tables import GAME, action, do, table

from sobremesa import agents
from sobremesa.agents.human import COLUMNS, FEW, Human
from sobremesa.cli import main
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez.notation import action_name, entry
from sobremesa.envs.erase_una_vez.state import A_TELL, NUM_ACTIONS
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS, NUM_THINGS, THINGS
from sobremesa.report import show, tale_page

pytestmark = pytest.mark.kernels

HAND = "Este animal puede hablar, Perdido(a) tiempo atrás, Torre"


def asked(states, answers, language):
    """Return the action that a person comes to who types `answers`, and what is said after each."""
    said, typed = [[]], iter(answers)

    def ask(_):
        said.append([])
        return next(typed)

    human = Human(language, ask, lambda text: said[-1].append(text))
    view = make_view(GAME, states, int(states[0].seat), new_stream(0))
    return human.act(view), ["\n".join(texts) for texts in said]


@pytest.mark.parametrize(
    ("language", "kinds"),
    [
        (
            "en",
            (
                "play (fits): ",
                "play (nonsense now: no animal yet): ",
                "tell (fits very well): ",
                "tell (not tied yet): 103",
            ),
        ),
        (
            "es",
            (
                "carta (encaja): ",
                "carta (ahora sin sentido: falta un animal): ",
                "contar (encaja muy bien): ",
                "contar (sin relación aún): 103",
            ),
        ),
    ],
)
def test_many_choices_are_grouped_and_counted(language, kinds):
    _, said = asked(table([HAND, "Rey"], tale="Reina*"), ["paso" if language == "es" else "pass"], language)
    choices = said[0].split("\n\n")[-1].split("\n")
    assert all(f"  {kind}" in "\n".join(choices) for kind in kinds)
    assert len(choices) < 19
    places = ["\n".join(choices).index(f"  {kind}") for kind in kinds]
    assert places == sorted(places)
    assert max(map(len, choices)) <= COLUMNS


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_things_are_listed_on_demand_and_no_name_is_broken(language):
    head = entry(A_TELL, language)[0].split()[0]
    _, said = asked(table([HAND, "Rey"], tale="Reina*"), [head, "pass" if language == "en" else "paso"], language)
    shown = re.sub(r"\s+", " ", said[1])
    for number, thing in enumerate(THINGS):
        name = thing.english if language == "en" else thing.name
        assert re.search(rf"[:,] {re.escape(name)}(,| {head}|$)", shown), name
        assert any(name in line for line in said[1].split("\n")), number
    assert max(map(len, said[1].split("\n"))) <= COLUMNS


def test_the_english_game_lists_english_names():
    spanish = {thing.name for thing in THINGS[:NUM_ELEMENTS]} - {thing.english for thing in THINGS}
    for number in range(NUM_ACTIONS):
        assert not set(entry(number, "en")) & spanish
    for number in range(A_TELL, A_TELL + NUM_THINGS):
        assert GAME.words.parse_action(" ".join(("tell", entry(number, "en")[1])), "en") == number


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_listed_can_be_typed(language):
    for number in range(NUM_ACTIONS):
        head, name = entry(number, language)
        assert GAME.words.parse_action(f"{head.split(' (')[0]} {name}".strip(), language) == number


def test_letters_filter_the_choices_and_a_number_picks_one():
    states = table([HAND, "Rey"], tale="Reina*")
    played, said = asked(states, ["tow", "1"], "en")
    assert said[1].split("\n") == ["  1) play (fits) Tower", "  2) tell (fits) Tower"]
    assert played == action("card Torre")
    assert asked(states, ["tow", "2"], "en")[0] == action("tell Torre")
    assert asked(states, ["contar castillo de n", "contar torr", "1"], "es")[0] == action("tell Torre")
    _, said = asked(states, ["castillo de naipes", "pass"], "en")
    assert said[1].startswith("'castillo de naipes' is no move")
    played, said = asked(states, ["Bosque", "1"], "es")  # not in hand, yet it can be told of
    assert said[1] == "carta Bosque: no tienes Bosque.\n  1) contar (sin relación aún) Bosque"
    assert played == action("tell Bosque")


def test_few_choices_are_numbered():
    states = do(table(["Puerta, Ladrón", "Llave", "Hacha"], tale="Cueva*"), "card Puerta")
    played, said = asked(states, ["3"], "en")
    assert said[0].endswith("  1) nothing\n  2) claim (doubtful, 40 in 100) Key\n  3) interrupt Key")
    assert action_name(played, "es") == "interrumpir Llave"
    assert FEW >= 3


# `sobremesa watch`


def whole(text):
    return re.sub(r"\s+", " ", text)


@cache
def long_deal():
    """Return the plies of a deal in which more than 25 sentences stand."""
    for seed in range(50):
        plies = list(deal_between(GAME, [agents.load("simple", GAME)] * 3, seed))
        if len(told(plies)) > 30:
            return plies
    raise LookupError("no such deal")


def told(plies, language="es"):
    log = plies[-1].states[0].log
    return tale(log, int(plies[-1].states[0].sentences), language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", [None, 1])
def test_watch_shows_the_whole_tale_at_the_end(viewer, language):
    text = whole(show.watch_text(GAME, long_deal(), ["simple"] * 3, viewer, language).split("\n\n1. ")[-1])
    for sentence in told(long_deal(), language):
        assert sentence in text
    end = whole(GAME.words.describe(long_deal()[-1].states, None, language))
    assert all(sentence in end for sentence in told(long_deal(), language))


def test_what_a_seat_reads_stays_short():
    text = whole(GAME.words.describe(long_deal()[-1].states, 1, "en"))
    first, *_, last = told(long_deal(), "en")
    assert last in text
    assert first not in text


def test_watch_shows_the_tale_alone(capsys):
    command = ["watch", "erase_una_vez", "simple", "simple", "--seed", "3", "--language", "es", "--tale"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert text.startswith("El cuento:\n")
    assert len(text.split("\n\n")) == 2  # the tale, and the seed
    plies = list(deal_between(GAME, [agents.load("simple", GAME)] * 2, 3))
    assert all(sentence in whole(text) for sentence in told(plies))
    assert main([*command, "--out", "tale.gif"]) != 0
    assert "must end in .html or .txt" in capsys.readouterr().err
    assert main(["watch", "estafado", "simple", "simple", "--tale"]) != 0
    assert "estafado has no tale" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["es", "en"])
def test_watch_writes_the_tale_as_a_page(language, tmp_path, capsys):
    out = tmp_path / "new" / "tale.html"
    command = ["watch", "erase_una_vez", "simple", "simple", "--seed", "3", "--language", language, "--tale"]
    assert main([*command, "--out", str(out)]) == 0
    text = unescape(out.read_text(encoding="utf-8"))
    assert f'<html lang="{language}">' in text
    assert "<script" not in text
    plies = list(deal_between(GAME, [agents.load("simple", GAME)] * 2, 3))
    assert all(sentence in text for sentence in told(plies, language))
    assert "--seed 3" in capsys.readouterr().out


def test_a_page_of_a_tale_escapes_names():
    plies = list(deal_between(GAME, [agents.load("simple", GAME)] * 2, 3))
    text = tale_page.page(GAME, plies, ["<b>&'\"", "simple"], "en")
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text


@pytest.mark.parametrize(("waited", "wanted"), [(4.9, "tell Bosque"), (5.1, "pass")])
def test_h12_a_narrator_who_pauses_for_too_long_passes(waited, wanted, monkeypatch):
    clock = [0.0]

    def later(seconds, line=""):
        clock[0] += seconds
        return line

    monkeypatch.setattr("sobremesa.agents.human.time.monotonic", lambda: clock[0])
    states = table(["Torre, Rey", "Hacha"], tale="Reina*")
    lines = iter(["?", "tell Bosque"])
    human = Human("en", lambda _: later(waited / 2, next(lines)), lambda _: later(9))  # to draw the table takes long
    human.pause = 5.0
    first = human.act(make_view(GAME, states, 0, new_stream(0)))
    assert first == action(wanted)
    if wanted == "pass":  # without a discard
        do(states, "pass")
        assert human.act(make_view(GAME, states, 0, new_stream(0))) == action("keep")


def test_h12_a_listener_may_think():
    states = do(table(["Puerta, Ladrón", "Llave", "Hacha"], tale="Cueva*"), "card Puerta")
    assert GAME.words.pause(states) is None
