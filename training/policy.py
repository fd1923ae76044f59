"""The policy network of a run: the part of SB3's actor-critic that plays, as a module, an agent and a file."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from sobremesa.agents.exported import pick_actions
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game

FORBIDDEN = -1e8  # the logit of an action that the mask forbids


class PolicyNet(nn.Module):
    """Observation `(n, D)` and mask `(n, A)` in, masked logits `(n, A)` out; all float32."""

    def __init__(self, game: Game, hidden: list[int]) -> None:
        super().__init__()
        sizes = [game.layout.size, *hidden]
        layers: list[nn.Module] = []
        for size, following in pairwise(sizes):
            layers += [nn.Linear(size, following), nn.ReLU()]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(sizes[-1], game.num_actions)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return logits, FORBIDDEN where `mask` is 0."""
        logits: torch.Tensor = self.head(self.body(observation))
        return torch.where(mask > 0, logits, FORBIDDEN)

    def copy_from(self, policy: Any) -> None:
        """Take the weights of an SB3 actor-critic policy with `net_arch` of the same sizes."""
        self.body.load_state_dict(policy.mlp_extractor.policy_net.state_dict())
        self.head.load_state_dict(policy.action_net.state_dict())


class PolicyAgent:
    """A policy network at the table, drawing from its policy."""

    def __init__(self, name: str, net: PolicyNet) -> None:
        self.name = name
        self.net = net

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return one action a row, drawn from each row's own stream."""
        with torch.inference_mode():
            logits = self.net(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
        actions = np.zeros(len(observations), np.int64)
        pick_actions(logits, masks, streams, False, actions)
        return actions

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def save_weights(path: Path, net: PolicyNet) -> None:
    """Write the weights to `path` (safetensors), all or nothing."""
    write_whole(path, save({name: value.contiguous() for name, value in net.state_dict().items()}))


def load_weights(path: Path, net: PolicyNet) -> None:
    """Read weights written by `save_weights`; raise ValueError if the file is damaged or of another network."""
    try:
        net.load_state_dict(load(path.read_bytes()))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except (SafetensorError, RuntimeError) as error:
        raise ValueError(f"{path}: these are no weights of this network: {error}") from None
