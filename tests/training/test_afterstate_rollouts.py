"""Search distilled into values of afterstates: features of cells, rollouts of whole choices, and the exported bot."""

import json

import numpy as np
import pytest
import torch
from rooms import BANDIDO
from runs import FLAGS, interrupt_at

from sobremesa import agents
from sobremesa.agents.afterstates import afterstates_named, list_choices
from sobremesa.agents.exported import load_bot
from sobremesa.envs.bandido_alcatraz.bots.cells import MOST_CELLS, PER_CELL
from sobremesa.envs.bandido_alcatraz.bots.value import F_CELLS, NUM_WEIGHED
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training.algorithms.afterstate_rollouts import NO_CANDIDATE, Training, difference
from sobremesa.training.algorithms.afterstates import worth_net
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError, from_dict
from sobremesa.training.runs import run
from sobremesa.training.trainer import resume, train

CELLS = afterstates_named("strong.cells", BANDIDO)
KEYS = {
    "game": "bandido_alcatraz", "algorithm": "afterstate_rollouts", "afterstates": "strong.cells", "start": "trained",
    "setup": {"seats": [1, 2]}, "tables": 2, "steps": 500, "share": 0.05, "worlds": 2, "candidates": 4, "plies": 2,
    "window": 64,
} | {key: FLAGS[key] for key in (
    "threads", "batch_size", "epochs", "hidden", "evaluate_every", "evaluate_deals", "evaluate_against",
    "checkpoint_every",
)}  # fmt: skip


def config(**changes):
    return from_dict({**KEYS, **changes})


