"""Agents as kernels for a search: choices and probabilities without Python during rollouts.

Scripted agents have kernels; exported bots become kernels if their graph is small and of known operations (network.py).
Letters: `D` numbers in an observation, `A` actions, `r` choices, `f` features of a choice.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.advice import ALIKE
from sobremesa.agents.afterstates import NEVER, SETTLED
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.exported import AdvisedBot, AfterstateBot, Bot, pick_action
from sobremesa.agents.networks.compiler import Network, make_network
from sobremesa.agents.networks.onnx_file import read_graph
from sobremesa.agents.networks.program import INPUTS, OUTPUT, TAKEN, run_network
from sobremesa.agents.networks.runtime import BotError, Graph
from sobremesa.envs.core.agent import Afterstates, Agent, kernel_of
from sobremesa.envs.core.chance import STREAM, start
from sobremesa.envs.core.compile.kernel import kernel, shared

FEW_NUMBERS = 200_000  # weights and values per row of a network that is fast enough for rollouts
TOLERANCE = 1e-3  # between kernel and onnxruntime on random inputs; a larger difference means a misread graph
_MADE_UP, _MADE_UP_SHARE = 2, 0.2  # random inputs, and the share of ones in them


class Arrays(NamedTuple):
    """The arrays of a `Policy`: program and numbers of its network, and buffers for choices."""

    program: np.ndarray  # (P,) int64; empty where there is no network
    numbers: np.ndarray  # (M,) float32
    actions: np.ndarray  # (r,) int64
    features: np.ndarray  # (r, f) float32
    marks: np.ndarray  # (2, r) int8


class Policy(NamedTuple):
    """An agent as kernels.

    Both write into `arrays`, their last argument: use one policy per thread. Agents of one kind share their kernels,
    with any weights.
    """

    choose: Any  # (observation (D,), mask (A,), stream, arrays) -> action, drawn from `stream` as the agent draws
    # (observation (D,), mask (A,), arrays, chances (A,) float32): writes probabilities, 0 for illegal actions.
    # For a greedy bot, the softmax of its logits. None: the agent has a choice, but no policy.
    weigh: Any
    arrays: Arrays
    looks: bool = True  # whether the observation matters


def policy_kernels(agent: Agent) -> Policy | None:
    """Return `agent`, a scripted agent or a bot of a small network, as kernels; None for other agents."""
    inside = kernel_of(agent)
    if inside is not None:
        return Policy(_scripted_choice(inside), None, _arrays(), looks=inside is not RANDOM.kernel)
    if not isinstance(agent, Bot) or agent.memory or not agent.graph.content:
        return None
    says, afterstates = agent.manifest, agent.afterstates if isinstance(agent, AfterstateBot) else None
    advisor = agent.advisor if isinstance(agent, AdvisedBot) else None
    size, actions = says["observation_size"], says["num_actions"]
    size += actions if advisor is not None else 0
    takes = {"observation": size, "mask": actions} if afterstates is None else {"features": afterstates.size}
    gives = ("logits", actions) if afterstates is None else ("worth", 1)
    try:
        network = make_network(read_graph(agent.graph.content), takes, gives)
    except (ValueError, ImportError):
        return None
    if not _agrees(network, takes, agent.graph):
        return None
    logits = _network_logits if afterstates is None else _afterstate_logits(afterstates.look)
    logits = logits if advisor is None else _advised_logits(advisor.kernel)
    if agent.temperature not in (0.0, 1.0):
        logits = _divided_logits(logits, agent.temperature)
    arrays = _arrays(network, actions, afterstates)
    return Policy(_choice(logits, agent.temperature == 0), _chances(logits), arrays)


def playing(network: Network, advise: Any = None, greedy: bool = False) -> Policy:
    """Return a network from observation and mask to logits as kernels that draw from its policy, or are `greedy`.

    `advise` is the kernel of its scripted advisor, if it has one.
    """
    logits = _network_logits if advise is None else _advised_logits(advise)
    return Policy(_choice(logits, greedy), _chances(logits), _arrays(network))


def is_fast(agent: Agent) -> bool:
    """Return whether `agent` is fast enough for rollouts: a small network is, advised or not.

    So are several networks of which each decision uses one; the program assumes that the others are multiplied by 0
    (TAKEN, program.py). Afterstate bots evaluate their network for each choice, which costs far more.
    """
    policy = policy_kernels(agent)
    if policy is None or policy.arrays.features.size:
        return False
    return not policy.arrays.program.size or bool(policy.arrays.program[TAKEN] <= FEW_NUMBERS)


def _agrees(network: Network, takes: dict[str, int], graph: Graph) -> bool:
    """Return whether `network` and `graph` agree on random inputs."""
    rng = np.random.default_rng(7)
    feed = {name: (rng.random((_MADE_UP, size)) < _MADE_UP_SHARE).astype(np.float32) for name, size in takes.items()}
    try:
        wanted = graph.run(**feed)[0].reshape(_MADE_UP, -1)
    except BotError:
        return False
    for row in range(_MADE_UP):
        for place, part in enumerate(feed.values()):
            start = network.program[INPUTS + place]
            network.numbers[start : start + part.shape[1]] = part[row]
        run_network(*network)
        start = network.program[OUTPUT]
        counts = feed["mask"][row] > 0 if "mask" in feed else np.ones(1, bool)
        ours, theirs = network.numbers[start : start + wanted.shape[1]][counts], wanted[row][counts]
        if not np.abs(ours - theirs).max(initial=0) <= TOLERANCE * max(1.0, np.abs(theirs).max(initial=0)):
            return False
    return True


def _arrays(network: Network | None = None, num_actions: int = 0, afterstates: Afterstates | None = None) -> Arrays:
    program, numbers = network or (np.zeros(0, np.int64), np.zeros(0, np.float32))
    most, size = (afterstates.most, afterstates.size) if afterstates is not None else (0, 0)
    if afterstates is not None:
        numbers = np.append(numbers, np.zeros(num_actions, np.float32))  # values of actions
    return Arrays(
        program, numbers, np.zeros(most, np.int64), np.zeros((most, size), np.float32), np.zeros((2, most), np.int8)
    )


# Kernels, one for all agents of a kind.


@cache
def _scripted_choice(act: Any) -> Any:
    act = shared(act)

    @kernel
    def choose(observation, mask, stream, arrays):
        return act(observation, mask, stream)

    return choose


@cache
def _choice(logits_of: Any, greedy: bool) -> Any:
    logits_of = shared(logits_of)

    @kernel
    def choose(observation, mask, stream, arrays):
        return pick_action(logits_of(observation, mask, arrays), mask, stream, greedy)

    return choose


@cache
def _chances(logits_of: Any) -> Any:
    logits_of = shared(logits_of)

    @kernel
    def weigh(observation, mask, arrays, chances):
        softmax(logits_of(observation, mask, arrays), mask, chances)

    return weigh


@kernel
def softmax(logits, mask, chances):
    """Write into `chances` `(A,)` the softmax of those of `logits` `(A,)` that `mask` `(A,)` allows, 0 elsewhere."""
    most, total = -np.inf, 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            most = max(most, np.float64(logits[action]))
    for action in range(mask.shape[0]):
        chances[action] = np.exp(np.float64(logits[action]) - most) if mask[action] else 0.0
        total += chances[action]
    for action in range(mask.shape[0]):
        chances[action] /= total


@kernel
def _network_logits(observation, mask, arrays):
    """Return logits `(A,)`, a slice of the network's numbers."""
    program, numbers = arrays.program, arrays.numbers
    seen, allowed, out = program[INPUTS], program[INPUTS + 1], program[OUTPUT]
    numbers[seen : seen + observation.shape[0]] = observation
    for action in range(mask.shape[0]):
        numbers[allowed + action] = mask[action]
    run_network(program, numbers)
    return numbers[out : out + mask.shape[0]]


