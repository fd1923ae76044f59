"""Search agents: names, secrets, and known answers."""

import dataclasses
import io
import re

import numpy as np
import pytest
import tictactoe
from kuhn import ALWAYS, BET, GAME as KUHN, HIGH, NONE, PASS
from kuhn_tree import J, K, Q

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.play import play_out
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.search import rollouts, tree
from sobremesa.agents.search.improve import Budget, Improve, Line, SearchResult, _Found, decide, prior_of
from sobremesa.agents.search.ismcts import ALL_BYTES, KEPT, Ismcts, TreeBudget
from sobremesa.envs.core.agent import KernelAgent, make_view, new_stream
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between, payoffs, random_deal
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.wording import shown_name
from sobremesa.envs.estafado.cards import CARDS
from sobremesa.report import thinking
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.runs.evaluation import load_agent

TORO, ESTAFADO = envs.load("ese_toro_enamorado"), envs.load("estafado")


def improve(game, base=RANDOM, **budget):
    return Improve("search", game, base, base, Budget(**budget))


def ismcts(game, base=RANDOM, **budget):
    return Ismcts("ismcts", game, base, TreeBudget(**budget))


def makers(game):
    return [improve(game, worlds=16), ismcts(game, simulations=60)]


def decisions(game, seeds=range(6)):
    """Give the state and seat of each decision of random deals."""
    for seed in seeds:
        for ply in random_deal(game, seed):
            if ply.action != OVER:
                yield ply.states, ply.seat


def kuhn_view(card, last, seed=0):
    """Return the view of the second seat, who holds `card`, after the first one's action `last`."""
    for states, seat in decisions(KUHN, range(200)):
        state = states[0]
        if seat == 1 and state.deck[1] == card and state.last == last:
            return make_view(KUHN, states, seat, new_stream(seed))
    raise AssertionError


# Names.


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("search(strong)", "search(strong)"),
        (" search( strong , worlds = 64 ) ", "search(strong, worlds=64)"),
        ("search(strong, worlds=32)", "search(strong)"),
        ("search(simple, gate=2.5, rollout=strong)", "search(simple, gate=2.5, rollout=strong)"),
        ("search(strong, gate=0, tau=0.05, belief=64)", "search(strong, gate=0, tau=0.05, belief=64)"),
        ("search(strong, tau=0.05, trust=0.5)", "search(strong, tau=0.05, trust=0.5)"),
        ("ismcts()", "ismcts()"),
        ("ismcts(simulations=50)", "ismcts(simulations=50)"),
        ("ismcts(strong, simulations=50, trust=0.25)", "ismcts(strong, simulations=50, trust=0.25)"),
        ("ismcts(trained, rollout=random)", "ismcts(trained, rollout=random)"),
        ("search(search(strong, worlds=8), actions=3)", "search(search(strong, worlds=8), actions=3)"),
    ],
)
def test_the_name_of_a_search_has_its_unusual_settings(spec, name):
    agent = agents.load(spec, TORO)
    assert agent.name == name
    assert agents.load(name, TORO).name == name
    assert identity(agent) == identity(agents.load(name, TORO))


def test_a_search_plays_as_many_tables_as_its_base_allows():
    base = agents.load("ismcts(simulations=20000)", TORO)
    assert agents.load(f"search({base.name})", TORO).tables == base.tables < agents.load("search(strong)", TORO).tables


def test_budgets_and_bases_tell_builds_apart():
    specs = ["search(strong)", "search(simple)", "search(strong, worlds=33)", "search(strong, rollout=simple)"]
    specs += ["ismcts(strong)", "ismcts(simple)", "ismcts(strong, explore=1)", "ismcts(strong, rollout=random)"]
    assert len({identity(agents.load(spec, TORO)).rpartition("#")[2] for spec in specs}) == len(specs)


@kernel
def even_chance(observation, mask):
    return 0.5


