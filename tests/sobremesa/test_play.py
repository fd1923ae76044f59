"""A person who plays in the terminal: what is shown, what may be typed, and the end."""

import contextlib
import io
import itertools
import re
import shlex
from unittest.mock import Mock

import numpy as np
import pytest
from command_line import RULES, SHORT, plies_of, sobremesa
from kuhn import GAME as KUHN
from rooms import ALL
from runs import GAME

from sobremesa import agents, envs
from sobremesa.agents.human import Human, Quit
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between, random_deal
from sobremesa.envs.core.game import LANGUAGES, SEAT_SIGNS
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.wording import typed_entries
from sobremesa.report import show
from sobremesa.report.thinking import Thinker
from sobremesa.report.verdicts import Move, hints

MOST_TYPED = 300  # lines; a short deal takes a tenth


class Typist:
    """Somebody who reads what is printed to `screen` and types: odd things first, then a move that is offered.

    At the end it is asked where to save the film, and types `films` one after the other.
    """

    def __init__(self, screen, language, odd=(), films=("",)):
        self.screen, self.language, self.odd, self.typed, self.films = screen, language, list(odd), [], list(films)

    def readline(self):
        if re.search(r"(film|película)\?.*: $", self.screen.getvalue()):
            return f"{self.films.pop(0)}\n"
        text = self.odd.pop(0) if self.odd else self.move()
        self.typed.append(text)
        assert len(self.typed) < MOST_TYPED, f"{text!r} is not understood, though it is offered"
        return text + "\n"

    def move(self):
        start = {"en": "You may play", "es": "Puedes jugar"}[self.language]
        below = self.screen.getvalue().split(start + ":\n")[-1].splitlines()
        choices = list(itertools.takewhile(lambda line: line.startswith("  "), below))
        if choices[0].startswith("  1) "):
            return "1" if len(self.typed) % 2 else choices[-1].split(") ", 1)[1]
        return " ".join(choices[0].split()[:2])


def play(monkeypatch, *words, language="en", odd=(), films=("",)):
    """Play to the end as a Typist; return the exit code, what was on the screen and what was typed."""
    screen = io.StringIO()
    typist = Typist(screen, language, odd, films)
    monkeypatch.setattr("sys.stdin", typist)
    with contextlib.redirect_stdout(screen):
        code = sobremesa("play", GAME, "--language", language, *words)
    return code, screen.getvalue(), typist.typed


