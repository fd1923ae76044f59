"""Measure the balance of the variants of a game: `strong` at every seat, in the usual setup and in each variant.

`python tests/tools/variants.py estafado --deals 400` prints a JSON line for each setup: the mean payoff of each seat,
the win rate of seat 0, and the share of deals that reached the library's limit of their length. With `--families` a
JSON object of options and choices is measured in place of the game's own.
"""

import argparse
import json

from sobremesa import agents, envs
from sobremesa.agents.arena.play import play
from sobremesa.envs.core import home


def measured(game, setup, deals, seed):
    """Return the row of `setup`."""
    seats = setup.get("seats", game.default_seats)
    agent = agents.load("strong", game)
    rows = play(game, [agent] * seats, deals, seed=seed, **setup)
    return {
        "game": game.id,
        "setup": setup,
        "payoffs": [round(float(one), 3) for one in rows.payoffs.mean(0)],
        "wins": round(float((rows.payoffs[:, 0] > 0).mean()), 4),
        "too long": None if rows.too_long is None else round(float(rows.too_long.mean()), 4),
        "plies": round(float(rows.plies.mean()), 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--families", type=json.loads)
    given = parser.parse_args()
    game = envs.load(given.game)
    for setup in [{}, *home.variants(game, given.families)]:
        print(json.dumps(measured(game, setup, given.deals, given.seed)), flush=True)


if __name__ == "__main__":
    main()
