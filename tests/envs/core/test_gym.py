"""One seat as a Gymnasium environment: a step runs from decision to decision, and rewards are payoffs."""

import copy
import warnings
from collections import deque

import gymnasium
import numpy as np
import pytest
from bad_masks import BAD_MASKS
from gymnasium.utils.env_checker import check_env
from plays import GAMES, one_game, short_deal

from sobremesa import agents, envs
from sobremesa.agents import make_seat_env, make_seat_vec
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.agent import agent_seed, new_stream
from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.table import table_kernels


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


@kernel
def noisy_low(observation, mask, stream):
    """Return one of the first three legal actions, by the stream."""
    stream.stream[0] += np.uint32(1)
    left = np.uint64(stream.stream[0]) % np.uint64(3)
    last = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            last = action
            if left == 0:
                return action
            left -= np.uint64(1)
    return last


INSIDE = envs.KernelAgent("inside", noisy_low)


class ByView:
    """The same kernel as an agent from elsewhere, which is asked one view at a time."""

    name = "by view"

    def __init__(self, inside=INSIDE):
        self.inside = inside

    def act(self, view):
        return self.inside.act(view)


class ByBatch(ByView):
    """The same kernel as an agent that is asked for all its tables at once."""

    name = "by batch"

    def act_batch(self, observations, masks, streams):
        assert len(observations) == len(masks) == len(streams)
        return np.array([noisy_low(*row) for row in zip(observations, masks, streams, strict=True)])


def random_legal(rng, masks):
    """Return one random legal action for each row of `masks`."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def lowest_legal(infos):
    """Return the first legal action at each table."""
    return infos["action_mask"].argmax(1)


def short_mix(name, count):
    """Return setup fields for `count` tables of all sizes, with short deals."""
    game = envs.load(name)
    seats = [game.seat_range[table % len(game.seat_range)] for table in range(count)]
    return short_deal(name)[0] | {"seats": seats}


# Gymnasium's own checks.


TOGETHER = ("observation", "action_mask")


@pytest.mark.parametrize(
    "fields",
    [{}, {"illegal": "resample"}, {"dict_keys": TOGETHER}, {"encoder": "text"}, {"encoder": "blocks"}],
    ids=str,
)
def test_gymnasiums_checker_finds_nothing(name, fields):
    env = gymnasium.make(f"sobremesa/{envs.load(name).id}", opponents="random", **fields)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@one_game
def test_gymnasiums_checker_finds_nothing_in_pictures(name, monkeypatch):
    for package in ("resvg_py", "PIL", "pygame"):
        pytest.importorskip(package)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make(f"sobremesa/{envs.load(name).id}", opponents="random", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("fields", [{}, {"illegal": "resample"}, {"dict_keys": TOGETHER}], ids=str)
def test_the_checker_of_stable_baselines_finds_nothing(name, fields):
    from stable_baselines3.common.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make_seat_env(name, "random", **fields)
        check_env(env)
    env.reset(seed=1)
    assert env.action_masks().any()


def test_gymnasium_makes_every_game_by_its_id(name):
    game = envs.load(name)
    env = gymnasium.make(f"sobremesa/{game.id}", opponents=["random", INSIDE], seats=game.seat_range[-1], seat=1)
    observation, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(100):
        assert env.observation_space.contains(observation)
        action = env.action_space.sample(info["action_mask"])
        assert env.unwrapped.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        observation, reward, over, truncated, info = env.step(int(action))
        assert truncated is False
        assert reward == 0 or over
        if over:
            assert not info["action_mask"].any()
            observation, info = env.reset(seed=int(rng.integers(99)))


def test_gymnasium_makes_a_vector_of_every_game(name):
    env = gymnasium.make_vec(f"sobremesa/{envs.load(name).id}", 3, opponents="random")
    observations, infos = env.reset(seed=1)
    assert observations.shape == env.observation_space.shape
    for _ in range(5):
        actions = random_legal(np.random.default_rng(0), infos["action_mask"])
        assert env.action_space.contains(actions)
        observations, *_, infos = env.step(actions)
        assert env.observation_space.contains(observations)


# Transitions and rewards, against a deal replayed turn by turn.


class Story:
    """What the learner saw and did in one deal at one table, and all that it takes to replay it."""

    def __init__(self, env, table):
        match = env.match
        self.setup, self.seed = env.game.setup(match.setups[table : table + 1]), int(match.seeds[table])
        self.seated = [match.agents[place] for place in match.seating[table, : self.setup["seats"]]]
        self.seat = int(env.learner_seats[table])
        self.seen, self.masks, self.actions, self.rewards = [], [], [], []

    def replay(self, name):
        """Check every transition against an AEC environment; return the learner's payoff."""
        env = envs.make(name, **self.setup)
        env.reset(seed=self.seed)
        streams = [new_stream(agent_seed(self.seed, seat)) for seat in range(len(self.seated))]
        mine = iter(zip(self.seen, self.masks, self.actions, strict=False))
        me = env.possible_agents[self.seat]
        while not any(env.terminations.values()):
            seat = env.possible_agents.index(env.agent_selection)
            seen = env.observe(env.agent_selection)
            if seat == self.seat:
                observation, mask, action = next(mine)
                assert observation.tobytes() == seen["observation"].tobytes()
                assert mask.tobytes() == seen["action_mask"].tobytes()
            else:
                action = int(self.seated[seat].kernel(seen["observation"], seen["action_mask"], streams[seat][0]))
            env.step(action)
        assert next(mine, None) is None
        assert self.seen[-1].tobytes() == env.observe(me)["observation"].tobytes()
        assert self.rewards == [0.0] * (len(self.actions) - 1) + [env.rewards[me]]
        return env.rewards[me]


