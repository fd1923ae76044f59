"""Information-set tree search (Cowling, Powley and Whitehouse 2012): one tree over determinizations, for any seats.

Each simulation resamples the hidden information, descends by the observation of the seat to act, adds a node, and plays
to the end of the deal; every seat maximises its own payoff. If an agent is named, its policy, or its choice, is the
prior of the nodes (PUCT); another agent may play the rollouts. Otherwise the prior is uniform and rollouts are random.

Limits: all worlds contain the searching seat's own cards, so the other seats act as if they knew them. The search does
not bluff, expects others to see through it, and does not read bluffs, since its worlds do not depend on the others'
actions. More simulations may make it easier to exploit (Lisý, Lanctot and Bowling 2015). Random rollouts add little
beyond the reach of the tree.
"""

import hashlib
import warnings
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.search.improve import Improve, Line, SearchResult, check_whole
from sobremesa.agents.search.policies import Policy, policy_kernels
from sobremesa.agents.search.rollouts import CHANCE, WORLD, seed_of
from sobremesa.agents.search.tree import (
    FULLEST,
    Tree,
    find_edge,
    find_node,
    hash_view,
    make_tree,
    scratch,
    simulate_kernel,
    tree_bytes,
)
from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of

KEPT = 256  # most trees stored for the next moves of their seats; the arena never plays more at once
MOST_BYTES = 2**30  # of one tree
ALL_BYTES = 2**31  # of all stored trees, but at least one for each seat of a table
DECISIONS = 16  # decisions whose simulations fit into a tree by default
_AT_ONCE = 50  # simulations between two checks of the clock and of Ctrl-C
_FORMAT = 2  # of the search: raised when the same budget chooses differently


@dataclass(frozen=True)
class TreeBudget:
    """The budget of a tree search.

    Args:
        simulations: for each decision.
        explore: weight of rarely tried actions (the constant of PUCT).
        trust: share of the named agent's policy in the prior, 0 to 1.
        nodes: size of a tree; 0 for the simulations of `DECISIONS` decisions. If the next decision does not fit, a new
            tree begins. A tree that fills up during a decision stops growing, with a warning.
        seconds: stop after this time, for play at a table; 0: no limit. Such a search does not repeat on a seed.
    """

    simulations: int = 1000
    explore: float = 1.5
    trust: float = 0.5
    nodes: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        check_whole("simulations", self.simulations, 1, 10_000_000)
        check_whole("nodes", self.nodes, 0, 2**31)
        for name, most in (("explore", 1e6), ("trust", 1.0), ("seconds", 1e9)):
            if not 0 <= getattr(self, name) <= most:
                raise ValueError(f"{name}={getattr(self, name)!r} is not allowed; it takes a number from 0 to {most:g}")

    @property
    def room(self) -> int:
        """Number of nodes that a tree has room for."""
        return self.nodes or DECISIONS * self.simulations


class _Deal(NamedTuple):
    """The record of a seat from one of its decisions to the next."""

    tree: Tree
    roots: set[int]  # hashes of the seat's observations at its decisions so far
    asked: int  # observation and stream of the last decision, as a seed
    thought: SearchResult