def test_the_value_estimate_is_part_of_the_identity():
    game = envs.load("bandido_alcatraz")
    strong = agents.load("strong", game)
    ends = [strong, KernelAgent("strong", strong.kernel, even_chance)]
    for plies, builds in ((4, 2), (0, 1)):
        found = {identity(Improve("search", game, strong, end, Budget(plies=plies))) for end in ends}
        assert len(found) == builds


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("search()", "an agent's name comes first"),
        ("search(nobody)", "no agent 'nobody'"),
        ("search(strong, worlds=0)", "worlds=0 is not allowed; it takes a whole number from 1 to 100000"),
        ("search(strong, worlds=-1)", "worlds=-1 is not allowed"),
        ("search(strong, worlds=1e99)", "worlds='1e99' is not allowed; it takes a whole number"),
        ("search(strong, worlds=9999999)", "worlds=9999999 is not allowed"),
        ("search(strong, worlds=4, worlds=5)", "'worlds=5' is not NAME=VALUE, each name once"),
        (
            "search(strong, depth=3)",
            "depth is not known; it takes worlds, actions, gate, tau, trust, belief, plies, seconds, rollout",
        ),
        ("search(strong, gate=nan)", "gate=nan is not allowed"),
        ("search(strong, tau=-1)", "tau=-1.0 is not allowed; it takes a payoff from 0"),
        ("search(strong, trust=1)", "trust=1.0 is not allowed; it takes a share between 0 and 1"),
        ("search(strong, trust=0.5)", "trust needs tau=PAYOFF"),
        ("search(trained, tau=0.1, trust=0.5)", "trust is not allowed; trained has a policy of its own"),
        ("search(strong, belief=-1)", "belief=-1 is not allowed; it takes a whole number from 0"),
        ("search(strong, plies=4)", "plies=4 is not allowed; strong of ese_toro_enamorado-v1 has no value estimate"),
        ("search(strong, belief=8, rollout=search(strong))", "search(strong) chooses for one table at a time"),
        ("search(strong, seconds=-1)", "seconds=-1.0 is not allowed"),
        ("search(command:cat)", "is an external agent"),
        ("ismcts(simulations=0)", "simulations=0 is not allowed"),
        ("ismcts(simulations=10000000)", "takes more than 1024 MB"),
        ("ismcts(trust=2)", "trust=2.0 is not allowed; it takes a number from 0 to 1"),
        ("ismcts(command:cat)", "is no kernel"),
        ("search(" * 1_000 + "strong" + ")" * 1_000, "at most 8 searches or sampled bots may be nested"),
        (f"search(strong, worlds={'9' * 5_000})", "it takes a whole number"),
        (f"search(strong, {'x' * 5_000}=1)", "is not known; it takes worlds"),
        (f"search(strong, \x1b[2J{'x' * 5_000})", "is not NAME=VALUE"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(spec, said):
    with pytest.raises(ValueError, match=r".") as refused:
        agents.load(spec, TORO)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 500
    assert str(refused.value).isprintable()


# What it may see, and what it leaves alone.


@pytest.mark.parametrize("number", [0, 1])
def test_a_choice_follows_from_what_the_seat_sees(number):
    for states, seat in decisions(KUHN):
        chosen = set()
        for seed in range(4):
            world = states.copy()
            table_kernels(KUHN).redeal(world, seat, seed)
            agent = makers(KUHN)[number]
            chosen.add(repr(agent.think(make_view(KUHN, world, seat, new_stream(7)))))
        assert len(chosen) == 1


def test_one_that_is_given_the_true_state_is_caught():
    """The worlds of a view whose `redeal` does nothing are the true one, and so choices change with it."""

    @kernel
    def peek(state, seat, seed):
        rollouts_start(state, seed)

    from sobremesa.envs.core.chance import start as rollouts_start

    open_game = dataclasses.replace(KUHN, redeal=peek)
    different = 0
    for states, seat in decisions(KUHN):
        seen = set()
        for seed in range(4):
            world = states.copy()
            table_kernels(KUHN).redeal(world, seat, seed)
            seen.add(repr(improve(open_game, worlds=16).think(make_view(open_game, world, seat, new_stream(7)))))
        different += len(seen) > 1
    assert different


@pytest.mark.parametrize("number", [0, 1])
def test_view_and_stream_are_left_alone(number):
    for states, seat in decisions(KUHN, range(2)):
        view = make_view(KUHN, states, seat, new_stream(1))
        arrays = (view.observation, view.mask, view.state, view.stream)
        before = [array.tobytes() for array in arrays]
        improve(KUHN, base=ALWAYS).act(view) if number == 0 else ismcts(KUHN, simulations=60).act(view)
        assert [array.tobytes() for array in arrays] == before


def test_without_belief_in_rollouts_it_plays_as_its_base_does():
    for states, seat in decisions(KUHN):
        alone, with_search = new_stream(3), new_stream(3)
        action = RANDOM.act(make_view(KUHN, states, seat, alone))
        found = improve(KUHN, gate=float("inf")).act(make_view(KUHN, states, seat, with_search))
        assert action == found
        assert alone.tobytes() == with_search.tobytes()
    hurried = improve(KUHN, seconds=1e-9)
    assert hurried.act(make_view(KUHN, states, seat, new_stream(3))) == action


@pytest.mark.parametrize("number", [0, 1])
def test_deals_repeat_on_a_seed_whatever_was_played_before(number):
    def played(agent, seed):
        return [ply.action for ply in deal_between(KUHN, [agent, agent], seed)]

    agent = makers(KUHN)[number]
    first = [played(agent, seed) for seed in range(8)]
    assert [played(agent, seed) for seed in reversed(range(8))] == first[::-1]
    assert [played(makers(KUHN)[number], seed) for seed in range(8)] == first


def test_results_do_not_depend_on_how_many_tables_play_at_once():
    agent = ismcts(KUHN, simulations=40)
    together = agents.play(KUHN, [agent, ALWAYS], 12).payoffs
    agent.tables = 2
    assert np.array_equal(agents.play(KUHN, [agent, ALWAYS], 12).payoffs, together)


class _Corner:
    """Takes the first free cell, or the last one."""

    def __init__(self, name):
        self.name = name

    def act(self, view):
        return int(np.flatnonzero(view.mask)[0 if self.name == "first" else -1])


def test_trees_of_two_seatings_of_a_deal_are_kept_apart():
    """In all seatings of a deal a seat's stream is the same, and who sits at two of them has the same stream twice."""
    agent = ismcts(tictactoe.GAME, simulations=15)
    seeds, seating = np.repeat(np.arange(4), 2), np.array([[1, 0], [2, 0]] * 4)

    def played(tables):
        agent.tables = 2 * tables
        return play_out(tictactoe.GAME, [agent, _Corner("first"), _Corner("last")], seeds, seating, {}).ends.tobytes()

    alone = played(1)
    assert played(8) == alone
    agent = ismcts(tictactoe.GAME, simulations=15)
    assert played(8) == alone


def test_trees_take_no_more_memory_than_is_said():
    assert ismcts(tictactoe.GAME, simulations=100).tables == KEPT
    large = ismcts(tictactoe.GAME, simulations=10, nodes=500_000)
    assert large.tables * tree.tree_bytes(tictactoe.GAME, large.budget.room) <= ALL_BYTES


def test_interrupted_it_leaves_nothing_behind(monkeypatch):
    view = kuhn_view(Q, BET)
    agent = ismcts(KUHN, simulations=100)
    expected = ismcts(KUHN, simulations=100).think(view)

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("sobremesa.agents.search.ismcts.seeds_of", stop)
        with pytest.raises(KeyboardInterrupt):
            agent.act(view)
    assert agent.think(view) == expected


# Known answers.


@pytest.mark.parametrize(("card", "last", "best"), [(K, BET, BET), (J, BET, PASS), (K, PASS, BET)])
def test_kuhn_plays_what_dominates(card, last, best):
    """Facing a bet the king calls and the jack does not; after a pass the king bets."""
    view = kuhn_view(card, last)
    assert improve(KUHN, worlds=64).act(view) == best
    assert ismcts(KUHN, simulations=300).act(view) == best


@pytest.mark.parametrize("other", [ALWAYS, HIGH])
def test_search_finds_the_best_response_in_kuhn_poker(other):
    """Who always bets is called with a queen; who bets with a king alone is not."""
    agent = Improve("search", KUHN, RANDOM, other, Budget(worlds=64, gate=1.0))
    passed = kuhn_view(Q, NONE if other is None else BET)
    lines = {line.action: line.payoff for line in agent.think(passed).lines}
    # `redeal` is a fair guess from what is public: the other's card is a jack or a king, either way.
    assert lines[BET] == pytest.approx(0.0, abs=0.4)
    assert lines[PASS] == -0.5


def test_what_was_dropped_early_is_not_told_first():
    found = _Found(np.array([7, 8, 9]), 8)
    found.add(0, 4, np.array([[0.0, 0.2, 0.1]] * 4))
    found.halve(2.0)
    found.add(4, 8, np.array([[0.0, -1.0]] * 4))
    thought = found.thought(2.0)
    assert thought.action == 7
    assert [(line.action, line.trials) for line in thought.lines] == [(7, 8), (8, 8), (9, 4)]


def worlds_played(gains, gate=2.0):
    """Return the ends of the rounds in which an action that gains `gains` over the base's is tried, and the choice."""
    ends = []

    def play(low, high, left):
        ends.append(high)
        return np.stack([np.zeros(high - low), gains[low:high]], 1)[:, left]

    thought = decide(np.array([3, 5]), prior_of(2, 0.9), Budget(worlds=len(gains), gate=gate), play)
    return ends, thought.action


def test_what_can_hardly_pass_the_gate_is_given_up():
    """Of 64 worlds the looks are after 16 and 32; gains are 1 or -1 by turns, and more or less."""
    wave = np.where(np.arange(64) % 2, 1.0, -1.0)
    assert worlds_played(wave - 0.5) == ([16], 3)
    assert worlds_played(wave) == ([16, 32], 3)  # half a gate at least is missing after half of the worlds
    assert worlds_played(wave, gate=0.5) == ([16, 32, 64], 3)
    assert worlds_played(wave + 0.5) == ([16, 32, 64], 5)
    assert worlds_played(np.where(np.arange(64) < 48, 0.0, 1.0)) == ([16, 32, 64], 5)  # no spread says nothing yet
    assert worlds_played(wave[:8] - 0.5) == ([8], 3)  # too few for a look


def test_the_same_worlds_serve_all_candidates():
    view = kuhn_view(Q, BET)
    worlds = rollouts.sample_worlds(view, 5, 0, 32)
    held = worlds["deck"][:, 0]
    assert set(held.tolist()) == {J, K}
    paid = rollouts.Rollouts(KUHN, RANDOM).payoffs(
        worlds, np.array([PASS, BET]), seeds_of(rollouts.CHANCE, 5, range(32))
    )
    assert np.array_equal(paid[:, 0], np.tile([0.5, -0.5], (32, 1)))
    assert np.array_equal(paid[:, 1, 1], np.where(held == J, 1.0, -1.0))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("base", [None, "first"])
def test_tic_tac_toe_is_never_lost(seat, base):
    @kernel
    def first_legal(observation, mask, stream):
        for action in range(mask.shape[0]):
            if mask[action]:
                return action
        return -1

    policy = RANDOM if base is None else KernelAgent("first", first_legal)
    searcher = ismcts(tictactoe.GAME, base=policy, simulations=3000)
    for seed in range(10):
        table = [RANDOM, RANDOM]
        table[seat] = searcher
        ended = list(deal_between(tictactoe.GAME, table, seed))[-1].states
        assert payoffs(tictactoe.GAME, ended)[seat] >= 0


def test_search_over_random_play_takes_a_win_and_stops_one():
    states = tictactoe.GAME.new_tables(1, {})
    states["marks"][0] = [1, 1, 0, 2, 2, 0, 0, 0, 0]  # three in a row at once, for whoever moves
    for seat, best in ((0, 2), (1, 5)):
        states["seat"] = seat
        view = make_view(tictactoe.GAME, states, seat, new_stream(0))
        assert improve(tictactoe.GAME, worlds=64).act(view) == best
        assert ismcts(tictactoe.GAME, simulations=200).act(view) == best


# What people see of it.

QUICK = "search(random, worlds=4)"


def test_watch_tells_at_each_decision_what_a_search_thinks(capsys):
    words = ["watch", TORO.name, "simple", "random", "--seed", "3", "--setup", "max_rounds=1", "--think", QUICK]
    assert cli.main(words) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if re.match(r"\d+\. ", line)]
    assert all(f"[{QUICK} thinks: " in line for line in told)
    assert cli.main([*words, "--viewer", "1", "--language", "es"]) == 0
    mine = [f"[{QUICK} piensa: " in line for line in capsys.readouterr().out.splitlines() if re.match(r"\d+\. ", line)]
    assert 0 < sum(mine) < len(mine)  # what the others might think is theirs