def finished_deals(env, steps, rng):
    """Play random legal actions; yield the story of each deal that ends, and the reward that ended it."""
    observations, infos = env.reset()
    stories = [Story(env, table) for table in range(env.num_envs)]
    for _ in range(steps):
        masks = infos["action_mask"].copy()
        actions = random_legal(rng, masks)
        for table, story in enumerate(stories):
            story.seen.append(observations[table].copy())
            story.masks.append(masks[table])
            story.actions.append(int(actions[table]))
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        for table, story in enumerate(stories):
            story.rewards.append(float(rewards[table]))
            if terminated[table]:
                story.seen.append(infos["final_obs"][table])
                yield story, float(rewards[table])
                stories[table] = Story(env, table)
        if terminated.any():
            assert infos["_final_obs"].tolist() == terminated.tolist()
            assert [last is not None for last in infos["final_obs"]] == terminated.tolist()
        else:
            assert "final_obs" not in infos


def test_transitions_run_between_decisions_with_own_payoffs(name):
    setup = short_mix(name, 24)
    if name == "ese_toro_enamorado":  # in a night of one vuelta nobody meets the moon
        setup["max_vueltas"] = 24
    env = make_seat_vec(name, 24, ["random", INSIDE], seed=3, **setup)
    total = paid = deals = 0
    seen = set()
    for story, reward in finished_deals(env, 400, np.random.default_rng(0)):
        total += sum(story.rewards)
        paid += story.replay(name)
        deals += 1
        seen.add(reward)
    assert deals >= 150
    assert total == pytest.approx(paid, abs=1e-6)
    if not env.game.cooperative:
        assert {1.0, -1.0} <= seen
        assert min(seen) < 0


def test_the_observation_is_always_the_learners_own(name):
    env = make_seat_vec(name, 12, ["random", INSIDE], **short_mix(name, 12))
    observations, infos = env.reset()
    rng, out = np.random.default_rng(1), np.zeros(env.game.layout.size, np.float32)
    for _ in range(100):
        if name == "ese_toro_enamorado":  # its block names the seat to act
            assert (env.game.layout.split(observations)["turn"][:, 0] == 1).all()
        assert (env.match.seats == env.learner_seats).all()
        assert infos["action_mask"].any(axis=1).all()
        for table, seat in enumerate(env.learner_seats):
            table_kernels(env.game).observe(env.match.states[table : table + 1], int(seat), out)
            assert observations[table].tobytes() == out.tobytes()
        observations, *_, infos = env.step(random_legal(rng, infos["action_mask"]))


def trajectories(env, steps=60, seed=None):
    observations, infos = env.reset(seed=seed)
    rng, seen = np.random.default_rng(7), []
    for _ in range(steps):
        observations, rewards, terminated, _, infos = env.step(random_legal(rng, infos["action_mask"]))
        seen.append((observations.tobytes(), infos["action_mask"].tobytes(), rewards.tobytes(), terminated.tobytes()))
    return seen


