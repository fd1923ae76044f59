"""Thinking ahead while a network learns: what each of some actions is paid where the network plays on for all seats.

It plays on in redealt worlds or, as nobody could at a table, in the very one that the deal is in. What is found there
is what a policy learns from that is given the view of its seat alone: over many deals it learns the mean of what the
worlds behind that view bring, each as often as play leads there.

A decision is a unit of its own: its worlds and all chance in them follow from its seed alone. So it comes to the same,
to the bit, whichever thread thinks about it and however many there are; kernels hold no lock while they play. Networks
play inside these kernels (agents/search/network.py), with weights that change from update to update.

Letters: `n` decisions, `C` candidates (actions), `W` worlds, `D` numbers in an observation, `A` actions.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from sobremesa.agents.graph_file import GraphFile, read_graph
from sobremesa.agents.search.network import Network, make_network
from sobremesa.agents.search.policies import playing
from sobremesa.agents.search.program import INPUTS, OUTPUT, run_network
from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer, table_kernels
from sobremesa.training.config.keys import require
from sobremesa.training.networks.onnx_graphs import to_graph
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.views import Views


def shares_of(given: dict[str, float], share: float, kinds: int) -> np.ndarray:
    """Return which part of each of `kinds` kinds of decisions is thought about, `(K,)`: as `given`, or `share` of all.

    Raises ConfigError for a kind that is none.
    """
    all_kinds = [str(kind) for kind in range(kinds)]
    fine = given.keys() <= set(all_kinds)
    require(fine, "shares", given, f"kinds from 0 to {kinds - 1}, and a part above 0 up to 1 of each")
    return np.array([given.get(kind, 0.0 if given else share) for kind in all_kinds])


class Thinker:
    """Thinks about decisions of `game` by networks made of `parts`, in so many threads (`workers`).

    Args:
        game: the game.
        parts: of both networks, as `PolicyNet` takes them.
        ahead: own decisions of the seat that are played on to, the last of which the value network judges; 0: to the
            end of the deal.
        redealt: whether worlds are redealt, or all are the true one with chance of their own.
        workers: threads.
    """

    def __init__(self, game: Game, parts: dict[str, Any], ahead: int, redealt: bool, workers: int) -> None:
        self._game, self._ahead, self._redealt = game, ahead, redealt
        self.policy_form, self._value_form = (form_of(game, judges, json.dumps(parts)) for judges in (False, True))
        self._workers = workers
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="thinking") if workers > 1 else None
        self._rooms: list[tuple[Any, ...]] = []

    def take_over(self, policy: PolicyNet, value: Net) -> None:
        """Think by these weights from here on; raise Untakeable where the networks are too large for kernels."""
        told = [self.policy_form.network(policy), self._value_form.network(value)]
        rooms = range(self._workers)
        self._rooms = [self._room(*(Network(one.program, one.numbers.copy()) for one in told)) for _ in rooms]

    def payoffs(self, states: np.ndarray, seeds: np.ndarray, candidates: np.ndarray, worlds: int) -> np.ndarray:
        """Return what the seat to act is paid, `(n, C, W)` float32, if a candidate is played in so many `worlds`.

        states: (n,) tables; where worlds are redealt, what the seats to act cannot know there changes nothing.
        seeds: (n,) from which all chance follows.
        candidates: (n, C) actions that are allowed, and anything below 0 for none, of which nothing is written.
        """
        paid = np.zeros((*candidates.shape, worlds), np.float32)
        think = thinking(self._game, self._rooms[0][0])
        parts = [part for part in np.array_split(np.arange(len(states)), self._workers) if len(part)]

        def work(part: np.ndarray, room: tuple[Any, ...]) -> None:
            low, high = int(part[0]), int(part[-1]) + 1
            given = (states[low:high], seeds[low:high], candidates[low:high], self._ahead, self._redealt)
            think(*given, paid[low:high], *room[1:])

        if self._pool is None:
            for part in parts:
                work(part, self._rooms[0])
        else:
            list(self._pool.map(work, parts, self._rooms))
        return paid

    def _room(self, policy: Network, value: Network) -> tuple[Any, ...]:
        """Return the kernel that chooses, and what one thread works on."""
        game, plays = self._game, playing(policy)
        room = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8), np.zeros(1, STREAM)
        return plays.choose, np.zeros(2, game.state), *room, np.zeros(game.max_seats, np.float32), plays.arrays, value


class Form:
    """The form that networks of `game` of the same `parts` have as a graph, and where their weights go in it."""

    def __init__(self, game: Game, judges: bool, parts: dict[str, Any]) -> None:
        net = Net(game, "value", **parts) if judges else PolicyNet(game, **parts)
        takes = {"observation": net.inputs} | ({} if judges else {"mask": game.num_actions})
        self._takes, self._gives = takes, ("value" if judges else "logits", net.outputs)
        chance = np.random.default_rng(7)
        with torch.no_grad():
            for weight in net.state_dict().values():  # no two alike: so each is found again
                weight.copy_(torch.from_numpy(chance.uniform(0.5, 1, weight.shape).astype(np.float32)))
        feed = {name: np.zeros((1, size), np.float32) for name, size in takes.items()}
        self._file = read_graph(to_graph(_Judge(net) if judges else net, feed, [self._gives[0]]))
        self.places = dict(_places(self._file, net))  # graph's name -> (ours, whether it lies turned)

    def network(self, net: Net) -> Network:
        """Return the network of the weights of `net`."""
        ours = {name: weight.detach().cpu().numpy() for name, weight in net.state_dict().items()}
        weights = dict(self._file.weights)
        for name, (mine, turned) in self.places.items():
            weights[name] = ours[mine].T if turned else ours[mine]
        return make_network(GraphFile(self._file.nodes, weights), self._takes, self._gives)

    def weights_of(self, file: GraphFile) -> dict[str, torch.Tensor]:
        """Return the weights, by our names, that `file`, a graph of this form, holds.

        Raises ValueError if it is of another.
        """
        found = {}
        for name, (mine, turned) in self.places.items():
            weight = file.weights[self._name_in(file, name)]
            if weight.shape != self._file.weights[name].shape:
                raise ValueError(f"{name} is of shape {weight.shape}, not {self._file.weights[name].shape}")
            found[mine] = torch.from_numpy(np.array(weight.T if turned else weight, np.float32))
        return found

    def _name_in(self, file: GraphFile, name: str) -> str:
        """Return what `name` of this form goes by in `file`; PyTorch's exporter numbers what it has turned anew."""
        if "." in name:
            if name not in file.weights:
                raise ValueError(f"it has no {name}")
            return name
        shape = self._file.weights[name].shape
        ours, theirs = (
            [one for one, weight in graph.weights.items() if "." not in one and weight.shape == shape]
            for graph in (self._file, file)
        )
        if len(ours) != len(theirs):
            raise ValueError(f"there are {len(theirs)} weights of shape {shape}, not {len(ours)}")
        return theirs[ours.index(name)]


