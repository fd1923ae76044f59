"""`sampled(BOT, temperature=T)`: the policy of an exported bot at another temperature, wherever an agent is named."""

import copy
import pickle

import numpy as np
import pytest
import torch
from command_line import sobremesa
from rooms import BANDIDO, TORO
from runs import train_tiny

from sobremesa import agents, envs
from sobremesa.agents.arena.parcels import bot_folders
from sobremesa.agents.arena.play import play
from sobremesa.agents.search.policies import policy_kernels
from sobremesa.envs.core.agent import new_stream
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.deal import deal_between, payoffs
from sobremesa.training.bots import export, export_module
from sobremesa.training.exploitability import exact_response, game_of

KUHN = envs.load("kuhn_poker")
OF_GAMES = {"advised": (TORO, "champion", {"max_rounds": 2}), "afterstates": (BANDIDO, "champion", {})}


@pytest.fixture(scope="module")
def bot(tmp_path_factory):
    """The folder of a bot of Kuhn poker with random weights."""
    torch.manual_seed(5)
    folder = tmp_path_factory.mktemp("sampled") / "bot"
    net = torch.nn.Linear(KUHN.layout.size, KUHN.num_actions)
    with torch.no_grad():
        net.weight *= 3  # so that temperatures matter
    export_module(net, KUHN, folder)
    return folder


@pytest.fixture(scope="module")
def recurrent(tmp_path_factory):
    folder = train_tiny(tmp_path_factory.mktemp("sampled") / "run", memory=8, unroll=4, steps=600)
    export(folder, folder.parent / "gru", "last")
    return TORO, str(folder.parent / "gru"), {"max_rounds": 2}


def views(game, count=4):
    tables = VectorEnv(game, count, seed=1)
    seen = tables.step(tables.sample())
    return seen.observations.copy(), seen.masks.copy()


def streams(count):
    return np.concatenate([new_stream(seed) for seed in range(count)]).astype(STREAM)


def shares(bot, observation, mask, draws=4000):
    """Return how often `bot` takes each action at one view."""
    rows = [np.repeat(array[None], draws, axis=0) for array in (observation, mask)]
    return np.bincount(bot.act_batch(*rows, streams(draws)), minlength=len(mask)) / draws


@pytest.mark.parametrize("temperature", [0.5, 1, 2.5, 1000])
def test_actions_follow_the_softmax_at_the_temperature(bot, temperature):
    observations, masks = views(KUHN)
    trained, sampled = agents.load(bot), agents.load(f"sampled({bot}, temperature={temperature})", KUHN)
    weights = np.where(masks > 0, np.exp(trained.logits(observations, masks).astype(float) / temperature), 0)
    wanted = weights / weights.sum(1, keepdims=True)
    assert sampled.chances(observations, masks) == pytest.approx(wanted, abs=1e-6)
    for row, observation in enumerate(observations):
        assert shares(sampled, observation, masks[row]) == pytest.approx(wanted[row], abs=0.03)


def test_temperature_zero_is_greedy(bot):
    observations, masks = views(KUHN)
    trained, greedy = agents.load(bot), agents.load(f"sampled({bot}, temperature=0)", KUHN)
    best = np.where(masks > 0, trained.logits(observations, masks), -np.inf).argmax(1)
    for seed in range(3):
        assert (greedy.act_batch(observations, masks, streams(seed + 4)[seed:]) == best).all()
    assert (greedy.chances(observations, masks).argmax(1) == best).all()
    assert greedy.chances(observations, masks).max(1).tolist() == [1] * 4


def test_temperature_one_is_the_policy_as_trained(bot):
    observations, masks = views(KUHN)
    trained, same = agents.load(bot), agents.load(f"sampled({bot})", KUHN)
    assert same.name == "sampled(bot)"
    assert same.logits(observations, masks).tobytes() == trained.logits(observations, masks).tobytes()
    drawn = [one.act_batch(observations, masks, streams(4)).tolist() for one in (trained, same)]
    assert drawn[0] == drawn[1]
    digits = {agents.identity(one).rpartition("#")[2] for one in (trained, same)}
    assert len(digits) == 1
    others = (f"sampled({bot}, temperature={one})" for one in ("0", "2", "2.5"))
    digits |= {agents.identity(agents.load(one)).rpartition("#")[2] for one in others}
    assert len(digits) == 4


