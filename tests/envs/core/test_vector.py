"""A vector environment, on the processor or on a device, equals single AEC environments, table by table."""

import copy
import importlib
import pickle
import threading

import numpy as np
import pytest
from bad_masks import BAD_MASKS
from plays import GAMES, one_game, short_deal
from scale import COMPILED_ONLY, PLAIN, scaled

from sobremesa import envs
from sobremesa.envs.core.api.vector import deal_seed
from sobremesa.envs.core.compile import threads
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.testing.check import setups


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


@pytest.fixture(params=["processor", pytest.param("device", marks=[pytest.mark.thorough, COMPILED_ONLY])])
def any_game(request):
    """Return the maker of a vector environment of any game; those on a device take long to compile."""
    return maker(request.param)


@pytest.fixture(params=["processor", pytest.param("device", marks=COMPILED_ONLY)])
def either(request):
    """Return the maker of a vector environment of one game."""
    return maker(request.param)


def maker(kind):
    if kind == "processor":
        return envs.make_vec
    pytest.importorskip("torch")
    return importlib.import_module("on_device").OnDevice


def mixed(name, count):
    """Return setup fields for `count` tables, each with another of the game's setups, and the setups themselves."""
    game = envs.load(name)
    defaults = {option.name: option.default for option in game.options}
    short, _ = short_deal(name)
    tried = [defaults | setup for setup in (short, *setups(game))]
    tables = [tried[table % len(tried)] for table in range(count)]
    return {option: [table[option] for table in tables] for option in defaults}, tables


@pytest.mark.kernels
def test_each_table_equals_a_single_environment_in_all_deals(name, any_game):
    fields, tables = mixed(name, 2 if PLAIN else 24)
    vector = any_game(name, len(tables), seed=9, **fields)
    singles = [envs.make(name, **table) for table in tables]
    deals = np.zeros(len(tables), int)
    for table, single in enumerate(singles):
        single.reset(seed=deal_seed(9, table, 0))
    out, ended = vector.reset(), 0
    for _ in range(150 if PLAIN else 300):
        actions = vector.sample().copy()
        out = vector.step(actions)
        for table, single in enumerate(singles):
            single.step(int(actions[table]))
            over = any(single.terminations.values())
            payoffs = [single.rewards[agent] for agent in single.possible_agents]
            assert out.dones[table] == over
            assert out.payoffs[table, : len(payoffs)].tolist() == payoffs
            assert not out.payoffs[table, len(payoffs) :].any()
            if over:
                ended += 1
                deals[table] += 1
                single.reset(seed=deal_seed(9, table, deals[table]))
            agent = single.possible_agents[out.seats[table]]
            seen = single.observe(agent)
            assert agent == single.agent_selection
            assert out.observations[table].tobytes() == seen["observation"].tobytes()
            assert out.masks[table].tobytes() == seen["action_mask"].tobytes()
            assert vector.states[table : table + 1].tobytes() == single._states.tobytes()
    assert ended
    expected = [deal_seed(9, table, deal) for table, deal in enumerate(deals)]
    assert vector.deal_seeds.tolist() == expected


def played(name, count, steps, **arguments):
    fields, _ = mixed(name, count)
    vector = envs.make_vec(name, count, seed=3, **fields, **arguments)
    total = np.zeros((count, vector.game.max_seats))
    for _ in range(steps):
        out = vector.step(vector.sample())
        total += out.payoffs
    return [vector.states.tobytes(), total.tobytes(), *(array.tobytes() for array in out)]


def test_the_number_of_threads_changes_nothing(name):
    count = 1600
    one, *more = [played(name, count, 120, threads=number) for number in (1, 2, 3, None)]
    assert all(other == one for other in more)