def test_an_agent_plays_the_same_inside_by_batch_and_by_view(name):
    fields = short_mix(name, 6)
    inside, *others = [
        trajectories(make_seat_vec(name, 6, opponent, seed=5, **fields)) for opponent in (INSIDE, ByBatch(), ByView())
    ]
    assert all(other == inside for other in others)


def test_one_table_of_the_vector_plays_as_the_single_environment(name):
    setup, _ = short_deal(name)
    vector, single = make_seat_vec(name, 1, INSIDE, seat=1, **setup), make_seat_env(name, INSIDE, seat=1, **setup)
    _, infos = vector.reset(seed=4)
    single.reset(seed=4)
    match, first = single._match, np.zeros(1, np.int64)
    match.deal(first, vector.match.seeds)
    match.advance()
    assert match.states.tobytes() == vector.match.states.tobytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = random_legal(rng, infos["action_mask"])
        _, rewards, terminated, _, infos = vector.step(actions)
        observation, reward, over, *_ = single.step(int(actions[0]))
        assert (reward, over) == (rewards[0], terminated[0])
        if over:
            assert observation.tobytes() == infos["final_obs"][0].tobytes()
            return
        assert observation.tobytes() == vector.match.observations[0].tobytes()
    pytest.fail("the deal did not end")


# Seats, opponents and seeds.


def test_a_fixed_seat_is_kept_and_otherwise_all_are_drawn(name):
    fields = short_mix(name, 8)
    mine = min(fields["seats"]) - 1
    fixed = make_seat_vec(name, 8, "random", seat=mine, **fields)
    drawn = make_seat_vec(name, 8, "random", **fields)
    seats = set()
    for seed in range(20):
        fixed.reset(seed=seed)
        assert (fixed.learner_seats == mine).all()
        drawn.reset(seed=seed)
        seats |= set(zip(drawn.learner_seats.tolist(), fields["seats"], strict=True))
    for story, _ in finished_deals(fixed, 60, np.random.default_rng(0)):
        assert story.seat == mine
    assert seats == {(seat, count) for count in fields["seats"] for seat in range(count)}
    single, seats = make_seat_env(name, "random", seats=2), set()
    for seed in range(12):
        single.reset(seed=seed)
        seats.add(single.my_seat)
    assert seats == {0, 1}


def test_opponents_are_drawn_by_their_weights_which_may_change(name):
    env = make_seat_vec(name, 40, ["random", INSIDE, ByBatch()], weights=[3, 1, 0], **short_mix(name, 40))

    def seated():
        env.reset()
        present = np.arange(env.game.max_seats) < env.match.setups["seats"][:, None]
        return np.bincount(env.match.seating[present], minlength=4)[1:]

    often, seldom, never = seated()
    assert often > seldom > never == 0
    env.weights = np.array([0, 0, 1.0])
    assert seated()[:2].tolist() == [0, 0]


def test_the_same_seed_gives_the_same_deals_opponents_and_seats(name):
    def made(seed):
        return make_seat_vec(name, 6, ["random", INSIDE, ByBatch()], seed=seed, **short_mix(name, 6))

    once = trajectories(made(2))
    env = made(9)
    assert trajectories(made(2)) == trajectories(env, seed=2) == once
    assert trajectories(env) != once
    assert trajectories(made(3)) != once


@one_game
def test_resets_without_a_seed_follow_from_the_last_seed(name):
    def dealt(env, seeds):
        return [(env.reset(seed=seed), env.match.states.tobytes())[1] for seed in seeds]

    env = make_seat_vec(name, 3, "random", seed=5)
    first = dealt(env, [None] * 4)
    assert len(set(first)) == 4
    assert dealt(env, [5, None, None, None]) == first
    assert dealt(make_seat_vec(name, 3, "random"), [5, None, None, None]) == first
    env.reseed(5)
    assert dealt(env, [None] * 4) == first


