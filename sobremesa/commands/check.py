"""Check a game: contract, hidden information, environments and bots."""

import argparse
import contextlib
import sys

from sobremesa import agents, envs
from sobremesa.arguments import add_deals, count
from sobremesa.envs.core.agent import check_without_history
from sobremesa.envs.testing import ContractBroken, SecretLeaked, answer_of, check_game, rules_hash, views
from sobremesa.progress import progress

EXAMPLE = "sobremesa check ese_toro_enamorado"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "--pieces", type=count, default=2000, help="random deals in which all pieces are counted (default: 2000)"
    )
    parser.add_argument("--agent", help="also check that this agent ignores hidden information (default: none)")
    add_deals(parser, 5, "random deals per setup")


def run(arguments: argparse.Namespace) -> int:
    """Run `check_game` and print the number of checks in each part."""
    game = envs.load(arguments.game)
    shown = views(game)
    if arguments.agent is not None:
        agent = agents.load(arguments.agent, game)
        check_without_history(agent, "--agent")
        shown |= {f"choice of {agent.name}": answer_of(agent)}
    bots = [agents.load(name, game) for name in agents.scripted_names(game)]
    bars = _Bars()
    try:
        found = check_game(
            game, arguments.deals, arguments.seed, bots=bots, pieces=arguments.pieces, shown=shown, progress=bars
        )
    except (ContractBroken, SecretLeaked) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        bars.close()
    contract, secrets = found["contract"], found["secrets"]
    several = "setups" if contract["setups"] > 1 else "setup"
    print(
        f"contract: {contract['facts']:,} checks at {contract['plies']:,} plies of {contract['deals']:,} random "
        f"deals in {contract['setups']} {several}"
    )
    if pieces := found.get("pieces"):
        print(f"pieces: all there at {pieces['plies']:,} plies of {pieces['deals']:,} random deals")
    print(
        f"secrets: {secrets['views']:,} views ({', '.join(shown)}) and {secrets['stories']:,} events in words are the "
        f"same in {secrets['worlds']:,} resampled states, of which {secrets['differed']:,} differ from the true state"
    )
    for part in ("environments", "bots"):
        print(
            f"{part}: {found[part]['facts']:,} checks at {found[part]['plies']:,} plies of {found[part]['deals']} deals"
        )
    print(f"{game.id} passes all checks, rules {rules_hash(game)}")
    return 0


class _Bars:
    """Progress bars, one for each part of `check_game`."""

    def __init__(self) -> None:
        self._part, self._stack = "", contextlib.ExitStack()

    def __call__(self, part: str, done: int, total: int) -> None:
        if part != self._part:
            self.close()
            self._part, self._update = part, self._stack.enter_context(progress(part))
        self._update(done, total)

    def close(self) -> None:
        self._stack.close()
