"""Blunders: decisions that lose against another action, judged by the information of the seat.

Each decision is judged in determinizations of its seat's view. In the same ones an agent, the judge, continues for all
seats after the played action and after alternatives. A good decision with bad luck thus costs nothing; a bad decision
with good luck does. Rounds narrow the alternatives down. The last one uses fresh determinizations, because the largest
of many estimates is biased upwards.

`costly` reviews one deal. `find_blunders` measures the decisions of an agent in many deals between its copies.

Letters: `W` determinizations, `C` actions, `D` decisions.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.score import PARTS, Estimate, differences, estimate, interval, nature, varied
from sobremesa.agents.builtin import scripted_names
from sobremesa.agents.loading import load
from sobremesa.agents.search.improve import Budget, candidates_of
from sobremesa.agents.search.policies import is_fast
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core import seeds
from sobremesa.envs.core.agent import (
    Agent,
    ProcessAgent,
    StochasticAgent,
    View,
    check_without_history,
    make_view,
    memory_size,
    new_stream,
)
from sobremesa.envs.core.deal import Ply, deal_between
from sobremesa.envs.core.errors import ArgumentError, check_count
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER

ACTIONS = 8  # compared at a decision, including the played one
ROLLOUTS = 6000  # of the first round of `costly`, shared by all decisions
MOST = ROLLOUTS // ACTIONS  # examined decisions, spread evenly over a longer deal
GLANCE, SECOND = 16, 64  # determinizations a decision: at most in the first round, and in the second
LEFT, OTHERS = 16, 3  # decisions of the second round, and alternatives of each
AGAIN, WORLDS = 6, 300  # decisions of the last round, and determinizations of each
REPORTED = 3
WITHIN = 2.64  # standard errors: 95 % intervals, simultaneous over the last round (Bonferroni)
ALL_HOLD = 1 - 0.05 / AGAIN  # confidence of each interval

# Of `find_blunders`: decisions of a deal, actions compared at a decision, and the end of the determinizations of each
# round. The first two rounds choose the alternative; the third one is fresh.
EACH, COMPARED = 10, 16
MOST_DEALS = 20  # for each decision
FIRST, NEXT, FRESH = 8, 32, 96
ALONE = 1.96  # standard errors: 95 % intervals, each for itself


class Costly(NamedTuple):
    """A blunder and its better alternative; values are shares of the win, or the team's chance, from 0 to 1."""

    ply: int
    seat: int
    played: int
    better: int
    worth: float  #: value of the played action
    gain: float  #: mean advantage of `better` in the same determinizations
    low: float  #: lower end of the 95 % interval of `gain`
    high: float  #: upper end


class Blunder(NamedTuple):
    """A blunder of a deal between copies of an agent."""

    deal: int  #: its seed: `sobremesa watch GAME AGENT AGENT --seed DEAL` shows it
    costly: Costly
    chance: float  #: probability of the played action in the agent's policy; 1 without a policy, or with memory
    states: np.ndarray  #: (1,) before the decision


class Blunders(NamedTuple):
    """The losses of an agent at its decisions: by how much the value of the best action found exceeds its own."""

    agent: str
    judge: str
    seats: int
    deals: int
    loss: Estimate  #: mean over decisions, with its interval over deals
    losses: np.ndarray  #: (D,) of each decision, measured once more where large; 0 where no alternative seemed better
    found: list[Blunder]  #: decisions that surely lose more than the limit, the worst first

    def share(self, least: float) -> float:
        """Return the share of decisions that lose more than `least`."""
        return float((self.losses > least).mean())


