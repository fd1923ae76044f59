"""Compiled networks: PyTorch weights in the form that kernels play (agents/networks/compiler.py).

Letters: `D` numbers in an observation, `A` actions.
"""

import json
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from sobremesa.agents.networks.compiler import Network, make_network
from sobremesa.agents.networks.onnx_file import GraphFile, read_graph
from sobremesa.agents.networks.program import INPUTS, OUTPUT, run_network
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.training.networks.onnx_graphs import to_graph
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.views import Views


class Form:
    """The graph of networks of `game` with the same `parts`, and the places of their weights in it."""

    def __init__(self, game: Game, judges: bool, parts: dict[str, Any]) -> None:
        net = Net(game, "value", **parts) if judges else PolicyNet(game, **parts)
        takes = {"observation": net.inputs} | ({} if judges else {"mask": game.num_actions})
        self._takes, self._gives = takes, ("value" if judges else "logits", net.outputs)
        chance = np.random.default_rng(7)
        with torch.no_grad():
            for weight in net.state_dict().values():  # all different, to find each in the graph
                weight.copy_(torch.from_numpy(chance.uniform(0.5, 1, weight.shape).astype(np.float32)))
        feed = {name: np.zeros((1, size), np.float32) for name, size in takes.items()}
        self._file = read_graph(to_graph(_Judge(net) if judges else net, feed, [self._gives[0]]))
        self.places = dict(_places(self._file, net))  # name in the graph -> (our name, whether transposed)

    def network(self, net: Net) -> Network:
        """Return a compiled network with the weights of `net`."""
        ours = {name: weight.detach().cpu().numpy() for name, weight in net.state_dict().items()}
        weights = dict(self._file.weights)
        for name, (mine, turned) in self.places.items():
            weights[name] = ours[mine].T if turned else ours[mine]
        return make_network(GraphFile(self._file.nodes, weights), self._takes, self._gives)

    def weights_of(self, file: GraphFile) -> dict[str, torch.Tensor]:
        """Return the weights of `file`, a graph of this form, by our names; raise ValueError if it has another form."""
        found = {}
        for name, (mine, turned) in self.places.items():
            weight = file.weights[self._name_in(file, name)]
            if weight.shape != self._file.weights[name].shape:
                raise ValueError(f"{name} is of shape {weight.shape}, not {self._file.weights[name].shape}")
            found[mine] = torch.from_numpy(np.array(weight.T if turned else weight, np.float32))
        return found

    def _name_in(self, file: GraphFile, name: str) -> str:
        """Return the name in `file` of the weight `name`; PyTorch's exporter renumbers transposed weights."""
        if "." in name:
            if name not in file.weights:
                raise ValueError(f"it has no {name}")
            return name
        shape = self._file.weights[name].shape
        ours, theirs = (
            [one for one, weight in graph.weights.items() if "." not in one and weight.shape == shape]
            for graph in (self._file, file)
        )
        if len(theirs) == 1:  # equal weights of several networks are stored once
            return theirs[0]
        if len(ours) != len(theirs):
            raise ValueError(f"there are {len(theirs)} weights of shape {shape}, not {len(ours)}")
        return theirs[ours.index(name)]


@cache
def form_of(game: Game, judges: bool, parts: str) -> Form:
    """Return the form of networks of `parts` (JSON), cached: an export takes a second."""
    return Form(game, judges, json.loads(parts))


def _places(file: GraphFile, net: nn.Module) -> list[tuple[str, tuple[str, bool]]]:
    """Return the place of each weight of `net` in `file`; raise ValueError for a missing one."""
    found = []
    for mine, weight in net.state_dict().items():
        ours = weight.numpy()
        for turned in (False, True)[: max(1, ours.ndim)]:
            alike = ours.T if turned else ours
            names = [name for name, one in file.weights.items() if np.array_equal(one, alike)]
            found += [(name, (mine, turned)) for name in names]
        if not any(place[0] == mine for _, place in found):
            raise ValueError(f"{mine} is not in the graph that PyTorch exports")
    return found


class _Judge(nn.Module):
    """A value network as a module of observations, for export."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the values `(n, 1)`."""
        return torch.as_tensor(self.net.run(Views(observation), observation[:, :0])[0])


@kernel
def judged(value, observation):
    """Return the value estimate of the network `value` for `observation` `(D,)`."""
    program, numbers = value.program, value.numbers
    given = program[INPUTS]
    numbers[given : given + observation.shape[0]] = observation
    run_network(program, numbers)
    return numbers[program[OUTPUT]]