def test_a_person_is_given_hints_in_sentences(capsys, monkeypatch):
    for language, words in (("en", "you win|just as good"), ("es", "ganas|igual de buena")):
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        asked = ["play", TORO.name, "--seed", "3", "--seat", "0", "--against", "random", "--language", language]
        assert cli.main([*asked, "--hint", "ismcts(simulations=20)"]) == 0
        told = capsys.readouterr().out.partition("Hint:\n" if language == "en" else "Pista:\n")[2]
        assert re.search(words, told)
        assert not re.search(r"\[\d|%|visit|worlds|mundos", told)
    assert cli.main([*asked, "--hint", "strong"]) == 2
    assert "strong does not search; give search(AGENT) or ismcts(AGENT)" in capsys.readouterr().err


def test_a_thought_is_shown_as_a_win_rate_with_interval():
    line = Line(0, 0.5, 0.1, 0.0, 8)
    for changed, language, end in (
        ({}, "en", " 75% [65%, 85%] (8 worlds)"),
        ({"error": 0.0}, "en", " 75% (8 worlds)"),
        ({"error": float("nan")}, "es", " 75% (8 visitas)"),
    ):
        [figure] = thinking.ranked(TORO, SearchResult(0, 0, (line._replace(**changed),)), 2)
        assert thinking._figures(TORO, figure, language).endswith(end)


