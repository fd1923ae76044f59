"""Canonical views: networks, bots and kernels turn with the board."""

import dataclasses

import numpy as np
import pytest
import torch
from rooms import ESTAFADO, TORO
from runs import tiny, train_tiny

from sobremesa import agents
from sobremesa.agents.search.policies import policy_kernels
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.networks.canonical_view import ways_of
from sobremesa.training.networks.onnx_graphs import real_views
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.views import Views
from sobremesa.training.runs.evaluation import symmetries_of

OBSERVATIONS, MASKS = real_views(TORO)
FACING = {"hidden": [16], "facing": "homes"}


def made(kind=PolicyNet, game=TORO, **parts):
    """Return a network that thinks differently of all actions."""
    torch.manual_seed(3)
    net = kind(game, **(FACING | parts)) if kind is PolicyNet else kind(game, "value", **(FACING | parts))
    with torch.no_grad():
        for weight in net.parameters():
            weight.copy_(torch.randn_like(weight))
    return net


def answers(net, observations):
    with torch.inference_mode():
        return net.run(Views(torch.from_numpy(observations)), torch.zeros(len(observations), net.memory))[0].numpy()


def settled(observations):
    """Return those of seats that have a mountain; others are shown all as it is."""
    first = TORO.layout.start("homes")
    return observations[observations[:, first : first + 4].any(1)]


@pytest.mark.parametrize("parts", [{}, {"roles": "stage"}, {"memory": 8}])
def test_who_sees_the_board_turned_answers_turned(parts):
    seen, policy, value = settled(OBSERVATIONS), made(**parts), made(Net, **parts)
    for symmetry in TORO.symmetries:
        turned = seen[:, symmetry.seen]
        np.testing.assert_allclose(answers(policy, turned)[:, symmetry.actions], answers(policy, seen), atol=1e-5)
        np.testing.assert_allclose(answers(value, turned), answers(value, seen), atol=1e-5)


def test_a_canonical_view_is_not_turned():
    net, first = made(), TORO.layout.start("homes")
    there = OBSERVATIONS[~OBSERVATIONS[:, first + 1 : first + 4].any(1)]
    facing, net.facing = answers(net, there), None
    np.testing.assert_array_equal(answers(net, there), facing)
    turned = settled(OBSERVATIONS)
    plain = answers(net, turned)
    net.facing = made().facing
    assert not np.allclose(answers(net, turned), plain)


def test_pieces_with_a_memory_equal_single_decisions():
    net, pieces = made(memory=8), settled(OBSERVATIONS)[:12]
    with torch.inference_mode():
        found = net.over_sequence(Views(torch.from_numpy(pieces)), torch.zeros(4, 8), 3).numpy()
        for piece in range(4):
            memory = torch.zeros(1, 8)
            for step in range(3):
                view = Views(torch.from_numpy(pieces[3 * piece + step][None]))
                logits, memory = net.run(view, memory)
                np.testing.assert_allclose(found[piece, step], logits[0].numpy(), atol=1e-5)


def test_what_is_advised_is_turned_too():
    net = made(advised_by="strong")
    seen = settled(OBSERVATIONS)
    said = net.advisor.advise(seen, np.ones((len(seen), TORO.num_actions), np.int8))[:, seen.shape[1] :]
    for symmetry in TORO.symmetries:
        turned = np.zeros_like(said)
        turned[:, symmetry.actions] = said
        one = answers(net, np.concatenate([seen, said], 1))
        other = answers(net, np.concatenate([seen[:, symmetry.seen], turned], 1))
        np.testing.assert_allclose(other[:, symmetry.actions], one, atol=1e-5)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facing")
    export(train_tiny(folder / "run", facing="homes", steps=600), folder / "bot", "last")
    export(train_tiny(folder / "plain", steps=600), folder / "unturned", "last")
    return folder


def test_its_bot_plays_so_in_batches_and_inside_kernels(run):
    bot = agents.load(run / "bot")
    seen = settled(OBSERVATIONS)
    allowed = np.ones((len(seen), TORO.num_actions), np.float32)
    for symmetry in TORO.symmetries:
        there = bot.logits(seen[:, symmetry.seen], allowed)[:, symmetry.actions]
        np.testing.assert_allclose(there, bot.logits(seen, allowed), atol=1e-4)
    assert policy_kernels(bot) is not None  # which are compared with the bot where they are made


def test_a_network_starts_from_bots_with_and_without_views(run, tmp_path):
    for bot, alike in (("bot", OBSERVATIONS), ("unturned", None)):
        policy = Training(tiny(facing="homes", start=str(run / bot)), tmp_path / bot, None).learner.policy
        first = TORO.layout.start("homes")
        seen = OBSERVATIONS[OBSERVATIONS[:, first] == 1] if alike is None else alike
        allowed = np.ones((len(seen), TORO.num_actions), np.float32)
        np.testing.assert_allclose(answers(policy, seen), agents.load(run / bot).logits(seen, allowed), atol=1e-4)
    with pytest.raises(ConfigError, match="it sees canonical views: set facing='homes'"):
        Training(tiny(start=str(run / "bot")), tmp_path / "run", None)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"facing": "nowhere"}, "facing: no block 'nowhere'"),
        ({"facing": "moon"}, "facing='moon' is not allowed; it takes homes, or \"\""),
        (
            {"facing": "homes", "setup": {"board": "small"}},
            "orientations exist only with board='standard'",
        ),
        ({"facing": "homes", "setup": {"board": ["standard", "small"]}}, "only with board='standard'"),
        ({"facing": "hand", "game": "corre_el_encierro"}, 'it takes "" in corre_el_encierro'),
        ({"facing": "floor", "game": "estafado"}, 'it takes "" in estafado'),
    ],
)
def test_what_does_not_tell_how_to_turn_is_refused(changes, why, tmp_path):
    with pytest.raises(ConfigError, match=why):
        Training(tiny(**changes), tmp_path / "run", None)


def test_symmetries_are_those_of_all_tables():
    toro, estafado = ([id(turn) for turn in game.symmetries] for game in (TORO, ESTAFADO))
    assert list(map(id, symmetries_of(tiny(), TORO))) == toro == list(map(id, ways_of(TORO, "homes")))
    assert symmetries_of(tiny(setup={"board": ["standard", "small"]}), TORO) == ()
    assert list(map(id, symmetries_of(dataclasses.replace(tiny(), game="estafado"), ESTAFADO))) == estafado
