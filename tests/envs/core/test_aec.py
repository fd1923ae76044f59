"""Every game as a PettingZoo AEC environment: PettingZoo's own tests, and the stricter contract of `TableEnv`."""

import math
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger
from plays import (
    GAMES,
    KINDS,
    SHORT,
    allowed,
    installed,
    looks,
    midgame,
    play_on,
    random_action,
    short_deal,
    small_games,
)  # fmt: skip

from sobremesa import envs
from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.picture import render
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import setups

# PettingZoo knows the games with masks that are its own by name, and gives these warnings to all others.
ABOUT_MASKS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    r"Action mask numpy array is all zeros \(no legal actions\)",
)
WRONG = [
    2**63,
    3.0,
    "3",
    None,
    True,
    np.True_,
    np.array([3]),
    np.array(3.0),
    np.array([]),
    -1,
    np.int64(-1),
    10**9,
    10**30,
    math.nan,
]


@pytest.fixture(params=[*GAMES, SHORT])
def name(request, monkeypatch):
    return installed(request.param, monkeypatch)


@pytest.fixture(params=KINDS)
def make(request, name):
    """Both constructors of every game."""
    env, raw_env = constructors(envs.load(name))
    return env if request.param == "env" else raw_env


@pytest.fixture
def logged():
    """Return the list of warnings that PettingZoo logs."""
    EnvLogger.suppress_output()
    EnvLogger.flush()
    yield EnvLogger.mqueue
    EnvLogger.unsuppress_output()


def strict():
    """Return a context where all warnings are errors but the ones about masks."""
    context = warnings.catch_warnings()
    context.__enter__()
    warnings.simplefilter("error")
    for message in ABOUT_MASKS:
        warnings.filterwarnings("ignore", message)
    return context


@pytest.fixture
def _warnings_are_errors():
    context = strict()
    yield
    context.__exit__(None, None, None)


@pytest.mark.usefixtures("_warnings_are_errors")
def test_pettingzoo_api_test_passes_without_a_warning(make, logged):
    api_test(make(), num_cycles=150)
    assert logged == []


@pytest.mark.usefixtures("_warnings_are_errors")
def test_pettingzoo_seed_test_passes(make, logged):
    seed_test(make, num_cycles=150)
    assert logged == []


@pytest.mark.usefixtures("_warnings_are_errors")
def test_pettingzoos_tests_pass_on_every_way_to_observe(name):
    for encoder in ("text", "blocks"):
        api_test(envs.make(name, encoder=encoder), num_cycles=15)
        seed_test(lambda encoder=encoder: envs.make(name, encoder=encoder), num_cycles=5)


def test_unwrapped_is_the_raw_environment_of_the_same_table(name):
    env, raw_env = constructors(envs.load(name))
    guarded, raw = env(), raw_env()
    for made in (guarded, raw):
        made.reset(seed=4)
    assert type(guarded.unwrapped) is type(raw)
    assert guarded.unwrapped is guarded.unwrapped
    raw.step(int(allowed(raw)[0]))
    guarded.unwrapped.step(int(allowed(guarded)[0]))
    assert guarded.get_state() == guarded.unwrapped.get_state() == raw.get_state()
    assert guarded.clone().unwrapped is not guarded.unwrapped
    with pytest.raises(IllegalAction):
        guarded.unwrapped.step(int(np.flatnonzero(guarded.infos[guarded.agent_selection]["action_mask"] == 0)[0]))


def test_every_seat_may_still_look_when_all_have_left(make, name):
    setup, seed = short_deal(name)
    env = make(**setup)
    env.reset(seed=seed)
    for _ in play_on(env, seed):
        pass
    assert env.agents == []
    for agent in env.possible_agents:
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert not observation["action_mask"].any()


@small_games
@pytest.mark.usefixtures("_warnings_are_errors")
def test_pettingzoo_render_test_passes(make, monkeypatch, logged):
    for package in ("resvg_py", "PIL", "pygame"):
        pytest.importorskip(package)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(render, "FRAMES_PER_SECOND", 10_000)
    render_test(make, custom_tests={"svg": lambda drawn: drawn.startswith("<svg")})
    assert logged == []


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_pettingzoo_makes_every_game_by_its_id(name):
    game = envs.load(name)
    env = pettingzoo.make("aec", f"sobremesa/{game.id}", seats=game.seat_range[-1])
    env.reset(seed=1)
    assert len(env.agents) == game.seat_range[-1]
    assert env.metadata["name"] == f"{game.name}_v{game.version}"
    assert env.unwrapped.game is game


