"""Configurations: allowed values, and errors that name the key."""

import dataclasses
from pathlib import Path

import pytest

from sobremesa import agents, configs, envs
from sobremesa.training.config import classes
from sobremesa.training.config.classes import (
    AfterstatesConfig,
    ConfigError,
    MaskablePPOConfig,
    SelfPlayConfig,
    TrainConfig,
    find,
    from_dict,
    read,
)

KEYS = [key.name for key in dataclasses.fields(SelfPlayConfig)]
WRONG_TYPES = [
    ("game", 3, "`str`, got `int`"),
    ("seed", "7", "`int`, got `str`"),
    ("steps", 1.5, "`int`, got `float`"),
    ("steps", True, "`int`, got `bool`"),
    ("learning_rate", "fast", "`float`, got `str`"),
    ("learning_rate", True, "`float`, got `bool`"),
    ("hidden", 64, "`array`, got `int`"),
    ("hidden", [64, "64"], r"`int`, got `str` - at `\$\[1\]`"),
    ("hidden", [True], r"`int`, got `bool` - at `\$\[0\]`"),
    ("opponents", ["simple"], "`object`, got `array`"),
    ("opponents", {"simple": "often"}, "`float`, got `str`"),
    ("setup", "seats=2", "`object`, got `str`"),
    ("evaluate_against", "simple", "`array`, got `str`"),
    ("evaluate_against", [1], r"`str`, got `int` - at `\$\[0\]`"),
]
OUT_OF_RANGE = [
    ("steps", 0, "`int` >= 1"),
    ("tables", -1, "`int` >= 1"),
    ("threads", 0, "`int` >= 1"),
    ("threads", 65, "`int` <= 64"),
    ("horizon", 0, "`int` >= 1"),
    ("epochs", 0, "`int` >= 1"),
    ("batch_size", 1, "`int` >= 2"),
    ("snapshot_every", 0, "`int` >= 1"),
    ("evaluate_every", 0, "`int` >= 1"),
    ("evaluate_deals", 0, "`int` >= 1"),
    ("snapshots", -1, "`int` >= 0"),
    ("seed", -1, "`int` >= 0"),
    ("seed", 2**31, f"`int` <= {2**31 - 1}"),
    ("learning_rate", 0, "`float` > 0.0"),
    ("learning_rate", float("nan"), "`float` > 0.0"),
    ("learning_rate", float("inf"), "`float` <= 1000000.0"),
    ("learning_rate", 10**400, "Number out of range"),
    ("entropy", 1e308, "`float` <= 1000000.0"),
    ("clip", 1e300, "`float` <= 1000000.0"),
    ("hidden", [10**9], "`int` <= 16384 - at `$[0]`"),
    ("hidden", [8] * 10**5, "of length <= 64"),
    ("memory", 10**9, "`int` <= 16384"),
    ("steps", 2**53, f"`int` <= {10**15}"),
    ("gamma", 0, "`float` > 0.0"),
    ("gamma", 1.01, "`float` <= 1.0"),
    ("gae_lambda", -0.1, "`float` > 0.0"),
    ("clip", 0, "`float` > 0.0"),
    ("entropy", -0.1, "`float` >= 0.0"),
    ("hidden", [64, 0], "`int` >= 1 - at `$[1]`"),
    ("opponents", {}, "it takes names with weights from 0, at least one"),
    ("opponents", {"simple": 0}, "it takes names with weights from 0, at least one"),
    ("opponents", {"simple": 1, "random": -0.5}, "`float` >= 0.0"),
    ("opponents", {"simple": float("nan")}, "`float` >= 0.0"),
    ("opponents", {"simple": float("inf")}, "`float` <= 1000000.0"),
    (
        "algorithm",
        "sarsa",
        "afterstates or dmc or dqn or nfsp or rollout_iteration or counterfactual: an algorithm without",
    ),
    ("algorithm", ["a2c"], "an algorithm without action masks"),
    ("minutes", -1, "`float` >= 0.0"),
    ("magnet", -0.1, "`float` >= 0.0"),
    ("entropy_last", -0.1, "`float` >= 0.0"),
    ("magnet_rate", 0, "`float` > 0.0"),
    ("memory", -1, "`int` >= 0"),
    ("unroll", 0, "`int` >= 1"),
    ("channels", 0, "`int` >= 1"),
    ("pool_size", 0, "`int` >= 1"),
    ("checkpoint_every", 0, "`int` >= 1"),
    ("setup", {"seats": []}, "a list of at least one"),
]
FOREIGN = [  # (algorithm, a key that it does not have, a value)
    ("maskable_ppo", "memory", 8),
    ("maskable_ppo", "grids", ["board"]),
    ("maskable_ppo", "roles", "side"),
    ("maskable_ppo", "magnet", 0.1),
    ("maskable_ppo", "minutes", 1.0),
    ("maskable_ppo", "pool_size", 3),
    ("maskable_ppo", "checkpoint_every", 9),
    ("maskable_ppo", "teacher_until", 0.2),
    ("maskable_ppo", "unroll", 3),
    ("afterstates", "opponents", {"random": 1}),
    ("afterstates", "gamma", 1.0),
    ("ppo_selfplay", "explore", 0.1),
    ("dmc", "gae_lambda", 0.5),
    ("dmc", "teacher", "simple"),
]