def thought_of(*lines, base=0):
    """Return a search's result from (payoff, error, gain, trials) of each action, the choice first."""
    return SearchResult(0, base, tuple(Line(action, *line) for action, line in enumerate(lines)))


def hinted(thought, seats=2, language="en"):
    return thinking.judged(TORO, thought, seats, language, TORO.words.action_name)


def verdicts(thought, seats=2):
    return [text.partition(" – ")[2].partition(":")[0] for _, text in hinted(thought, seats)]


def test_hints_of_few_trials_show_no_figures():
    thought = thought_of((0.0, 0.1, 0.0, 6), (0.9, 0.1, 0.9, 6))
    for language, words in (("en", "few games"), ("es", "pocas partidas")):
        (first, told), (second, other) = hinted(thought, language=language)
        assert (first, second) == (0, 1)  # the choice of the search, not the action with the lucky figure
        assert words in told
        assert not re.search(r"\b\d", (told + other).replace("M0", "").replace("M1", ""))


def test_the_choice_is_first_and_no_hint_worse_than_the_next():
    thought = thought_of((0.0, 0.01, 0.0, 200), (-0.4, 0.01, -0.4, 200), (0.9, 0.3, 0.01, 8), (-0.1, 0.01, -0.1, 200))
    assert [action for action, _ in hinted(thought)] == [0, 2, 3, 1]  # 2 gained little in its lucky worlds
    assert verdicts(thought) == ["a good choice", "just as good", "weaker", "weaker"]
    uncertain = thought_of((0.9, 0.001, 0.0, 200), (0.8, 0.001, -0.1, 200), (0.78, 0.3, -0.12, 20))
    assert verdicts(uncertain) == ["a good choice", "just as good", "just as good"]