@one_game
@pytest.mark.skipif(PLAIN, reason="plain Python runs in one thread")
def test_many_tables_are_really_stepped_in_several_threads(name, monkeypatch):
    def workers(count, number):
        seen = []

        def noted(*arguments):
            seen.append((threading.get_ident(), *arguments[-2:]))
            return kernel(*arguments)

        vector = envs.make_vec(name, count, threads=number)
        kernel = vector._kernels.step
        monkeypatch.setattr(vector, "_kernels", vector._kernels._replace(step=noted))
        vector.step(vector.sample())
        return seen

    slices = workers(1600, 3)
    assert len({ident for ident, *_ in slices}) > 1
    edges = sorted(edges for _, *edges in slices)
    assert len(edges) == 3
    assert [low for low, _ in edges] == [0, *(high for _, high in edges[:-1])]
    assert edges[-1][1] == 1600
    assert all(high - low >= 1600 // 4 for low, high in edges)
    assert len(workers(1600, 1)) == len(workers(threads.SMALLEST_SLICE, 3)) == 1


def test_a_table_does_not_depend_on_how_many_others_there_are(name, any_game):
    few, many = any_game(name, 3, seed=5), any_game(name, 40, seed=5)
    for _ in range(scaled(200)):
        a, b = few.step(few.sample()), many.step(many.sample())
        assert all((x == y[:3]).all() for x, y in zip(a, b, strict=True))


def wrong_actions(vector):
    good = vector.sample().copy()
    one_illegal = good.copy()
    one_illegal[2] = np.flatnonzero(vector._out.masks[2] == 0)[0]
    for number in (-1, vector.game.num_actions, 2**40):
        outside = good.copy()
        outside[2] = number
        yield outside, "table 2, "
    yield one_illegal, "table 2, "
    yield good[:-1], "takes 4 whole numbers"
    yield good[:, None], "takes 4 whole numbers"
    yield int(good[0]), "takes 4 whole numbers"
    yield good.astype(float), "got float64"
    yield good > 0, "got bool"
    yield [str(one) for one in good], "got <U"
    yield [None] * 4, "got object"
    yield np.array([2**64 - 1] * 4, np.uint64), "table 0, "


@one_game
def test_wrong_actions_are_refused_and_change_no_table(name):
    vector = envs.make_vec(name, 4, seed=1)
    for _ in range(10):
        for actions, why in wrong_actions(vector):
            before = [array.tobytes() for array in (vector.states, vector.deal_seeds, *vector._out)]
            with pytest.raises(IllegalAction, match=why) as caught:
                vector.step(actions)
            assert name in str(caught.value)
            assert [array.tobytes() for array in (vector.states, vector.deal_seeds, *vector._out)] == before
        vector.step(vector.sample())


def test_an_error_names_the_first_table_at_fault_reproducibly(name):
    vector = envs.make_vec(name, 4, seed=1)
    for _ in range(7):
        vector.step(vector.sample())
    actions = vector.sample().copy()
    actions[[1, 3]] = [np.flatnonzero(vector._out.masks[table] == 0)[0] for table in (1, 3)]
    with pytest.raises(IllegalAction) as caught:
        vector.step(actions)
    seat, ply = vector.states["seat"][1], vector.states["ply"][1]
    assert f"{vector.game.id}, table 1, seat {seat}, ply {ply}: action {actions[1]} (" in str(caught.value)


@one_game
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint16, np.uint64, list])
def test_any_kind_of_whole_numbers_is_taken(name, dtype):
    vector, plain = envs.make_vec(name, 4), envs.make_vec(name, 4)
    for _ in range(5):
        actions = plain.sample().copy()
        vector.step(actions.tolist() if dtype is list else actions.astype(dtype))
        plain.step(actions)
    assert vector.states.tobytes() == plain.states.tobytes()


@one_game
def test_what_a_step_gave_stays_unless_buffers_are_asked_for(name, either):
    for fresh in (False, True):
        vector = either(name, 8, dtype="uint8", **({} if fresh else {"copy": False}))
        first = vector.reset()
        kept = [array.copy() for array in first]
        sampled = vector.sample()
        later = vector.step(sampled)
        assert [np.shares_memory(a, b) for a, b in zip(first, later, strict=True)] == [not fresh] * len(first)
        assert np.shares_memory(sampled, vector.sample()) is not fresh
        assert all((a == b).all() for a, b in zip(first, kept, strict=True)) is fresh
        if fresh:
            for array in later:
                array[:] = 1
            actions = vector.sample()
            assert vector._out.masks[np.arange(8), actions].all()
            assert not vector._out.masks.all()


def test_reset_with_a_seed_repeats_it_and_without_one_goes_on(name, any_game):
    vector, runs = any_game(name, 6, seed=4, copy=True), []
    for seed in (None, None, 4, None, 5, None):
        out = vector.reset(seed)
        assert not out.dones.any()
        assert not out.payoffs.any()
        steps = [vector.step(vector.sample()) for _ in range(scaled(100))]
        runs.append([array.tobytes() for step in steps for array in step])
    assert runs[0] == runs[2]
    assert runs[1] == runs[3]
    assert len({tuple(run) for run in runs}) == 4


