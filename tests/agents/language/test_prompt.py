"""Prompts: complete, parsable, free of secrets; episodes in text are the episodes of the arena."""

import numpy as np
import pytest
from rooms import ALL, brief

from sobremesa import agents, envs
from sobremesa.agents.language.parser import ILLEGAL, Understood, parse_answer, refusal
from sobremesa.agents.language.prompt import Style, rules_prompt, turn_prompt
from sobremesa.agents.trainers.episode import Episode
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.deal import deal_between, outcome, random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets
from sobremesa.envs.core.wording import SpellingWords

GAMES = envs.all_games()
STYLES = [
    Style(language, listed, history) for language in LANGUAGES for listed in (True, False) for history in (True, False)
]


class Listener:
    """An agent that plays the first legal action and keeps its views' histories."""

    name = "listener"

    def __init__(self, language="en"):
        self.history_language = language
        self.kept = []

    def act(self, view):
        self.kept.append(view.history)
        return int(np.flatnonzero(view.mask)[0])


class Scribe:
    """An agent that plays `base` through prompts and answers only."""

    name = "scribe"

    def __init__(self, base, style):
        self.base, self.style = base, style
        self.history_language = style.language

    def act(self, view):
        prompt = turn_prompt(view, self.style)
        name = view.game.words.action_name(self.base.act(view), self.style.language)
        read = parse_answer(f"ACTION: {name}", view.game, view.mask, self.style.language)
        assert read.action is not None
        assert not self.style.actions or name in prompt.splitlines()
        return read.action


