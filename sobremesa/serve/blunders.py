"""The decisions of a deal that cost most, by what their seats knew then.

Worlds are dealt anew from what the seat saw at its decision, and in the same worlds the strong scripted agent plays on
for everybody, after the action that was played and after others. So a right decision that met with bad luck costs
nothing here, and a wrong one that luck repaid does. All decisions are looked at in few worlds, those that seem worst in
more, and what is told is measured in others still: what is greatest among many looks is partly chance.
"""

from collections.abc import Collection, Sequence
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

ACTIONS = 8  # tried at a decision, the one that was played among them
ROLLOUTS = 6000  # of the first look, shared by all decisions
MOST = ROLLOUTS // ACTIONS  # decisions that are looked at, spread over a longer deal; few deals have so many
GLANCE, SECOND = 16, 64  # the most worlds of the first look, and those of the second
LEFT, OTHERS = 16, 3  # decisions of the second look, and actions tried beside the one that was played
AGAIN, WORLDS = 6, 300  # decisions that are measured, and in how many worlds
TOLD = 3
WITHIN = 2.64  # standard errors: intervals of 95 % that hold for all that are measured at once (Bonferroni)
ALL_HOLD = 1 - 0.05 / AGAIN  # the same as the confidence of one interval


class Costly(NamedTuple):
    """A decision, and another action that was better; worths are parts of the win, or the team's chance, 0 to 1."""

    ply: int
    seat: int
    played: int
    better: int
    worth: float  # of what was played
    gain: float  # mean of what `better` is worth more in the same worlds
    low: float  # ends of the interval of that
    high: float


def costly(
    game: Game, plies: Sequence[Ply], seats: Collection[int], seed: int, agent: Agent | None = None
) -> list[Costly]:
    """Return the decisions of `seats` that cost most, the worst first, as far as another action was surely better.

    `plies` is a whole deal, its end last; the same `seed` gives the same figures. `agent` plays on (None: the strong
    scripted one).
    """
    agent = agent or agents.load(agents.scripted_names(game)[-1], game)
    rollouts = Rollouts(game, agent)
    asked = [number for number, ply in enumerate(plies) if ply.seat in seats and ply.mask.sum() > 1]
    asked = [asked[one * len(asked) // MOST] for one in range(MOST)] if len(asked) > MOST else asked
    left = [_decision(game, plies[number], number, agent, seed) for number in asked]
    glance = min(GLANCE, max(1, ROLLOUTS // (ACTIONS * max(1, len(left)))))
    left = _worst(rollouts, left, (0, glance), LEFT, OTHERS)
    left = _worst(rollouts, left, (glance, glance + SECOND), AGAIN, 1)
    found = [_measured(rollouts, one, glance + SECOND) for one in left]
    return sorted((one for one in found if one.low > 0), key=lambda one: -one.gain)[:TOLD]


class _Decision(NamedTuple):
    ply: int
    view: View
    lot: int  # the seed of its worlds
    actions: np.ndarray  # (C,) tried, first the one that was played


def _decision(game: Game, ply: Ply, number: int, agent: Agent, seed: int) -> _Decision:
    view = make_view(game, ply.states, ply.seat, new_stream(seeds.seed_of(seeds.AGENT, seed, ply.seat, number)))
    lot = seed_of(view)
    others = [one for one in candidates_of(agent, view, Budget(actions=ACTIONS), lot)[0] if one != ply.action]
    return _Decision(number, view, lot, np.array([ply.action, *others[: ACTIONS - 1]]))


def _worst(
    rollouts: Rollouts, decisions: Sequence[_Decision], worlds: tuple[int, int], most: int, others: int
) -> list[_Decision]:
    """Return up to `most` decisions that seem worst in `worlds`, with the best `others` that they are set beside."""
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
    """Return `(W, C)` what the actions are worth to the seat in its worlds number `low` to `high` - 1."""
    view = one.view
    worlds = sample_worlds(view, one.lot, low, high)
    paid = rollouts.payoffs(worlds, one.actions, seeds.seeds_of(CHANCE, one.lot, range(low, high)))
    worths: np.ndarray = nature(view.game).worth(paid[:, :, : int(view.state["seats"][0])])[:, :, view.seat]
    return worths


def shown(game: Game, found: Sequence[Costly]) -> list[dict[str, Any]]:
    """Return decisions as pages are told of them: figures rounded, actions by their names in each language."""
    return [
        {
            "ply": one.ply,
            "seat": one.seat,
            **{name: round(getattr(one, name), 3) for name in ("worth", "gain", "low", "high")},
            **{
                name: {language: game.words.action_name(getattr(one, name), language) for language in LANGUAGES}
                for name in ("played", "better")
            },
        }
        for one in found
    ]
