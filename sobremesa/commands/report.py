"""Write a page about a run and its bot."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import meet_all
from sobremesa.agents.arena.play import Score, score
from sobremesa.agents.arena.teams import TeamScore, team_score
from sobremesa.arguments import add_deals
from sobremesa.commands.rate import among_copies
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import show
from sobremesa.report.tables import print_scores
from sobremesa.training.config import played_setups

EXAMPLE = "sobremesa report runs/mine bots/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", metavar="RUN", type=Path, help="folder of the run; the report is written there")
    parser.add_argument("bot", metavar="BOT", help="folder of the bot that was exported from it")
    add_deals(parser, 1000)


def run(arguments: argparse.Namespace) -> int:
    """Write the report of a run."""
    from sobremesa.report import run_page
    from sobremesa.training import run as runs

    config, record = runs.read(arguments.folder)
    game = envs.load(config.game)
    bot = agents.load(arguments.bot, game)
    references = [agents.load(name, game) for name in agents.scripted_names(game)]
    setups = played_setups(config, game)
    seats = setups[0]["seats"]
    scores: Sequence[Score] | Sequence[TeamScore]
    if game.cooperative:
        scores, seated = _team_scores(game, bot, references, setups, arguments), [bot] * seats
    else:
        scores = [score(rows) for rows in among_copies(game, bot, references, setups, arguments)]
        seated = [bot, *[references[-1]] * (seats - 1)]
    plies = list(deal_between(game, seated, arguments.seed, **setups[0]))
    names = [agent.name for agent in seated]
    show.film(arguments.folder / run_page.REPLAY, game, plies, names, None, "en")
    run_page.write(arguments.folder, game, config, record, scores, arguments.deals, arguments.seed)
    print_scores(scores)
    print(f"report: {arguments.folder / run_page.REPORT}")
    print(f"play against it: sobremesa play {game.name} --against {arguments.bot}")
    return 0


def _team_scores(
    game: Game, bot: Agent, references: list[Agent], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> list[TeamScore]:
    """Score a team of copies of `bot` beside those of each reference, at each setup."""
    found = []
    with progress("rate") as update:
        for setup in setups:
            mine, *others = meet_all(
                game, [bot, *references], arguments.deals, seed=arguments.seed, progress=update, **setup
            )
            found += [team_score(mine, other) for other in others]
    return found
