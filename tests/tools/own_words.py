"""How deals of *Érase una vez* differ if the detector listens to every sentence.

    python tests/tools/own_words.py --deals 200
    python tests/tools/own_words.py --deals 200 --language en

The same deals between three `strong` are played twice: with sentences as the tables know them, and with
`telling="words"` and each sentence given as a text. It prints wins by seat, sentences, changes of narrator and wrong
claims, with 95 % intervals of the differences.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from in_words import InWords

from sobremesa import agents, envs
from sobremesa.envs.core.deal import deal_between, payoffs

COLUMNS = ("sentences", "claimed", "interrupted", "protested", "passed", "wrong claims", "endings refused")
_CONFIDENCE = 1.96


def played(game, seated, seed, **setup):
    """Return the wins by seat and the figures of one deal."""
    *_, last = deal_between(game, seated, seed, **setup)
    ended = game.ended(last.states)
    return [*(payoffs(game, last.states) > 0), *(float(ended[name]) for name in COLUMNS)]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=200, help="deals (default: %(default)s)")
    parser.add_argument("--language", default="es", help="of the texts (default: %(default)s)")
    parser.add_argument("--agent", default="strong", help="agent at all seats (default: %(default)s)")
    given = parser.parse_args()
    game = envs.load("erase_una_vez")
    agent = agents.load(given.agent, game)
    spoken = InWords(agent, given.language)
    usual = np.array([played(game, [agent] * 3, seed) for seed in range(given.deals)])
    words = np.array([played(game, [spoken] * 3, seed, telling="words") for seed in range(given.deals)])
    print(f"{given.deals} deals of three {agent.name}; {spoken.told} sentences, {spoken.missed} without their thing")
    print("| | sentences | own words | difference |\n|---|---|---|---|")
    for number, name in enumerate(("wins of seat 0", "wins of seat 1", "wins of seat 2", *COLUMNS)):
        difference = words[:, number] - usual[:, number]
        half = _CONFIDENCE * difference.std(ddof=1) / np.sqrt(len(difference))
        means = usual[:, number].mean(), words[:, number].mean()
        print(f"| {name} | {means[0]:.3f} | {means[1]:.3f} | {difference.mean():+.3f} ± {half:.3f} |")


if __name__ == "__main__":
    main()
