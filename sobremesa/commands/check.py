"""Check a game's contract and secrets."""

import argparse
import sys

from sobremesa import agents, envs
from sobremesa.arguments import add_deals, count
from sobremesa.envs.core.testing.check import ContractBroken, check_contract, check_pieces, rules_hash
from sobremesa.envs.core.testing.secrets import SecretLeaked, answer_of, check_secrets, views
from sobremesa.progress import progress

EXAMPLE = "sobremesa check ese_toro_enamorado"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "--pieces", type=count, default=2000, help="random deals in which every piece is counted (default: 2000)"
    )
    parser.add_argument("--agent", help="one whose choices, too, must not change with what its seat cannot know")
    add_deals(parser, 5, "random deals for each setup")


def run(arguments: argparse.Namespace) -> int:
    """Run the contract and the secrets kit and say what was tried."""
    game = envs.load(arguments.game)
    shown = views(game)
    if arguments.agent is not None:
        agent = agents.load(arguments.agent, game)
        shown |= {f"choice of {agent.name}": answer_of(agent)}
    try:
        with progress("contract") as update:
            contract = check_contract(game, arguments.deals, arguments.seed, update)
        print(
            f"contract: {contract['facts']:,} facts at {contract['plies']:,} plies of {contract['deals']:,} random "
            f"deals in {contract['setups']} setups"
        )
        if game.all_there is not None:
            with progress("pieces") as update:
                pieces = check_pieces(game, arguments.pieces, arguments.seed, update)
            print(f"pieces: all there at {pieces['plies']:,} plies of {pieces['deals']:,} random deals")
        with progress("secrets") as update:
            kit = check_secrets(
                game, max(1, arguments.deals // 5), arguments.seed, every=13, shown=shown, progress=update
            )
    except (ContractBroken, SecretLeaked) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(
        f"secrets: {kit['views']:,} views ({', '.join(shown)}) were the same in {kit['worlds']:,} sampled "
        f"worlds, {kit['differed']:,} of which differed from the true one; so were {kit['stories']:,} stories"
    )
    print(f"{game.id} is clean, rules {rules_hash(game)}")
    return 0
