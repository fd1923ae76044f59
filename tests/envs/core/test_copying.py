"""Pickling, copying and rebuilding of environments and their agents."""

import copy
import json
import pickle
import shutil
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from foreigners import GOOD, function
from lowest import LOWEST
from plays import GAMES, one_game, short_deal

from sobremesa import agents, envs
from sobremesa.agents import make_seat_env, make_seat_vec
from sobremesa.agents.exported import Bot, BotError
from sobremesa.agents.external.agent import Fault
from sobremesa.envs.core.agent import make_view, new_stream

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}
SMALL = "kuhn_poker"


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


@pytest.fixture(params=COPIES.values(), ids=COPIES)
def copied(request):
    return request.param


def lowest_actions(masks):
    return masks.argmax(-1)


def seat_run(env, infos, steps=12):
    """Play `steps` in an environment of one seat, or of one at each of some tables; return all that comes of it."""
    seen = []
    for _ in range(steps):
        observations, rewards, over, _, infos = env.step(lowest_actions(infos["action_mask"]))
        seen.append((np.asarray(observations).tobytes(), np.asarray(rewards).tolist(), infos["action_mask"].tobytes()))
        if over is True:
            observation, infos = env.reset()
            seen.append(observation.tobytes())
    return seen


def table_run(tables, steps=12):
    return [[array.tobytes() for array in tables.step(tables.sample())] for _ in range(steps)]


def opponents_of(name):
    """Return every kind of opponent, agents and names, that a table of the game takes."""
    game = envs.load(name)
    loaded = [agents.load("trained", game)] if "trained" in agents.names(game) else []
    return ["random", "simple", LOWEST, *loaded]


def test_an_environment_of_one_seat_is_copied_in_mid_deal(name, copied):
    """Kernels that were called have other names; so agents are copied after they have played."""
    env = make_seat_env(name, opponents_of(name), **short_deal(name)[0])
    _, info = env.reset(seed=1)
    *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    if over:
        _, info = env.reset()
    other = copied(env)
    assert seat_run(other, info) == seat_run(env, info)


def test_a_vector_of_seats_is_copied_in_mid_deal(name, copied):
    env = make_seat_vec(name, 4, opponents_of(name), seed=2, **short_deal(name)[0])
    _, infos = env.reset()
    infos = env.step(lowest_actions(infos["action_mask"]))[-1]
    other = copied(env)
    wanted = seat_run(env, infos)
    assert seat_run(other, infos) == wanted
    assert other.reset()[0].tobytes() == env.reset()[0].tobytes()


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_tables_are_copied_in_mid_deal(name, copied, dtype):
    tables = envs.make_vec(name, 3, seed=2, dtype=dtype, **short_deal(name)[0])
    table_run(tables, 3)
    other = copied(tables)
    wanted = table_run(tables)
    assert table_run(other) == wanted


@one_game
@pytest.mark.parametrize(
    "fields", [{"encoder": "text"}, {"dict_keys": ("obs", "mask")}, {"render_mode": "svg"}], ids=str
)
def test_the_arguments_of_an_environment_are_copied(name, copied, fields):
    env = make_seat_env(name, "random", **fields)
    seen, info = env.reset(seed=1)
    other = copied(env)
    assert other.reset(seed=1)[0].keys() == seen.keys() if isinstance(seen, dict) else True
    assert repr(other._seen()) == repr(env.reset(seed=1)[0])
    if "render_mode" in fields:
        assert other.render() == env.render()
    assert other.observation_space == env.observation_space
    assert info["action_mask"].any()


AGENTS = ["random", "simple", "search(simple)", "search(simple, worlds=8, belief=16)", "ismcts(simulations=20)"]


@pytest.mark.parametrize("spec", AGENTS)
def test_an_agent_is_copied_in_mid_deal_with_what_it_keeps(spec, copied):
    game = envs.load("leduc_poker")
    agent = agents.load(spec, game)
    env = envs.make(game.name)
    env.reset(seed=4)
    for _ in range(3):
        view = make_view(game, env._states, int(env._states["seat"][0]), new_stream(5))
        choices = [one.act(copy.deepcopy(view)) for one in (agent, copied(agent))]
        assert choices[0] == choices[1]
        if env.terminations[env.agent_selection]:
            return
        env.step(choices[0])
        if any(env.terminations.values()):
            return