def said_to(style):
    """Return a view of a seat: all texts that a language model at the seat is given."""

    def texts(game, states, seat):
        observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
        kernels = table_kernels(game)
        kernels.observe(states, seat, observation)
        if int(states["seat"][0]) == seat:
            kernels.legal(states, mask)
        view = View(game, seat, observation, mask, states, new_stream(0))
        illegal = np.flatnonzero(mask == 0)[:: 1 + game.num_actions // 20] if mask.any() else []
        names = [game.words.action_name(int(one), style.language) for one in illegal]
        read = [Understood(None, ILLEGAL, name, int(one)) for name, one in zip(names, illegal, strict=True)]
        refused = [refusal(one, view, style, 1) for one in read]
        asked = mask.any() and isinstance(game.words, SpellingWords)
        now = repr(dict(game.words.names_now(states, style.language))) if asked else ""
        return "\n".join([rules_prompt(view, style), turn_prompt(view, style), now, *refused])

    return texts


@pytest.mark.parametrize("game", [brief(game) for game in ALL], ids=lambda game: game.name)
def test_no_text_for_a_model_depends_on_hidden_information(game):
    shown = {style.language: said_to(style) for style in (Style("en"), Style("es", actions=False))}
    tally = check_secrets(game, deals=1, every=23, shown=shown)
    assert tally["views"] == 2 * tally["worlds"] > 0


def test_a_prompt_with_a_secret_is_caught():
    shown = {"state": lambda game, states, seat: said_to(Style())(game, states, seat) + str(states["hand"])}
    with pytest.raises(SecretLeaked, match="state"):
        check_secrets(brief(envs.load("corre_el_encierro")), deals=1, every=23, shown=shown)


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("name", GAMES)
def test_the_listed_actions_of_a_prompt_are_the_legal_ones(name, style):
    game = envs.load(name)
    for ply in random_deal(game, 5, plies=60):
        if ply.seat == OVER:
            break
        view = make_view(game, ply.states, ply.seat, new_stream(1))
        prompt = turn_prompt(view, style)
        names = [game.words.action_name(int(one), style.language) for one in np.flatnonzero(ply.mask)]
        assert all(line.isprintable() for line in prompt.split("\n"))
        assert ("\n".join(names) in prompt) == style.actions
        read = [parse_answer(one, game, ply.mask, style.language).action for one in names]
        assert read == np.flatnonzero(ply.mask).tolist()


@pytest.mark.parametrize("name", GAMES)
def test_strong_through_text_is_strong(name):
    game, seats = envs.load(name), envs.load(name).default_seats
    strong = agents.load(agents.scripted_names(game)[-1], game)
    alone = agents.play(game, [strong], 6, seed=3, seated=[0] * seats)
    for style in (Style("en", history=True), Style("es", actions=False)):
        spoken = agents.play(game, [Scribe(strong, style)], 6, seed=3, seated=[0] * seats)
        assert (spoken.payoffs == alone.payoffs).all()
        assert (spoken.plies == alone.plies).all()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_history_is_what_the_game_says_to_the_seat(name, language):
    game = envs.load(name)
    seats = game.default_seats
    listeners = [Listener(language) for _ in range(seats)]
    expected, groups = [[] for _ in range(seats)], [[[]] for _ in range(seats)]
    for ply in deal_between(game, listeners, 11):
        if ply.seat == OVER:
            break
        expected[ply.seat].append(tuple(map(tuple, groups[ply.seat])))
        after = outcome(game, ply)
        for seat in range(seats):
            if seat == ply.seat:
                groups[seat].append([])
            groups[seat][-1] += game.words.tell(ply.states, ply.action, after, seat, language)
    assert [listener.kept for listener in listeners] == expected
    matched = [Listener(language) for _ in range(seats)]
    match = Match(game, matched, game.new_tables(1, {"seats": seats}))
    match.seating[0, :seats] = range(seats)
    match.deal(np.zeros(1, np.int64), np.array([11]))
    match.advance()
    assert [listener.kept for listener in matched] == expected


@pytest.mark.parametrize("name", GAMES)
def test_an_episode_is_a_deal_of_the_arena(name):
    game = envs.load(name)
    strong = agents.load(agents.scripted_names(game)[-1], game)
    for seat in range(game.default_seats):
        episode = Episode(game, strong, seat=seat, seed=21)
        while not episode.over:
            view = episode.view
            episode.answer(f"ACTION: {game.words.action_name(strong.act(view), 'en')}")
            episode._stream[:] = view.stream
        plies = list(deal_between(game, [strong] * game.default_seats, 21))
        assert episode.actions == [ply.action for ply in plies[:-1]]
        assert [one["role"] for one in episode.messages[:2]] == ["system", "user"]
        assert len(episode.messages) == 2 + 2 * len(episode.decisions)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_rules_name_the_seat_as_the_position_does(seat):
    game = envs.load("corre_el_encierro")
    episode = Episode(game, "simple", seat=seat, seed=1, seats=3)
    sign = "⓪①②"[seat]
    assert f"as {sign}, with 3 players" in episode.messages[0]["content"]
    assert f"{sign} (you)" in episode.prompt


def test_refusals_and_a_forfeit():
    game = envs.load("corre_el_encierro")
    episode = Episode(game, "simple", seed=4, seats=3, attempts=3)
    assert episode.answer("I wonder.").kind == "no action"
    assert "2 more" in episode.prompt
    assert episode.answer("ACTION: \x1b[31mstop").kind == "no action"
    assert "\x1b" not in episode.prompt
    assert "last attempt" in episode.prompt
    assert not episode.over
    assert episode.answer("ACTION: done\nACTION: draw").kind == "several actions"
    assert (episode.over, episode.forfeited, episode.payoff) == (True, "several actions", -0.5)
    with pytest.raises(ValueError, match="over"):
        episode.answer("ACTION: draw")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seat": 3}, "seat=3"),
        ({"attempts": 0}, "attempts=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seats": 9}, "seats=9"),
        ({"opponents": ["simple"] * 3}, "3 opponents"),
        ({"opponents": []}, "0 opponents"),
        ({"opponents": "nobody"}, "no agent 'nobody'"),
    ],
)
def test_bad_arguments_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Episode(envs.load("corre_el_encierro"), **{"seats": 3, **given})
    with pytest.raises(ValueError, match="language='fr'"):
        Style("fr")
