"""How agents of *Érase una vez* vote among copies of themselves, and how many tales reach the limit of 300 sentences.

    python tests/tools/votes.py trained champion --seats 3 --deals 200

For each agent it prints the votes for an ending among the votes on endings that the judge would accept, and the tales
without an ending.
"""

import argparse

from sobremesa import agents, envs
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state
from sobremesa.envs.erase_una_vez.tale import accepts

GAME = envs.load("erase_una_vez")


def count(agent, seats, deals):
    """Return the votes for endings that the judge accepts, all votes on these, and the tales that are too long."""
    yes = votes = too_long = 0
    for seed in range(deals):
        for ply in deal_between(GAME, [agent] * seats, seed):
            one = ply.states[0]
            if one.over:
                too_long += one.ending_kind == state.TOO_LONG
            elif one.stage == state.VOTE and one.case == state.ON_ENDING:
                accepted = accepts(one, one.log[one.sentences - 1][state.LOG_THING])
                votes += accepted
                yes += accepted and ply.action == state.A_YES
    return yes, votes, too_long


def main():
    """Print a line for each agent."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--deals", type=int, default=200)
    given = parser.parse_args()
    for spec in given.agents:
        yes, votes, too_long = count(agents.load(spec, GAME), given.seats, given.deals)
        print(
            f"{spec}, {given.seats} seats: {yes} of {votes} for a fitting ending; {too_long} of {given.deals} too long"
        )


if __name__ == "__main__":
    main()