@one_game
def test_resets_without_a_seed_start_the_next_deals(name, either):
    vector, twin = (either(name, 3, seed=6) for _ in range(2))

    def deals(env):
        return [(env.reset(), env.states.tobytes())[1] for _ in range(4)]

    dealt = deals(vector)
    assert len(set(dealt)) == 4
    assert dealt == deals(twin)
    assert vector.deal_seeds.tolist() == [deal_seed(6, table, 3) for table in range(3)]
    stepped = either(name, 3, seed=6)
    assert dealt[0] == stepped.states.tobytes()
    stepped.step(stepped.sample())
    stepped.reset()
    assert stepped.deal_seeds.tolist() != [deal_seed(6, table, 0) for table in range(3)]


@one_game
@pytest.mark.parametrize("sampled", [False, True])
def test_a_reset_mask_resets_its_tables_alone(name, sampled, either):
    vector, twin = (either(name, 4, seed=2) for _ in range(2))
    mask = np.array([True, False, False, True])
    for _ in range(3):
        actions = vector.sample() if sampled else vector._out.masks.argmax(1)
        vector.step(actions)
        twin.step(twin.sample() if sampled else actions)
    out = vector.reset(options={"reset_mask": mask})
    assert not out.payoffs.any()
    assert not out.dones.any()
    for other in np.flatnonzero(~mask):
        assert vector.states[other].tobytes() == twin.states[other].tobytes()
    for table in np.flatnonzero(mask):
        alone = envs.make(name)
        alone.reset(seed=int(vector.deal_seeds[table]))
        assert vector.states[table].tobytes() == alone._states[0].tobytes()
        assert vector.deal_seeds[table] == deal_seed(2, table, int(twin._deals[table]) + 1)
    actions, others = vector.sample(), twin.sample()
    assert out.masks[np.arange(4), actions].all()
    assert actions[~mask].tolist() == others[~mask].tolist()
    vector.step(actions)


@one_game
@pytest.mark.parametrize(("mask", "error", "why"), BAD_MASKS, ids=repr)
def test_a_bad_reset_mask_is_refused_and_changes_nothing(name, mask, error, why, either):
    vector = either(name, 2, seed=1)
    before = [array.tobytes() for array in (vector.states, vector.deal_seeds, *vector._out)]
    with pytest.raises(error, match=why):
        vector.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset_mask cannot be combined with a seed"):
        vector.reset(3, options={"reset_mask": np.array([True, False])})
    with pytest.raises(ValueError, match=f"{name}: reset has no option 'mask'; it has 'reset_mask'"):
        vector.reset(options={"mask": np.array([True, False])})
    with pytest.raises(ValueError, match=f"{name}: seats is set when the environment is made"):
        vector.reset(options={"seats": 2})
    assert [array.tobytes() for array in (vector.states, vector.deal_seeds, *vector._out)] == before
    assert vector.seed == 1


@one_game
def test_reset_repeats_the_samples_whenever_they_are_asked_for(name, either):
    vector, runs = either(name, 6, seed=4), []
    for _ in range(3):
        out = vector.reset(4)
        for _ in range(3):
            out = vector.step(out.masks.argmax(axis=1))
        runs.append(vector.sample().tolist())
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.kernels
def test_samples_are_legal_and_try_every_allowed_action(name, any_game):
    vector = any_game(name, 1)
    mask = vector.reset().masks[0]
    drawn = {int(vector.sample()[0]) for _ in range(40 * int(mask.sum()))}
    assert drawn == set(np.flatnonzero(mask).tolist())


def test_the_shapes_are_as_declared(name, any_game):
    game = envs.load(name)
    out = any_game(name, 5).reset()
    shapes = [(array.shape, array.dtype) for array in out]
    assert shapes == [
        ((5, game.layout.size), np.float32),
        ((5, game.num_actions), np.int8),
        ((5,), np.int8),
        ((5, game.max_seats), np.float32),
        ((5,), np.bool_),
    ]
    assert (out.masks.sum(axis=1) >= 2).all()


def test_a_table_takes_little_memory(name):
    assert envs.load(name).state.itemsize < {"bandido_alcatraz": 3 * 1024, "erase_una_vez": 5 * 1024}.get(name, 1024)


def test_a_bad_setup_is_refused_with_what_is_allowed(name, any_game):
    game = envs.load(name)
    most = game.seat_range[-1]
    with pytest.raises(TypeError, match=f"{name} has no option 'nonsense'; it has seats.*unexpected keyword argument"):
        any_game(name, 3, nonsense=1)
    for seats in (most + 1, [2, 2, most + 1], 2.0, "2", [2, 2, None]):
        with pytest.raises(ValueError, match=rf"{name}: seats=.* is not allowed; it takes (2$|a whole number from)"):
            any_game(name, 3, seats=seats)
    for seats in ([2, 2], [2] * 4, []):
        with pytest.raises(ValueError, match=f"{name}: seats lists {len(seats)} values for 3 tables"):
            any_game(name, 3, seats=seats)