def test_only_moves_that_differ_have_figures():
    for seed in range(200):
        has_figures_where_moves_differ(np.random.default_rng(seed))


def has_figures_where_moves_differ(lot):
    lines = [(*lot.uniform((-1, 0.001), (1, 0.4)), 0.0, int(lot.integers(12, 300))) for _ in range(lot.integers(1, 6))]
    thought = thought_of(*((payoff, error, payoff - lines[0][0], trials) for payoff, error, _, trials in lines))
    figures = {figure.action: figure for figure in thinking.ranked(TORO, thought, 2)}
    first, *others = hinted(thought)
    for number, (action, text) in enumerate(others):
        told = text.partition(" – ")[2]
        apart = figures[action].high < figures[first[0]].low
        assert not re.search("%|interval|rollout|world|deal", told)
        assert ("win" in told) == ("weaker" in told)
        assert apart or "weaker" not in told
        assert "weaker" in told or not any("weaker" in text for _, text in others[:number])


def test_equal_moves_are_not_told_apart():
    thinker = thinking.Thinker(TORO, "search(simple, worlds=48)")
    for seed in range(24):  # the first to choose a mountain finds all four alike, by symmetry
        states, seat = next(decisions(TORO, [seed]))
        hints = thinker.hints(make_view(TORO, states, seat, new_stream(seed)), ["en"])["en"]
        assert len(hints) == 4
        assert not [text for _, text in hints if "weaker" in text]


