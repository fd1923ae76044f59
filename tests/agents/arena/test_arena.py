"""The arena: the same deals in all cyclic seatings, and scores that are functions of its rows."""

import json

import numpy as np
import pytest
from lowest import LOWEST
from matches import DRAW, LOSE, WIN, assert_same_rows, match
from plays import GAMES, allowed, short_deal

from sobremesa import agents, envs
from sobremesa.agents import KernelAgent
from sobremesa.agents.arena import apart, play as arena, score as scoring
from sobremesa.agents.arena.pairings import compare
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.results import NOBODY, Results
from sobremesa.agents.arena.score import bootstrap, for_json, interval, nature, read_score, win_rate
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.agent import agent_seed, new_stream
from sobremesa.envs.core.seeds import DEAL, seed_of


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


@pytest.fixture
def game(name):
    return envs.load(name)


class ByView:
    """A kernel as an agent from elsewhere, which is asked one view at a time."""

    def __init__(self, inside):
        self.name, self.inside = inside.name, inside

    def act(self, view):
        return self.inside.act(view)


def short(name):
    """Return the setup of short deals, but for the seats."""
    setup, _ = short_deal(name)
    return {option: value for option, value in setup.items() if option != "seats"}


def test_every_deal_is_played_in_all_cyclic_seatings(name, game):
    for seats in game.seat_range:
        several = [KernelAgent(f"agent {number}", RANDOM.kernel) for number in range(seats)]
        rows = play(game, several, 3, seed=5, **short(name))
        assert rows.agents == tuple(agent.name for agent in several)
        assert rows.payoffs.shape == rows.seating.shape == (3 * seats, seats)
        assert rows.seeds.tolist() == [seed_of(DEAL, 5, deal) for deal in range(3) for _ in range(seats)]
        for deal in range(3):
            seatings = rows.seating[deal * seats : (deal + 1) * seats].tolist()
            assert sorted(seatings) == sorted(np.roll(range(seats), turn).tolist() for turn in range(seats))
        assert (rows.plies > 0).all()
        assert not nature(game).rated or np.allclose(rows.payoffs.sum(axis=1), 0, atol=1e-6)


def test_a_row_is_the_deal_that_its_seed_and_seating_say(name, game):
    seated = (RANDOM, LOWEST)
    rows = play(game, seated, 20, seed=1, **short(name))
    for seed, seating, payoffs, plies in zip(rows.seeds, rows.seating, rows.payoffs, rows.plies, strict=True):
        env = envs.make(name, seats=2, **short(name))
        env.reset(seed=seed)
        streams = [new_stream(agent_seed(seed, seat)) for seat in range(2)]
        while not any(env.terminations.values()):
            seat = env.possible_agents.index(env.agent_selection)
            seen = env.observe(env.agent_selection)
            choose = seated[seating[seat]].kernel
            action = int(choose(seen["observation"], seen["action_mask"], streams[seat][0]))
            assert action in allowed(env)
            env.step(action)
        assert list(env.rewards.values()) == payoffs.tolist()
        assert env._states["ply"][0] == plies


@pytest.mark.parametrize("tables", [1, 3, 7, 16])
def test_how_many_tables_play_at_once_changes_no_row(name, game, monkeypatch, tables):
    seated = [RANDOM, LOWEST, RANDOM][: game.seat_range[-1]]
    rows = play(game, seated, 4, seed=2, **short(name))
    monkeypatch.setattr(arena, "TABLES", tables)
    assert_same_rows(play(game, seated, 4, seed=2, **short(name)), rows)


def test_rows_follow_from_the_seed(name, game):
    rows = play(game, [RANDOM, RANDOM], 40, seed=2, **short(name))
    assert_same_rows(play(game, [RANDOM, RANDOM], 40, seed=2, **short(name)), rows)
    others = play(game, [RANDOM, RANDOM], 40, seed=3, **short(name))
    assert not set(others.seeds) & set(rows.seeds)
    assert (others.plies != rows.plies).any()


