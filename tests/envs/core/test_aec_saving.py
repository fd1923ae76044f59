"""Copies and saved states of AEC environments, at every ply and through the dead steps."""

import copy
import hashlib
import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from plays import GAMES, KINDS, allowed, looks, one_game, play_on, short_deal

from sobremesa import envs
from sobremesa.envs.core.api import aec
from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.errors import StateMismatch
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import setups


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


@pytest.fixture(params=KINDS)
def short(request, name):
    """Make environments of a setup with short deals; the second value is the seed of one."""
    setup, seed = short_deal(name)
    constructor = constructors(envs.load(name))[request.param == "raw_env"]
    return lambda: constructor(**setup), seed


def saved_and_taken_up(env):
    other = type(env)(env.game, **env.game.setup(env._setup))
    other.set_state(env.get_state())
    return other


COPIES = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "get_state": saved_and_taken_up,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_at_any_ply_plays_on_as_the_original(short, copied):
    """A state is one record: a copy that is the same after its first step stays so; one goes on to the end."""
    make, seed = short
    env = make()
    env.reset(seed=seed)
    first, latest = copied(env), copied(env)
    for action in play_on(env, seed):
        for other in (first, latest):
            other.step(action)
            assert looks(other) == looks(env)
        latest = copied(env)
        assert looks(latest) == looks(env)
    assert not first.agents + latest.agents


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_what_happens_to_a_copy_does_not_happen_to_the_original(short, copied):
    make, seed = short
    env = make()
    env.reset(seed=seed)
    list(play_on(env, seed, 4))
    before = looks(env)
    other = copied(env)
    other.infos[other.agent_selection]["action_mask"][:] = 0
    assert looks(env) == before
    other = copied(env)
    other.reset()
    list(play_on(other, 1))
    assert looks(env) == before


@one_game
@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_a_copy_deals_on_as_the_original_without_disturbing_it(short, way):
    make, seed = short
    env, untouched = make(), make()
    for one in (env, untouched):
        one.reset(seed=seed)
    other = COPIES[way](env)
    for _ in range(3):
        other.reset()
    for _ in range(3):
        env.reset()
        untouched.reset()
        assert looks(env) == looks(untouched)
    assert looks(other) == looks(env)


@one_game
@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_an_environment_that_was_never_reset_can_be_copied(short, way):
    make, seed = short
    other, env = COPIES[way](make()), make()
    other.reset(seed=seed)
    env.reset(seed=seed)
    assert looks(other) == looks(env)


def test_a_forfeited_deal_can_be_saved_and_copied(name):
    env = constructors(envs.load(name))[0]()
    env.reset(seed=1)
    env.step(min(set(range(env.game.num_actions)) - set(allowed(env))))
    for copied in COPIES.values():
        other = copied(env)
        assert looks(other) == looks(env)
        list(play_on(other, 0))
        assert not other.agents


def test_a_copy_keeps_its_arguments_and_draws(name):
    env = envs.make(name, render_mode="ansi", encoder="text", language="es", viewer=1)
    env.reset(seed=1)
    for way in ("clone", "deepcopy", "pickle"):
        other = COPIES[way](env)
        assert other.render() == env.render()
        assert other.observe("seat_0")["observation"] == env.observe("seat_0")["observation"]


def test_a_saved_deal_is_taken_up_after_its_end(short):
    make, seed = short
    env = make()
    env.reset(seed=seed)
    list(play_on(env, seed))
    other = make()
    other.reset(seed=seed + 1)
    other.set_state(env.get_state())
    assert looks(other) == looks(env)
    assert other.agents == []
    other.reset(seed=seed)
    env.reset(seed=seed)
    assert looks(other) == looks(env)


@one_game
def test_a_saved_deal_is_taken_up_in_another_process(name):
    env = envs.make(name)
    env.reset(seed=3)
    list(play_on(env, 3, 9))
    program = (
        "import sys; from sobremesa import envs\n"
        f"env = envs.make({name!r}); env.set_state(sys.stdin.buffer.read())\n"
        "sys.stdout.buffer.write(env.get_state())"
    )
    ran = subprocess.run([sys.executable, "-c", program], input=env.get_state(), capture_output=True, check=True)
    assert ran.stdout == env.get_state()


# What is refused.


def sealed(body):
    return aec._MAGIC + hashlib.sha256(body).digest() + body


def parts(saved):
    """Return the header and the record of saved bytes."""
    head, _, raw = saved[len(aec._MAGIC) + 32 :].partition(b"\n")
    return json.loads(head), raw


def check_refused(env, saved, why):
    before = looks(env)
    with pytest.raises(StateMismatch, match=why) as caught:
        env.set_state(saved)
    assert env.game.id in str(caught.value)
    assert looks(env) == before


@pytest.fixture
def env(name):
    env = envs.make(name, seats=envs.load(name).seat_range[-1])
    env.reset(seed=7)
    list(play_on(env, 7, 30))
    return env


@one_game
@pytest.mark.parametrize("garbage", [b"", b"garbage", "text", None, 3, bytearray(b"sobremesa state 1\n")], ids=repr)
def test_garbage_is_no_state(env, garbage):
    check_refused(env, garbage, "not bytes of a state")


@one_game
def test_a_state_cut_short_anywhere_is_refused(env):
    saved = env.get_state()
    for length in range(0, len(saved), 91):
        check_refused(env, saved[:length], "damaged or cut short|not bytes of a state")
    check_refused(env, saved + b"\0", "damaged or cut short")


