"""Policy and value networks as modules, agents and files.

Letters: `n` views, `D` numbers in an observation, `A` actions, `M` numbers of memory, `L` decisions of a piece.
"""

from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from sobremesa.agents.advice import BLOCK as ADVICE, advisor
from sobremesa.agents.exported import pick_actions
from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.training.networks import LARGEST_WEIGHTS
from sobremesa.training.networks.canonical_view import CanonicalView
from sobremesa.training.networks.fair_votes import FairVotesTerm
from sobremesa.training.networks.first_layer import first_layer, store_by_input
from sobremesa.training.networks.pointers import WIDTH, Cells, Pointers, pointing, pointing_grids
from sobremesa.training.networks.views import Columns, Views

FORBIDDEN = -1e8  # the logit of an action that the mask forbids
TRUST = 6.0  # initial logit in favour of the scripted choice
_OUTPUT_GAINS = {"policy": 0.01, "value": 1.0}  # initial gains of the last layer: a policy starts nearly uniform


class Learned(nn.Module):
    """A network that plays."""

    def agent(self, name: str) -> Agent:
        """Return an agent that plays by the current weights of the network."""
        raise NotImplementedError


class Trunk(nn.Module):
    """Network from observations `(n, D)` to `outputs` numbers a view, with optional convolutions and a GRU.

    The blocks `grids`, `(H, W)` or `(planes, H, W)`, go through two convolutions; the result joins the other inputs
    before the first layer. With `pointers`, rows and cells about actions score these actions (pointers.py). With advice
    in the layout (agents/advice.py) the policy adds a learned bias to the scripted choice, and with `kinds` (a one-hot
    block, or "" for one kind) the override threshold of each kind, the buffer `doubt`.
    """

    def __init__(
        self, game: Game, outputs: int, hidden: Sequence[int], grids: Sequence[str], channels: int, memory: int,
        pointers: bool, kinds: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.planes = _planes(game, grids)
        taken = {index for block in self.planes.values() for index in block}
        blocks = pointing(game) if pointers else []
        for block in blocks:
            taken |= set(range(game.layout.start(block.name), game.layout.start(block.name) + block.size))
        self.rest = [index for index in range(game.layout.size) if index not in taken]
        self.inputs = Columns(game.layout.size, self.rest)
        for number, indices in enumerate((self.rest, *self.planes.values())):
            self.register_buffer(f"indices_{number}", torch.tensor(indices), persistent=False)
        self.convolutions = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(len(indices) // (height * width), channels, 3, padding=1), nn.ReLU(),
                nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(), nn.Flatten(),
            )
            for (height, width), indices in self.planes.items()
        )  # fmt: skip
        flat = len(self.rest) + sum(channels * height * width for height, width in self.planes)
        sizes, scores = [flat + 2 * WIDTH * len(blocks), *hidden], outputs == game.num_actions
        self.pointers = nn.ModuleList(Pointers(game, block, memory or sizes[-1], scores) for block in blocks)
        grounds = [
            [block for block in pointing_grids(game, grids) if pointers and scores and block.shape[-2:] == size]
            for size in self.planes
        ]
        self.cells = nn.ModuleDict(
            {str(number): Cells(about, channels, memory or sizes[-1]) for number, about in enumerate(grounds) if about}
        )
        layers: list[nn.Module] = []
        for size, following in pairwise(sizes):
            layers += [nn.Linear(size, following), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers)
        if hidden:
            store_by_input(layers[0])  # type: ignore[arg-type]
        self.cell = Cell(sizes[-1], memory) if memory else None
        self.head = nn.Linear(memory or sizes[-1], outputs)
        advised = scores and any(block.name == ADVICE for block in game.layout)
        self.trust = nn.Parameter(torch.tensor(TRUST)) if advised else None
        self.advice = (game.layout.start(ADVICE), outputs) if advised else (0, 0)
        self.kinds = (game.layout.start(kinds), _size(game, kinds)) if kinds else (0, 0)
        self.doubt: torch.Tensor | None
        self.register_buffer("doubt", torch.zeros(1, max(1, self.kinds[1])) if advised and kinds is not None else None)

    def convolved(self, views: Views) -> list[torch.Tensor]:
        """Return the output of the convolutions of each grid, `(n, channels * H * W)`."""
        made = []
        for number, (convolution, (height, width)) in enumerate(zip(self.convolutions, self.planes, strict=True)):
            flat = self._part(views, number + 1)
            planes = flat.shape[1] // (height * width)
            made.append(convolution(flat.reshape(-1, planes, height, width)))
        return made

    def features(self, views: Views, convolved: list[torch.Tensor]) -> torch.Tensor:
        """Return the features of `views` before the memory."""
        parts = [*convolved, *(pointers.pooled(views) for pointers in self._pointers())]
        if views.by_kernels and len(self.body):
            first = self.body[0]
            assert isinstance(first, nn.Linear)
            others = torch.cat(parts, 1) if parts else None
            inputs = views.listed(self.inputs.key, self.inputs.inputs)
            out = first_layer(first.weight, first.bias, inputs, others)
            for layer in islice(self.body, 1, None):  # a slice of the body would create a module
                out = layer(out)
            return torch.as_tensor(out)
        rest = self._part(views, 0) if parts else views.whole
        return torch.as_tensor(self.body(torch.cat([rest, *parts], 1)))

    def answer(self, views: Views, convolved: list[torch.Tensor], features: torch.Tensor) -> torch.Tensor:
        """Return the outputs for `features` `(n, F)` of `views`."""
        out = torch.as_tensor(self.head(features))
        for pointers in self._pointers():
            if pointers.score is not None:
                out = pointers.point(views, features, out)
        for number, cells in self._cells():
            height, width = list(self.planes)[number]
            out = cells.point(convolved[number].reshape(-1, cells.embed.in_channels, height, width), features, out)
        return out if self.trust is None else out + self.trusted(views) * views.columns(*self.advice)

    def trusted(self, views: Views) -> torch.Tensor:
        """Return the bias of the scripted choice for `views`, `(n, 1)` or one number."""
        assert self.trust is not None
        if self.doubt is None:
            return self.trust
        return self.trust + (views.columns(*self.kinds) @ self.doubt.T if self.kinds[1] else self.doubt)

    def outermost(self) -> list[nn.Module]:
        """Return the output layers."""
        scores = [pointers.score for pointers in self._pointers() if pointers.score is not None]
        return [self.head, *scores, *(cells.score for _, cells in self._cells())]

    def _pointers(self) -> list[Pointers]:
        return [module for module in self.pointers if isinstance(module, Pointers)]

    def _cells(self) -> list[tuple[int, Cells]]:
        return [(int(number), module) for number, module in self.cells.items() if isinstance(module, Cells)]

    def _part(self, views: Views, number: int) -> torch.Tensor:
        return views.whole.index_select(1, getattr(self, f"indices_{number}"))

    def forward(self, views: Views, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the outputs and the memory `(n, M)` after this decision; M is 0 without one."""
        convolved = self.convolved(views)
        features = self.features(views, convolved)
        if self.cell is not None:
            features = memory = self.cell(self.cell.inward(features), memory)
        return self.answer(views, convolved, features), memory

    def over_sequence(self, views: Views, memory: torch.Tensor, length: int) -> torch.Tensor:
        """Return the outputs `(n, L, outputs)` for pieces of `length` L that begin with `memory` `(n, M)`."""
        assert self.cell is not None
        convolved = self.convolved(views)
        inward = self.cell.inward(self.features(views, convolved))
        inward = inward.reshape(len(memory), length, inward.shape[1])
        states = []
        for step in range(length):
            memory = self.cell(inward[:, step], memory)
            states.append(memory)
        answers = self.answer(views, convolved, torch.stack(states, 1).flatten(0, 1))
        return answers.reshape(len(memory), length, self.head.out_features)


class Cell(nn.Module):
    """Gated recurrent unit (Cho et al. 2014); `inward` is separate, to run for a whole piece together."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.inward = nn.Linear(inputs, 3 * size)
        self.onward = nn.Linear(size, 3 * size)

    def forward(self, inward: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """Return the memory after an input, `(n, M)`, given `inward` of it."""
        reset, keep, new = inward.chunk(3, 1)
        reset_too, keep_too, old = self.onward(memory).chunk(3, 1)
        keep = torch.sigmoid(keep + keep_too)
        candidate = torch.tanh(new + torch.sigmoid(reset + reset_too) * old)
        return candidate + keep * (memory - candidate)


class Net(nn.Module):
    """One trunk, or one for each role in the block `roles`.

    With `apart` only these roles have their own trunk; all others share the first. With `advised_by` the advice of
    that scripted agent follows the observation. With `facing` the trunks see canonical views (canonical_view.py). With
    `fair_votes` a policy votes fairly, by a fixed term.
    """

    def __init__(
        self,
        game: Game,
        kind: str,
        hidden: Sequence[int],
        grids: Sequence[str] = (),
        channels: int = 16,
        memory: int = 0,
        roles: str = "",
        pointers: bool = False,
        advised_by: str = "",
        kinds: str | None = None,
        apart: Sequence[int] = (),
        facing: str = "",
        fair_votes: bool = False,
    ) -> None:
        super().__init__()
        self.fair_votes = FairVotesTerm(game) if fair_votes and kind == "policy" else None
        self.advisor = advisor(advised_by, game) if advised_by else None
        game = self.advisor.game if self.advisor else game
        self.inputs, self.outputs = game.layout.size, game.num_actions if kind == "policy" else 1
        self.facing = CanonicalView(game, facing) if facing else None
        self.memory = memory
        self.role_start = game.layout.start(roles) if roles else 0
        self.apart = list(apart)
        answers = trunks_of_roles(_size(game, roles) if roles else 1, apart)
        self.register_buffer("answers", torch.from_numpy(answers), persistent=False)
        trunks = [
            Trunk(game, self.outputs, hidden, grids, channels, memory, pointers, kinds) for _ in range(answers.shape[1])
        ]
        self.trunks = nn.ModuleList(trunks)
        for trunk in trunks:
            for module in trunk.modules():
                if isinstance(module, (nn.Linear, nn.Conv2d)):
                    gain = _OUTPUT_GAINS[kind] if module in trunk.outermost() else 2**0.5
                    nn.init.orthogonal_(module.weight, gain)
                    assert module.bias is not None
                    nn.init.zeros_(module.bias)

    def run(self, views: Views, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return outputs `(n, outputs)` and the memory `(n, M)` after them."""
        if self.facing is None:
            answers, after = self._run(views, memory)
        else:
            turned, ways = self.facing.turned(views)
            answers, after = self._run(turned, memory)
            answers = self.facing.back(answers, ways)
        return answers if self.fair_votes is None else answers + self.fair_votes(views), after

    def _run(self, views: Views, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Do as `run` with canonical views."""
        if len(self.trunks) == 1:
            return self.trunks[0](views, memory)  # type: ignore[no-any-return]
        roles = self._trunk_one_hot(views)
        if torch.compiler.is_exporting() or views.matrix.is_cuda:  # graphs have no branches: all run, and one counts
            heard = [trunk(views, memory) for trunk in self.trunks]
            out = sum(roles[:, number : number + 1] * answer for number, (answer, _) in enumerate(heard))
            after = sum(roles[:, number : number + 1] * later for number, (_, later) in enumerate(heard))
            return torch.as_tensor(out), torch.as_tensor(after)
        out, after = memory.new_zeros(len(views), self.outputs), torch.zeros_like(memory)
        for number, trunk in enumerate(self.trunks):
            mine = roles[:, number].nonzero()[:, 0]
            if not len(mine):  # weights of an unused trunk get no gradient
                continue
            answer, later = trunk(views.take(mine), memory[mine])
            out, after = out.index_copy(0, mine, answer), after.index_copy(0, mine, later)
        return out, after

    def over_sequence(self, views: Views, memory: torch.Tensor, length: int) -> torch.Tensor:
        """Return outputs `(n, L, outputs)` for `n` pieces of trajectories, each of one seat, and so of one role.

        `views` has `length` views (L) of each piece in turn; `memory` `(n, M)` is the memory at their starts.
        """
        if self.facing is None:
            answers = self._over_sequence(views, memory, length)
        else:
            turned, ways = self.facing.turned(views)
            answers = self._over_sequence(turned, memory, length)
            answers = self.facing.back(answers.flatten(0, 1), ways).reshape(answers.shape)
        return answers if self.fair_votes is None else answers + self.fair_votes(views).reshape(answers.shape)

    def _over_sequence(self, views: Views, memory: torch.Tensor, length: int) -> torch.Tensor:
        """Do as `over_sequence` with canonical views."""
        if len(self.trunks) == 1:
            return self.trunks[0].over_sequence(views, memory, length)  # type: ignore[operator, no-any-return]
        roles = self._trunk_one_hot(views)[::length]
        out = memory.new_zeros(len(memory), length, self.outputs)
        for number, trunk in enumerate(self.trunks):
            mine = roles[:, number].nonzero()[:, 0]
            decisions = (mine[:, None] * length + torch.arange(length)).flatten()
            assert isinstance(trunk, Trunk)
            out = out.index_copy(0, mine, trunk.over_sequence(views.take(decisions), memory[mine], length))
        return out

    def _trunk_one_hot(self, views: Views) -> torch.Tensor:
        """Return the trunk of each view one-hot, `(n, trunks)`."""
        assert isinstance(self.answers, torch.Tensor)
        roles = views.columns(self.role_start, len(self.answers))
        return roles @ self.answers if self.apart else roles


class PolicyNet(Net, Learned):
    """Observation `(n, D)` and mask `(n, A)` in, masked logits `(n, A)` out; all float32.

    With a memory it is the third input and the second output, `(n, M)`. With advice, that is part of D.
    """

    def __init__(self, game: Game, hidden: Sequence[int], **parts: Any) -> None:
        super().__init__(game, "policy", hidden, **parts)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor, memory: torch.Tensor | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Return logits, FORBIDDEN where `mask` is 0, and with a memory the next one too."""
        if memory is None:
            return forbid(self.run(Views(observation), observation[:, :0])[0], mask)
        logits, after = self.run(Views(observation), memory)
        return forbid(logits, mask), after

    def agent(self, name: str) -> Agent:
        return PolicyAgent(name, self)

    def copy_from(self, policy: Any) -> None:
        """Take the weights of an SB3 actor-critic policy with `net_arch` of the same sizes."""
        trunk = self.trunks[0]
        assert isinstance(trunk, Trunk)
        trunk.body.load_state_dict(policy.mlp_extractor.policy_net.state_dict())
        trunk.head.load_state_dict(policy.action_net.state_dict())


def forbid(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return `logits`, FORBIDDEN where `mask` is 0."""
    return torch.where(mask if mask.dtype == torch.bool else mask > 0, logits, FORBIDDEN)


class PolicyAgent:
    """Agent that samples from a policy network, or takes the likeliest action if `greedy`."""

    def __init__(self, name: str, net: PolicyNet) -> None:
        self.name = name
        self.net = net
        self.memory = net.memory
        self.greedy = False

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, memory: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an action for each view, sampled from its own random stream unless the agent is greedy."""
        before = observations[:, :0] if memory is None else memory
        if self.net.advisor is not None:
            observations = self.net.advisor.advise(observations, masks)
        with torch.inference_mode():
            views = Views(torch.from_numpy(observations), torch.from_numpy(masks))
            logits, after = self.net.run(views, torch.from_numpy(before))
        if memory is not None:
            memory[:] = after.numpy()
        actions = np.zeros(len(observations), np.int64)
        pick_actions(logits.numpy(), masks, streams, self.greedy, actions)
        return actions

    def act(self, view: View) -> int:
        if self.memory:
            raise TypeError(f"{self.name} has a memory and plays only in matches; export it as a bot for single views")
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def approach(slow: nn.Module, fast: nn.Module, rate: float) -> None:
    """Move the weights of `slow` towards those of `fast` by the part `rate`."""
    for mine, wanted in zip(slow.parameters(), fast.parameters(), strict=True):
        mine.lerp_(wanted.detach(), rate)


def save_weights(path: Path, net: nn.Module) -> None:
    """Write the weights to `path` (safetensors) atomically."""
    write_whole(path, save({name: value.contiguous() for name, value in net.state_dict().items()}))


def load_weights(path: Path, net: nn.Module) -> None:
    """Read weights written by `save_weights`; raise ValueError if the file is damaged or of another network."""
    try:
        net.load_state_dict(load(read_inside(path.parent, path.name, LARGEST_WEIGHTS)))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except (SafetensorError, RuntimeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not the weights of this network: {one_line(str(error))}") from None


def trunks_of_roles(roles: int, apart: Sequence[int]) -> np.ndarray:
    """Return the trunk of each role one-hot, `(roles, trunks)` float32."""
    if not apart:
        return np.eye(roles, dtype=np.float32)
    found = np.zeros((roles, 1 + len(apart)), np.float32)
    found[:, 0] = 1
    found[list(apart)] = np.eye(1 + len(apart), dtype=np.float32)[1:]
    return found


def _size(game: Game, name: str) -> int:
    return next(block.size for block in game.layout if block.name == name)


def _planes(game: Game, grids: Sequence[str]) -> dict[tuple[int, int], list[int]]:
    """Return the indices of all planes of `grids` by height and width."""
    found: dict[tuple[int, int], list[int]] = {}
    shapes = {block.name: block.shape for block in game.layout}
    for name in grids:
        start, shape = game.layout.start(name), shapes[name]
        if len(shape) < 2:
            raise ValueError(f"block {name!r} has the shape {shape}; grids have a height and a width")
        size = int(np.prod(shape))
        found.setdefault((shape[-2], shape[-1]), []).extend(range(start, start + size))
    return found