@cache
def form_of(game: Game, judges: bool, parts: str) -> Form:
    """Return the form of networks of `parts`, JSON; it takes PyTorch's exporter a second, so it is made once."""
    return Form(game, judges, json.loads(parts))


def _places(file: GraphFile, net: nn.Module) -> list[tuple[str, tuple[str, bool]]]:
    """Return where each weight of `net` lies in `file`; raise ValueError for one that does not."""
    found = []
    for mine, weight in net.state_dict().items():
        ours = weight.numpy()
        for turned in (False, True)[: max(1, ours.ndim)]:
            alike = ours.T if turned else ours
            names = [name for name, one in file.weights.items() if np.array_equal(one, alike)]
            found += [(name, (mine, turned)) for name in names]
        if not any(place[0] == mine for _, place in found):
            raise ValueError(f"{mine} is not found in the graph that PyTorch makes of the network")
    return found


class _Judge(nn.Module):
    """A value network that takes observations, for a graph."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.net = net

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the values `(n, 1)`."""
        return torch.as_tensor(self.net.run(Views(observation), observation[:, :0])[0])


@cache
def thinking(game: Game, choose: Any) -> Callable[..., None]:
    """Compile thinking by the kernel `choose` of a policy; its arguments as in `Thinker.payoffs`, and a room."""
    (_, step), choose, redeal = step_kernels(game), shared(choose), shared(table_kernels(game).redeal)
    observe, legal, payoff = map(shared, (observer(game), game.legal, game.payoff))
    width = game.layout.width

    @kernel
    def play_on(state, stream, seat, ahead, codes, observation, mask, paid, policy, value):
        """Return what `seat` is paid if the policy plays on for all, or what it is worth where the thinking ends."""
        left = ahead
        while not state.over:
            observe(state, state.seat, codes, observation)
            if ahead and state.seat == seat:
                left -= 1
                if left == 0:
                    return judged(value, observation)
            step(state, choose(observation, mask, stream, policy), mask)
        payoff(state, paid)
        return paid[seat]

    @kernel
    def think(
        decisions, seeds, candidates, ahead, redealt, found, states, observation, mask, streams, paid, policy, value
    ):  # fmt: skip
        codes = np.empty(width, np.uint8)
        world, state = states[:1], states[1]
        for number in range(found.shape[0]):
            seat = int(decisions[number].seat)
            for trial in range(found.shape[2]):
                states[0] = decisions[number]
                if redealt:
                    redeal(world, seat, derive(seeds[number], trial, 0))
                chance = derive(seeds[number], trial, 1)  # the same for all candidates
                for place in range(found.shape[1]):
                    if candidates[number, place] < 0:
                        continue
                    states[1] = states[0]
                    start(state, chance)
                    start(streams[0], derive(chance, 1, 0))  # not the deal's own chance once more
                    mask[:] = 0
                    legal(state, mask)
                    step(state, candidates[number, place], mask)
                    found[number, place, trial] = play_on(
                        state, streams[0], seat, ahead, codes, observation, mask, paid, policy, value
                    )

    return think  # type: ignore[no-any-return]


@kernel
def judged(value, observation):
    """Return what the network `value` makes of `observation` `(D,)`."""
    program, numbers = value.program, value.numbers
    given = program[INPUTS]
    numbers[given : given + observation.shape[0]] = observation
    run_network(program, numbers)
    return numbers[program[OUTPUT]]
