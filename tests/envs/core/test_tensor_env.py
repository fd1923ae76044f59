"""TensorEnv on the processor, which runs the code that a GPU would run, beside VectorEnv."""

import contextlib
import dataclasses
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from kuhn import GAME as KUHN
from plays import GAMES
from scale import COMPILED_ONLY
from tests.gpu.traces import drawn_setup, first_difference

import sobremesa
from sobremesa import agents, envs
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.retarget import NotPortable
from sobremesa.envs.core.device import program
from sobremesa.envs.core.device.driver import CudaError
from sobremesa.envs.core.device.entries import BOTS
from sobremesa.envs.core.device.vector import TensorEnv, TensorStep
from sobremesa.envs.core.errors import IllegalAction

pytestmark = COMPILED_ONLY

NAME, COUNT = "ese_toro_enamorado", 12
GAME = envs.load(NAME)


def on_device(count=COUNT, seed=3, game=GAME, **arguments):
    arguments = {"dtype": "uint8"} | arguments
    return TensorEnv(game, count, seed, device="cpu", **arguments)


def on_processor(count=COUNT, seed=3, game=GAME, **arguments):
    arguments = {"dtype": "uint8"} | arguments
    return VectorEnv(game, count, seed, **arguments)


def same(found, wanted):
    """Assert that a step of tensors equals one of arrays."""
    for name, tensor, array in zip(TensorStep._fields, found, wanted, strict=True):
        assert tensor.numpy().dtype == array.dtype, name
        assert tensor.numpy().tobytes() == array.tobytes(), name


def play_on(env, other, turns=20, sampling=True):
    """Play the same actions in both; assert equal steps, and return the last."""
    for _ in range(turns):
        actions = other.sample() if sampling else other._out.masks.argmax(1)
        if sampling:
            assert env.sample().tolist() == actions.tolist()
        found, wanted = env.step(torch.from_numpy(np.array(actions))), other.step(actions)
        same(found, wanted)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("staged", [True, False])
def test_every_game_equals_the_vector_environment(name, staged, monkeypatch):
    monkeypatch.setattr(TensorEnv, "staged", staged)
    game = envs.load(name)
    setup = drawn_setup(game, 64)
    assert first_difference(on_device(64, game=game, **setup), on_processor(64, game=game, **setup), 300) is None


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("sampling", [True, False])
def test_every_way_to_reset_gives_the_same_tables(copy, sampling):
    env, other = on_device(copy=copy), on_processor(copy=copy)
    same(env.reset(), other.reset())
    play_on(env, other, sampling=sampling)
    some = np.arange(COUNT) % 3 == 0
    same(env.reset(options={"reset_mask": torch.from_numpy(some)}), other.reset(options={"reset_mask": some}))
    play_on(env, other, sampling=sampling)
    same(env.reset(), other.reset())
    same(env.reset(seed=8), other.reset(seed=8))
    assert env.deal_seeds.tolist() == other.deal_seeds.tolist()
    play_on(env, other, sampling=sampling)
    same(env.observe(), other._out)


@pytest.mark.parametrize(
    ("mask", "given"),
    [(torch.ones(COUNT), f"float32 of shape ({COUNT},)"), (torch.ones(3, dtype=torch.bool), "bool of shape (3,)")],
)
def test_a_bad_reset_mask_is_refused(mask, given):
    env = on_device()
    env.reset()
    wanted = f"reset_mask is {given}; it takes a tensor or a NumPy array of bool, of shape ({COUNT},)"
    with pytest.raises((TypeError, ValueError), match=re.escape(wanted)):
        env.reset(options={"reset_mask": mask})


def test_a_copy_stays_as_it_is():
    env = on_device()
    step, actions = env.reset(), env.sample()
    kept = [tensor.clone() for tensor in (*step, actions)]
    env.step(actions)
    env.step(env.sample())
    assert all(torch.equal(one, other) for one, other in zip((*step, actions), kept, strict=True))
    bare = on_device(copy=False)
    assert bare.reset().masks.data_ptr() == bare.step(bare.sample()).masks.data_ptr()


def test_slots_hold_the_steps_of_a_rollout():
    env, other = on_device(), on_processor()
    slots = env.new_slots(6)
    same(env.observe(env.slot(slots, 0)), other._out)
    for number in range(1, 6):
        actions = other.sample()
        env.sample()
        given = env.step(torch.from_numpy(actions), out=env.slot(slots, number))
        assert given.masks.data_ptr() == slots.masks[number].data_ptr()
        same(given, other.step(actions))
    first = env.slot(slots, 1)
    assert not torch.equal(first.observations, given.observations)
    env.observe(env.slot(slots, 0))
    play_on(env, other)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_floats_are_those_of_the_layout(dtype):
    env, other = on_device(dtype=dtype), on_processor(dtype="uint8")
    for _ in range(5):
        actions = other.sample()
        found, codes = env.step(torch.from_numpy(actions)).observations, other.step(actions).observations
        wanted = torch.from_numpy(GAME.layout.decode(codes)).to(found.dtype)
        assert str(found.dtype) == f"torch.{dtype}"
        assert found.view(torch.uint8).numpy().tobytes() == wanted.view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("made", [on_device, on_processor])