def test_a_clear_difference_is_told_in_tenths():
    thought = thought_of((0.5, 0.01, 0.0, 200), (-0.1, 0.01, -0.6, 90))
    english, spanish = hinted(thought), hinted(thought, language="es")
    assert [text.partition(" – ")[2] for _, text in english] == [
        "the best: you win about 8 games in 10 after it.",
        "weaker: you win about 3 games in 10 fewer after it.",
    ]
    assert spanish[1][1].endswith("más floja: tras ella ganas unas 3 de cada 10 partidas menos.")


@pytest.mark.parametrize(("payoff", "seats", "low"), [(-0.62, 2, True), (-0.4, 2, False), (-0.09, 4, False)])
def test_a_hint_says_when_no_move_promises_much(payoff, seats, low):
    thought = thought_of((payoff, 0.05, 0.0, 200), (payoff - 0.05, 0.05, -0.05, 200))
    for language, words in (("en", "hard position"), ("es", "posición difícil")):
        first, second = (text for _, text in hinted(thought, seats, language))
        assert (words in first) == low
        assert words not in second


def test_a_move_without_another_to_compare_it_with():
    assert verdicts(thought_of()._replace(action=3)) == ["the only one"]
    assert verdicts(thought_of((0.2, 0.1, 0.0, 50))) == ["the only one"]


def test_a_hint_names_the_card_that_it_plays():
    action = ESTAFADO.words.parse_action("hand 1", "en")
    ply = next(ply for seed in range(9) for ply in random_deal(ESTAFADO, seed) if ply.action == action)
    card = CARDS[ply.states[0].hand[0]]
    for language, name in (("en", f"hand 1 {card.name}"), ("es", f"mano 1 {card.spanish}")):
        assert shown_name(ESTAFADO.words, action, language, ply.states) == name


def test_the_choice_of_a_search_is_among_the_hints():
    lines = [(0.0, 0.5, 0.0, 20), *((0.1 + 0.01 * more, 0.5, 0.1 + 0.01 * more, 20) for more in range(6))]
    actions = [figure.action for figure in thinking.ranked(TORO, thought_of(*lines), 2)]
    assert actions == [6, 5, 4, 0]


def test_hints_of_a_real_search_are_verdicts_in_order():
    thinker, order, compared = thinking.Thinker(TORO, "search(simple, worlds=16)"), ["good", "just", "weaker"], 0
    for states, seat in decisions(TORO, range(1)):
        if states["ply"][0] % 4 == 0:
            view = make_view(TORO, states, seat, new_stream(0))
            told = [text.partition(" – ")[2] for _, text in thinker.hints(view, ["en"])["en"]]
            kinds = [next((number for number, word in enumerate(order) if word in text), 0) for text in told]
            assert kinds == sorted(kinds)
            assert not re.search("%|rollout", " ".join(told))
            compared += len(told) > 1
    assert compared > 20


@pytest.mark.parametrize(
    "spec", ["ismcts(simulations=9)", "search(ismcts(simulations=9), rollout=random)", "search(simple, belief=9)"]
)
def test_what_no_checkpoint_holds_is_no_opponent_in_training(spec):
    with pytest.raises(ConfigError, match="keeps search trees, which checkpoints do not hold"):
        load_agent(f"opponents.{spec}", spec, TORO)
    assert load_agent("evaluate_against", spec, TORO).name == spec
    assert load_agent("opponents.search(random)", "search(random)", TORO).name == "search(random)"
