"""Write an HTML report of a training run: learning curve, scores and a replay."""

import argparse
from functools import partial
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import compare_each
from sobremesa.agents.arena.score import Score, nature
from sobremesa.arguments import add_deals
from sobremesa.envs.core.deal import deal_between
from sobremesa.progress import progress
from sobremesa.report import show
from sobremesa.report.tables import print_scores
from sobremesa.training.config.classes import played_setups

EXAMPLE = "sobremesa report runs/mine bots/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", metavar="RUN", type=Path, help="folder of the run; the report is written there")
    parser.add_argument("bot", metavar="BOT", help="folder of the bot exported from the run")
    add_deals(parser, 1000)


def run(arguments: argparse.Namespace) -> int:
    """Rate the bot and write the report."""
    from sobremesa.report import run_page
    from sobremesa.training.runs import run as runs

    config, record = runs.read(arguments.folder)
    game = envs.load(config.game)
    bot = agents.load(arguments.bot, game)
    references = [agents.load(name, game) for name in agents.scripted_names(game)]
    setups = played_setups(config, game)
    scores: list[Score] = []
    with progress("rate") as update:
        for setup in setups:
            doing = f"{setup['seats']} seats"
            given = {"seed": arguments.seed, "progress": partial(update, doing=doing), **setup}
            scores += compare_each(game, bot, references, arguments.deals, **given)
    seated = [bot, *[references[-1] if nature(game).rated else bot] * (setups[0]["seats"] - 1)]
    plies = list(deal_between(game, seated, arguments.seed, **setups[0]))
    names = [agent.name for agent in seated]
    show.film(arguments.folder / run_page.REPLAY, game, plies, names, None, "en")
    run_page.write(arguments.folder, game, config, record, scores, arguments.deals, arguments.seed)
    print_scores(game, scores)
    print(f"report: {arguments.folder / run_page.REPORT}")
    print(f"play against it: sobremesa play {game.name} --against {arguments.bot}")
    return 0