WORDS = {
    "en": {
        "bad": "now you are to choose a mountain",
        "no move": "is no move",
        "illegal": "stay",
        "end": "wins|share the win",
        "aim": "You are a bull in love with the moon",
        "how": "? for the rules",
        "revealed": "All is revealed",
    },
    "es": {
        "bad": "ahora te toca elegir un monte",
        "no move": "no es una jugada",
        "illegal": "quedarse",
        "end": "gana|comparten la victoria",
        "aim": "Eres un toro enamorado de la luna",
        "how": "? para ver las reglas",
        "revealed": "Todo queda a la vista",
    },
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_deal_is_played_to_its_end(monkeypatch, language):
    odd = ["?", WORDS[language]["illegal"], "xyzzy", "", "99", "0"]
    code, out, typed = play(
        monkeypatch, "--against", "simple", "--seat", 0, "--seed", 3, *SHORT, language=language, odd=odd
    )
    assert code == 0
    words = WORDS[language]
    assert out.startswith(f"{RULES.words.title[language]}   --seed 3 --seat 0\n")
    assert RULES.words.help(language) in out
    assert f"{words['illegal']}: {words['bad']}." in out
    assert out.count(words["no move"]) == 4
    assert "'xyzzy'" in out
    first = out.split(RULES.words.describe(plies_of("simple", "simple", seed=3)[0].states, 0, language)[:20])[0]
    assert words["aim"] in first
    assert words["how"] in first
    end = out.split(words["revealed"])[1]
    assert re.search(rf"^[⓪①] .*({words['end']})  \[[+-]\d.\d\d, [+-]\d.\d\d\]$", end, re.MULTILINE)
    assert "\x1b" not in out  # no colours where there is no terminal
    assert len(typed) > len(odd) + 4
    assert {"1"} < set(typed[len(odd) :])  # both numbers and names were typed


@pytest.mark.parametrize("last", ["q", "Q", "quit", "salir"])
def test_a_person_may_leave(monkeypatch, last):
    code, out, typed = play(monkeypatch, "--seat", 0, "--seed", 3, odd=["2", last])
    assert (code, typed) == (0, ["2", last])
    assert out.rstrip().endswith("Until next time.")
    assert "This deal is not kept." in out
    again = re.search(r"^  sobremesa (play .*)$", out, re.MULTILINE)[1]
    assert play(monkeypatch, *shlex.split(again)[2:], odd=["2", last])[1] == out  # the command deals the same deal


@pytest.mark.parametrize(("language", "word"), [("en", "hint"), ("es", "pista")])
def test_a_person_may_ask_for_a_hint_as_in_the_browser(monkeypatch, language, word):
    monkeypatch.setattr("sobremesa.commands.play.HINT", "search(simple, worlds=16, actions=3)")
    out = play(monkeypatch, "--seat", 0, "--seed", 3, language=language, odd=[word, word, "q"])[1]
    hints = out.split({"en": "Hint:", "es": "Pista:"}[language])
    assert len(hints) == 3
    told = hints[1].partition("Your move" if language == "en" else "Tu jugada")[0].strip().splitlines()
    assert told[0].count(" – ") == 1
    assert RULES.words.parse_action(told[0].partition(" – ")[0], language) in range(RULES.num_actions)
    assert hints[1].partition(":")[0] == hints[2].partition(":")[0]


def test_a_game_without_a_bot_called_strong_has_hints(monkeypatch, capsys):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nq\n"))
    assert sobremesa("play", "kuhn", "--against", "random", "--seat", 0, "--seed", 3) == 0
    assert " – " in capsys.readouterr().out.partition("Hint:")[2]


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_hint_at_a_vote_names_the_fair_vote(language):
    """No search compares votes on another player's ending (C8.2)."""
    game = envs.load("erase_una_vez")
    seated = [agents.load("strong", game)] * 3
    vote = next(ply for ply in deal_between(game, seated, 1) if game.words.action_name(ply.action, "en") == "yes")
    view = make_view(game, vote.states, vote.seat, new_stream(0))
    ((action, text),) = Thinker(game, "search(strong, worlds=4)").hints(view, [language])[language]
    assert action == vote.action
    assert {"en": "the fair vote", "es": "el voto justo"}[language] in text


@pytest.mark.parametrize(
    ("part", "english", "spanish"),
    [
        (1.0, "you win about 10 games in 10 fewer after it", "tras ella ganas unas 10 de cada 10 partidas menos"),
        (0.5, "you win about 5 games in 10 fewer after it", "tras ella ganas unas 5 de cada 10 partidas menos"),
        (0.13, "you win about 1 game in 10 fewer after it", "tras ella ganas una de cada 10 partidas menos"),
        (0.06, "you win a few games fewer after it", "tras ella ganas algunas partidas menos"),
    ],
)
def test_a_weaker_move_states_how_many_games_it_loses(part, english, spanish):
    moves = [Move(0, "a", part, certain=False, even=False), Move(1, "b", 0.0, certain=False, even=False)]
    for language, words in (("en", english), ("es", spanish)):
        assert f": {words}." in hints(moves, language, 0.5, team=False, few=False)[1][1]


def test_the_end_of_input_ends_the_game(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))
    assert sobremesa("play", GAME, "--seat", 0, "--seed", 3, "--language", "es") == 0
    assert capsys.readouterr().out.rstrip().endswith("Hasta la próxima.")


