"""Rollouts of a search on a GPU: thousands of worlds together (`search(AGENT, device=cuda)`).

Scripted agents play whole rollouts as kernels, with the same results as on the processor, to the bit, unless they take
logarithms, exponentials or powers. Networks play in batches; their matrix products are in bfloat16, so a choice may
differ where two actions are nearly as good.

Letters: `W` worlds, `C` candidates, `S` seats of the largest table, `n` rollouts, `D` positions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.exported import AdvisedBot, AfterstateBot, Bot, pick_action
from sobremesa.agents.networks.onnx_file import read_graph
from sobremesa.agents.search.device.torch_graph import TorchGraph
from sobremesa.agents.search.rollouts import CHANCE, WORLD
from sobremesa.envs.core.agent import Agent, View, kernel_of, value_estimate_of
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.device.decode import Decoder
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.device.queue import Jobs, RolloutQueue, Views, rows_of
from sobremesa.envs.core.device.rollouts import ILLEGAL, scripted_program
from sobremesa.envs.core.device.vector import padded
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import table_kernels

MOST_ROWS = 2**18  # rollouts at once; bounds the memory


class DeviceRollouts:
    """Rollouts on `device`, in which `agent` plays for all seats; see `Rollouts`, whose arguments these are.

    Raises ValueError for a device or an agent that is not supported, and CudaError without a GPU.
    """

    def __init__(self, game: Game, agent: Agent, device: Any, plies: int = 0) -> None:
        self._game, self._device, self._plies = game, device_of(device), plies
        inside, estimate = kernel_of(agent), value_estimate_of(agent) if plies else None
        self._program = self._queue = None
        if inside is not None:
            self._program = scripted_program(game, inside, inside is not RANDOM.kernel, estimate, self._device)
        else:
            bot = _network_bot(game, agent)
            advise = bot.advisor.kernel if isinstance(bot, AdvisedBot) else None
            self._queue = RolloutQueue(
                game, _logits_of(game, bot, self._device), self._device, MOST_ROWS, pick=pick_action,
                greedy=bot.temperature == 0, advise=advise,
            )  # fmt: skip

    def from_view(
        self, view: View, seed: int, low: int, high: int, candidates: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        """Return the payoffs of `Rollouts.from_view`; `held` worlds are not used."""
        worlds, chances = (seeds_of(label, seed, range(low, high)) for label in (WORLD, CHANCE))
        count, position = len(candidates), np.zeros((high - low) * len(candidates), np.int64)
        actions = np.tile(candidates.astype(np.int64), high - low)
        paid = self.payoffs(view.state, position, np.repeat(worlds, count), np.repeat(chances, count), actions)
        return paid.reshape(high - low, count, -1)

    def payoffs(
        self, positions: np.ndarray, position: np.ndarray, worlds: np.ndarray, chances: np.ndarray, actions: np.ndarray
    ) -> np.ndarray:
        """Return the payoffs `(n, S)` float32 of rollouts.

        Args:
            positions: (D,) tables.
            position: (n,) int64, the table from which each rollout starts.
            worlds: (n,) int64, the seed of its determinization, or AS_IT_IS.
            chances: (n,) int64, the seed of all chance that follows.
            actions: (n,) int64, the first action; IllegalAction is raised for an illegal one.
        """
        paid = np.zeros((len(actions), self._game.max_seats), np.float32)
        states = rows_of(positions, self._device)
        play = self._scripted_payoffs if self._queue is None else self._network_payoffs
        with torch.no_grad():
            for low in range(0, len(actions), MOST_ROWS):
                part = slice(low, low + MOST_ROWS)
                columns = (torch.from_numpy(column[part]) for column in (position, worlds, chances, actions))
                found, outcomes = play(states, *(column.to(self._device) for column in columns))
                illegal = torch.nonzero(outcomes == ILLEGAL)
                if len(illegal):
                    first = low + int(illegal[0])
                    raise self._illegal(positions[position[first]], actions[first])
                paid[part] = found.cpu().numpy()
        return paid

    def _illegal(self, state: np.ndarray, action: Any) -> IllegalAction:
        mask = np.zeros(self._game.num_actions, np.int8)
        table_kernels(self._game).legal(state.reshape(1), mask)
        return IllegalAction.at(self._game, state.reshape(1), action, mask)

    def _scripted_payoffs(self, states: torch.Tensor, *given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the payoffs `(n, S)` and the outcomes `(n,)` of rollouts by the scripted agent."""
        assert self._program is not None
        position, worlds, chances, actions = given
        count, game, device = len(actions), self._game, self._device
        columns = {
            "roots": states[position], "worlds": worlds, "chances": chances, "actions": actions,
            "plies": self._plies or game.max_plies,
            "states": torch.zeros(count, padded(game.state.itemsize), dtype=torch.uint8, device=device)[
                :, : game.state.itemsize
            ],
            "streams": torch.zeros(count, STREAM.itemsize, dtype=torch.uint8, device=device),
            "payoffs": torch.zeros(count, game.max_seats, device=device),
            "outcomes": torch.zeros(count, dtype=torch.int8, device=device),
        }  # fmt: skip
        self._program("rollout", count, 0, columns)
        return columns["payoffs"], columns["outcomes"]  # type: ignore[return-value]

    def _network_payoffs(self, states: torch.Tensor, *given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the same of rollouts by the network."""
        assert self._queue is not None
        ended = self._queue.play(Jobs(states, *given))
        return ended.payoffs, ended.outcomes


def _network_bot(game: Game, agent: Agent) -> Bot:
    """Return `agent`; raise ValueError unless it is a bot whose network gives logits of a single observation."""
    fine = isinstance(agent, Bot) and not isinstance(agent, AfterstateBot) and not agent.memory and agent.graph.content
    if not fine:
        raise ValueError(
            f"{agent.name} of {game.id} cannot play rollouts on a GPU; scripted agents and bots with a network from "
            "observation to logits can, for example with rollout=strong"
        )
    assert isinstance(agent, Bot)
    return agent


def _logits_of(game: Game, bot: Bot, device: torch.device) -> Callable[[Views], torch.Tensor]:
    """Return the function from views to the logits of `bot`."""
    graph, decoder = TorchGraph(read_graph(bot.graph.content), "logits", device), Decoder(game.layout).to(device)
    advised, actions = isinstance(bot, AdvisedBot), game.num_actions

    def logits(views: Views) -> torch.Tensor:
        observation, mask = decoder(views.codes), views.masks.float()
        if advised:
            observation = torch.cat([observation, torch.nn.functional.one_hot(views.advice, actions).float()], 1)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = graph(observation=observation, mask=mask)
        return found / (bot.temperature or 1.0)

    return logits
