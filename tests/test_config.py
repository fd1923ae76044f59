"""The training configuration: what it takes, and that every mistake is told with the key and with what is allowed."""

import dataclasses
import re

import pytest

from sobremesa import agents, configs, envs
from sobremesa.training.config import ConfigError, TrainConfig, find, from_dict, read

KEYS = [key.name for key in dataclasses.fields(TrainConfig)]
WRONG_TYPES = [
    ("game", 3, "a string"),
    ("seed", "7", "a whole number"),
    ("steps", 1.5, "a whole number"),
    ("steps", True, "a whole number"),
    ("learning_rate", "fast", "a number"),
    ("learning_rate", True, "a number"),
    ("hidden", 64, "a list, each a whole number"),
    ("hidden", [64, "64"], "a whole number"),
    ("hidden", [True], "a whole number"),
    ("opponents", ["simple"], "a table of names and values"),
    ("opponents", {"simple": "often"}, "a number"),
    ("setup", "seats=2", "a table of names and values"),
    ("evaluate_against", "simple", "a list, each a string"),
    ("evaluate_against", [1], "a string"),
]
OUT_OF_RANGE = [
    ("steps", 0, "from 1"),
    ("tables", -1, "from 1"),
    ("threads", 0, "from 1"),
    ("horizon", 0, "from 1"),
    ("epochs", 0, "from 1"),
    ("batch_size", 1, "from 2"),
    ("snapshot_every", 0, "from 1"),
    ("evaluate_every", 0, "from 1"),
    ("evaluate_deals", 0, "from 1"),
    ("snapshots", -1, "from 0"),
    ("seed", -1, "from 0 to 2**31 - 1"),
    ("seed", 2**31, "from 0 to 2**31 - 1"),
    ("learning_rate", 0, "above 0"),
    ("learning_rate", float("nan"), "above 0"),
    ("learning_rate", float("inf"), "a finite number"),
    ("learning_rate", 10**400, "a number"),
    ("gamma", 0, "above 0, up to 1"),
    ("gamma", 1.01, "above 0, up to 1"),
    ("gae_lambda", -0.1, "above 0, up to 1"),
    ("clip", 0, "above 0"),
    ("entropy", -0.1, "from 0"),
    ("hidden", [64, 0], "sizes above 0"),
    ("opponents", {}, "weights from 0"),
    ("opponents", {"simple": 0}, "weights from 0"),
    ("opponents", {"simple": 1, "random": -0.5}, "weights from 0"),
    ("opponents", {"simple": float("nan")}, "weights from 0"),
    ("opponents", {"simple": float("inf")}, "a finite number"),
    ("algorithm", "dqn", "ppo_selfplay or maskable_ppo or afterstates: .* takes no mask"),
    ("algorithm", "a2c", "ppo_selfplay or maskable_ppo or afterstates: .* plays forbidden ones"),
    ("minutes", -1, "from 0"),
    ("pull", -0.1, "from 0"),
    ("entropy_last", -0.1, "from 0"),
    ("reference_rate", 0, "above 0, up to 1"),
    ("memory", -1, "from 0"),
    ("unroll", 0, "from 1"),
    ("channels", 0, "from 1"),
    ("pool", 0, "from 1"),
    ("checkpoint_every", 0, "from 1"),
    ("setup", {"seats": []}, "a list of one at least"),
]


def test_the_defaults_are_a_configuration():
    assert from_dict({"game": "any"}) == TrainConfig(game="any")


def test_two_configurations_share_no_list_or_table():
    one, other = TrainConfig(), TrainConfig()
    one.hidden.append(1)
    one.opponents["random"] = 1.0
    one.setup["seats"] = 3
    assert (other.hidden, other.setup) == ([128, 128], {})
    assert "random" not in other.opponents


def test_every_key_says_what_it_means():
    assert all(key.metadata["doc"] for key in dataclasses.fields(TrainConfig))


def test_an_unknown_key_is_told_with_those_there_are():
    with pytest.raises(ConfigError, match="unknown key 'learn_rate'") as told:
        from_dict({"learn_rate": 0.1})
    assert all(key in str(told.value) for key in KEYS)


@pytest.mark.parametrize(("key", "value", "allowed"), WRONG_TYPES)
def test_a_value_of_the_wrong_type_is_told_with_its_key(key, value, allowed):
    with pytest.raises(ConfigError, match=rf"^{key}.* is not allowed; it takes {allowed}"):
        from_dict({key: value})