def test_standard_input_that_is_closed_ends_the_game(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", None)
    assert sobremesa("play", GAME, "--seat", 0) == 0
    assert capsys.readouterr().out.rstrip().endswith("Until next time.")


def test_standard_output_that_is_closed_is_no_failure(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    assert sobremesa("games", GAME) == 0


def test_ctrl_c_ends_the_game(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", type("Keyboard", (), {"readline": staticmethod(interrupt)}))
    assert sobremesa("play", GAME, "--seat", 0) == 0
    assert capsys.readouterr().out.rstrip().endswith("Until next time.")


@pytest.mark.parametrize(("language", "tile"), [("en", "tile"), ("es", "ficha")])
def test_a_person_never_sees_what_others_lay_face_down(monkeypatch, language, tile):
    laid = []
    deal = show.deal_between

    def watched(*arguments, **setup):
        for ply in deal(*arguments, **setup):
            laid.append((ply.seat, ply.action))
            yield ply

    monkeypatch.setattr(show, "deal_between", watched)
    words = ("--against", "simple", "random", "--seat", 1, "--seed", 8, *SHORT)
    code, out, _ = play(monkeypatch, *words, language=language)
    assert code == 0
    hidden = [
        (seat, RULES.words.action_name(action, language), RULES.words.action_name(action, "en").split())
        for seat, action in laid
        if seat in (0, 2) and RULES.words.action_name(action, "en").split()[0] in ("fence", "poppy", "rosemary")
    ]
    assert len(hidden) > 2
    day = out.split({"en": "walk along a path", "es": "ir por un camino"}[language])[0]
    by = {"en": "by", "es": "de"}[language]
    for seat, name, (_, place) in hidden:
        who = f"{SEAT_SIGNS[seat]} {('simple', '', 'random')[seat]}"
        assert re.search(rf"^  {who} [^\n]*{tile} [^\n]* {place}\.$", day, re.MULTILINE)
        assert not re.search(rf"^  {who} [^\n]*{name.split()[0]}[^\n]* {place}\.$", day, re.MULTILINE)
        assert f"{name} {by} " not in day


def test_play_seats_the_named_agents_and_draws_a_seat(monkeypatch):
    for seed in (4, 5, 6):
        _, out, _ = play(monkeypatch, "--against", "random", "simple", "--seed", seed, odd=["q"])
        assert f"--seed {seed} --seat {seed % 3}" in out
    words = ("--against", "random", "--seats", 4, "--seat", 3)
    for seed in range(1, 40):  # until the person is asked last
        _, out, _ = play(monkeypatch, *words, "--seed", seed, odd=["q"])
        if all(f"{SEAT_SIGNS[seat]} random {seat + 1} chooses mountain" in out for seat in range(3)):
            break
    else:
        raise AssertionError("in no deal did all others choose first")
    assert "⓪ random 1 · ① random 2 · ② random 3 · ③ (you)" in out


def test_a_deal_is_saved_as_a_film_where_the_person_says_so(monkeypatch, tmp_path):
    film = tmp_path / "deal.html"
    (tmp_path / "folder.html").mkdir()
    nowhere = [tmp_path / "deal.txt", tmp_path / "folder.html"]
    code, out, _ = play(monkeypatch, "--seed", 3, "--seat", 0, *SHORT, films=[*nowhere, film])
    assert code == 0
    assert "a film is written as .html or .gif" in out
    assert f"{nowhere[1]}: Is a directory" in out
    assert "⓪ player 1 · ① strong" in film.read_text(encoding="utf-8")
    again = tmp_path / "again.html"
    code, out, _ = play(monkeypatch, "--seed", 3, "--seat", 0, *SHORT, "--film", again, films=[])
    assert again.read_bytes() == film.read_bytes()


def test_seats_have_colours_on_a_terminal(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with contextlib.redirect_stdout(screen):
        show.in_colour()("  1) go S3, by ① strong")
    assert re.fullmatch(r".*\x1b\[[0-9;]+m①\x1b\[0m.*\n", screen.getvalue())


@pytest.mark.parametrize("game", [game for game in ALL if game.name in envs.games()], ids=lambda game: game.name)
def test_a_refusal_says_why(game):
    reasons = set()
    for number, ply in enumerate(random_deal(game, 1, plies=60)):
        for action in np.flatnonzero(ply.mask == 0)[number % 7 :: 7] if ply.action != OVER else ():
            for language in LANGUAGES:
                reasons.add(game.words.why(ply.states, int(action), language))
    assert len(reasons) > 8
    assert all(reasons)


def test_a_person_is_told_names_in_groups_when_there_are_many():
    told = []
    answers = iter(["fence O1"])
    human = Human("en", lambda _: next(answers), told.append)
    states = next(ply.states for ply in plies_of("simple", "simple", seed=3) if ply.states["stage"] == 1)
    view = make_view(RULES, states, int(states["seat"][0]), new_stream(1))
    with contextlib.suppress(Quit, StopIteration):
        human.act(view)
    offered = {RULES.words.action_name(int(action), "en") for action in np.flatnonzero(view.mask)}
    lines = told[1].split(":\n")[1].replace("\n      ", " ").splitlines()  # a line may go on in the next
    assert {f"{line.split()[0]} {tail}" for line in lines for tail in line.split()[1:]} == offered


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_a_move_is_typed_as_it_stands_in_the_list(game, language):
    for number, ply in enumerate(random_deal(game, 1, plies=40)):
        if ply.action == OVER:
            continue
        view = make_view(game, ply.states, int(ply.states["seat"][0]), new_stream(1))
        legal = np.flatnonzero(view.mask).tolist()
        if typed_entries(game.words):
            names = [" ".join(game.words.entry(action, language, view.state)).strip() for action in legal]
        else:
            names = [game.words.action_name(action, language) for action in legal]
        for action, name in list(zip(legal, names, strict=True))[number % 7 :: 40]:
            if names.count(name) == 1:
                asked = Mock(side_effect=[name])  # a second question would be an error
                assert Human(language, asked, lambda _: None).act(view) == action
