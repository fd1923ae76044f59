"""Checks of the environments that are made of a game: AEC, vector and single-seat, next to the bare game."""

import contextlib
import io
import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.aec import TableEnv
from sobremesa.envs.core.api.vector import VectorEnv, deal_seed
from sobremesa.envs.core.deal import deal_between, payoffs, random_deal
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.record import from_dict, to_dict
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import ContractBroken, Place, setups

LONGEST = 120  # plies of a deal that are played in an environment
STEPS, TABLES = 120, 12  # of the vector environment


def check_environments(
    game: Game, deals: int = 1, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Play the same random deals in every kind of environment and in the bare game, and compare them at each ply.

    Returns the numbers of deals, plies and facts; raises ContractBroken at the first difference.
    """
    tally = dict.fromkeys(("deals", "plies", "facts"), 0)
    tried = setups(game)
    for number, setup in enumerate(tried):
        for deal in range(deals):
            _check_aec(Place(game, setup, seed + deal, tally))
            tally["deals"] += 1
        if progress is not None:
            progress(number + 1, len(tried))
    _check_vector(Place(game, {}, seed, tally), tried)
    _check_pettingzoo(Place(game, {}, seed, tally))
    return tally


def check_bots(game: Game, bots: Iterable[Agent], deals: int = 5, seed: int = 0) -> dict[str, int]:
    """Play deals of each bot against itself; raise ContractBroken if one chooses an illegal action."""
    tally = dict.fromkeys(("deals", "plies", "facts"), 0)
    for bot, seats, deal in itertools.product(bots, game.seat_range, range(deals)):
        must = Place(game, {"seats": seats}, seed + deal, tally)
        for ply in itertools.islice(deal_between(game, [bot] * seats, seed + deal), game.max_plies):
            must.ply = int(ply.states["ply"][0])
            if ply.seat != OVER:
                legal = 0 <= ply.action < game.num_actions and ply.mask[ply.action]
                must(legal, "bots", f"{bot.name!r} at seat {ply.seat} chose action {ply.action}, which is illegal")
                tally["plies"] += 1
        tally["deals"] += 1
    return tally


def _check_aec(must: Place) -> None:
    """Compare an AEC environment, and copies that are made midway, with the bare game."""
    game = must.game
    env, copies = TableEnv(game, **must.setup), list[TableEnv]()
    env.reset(seed=must.seed)
    for number, ply in enumerate(random_deal(game, must.seed, must.setup, LONGEST)):
        must.ply = int(ply.states["ply"][0])
        _check_saving(must, ply.states)
        for one, name in zip((env, *copies), ("the environment", "its clone", "its saved state"), strict=False):
            must(one._states.tobytes() == ply.states.tobytes(), "saving" if copies else "AEC", f"{name} differs")
            _check_agents(must, one, ply)
        if ply.seat == OVER:
            return
        _check_refused(must, env, ply.mask)
        if number == 1:
            copies = [env.clone(), TableEnv(game, **must.setup)]
            copies[1].set_state(env.get_state())
        for one in (env, *copies):
            one.step(ply.action)
        must.tally["plies"] += 1


def _check_agents(must: Place, env: TableEnv, ply: Any) -> None:
    """Check masks, observations, rewards and terminations of an AEC environment."""
    over, seats = ply.seat == OVER, env.possible_agents
    must(env.agents == seats, "AEC", f"agents are {env.agents} before the end")
    must(set(env.terminations.values()) == {over}, "AEC", f"terminations are {env.terminations}")
    paid = payoffs(must.game, ply.states).tolist() if over else [0.0] * len(seats)
    must(list(env.rewards.values()) == paid, "AEC", f"rewards are {env.rewards} and payoffs {paid}")
    for seat, agent in enumerate(seats):
        seen, mask = env.observe(agent), env.infos[agent]["action_mask"]
        must(env.observation_space(agent).contains(seen), "AEC", f"the observation of {agent} leaves its space")
        must((seen["action_mask"] == mask).all(), "AEC", f"the masks of {agent} differ")
        must(mask.any() == (seat == ply.seat), "AEC", f"{agent} has {mask.sum()} actions")
    if not over:
        must(env.agent_selection == seats[ply.seat], "AEC", f"{env.agent_selection} is to act, not seat {ply.seat}")
        seen = env.observe(env.agent_selection)
        must((seen["observation"] == ply.observation).all(), "AEC", "the observation differs")
        must((seen["action_mask"] == ply.mask).all(), "AEC", "the mask differs")


def _check_refused(must: Place, env: TableEnv, mask: np.ndarray) -> None:
    before = env.get_state()
    for action in (*np.flatnonzero(mask == 0)[:1].tolist(), must.game.num_actions):
        try:
            env.step(action)
        except IllegalAction:
            must(env.get_state() == before, "AEC", f"illegal action {action} changed the state")
        else:
            must(False, "AEC", f"illegal action {action} was played")


def _check_saving(must: Place, states: np.ndarray) -> None:
    fields = to_dict(states)
    back = from_dict(must.game.state, fields)
    must(to_dict(back) == fields, "saving", "the state does not come back from its fields")
    must(back.tobytes() == states.tobytes(), "saving", "bytes between the fields are not zero")


def _check_vector(must: Place, tried: Sequence[dict[str, Any]]) -> None:
    """Compare each table of a vector environment with an AEC environment of the same deals."""
    game = must.game
    defaults = {option.name: option.default for option in game.options}
    tables = [defaults | tried[number % len(tried)] for number in range(max(TABLES, len(game.seat_range)))]
    columns: dict[str, Any] = {name: [table[name] for table in tables] for name in defaults}
    vector, singles = VectorEnv(game, len(tables), must.seed, **columns), [TableEnv(game, **one) for one in tables]
    deals = [0] * len(tables)
    for table, single in enumerate(singles):
        single.reset(seed=deal_seed(must.seed, table, 0))
    for _ in range(STEPS):
        actions = vector.sample().copy()
        out = vector.step(actions)
        for table, single in enumerate(singles):
            single.step(int(actions[table]))
            must.setup, must.ply = tables[table], int(single._states["ply"][0])
            over = any(single.terminations.values())
            paid = [*single.rewards.values(), *[0.0] * (game.max_seats - len(single.rewards))]
            must(out.dones[table] == over, "vector", f"table {table}: done is {out.dones[table]}")
            must(out.payoffs[table].tolist() == paid, "vector", f"table {table}: payoffs {out.payoffs[table]}")
            if over:
                deals[table] += 1
                single.reset(seed=deal_seed(must.seed, table, deals[table]))
            seen = single.observe(single.agent_selection)
            same = vector.states[table].tobytes() == single._states[0].tobytes()
            same &= out.observations[table].tobytes() == seen["observation"].tobytes()
            must(same, "vector", f"table {table} differs from a single environment")
            must((out.masks[table] == seen["action_mask"]).all(), "vector", f"table {table}: the mask differs")


def _check_pettingzoo(must: Place) -> None:
    """Run PettingZoo's own API and seed tests."""
    game = must.game
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # PettingZoo warns of masks in games that it does not know
        from pettingzoo.test import api_test, seed_test

        tests: dict[str, Callable[[], Any]] = {
            "api_test": lambda: api_test(TableEnv(game), num_cycles=50),
            "seed_test": lambda: seed_test(lambda: TableEnv(game), num_cycles=20),
        }
        for name, test in tests.items():
            try:
                test()
            except Exception as error:
                where = f"{game.id}, setup {{}}, seed {must.seed}, ply 0"
                raise ContractBroken(f"{where}: AEC: PettingZoo's {name} fails: {error}") from error
            must.tally["facts"] += 1