@one_game
def test_a_reset_mask_resets_its_tables_alone(name):
    env, twin = (make_seat_vec(name, 4, INSIDE, seed=5) for _ in range(2))
    mask = np.array([False, True, False, False])
    with pytest.raises(ValueError, match="reset_mask cannot be combined with a seed or with the first reset"):
        env.reset(options={"reset_mask": mask})
    for one in (env, twin):
        _, infos = one.reset()
        one.step(infos["action_mask"].argmax(1))
    options = {"reset_mask": mask}
    seen, infos = env.reset(options=options)
    assert options == {"reset_mask": mask}
    assert infos["_action_mask"].all()
    assert (seen == env.match.observations).all()
    assert (env.match.seeds == twin.match.seeds).tolist() == (~mask).tolist()
    assert env.match.states[~mask].tobytes() == twin.match.states[~mask].tobytes()
    assert env.match.states["ply"][1] < 2
    env.step(infos["action_mask"].argmax(1))


def test_gymnasium_statistics_count_decisions_and_payoffs(name):
    """Gymnasium before 1.4 counts them wrongly where a deal begins in the step that ends the one before."""
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make_seat_vec(name, 4, "random", **short_mix(name, 4)))
    _, infos = env.reset(seed=1)
    lengths, deals = np.zeros(4, int), 0
    for _ in range(150):
        _, rewards, over, _, infos = env.step(lowest_legal(infos))
        lengths += 1
        if over.any():
            assert infos["_episode"].tolist() == over.tolist()
            assert infos["episode"]["l"][over].tolist() == lengths[over].tolist()
            assert infos["episode"]["r"][over].tolist() == rewards[over].tolist()
        lengths[over] = 0
        deals += int(over.sum())
    assert deals > 4


@one_game
def test_gymnasium_statistics_survive_a_masked_reset(name):
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make_seat_vec(name, 2, INSIDE, seed=5))
    _, infos = env.reset()
    env.step(infos["action_mask"].argmax(1))
    env.reset(options={"reset_mask": np.array([True, False])})
    assert env.episode_lengths.tolist() == [0, 1]


@one_game
@pytest.mark.parametrize(("mask", "error", "why"), BAD_MASKS, ids=repr)
def test_a_bad_reset_mask_is_refused_and_changes_nothing(name, mask, error, why):
    env = make_seat_vec(name, 2, "random")
    env.reset(seed=1)
    before = held(env)
    with pytest.raises(error, match=why):
        env.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset_mask cannot be combined with a seed"):
        env.reset(seed=2, options={"reset_mask": np.array([True, False])})
    assert held(env) == before


@one_game
def test_unknown_options_of_reset_are_refused_everywhere(name):
    from sobremesa.training.data.vec_env import SeatVecEnv

    vector = make_seat_vec(name, 2, "random")
    single, masked = "it has none", "it has 'reset_mask'"
    aec = constructors(envs.load(name))
    resets = [(env.reset, single) for env in (make_seat_env(name, "random"), *(made() for made in aec))]
    resets += [(vector.reset, masked), (envs.make_vec(name, 2).reset, masked)]
    for reset, known in resets:
        with pytest.raises(ValueError, match=f"^{name}: reset has no option 'anything'; {known}$"):
            reset(seed=1, options={"anything": 1})
        with pytest.raises(ValueError, match="seats is set when the environment is made, not by reset"):
            reset(seed=1, options={"seats": 2})
        with pytest.raises(TypeError, match="options=3 is not allowed; reset takes None or a dict"):
            reset(seed=1, options=3)
        reset(seed=1, options={})
    with pytest.raises(ValueError, match="reset has no option 'reset_mask'; it has none"):
        make_seat_env(name, "random").reset(options={"reset_mask": np.ones(1, bool)})
    for options in ({"anything": 1}, [{}, {"anything": 1}]):
        with pytest.raises(ValueError, match="reset has no option 'anything'"):
            SeatVecEnv(vector).set_options(options)


def test_the_same_seed_gives_the_same_single_deals(name):
    def deals(seed):
        env = make_seat_env(name, ["random", INSIDE], **short_deal(name)[0])
        seen = [env.reset(seed=seed)] + [env.reset() for _ in range(4)]
        return [(observation.tobytes(), info["action_mask"].tobytes(), env.my_seat) for observation, info in seen]

    assert deals(1) == deals(1) != deals(2)


def three(name):
    """Return three seats, or as many as the game has."""
    return min(3, envs.load(name).seat_range[-1])


