"""The whole tree of a small two-seat game, as flat arrays, built through the game's own kernels.

Nodes are decisions and ends; chance is on the edges between them (script.py). Outcomes of chance with the same state
are merged. An information set is the observation of the seat to act with its earlier decisions and observations: seats
have perfect recall, even if an observation does not contain the past.

Letters: `N` nodes, `I` information sets, `S` slots (an action at an information set), `E` edges (an action at a node),
`O` outcomes of edges, `A` actions, `W` bytes of an observation.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.exact.estimate import estimate_nodes
from sobremesa.agents.exact.script import TooMany, Uncountable, scripted, unfold
from sobremesa.envs.core import news
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import DEAL, step_kernels

MOST_NODES = 2_000_000
SEATS = 2
START = -1  # instead of a slot: the first decision of the seat


class Arrays(NamedTuple):
    """Arrays of N nodes (children after parents), I information sets, S slots (their actions), E edges, O outcomes."""

    seat: np.ndarray  #: (N,) int8: the seat to act, -1 at an end
    infoset: np.ndarray  #: (N,) int64: the information set; -1 at an end
    paid: np.ndarray  #: (N,) float64: payoff of seat 0; 0 at a decision
    edges: np.ndarray  #: (N + 1,) int64: where the edges of each node begin; edge k is of slot k of its information set
    outcomes: np.ndarray  #: (E + 1,) int64: where the outcomes of each edge begin
    child: np.ndarray  #: (O,) int64: the node after each outcome of chance
    chance: np.ndarray  #: (O,) float64: the probability of each outcome
    opening: np.ndarray  #: (N,) float64: how likely a deal begins there
    slots: np.ndarray  #: (I + 1,) int64: where the slots of each information set begin
    owner: np.ndarray  #: (I,) int8: its seat
    before: np.ndarray  #: (I,) int64: the slot of the seat's decision before; -1 (START) without one


class GameTree(NamedTuple):
    """The tree of `game` at a table of `setup`, and its information sets; `Arrays` describes I and S, W are bytes."""

    game: Game
    setup: dict[str, int | str | bool]
    arrays: Arrays
    depth: np.ndarray  #: (I,) int64: how many decisions of the seat come before
    codes: np.ndarray  #: (I, W) uint8: encoded observations
    masks: np.ndarray  #: (I, A) int8
    actions: np.ndarray  #: (S,) int64: the action of each slot, an action at an information set

    @property
    def earlier(self) -> np.ndarray:
        """The information set of the seat's decision before each one, `(I,)` int64; START without one."""
        before = self.arrays.before
        return np.where(before == START, START, np.searchsorted(self.arrays.slots, before, "right") - 1)

    def told_apart(self, remembered: bool = False) -> bool:
        """Return whether observations, and if `remembered` the information sets before, identify information sets."""
        seen = [self.codes, *([self.earlier[:, None].view(np.uint8)] if remembered else [])]
        return len({row.tobytes() for row in np.concatenate(seen, axis=1)}) == len(self.codes)

    def observations(self) -> np.ndarray:
        """Return the observation of each information set, `(I, D)` float32."""
        return self.game.layout.decode(self.codes)


def enumerate_tree(game: Game, setup: Mapping[str, Any] | None = None, most: int = MOST_NODES) -> GameTree:
    """Return the whole tree of `game` at a table of `setup`; by default two seats and the usual options.

    Raises Uncountable if the game is not of two seats against each other, or has more than `most` nodes.
    """
    setup = {"seats": SEATS, **(setup or {})}
    table = game.new_tables(1, setup)
    if game.cooperative or table["seats"][0] != SEATS:
        instead = "" if game.cooperative or SEATS not in game.seat_range else f"; try --setup seats={SEATS}"
        raise Uncountable(f"{game.name}: exact answers are for two seats against each other{instead}")
    try:
        return _TreeBuilder(game, table, most).grow()
    except TooMany as error:
        nodes = estimate_nodes(game, table, _play_kernel(game))
        size = nodes * (game.state.itemsize + game.layout.width + game.num_actions)
        raise TooMany(
            f"{error}; the tree has about {nodes:.1e} nodes, {size / 2**30:.1g} GiB, less what chance brings together "
            "(--nodes allows more)"
        ) from None


