"""`sobremesa bench --search`: what a decision costs an agent that thinks ahead, beside OpenSpiel's tree search.

Ours sits at one seat of the usual table among `BESIDE`, deal after deal, each time at the next seat. OpenSpiel's is its
`ISMCTSBot`, written in C++, at all seats of a game of its own. Both think on one core, with rollouts at random for a
tree; seconds are of processor time.
"""

from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice
from random import Random
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.bench.peers import SEED
from sobremesa.bench.speed import ROUNDS
from sobremesa.envs.core.agent import View, forget_deals
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seed_of

SIMULATIONS = 1000  # of a tree, ours and theirs
EXPLORE = 1.5  # of theirs, the constant of UCT
SEARCHES = (("ismcts()", "median", 0.25), ("search(strong)", "mean", 0.1), ("search(trained)", "mean", 0.1))
BESIDE = "strong"
PEERS = ("leduc_poker", "euchre", "oh_hell", "gin_rummy")
LONGEST = 5.0  # seconds of one round of one of them


class Decision(NamedTuple):
    """What one decision took."""

    seconds: float  # of processor time
    rollouts: int


class Cost(NamedTuple):
    """What decisions of one agent took."""

    decisions: int
    median: float  # seconds a decision
    mean: float
    rollouts: float  # a second


class _Timed:
    """An agent as it is, whose decisions are timed."""

    def __init__(self, agent: Any) -> None:
        self.name = agent.name
        self.found: list[Decision] = []
        self._agent = agent

    def forget(self, seeds: Any) -> None:
        forget_deals([self._agent], seeds)

    def act(self, view: View) -> int:
        start = process_time()
        thought = self._agent.think(view)
        spent = process_time() - start
        trials = sum(line.trials for line in thought.lines)
        # A tree that is kept counts the visits of earlier decisions, too.
        self.found.append(
            Decision(spent, self._agent.budget.simulations if isinstance(self._agent, Ismcts) else trials)
        )
        return int(thought.action)


def our_decisions(game: Game, spec: str) -> Iterator[Decision]:
    """Give what each decision of the search agent `spec` takes; everything is compiled when this returns.

    Raises ValueError where `game` has no such agent, and MissingExtra where it needs what is not installed.
    """
    agent = agents.load(spec, game)
    assert isinstance(agent, (Improve, Ismcts))
    timed, other = _Timed(agent), agents.load(BESIDE, game)
    seats = game.default_seats

    def played() -> Iterator[Decision]:
        for deal in count():
            seated = [timed if seat == deal % seats else other for seat in range(seats)]
            for _ in deal_between(game, seated, seed_of(DEAL, SEED, deal)):
                yield from timed.found
                timed.found.clear()

    next(played())  # compiles
    timed.found.clear()
    return played()


def open_spiel_decisions(name: str) -> Iterator[Decision]:
    """Give what each decision of OpenSpiel's `ISMCTSBot` takes in its game `name`; raise ImportError without it."""
    spiel = import_module("pyspiel")
    game, random = spiel.load_game(name), Random(SEED)

    def played() -> Iterator[Decision]:
        evaluator = spiel.RandomRolloutEvaluator(1, SEED)  # the bot does not keep it alive
        most_visited = spiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        bot = spiel.ISMCTSBot(SEED, evaluator, EXPLORE, SIMULATIONS, final_policy_type=most_visited)
        while True:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(outcomes, odds)[0])
                    continue
                start = process_time()
                action = bot.step(state)
                spent = process_time() - start
                if len(state.legal_actions()) > 1:  # ours are asked nowhere else
                    yield Decision(spent, SIMULATIONS)
                state.apply_action(action)

    return played()


def take(decisions: Iterator[Decision], most: int) -> list[Decision]:
    """Return the next `most` of `decisions`, fewer where they take `LONGEST` before."""
    found: list[Decision] = []
    for decision in islice(decisions, most):
        found.append(decision)
        if sum(one.seconds for one in found) >= LONGEST:
            break
    return found


def costs(measured: dict[str, Iterator[Decision]], decisions: int) -> dict[str, Cost]:
    """Return what each of `measured` costs, by name, after so many `decisions` of each, taken in turns."""
    found: dict[str, list[Decision]] = {name: [] for name in measured}
    for _ in range(ROUNDS):
        for name, ours in measured.items():
            found[name] += take(ours, max(1, decisions // ROUNDS))
    return {name: _cost(some) for name, some in found.items()}


def _cost(found: list[Decision]) -> Cost:
    seconds = np.array([one.seconds for one in found])
    rollouts = sum(one.rollouts for one in found)
    return Cost(
        len(found), float(np.median(seconds)), float(seconds.mean()), rollouts / max(float(seconds.sum()), 1e-9)
    )