def test_a_deal_keeps_the_aec_contract_in_many_setups(name):
    game = envs.load(name)
    for number, setup in enumerate(setups(game)[::2]):
        check_deal(game, envs.make(name, **setup), number)


def check_deal(game, env, seed):
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seats = env.possible_agents[:]
    while not any(env.terminations.values()):
        assert env.agents == seats
        assert not any(env.rewards.values())
        assert not any(env.truncations.values())
        for seat in seats:
            told, seen = env.infos[seat]["action_mask"], env.observe(seat)["action_mask"]
            assert told.dtype == seen.dtype == np.int8
            np.testing.assert_array_equal(told, seen)
            assert told.any() == (seat == env.agent_selection)
        env.step(random_action(env, rng))
    payoffs = np.zeros(game.max_seats, np.float32)
    table_kernels(game).payoff(env._states, payoffs)
    payoffs = dict(zip(seats, payoffs.tolist(), strict=False))
    assert env.terminations == dict.fromkeys(seats, True)
    assert env.truncations == dict.fromkeys(seats, False)
    assert env.rewards == env._cumulative_rewards == payoffs
    for seat in seats:
        observation, reward, terminated, truncated, info = env.last()
        assert (env.agent_selection, reward, terminated, truncated) == (seat, payoffs[seat], True, False)
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)
    assert env.agents == []


@small_games
def test_a_terminated_seat_takes_only_none(name):
    setup, seed = short_deal(name)
    env = envs.make(name, **setup)
    env.reset(seed=seed)
    for action in play_on(env, seed):
        if action is None:
            break
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_every_seat_is_shown_what_the_game_lets_it_see(name):
    env, game = envs.make(name, seats=envs.load(name).seat_range[-1]), envs.load(name)
    env.reset(seed=2)
    out = np.zeros(game.layout.size, np.float32)
    for _ in play_on(env, 2, 60):
        if not env.agents or env.terminations[env.agent_selection]:
            break
        everybody = env.state()
        assert everybody.shape == (len(env.possible_agents), game.layout.size)
        assert everybody.dtype == np.float32
        for seat, agent in enumerate(env.agents):
            table_kernels(game).observe(env._states, seat, out)
            np.testing.assert_array_equal(env.observe(agent)["observation"], out)
            np.testing.assert_array_equal(everybody[seat], out)
            assert env.observation_space(agent).contains(env.observe(agent))


def test_changing_returned_arrays_does_not_change_the_table(make):
    env = midgame(make)
    before, legal = looks(env)[:2], allowed(env)
    for agent in env.agents:
        seen = env.observe(agent)
        seen["observation"][:] = 7
        seen["action_mask"][:] = 1
        told = env.infos[agent]["action_mask"]
        if told.flags.writeable:
            told[:] = 1
    env.state()[:] = 7
    assert looks(env)[:2] == before
    illegal = min(set(range(env.game.num_actions)) - set(legal))
    with pytest.raises(IllegalAction):
        super(type(env), env).step(illegal) if type(env) is not envs.TableEnv else env.step(illegal)


def test_arrays_returned_before_a_step_stay_as_they_were(make):
    env = midgame(make)
    seen, told = env.observe(env.agent_selection), env.infos[env.agent_selection]["action_mask"]
    kept = seen["observation"].copy(), seen["action_mask"].copy(), told.copy()
    list(play_on(env, 1, 5))
    for array, was in zip((seen["observation"], seen["action_mask"], told), kept, strict=True):
        np.testing.assert_array_equal(array, was)


def test_equal_seeds_give_equal_deals_and_others_do_not(make):
    env, other, deals = make(), make(), set()
    for seed in (0, 1, 2, 3, 2**63 - 1, np.int64(12)):
        env.reset(seed=seed)
        other.reset(seed=seed)
        assert looks(env) == looks(other)
        deals.add(env.get_state())
    assert len(deals) == 6


def test_reset_without_a_seed_follows_from_the_last_seed(make):
    def four_deals(env):
        env.reset(seed=5)
        for _ in range(3):
            env.reset()
            yield env.get_state()

    first, second = list(four_deals(make())), list(four_deals(make()))
    assert first == second
    assert len(set(first)) == 3
    one, two = make(), make()
    one.reset()
    two.reset()
    assert one.get_state() != two.get_state()


