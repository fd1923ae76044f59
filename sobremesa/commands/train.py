"""Train an agent."""

import argparse
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.arena.score import read_score
from sobremesa.agents.external.agent import is_external
from sobremesa.agents.named import check_allowed
from sobremesa.arguments import add_allowing, folder_for, setup_fields
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report.tables import print_scores
from sobremesa.training.config.classes import (
    TrainConfig,
    default_for,
    default_of,
    from_dict,
    keys,
    kinds,
    named_agents,
    read_for,
    takers,
)  # fmt: skip
from sobremesa.training.config.keys import OLD_NAMES

EXAMPLE = "sobremesa train ese_toro_enamorado --steps 500_000 --opponents self=0.5 simple=0.5 --out runs/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: a flag for each key of a configuration."""
    parser.add_argument("game", metavar="GAME", nargs="?", help="name of the game")
    parser.add_argument(
        "--resume", metavar="RUN", type=Path,
        help="go on with the run in this folder, which was stopped or killed, as if it had never stopped",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="NAME",
        help="a TOML file, or one that comes with the library (default: GAME, if there is one); its keys take the "
        "place of the defaults below, and flags the place of its keys; a list that is given nothing is empty",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/GAME-<number>)")
    add_allowing(parser, "the configuration")
    groups: dict[str, Any] = {}
    for key in keys():
        if key != "game":
            whose = "every algorithm" if len(takers(key)) == len(kinds()) else " and ".join(takers(key))
            if whose not in groups:
                groups[whose] = parser.add_argument_group(f"keys of {whose}")
            _add_key(groups[whose], key)


def _add_key(group: Any, key: str) -> None:
    """Add the flag of a key of configurations, which its old name is one for, too."""
    default = default_of(key)
    named = [f"{name}={value}" for name, value in default.items()] if isinstance(default, dict) else default
    shown = (" ".join(map(str, named)) if isinstance(named, list) else str(named)) or "none"
    group.add_argument(
        *(f"--{name.replace('_', '-')}" for name in (key, *(old for old, new in OLD_NAMES.items() if new == key))),
        nargs="*" if isinstance(default, (list, dict)) else None,
        metavar="NAME=VALUE" if isinstance(default, dict) else key.upper(),
        help=f"{keys()[key].metadata.get('doc', key)} (default: {shown})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Train as the configuration and the flags say."""
    config = _configured(arguments) if arguments.resume is None else _resumed(arguments)
    with folder_for(arguments.resume or arguments.out, config.game) as folder:
        return _train(arguments, config, folder)


def _train(arguments: argparse.Namespace, config: TrainConfig, folder: Path) -> int:
    from sobremesa.training import trainer

    print(f"Training in {folder}; Ctrl-C stops and keeps what was learnt.", flush=True)
    with progress("train") as update:
        if arguments.resume is not None:
            record = trainer.resume(folder, update, allow_commands=arguments.allow_commands)[1]
        else:
            record = trainer.train(config, folder, update, allow_commands=True)  # `_configured` has seen to it
    if record["best"]:
        print_scores(envs.load(config.game), [read_score(one) for one in record["best"]["scores"]])
    rate = record["steps"] / max(record["seconds"], 1e-9)
    print(
        f"{record['status']} after {record['steps']:,} decisions in {record['seconds']:.0f} s ({rate:,.0f}/s): {folder}"
    )
    checkpoint = "" if record["best"] else " --checkpoint last"
    if record["status"] == "interrupted" and trainer.resumes(config):
        also = " --allow-commands" if any(map(is_external, named_agents(config))) else ""
        print(f"to go on: sobremesa train --resume {folder}{also}")
    print(f"next: sobremesa export {folder} -o {folder}/bot{checkpoint}")
    return 130 if record["status"] == "interrupted" else 0


def _configured(arguments: argparse.Namespace) -> TrainConfig:
    """Return the configuration of a new run."""
    if arguments.game is None:
        raise ValueError(f"train takes a GAME, one of {', '.join(envs.all_games())}, or --resume RUN")
    game = envs.load(arguments.game)
    named = arguments.config is not None
    values = read_for(game.name, arguments.config) if named else default_for(game.name, arguments.algorithm)
    flags = _train_flags(arguments, game)
    config = from_dict(values | flags)
    if not arguments.allow_commands:
        named_here = named_agents(flags)
        check_allowed([spec for spec in named_agents(config) if spec not in named_here], arguments.config or game.name)
    return config


def _resumed(arguments: argparse.Namespace) -> TrainConfig:
    """Return the configuration of the run to go on with; it cannot be changed."""
    from sobremesa.training.runs import run

    config = run.read(arguments.resume)[0]
    if arguments.game not in (None, config.game):
        raise ValueError(f"--resume {arguments.resume}: that run is of {config.game}, not of {arguments.game}")
    for name in ("config", "out", *(key for key in keys() if key != "game")):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --resume: a run keeps its configuration")
    return config


def _train_flags(arguments: argparse.Namespace, game: Game) -> dict[str, Any]:
    """Return the configuration keys given as flags, as TOML would have them."""
    flags: dict[str, Any] = {}
    for key in keys():
        given = getattr(arguments, key, None)
        if key == "game" or given is None:
            continue
        if key == "setup":
            flags[key] = _setup_lists(game, given)
        elif isinstance(default_of(key), dict):
            flags[key] = _pairs(key, given)
        elif isinstance(given, list):
            flags[key] = [_number(text) for text in given]
        else:
            flags[key] = _number(given)
    return flags


def _setup_lists(game: Game, pairs: list[str]) -> dict[str, Any]:
    """As `setup_fields`, where `seats=2,3` is a list."""
    setup: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name in setup:
            raise ValueError(f"--setup {pair}: {name} is given twice")
        values = [setup_fields(game, [f"{name}={one}"])[name] for one in text.split(",")]
        setup[name] = values if len(values) > 1 else values[0]
    return setup


def _pairs(key: str, pairs: list[str]) -> dict[str, Any]:
    """Return the values by name; raise ValueError naming the flag."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.rpartition("=")
        if not name or name in found:
            why = f"{name} is given twice" if name else f"{key} are given as NAME=VALUE"
            raise ValueError(f"--{key.replace('_', '-')} {pair}: {why}")
        found[name] = _number(text)
    return found


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
