"""Initial weights of a policy from a bot (`start`)."""

import json
from typing import Any

import numpy as np
import torch

from sobremesa.agents.exported import AdvisedBot, AfterstateBot, Bot
from sobremesa.agents.networks.onnx_file import read_graph
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import ConfigError, NetworkConfig
from sobremesa.training.networks.compiled import form_of
from sobremesa.training.networks.onnx_graphs import real_views
from sobremesa.training.networks.policy import PolicyNet, trunks_of_roles
from sobremesa.training.runs.evaluation import load_agent, policy_parts

ALIKE = 1e-3  # largest difference between the logits of the bot and of the policy


def begin_as(policy: PolicyNet, spec: str, config: NetworkConfig, game: Game, key: str = "start") -> None:
    """Copy the weights of the bot `spec` into `policy`; raise ConfigError naming `key` if the networks differ.

    A bot with one network for all roles, or with some roles apart, may start a policy with more roles apart. A bot
    without canonical views may start a policy with them (`facing`).
    """
    bot = load_agent(key, spec, game)
    if not isinstance(bot, Bot) or isinstance(bot, AfterstateBot) or bot.memory:
        raise _no_start(key, spec, "it has another kind of network")
    if memory := policy_parts(config).get("memory"):
        raise _no_start(key, spec, f"memory={memory}, and the bot has no memory")
    advisor = bot.advisor if isinstance(bot, AdvisedBot) else None
    its, ours = (one.name if one else "no agent" for one in (advisor, policy.advisor))
    if its != ours:
        raise _no_start(key, spec, f"its advisor is {its}, not {ours}")
    observations, masks = views = real_views(game)
    seen = observations if advisor is None else advisor.advise(observations, masks)
    assert isinstance(policy.answers, torch.Tensor)
    try:
        policy.load_state_dict(_weights_of(bot, policy_parts(config), game, policy.answers.numpy()))
        wanted, facing = bot.logits(*views), policy.facing
        off = _largest_difference(policy, seen, masks, wanted)
        if not off <= ALIKE and facing is not None:
            policy.facing = None
            off = _largest_difference(policy, seen, masks, wanted)
            policy.facing = facing
        if not off <= ALIKE:
            raise ValueError(f"its weights give other logits, by {off:g}; {_difference_reason(bot, config.facing)}")
    except (ValueError, RuntimeError, TypeError, LookupError, StopIteration) as error:
        raise _no_start(key, spec, error) from None


def _largest_difference(policy: PolicyNet, seen: np.ndarray, masks: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest difference between the logits of `policy` and `wanted` over legal actions."""
    with torch.inference_mode():
        logits = torch.as_tensor(policy(torch.from_numpy(seen), torch.from_numpy(masks))).numpy()
    return float(np.abs(np.where(masks > 0, logits - wanted, 0)).max())


def _weights_of(bot: Bot, parts: dict[str, Any], game: Game, roles: np.ndarray) -> dict[str, torch.Tensor]:
    """Return the weights of `bot` by their names in a network of `parts`; raise ValueError if they do not fit.

    roles: (roles, trunks) the trunk of each role in that network, one-hot.
    """
    made = bot.manifest.get("config")
    made = made if isinstance(made, dict) else parts
    its = {"roles": made.get("roles", ""), "apart": made.get("apart", [])}
    found = form_of(game, False, json.dumps(parts | its)).weights_of(read_graph(bot.graph.content))
    trunks = trunks_of_roles(len(roles), its["apart"]) if its["roles"] else np.ones((len(roles), 1))
    return {
        name.replace(f".{its_trunk}.", f".{trunk}.", 1): weight
        for trunk, its_trunk in enumerate(trunks[roles.argmax(0)].argmax(1))  # by the first role of each
        for name, weight in found.items()
        if name.startswith(f"trunks.{its_trunk}.") or not name.startswith("trunks.")
    }


def _difference_reason(bot: Bot, facing: str) -> str:
    """Return a probable reason for other logits from the same weights."""
    made = bot.manifest.get("config")
    if isinstance(made, dict) and made.get("facing", "") not in ("", facing):
        return f"it sees canonical views: set facing={made['facing']!r}"
    if isinstance(made, dict) and made.get("algorithm") == "rollout_iteration":
        return "it comes from rollout_iteration, whose thresholds change the logits"
    return "it computes something else"


def _no_start(key: str, spec: str, why: object) -> ConfigError:
    return ConfigError(f"{key}={spec!r} is not allowed; it takes a bot with the same network: {why}")