def positions(count=16):
    """Return tables where `strong` has played for some decisions, with their observations and masks."""
    tables, strong = VectorEnv(BANDIDO, count, seed=3, dtype="uint8"), agents.load("strong", BANDIDO)
    seen = tables.reset(3)
    for _ in range(24):
        views = BANDIDO.layout.decode(seen.observations), seen.masks
        seen = tables.step(np.array([strong.kernel(view, mask, None) for view, mask in zip(*views, strict=True)]))
    return tables, BANDIDO.layout.decode(seen.observations), seen.masks.copy()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run, and the bot made of it."""
    folder = tmp_path_factory.mktemp("rollouts")
    train(config(), folder / "run")
    export(folder / "run", folder / "bot")
    return folder


# Features of cells


def test_features_of_cells_follow_those_of_strong():
    _, observations, masks = positions()
    plain = list_choices(afterstates_named("strong", BANDIDO), observations, masks)
    found = list_choices(CELLS, observations, masks)
    going_on = plain.settled == 0
    assert (found.actions == plain.actions).all()
    assert (found.features[going_on, :NUM_WEIGHED] == plain.features[going_on]).all()
    cells = found.features[:, -MOST_CELLS * PER_CELL :].reshape(-1, MOST_CELLS, PER_CELL)
    assert (cells[going_on, :, 0].sum(1) == np.minimum(plain.features[going_on, F_CELLS], MOST_CELLS)).all()
    assert not cells[cells[:, :, 0] == 0].any()
    assert cells[going_on].std((0, 1)).astype(bool).sum() > 50


@pytest.mark.parametrize("name", ["strong.corners", "strong.", "simple.cells", "trained", "nobody.cells"])
def test_other_afterstates_are_none(name):
    found = afterstates_named(name, BANDIDO)
    assert found is None or name == "strong."


# Learning


def test_the_network_starts_as_the_bot():
    net, bot = worth_net(config(), BANDIDO), agents.load("trained", BANDIDO)
    features = list_choices(CELLS, *positions()[1:]).features
    (wanted,) = bot.graph.run(features=features[:, : bot.afterstates.size])
    assert net.value(features) == pytest.approx(wanted, rel=1e-4, abs=1e-4)


def test_rollouts_continue_choices_of_two_decisions(tmp_path):
    training = Training(config(worlds=1, candidates=40, plies=1), tmp_path, None)
    tables, observations, masks = positions()
    choices = list_choices(CELLS, observations, masks)
    after = tables.states.copy()
    begun = {view: choices.actions[choices.view == view][-1] for view in np.unique(choices.view)}
    seen = tables.step(np.array([begun.get(view, masks[view].argmax()) for view in range(len(masks))]))
    following = list_choices(CELLS, BANDIDO.layout.decode(seen.observations), seen.masks)
    asked = tables.states["stage"] == 2  # how to lay the card
    continued = 0
    for view, action in begun.items():
        if asked[view] and not seen.dones[view]:
            wanted = choices.features[(choices.view == view) & (choices.actions == action) & (choices.settled == 0)]
            own = following.features[following.view == view]
            assert all((own == one).all(1).any() for one in wanted)
            continued += len(wanted)
            values = training._rollouts(after[view : view + 1], after[view : view + 1], np.array([5]), action, wanted)
            assert values.shape == (len(wanted),)
            assert ((values >= 0) & (values <= 1)).all()
    assert continued > 8


def test_the_best_estimates_are_the_payoffs_of_rollouts():
    wanted = torch.tensor([[0.5, 0.4, 0.1], [0.9, 0.2, 0.0]])
    there = torch.tensor([[True, True, True], [True, True, False]])
    found = wanted.clone().requires_grad_()
    difference(found, wanted, there).backward()
    assert found.grad.abs().max() < 1e-6
    with torch.no_grad():
        best = difference(wanted, wanted, there)
        for row, column in ((0, 0), (0, 2), (1, 1)):
            other = wanted.clone()
            other[row, column] += 0.05
            assert difference(other, wanted, there) > best
        padded = wanted.clone()
        padded[1, 2] = 0.7
        assert difference(padded, wanted, there) == best


def test_samples_have_candidates_of_whole_turns(tmp_path):
    training = Training(config(share=1.0), tmp_path, None)
    sampled = training._play()[0]
    choices = list_choices(CELLS, BANDIDO.layout.decode(sampled.codes), sampled.masks)
    counts = np.bincount(choices.view, minlength=len(sampled.codes))
    assert ((sampled.candidates != NO_CANDIDATE).sum(1) == np.minimum(counts, KEYS["candidates"])).all()
    assert (sampled.candidates < counts[:, None]).all()
    assert all(len(set(row[row != NO_CANDIDATE])) == (row != NO_CANDIDATE).sum() for row in sampled.candidates)
    assert (sampled.states["stage"] != 2).all()


def test_the_bot_of_a_run_has_learned_and_plays(made):
    bot, old = load_bot(made / "bot"), agents.load("trained", BANDIDO)
    assert bot.manifest["afterstates"] == "strong.cells"
    assert bot.manifest["parity"]["largest_difference"] < 1e-4
    assert run.read(made / "run")[1]["status"] == "finished"
    _, observations, masks = positions()
    assert not np.allclose(bot.logits(observations, masks), old.logits(observations, masks), atol=1e-6)
    assert agents.play(BANDIDO, [bot, bot], 3, seed=5, seats=2).plies.min() > 10


def test_a_resumed_run_reaches_the_same_weights(made, tmp_path):
    train(config(), tmp_path / "run", interrupt_at(2))
    assert run.read(tmp_path / "run")[1]["status"] == "interrupted"
    resume(tmp_path / "run")
    assert (tmp_path / "run/last.safetensors").read_bytes() == (made / "run/last.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"afterstates": ""}, "afterstates='' is not allowed; it takes a scripted agent"),
        ({"afterstates": "strong.corners"}, "afterstates='strong.corners' is not allowed; it takes an agent"),
        ({"start": "strong"}, "start='strong' is not allowed; it takes a bot of afterstates"),
        ({"candidates": 1}, "candidates=1 is not allowed"),
        ({"plies": 0}, "plies=0 is not allowed"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(changes, told, tmp_path):
    with pytest.raises(ConfigError, match=told):
        Training(config(**changes), tmp_path, None)


def test_a_bot_with_groups_starts_no_network(made, tmp_path):
    with pytest.raises(ConfigError, match="it takes a bot of afterstates without groups"):
        Training(config(start=str(made / "bot")), tmp_path, None)
    manifest = json.loads((made / "bot/bot.json").read_text())
    assert manifest["inputs"] == {"features": ["n", CELLS.size]}
