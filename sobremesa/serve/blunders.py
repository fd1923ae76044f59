"""Blunder report: the decisions of a deal that cost most, given the information of their seats.

Each decision is judged in determinizations of its seat's view. In the same ones, the strong scripted agent continues
for all seats after the played action and after alternatives. A good decision with bad luck thus costs nothing; a bad
decision with good luck does. Three rounds narrow the decisions down. The last one uses fresh determinizations, because
the largest of many estimates is biased upwards.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.score import PARTS, differences, interval, nature, varied
from sobremesa.agents.search.improve import Budget, candidates_of
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core import seeds
from sobremesa.envs.core.agent import Agent, View, make_view, new_stream
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.wording import shown_name
from sobremesa.report.verdicts import difference

ACTIONS = 8  # compared at a decision, including the played one
ROLLOUTS = 6000  # of the first round, shared by all decisions
MOST = ROLLOUTS // ACTIONS  # examined decisions, spread evenly over a longer deal
GLANCE, SECOND = 16, 64  # determinizations a decision: at most in the first round, and in the second
LEFT, OTHERS = 16, 3  # decisions of the second round, and alternatives of each
AGAIN, WORLDS = 6, 300  # decisions of the last round, and determinizations of each
REPORTED = 3
WITHIN = 2.64  # standard errors: 95 % intervals, simultaneous over the last round (Bonferroni)
ALL_HOLD = 1 - 0.05 / AGAIN  # confidence of each interval


class Costly(NamedTuple):
    """A blunder and its better alternative; values are shares of the win, or the team's chance, from 0 to 1."""

    ply: int
    seat: int
    played: int
    better: int
    worth: float  # value of the played action
    gain: float  # mean advantage of `better` in the same determinizations
    low: float  # ends of the interval of `gain`
    high: float


def costly(
    game: Game, plies: Sequence[Ply], seats: Collection[int], seed: int, agent: Agent | None = None
) -> list[Costly]:
    """Return the significant blunders of `seats`, the worst first.

    `plies` is a whole deal including its end; the same `seed` gives the same figures. `agent` plays the rollouts
    (default: the strong scripted one).
    """
    agent = agent or agents.load(agents.scripted_names(game)[-1], game)
    rollouts = Rollouts(game, agent)
    asked = [number for number, ply in enumerate(plies) if ply.seat in seats and _is_choice(game, ply)]
    asked = [asked[one * len(asked) // MOST] for one in range(MOST)] if len(asked) > MOST else asked
    left = [_decision(game, plies[number], number, agent, seed) for number in asked]
    glance = min(GLANCE, max(1, ROLLOUTS // (ACTIONS * max(1, len(left)))))
    left = _worst_decisions(rollouts, left, (0, glance), LEFT, OTHERS)
    left = _worst_decisions(rollouts, left, (glance, glance + SECOND), AGAIN, 1)
    found = [_measured(rollouts, one, glance + SECOND) for one in left]
    return sorted((one for one in found if one.low > 0), key=lambda one: -one.gain)[:REPORTED]


def _is_choice(game: Game, ply: Ply) -> bool:
    """Return whether `ply` may have been a mistake: a fair vote was none, and neither was the only action."""
    return bool(ply.mask.sum() > 1) and game.fair_vote(ply.observation, ply.mask) != ply.action


class _Decision(NamedTuple):
    ply: int
    view: View
    lot: int  # seed of its determinizations
    actions: np.ndarray  # (C,) compared actions, the played one first


def _decision(game: Game, ply: Ply, number: int, agent: Agent, seed: int) -> _Decision:
    view = make_view(game, ply.states, ply.seat, new_stream(seeds.seed_of(seeds.AGENT, seed, ply.seat, number)))
    lot = seed_of(view)
    others = [one for one in candidates_of(agent, view, Budget(actions=ACTIONS), lot)[0] if one != ply.action]
    return _Decision(number, view, lot, np.array([ply.action, *others[: ACTIONS - 1]]))


def _worst_decisions(
    rollouts: Rollouts, decisions: Sequence[_Decision], worlds: tuple[int, int], most: int, others: int
) -> list[_Decision]:
    """Return the up to `most` worst decisions in the range `worlds`, each with its `others` best alternatives."""
    found = []
    for one in decisions:
        worths = _worths(rollouts, one, *worlds).mean(0)
        gains = worths[1:] - worths[0]
        best = np.argsort(-gains, kind="stable")[:others]
        if gains[best[0]] > 0:
            found.append((gains[best[0]], one._replace(actions=one.actions[[0, *(1 + best)]])))
    return [one for _, one in sorted(found, key=lambda one: -one[0])[:most]]


def _measured(rollouts: Rollouts, one: _Decision, first: int) -> Costly:
    worths = _worths(rollouts, one, first, first + WORLDS)
    gains = worths[:, 1] - worths[:, 0]
    gain, within = float(gains.mean()), WITHIN * float(gains.std(ddof=1)) / WORLDS**0.5
    low, high = (gain - within, gain + within) if varied(gains) else interval(gains, differences(PARTS), 0, ALL_HOLD)
    played, better = one.actions.tolist()
    return Costly(one.ply, one.view.seat, played, better, float(worths[:, 0].mean()), gain, low, high)


def _worths(rollouts: Rollouts, one: _Decision, low: int, high: int) -> np.ndarray:
    """Return `(W, C)` the values of the actions in the determinizations number `low` to `high` - 1."""
    view = one.view
    worlds = sample_worlds(view, one.lot, low, high)
    paid = rollouts.payoffs(worlds, one.actions, seeds.seeds_of(CHANCE, one.lot, range(low, high)))
    worths: np.ndarray = nature(view.game).worth(paid[:, :, : int(view.state["seats"][0])])[:, :, view.seat]
    return worths


def shown(game: Game, found: Sequence[Costly], plies: Sequence[Ply]) -> list[dict[str, Any]]:
    """Return blunders in `plies` for the pages: what they cost and the names of actions, in words of each language."""
    name_of = partial(shown_name, game.words)
    return [
        {
            "ply": one.ply,
            "seat": one.seat,
            "more": {language: difference(one.gain, language) for language in LANGUAGES},
            **{
                name: {language: name_of(getattr(one, name), language, plies[one.ply].states) for language in LANGUAGES}
                for name in ("played", "better")
            },
        }
        for one in found
    ]
