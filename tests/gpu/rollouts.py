"""Rollouts on a GPU: payoffs beside the processor's, the time of a search, and counterfactual rollouts a second."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from tests.gpu.timing import say

from sobremesa import agents, envs
from sobremesa.agents.search.device.rollouts import DeviceRollouts
from sobremesa.agents.search.improve import Budget, Improve
from sobremesa.agents.search.policies import is_fast
from sobremesa.agents.search.rollouts import Rollouts, seed_of
from sobremesa.agents.search.spec import usual_budget
from sobremesa.envs.core.agent import View, make_view, new_stream
from sobremesa.envs.core.compile import retarget
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER
from sobremesa.training.algorithms.counterfactual import SampledPolicy
from sobremesa.training.algorithms.device.player import DevicePlayer
from sobremesa.training.data.counterfactuals import NOBODY, Deals, Player, RolloutSettings
from sobremesa.training.networks.policy import Net

AGENTS = ("strong", "trained", "champion")
WORLDS = 10_000  # of a search
VIEWS = 6  # at which a search is timed, after one to warm up
MOST_DIFFERENT = 0.005  # part of the rollouts by an agent that takes logarithms
DECISION = 9  # between two of these views in a random deal
LEARNERS: dict[str, dict[str, Any]] = {
    "ese_toro_enamorado": {"until": "round_number", "advised_by": "strong", "hidden": [256, 128]}
}
USUAL_LEARNER: dict[str, Any] = {"until": "", "advised_by": "", "hidden": [256, 256]}
DEALS = {"bandido_alcatraz": (512, 4), "erase_una_vez": (512, 4)}  # on the device and the processor; the slower games
USUAL_DEALS = (4_096, 24)


def some_views(game: Game, count: int) -> Iterator[View]:
    """Yield views of random deals."""
    seed, found = 0, 0
    while found < count:
        plies = [ply for ply in random_deal(game, seed) if ply.action != OVER]
        for ply in plies[DECISION::DECISION][: count - found]:
            found += 1
            yield make_view(game, ply.states, ply.seat, new_stream(seed))
        seed += 1


def takes_logarithms(rollouts: DeviceRollouts) -> bool:
    """Return whether rollouts by a scripted agent take logarithms, whose last place differs on a GPU."""
    assert rollouts._program is not None
    code = retarget.link(list(rollouts._program._entries.values()))
    return "llvm.log.f64" in retarget.mathematics(code)


def compare_rollouts(name: str, device: str, worlds: int = 64) -> dict[str, Any]:
    """Return how many payoffs of rollouts by `strong` differ from the processor's, and which part may."""
    game = envs.load(name)
    strong, differ, count = agents.load("strong", game), 0, 0
    here, there = Rollouts(game, strong), DeviceRollouts(game, strong, device)
    for view in some_views(game, VIEWS):
        candidates, seed = np.flatnonzero(view.mask)[:8], seed_of(view)
        ours, theirs = (one.from_view(view, seed, 0, worlds, candidates, view.state[:0]) for one in (here, there))
        differ, count = differ + int((ours != theirs).any(2).sum()), count + len(ours) * len(candidates)
    allowed = MOST_DIFFERENT if takes_logarithms(there) else 0.0
    say(f"{name:20s} {differ} of {count} rollouts of a search differ from the processor's; {allowed:.1%} may")
    return {"game": name, "rollouts": count, "differ": differ, "may": allowed, "passed": differ <= allowed * count}