@pytest.mark.parametrize("kind", [*OF_GAMES, "recurrent"])
@pytest.mark.parametrize("temperature", [0, 3])
def test_every_kind_of_bot_plays_alike_view_by_view(kind, temperature, recurrent):
    game, name, setup = OF_GAMES.get(kind, recurrent)
    sampled, base = agents.load(f"sampled({name}, temperature={temperature})", game), agents.load(name, game)
    simple = agents.load("simple", game)
    rows = play(game, [sampled, simple], 2, seed=2, seats=2, **setup)
    for row in range(4):
        seated = [[sampled, simple][agent] for agent in rows.seating[row]]
        plies = list(deal_between(game, seated, int(rows.seeds[row]), seats=2, **setup))
        assert len(plies) - 1 == rows.plies[row]
        assert payoffs(game, plies[-1].states).tolist() == rows.payoffs[row].tolist()
    observations, masks = views(game)
    memory = [np.zeros((4, base.memory), np.float32)] if base.memory else [None]
    found, wanted = (one.logits(observations, masks, copy.deepcopy(memory[0])) for one in (sampled, base))
    legal = masks > 0
    assert found[legal] == pytest.approx(wanted[legal] / (temperature or 1), rel=1e-6)


def test_a_pickled_one_keeps_its_name_and_temperature(bot):
    sampled = agents.load(f"sampled({bot}, temperature=2.5)", KUHN)
    for one in (pickle.loads(pickle.dumps(sampled)), copy.deepcopy(sampled)):
        assert (one.name, one.temperature) == ("sampled(bot, temperature=2.5)", 2.5)
        assert agents.identity(one) == agents.identity(sampled)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("sampled()", r"a bot comes first, as in sampled\(champion, temperature=2\)"),
        ("sampled(strong)", "strong is not an exported bot and has no policy to sample; give an exported bot"),
        ("sampled(search(champion))", r"search\(champion\) is not an exported bot"),
        ("sampled(sampled(champion))", r"sampled\(champion\) is sampled already"),
        *(
            (f"sampled(champion, temperature={text})", f"temperature='{text}' is not allowed; it takes 0 or a number")
            for text in ("-1", "nan", "inf", "1e-9", "1e9", "warm", "")
        ),
        ("sampled(champion, heat=2)", "heat is not known; it takes temperature"),
        ("sampled(champion, 2)", "'2' is not NAME=VALUE"),
        ("sampled(nobody)", "no agent 'nobody'; there are random"),
    ],
)
def test_what_cannot_be_sampled_is_refused(spec, told):
    with pytest.raises(ValueError, match=told):
        agents.load(spec, TORO)


def test_commands_take_it_by_its_name(bot, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    spec = f"sampled({bot}, temperature=3)"
    for words in (
        ("watch", "kuhn_poker", spec, "random", "--seed", "1", "--out", "deal.html"),
        ("rate", "kuhn_poker", spec, "--deals", "20"),
        ("arena", "kuhn_poker", spec, "random", "--deals", "20", "--processes", "2", "--out", "arena"),
    ):
        assert sobremesa(*words) == 0, words
        assert "sampled(bot, temperature=3)" in capsys.readouterr().out + (tmp_path / "deal.html").read_text()
    assert bot_folders([spec], KUHN) == {str(bot): bot}


def test_at_a_high_temperature_it_is_as_exploitable_as_chance(bot):
    assert game_of(f"sampled({bot})").id == KUHN.id
    found = [
        exact_response(KUHN, spec).exploitability
        for spec in (str(bot), f"sampled({bot}, temperature=1)", f"sampled({bot}, temperature=1000)", "random")
    ]
    assert found[0] == found[1]
    assert found[2] == pytest.approx(found[3], abs=0.01)
    assert abs(found[0] - found[3]) > 0.05


def test_a_search_over_it_has_its_policy(bot):
    search = agents.load(f"search(sampled({bot}, temperature=2), worlds=2)", KUHN)
    assert search.name == "search(sampled(bot, temperature=2), worlds=2)"
    assert len(list(deal_between(KUHN, [search, search], 1))) > 1
    observations, masks = views(KUHN)
    for temperature in (0, 1, 2):
        sampled = agents.load(f"sampled({bot}, temperature={temperature})", KUHN)
        policy = policy_kernels(sampled)
        drawn = streams(4)
        chosen = [policy.choose(observations[row], masks[row], drawn[row], policy.arrays) for row in range(4)]
        assert chosen == sampled.act_batch(observations, masks, streams(4)).tolist()
        chances = np.zeros(KUHN.num_actions, np.float32)
        policy.weigh(observations[0], masks[0], policy.arrays, chances)
        if temperature:
            assert chances == pytest.approx(sampled.chances(observations, masks)[0], abs=1e-6)
