"""skyrl-gym: its registry makes the environment, and episodes are those of the library."""

import skyrl_gym
from deals import GAMES, try_all
from omegaconf import OmegaConf

from sobremesa.agents.trainers import Deals

ID = "sobremesa"
skyrl_gym.register(id=ID, entry_point="sobremesa.agents.trainers.skyrl:Table")


def made(game, seed, **row):
    config = OmegaConf.create({"game": game, "opponents": ["random"], "language": "es"})
    return skyrl_gym.make(ID, env_config=config, extras={"seed": seed, "data_source": "deals", **row})


def legal(episode):
    view = episode.view
    return episode.game.words.action_name(int(view.mask.argmax()), "es")


def whole_episodes(game):
    for seed in range(4):
        env, other = made(game, seed), made(game, seed)
        messages, _ = env.init([{"role": "user", "content": ""}])
        assert messages == other.init([])[0], "a group shares a deal"
        assert [message["role"] for message in messages] == ["system", "user"]
        expected, done = Deals(game, "random", language="es").episode(seed), False
        while not done:
            answer = f"ACCIÓN: {legal(expected)}"
            expected.answer(answer)
            out = env.step(answer)
            done = out["done"]
            assert done or out["observations"] == expected.messages[-1:]
            assert done or out["reward"] == 0
        assert out["reward"] == expected.payoff
        assert env.get_metrics()["forfeit"] == 0
        env.close()


def forfeits_and_limits(game):
    env = made(game, 1, penalty=2.0)
    env.init([])
    outs = [env.step("?") for _ in range(3)]
    assert [out["done"] for out in outs] == [False, False, True]
    assert (outs[-1]["reward"], outs[-1]["metadata"]["forfeited"]) == (-2, "no action")
    assert type(env).aggregate_metrics([env.get_metrics()] * 2)["forfeit"] == 1
    short = made(game, 1, max_turns=1)
    short.init([])
    out = short.step("?")
    assert (out["done"], out["reward"], short.get_metrics()["unfinished"]) == (True, -1, 1)


if __name__ == "__main__":
    assert GAMES
    try_all(whole_episodes, forfeits_and_limits)