def costly(
    game: Game, plies: Sequence[Ply], seats: Collection[int], seed: int, agent: Agent | None = None
) -> list[Costly]:
    """Return the significant blunders of `seats`, the worst first.

    `plies` is a whole deal including its end; the same `seed` gives the same figures. `agent` plays the rollouts
    (default: the strong scripted one).
    """
    agent = agent or load(scripted_names(game)[-1], game)
    rollouts = Rollouts(game, agent)
    asked = [number for number, ply in enumerate(plies) if ply.seat in seats and _is_choice(game, ply)]
    asked = [asked[one * len(asked) // MOST] for one in range(MOST)] if len(asked) > MOST else asked
    left = [_decision(game, plies[number], number, agent, seed) for number in asked]
    glance = min(GLANCE, max(1, ROLLOUTS // (ACTIONS * max(1, len(left)))))
    left = _worst_decisions(rollouts, left, (0, glance), LEFT, OTHERS)
    left = _worst_decisions(rollouts, left, (glance, glance + SECOND), AGAIN, 1)
    found = [_measured(rollouts, one, glance + SECOND, WITHIN, ALL_HOLD) for one in left]
    return sorted((one for one in found if one.low > 0), key=lambda one: -one.gain)[:REPORTED]


def find_blunders(
    game: Game,
    agent: Agent | str,
    decisions: int = 2000,
    *,
    judge: Agent | str | None = None,
    least: float = 0.2,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Blunders:
    """Measure the losses of `agent` at random decisions of deals between its copies, and list its blunders.

    Args:
        game: the game.
        agent: the agent, or its name as in `agents.load`.
        decisions: number of decisions, EACH of a deal at most. Fair votes and forced actions do not count.
        judge: plays the rollouts (default: the agent if it is scripted or a bot of a small network, else the best
            scripted agent).
        least: loss that a listed blunder surely exceeds, a share of the win or of the team's success: the 95 %
            interval of its loss in fresh determinizations is above it.
        seed: of the first deal; further deals have the next seeds.
        progress: called with (decisions done, total).
        setup: the game's setup fields; `seats` defaults to that of the game.

    Raises ValueError for numbers out of range, a setup that does not fit, and an agent that needs the history of deals.
    """
    check_count("decisions", decisions)
    if not 0 <= least < 1:
        raise ArgumentError("{least} is not allowed; it takes a loss from 0, below 1", least=least)
    agent = load(agent, game) if isinstance(agent, str) else agent
    judge = load(judge, game) if isinstance(judge, str) else judge or _usual_judge(game, agent)
    for one in (agent, judge):
        check_without_history(one, "blunders")
    if isinstance(judge, ProcessAgent):
        raise ValueError(f"{judge.name} is an external agent, which is too slow to judge; give another judge")
    setup = {"seats": game.default_seats} | setup
    rollouts = Rollouts(game, judge)
    deals, losses, again, found = np.zeros(decisions, int), np.zeros(decisions), np.zeros(decisions), []
    for number, (deal, place, ply) in enumerate(_sampled_decisions(game, agent, decisions, seed, setup)):
        deals[number] = deal
        losses[number], blunder = _loss(rollouts, _decision(game, ply, place, judge, deal, COMPARED), least)
        again[number] = losses[number] if blunder is None else blunder.gain
        if blunder is not None and blunder.low > least:
            found.append(Blunder(deal, blunder, _chance(agent, ply), ply.states))
        if progress is not None:
            progress(number + 1, decisions)
    found.sort(key=lambda one: -one.costly.gain)
    _, places, counts = np.unique(deals, return_inverse=True, return_counts=True)  # some deals have more decisions
    by_deal = losses.mean() + np.bincount(places, losses - losses.mean()) / counts.mean()
    mean = estimate(by_deal, differences(PARTS))
    return Blunders(agent.name, judge.name, setup["seats"], len(by_deal), mean, again, found)


def _usual_judge(game: Game, agent: Agent) -> Agent:
    return agent if is_fast(agent) else load(scripted_names(game)[-1], game)


def _sampled_decisions(
    game: Game, agent: Agent, decisions: int, seed: int, setup: dict[str, Any]
) -> Iterator[tuple[int, int, Ply]]:
    """Yield the seed of the deal, the number of the ply and the ply of `decisions` decisions."""
    left, seated = decisions, [agent] * int(setup["seats"])
    for deal in range(seed, seed + MOST_DEALS * decisions):
        plies = list(deal_between(game, seated, deal, **setup))
        asked = [number for number, ply in enumerate(plies) if ply.seat != OVER and _is_choice(game, ply)]
        count = min(EACH, left, len(asked))
        for number in sorted(np.random.default_rng(deal).choice(asked, count, replace=False).tolist()):
            yield deal, number, plies[number]
        left -= count
        if not left:
            return
    raise ValueError(f"decisions={decisions}: the deals of {game.id} with this setup have hardly any decisions")


def _chance(agent: Agent, ply: Ply) -> float:
    """Return the probability of the action of `ply` in the policy of `agent`, 1 without a policy."""
    if not isinstance(agent, StochasticAgent) or memory_size(agent):
        return 1.0
    return float(agent.chances(ply.observation[None], ply.mask[None])[0, ply.action])


def _is_choice(game: Game, ply: Ply) -> bool:
    """Return whether `ply` may have been a mistake: a fair vote was none, and neither was the only action."""
    return bool(ply.mask.sum() > 1) and game.fair_vote(ply.observation, ply.mask) != ply.action


class _Decision(NamedTuple):
    ply: int
    view: View
    lot: int  # seed of its determinizations
    actions: np.ndarray  # (C,) compared actions, the played one first


def _decision(game: Game, ply: Ply, number: int, agent: Agent, seed: int, actions: int = ACTIONS) -> _Decision:
    view = make_view(game, ply.states, ply.seat, new_stream(seeds.seed_of(seeds.AGENT, seed, ply.seat, number)))
    lot = seed_of(view)
    others = [one for one in candidates_of(agent, view, Budget(actions=actions), lot)[0] if one != ply.action]
    return _Decision(number, view, lot, np.array([ply.action, *others[: actions - 1]]))


def _loss(rollouts: Rollouts, one: _Decision, least: float) -> tuple[float, Costly | None]:
    """Return the loss of a decision, unbiased for the chosen alternative, and its blunder if it may exceed `least`."""
    for worlds, others in (((0, FIRST), OTHERS), ((FIRST, NEXT), 1)):
        gain, one = _narrowed(rollouts, one, worlds, others)
        if gain <= 0:
            return 0.0, None
    worths = _worths(rollouts, one, NEXT, FRESH).mean(0)
    loss = float(worths[1] - worths[0])
    if loss <= least / 2:
        return loss, None
    return loss, _measured(rollouts, one, FRESH, ALONE, 0.95)


def _narrowed(rollouts: Rollouts, one: _Decision, worlds: tuple[int, int], others: int) -> tuple[float, _Decision]:
    """Return the gain of the best alternative in the range `worlds`, and the decision with its `others` best ones."""
    worths = _worths(rollouts, one, *worlds).mean(0)
    gains = worths[1:] - worths[0]
    best = np.argsort(-gains, kind="stable")[:others]
    return float(gains[best[0]]), one._replace(actions=one.actions[[0, *(1 + best)]])


def _worst_decisions(
    rollouts: Rollouts, decisions: Sequence[_Decision], worlds: tuple[int, int], most: int, others: int
) -> list[_Decision]:
    """Return the up to `most` worst decisions in the range `worlds`, each with its `others` best alternatives."""
    found = [_narrowed(rollouts, one, worlds, others) for one in decisions]
    return [one for gain, one in sorted(found, key=lambda one: -one[0])[:most] if gain > 0]


def _measured(rollouts: Rollouts, one: _Decision, first: int, within: float, confidence: float) -> Costly:
    """Return the blunder as measured in WORLDS determinizations from number `first` on.

    Its interval is `within` standard errors wide to each side, or that of `interval` with this `confidence`.
    """
    worths = _worths(rollouts, one, first, first + WORLDS)
    gains = worths[:, 1] - worths[:, 0]
    gain, error = float(gains.mean()), within * float(gains.std(ddof=1)) / WORLDS**0.5
    low, high = (gain - error, gain + error) if varied(gains) else interval(gains, differences(PARTS), 0, confidence)
    played, better = one.actions.tolist()
    return Costly(one.ply, one.view.seat, played, better, float(worths[:, 0].mean()), gain, low, high)


def _worths(rollouts: Rollouts, one: _Decision, low: int, high: int) -> np.ndarray:
    """Return `(W, C)` the values of the actions in the determinizations number `low` to `high` - 1."""
    view = one.view
    worlds = sample_worlds(view, one.lot, low, high)
    paid = rollouts.payoffs(worlds, one.actions, seeds.seeds_of(CHANCE, one.lot, range(low, high)))
    worths: np.ndarray = nature(view.game).worth(paid[:, :, : int(view.state["seats"][0])])[:, :, view.seat]
    return worths