def test_two_halves_equal_the_whole(made):
    whole, *halves = made(), made(COUNT // 2), made(COUNT // 2, first_table=COUNT // 2)
    for _ in range(60):
        steps = [env.step(env.sample()) for env in (whole, *halves)]
        for one, low, high in zip(*steps, strict=True):
            assert np.asarray(one).tobytes() == np.asarray(low).tobytes() + np.asarray(high).tobytes()


@pytest.mark.parametrize("turns", [0, 7])
def test_a_state_moves_between_the_environments(turns):
    env, other = on_device(), on_processor()
    for _ in range(turns):
        env.step(env.sample())
    same(env.observe(), other.set_state(env.get_state()))
    play_on(env, other)
    third = on_device(seed=99)
    same(third.set_state(other.get_state()), other._out)
    play_on(third, other)


def test_an_environment_of_inference_mode_works_outside():
    with torch.inference_mode():
        env = on_device(dtype="float32")
        env.step(env.sample())
    other = on_processor(dtype="float32")
    other.step(other.sample())
    play_on(env, other)


def test_a_state_does_not_change_with_its_environment():
    env = on_device()
    state = env.get_state()
    kept = {name: np.array(value) for name, value in state.items()}
    env.step(env.sample())
    assert all(np.array(state[name]).tobytes() == kept[name].tobytes() for name in kept)


@pytest.mark.parametrize("bot", ["simple", "random"])
def test_a_bot_acts_as_its_kernel_does(bot):
    env, chosen = on_device(), agents.load(bot, GAME)
    where, streams = torch.arange(COUNT) % 2 == 0, {}
    env.reset()
    for _ in range(12):
        view, seeds = env.observe(), env.deal_seeds.tolist()
        seen, wanted = GAME.layout.decode(view.observations.numpy()), []
        for table in range(0, COUNT, 2):
            seat = int(view.seats[table])
            if (seeds[table], seat) not in streams:
                streams[seeds[table], seat] = np.zeros(1, STREAM)
                start(streams[seeds[table], seat][0], derive(seeds[table], BOTS, seat))
            stream = streams[seeds[table], seat][0]
            wanted.append(int(chosen.kernel(seen[table], view.masks[table].numpy(), stream)))
        sampled = env.sample()
        actions = env.act(chosen, where, out=sampled.clone())
        assert actions[::2].tolist() == wanted
        assert actions[1::2].tolist() == sampled[1::2].tolist()
        env.step(actions)
        if len(streams) == 2 * COUNT:
            env.set_state(env.get_state())  # the bots' streams go on
    env.check()


def illegal(env, *tables):
    actions = env.sample().clone()
    for table in tables:
        actions[table] = int(env.observe().masks[table].argmin())
    return actions


def test_a_table_waits_after_an_illegal_action():
    env, other = on_device(), on_processor()
    env.reset(), other.reset()
    before, actions = env.observe(), illegal(env, 4, 7)
    after = env.step(actions)
    assert all(torch.equal(one[[4, 7]], two[[4, 7]]) for one, two in zip(before, after, strict=True))
    other.sample()
    legal = actions.clone()
    legal[[4, 7]] = before.masks[[4, 7]].argmax(1)
    wanted = other.step(legal.numpy())
    assert torch.equal(after.masks[:4], torch.from_numpy(wanted.masks[:4]))  # the others went on
    env.step(illegal(env, 7))
    with pytest.raises(IllegalAction, match=r"3 illegal actions at 2 of 12 tables .* at table 4: \d+ \(.+\); these"):
        env.check()
    env.check()


@pytest.mark.parametrize("action", [-1, GAME.num_actions, 2**62])
def test_numbers_that_are_no_action_are_refused(action):
    env = on_device()
    actions = env.sample().clone()
    actions[2] = action
    env.step(actions)
    with pytest.raises(IllegalAction, match=rf"1 illegal action .* table 2: {action} \(no action of this game\)"):
        env.close()
    play_on_alone = env.step(env.sample())
    assert play_on_alone.masks.any(1).all()


@pytest.mark.parametrize("call", [lambda env: env.reset(), lambda env: env.get_state(), lambda env: env.close()])
def test_illegal_actions_raise_in_the_next_slow_call(call):
    env = on_device()
    env.step(illegal(env, 0))
    with pytest.raises(IllegalAction, match="at table 0"):
        call(env)
    call(env)


SIMPLE = agents.load("simple", GAME)
WRONG = {
    "step takes a tensor of 12 int64 on cpu, one action a table; got int32": lambda env: env.step(
        torch.zeros(COUNT, dtype=torch.int32)
    ),
    "got int64 of shape \\(3,\\)": lambda env: env.step(torch.zeros(3, dtype=torch.int64)),
    "got a ndarray": lambda env: env.step(np.zeros(COUNT, np.int64)),
    "masks of the slot is|observations of the slot is uint8 of shape": lambda env: env.step(
        env.sample(), on_device(3).new_slots(())
    ),
    "observations of the slot is uint8 of shape \\(2, ": lambda env: env.observe(env.new_slots(2)),
    "out is a int; it takes a slot, as `slot` returns it": lambda env: env.step(env.sample(), 3),
    "has no kernel; give a scripted bot": lambda env: env.act(object()),
    "'strong' has no kernel; .* as sobremesa.agents.load\\('strong', '\\w+'\\) returns it": lambda env: env.act(
        "strong"
    ),
    "where is float32 of shape .*; it takes bool of shape \\(12,\\) on cpu": lambda env: env.act(
        SIMPLE, torch.ones(COUNT)
    ),
    "where is a ndarray; it takes bool": lambda env: env.act(SIMPLE, np.ones(COUNT, np.bool_)),
    "out is int64 of shape \\(3,\\)": lambda env: env.act(SIMPLE, out=torch.zeros(3, dtype=torch.int64)),
    "the state is a int; give what get_state": lambda env: env.set_state(3),
    "the state lacks states, setups": lambda env: env.set_state({}),
    "states of the state is \\(3,\\)": lambda env: env.set_state(on_device(3).get_state()),
    "masks of the state is list": lambda env: env.set_state(env.get_state() | {"masks": [1]}),
    "bots of the state has another shape": lambda env: env.set_state(env.get_state() | {"bots": np.zeros(3)}),
    "seed=-1 is not allowed": lambda env: env.set_state(env.get_state() | {"seed": -1}),
    "seed=1.5 is not allowed": lambda env: env.reset(seed=1.5),
    "dtype='int8' is not allowed; it takes": lambda env: on_device(dtype="int8"),
    "num_envs=0 is not allowed": lambda env: on_device(0),
    "first_table=-1 is not allowed": lambda env: on_device(first_table=-1),
}


@pytest.mark.parametrize("message", WRONG)
def test_an_error_names_what_was_given_and_changes_nothing(message):
    env = on_device()
    before = env.get_state()
    with pytest.raises(ValueError, match=message) as caught:
        WRONG[message](env)
    assert "\n" not in str(caught.value)
    after = env.get_state()
    changing = ("sampled", "streams", "drawn", "sampling")  # by `sample`
    assert all(np.array_equal(before[name], after[name]) for name in before if name not in changing)


def test_a_pytorch_without_cuda_is_named(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(
        CudaError, match=r"device='cuda:1' needs an NVIDIA GPU and a PyTorch with CUDA; PyTorch .* has no"
    ):
        sobremesa.make_vec(NAME, 2, device=torch.device("cuda:1"))


def test_a_missing_gpu_is_named(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(CudaError, match="device='cuda' needs an NVIDIA GPU and its driver, and PyTorch finds none"):
        sobremesa.make_vec(NAME, 2, device="cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(CudaError, match="device='cuda:7' does not exist; there are 2 GPUs, numbered from 0"):
        sobremesa.make_vec(NAME, 2, device="cuda:7")


def test_a_missing_pytorch_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "sobremesa.envs.core.device.vector")
    with pytest.raises(ImportError, match=r"device='cuda' needs the 'gpu' extra; run pip install '\.\[gpu\]'"):
        sobremesa.make_vec(NAME, 2, device="cuda")


def test_an_old_gpu_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (6, 1))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Old Card")
    with pytest.raises(CudaError, match=r"Old Card has compute capability 6\.1, and 7\.0 is the oldest that works"):
        program.chip_of(torch.device("cuda", 0))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (12, 0))
    assert program.chip_of(torch.device("cuda", 0)) == "sm_120"


@kernel
def observe_on_the_heap(state, seat, out):
    numbers = np.zeros(state.seats + 3)
    out[:] = numbers[seat]


@kernel
def choose_on_the_heap(observation, mask, stream):
    return np.argmax(np.zeros(len(mask)) + mask)


def test_a_game_or_bot_that_needs_a_heap_is_named():
    game = dataclasses.replace(KUHN, name="heaped", observe=observe_on_the_heap)
    with pytest.raises(NotPortable, match=r"^heaped: these kernels cannot run on a GPU: they allocate memory; use"):
        on_device(game=game)
    with pytest.raises(NotPortable, match=r"^kuhn: the bot's choose_on_the_heap: these kernels cannot run on a GPU"):
        on_device(game=KUHN).act(envs.KernelAgent("heaped", choose_on_the_heap))


def test_an_environment_on_the_processor_is_made_by_its_number():
    env = sobremesa.make_vec("kuhn_poker", 8, device="cpu:0")
    assert isinstance(env, TensorEnv)
    assert env.device == torch.device("cpu")


def test_code_is_loaded_on_its_own_card(monkeypatch):
    current, loaded = [torch.device("cuda", 0)], []

    @contextlib.contextmanager
    def switched(device):
        current.append(device)
        yield
        current.pop()

    monkeypatch.setattr(torch, "zeros", lambda *shape, device: None)
    monkeypatch.setattr(torch.cuda, "device", switched)
    monkeypatch.setattr(program, "chip_of", lambda device: "sm_90")
    monkeypatch.setattr(program, "ptx_of", lambda entries, chip: "ptx")
    monkeypatch.setattr(program, "Module", lambda code: loaded.append((code, current[-1])))
    program.Program([], torch.device("cuda", 1))
    assert loaded == [("ptx", torch.device("cuda", 1))]


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    env = on_device()
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2**20, 2**30))
    monkeypatch.setattr(env, "device", torch.device("cuda", 0))
    monkeypatch.setattr(env, "num_envs", 10**6)
    with pytest.raises(
        MemoryError, match=r"1000000 tables of \w+ take [\d.]+ GB, and cuda:0 has 0\.0 GB free, without 0\.0 GB that"
    ):
        env._check_memory()