def test_the_defaults_are_a_configuration():
    assert from_dict({"game": "any"}) == SelfPlayConfig(game="any")
    assert from_dict({"algorithm": "maskable_ppo"}) == MaskablePPOConfig()
    made = from_dict({"algorithm": "afterstates", "afterstates": "strong"})
    assert made == AfterstatesConfig(afterstates="strong")


def test_what_configurations_share_is_none():
    with pytest.raises(ConfigError, match=r"^TrainConfig is a base class; use SelfPlayConfig or Maskable"):
        TrainConfig(game="any")


def test_two_configurations_share_no_list_or_table():
    one, other = SelfPlayConfig(), SelfPlayConfig()
    one.hidden.append(1)
    one.opponents["random"] = 1.0
    one.setup["seats"] = 3
    assert (other.hidden, other.setup) == ([128, 128], {})
    assert "random" not in other.opponents


def test_every_key_has_a_help_text():
    for kind in classes.config_classes():
        for key in dataclasses.fields(kind):
            assert key.metadata["doc"]
            assert kind.algorithm in classes.algorithms_with(key.name)


def test_an_unknown_key_is_told_with_those_there_are():
    with pytest.raises(ConfigError, match="unknown key 'learn_rate'") as told:
        from_dict({"learn_rate": 0.1})
    assert all(key in str(told.value) for key in KEYS)


@pytest.mark.parametrize(("key", "value", "allowed"), WRONG_TYPES)
def test_a_value_of_the_wrong_type_is_told_with_its_key(key, value, allowed):
    with pytest.raises(ConfigError, match=rf"^{key}.* is not allowed: Expected {allowed}"):
        from_dict({key: value})


@pytest.mark.parametrize(("key", "value", "allowed"), OUT_OF_RANGE)
def test_a_value_out_of_range_is_told_with_its_key(key, value, allowed):
    with pytest.raises(ConfigError) as told:
        from_dict({key: value})
    assert str(told.value).startswith(key)
    assert " is not allowed" in str(told.value)
    assert allowed in str(told.value)
    assert len(str(told.value)) < 1_000


@pytest.mark.parametrize(("algorithm", "key", "value"), FOREIGN)
def test_a_key_of_another_algorithm_is_refused(algorithm, key, value):
    afterstates = {"afterstates": "strong"} if algorithm == "afterstates" else {}
    told = rf"^{key}=.* is not allowed with algorithm='{algorithm}' \({key} is a key of .*\); it takes game, "
    with pytest.raises(ConfigError, match=told) as error:
        from_dict({"algorithm": algorithm, key: value, **afterstates})
    assert key not in str(error.value).partition("it takes ")[2].split(", ")