def test_what_is_pickled_is_unpickled_in_another_process(tmp_path):
    game = envs.load("ese_toro_enamorado")
    made = [agents.load(spec, game) for spec in ("simple", "trained", "champion", "search(trained, worlds=4)")]
    env = gymnasium.make(f"sobremesa/{game.id}", opponents=[*made, "strong"])
    env.reset(seed=1)
    (tmp_path / "pickled").write_bytes(pickle.dumps((env, made, env.spec)))
    program = (
        "import gymnasium, pathlib, pickle, sys\n"
        "env, made, spec = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "observation, info = env.reset(seed=3)\n"
        "again, _ = gymnasium.make(spec).reset(seed=3)\n"
        "assert observation.tobytes() == again.tobytes()\n"
        "sys.stdout.buffer.write(observation.tobytes())\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, tmp_path / "pickled"], capture_output=True, check=True)
    assert ran.stdout == env.reset(seed=3)[0].tobytes()


@one_game
@pytest.mark.parametrize("opponents", ["trained", "a bot", "a kernel", "several"])
def test_gymnasium_rebuilds_an_environment_from_its_spec(name, opponents):
    game = envs.load(name)
    trained = agents.load("trained", game)
    given = {"trained": "trained", "a bot": trained, "a kernel": LOWEST, "several": ["simple", trained]}[opponents]
    env = gymnasium.make(f"sobremesa/{game.id}", opponents=given)
    wanted = env.reset(seed=2)[0].tobytes()
    for other in (gymnasium.make(env.spec), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.spec is not None
        assert other.reset(seed=2)[0].tobytes() == wanted
    tables = gymnasium.make_vec(f"sobremesa/{game.id}", num_envs=2, opponents=given)
    wanted = tables.reset(seed=2)[0].tobytes()
    for other in (gymnasium.make_vec(tables.spec), copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))):
        assert other.reset(seed=2)[0].tobytes() == wanted


@pytest.mark.thorough  # two processes are started
def test_a_spec_is_written_as_json_or_names_what_cannot_be():
    made = gymnasium.make(f"sobremesa/{SMALL}-v1", seats=np.int64(2), opponents=["random", "strong"])
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(made.spec.to_json()))
    assert again.spec.kwargs == {"game": SMALL, "seats": 2, "opponents": ["random", "strong"]}
    many = gymnasium.make_vec(f"sobremesa/{SMALL}-v1", num_envs=2, seats=np.array([2, 2]))
    assert json.loads(many.spec.to_json())["kwargs"]["seats"] == [2, 2]
    strong = agents.load("strong", envs.load(SMALL))
    for opponents in (strong, [strong, "random"]):
        spec = gymnasium.make(f"sobremesa/{SMALL}-v1", opponents=opponents).spec
        with pytest.raises(
            ValueError, match=r"opponents=.*KernelAgent\('strong'\).* cannot be written as JSON; give ag"
        ):
            spec.to_json()


def test_a_bot_plays_in_processes_of_a_fork_server():
    from stable_baselines3.common.vec_env import SubprocVecEnv

    game = envs.load("ese_toro_enamorado")
    bot = agents.load("trained", game)
    tables = SubprocVecEnv(
        [lambda: gymnasium.make(f"sobremesa/{game.id}", opponents=bot) for _ in range(2)], start_method="forkserver"
    )
    try:
        tables.seed(1)
        assert tables.reset().shape == (2, game.layout.size)
    finally:
        tables.close()


def test_a_bot_that_has_changed_or_is_gone_is_refused(tiny_bot, tmp_path):
    folder = shutil.copytree(tiny_bot, tmp_path / "bot")
    pickled = pickle.dumps(agents.load(folder))
    assert len(pickled) < 1_000
    assert pickle.loads(pickled).manifest == agents.load(folder).manifest
    manifest = json.loads((folder / "bot.json").read_text())
    (folder / "bot.json").write_text(
        json.dumps(manifest | {"choice": "greedy" if manifest["choice"] != "greedy" else "sample"})
    )
    with pytest.raises(BotError, match=f"{folder}: the bot has changed since it was pickled; load it anew"):
        pickle.loads(pickled)
    shutil.rmtree(folder)
    with pytest.raises(BotError, match=f"{folder}/bot.json: .*cannot be read"):
        pickle.loads(pickled)


def test_a_bot_in_a_relative_folder_is_found_from_elsewhere(tiny_bot, tmp_path, monkeypatch):
    monkeypatch.chdir(tiny_bot.parent)
    pickled = pickle.dumps(agents.load(tiny_bot.name))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(pickled).name == tiny_bot.name


def test_a_copied_bot_has_the_same_graph_and_a_memory_of_its_own(tiny_bot):
    bot = agents.load(tiny_bot)
    other = copy.deepcopy(bot)
    assert other.graph is bot.graph
    assert other._recall is not bot._recall
    alone = Bot("alone", bot.manifest, bot.graph)
    with pytest.raises(TypeError, match="alone was not loaded from a folder, and cannot be pickled"):
        pickle.dumps(alone)


def test_a_copied_external_agent_has_its_own_processes(tmp_path, copied):
    agent = agents.load(function(tmp_path, GOOD), "ese_toro_enamorado")
    game = envs.load("ese_toro_enamorado")
    agent.time_limit = 3.0
    try:
        agent.ready(game, 0)
        other = copied(agent)
        assert (other.spec, other.time_limit, other._seats) == (agent.spec, 3.0, {})
        pickled = pickle.dumps(agent)
    except Fault:
        pytest.fail("the agent did not start")
    finally:
        agent.stop()
    next(tmp_path.glob("*.py")).write_text(GOOD + "# changed\n")
    with pytest.raises(ValueError, match="is another agent than the one that was copied or pickled"):
        pickle.loads(pickled)
