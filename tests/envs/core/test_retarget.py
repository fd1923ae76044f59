"""The rules as code for a GPU: the same results after each pass of the compiler, and no need of an allocator."""

import dataclasses
import re

import numpy as np
import pytest
import torch
from numba import types
from plays import GAMES
from scale import COMPILED_ONLY
from tests.gpu import passes, registers, traces

from sobremesa import agents, envs
from sobremesa.agents.exported import pick_action
from sobremesa.envs.core.agent import value_estimate_of
from sobremesa.envs.core.compile import elementary, retarget
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.device.entries import bot_entries, vector_entries
from sobremesa.envs.core.device.program import Program
from sobremesa.envs.core.device.rollouts import queue_program, scripted_program
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.kuhn_poker import rules as kuhn
from sobremesa.training.algorithms.device.deals import deals_program

pytestmark = COMPILED_ONLY

CHIP = "sm_90"
QUICK = "ese_toro_enamorado"  # the game whose code is compiled fastest
with_ptxas = pytest.mark.skipif(
    registers.assembler() is None, reason="there is no ptxas: pip install -c constraints.txt -e '.[ptxas]'"
)
games = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == QUICK else pytest.mark.thorough) for name in GAMES]
)


@games
def test_a_game_becomes_ptx_without_open_calls(name):
    text = registers.ptx_of(name, CHIP)
    assert set(re.findall(r"\.entry (\w+)\(", text)) == {"reset", "step", "sample", "show"}
    assert f".target {CHIP}" in text
    assert not re.findall(r"\.extern \.func.*", text)


@games
def test_rollouts_and_bots_become_ptx_without_open_calls(name):
    game, cpu = envs.load(name), torch.device("cpu")
    strong = agents.load("strong", game)
    programs = [
        scripted_program(game, strong.kernel, True, value_estimate_of(strong), cpu),
        queue_program(game, pick_action, "", strong.kernel, cpu),
        deals_program(game, "", strong.kernel, 4, 1, cpu),
    ]
    every = [list(program._entries.values()) for program in programs]
    every += [bot_entries(game, agents.load(bot, game).kernel) for bot in ("strong", "simple")]
    for entries in every if name != QUICK else every[:2]:
        text = retarget.ptx(retarget.optimized(retarget.link(entries), CHIP), CHIP)
        assert set(re.findall(r"\.entry (\w+)\(", text)) == {entry.name for entry in entries}
        assert not re.findall(r"\.extern \.func.*", text)


def test_constant_records_lie_where_a_gpu_reads_numbers():
    weights = np.zeros(8, with_attributes([("win", np.float64), ("cards", np.int8)]))
    weights["win"] = np.arange(8) ** 2

    @kernel
    def row(i, number, paid):
        paid[i] = weights[number % 8].win

    text = retarget.link([retarget.Entry("row", row, {"paid": retarget.Column(types.float64)})])
    assert re.findall(r"(?m)^@[^\n]* constant \[128 x i8\] [^\n]*, align (\d+)$", text) == ["16"]


@with_ptxas
@pytest.mark.parametrize(
    "chip", [pytest.param(chip, marks=() if chip == CHIP else pytest.mark.thorough) for chip in registers.CHIPS]
)
@games
def test_registers_and_memory_of_a_thread_are_those_stored(name, chip):
    """`python -m tests.gpu.registers` writes the table again after a change on purpose."""
    stored = [row for row in registers.read() if (row.game, row.chip) == (name, chip)]
    assert registers.rows_of(name, chip) == stored


@with_ptxas
@pytest.mark.parametrize(("plant", "figure"), [("copying", "registers"), ("spread_out", "local")])
def test_a_planted_cost_of_the_rules_changes_a_figure(plant, figure):
    game = envs.load("kuhn_poker")
    plain, planted = (
        registers.assembled(retarget.ptx(retarget.optimized(retarget.link(vector_entries(one)), CHIP), CHIP), CHIP)
        for one in (game, dataclasses.replace(game, play=globals()[plant]))
    )
    place = registers.Row._fields.index(figure) - 3
    assert planted["step"][place] > 2 * plain["step"][place]
    assert planted["show"] == plain["show"]


@games
def test_code_gives_the_same_tables_after_each_pass(name):
    game = envs.load(name)
    assert passes.report(game, passes.forms(game)) == ["linked: equal", "optimized: equal"]


def test_a_miscompilation_is_found_and_located():
    game = envs.load(QUICK)
    codes = dict(passes.forms(game))
    head, step = re.split(r"(?m)^(?=define [^\n]*@step\()", codes["optimized"])
    codes["optimized"] = head + step.replace("= xor i64", "= or i64", 1)  # in a round of the random numbers
    assert codes["optimized"] != head + step
    linked, optimized = passes.report(game, codes)
    assert linked == "linked: equal"
    assert re.fullmatch(r"optimized: differs at turn \d+ in \w+ of table \d+", optimized)