@cache
def _advised_logits(act: Any) -> Any:
    act = shared(act)

    @kernel
    def ask(observation, mask, numbers, advice, scratch):
        """Write the advice into `numbers`, from `advice` on; the caller holds on to `scratch`."""
        numbers[advice : advice + mask.shape[0]] = 0
        start(scratch[0], ALIKE)
        numbers[advice + act(observation, mask, scratch[0])] = 1

    @kernel
    def logits_of(observation, mask, arrays):
        """Return the logits of an advised network."""
        scratch = np.zeros(1, STREAM)
        ask(observation, mask, arrays.numbers, arrays.program[INPUTS] + observation.shape[0], scratch)
        return _network_logits(observation, mask, arrays)

    return logits_of


@cache
def _divided_logits(logits_of: Any, temperature: float) -> Any:
    logits_of, divisor = shared(logits_of), np.float32(temperature)

    @kernel
    def divided(observation, mask, arrays):
        return logits_of(observation, mask, arrays) / divisor

    return divided


@cache
def _afterstate_logits(look: Any) -> Any:
    look = shared(look)

    @kernel
    def logits_of(observation, mask, arrays):
        """Return the values of actions `(A,)`, the last of the network's numbers, as in `action_worths`."""
        program, numbers, features = arrays.program, arrays.numbers, arrays.features
        given, out = program[INPUTS], program[OUTPUT]
        found = numbers[numbers.shape[0] - mask.shape[0] :]
        found[:] = NEVER
        features[:] = 0
        count = look(observation, mask, arrays.actions, features, arrays.marks[0], arrays.marks[1])
        for choice in range(count):
            worth = np.float32(SETTLED * arrays.marks[0, choice])
            if worth == 0:
                numbers[given : given + features.shape[1]] = features[choice]
                run_network(program, numbers)
                worth = numbers[out]
            found[arrays.actions[choice]] = max(found[arrays.actions[choice]], worth)
        if count == 0:
            for action in range(mask.shape[0] - 1, -1, -1):
                if mask[action]:
                    found[:] = NEVER
                    found[action] = 0
        return found

    return logits_of