def test_more_deals_begin_with_the_same_ones(name, game):
    few, many = (play(game, [RANDOM, LOWEST], deals, seed=2, **short(name)) for deals in (2, 5))
    assert_same_rows(few, Results(many.agents, *[values[:4] for values in many[1:]]))


@pytest.mark.thorough  # each pair of agents is compiled; what follows is one of them
def test_agents_asked_by_view_play_the_same_rows_as_inside(name, game):
    by_view_and_inside(name, game, (LOWEST, *(agents.load(bot, game) for bot in agents.names(game))))


def test_an_agent_asked_by_view_plays_the_same_rows_as_inside(name, game):
    by_view_and_inside(name, game, (LOWEST,))


def by_view_and_inside(name, game, asked):
    for agent in asked:
        rows = play(game, [agent, RANDOM], 10, seed=4, **short(name))
        for seated in ([ByView(agent), RANDOM], [agent, ByView(RANDOM)], [ByView(agent), ByView(RANDOM)]):
            assert_same_rows(play(game, seated, 10, seed=4, **short(name)), rows)


def test_seated_says_who_sits_where_at_first(name, game):
    seats = game.seat_range[-1]
    seated = [1, 0, 1, 0, 1][:seats]
    rows = play(game, [RANDOM, LOWEST], 2, seated=seated, **short(name))
    assert rows.seating[:seats].tolist() == [np.roll(seated, turn).tolist() for turn in range(seats)]


def test_progress_is_told_up_to_the_end(name, game, monkeypatch):
    monkeypatch.setattr(arena, "TABLES", 4)
    told = []
    play(game, [RANDOM, RANDOM], 5, progress=lambda done, total: told.append((done, total)), **short(name))
    assert told == [(4, 10), (8, 10), (10, 10)]


def test_what_cannot_be_played_is_refused(game):
    with pytest.raises(ValueError, match="3 agents are seated at a table of 2"):
        play(game, [RANDOM] * 3, 1, seats=2)
    for seats in (game.seat_range[0] - 1, game.seat_range[-1] + 1):
        with pytest.raises(ValueError, match=f"seats={seats} is not allowed"):
            play(game, [RANDOM] * seats, 1)
    with pytest.raises(ValueError, match="deals=0 is not allowed; it takes a whole number from 1"):
        play(game, [RANDOM] * 2, 0)
    with pytest.raises(ValueError, match="seed=-1 is not allowed"):
        play(game, [RANDOM] * 2, 1, seed=-1)
    with pytest.raises(TypeError, match="no option 'nonsense'"):
        play(game, [RANDOM] * 2, 1, nonsense=1)
    for seated in ([0, 2], [0, -1], [0, 0.5]):
        with pytest.raises(ValueError, match="it takes indices into agents, 0 to 1"):
            play(game, [RANDOM] * 2, 1, seated=seated)
    for deals in (1.5, "2", None):
        with pytest.raises(ValueError, match="it takes a whole number from 1"):
            play(game, [RANDOM] * 2, deals)
    for nobody in ("random", None):
        with pytest.raises(ValueError, match="it takes agents, as"):
            compare(game, RANDOM, nobody, 1)
    for seats in ("two", 2.5, None, 0):
        with pytest.raises(ValueError, match=r"is not allowed; it takes (2$|a whole number from)"):
            compare(game, RANDOM, RANDOM, 1, seats=seats)


# Scores, on rows made by hand.