@one_game
@pytest.mark.parametrize("count", [0, -1])
def test_there_must_be_a_table(name, count, either):
    with pytest.raises(ValueError, match="it takes a whole number from 1"):
        either(name, count)


@one_game
@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "1"], ids=repr)
def test_a_bad_seed_is_refused_with_what_is_allowed(name, seed, either):
    for call in (lambda: either(name, 2, seed=seed), lambda: either(name, 2).reset(seed)):
        with pytest.raises(ValueError, match=r"takes a whole number from 0 to 2\*\*63 - 1"):
            call()


def test_reordered_samples_are_read_before_being_overwritten():
    tables, twin = (envs.make_vec("ese_toro_enamorado", 2, seed=3, mountains="fixed") for _ in range(2))
    shared = ()
    while len(shared) < 2:  # actions that both tables allow
        tables.step(tables.sample())
        shared = np.flatnonzero(twin.step(twin.sample()).masks.all(axis=0))
    buffer = tables.sample()
    buffer[:] = shared[:2]
    twin.sample()
    tables.step(buffer[::-1])
    twin.step(shared[:2][::-1].copy())
    assert tables.states.tobytes() == twin.states.tobytes()


@pytest.mark.parametrize("value", ["x", 1.5, -1, 2**63, True, None, np.zeros(3, int)])
def test_what_is_no_whole_number_is_refused_in_one_line(value):
    for place, name in enumerate(("seed", "table", "deal")):
        numbers = [0, 0, 0]
        numbers[place] = value
        with pytest.raises(
            ValueError, match=rf"^{name}=.* is not allowed; it takes a whole number from 0 to 2\*\*63 - 1$"
        ):
            deal_seed(*numbers)
    with pytest.raises(ValueError, match=r"^num_envs=.* is not allowed; it takes a whole number from 1 to 2..63 - 1$"):
        envs.make_vec("ese_toro_enamorado", value)


@one_game
def test_a_state_file_moves_to_either_environment(name, either, tmp_path):
    vector, file = either(name, 5, seed=3), tmp_path / "tables.npz"
    for _ in range(9):
        vector.step(vector.sample())
    vector.save_state(file)
    others = [maker(kind)(name, 5, seed=8) for kind in ("processor", "device")]
    for other in others:
        other.load_state(file)
    others.append(maker("processor")(name, 5))
    others[-1].set_state(np.load(file, allow_pickle=False))
    for _ in range(20):
        actions = vector.sample().copy()
        wanted = vector.step(actions)
        for other in others:
            assert other.sample().tolist() == actions.tolist()
            found = other.step(actions)
            assert all(one.tobytes() == own.tobytes() for one, own in zip(found, wanted, strict=True))


def test_a_file_that_is_no_state_is_refused_by_its_name(tmp_path):
    vector, file = envs.make_vec("leduc_poker", 2), tmp_path / "tables.npz"
    vector.save_state(file)
    with pytest.raises(ValueError, match=r"tables.npz: kuhn_poker: the state has game 'leduc_poker-v1', not 'kuhn"):
        envs.make_vec("kuhn_poker", 2).load_state(file)
    with pytest.raises(ValueError, match=r"tables.npz: leduc_poker: states of the state is \(2,\) of"):
        envs.make_vec("leduc_poker", 3).load_state(file)
    np.savez(file, **vector.get_state() | {"format": 2})
    with pytest.raises(ValueError, match="the state has format 2, not 1"):
        vector.load_state(file)
    np.savez_compressed(file, **vector.get_state())
    with pytest.raises(ValueError, match=r"tables.npz: no state of a vector environment: \w+.npy is compressed"):
        vector.load_state(file)
    for content in (b"", b"not a state", file.read_bytes()[:-40]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"tables.npz: no state of a vector environment: "):
            vector.load_state(file)


@one_game
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_continues_alike_and_apart(name, either, copied):
    vector = either(name, 4, seed=6)
    vector.step(vector.sample())
    vector = getattr(vector, "env", vector)  # the environment itself
    other = copied(vector)
    steps = [[env.step(env.sample()) for _ in range(5)] for env in (vector, other)]
    for one, two in zip(*steps, strict=True):
        assert all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(one, two, strict=True))