@one_game
def test_the_number_of_threads_changes_nothing(name):
    one, two = (
        trajectories(make_seat_vec(name, 1100, "random", threads=threads, seats=three(name)), steps=20)
        for threads in (1, 2)
    )
    assert one == two


@one_game
@pytest.mark.parametrize("fields", [{}, {"copy": False}])
def test_what_a_step_gave_stays_unless_buffers_are_asked_for(name, fields):
    env = make_seat_vec(name, 4, "random", **fields)
    observations, infos = env.reset(seed=1)
    later = env.step(random_legal(np.random.default_rng(0), infos["action_mask"]))
    assert np.shares_memory(observations, later[0]) == bool(fields)
    assert np.shares_memory(infos["action_mask"], later[-1]["action_mask"]) == bool(fields)


def kinds_of(infos, path=()):
    """Return the dtype and shape of each array in infos by its path."""
    found = {}
    for key, value in infos.items():
        inner = kinds_of(value, (*path, key)) if isinstance(value, dict) else {(*path, key): (value.dtype, value.shape)}
        found |= inner
    return found


@pytest.mark.parametrize("illegal", ["lose", "resample"])
def test_infos_are_those_of_gymnasiums_vector_environments(name, illegal):
    setup, _ = short_deal(name)
    ours = make_seat_vec(name, 2, "random", illegal=illegal, **setup)
    theirs = gymnasium.vector.SyncVectorEnv(
        [lambda: make_seat_env(name, "random", illegal=illegal, **setup)] * 2,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    met = [{}, {}]
    for env, kinds in zip((ours, theirs), met, strict=True):
        rng, (_, infos) = np.random.default_rng(0), env.reset(seed=3)
        while not {("final_info", "_figures"), ("_illegal",)} <= kinds.keys():
            actions = random_legal(rng, infos["action_mask"])
            if ("_illegal",) not in kinds:
                actions[1] = np.flatnonzero(infos["action_mask"][1] == 0)[0]
            *_, infos = env.step(actions)
            kinds |= kinds_of(infos)
            for mark in ("illegal", "_illegal"):  # what is drawn instead may end the deal
                if ("final_info", mark) in kinds:
                    kinds[(mark,)] = kinds.pop(("final_info", mark))
    assert met[0] == met[1]


def test_final_infos_hold_the_figures_of_the_deals_that_ended(name):
    env = make_seat_vec(name, 6, "random", **short_mix(name, 6))
    (_, infos), rng, told = env.reset(seed=2), np.random.default_rng(2), 0
    while told < 8:
        *_, terminated, _, infos = env.step(random_legal(rng, infos["action_mask"]))
        assert ("final_info" in infos) == terminated.any()
        if terminated.any():
            final = infos["final_info"]
            assert not final["action_mask"].any()
            assert final["_action_mask"].tolist() == infos["_final_info"].tolist() == terminated.tolist()
            assert (final["_figures"] == terminated).all()
            figures = set(env.game.figures(env.match.states[:1]))
            told_of = {key for key in final["figures"] if key[0] != "_"}
            assert told_of <= figures  # what there is nothing to say of is left out
            assert bool(told_of) == bool(figures)
            told += int(terminated.sum())


def test_figures_in_infos_are_numbers_and_the_ending_is_named(name):
    """Libraries store infos in arrays: a text that appears at the end alone breaks them."""
    setup, _ = short_deal(name)
    env, table = make_seat_env(name, "random", **setup), envs.make(name, **setup)
    _, info = env.reset(seed=0)
    while not env._over:
        assert env.ending == ""
        *_, info = env.step(int(info["action_mask"].argmax()))
    table.reset(seed=1)
    while not all(table.terminations.values()):
        table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
    for figures in (info["figures"], table.infos["seat_0"]["figures"]):
        assert all(isinstance(value, (int, float)) for value in figures.values())
    endings = "end" in env.game.figures(env._match.states)
    assert bool(env.ending) == bool(table.unwrapped.ending) == endings


def test_a_vector_shows_every_table_as_my_seat_sees_it(name):
    fields = {"opponents": "random", "render_mode": "ansi", "language": "es"}
    env = gymnasium.make_vec(f"sobremesa/{envs.load(name).id}", 3, **fields)
    env.reset(seed=1)
    states, seats = env.unwrapped.match.states, env.unwrapped.learner_seats
    drawn = env.render()
    assert env.render_mode == "ansi"
    assert len(drawn) == 3
    for row, text in enumerate(drawn):
        assert text == env.unwrapped.game.words.describe(states[row : row + 1], int(seats[row]), "es")
    env.close()


def test_the_mask_may_be_a_part_of_the_observation(name):
    for keys in (("obs", "mask"), ("observations", "action_mask")):
        env, plain = (make_seat_env(name, "random", dict_keys=given) for given in (keys, None))
        (seen, info), (alone, _) = env.reset(seed=5), plain.reset(seed=5)
        assert list(seen) == list(keys)
        assert (seen[keys[0]] == alone).all()
        assert (seen[keys[1]] == info["action_mask"]).all()
        tables = make_seat_vec(name, 3, "random", dict_keys=keys)
        seen, infos = tables.reset(seed=5)
        assert tables.observation_space.contains(seen)
        assert (seen[keys[1]] == infos["action_mask"]).all()
        assert not np.shares_memory(seen[keys[1]], infos["action_mask"])
    for wrong in ("mask", ("mask",), ("a", "a"), (1, 2)):
        with pytest.raises(ValueError, match="it takes None or two names"):
            make_seat_env(name, "random", dict_keys=wrong)


# Actions that the mask forbids.


def forbidden(mask):
    return int(np.flatnonzero(mask == 0)[0])


def test_an_illegal_action_loses_the_deal(name):
    env = make_seat_env(name, "random")
    for seed in range(3):
        _, info = env.reset(seed=seed)
        before = env._match.states.copy()
        observation, reward, over, truncated, info = env.step(forbidden(info["action_mask"]))
        assert env.observation_space.contains(observation)
        assert (reward, over, truncated, info["illegal"]) == (-1.0, True, False, True)
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        assert "figures" not in info
        assert env._match.states.tobytes() == before.tobytes()
        with pytest.raises(IllegalAction, match="call reset"):
            env.step(0)


def test_an_illegal_action_may_be_replaced_by_a_random_one(name):
    env = make_seat_env(name, "random", illegal="resample")
    runs = []
    for seed in (1, 1, 2):
        _, info = env.reset(seed=seed)
        told = []
        for _ in range(8):
            observation, reward, over, _, info = env.step(forbidden(info["action_mask"]))
            told.append((observation.tobytes(), reward, over))
            assert info["illegal"]
            if over:
                break
        runs.append(told)
    assert runs[0] == runs[1] != runs[2]


def test_illegal_actions_at_some_tables_leave_the_others_alone(name):
    made = {mode: make_seat_vec(name, 6, "random", illegal=mode, seed=4) for mode in ("lose", "resample", "raise")}
    starts = [env.reset() for env in made.values()]
    masks = starts[0][1]["action_mask"]
    good = random_legal(np.random.default_rng(1), masks)
    bad = good.copy()
    bad[[1, 4]] = [forbidden(masks[row]) for row in (1, 4)]
    with pytest.raises(IllegalAction, match="table 1, "):
        made["raise"].step(bad)
    for env in (made["lose"], made["resample"]):
        outside = bad.copy()
        outside[2] = -1
        before = held(env)
        with pytest.raises(IllegalAction, match="table 2, "):
            env.step(outside)
        assert held(env) == before
    plain, *_ = made["raise"].step(good)
    lost = made["lose"].step(bad)
    again = made["resample"].step(bad)
    others = [0, 2, 3, 5]
    assert lost[1][[1, 4]].tolist() == [-1.0, -1.0]
    assert lost[2][[1, 4]].all()
    assert lost[-1]["final_info"]["illegal"].tolist() == [False, True, False, False, True, False]
    assert "_figures" not in lost[-1]["final_info"] or not lost[-1]["final_info"]["_figures"][[1, 4]].any()
    assert not again[2].any() or "final_info" in again[-1]
    assert again[-1].get("_illegal", np.array([False] * 6))[others].sum() == 0
    running = [row for row in others if not (lost[2][row] or again[2][row])]
    assert running
    assert (lost[0][running] == plain[running]).all()
    assert (again[0][running] == plain[running]).all()


def test_legal_actions_do_not_depend_on_the_illegal_mode(name):
    fields = short_mix(name, 4)
    runs = [trajectories(make_seat_vec(name, 4, "random", illegal=mode, **fields)) for mode in ("lose", "raise")]
    assert runs[0] == runs[1]
    with pytest.raises(ValueError, match=r"illegal='skip' is not allowed; it takes lose, resample, raise"):
        make_seat_env(name, "random", illegal="skip")


def test_every_encoder_and_picture_shows_what_my_seat_sees(name):
    for encoder in ("flat", "blocks", "text"):
        for seat in (0, 1):
            env = make_seat_env(name, "random", encoder=encoder, language="es", seat=seat, render_mode="ansi")
            observation, info = env.reset(seed=3)
            assert env.observation_space.contains(observation)
            assert env.render() == env.game.words.describe(env._match.states, seat, "es")
            following = env.step(int(info["action_mask"].argmax()))
            assert env.observation_space.contains(following[0])


# What is refused.


def held(env):
    match = env.match if hasattr(env, "match") else env._match
    arrays = (match.states, match._streams, match.observations, match.masks, match.payoffs, match.seeds, match.seating)
    return [array.tobytes() for array in arrays]


@one_game
@pytest.mark.parametrize(
    "action",
    [-1, 10**9, 10**30, 3.0, "3", None, True, np.True_, np.array([3]), np.array(3.0), np.array(True)],
    ids=repr,
)
def test_a_wrong_action_is_refused_and_changes_nothing(name, action):
    env = make_seat_env(name, ["random", ByView()], illegal="raise")
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    before = held(env)
    for wrong in (action, illegal, np.int64(illegal)):
        with pytest.raises(IllegalAction, match=rf"{env.game.id}, seat {env.my_seat}, ply \d+: action .* is illegal"):
            env.step(wrong)
        assert held(env) == before
    assert env.step(np.array(info["action_mask"].argmax()))[0].shape == (env.game.layout.size,)


@one_game
def test_wrong_actions_are_refused_and_change_no_table(name):
    env = make_seat_vec(name, 4, ["random", ByBatch()], illegal="raise")
    _, infos = env.reset(seed=1)
    good = infos["action_mask"].argmax(axis=1)
    illegal, outside = good.copy(), good.copy()
    illegal[2], outside[2] = np.flatnonzero(infos["action_mask"][2] == 0)[0], -1
    before = held(env)
    for actions, why in (
        (illegal, "table 2, seat"), (outside, "table 2, seat"), (good[:3], "takes 4 whole numbers"),
        (good[:, None], "takes 4"), (good.astype(float), "got float64"), (good > 0, "got bool"), (3, "takes 4"),
    ):  # fmt: skip
        with pytest.raises(IllegalAction, match=why):
            env.step(actions)
        assert held(env) == before


@one_game
def test_a_step_before_reset_or_after_the_end_is_refused(name):
    env = make_seat_env(name, "random", **short_deal(name)[0])
    tables = make_seat_vec(name, 2, "random", **short_deal(name)[0])
    for one, action in ((env, 0), (tables, np.zeros(2, np.int64))):
        with pytest.raises(IllegalAction, match="call reset"):
            one.step(action)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    with pytest.raises(IllegalAction, match="the deal is over, or none has begun; call reset"):
        env.step(0)


class Broken(ByView):
    def __init__(self, answer):
        self.answer = answer

    def act(self, view):
        return self.answer


@one_game
@pytest.mark.parametrize("answer", [3.0, None, "3", -1, 10**9, 10**30, np.array([1])], ids=repr)
def test_an_opponent_that_answers_nonsense_is_said_so(name, answer):
    env = make_seat_env(name, Broken(answer), seat=1)
    first = rf"{env.game.id}, table 0, seat [02], ply 0: action .* is illegal; allowed: "
    with pytest.raises(IllegalAction, match=first):  # in the first of these deals in which an opponent begins
        deque((env.reset(seed=seed) for seed in range(20)), maxlen=0)


@one_game
@pytest.mark.parametrize("answers", [lambda n: [1.0] * n, lambda n: [1] * (n + 1), lambda n: 1, lambda n: [[1]] * n])
def test_a_batch_of_nonsense_is_said_so(name, answers):
    opponent = ByBatch()
    opponent.act_batch = lambda observations, masks, streams: answers(len(observations))
    env = make_seat_vec(name, 8, opponent, seat=1)
    with pytest.raises(IllegalAction, match=r"by batch was asked for [1-8] whole numbers, one action a table; it gave"):
        env.reset(seed=1)


@one_game
def test_bad_arguments_are_refused_with_what_is_allowed(name):
    makers = (
        lambda *given, **more: make_seat_vec(name, 3, *given, **more),
        lambda *given, **more: make_seat_env(name, *given, **more),
    )
    for make in makers:
        for seat in (-1, 2, 9, 1.0, True, "0"):
            with pytest.raises(ValueError, match=r"seat=.* is not allowed; it takes None or a seat from 0 to 1"):
                make("random", seat=seat, seats=2)
        with pytest.raises(ValueError, match="no agent 'nobody'; there are random"):
            make("nobody")
        for opponents, told in (([], "it takes at least one agent"), ([object()], "is not an agent; give one with")):
            with pytest.raises(ValueError, match=told):
                make(opponents)
        with pytest.raises(TypeError, match="no option 'nonsense'"):
            make("random", nonsense=1)
        with pytest.raises(ValueError, match="seats=99 is not allowed"):
            make("random", seats=99)
    for weights in ([1, 1], [0], [-1], [], [float("nan")], [float("inf")]):
        with pytest.raises(ValueError, match="it takes 1 numbers, not all zero"):
            make_seat_vec(name, 3, "random", weights=weights)
    for count in (0, -1):
        with pytest.raises(ValueError, match="takes a whole number from 1"):
            make_seat_vec(name, count, "random")
    with pytest.raises(ValueError, match="0 to 1"):
        make_seat_vec(name, 2, "random", seat=2, seats=[2, three(name)])
    for mode in ("picture", 1):
        with pytest.raises(ValueError, match="it takes None or ansi, human"):
            make_seat_env(name, "random", render_mode=mode)


def test_every_agent_of_a_game_can_be_an_opponent(name):
    for opponent in agents.names(envs.load(name)):
        env = make_seat_vec(name, 4, opponent, **short_mix(name, 4))
        assert any(True for _ in finished_deals(env, 100, np.random.default_rng(0)))


class Spy(ByView):
    """Notes, at each of its decisions, its view and the true state."""

    name = "spy"

    def __init__(self):
        super().__init__(RANDOM)
        self.noted = []

    def act(self, view):
        assert view.stream.base is None  # it leads to no other seat's stream
        self.noted.append((copy.deepcopy(view), self.match.states.copy()))
        return super().act(view)


def test_a_view_holds_a_world_of_its_own_and_not_the_true_one(name):
    spy = Spy()
    env = make_seat_env(name, spy, seats=2)
    spy.match = env._match
    _, info = env.reset(seed=1)
    rng, differed = np.random.default_rng(1), 0
    while len(spy.noted) < 400:
        *_, over, _, info = env.step(int(random_legal(rng, info["action_mask"][None])[0]))
        if over:
            _, info = env.reset()
    kernels, seen = table_kernels(env.game), np.zeros(env.game.layout.size, np.float32)
    for view, truth in spy.noted:
        assert view.game is env.game
        assert view.seat == truth["seat"][0] == view.state["seat"][0]
        kernels.observe(truth, view.seat, seen)
        assert view.observation.tobytes() == seen.tobytes()
        mask = np.zeros_like(view.mask)
        kernels.legal(truth, mask)
        assert view.mask.tobytes() == mask.tobytes()
        assert (view.state["stream"] != truth["stream"]).any()
        view.state["stream"] = truth["stream"]
        differed += view.state.tobytes() != truth.tobytes()
    assert (differed > 0) == bool(env.game.hidden)


def test_at_a_table_of_one_nobody_else_need_be_named():
    for env in (
        agents.make_seat_env("bandido_alcatraz", [], seats=1),
        agents.make_seat_vec("bandido_alcatraz", 2, [], seats=1),
    ):
        _, info = env.reset(seed=3)
        for _ in range(20):
            _, _, _, _, info = env.step(info["action_mask"].argmax(-1))
    with pytest.raises(ValueError, match="it takes at least one agent"):
        agents.make_seat_env("bandido_alcatraz", [], seats=2)