def rows_of(payoffs, seating, plies=10):
    payoffs, seating = np.array(payoffs, np.float32), np.array(seating)
    deals = np.repeat(np.arange(len(payoffs) // payoffs.shape[1]), payoffs.shape[1])
    return Results(("me", "them"), deals, seating, payoffs, np.full(len(payoffs), plies, np.int32))


THIRD = 1 / 3
SHARED_BY_2_OF_3, SHARED_BY_2_OF_4, SHARED_BY_3_OF_4 = 1 / 4, 1 / 3, 1 / 9  # (n - k) / (k (n - 1))


@pytest.mark.parametrize(
    ("payoffs", "shares"),
    [
        ([[1, -1], [-1, 1]], [1, 1]),
        ([[-1, 1], [1, -1]], [0, 0]),
        ([[0, 0], [1, -1]], [1 / 2, 0]),
        ([[1, -1 / 2, -1 / 2], [SHARED_BY_2_OF_3, SHARED_BY_2_OF_3, -1 / 2], [-1 / 2, 1, -1 / 2]], [1, 1 / 2, 0]),
        ([[0, 0, 0], [0, 0, 0], [-1 / 2, -1 / 2, 1]], [THIRD, THIRD, 1]),
        (
            [
                [1, -THIRD, -THIRD, -THIRD],
                [SHARED_BY_2_OF_4, SHARED_BY_2_OF_4, -THIRD, -THIRD],
                [-THIRD, SHARED_BY_3_OF_4, SHARED_BY_3_OF_4, SHARED_BY_3_OF_4],
                [-THIRD, 1, -THIRD, -THIRD],
            ],
            [1, 1 / 2, THIRD, 0],
        ),
    ],
)
def test_win_rates_count_wins_shares_and_losses(payoffs, shares):
    seats = len(payoffs[0])
    seating = [[0 if seat == turn else 1 for seat in range(seats)] for turn in range(seats)]
    result = win_rate(rows_of(payoffs, seating))
    assert result.by_seat == pytest.approx(shares, abs=1e-6)
    assert result.value == pytest.approx(np.mean(shares), abs=1e-6)
    assert (result.candidate, result.reference, result.seats, result.deals) == ("me", "them", seats, 1)
    assert (result.baseline, result.plies) == (1 / seats, 10)
    assert np.isnan([result.low, result.high, result.lead_low, result.lead_high]).all()  # of one deal there is none
    assert not result.beats


def test_a_score_is_the_mean_over_deals_and_of_either_side():
    rows = rows_of([[1, -1], [-1, 1], [-1, 1], [0, 0], [1, -1], [1, -1]], [[0, 1], [1, 0]] * 3)
    mine, theirs = win_rate(rows), win_rate(rows, candidate=1)
    assert mine.value == pytest.approx((1 + 1 / 4 + 1 / 2) / 3)
    assert theirs.value == pytest.approx(1 - mine.value)
    assert (theirs.candidate, theirs.reference) == ("them", "me")
    assert mine.by_seat == pytest.approx((2 / 3, 1 / 2))


def test_beating_needs_the_whole_interval_above_the_fair_share():
    win, lose = [[1, -1], [-1, 1]], [[-1, 1], [1, -1]]
    seating = [[0, 1], [1, 0]]
    assert win_rate(rows_of(win * 30 + lose * 5, seating * 35)).beats
    assert not win_rate(rows_of(win * 18 + lose * 17, seating * 35)).beats
    assert not win_rate(rows_of(win * 5 + lose * 30, seating * 35)).beats


def test_duplicates_save_variance_where_the_deal_decides():
    seating = [[0, 1], [1, 0]] * 20
    first_seat_wins = win_rate(rows_of([[1, -1]] * 40, seating))
    assert first_seat_wins.variance_ratio == 0
    rng = np.random.default_rng(0)
    by_deal = np.repeat(rng.choice([1, -1], 20), 2)
    better = by_deal * np.tile([1, -1], 20)  # whoever holds place 0 wins or loses both seatings
    assert win_rate(rows_of(np.stack([better, -better], axis=1), seating)).variance_ratio == pytest.approx(2)


def test_bootstrap_intervals_contain_the_mean_and_narrow():
    values = np.random.default_rng(1).random(400)
    low, high = bootstrap(values, seed=3)
    assert low < values.mean() < high
    assert bootstrap(values, seed=3) == (low, high) != bootstrap(values, seed=4)
    expected = 1.96 * values.std() / np.sqrt(len(values))
    assert high - low == pytest.approx(2 * expected, rel=0.1)
    few = bootstrap(values[:40], seed=3)
    assert few[1] - few[0] > 2 * (high - low)
    assert bootstrap(np.full(9, 0.5)) == (0.5, 0.5)


def test_bootstrap_intervals_have_their_coverage(monkeypatch):
    monkeypatch.setattr(scoring, "RESAMPLES", 300)
    rng = np.random.default_rng(2)
    intervals = [bootstrap(rng.random(60) < 0.3, seed=trial) for trial in range(200)]
    assert 0.88 < np.mean([low <= 0.3 <= high for low, high in intervals]) < 0.99


ALIKE = [  # outcomes of a deal, their chances, and their limits: near equals, seats of five, rare and skewed ones
    ((0, 0.5, 1), (0.3, 0.4, 0.3), (0, 1)),
    ((0, 0.5, 1), (0.02, 0.96, 0.02), (0, 1)),
    ((0, 1), (0.98, 0.02), (0, 1)),
    ((-1, 0, 1), (0.01, 0.5, 0.49), (-1, 1)),
]


@pytest.mark.parametrize(("outcomes", "chances", "limits"), ALIKE)
@pytest.mark.parametrize("deals", [2, 5, 20, 60])
def test_intervals_of_few_deals_cover_the_true_mean(outcomes, chances, limits, deals, monkeypatch):
    monkeypatch.setattr(scoring, "RESAMPLES", 400)
    rng, true = np.random.default_rng(deals), np.dot(outcomes, chances)
    found = [interval(rng.choice(outcomes, deals, p=chances), limits, seed) for seed in range(200)]
    assert np.mean([low <= true + 1e-9 and true <= high + 1e-9 for low, high in found]) >= 0.91
    assert all(low < high for low, high in found)


def test_one_deal_has_no_interval_equal_outcomes_a_wide_one():
    assert np.isnan(interval(np.array([1.0]))).all()
    low, high = interval(np.ones(30))
    assert low == pytest.approx(0.025 ** (1 / 30), abs=0.01)  # Clopper and Pearson: 30 of 30
    assert high == 1
    low, high = interval(np.zeros(1000), (-1, 1))
    assert (low, high) == pytest.approx((-0.0037, 0.0037), abs=0.0004)
    varied = np.random.default_rng(0).random(50)
    assert interval(varied, seed=3) == bootstrap(varied, seed=3)  # of many deals it is as before


def test_near_equals_are_rarely_called_ahead_after_few_deals():
    rng, seating = np.random.default_rng(0), [[0, 1], [1, 0]]
    for deals in (1, 2, 5):
        won = rng.choice([1, -1], (120, 2 * deals))
        scores = [win_rate(rows_of(np.stack([one, -one], 1), seating * deals)) for one in won]
        assert sum(one.beats for one in scores) <= (0 if deals < 3 else 8)
        assert all(np.isnan(one.low) if deals == 1 else one.low < one.high for one in scores)


def test_a_score_without_an_interval_is_stored_as_null():
    one = win_rate(rows_of([[1, -1], [-1, 1]], [[0, 1], [1, 0]]))
    stored = json.loads(json.dumps(for_json(one._asdict()), allow_nan=False))
    assert stored["low"] is stored["lead_high"] is None
    assert np.isnan(read_score(stored).low)


def test_compare_is_play_and_score(name, game):
    seats, deals = game.seat_range[-1], 6
    found = compare(game, LOWEST, RANDOM, deals, seed=3, seats=seats, **short(name))
    if not nature(game).rated:
        mine, theirs = (
            play(game, [agent], deals, seed=3, seated=[0] * seats, **short(name)) for agent in (LOWEST, RANDOM)
        )
        assert found.lead == pytest.approx(float(np.mean(mine.payoffs - theirs.payoffs)))
        return
    results = play(game, [LOWEST, RANDOM], deals, seed=3, seated=[0] + [1] * (seats - 1), **short(name))
    assert found == win_rate(results)


def test_an_agent_against_itself_gets_what_equals_get(name, game):
    deals = 3
    for seats in game.seat_range:
        result = compare(game, RANDOM, RANDOM, deals, seats=seats, **short(name))
        if not nature(game).rated:
            assert result.lead == 0
            continue
        assert len(result.by_seat) == seats
        rows = play(game, [RANDOM] * seats, deals, **short(name))
        assert np.mean([win_rate(rows, index).value for index in range(seats)]) == pytest.approx(1 / seats)


def test_a_stored_score_is_read_as_it_was():
    found = win_rate(play(envs.load("kuhn_poker"), [LOWEST, RANDOM], 4, seed=3))
    assert read_score(json.loads(json.dumps(found._asdict()))) == found


# Agents by name.


def test_agents_are_loaded_by_name(name, game):
    assert agents.names(game)[0] == "random"
    for spec in agents.names(game):
        assert agents.load(spec, game).name == agents.load(spec, name).name == spec
        assert isinstance(agents.load(spec, game), agents.Agent)
    assert agents.load("random") is RANDOM
    stranger = ByView(RANDOM)
    assert agents.load(stranger) is stranger
    for nobody in (None, 5, b"random", ["random"]):
        with pytest.raises(
            ValueError, match="is not an agent; give one with `name` and `act`, or its name or folder as"
        ):
            agents.load(nobody, game)


def test_an_unknown_agent_raises_with_the_known_names(name, game):
    with pytest.raises(ValueError, match="no agent 'nobody'; there are random") as caught:
        agents.load("nobody", game)
    with pytest.raises(ValueError, match="no agent 'bots/nobody', nor such a folder; there are random"):
        agents.load("bots/nobody", game)
    for spec in ("", "x" * 5000):
        with pytest.raises(ValueError, match=r"no agent .*; there are random"):
            agents.load(spec, game)
    assert all(spec in str(caught.value) for spec in agents.names(game))
    with pytest.raises(ValueError, match=f"no game 'nothing'; there are .*{name}"):
        agents.load("random", "nothing")


def test_a_folder_that_is_no_bot_is_an_error_that_names_it(game, tmp_path):
    with pytest.raises(ValueError, match=str(tmp_path)):
        agents.load(tmp_path, game)


def test_an_agent_does_not_beat_itself():
    game = envs.load("corre_el_encierro")
    for seats in game.seat_range:
        found = compare(game, LOWEST, LOWEST, 5, seats=seats)
        assert found.value == pytest.approx(found.baseline)
        assert not found.beats


def test_no_process_is_given_a_deal_twice_or_more_than_so_many(monkeypatch):
    monkeypatch.setattr(apart, "DEALS", 2)
    blocks = list(apart._in_blocks(np.array([7, 7, 8, 8, 9, 9])))
    assert blocks == [(0, False), (2, True), (1, False), (3, True), (4, True), (5, True)]


def test_a_candidate_answers_for_its_own_forfeits():
    rows = match(("one", "one"), [LOSE, LOSE, WIN, DRAW], [[0, 1], [1, 0]] * 2, [1, 1, 2, 2])
    rows = rows._replace(forfeits=np.array([0, 0, 1, NOBODY]), reasons=("error: a", "error: b", "time: c", ""))
    assert [win_rate(rows, candidate).forfeits for candidate in (0, 1)] == [1, 2]
    assert [why for _, why in rows.lost()] == ["error: a", "error: b", "time: c"]
    teams = [match((name,), [[1, 1], [0, 0]], [[0, 0]] * 2, [1, 2]) for name in ("one", "two")]
    teams[0] = teams[0]._replace(forfeits=np.array([NOBODY, 1]))
    game, pairs = envs.load("bandido_alcatraz"), (("one", "two"), ("two", "one"))
    assert [scoring.score(game, teams, *pair)[0].forfeits for pair in pairs] == [1, 0]