@pytest.mark.parametrize(("key", "value", "allowed"), OUT_OF_RANGE)
def test_a_value_out_of_range_is_told_with_its_key(key, value, allowed):
    with pytest.raises(ConfigError) as told:
        from_dict({key: value})
    assert str(told.value).startswith(key)
    assert "is not allowed; it takes" in str(told.value)
    assert re.search(re.escape(allowed).replace(r"\.\*", ".*"), str(told.value))


NOT_FOR_MASKABLE = [
    ("memory", 8),
    ("grids", ["board"]),
    ("roles", "side"),
    ("pull", 0.1),
    ("minutes", 1.0),
    ("pool", 3),
    ("checkpoint_every", 9),
    ("teacher_until", 0.2),
    ("unroll", 3),
]


@pytest.mark.parametrize(("key", "value"), NOT_FOR_MASKABLE)
def test_what_maskable_ppo_lacks_is_told(key, value):
    with pytest.raises(ConfigError, match=rf"^{key}=.* is not allowed with algorithm='maskable_ppo', which has"):
        from_dict({"algorithm": "maskable_ppo", key: value})


@pytest.mark.parametrize(("algorithm", "name"), [("ppo_selfplay", "snapshots"), ("maskable_ppo", "self")])
def test_snapshots_among_the_opponents_need_some(algorithm, name):
    with pytest.raises(ConfigError, match=rf"^snapshots=0 is not allowed; it takes 1 or more when `{name}`"):
        from_dict({"algorithm": algorithm, "snapshots": 0, "opponents": {name: 1}})


def test_the_name_of_a_bad_weight_is_told():
    with pytest.raises(ConfigError, match=r"^opponents\.simple='often'"):
        from_dict({"opponents": {"random": 1, "simple": "often"}})


def test_a_gradient_step_on_one_decision_is_refused():
    with pytest.raises(ConfigError, match=r"^batch_size=32 "):
        TrainConfig(algorithm="maskable_ppo", tables=3, horizon=11, batch_size=32)
    assert TrainConfig(algorithm="maskable_ppo", tables=3, horizon=11, batch_size=31).batch_size == 31
    assert TrainConfig(tables=3, horizon=11, batch_size=32).batch_size == 32  # its parts are nearly equal


def test_whole_numbers_pass_for_numbers():
    config = from_dict({"learning_rate": 1, "gamma": 1, "opponents": {"simple": 2}})
    assert (config.learning_rate, config.gamma, config.opponents) == (1.0, 1.0, {"simple": 2.0})
    assert all(type(value) is float for value in (config.learning_rate, config.gamma, config.opponents["simple"]))


def test_no_snapshots_are_needed_without_self():
    assert TrainConfig(snapshots=0, opponents={"simple": 1}).snapshots == 0


def test_a_file_is_read_as_it_stands(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('game = "kuhn"\nsteps = 5_000\ngamma = 1\nhidden = [8]\n[setup]\nseats = [2, 3]\n')
    config = from_dict(read(find(str(file))))
    assert (config.game, config.steps, config.gamma, config.hidden) == ("kuhn", 5000, 1.0, [8])
    assert config.setup == {"seats": [2, 3]}


@pytest.mark.parametrize(("content", "told"), [(b"steps = ", "not TOML"), (b"\xff\xfe", "not TOML")])
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path, content, told):
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=rf"bad\.toml: {told}"):
        read(file)


def test_a_missing_file_is_told_with_the_configurations_there_are(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError) as told:
            read(path)
        assert str(path) in str(told.value)
        assert all(name in str(told.value) for name in configs.names())


def test_a_configuration_that_does_not_exist_is_told_with_those_that_do():
    with pytest.raises(ValueError, match=f"no configuration 'mine'; there are {configs.names()[0]}"):
        configs.path("mine")


@pytest.mark.parametrize("name", configs.names())
def test_a_shipped_configuration_names_what_exists(name):
    config = from_dict(read(find(name)))
    game = envs.load(config.game)
    for agent in (*config.opponents, *config.evaluate_against):
        assert agent in ("self", "snapshots") or agents.load(agent, game).name == agent
    for field, value in config.setup.items():
        game.new_tables(1, {field: value[0] if isinstance(value, list) else value})