class Ismcts:
    """An agent that searches a tree of information sets; see the module.

    Decisions follow from the views and streams of the seat's decisions in this deal so far; the streams are not drawn
    from.
    """

    def __init__(
        self, name: str, game: Game, base: Agent, budget: TreeBudget | None = None, rollout: Agent | None = None
    ) -> None:
        self.name = name
        self.base = base
        self.rollout = rollout or base
        self._prior, self._rollout = (_policy(name, agent) for agent in (self.base, self.rollout))
        self.budget = budget or TreeBudget()
        size = tree_bytes(game, self.budget.room)
        if size > MOST_BYTES:
            allowed = f"{MOST_BYTES // 2**20} MB, fewer simulations or nodes=NUMBER"
            raise ValueError(f"{name}: a tree of {self.budget.room} nodes takes more than {allowed}")
        # The most seats at tables that it plays at once: each has a tree.
        self.tables = max(game.max_seats, min(KEPT, ALL_BYTES // size))
        self.full = False  # whether a tree has run out of room
        self._game = game
        self._scratch: tuple[np.ndarray, ...] | None = None
        self._deals: OrderedDict[int, _Deal] = OrderedDict()  # by the seed of the seat's stream, latest last

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.name, self._game, self.base, self.budget, self.rollout
        return type(self), made, {"_deals": self._deals, "full": self.full}

    def forget(self, seeds: Iterable[int]) -> None:
        """Drop the trees of streams with these `seeds`: their deals begin."""
        for seed in seeds:
            self._deals.pop(seed, None)

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        return self.think(view).action

    def think(self, view: View) -> SearchResult:
        """Return the action for `view.seat` and the visits of each action, most first; for a vote, the fair one."""
        if (vote := self._game.fair_vote(view.observation, view.mask)) is not None:
            return SearchResult(vote, vote, ())
        stream, seed = int(view.stream["seed"][0]), seed_of(view)
        root = int(hash_view(view.seat, view.observation.view(np.uint32)))
        kept = self._deals.pop(stream, None)
        if kept is not None and kept.asked == seed:
            self._deals[stream] = kept
            return kept.thought
        goes_on = kept is not None and self._expands(kept, root)
        tree, roots = (kept.tree, kept.roots) if kept is not None and goes_on else (self._empty(kept), set())
        self._expand(tree, view, seed)
        self._find_room(tree)
        thought = self._search_result(tree, np.uint64(root), view)
        self._deals[stream] = _Deal(tree, roots | {root}, seed, thought)
        return thought

    def _expands(self, kept: _Deal, root: int) -> bool:
        """Return whether a tree contains a decision at `root` that is new to it, and has room for its simulations."""
        tree = kept.tree
        room = not tree.used[2] and tree.used[0] + self.budget.simulations <= FULLEST * len(tree.nodes)
        return bool(room and root not in kept.roots and find_node(tree.nodes, np.uint64(root)) >= 0)

    def _find_room(self, tree: Tree) -> None:
        if tree.used[2] and not self.full:
            self.full = True
            told = f"{self.name}: a tree of {self.budget.room} nodes is full and grows no more"
            warnings.warn(f"{told}; it takes fewer simulations, or a larger nodes=NUMBER", RuntimeWarning, stacklevel=4)

    def _empty(self, kept: _Deal | None) -> Tree:
        """Return an empty tree, in the memory of a finished one if possible."""
        if kept is None and len(self._deals) >= self.tables:
            kept = self._deals.popitem(last=False)[1]
        if kept is None:
            return make_tree(self._game, self.budget.room)
        for array in kept.tree:
            array[:] = np.zeros(1, array.dtype)
        return kept.tree

    def _expand(self, tree: Tree, view: View, seed: int) -> None:
        simulate = simulate_kernel(self._game, self._prior, self._rollout)
        arrays = self._prior.arrays, self._rollout.arrays
        buffers = self._scratch = self._scratch or scratch(self._game)
        worlds, began, budget = view.state.copy(), perf_counter(), self.budget
        for low in range(0, budget.simulations, _AT_ONCE):
            if low and budget.seconds and perf_counter() - began >= budget.seconds:
                break
            high = min(low + _AT_ONCE, budget.simulations)
            drawn = seeds_of(WORLD, seed, range(low, high)), seeds_of(CHANCE, seed, range(low, high))
            simulate(view.state, worlds, view.seat, *drawn, *tree, budget.explore, budget.trust, *arrays, *buffers)

    def _search_result(self, tree: Tree, key: np.uint64, view: View) -> SearchResult:
        lines = []
        for action in np.flatnonzero(view.mask).tolist():
            edge = find_edge(tree.edges, key, action)
            count = int(tree.edges["visits"][edge]) if edge >= 0 else 0
            if count:
                lines.append(Line(action, float(tree.edges["totals"][edge, view.seat]) / count, np.nan, 0.0, count))
        lines.sort(key=lambda line: (-line.trials, -line.payoff, line.action))
        best = lines[0].action if lines else int(np.flatnonzero(view.mask)[0])
        return SearchResult(best, best, tuple(lines))

    @property
    def content(self) -> str:
        """A digest of the search apart from its base and its rollout agent."""
        fair = () if self._game.fair_votes is None else (repr(self._game.fair_votes),)
        return hashlib.sha256(repr((_FORMAT, self.budget, *fair)).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _policy(name: str, agent: Agent) -> Policy:
    """Return `agent` as kernels, which a tree needs."""
    found = policy_kernels(agent)
    if found is None:
        raise ValueError(f"{name}: {agent.name} is no kernel; a tree takes scripted agents and bots of small networks")
    return found


def keeps_trees(agent: Agent) -> bool:
    """Return whether `agent`, or its base, stores trees or worlds between the decisions of a deal."""
    return isinstance(agent, Ismcts) or (
        isinstance(agent, Improve) and (agent.budget.belief > 0 or keeps_trees(agent.base))
    )