@pytest.mark.parametrize(("algorithm", "name"), [("ppo_selfplay", "snapshots"), ("maskable_ppo", "self")])
def test_snapshots_among_the_opponents_need_some(algorithm, name):
    with pytest.raises(ConfigError, match=rf"^snapshots=0 is not allowed; it takes 1 or more when `{name}`"):
        from_dict({"algorithm": algorithm, "snapshots": 0, "opponents": {name: 1}})


def test_the_name_of_a_bad_weight_is_told():
    with pytest.raises(ConfigError, match=r"^opponents\.simple='often'"):
        from_dict({"opponents": {"random": 1, "simple": "often"}})


def test_a_gradient_step_on_one_decision_is_refused():
    with pytest.raises(ConfigError, match=r"^batch_size=32 "):
        MaskablePPOConfig(tables=3, horizon=11, batch_size=32)
    assert MaskablePPOConfig(tables=3, horizon=11, batch_size=31).batch_size == 31
    assert SelfPlayConfig(tables=3, horizon=11, batch_size=32).batch_size == 32  # its parts are nearly equal


def test_whole_numbers_pass_for_numbers():
    made = from_dict({"learning_rate": 1, "gamma": 1, "opponents": {"simple": 2}})
    assert isinstance(made, SelfPlayConfig)
    assert (made.learning_rate, made.gamma, made.opponents) == (1.0, 1.0, {"simple": 2.0})
    assert all(type(value) is float for value in (made.learning_rate, made.gamma, made.opponents["simple"]))


def test_no_snapshots_are_needed_without_self():
    assert SelfPlayConfig(snapshots=0, opponents={"simple": 1}).snapshots == 0


def test_a_file_is_read_as_it_stands(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('game = "kuhn"\nsteps = 5_000\ngamma = 1\nhidden = [8]\n[setup]\nseats = [2, 3]\n')
    made = from_dict(read(find(str(file))))
    assert (made.game, made.steps, made.gamma, made.hidden) == ("kuhn", 5000, 1.0, [8])
    assert made.setup == {"seats": [2, 3]}


@pytest.mark.parametrize("content", [b"steps = ", b"\xff\xfe", b"a = " + b"[" * 100_000, b"steps = " + b"9" * 5000])
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path, content):
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"bad\.toml: not TOML"):
        read(file)


def test_a_missing_file_error_lists_the_configurations(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError) as told:
            read(path)
        assert str(path) in str(told.value)
        assert all(name in str(told.value) for name in configs.names())


def test_an_unknown_configuration_error_lists_the_names():
    with pytest.raises(ValueError, match=f"no configuration 'mine'; there are {configs.names()[0]}"):
        configs.path("mine")


RECIPES = Path(configs.__file__).parent / "recipes"
SHIPPED = [configs.path(name) for name in configs.names()]


@pytest.mark.parametrize("file", [*SHIPPED, *RECIPES.glob("*.toml")], ids=lambda file: file.stem)
def test_a_configuration_names_what_exists(file):
    made = from_dict(read(file))
    games = [envs.load(name) for name in ([made.game] if made.game else envs.games())]
    commands = file.read_text() + (RECIPES / "README.md").read_text()
    met = (*getattr(made, "opponents", ()), *getattr(made, "rivals", ()), *made.evaluate_against)
    for agent in (*met, *filter(None, [getattr(made, "start", "")])):
        if f" -o {agent} " not in commands and agent not in ("self", "snapshots"):
            assert {agents.load(agent, game).name for game in games} == {agent}
    for field, value in made.setup.items():
        for game in games:
            game.new_tables(1, {field: value[0] if isinstance(value, list) else value})