@games
def test_the_traces_of_the_processor_are_those_stored(name):
    assert traces.trace_on("cpu", envs.load(name)) == traces.stored()[name]


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_optimized_code_gives_the_stored_traces(name):
    game = envs.load(name)
    setup = traces.drawn_setup(game, traces.TABLES)
    env = TensorEnv(game, traces.TABLES, device="cpu", copy=False, dtype="uint8", **setup)
    assert traces.trace(env) == traces.stored()[name]


def test_a_planted_bit_changes_the_traces():
    game = envs.load(QUICK)
    setup = traces.drawn_setup(game, 64)
    whole, planted = (
        traces.trace(envs.make_vec(QUICK, 64, copy=False, dtype="uint8", **setup), turns=50, plant=plant)["checkpoints"]
        for plant in (None, 8)
    )
    differ = [int(turn) for turn in whole if whole[turn] != planted[turn]]
    assert min(differ) == 8


@kernel
def heaped(i, number, numbers):
    own = np.zeros(number + 3, np.int64)
    own[number] = 5
    numbers[i] = own[number // 2] + own[number]


@kernel
def framed(i, number, numbers):
    own = scratch(3, np.int64)
    own[0] = number
    numbers[i] = own[0]


@kernel
def spread(i, number, numbers):
    own = scratch(64, np.int64)
    for place in range(64):
        own[place] = place * number
    numbers[i] = own[numbers[i] % 64] + own[number % 64]


def entry_of(function):
    return [retarget.Entry("fill", function, {"numbers": retarget.Column(types.int64)})]


def test_a_kernel_that_allocates_is_refused_with_a_remedy():
    with pytest.raises(retarget.NotPortable, match=r"^these kernels .*allocate memory; use sobremesa\.envs\.scratch"):
        retarget.optimized(retarget.link(entry_of(heaped)), CHIP)


def test_a_kernel_with_scratch_becomes_ptx():
    code = retarget.optimized(retarget.link(entry_of(framed)), CHIP)
    assert retarget.problems(code) == []
    assert ".entry fill(" in retarget.ptx(code, CHIP)


@with_ptxas
def test_an_array_of_a_thread_shows_as_local_memory():
    def local(kernel):
        code = retarget.optimized(retarget.link(entry_of(kernel)), CHIP)
        return registers.assembled(retarget.ptx(code, CHIP), CHIP)["fill"][1]

    assert local(spread) >= 64 * 8 > local(rooted) == 0


@kernel
def copying(state, action):
    """Play in a copy, which an assignment loads whole before it stores the first byte."""
    kept = scratch(1, kuhn.STATE)
    kept[0] = state
    kuhn.play(kept[0], action)
    state.pot[0] = kept[0].pot[0] + kept[0].ply


@kernel
def spread_out(state, action):
    kept = scratch(512, np.int64)
    for place in range(512):
        kept[place] = place * action
    kuhn.play(state, kept[state.ply % 512] & 1)


@kernel
def rooted(i, number, numbers):
    numbers[i] = np.sqrt(number) + np.floor(np.sqrt(np.float32(number)))


@kernel
def waving(i, number, numbers):
    numbers[i] = 100 * np.sin(number) + np.exp(np.float32(number))


def test_a_kernel_with_square_roots_becomes_ptx():
    code = retarget.optimized(retarget.link(entry_of(rooted)), CHIP)
    assert "sqrt.rn.f64" in retarget.ptx(code, CHIP)


@kernel
def logarithmic(i, number, numbers):
    numbers[i] = np.float64(np.log(number)).view(np.int64)


def test_the_processor_runs_the_threads_and_logarithms_of_a_gpu():
    numbers, count = torch.full((128,), -1), 100  # the last 28 threads of two blocks have no table
    Program(entry_of(logarithmic), torch.device("cpu"))("fill", count, 700, {"numbers": numbers[:count]})
    wanted = np.array([elementary.log(float(number)) for number in range(700, 800)])
    assert np.array_equal(numbers[:count].numpy(), wanted.view(np.int64))
    assert (wanted != np.log(np.arange(700, 800))).any()  # the C library rounds otherwise
    assert (numbers[count:] == -1).all()


def test_functions_that_a_gpu_lacks_are_refused():
    with pytest.raises(retarget.NotPortable, match=r"^these kernels cannot run on a GPU: they call exp, sin, which"):
        retarget.optimized(retarget.link(entry_of(waving)), CHIP)


def test_problems_of_code_are_named():
    assert retarget.problems("declare double @sin(double)\ndeclare i64 @llvm.x(i64)\n") == [
        "they call sin, which only this processor has"
    ]
    assert "stack" in retarget.problems("  %a = alloca i8, i64 %n\n")[0]
