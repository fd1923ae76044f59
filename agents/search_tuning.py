"""Measure settings of `search` on decisions of deals between copies of its base.

    python -m sobremesa.agents.search_tuning ese_toro_enamorado --positions 200 --out runs/tuning

A position is one decision of one deal. Rollouts of all its candidates start from many worlds, and from the true state;
their payoffs are stored, a file per position, so an interrupted run resumes. Each setting then decides from a few of
the worlds. Its `gain` is the payoff of its choice over that of the base in the other worlds; `true` is the same from
the true state, which is unbiased but has a wide interval.

Letters: `W` worlds, `C` candidates, `R` rollouts from the true state.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

from sobremesa import envs
from sobremesa.agents.loading import load
from sobremesa.agents.search.belief import Belief
from sobremesa.agents.search.improve import Budget, candidates_of, decide, prior_of
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.agents.search.spec import usual_budget
from sobremesa.envs.core.agent import Agent, PolicyAgent, View, agent_seed, make_view, new_stream
from sobremesa.envs.core.deal import Ply, deal_between
from sobremesa.envs.core.files import open_inside, whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of

TRUE, ACTIONS = 8, 12  # rollouts from the true state, the most candidates of a position
TRIED_WORLDS, TRIED_ACTIONS = (16, 32, 64, 96, 128, 256), (4, 12)
GATES = (0.0, 1.0, 1.5, 2.0, 3.0)
TAUS = (0.01, 0.02, 0.04)  # with `trust` as usual and without a gate
MOST_LOTS, SHOWN = 4, 12  # decisions of a setting at a position; settings that are printed


class Position(NamedTuple):
    """The payoffs of each candidate at one decision; the first candidate is the choice of the base."""

    seats: np.ndarray  # () int
    prior: np.ndarray  # (C,) see `decide`; (0,) where the base has no policy
    paid: np.ndarray  # (W, C) float32, in worlds, to the end
    cut: np.ndarray  # (W, C) float32, in other worlds, cut off; (0, C) without a cut
    true: np.ndarray  # (R, C) float32, from the true state
    seconds: np.ndarray  # () of CPU for one rollout


class Row(NamedTuple):
    """The results of a setting, averaged over positions."""

    budget: Budget
    gain: float  # over the base's choice, in worlds that the setting did not use
    error: float  # standard error of that
    true: float  # the same from the true state
    true_error: float
    left: float  # share of decisions that are not the base's
    seconds: float  # of CPU for rollouts


class Trial:
    """An experiment: base, rollout agent, worlds per position, tries of a belief, plies before a cut (0: no cut)."""

    def __init__(self, game: Game, base: Agent, rollout: Agent, worlds: int, belief: int = 0, plies: int = 0) -> None:
        self.name = f"{base.name}_{rollout.name}_{worlds}_{belief}_{plies}"
        self._game, self._base, self._count = game, base, worlds
        self._rollouts = Rollouts(game, rollout)
        self._belief = Belief(game, rollout, belief) if belief else None
        self._cutoff = Rollouts(game, rollout, plies) if plies else None

    def positions(self, count: int, folder: Path) -> Iterator[Position]:
        """Yield positions 0 to `count` - 1, from their files in `folder` where they exist."""
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            path = folder / f"{number:05}.npz"
            if not path.exists():
                with whole(path) as partial, partial.open("wb") as file:
                    np.savez(file, **self.position(number)._asdict())
            with open_inside(folder, path.name) as found, np.load(found, allow_pickle=False) as kept:
                yield Position(**{name: kept[name] for name in Position._fields})

    def position(self, number: int) -> Position:
        """Play deal `number` between copies of the base and try the candidates at one of its decisions."""
        game, base, seats = self._game, self._base, self._game.seat_range[number % len(self._game.seat_range)]
        plies = list(deal_between(game, [base] * seats, number))[:-1]
        place = int(np.random.default_rng(number).integers(len(plies)))
        seat, states = plies[place].seat, plies[place].states
        view = self._view(plies[place], number)
        seed = seed_of(view)
        candidates, prior = candidates_of(base, view, Budget(actions=ACTIONS, tau=1.0), seed)
        worlds, began, count = self._worlds(plies[: place + 1], number), process_time(), self._count
        paid = self._rollouts.payoffs(worlds, candidates, seeds_of(CHANCE, seed, range(count)))
        if self._cutoff is None:
            cut, rollouts = paid[:0], paid
        else:
            began, worlds = process_time(), sample_worlds(view, seed, count, 2 * count)
            cut = rollouts = self._cutoff.payoffs(worlds, candidates, seeds_of(CHANCE, seed + 1, range(count)))
        seconds = (process_time() - began) / (rollouts.shape[0] * rollouts.shape[1])
        true = self._rollouts.payoffs(np.repeat(states, TRUE), candidates, seeds_of(CHANCE, seed + 1, range(TRUE)))
        known = prior if isinstance(base, PolicyAgent) else prior[:0]
        return Position(np.array(seats), known, paid[:, :, seat], cut[:, :, seat], true[:, :, seat], np.array(seconds))

    def _worlds(self, plies: list[Ply], number: int) -> np.ndarray:
        """Return worlds `(W,)` of the seat to act at the last of `plies`, with those that a belief finds."""
        view = self._view(plies[-1], number)
        seed = seed_of(view)
        worlds = sample_worlds(view, seed, 0, self._count)
        if self._belief is not None:
            self._belief.forget([int(view.stream["seed"][0])])
            for ply in plies[:-1]:
                if ply.seat == view.seat:
                    seen = self._view(ply, number)
                    held = self._belief.worlds(seen, seed_of(seen))
                    self._belief.keep(seen, seed_of(seen), held, ply.action)
            held = self._belief.worlds(view, seed)[: self._count]
            worlds[: len(held)] = held
            np.random.default_rng(number).shuffle(worlds)  # so that all sets of worlds are alike
        return worlds

    def _view(self, ply: Ply, number: int) -> View:
        return make_view(self._game, ply.states, ply.seat, new_stream(agent_seed(number, ply.seat)))


def rate(positions: list[Position], budget: Budget) -> Row:
    """Return the results of `budget` at `positions`: it decides from at most MOST_LOTS disjoint sets of worlds."""
    gains, trues, left, seconds = [], [], [], []
    for one in positions:
        for lot in range(min(len(one.paid) // budget.worlds, MOST_LOTS)):
            chosen, rollouts = _choose(one, budget, lot * budget.worlds)
            looked_at = slice(lot * budget.worlds, (lot + 1) * budget.worlds)
            others = one.paid if len(one.cut) else np.delete(one.paid, looked_at, axis=0)
            gains.append((others[:, chosen] - others[:, 0]).mean())
            trues.append((one.true[:, chosen] - one.true[:, 0]).mean())
            left.append(chosen != 0)
            seconds.append(rollouts * one.seconds)
    count = np.sqrt(len(positions))
    return Row(
        budget, float(np.mean(gains)), float(np.std(gains) / count), float(np.mean(trues)),
        float(np.std(trues) / count), float(np.mean(left)), float(np.mean(seconds)),
    )  # fmt: skip


def _choose(one: Position, budget: Budget, low: int) -> tuple[int, int]:
    """Return the candidate that `budget` chooses from the worlds from number `low` on, and its number of rollouts."""
    paid = one.cut if len(one.cut) else one.paid
    count, rollouts = min(budget.actions, paid.shape[1]), 0
    if count < 2:
        return 0, 0

    def play(first: int, last: int, left: np.ndarray) -> np.ndarray:
        nonlocal rollouts
        rollouts += (last - first) * len(left)
        return paid[low + first : low + last, left]

    prior = one.prior[:count] if len(one.prior) else prior_of(count, budget.trust)
    return decide(np.arange(count), prior, budget, play).action, rollouts


def budgets() -> Iterator[Budget]:
    """Yield the settings to try."""
    for worlds, actions in product(TRIED_WORLDS, TRIED_ACTIONS):
        for gate in GATES:
            yield Budget(worlds=worlds, actions=actions, gate=gate)
        for tau in TAUS:
            yield Budget(worlds=worlds, actions=actions, gate=0.0, tau=tau)


def main() -> None:
    """Measure; print the usual settings, then those with the largest gain within the time limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=envs.games())
    parser.add_argument("--base", default="strong")
    parser.add_argument("--rollout", default="strong")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=160, help="in which each candidate is played on")
    parser.add_argument("--belief", type=int, default=0, help="ways tried for worlds by what others did")
    parser.add_argument("--plies", type=int, default=0, help="after which rollouts are cut off")
    parser.add_argument("--seconds", type=float, default=0.1, help="of CPU that rollouts may take a decision")
    parser.add_argument("--only-gather", action="store_true", help="play, and rate nothing yet")
    parser.add_argument("--out", type=Path, required=True, help="a folder for what was played")
    words = parser.parse_args()
    game = envs.load(words.game)
    base, rollout = load(words.base, game), load(words.rollout, game)
    trial = Trial(game, base, rollout, words.worlds, words.belief, words.plies)
    positions = list(trial.positions(words.positions, words.out / game.name / trial.name))
    if words.only_gather:
        return
    for row in _best(positions, words, usual_budget(game, rollout)):
        print(
            f"{row.budget}: gain {row.gain:+.4f} ± {row.error:.4f}, true {row.true:+.4f} ± {row.true_error:.4f}, "
            f"leaves the base at {row.left:.1%}, {row.seconds:.3f} s"
        )


def _best(positions: list[Position], words: argparse.Namespace, usual: Budget) -> list[Row]:
    """Return the results of the `usual` settings, if they are of this kind, then those with the largest gain."""
    spare = words.worlds if words.plies else words.worlds // 2  # the other half is left to measure the gain
    kind = {"belief": words.belief, "plies": words.plies}
    rows = [rate(positions, replace(budget, **kind)) for budget in budgets() if budget.worlds <= spare]
    rows = sorted((row for row in rows if row.seconds <= words.seconds), key=lambda row: -row.gain)[:SHOWN]
    return ([rate(positions, usual)] if usual == replace(usual, **kind) and usual.worlds <= spare else []) + rows


if __name__ == "__main__":
    main()
