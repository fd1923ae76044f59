"""A bot to begin as: the policy network takes over its weights."""

import json

import numpy as np
import torch

from sobremesa.agents.exported import AfterstateBot, Bot
from sobremesa.agents.graph_file import read_graph
from sobremesa.envs.core.game import Game
from sobremesa.training.config import ConfigError, NetworkConfig
from sobremesa.training.evaluation import load_agent, policy_parts
from sobremesa.training.graphs import real_views
from sobremesa.training.policy import PolicyNet
from sobremesa.training.thinking import form_of

ALIKE = 1e-3  # how much the logits of a bot may differ once its network is ours


def begin_as(policy: PolicyNet, config: NetworkConfig, game: Game) -> None:
    """Give `policy` the weights of the bot `config.start`; raise ConfigError unless it is one of the same network."""
    bot = load_agent("start", config.start, game)
    if not isinstance(bot, Bot) or isinstance(bot, AfterstateBot) or bot.memory:
        raise _no_start(config, "it has no such network")
    if memory := policy_parts(config).get("memory"):
        raise _no_start(config, f"memory={memory}, and it remembers nothing")
    views = real_views(game)
    try:
        form = form_of(game, False, json.dumps(policy_parts(config)))
        policy.load_state_dict(form.weights_of(read_graph(bot.graph.content)))
        with torch.inference_mode():
            ours = torch.as_tensor(policy(*map(torch.from_numpy, views))).numpy()
        off = float(np.abs(np.where(views[1] > 0, ours - bot.logits(*views), 0)).max())
        if not off <= ALIKE:
            raise ValueError(f"logits differ by {off:g}")
    except (ValueError, KeyError, RuntimeError, TypeError) as error:
        raise _no_start(config, error) from None


def _no_start(config: NetworkConfig, why: object) -> ConfigError:
    return ConfigError(f"start={config.start!r} is not allowed; it takes a bot of a network like this: {why}")