@small_games
@pytest.mark.parametrize("seed", [-1, 2**63, 3.0, "3", True, math.nan, [1]], ids=repr)
def test_a_bad_seed_is_refused_with_what_is_allowed(make, seed):
    env = midgame(make)
    before = looks(env)
    with pytest.raises(ValueError, match=r"takes a whole number from 0 to 2\*\*63 - 1"):
        env.reset(seed=seed)
    assert looks(env) == before


@small_games
def test_reset_refuses_options_except_that_of_api_test(make):
    env = make()
    env.reset(seed=1, options={"options": 1})
    deal = env.get_state()
    env.reset(seed=1)
    assert env.get_state() == deal
    for options, why in (
        ({"seats": 3}, "seats is set when the environment is made"),
        ({"anything": 1}, "reset has no option 'anything'; it has none"),
        ({"options": 2}, "reset has no option 'options'; it has none"),
    ):
        with pytest.raises(ValueError, match=why):
            env.reset(seed=2, options=options)
        assert env.get_state() == deal


def check_refused(env, action):
    game, before = env.game, looks(env)
    names = [f"{one} ({game.words.action_name(int(one), 'en')})" for one in allowed(env)]
    with pytest.raises(IllegalAction) as caught:
        env.step(action)
    seat, ply = env.possible_agents.index(env.agent_selection), int(env._states["ply"][0])
    given = int(action) if isinstance(action, np.integer) else action
    assert f"{game.id}, seat {seat}, ply {ply}: action {given!r}" in str(caught.value)
    assert all(one in str(caught.value) for one in names[:12])
    assert looks(env) == before


@small_games
@pytest.mark.parametrize("action", WRONG, ids=repr)
def test_a_wrong_action_is_refused_and_changes_nothing(name, action):
    env = envs.make(name)
    env.reset(seed=4)
    for _ in play_on(env, 4, 40):
        if env.agents and not env.terminations[env.agent_selection]:
            check_refused(env, action)


def test_an_action_that_is_not_allowed_now_is_refused_and_named(name):
    env = envs.make(name)
    env.reset(seed=4)
    for _ in play_on(env, 4, 10):
        if env.terminations[env.agent_selection]:
            break
        illegal = sorted(set(range(env.game.num_actions)) - set(allowed(env).tolist()))
        for action in (illegal[0], illegal[-1], np.int32(illegal[0])):
            check_refused(env, action)
            with pytest.raises(IllegalAction) as caught:
                env.step(action)
            assert f"({env.game.words.action_name(int(action), 'en')}) is illegal" in str(caught.value)


@small_games
@pytest.mark.parametrize("kind", [int, np.int16, np.int64, np.uint16, np.uint64, np.array])
def test_any_kind_of_whole_number_is_an_action(make, kind):
    env, plain = midgame(make), midgame(make)
    for _ in range(5):
        if plain.terminations[plain.agent_selection]:
            break
        action = int(allowed(plain)[0])
        plain.step(action)
        env.step(kind(action))
        assert looks(env) == looks(plain)


@small_games
def test_a_bare_environment_acts_only_within_a_deal(name):
    setup, seed = short_deal(name)
    env = envs.make(name, **setup)
    with pytest.raises(IllegalAction, match="call reset"):
        env.step(0)
    env.reset(seed=seed)
    list(play_on(env, seed))
    for action in (0, None):
        with pytest.raises(IllegalAction, match="the deal is over, or none has begun; call reset"):
            env.step(action)


# env(): PettingZoo's usual wrappers, built in.


def test_env_plays_as_raw_env_in_pettingzoos_wrappers(name):
    setup, seed = short_deal(name)
    env, raw_env = constructors(envs.load(name))
    ours, theirs = env(**setup), wrappers.TerminateIllegalWrapper(raw_env(**setup), illegal_reward=-1)
    theirs = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(theirs))
    ours.reset(seed=seed)
    theirs.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for agent, other in zip(ours.agent_iter(), theirs.agent_iter(), strict=True):
        (seen, *rest, _), (seen_there, *rest_there, _) = ours.last(), theirs.last()
        assert (agent, rest) == (other, rest_there)
        for key, values in seen.items():
            np.testing.assert_array_equal(values, seen_there[key])
        action = random_action(ours, rng)
        ours.step(action)
        theirs.step(action)
    assert ours.agents == theirs.agents == []


