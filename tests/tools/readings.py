"""Measure how much agents lose at obfuscated readings of their game: with the permutations, and without them.

`python tests/tools/readings.py --deals 200` prints a JSON line for each game and agent: the mean payoff of the agent
against `strong` at two seats (alone in a cooperative game) on the same deals, in the game and in its reading, and for
an exported bot that is not given the permutations.
"""

import argparse
import json

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.exported import AfterstateBot, Bot


class Unmapped:
    """A bot of the original game that reads a reading as if it were the original; it plays legal actions."""

    def __init__(self, bot):
        self.name, self.act_batch = f"unmapped({bot.name})", bot.act_batch

    def act(self, view):
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def payoff(game, agent, deals, seed):
    """Return the payoffs `(rows,)` of `agent` in `deals` deals, each in both seatings."""
    if game.cooperative:
        return play(game, [agent, agent], deals, seed=seed).payoffs[:, 0]
    rows = play(game, [agent, agents.load("strong", game)], deals, seed=seed)
    return rows.payoffs[rows.seating == 0]


def measured(name, agent, deals, seed, reading):
    """Return the row of the agent `agent` of the game `name`."""
    base, game = envs.load(name), envs.load(f"{name}_obfuscated_{reading}")
    here, there = (payoff(one, agents.load(agent, one), deals, seed) for one in (base, game))
    row = {"game": game.id, "agent": agent, "original": here.mean(), "reading": there.mean()}
    row["payoffs that differ"] = int((here != there).sum())
    bot = agents.load(agent, base)
    if isinstance(bot, Bot) and not isinstance(bot, AfterstateBot):  # its script lists choices, by the original numbers
        row["unmapped"] = payoff(game, Unmapped(bot), deals, seed).mean()
        row["random"] = payoff(base, agents.load("random", base), deals, seed).mean()
    return {key: round(float(value), 4) if isinstance(value, np.floating) else value for key, value in row.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=envs.games())
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reading", type=int, default=7, help="seed of the readings")
    parser.add_argument("--agents", nargs="+", default=["random", "simple", "strong", "trained"])
    given = parser.parse_args()
    for name in given.games:
        for agent in given.agents:
            print(json.dumps(measured(name, agent, given.deals, given.seed, given.reading)), flush=True)


if __name__ == "__main__":
    main()