@cache
def _with_scripted_chance(game: Game) -> Game:
    """Return `game` with all its chance scripted."""
    verbs = {name: getattr(game, name) for name in ("reset", "play", "go_on")}
    return replace(game, **{name: scripted(verb) for name, verb in verbs.items() if verb is not None})


@cache
def _play_kernel(game: Game) -> Any:
    """Compile scripted deals and actions, in batches, with the observation or the payoffs after them."""
    (reset, step), observe, payoff = step_kernels(_with_scripted_chance(game)), game.observe, game.payoff

    @kernel
    def play(states, actions, masks, codes, paid):
        for i in range(states.shape[0]):
            if actions[i] == DEAL:
                reset(states[i], 0, masks[i])
            else:
                step(states[i], actions[i], masks[i])
            if states[i].over:
                payoff(states[i], paid[i])
            else:
                observe(states[i], states[i].seat, codes[i])

    return play


class _TreeBuilder:
    """A tree under construction, level by level: nodes after equally many decisions."""

    def __init__(self, game: Game, table: np.ndarray, most: int) -> None:
        self.game, self.table, self.most = game, table, most
        self.play = _play_kernel(game)
        self.wiped = news.fields_of(game.state)
        self.known: dict[bytes, int] = {}  # information sets
        self.codes: list[np.ndarray] = []
        self.masks: list[np.ndarray] = []
        self.owner: list[int] = []
        self.before: list[int] = []
        self.depth: list[int] = []
        self.slots = [0]
        self.parts: list[dict[str, np.ndarray]] = []  # of Arrays, level by level
        self.nodes = 0

    def grow(self) -> GameTree:
        """Build the whole tree."""
        level = self._follow(self.table, np.zeros(1, np.int64), np.array([DEAL]), np.full((1, SEATS), START))
        opening = level["chance"]
        while len(level["states"]):
            level = self._ask(level)
        return self._whole_number(opening)

    def _follow(self, bases: np.ndarray, base: np.ndarray, actions: np.ndarray, last: np.ndarray) -> dict[str, Any]:
        """Return the results of the `actions` `(n,)` in the states `bases[base]`, for all outcomes of chance.

        `last` `(n, 2)` are the last slots of the seats, after the action.
        """
        game, where = self.game, table_name(self.game, self.game.setup(self.table))

        def run(case: np.ndarray, scripts: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
            count = len(case)
            self._check(count, where)
            states = bases[base[case]]
            states["stream"] = scripts
            masks, codes = np.zeros((count, game.num_actions), np.int8), np.zeros((count, game.layout.width), np.uint8)
            paid = np.zeros((count, game.max_seats), np.float32)
            self.play(states, actions[case], masks, codes, paid)
            words = states["stream"].copy()
            states["stream"] = 0
            for name in self.wiped:
                states[name] = 0
            return words, [states, masks, codes, paid]

        case, chance, (states, masks, codes, paid) = unfold(len(base), run, self.most, where)
        keep, chance = _merged(case, chance, states)
        return {
            "edge": case[keep], "chance": chance, "states": states[keep], "masks": masks[keep], "codes": codes[keep],
            "paid": paid[keep, 0], "last": last[case[keep]],
        }  # fmt: skip

    def _check(self, count: int, where: str) -> None:
        if self.nodes + count > self.most:
            raise TooMany(f"{where}: more than {self.most:,} nodes")

    def _ask(self, level: dict[str, Any]) -> dict[str, Any]:
        """Add the nodes of `level` and return the next level, an empty one at the end."""
        states, over = level["states"], level["states"]["over"] > 0
        first, count = self.nodes, len(states)
        self.nodes += count
        seat = np.where(over, -1, states["seat"]).astype(np.int8)
        infoset = np.full(count, -1)
        asked = np.flatnonzero(~over)
        infoset[asked] = self._infosets(seat[asked], level["last"][asked], level["codes"][asked], level["masks"][asked])
        base, actions = np.nonzero(np.where(over[:, None], 0, level["masks"]))
        edges = np.concatenate([[0], np.cumsum(np.bincount(base, minlength=count))])
        last = level["last"][base]
        slots = np.array(self.slots)[infoset[base]] + np.arange(len(base)) - edges[base]
        last[np.arange(len(base)), seat[base]] = slots
        part = {"seat": seat, "infoset": infoset, "paid": np.where(over, level["paid"], 0.0), "edges": np.diff(edges)}
        self.parts.append(part)
        if not len(base):
            part |= {"outcomes": np.zeros(0, np.int64), "child": np.zeros(0, np.int64), "chance": np.zeros(0)}
            return {"states": states[:0]}
        found = self._follow(states, base, actions, last)
        part["outcomes"] = np.bincount(found["edge"], minlength=len(base))
        part["child"], part["chance"] = first + count + np.arange(len(found["edge"])), found["chance"]
        return found

    def _infosets(self, seat: np.ndarray, last: np.ndarray, codes: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the information set of each of some decisions; new ones are added."""
        before = last[np.arange(len(seat)), seat].astype(np.int64)
        rows = np.concatenate([before[:, None].view(np.uint8), seat[:, None].view(np.uint8), codes], axis=1)
        found = np.empty(len(rows), np.int64)
        for number, row in enumerate(rows):
            key = row.tobytes()
            infoset = self.known.setdefault(key, len(self.known))
            if infoset == len(self.owner):
                self._note(int(seat[number]), int(before[number]), codes[number], masks[number])
            found[number] = infoset
        return found

    def _note(self, seat: int, before: int, codes: np.ndarray, mask: np.ndarray) -> None:
        self.owner.append(seat)
        self.before.append(before)
        self.codes.append(codes)
        self.masks.append(mask)
        earlier = 0 if before == START else self.depth[bisect_right(self.slots, before) - 1] + 1
        self.depth.append(earlier)
        self.slots.append(self.slots[-1] + int(mask.sum()))

    def _whole_number(self, opening: np.ndarray) -> GameTree:
        joined = {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
        masks = np.array(self.masks)
        arrays = Arrays(
            joined["seat"],
            joined["infoset"],
            joined["paid"].astype(np.float64),
            np.concatenate([[0], np.cumsum(joined["edges"])]),
            np.concatenate([[0], np.cumsum(joined["outcomes"])]),
            joined["child"],
            joined["chance"],
            np.concatenate([opening, np.zeros(self.nodes - len(opening))]),
            np.array(self.slots),
            np.array(self.owner, np.int8),
            np.array(self.before),
        )
        codes, setup = np.array(self.codes), self.game.setup(self.table)
        return GameTree(self.game, setup, arrays, np.array(self.depth), codes, masks, np.nonzero(masks)[1])


def sizes(tree: GameTree) -> str:
    """Return the size of a tree in words."""
    ends = int((tree.arrays.seat < 0).sum())
    return (
        f"{table_name(tree.game, tree.setup)}: {len(tree.arrays.seat) - ends:,} decisions, {ends:,} ends, "
        f"{len(tree.arrays.owner):,} information sets"
    )


def table_name(game: Game, setup: Mapping[str, Any]) -> str:
    """Return the name of a table of `setup`: its game and its unusual options."""
    unusual = [f"{one.name}={setup[one.name]}" for one in game.options if setup[one.name] != one.default]
    return f"{game.id} ({', '.join(unusual) or 'default setup'})"


def _merged(case: np.ndarray, chance: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to keep, one per state of a case, and their probabilities, in order."""
    several = np.bincount(case)[case] > 1
    rows = np.concatenate([case[several, None].view(np.uint8), _bytes_of(states[several])], axis=1)
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1])))[:, 0]
    _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    together = np.zeros(len(first))
    np.add.at(together, group, chance[several])
    merged = chance.copy()
    merged[several] = 0.0
    merged[np.flatnonzero(several)[first]] = together
    keep = np.flatnonzero(merged > 0)
    return keep, merged[keep]


def _bytes_of(states: np.ndarray) -> np.ndarray:
    return np.frombuffer(states.tobytes(), np.uint8).reshape(len(states), states.dtype.itemsize)