def test_env_ends_the_deal_at_an_illegal_action_with_a_warning(name, logged):
    env = midgame(constructors(envs.load(name))[0])
    loser = env.agent_selection
    env.step(min(set(range(env.game.num_actions)) - set(allowed(env))))
    assert "Illegal move made" in logged[-1]
    assert env.rewards == env._cumulative_rewards == {agent: -1.0 * (agent == loser) for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert not any(info["action_mask"].any() for info in env.infos.values())
    for agent in env.agent_iter():
        seen, reward, terminated, *_ = env.last()
        assert (reward, terminated) == (-1.0 * (agent == loser), True)
        assert not seen["action_mask"].any()
        env.step(None)
    assert not env.agents


@small_games
@pytest.mark.parametrize("action", [one for one in WRONG if not isinstance(one, (bool, np.bool_))], ids=repr)
def test_env_refuses_what_is_outside_the_action_space(name, action):
    env = midgame(constructors(envs.load(name))[0])
    before = looks(env)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert looks(env) == before


@small_games
@pytest.mark.parametrize(
    "attribute", ["agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
)
def test_env_tells_nothing_before_reset(name, attribute):
    env = constructors(envs.load(name))[0]()
    with pytest.raises(AttributeError, match=f"{attribute} cannot be accessed before reset"):
        getattr(env, attribute)
    env.reset()
    assert getattr(env, attribute)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = env.nonsense


@small_games
def test_env_does_nothing_before_reset(name):
    env = constructors(envs.load(name))[0](render_mode="ansi")
    tried = {
        "step": lambda: env.step(0),
        "observe": lambda: env.observe("seat_0"),
        "render": env.render,
        "state": env.state,
        r"agent_iter\(\)": env.agent_iter,
    }
    for what, call in tried.items():
        with pytest.raises(AssertionError, match=rf"reset\(\) needs to be called before {what}"):
            call()


@small_games
def test_env_wants_a_step_for_each_turn_of_agent_iter(name):
    env = midgame(constructors(envs.load(name))[0])
    turns = env.agent_iter()
    assert next(turns) == env.agent_selection
    with pytest.raises(AssertionError, match="need to call step"):
        next(turns)
    env.step(random_action(env, np.random.default_rng(0)))
    assert len(list(zip(env.agent_iter(2), play_on(env, 1), strict=False))) == 2


@small_games
def test_env_warns_at_a_step_after_the_end(name, logged):
    setup, seed = short_deal(name)
    env = constructors(envs.load(name))[0](**setup)
    env.reset(seed=seed)
    list(play_on(env, seed))
    before = env.get_state()
    env.step(None)
    assert "step() called after all agents are terminated" in logged[-1]
    assert env.get_state() == before


# What it is made with.


def bad_values(option):
    if isinstance(option.choices, range):
        return [option.choices[0] - 1, option.choices[-1] + 1, float(option.choices[0]), "2", None, True, [2, 3]]
    return ["nonsense", 7, 1, None, 1.0]


def test_a_bad_setup_value_is_refused_with_what_is_allowed(make, name):
    for option in envs.load(name).options:
        for value in bad_values(option):
            with pytest.raises(ValueError, match=name) as caught:
                make(**{option.name: value})
            assert option.name in str(caught.value)
            assert option.allowed() in str(caught.value) or isinstance(value, list)


def test_an_unknown_setup_field_is_refused_with_those_there_are(make, name):
    with pytest.raises(TypeError, match="no option 'nonsense'") as caught:
        make(nonsense=1)
    assert all(option.name in str(caught.value) for option in envs.load(name).options)


def test_every_choice_of_every_option_is_taken(name):
    game = envs.load(name)
    for option in game.options:
        for choice in option.choices:
            assert game.setup(envs.make(name, **{option.name: choice})._setup)[option.name] == choice


@small_games
@pytest.mark.parametrize(
    ("argument", "bad", "named"),
    [
        ("render_mode", ["picture", "", 1], ["None", "ansi", "human", "rgb_array", "svg"]),
        ("encoder", ["picture", None, ""], ["flat", "blocks", "text"]),
        ("language", ["fr", None, "EN"], ["en", "es"]),
        ("viewer", [-1, 9, 1.0, True, "0"], ["None", "from 0 to 1"]),
    ],
)
def test_a_bad_argument_is_refused_with_what_is_allowed(make, argument, bad, named):
    for value in bad:
        with pytest.raises(ValueError, match=repr(value)) as caught:
            make(**{argument: value}, seats=2)
        assert all(word in str(caught.value) for word in named)