def search_speed(name: str, agent: str, device: str, worlds: int = WORLDS) -> dict[str, Any] | None:
    """Return the time of a decision with `worlds` worlds, and rollouts a second there and on one thread here."""
    game = envs.load(name)
    base = agents.load(agent, game)
    if not is_fast(base):
        return None
    usual = usual_budget(game, base)
    row: dict[str, Any] = {"game": name, "agent": agent, "worlds": worlds}
    for place, most in ((device, worlds), ("cpu", min(worlds, 64))):
        budget = Budget(worlds=most, actions=8, gate=usual.gate, plies=usual.plies)
        search, seconds, trials = Improve("search", game, base, base, budget, place), [], 0
        for view in some_views(game, 1 + VIEWS):
            began = time.perf_counter()
            thought = search.think(view)
            seconds.append(time.perf_counter() - began)
            trials += sum(line.trials for line in thought.lines) * (len(seconds) > 1)
        speed = trials / sum(seconds[1:])
        if place == device:
            row |= {"seconds": round(float(np.median(seconds[1:])), 4), "most_seconds": round(max(seconds[1:]), 4)}
        row |= {"rollouts_a_second" if place == device else "processor": round(speed)}
    say(f"{name:20s} search({agent}) with {worlds} worlds: {row['seconds']} s, at most {row['most_seconds']} s; "
        f"{row['rollouts_a_second']:,} rollouts/s, one thread of the processor {row['processor']:,}/s")  # fmt: skip
    return row


def counterfactual_speed(name: str, device: str, workers: int = 2, part: float = 1.0) -> dict[str, Any]:
    """Return the counterfactual rollouts a second of untrained networks, on the device and in threads here.

    `part`: of the deals to play.
    """
    game, learner = envs.load(name), LEARNERS.get(name, USUAL_LEARNER)
    until, parts = learner["until"], {key: learner[key] for key in ("hidden", "advised_by")}
    torch.manual_seed(0)
    policy, value = SampledPolicy(game, **parts), Net(game, "value", **parts | {"advised_by": ""})
    players = {
        device: DevicePlayer(game, until, device_of(device), False),
        "processor": Player(game, parts, until, workers, False),
    }
    row: dict[str, Any] = {"game": name, "until": until, "workers": workers}
    for place, player in players.items():
        player.take_over(policy, value, player.numbers_of(policy)[None])
        count = DEALS.get(name, USUAL_DEALS)[place == "processor"]
        player.play(*deals_of(game, 2))
        began = time.perf_counter()
        deals = player.play(*deals_of(game, max(2, round(part * count))))
        spent = time.perf_counter() - began
        played = rollouts_of(deals)
        key = "processor" if place == "processor" else "rollouts_a_second"
        row |= {key: round(played / spent), f"{key}_of": played}
    row["times"] = round(row["rollouts_a_second"] / row["processor"], 1)
    say(f"{name:20s} {row['rollouts_a_second']:,} counterfactual rollouts/s ({row['rollouts_a_second_of']:,}), "
        f"{row['times']} times {workers} threads of the processor ({row['processor']:,}/s)")  # fmt: skip
    return row


def deals_of(game: Game, count: int) -> tuple[Any, ...]:
    """Return the arguments of `play` for `count` deals."""
    rng = np.random.default_rng(count)
    wishes = RolloutSettings(np.array([0.3]), 0, 0.0, 2.0, 2, redealt=True)
    seeds, seating = rng.integers(2**62, size=count), np.zeros((count, game.max_seats), np.int64)
    return game.new_tables(count, {}), seeds, seating, 4, wishes


def rollouts_of(deals: Deals) -> int:
    """Return how many rollouts `deals` took, with two worlds for each candidate."""
    return 2 * int((deals.samples.candidates != NOBODY).sum())


def search_speeds(name: str, device: str) -> list[dict[str, Any]]:
    """Return the rows of `search_speed` for the agents that can play rollouts."""
    return [row for agent in AGENTS if (row := search_speed(name, agent, device))]


def warm_search(name: str, device: str) -> None:
    """Compile what the searches of a game need."""
    compare_rollouts(name, device, 2)
    for agent in AGENTS:
        search_speed(name, agent, device, 16)


def warm_deals(name: str, device: str) -> None:
    """Compile what counterfactual rollouts of a game need."""
    counterfactual_speed(name, device, part=1e-3)