def test_tensors_are_passed_on_without_a_copy():
    step = TensorEnv(KUHN, 4, device="cpu:0").reset()
    for tensor in step:  # DLPack, which JAX reads too
        assert np.from_dlpack(tensor).ctypes.data == torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
        assert tensor.is_contiguous()  # JAX refuses rows with gaps


def test_two_threads_play_environments_of_one_game():
    def play(env):
        steps = [env.step(env.sample()) for _ in range(200)]
        return [tensor.tolist() for tensor in steps[-1]]

    def made():
        return [on_device(count, game=KUHN, copy=True) for count in (700, 1_100)]

    alone = [play(env) for env in made()]
    with ThreadPoolExecutor(2) as pool:
        assert all(list(pool.map(play, made())) == alone for _ in range(3))


def test_memory_that_the_driver_reserves_for_threads_counts(monkeypatch):
    """The local memory of a step of Bandido Alcatraz, and an H200: 2,048 threads on each of 132 multiprocessors."""
    env, card = on_device(), SimpleNamespace(max_threads_per_multi_processor=2_048, multi_processor_count=132)
    assert env.reserved_bytes == 0
    usage = {"step": {"registers": 255, "local bytes": 25_968}, "sample": {"registers": 48, "local bytes": 0}}
    monkeypatch.setattr(env, "_program", SimpleNamespace(usage=lambda: usage))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: card)
    assert env.reserved_bytes == 25_968 * 2_048 * 132
    monkeypatch.setattr(
        torch.cuda, "mem_get_info", lambda device: (env.reserved_bytes + COUNT * env.table_bytes - 1, 0)
    )
    monkeypatch.setattr(env, "device", torch.device("cuda", 0))
    with pytest.raises(MemoryError, match=rf"without 7\.0 GB that the driver reserves; at most {COUNT - 1} tables fit"):
        env._check_memory(env.reserved_bytes)
    monkeypatch.setitem(TensorEnv._reserved, env.device, env.reserved_bytes)  # by an environment before
    env._check_memory(env.reserved_bytes)


@pytest.mark.parametrize("name", ["DISABLE_JIT", "BOUNDSCHECK"])
def test_a_setting_of_numba_that_forbids_it_is_named(name, monkeypatch):
    monkeypatch.setattr(program.config, name, 1)
    with pytest.raises(CudaError, match=f"NUMBA_{name} is set, .*; unset it, or use device='cpu'"):
        on_device()


def test_memory_of_a_table_is_that_of_its_tensors():
    env = on_device()
    held = {tensor.untyped_storage().data_ptr(): tensor for tensor in (*env._tensors.values(), *env._out)}
    assert sum(one.untyped_storage().nbytes() for one in held.values()) == COUNT * env.table_bytes