@one_game
def test_a_state_with_one_flipped_byte_is_refused(env):
    saved = env.get_state()
    for place in range(0, len(saved), 39):
        damaged = bytearray(saved)
        damaged[place] ^= 0x10
        check_refused(env, bytes(damaged), "damaged or cut short|not bytes of a state")


@one_game
def test_a_state_of_another_game_or_version_is_refused(env):
    header, raw = parts(env.get_state())
    for other in ("another_game-v1", f"{env.game.name}-v{env.game.version + 1}"):
        check_refused(env, sealed(json.dumps(header | {"game": other}).encode() + b"\n" + raw), f"saved in {other}")


@one_game
def test_a_state_with_other_fields_is_refused(env):
    header, raw = parts(env.get_state())
    changed = json.dumps(header | {"record": "0" * 16}).encode()
    check_refused(env, sealed(changed + b"\n" + raw), "another build of the game, with other fields")
    check_refused(env, sealed(json.dumps(header).encode() + b"\n" + raw[:-1]), "another build")


WILD = [
    None,
    True,
    0,
    1,
    -1,
    10**400,
    0.5,
    float("nan"),
    "",
    "seat_0",
    "seat_9",
    "\x1b",
    [],
    {},
    [[]] * 3,
    {"seat_0": 1},
]


def mutated(header, rng):
    """Return `header` as JSON with one thing in it changed: a key, a value, or a value inside a list or a dict."""
    header = json.loads(json.dumps(header))
    name = str(rng.choice(list(header)))
    inside = header[name]
    wild = WILD[rng.integers(len(WILD))]
    kind = rng.integers(5)
    if kind == 0:
        del header[name]
    elif kind == 1:
        header["more"] = wild
    elif kind == 2 and isinstance(inside, dict) and inside:
        agent = str(rng.choice(list(inside)))
        if rng.integers(2):
            del inside[agent]
        else:
            inside[agent] = wild
    elif kind == 3 and isinstance(inside, list) and inside:
        rng.shuffle(inside)
        del inside[: rng.integers(len(inside))]
    elif kind == 4 and name not in ("game", "record"):
        header[name] = header[str(rng.choice(list(header)))]
    else:
        header[name] = wild
    return json.dumps(header).encode()


@one_game
@pytest.mark.parametrize("moment", ["running", "forfeited", "over", "with dead steps"])
def test_a_mutated_header_is_refused_or_plays_to_the_end(name, moment):
    setup, seed = short_deal(name)
    env = constructors(envs.load(name))[0](**setup)
    env.reset(seed=seed)
    if moment == "forfeited":
        env.step(min(set(range(env.game.num_actions)) - set(allowed(env))))
    elif moment != "running":
        while not any(env.terminations.values()):
            env.step(int(allowed(env)[0]))
    if moment == "with dead steps":
        env.step(None)
    header, raw = parts(env.get_state())
    before, refused, rng = looks(env), [], np.random.default_rng(3)
    for _ in range(200):
        try:
            env.set_state(sealed(mutated(header, rng) + b"\n" + raw))
        except StateMismatch as error:
            refused.append(str(error))
            assert looks(env) == before
        else:
            list(play_on(env, 1))
            assert not env.agents
            env.set_state(before[0])
            assert looks(env) == before
    assert len(refused) > 150
    assert all(reason.isprintable() for reason in refused)


@one_game
@pytest.mark.parametrize("head", [b"", b"[]", b"3", b"{", b"\xff", b"[" * 10**5, b'{"game": 1}', b"1" * 10**4])
def test_a_header_that_is_no_object_is_refused(env, head):
    _, raw = parts(env.get_state())
    check_refused(env, sealed(head + b"\n" + raw), "the header is not ")


def test_a_state_of_another_setup_is_refused_and_both_are_named(name, env):
    game = envs.load(name)
    others = [setup for setup in setups(game) if game.setup(game.new_tables(1, setup)) != game.setup(env._setup)]
    for setup in (others[0], others[-1]):
        other = envs.make(name, **setup)
        other.reset(seed=7)
        named = [re.escape(str(game.setup(one._setup))) for one in (other, env)]
        check_refused(env, other.get_state(), f"{named[0]}, this one has {named[1]}")


def test_wild_bytes_in_a_record_are_taken_or_refused_cleanly(env):
    header, raw = parts(env.get_state())
    outcomes, before = {"taken": 0, "refused": 0}, looks(env)
    for place in range(0, len(raw), 3):
        wild = bytearray(raw)
        wild[place] = (wild[place] + 100) % 256
        saved = sealed(json.dumps(header).encode() + b"\n" + bytes(wild))
        try:
            env.set_state(saved)
        except StateMismatch:
            assert env.get_state() == before[0]
            outcomes["refused"] += 1
        else:
            env.state()
            env.game.words.describe(env._states, None, "en")
            env.set_state(before[0])
            outcomes["taken"] += 1  # the random stream, padding, markers, …
    assert outcomes["refused"] > outcomes["taken"]
    assert looks(env) == before


def test_an_impossible_record_is_refused_with_the_reason(env):
    header, raw = parts(env.get_state())
    states = np.frombuffer(raw, env.game.state).copy()
    states["seat"] = 7
    reason = state_problems(env.game, states)[0]
    check_refused(
        env,
        sealed(json.dumps(header).encode() + b"\n" + states.tobytes()),
        f"not a valid state of the game: .*{reason}",
    )
