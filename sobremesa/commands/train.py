"""Train an agent with a configuration, which flags override."""

import argparse
import contextlib
import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.arena.score import read_score
from sobremesa.agents.named import check_allowed, named, programs
from sobremesa.arguments import add_allowing, flag, folder_for, setup_fields
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report.tables import print_scores
from sobremesa.training.config.classes import (
    SelfPlayConfig,
    TrainConfig,
    algorithms_with,
    class_of,
    config_classes,
    default_for,
    default_of,
    find as find_config,
    from_dict,
    keys,
    named_agents,
    read,
    read_for,
)
from sobremesa.training.config.keys import EVALUATION, LEARNING, NETWORK, OPPONENTS, RUN, TORCHRUN

EXAMPLE = "sobremesa train ese_toro_enamorado --steps 500_000 --opponents self=0.5 simple=0.5 --out runs/mine"
ALGORITHMS = "algorithms; `sobremesa train --algorithm NAME --help` lists the options of each:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: a flag for each key of a configuration."""
    parser.usage = "sobremesa train GAME [OPTION ...]\n       sobremesa train --resume RUN"
    descriptions = [f"  {kind.algorithm:19} {str(kind.__doc__).splitlines()[0]}" for kind in config_classes()]
    parser.epilog = "\n".join([ALGORITHMS, *descriptions, "", str(parser.epilog)])
    flags: dict[str, argparse.Action] = {}
    parser.add_argument("game", metavar="GAME", nargs="?", action=_Choose, flags=flags, help="name of the game")
    parser.add_argument(
        "--resume", metavar="RUN", type=Path, help="folder of an interrupted run to resume (default: none)"
    )
    parser.add_argument(
        "--config", metavar="NAME", action=_Choose, flags=flags,
        help="shipped configuration or TOML file (default: that of the game)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="RUN", help="folder of the run (default: runs/GAME-<number>)")
    add_allowing(parser, "the configuration")
    groups = {name: parser.add_argument_group(name) for name in (RUN, LEARNING, EVALUATION, NETWORK, OPPONENTS)}
    groups[""] = parser.add_argument_group("Algorithm")
    for name, key in keys().items():
        if name != "game":
            default = default_of(name)
            choosing: dict[str, Any] = {"action": _Choose, "flags": flags} if name == "algorithm" else {}
            flags[name] = groups[key.metadata.get("group", "")].add_argument(
                flag(name),
                nargs="*" if isinstance(default, (list, dict)) else None,
                metavar="NAME=X" if isinstance(default, dict) else "X",
                help=_help(key) if len(algorithms_with(name)) == len(config_classes()) else argparse.SUPPRESS,
                **choosing,
            )


class _Choose(argparse.Action):
    """Action that stores the argument; `--help` then lists the options of the chosen algorithm and their values.

    Raises ConfigError for an unknown algorithm.
    """

    def __init__(self, flags: dict[str, argparse.Action], **settings: Any) -> None:
        super().__init__(**settings)
        self.flags = flags

    def __call__(self, parser: Any, arguments: argparse.Namespace, value: Any, option: str | None = None) -> None:
        setattr(arguments, self.dest, value)
        if self.dest == "algorithm":
            class_of(str(value))
        with contextlib.suppress(ValueError, KeyError):  # `run` reports the error
            values = {"algorithm": SelfPlayConfig.algorithm} | _configuration(arguments)
            for key in dataclasses.fields(class_of(getattr(arguments, "algorithm", None) or values["algorithm"])):
                if value and key.name in self.flags:
                    self.flags[key.name].help = _help(key, values)


def _configuration(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keys and values of the configuration that the arguments so far name."""
    named = getattr(arguments, "config", None)
    return read(find_config(named)) if named else default_for(arguments.game, getattr(arguments, "algorithm", None))


def _help(key: "dataclasses.Field[Any]", values: Mapping[str, Any] | None = None) -> str:
    """Return the help of a key with its value in a configuration, or else its default."""
    value = key.default if key.default_factory is dataclasses.MISSING else key.default_factory()
    value = (values or {}).get(key.name, value)
    listed = [f"{name}={one}" for name, one in value.items()] if isinstance(value, dict) else value
    shown = (" ".join(map(str, listed)) if isinstance(listed, list) else str(listed)) or "none"
    return f"{key.metadata.get('doc', key.name)} (default: {shown})".replace("%", "%%")


def run(arguments: argparse.Namespace) -> int:
    """Train a new run, or resume one."""
    config = _configured(arguments) if arguments.resume is None else _resumed(arguments)
    if TORCHRUN in os.environ and not (arguments.resume or arguments.out):
        raise ValueError("several processes need --out RUN, the same for all")
    with folder_for(arguments.resume or arguments.out, config.game) as folder:
        return _train(arguments, config, folder)


def _train(arguments: argparse.Namespace, config: TrainConfig, folder: Path) -> int:
    from sobremesa.training import trainer

    first = TORCHRUN not in os.environ or os.environ["RANK"] == "0"  # only the first process prints

    def accepted() -> None:
        if first:
            print(f"Training in {folder}; Ctrl-C stops and saves the run.", flush=True)

    with progress("train") if first else contextlib.nullcontext() as update:
        if arguments.resume is not None:
            allow = arguments.allow_commands
            record = trainer.resume(folder, update, allow_commands=allow, accepted=accepted)[1]
        else:  # `_configured` has checked external agents
            record = trainer.train(config, folder, update, allow_commands=True, accepted=accepted)
    if first:
        _print_result(arguments, config, folder, record)
    return 130 if record["status"] == "interrupted" else 0


def _print_result(arguments: argparse.Namespace, config: TrainConfig, folder: Path, record: dict[str, Any]) -> None:
    from sobremesa.training import trainer

    if record["best"]:
        print_scores(envs.load(config.game), [read_score(one) for one in record["best"]["scores"]])
    rate = record["steps"] / max(record["seconds"], 1e-9)
    print(
        f"{record['status']} after {record['steps']:,} decisions in {record['seconds']:.0f} s ({rate:,.0f}/s): {folder}"
    )
    checkpoint = "" if record["best"] else " --checkpoint last"
    if record["status"] == "interrupted" and trainer.resumes(config):
        also = " --allow-commands" if any(programs(named(name)) for name in named_agents(config)) else ""
        print(f"to resume: {_command()} train --resume {folder}{also}")
    print(f"next: sobremesa export {folder} -o {folder}/bot{checkpoint}")


def _command() -> str:
    """Return the command that starts `sobremesa` in as many processes again."""
    if TORCHRUN not in os.environ:
        return "sobremesa"
    machines, each = os.environ["GROUP_WORLD_SIZE"], os.environ["LOCAL_WORLD_SIZE"]
    where = "--standalone" if machines == "1" else f"--nnodes {machines} --rdzv-backend c10d --rdzv-endpoint HOST:PORT"
    return f"torchrun {where} --nproc-per-node {each} -m sobremesa"


def _configured(arguments: argparse.Namespace) -> TrainConfig:
    """Return the configuration of a new run."""
    if arguments.game is None:
        raise ValueError(f"train needs a GAME ({', '.join(envs.all_games())}) or --resume RUN")
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
    """Return the configuration of the run to resume, which flags cannot change."""
    from sobremesa.training.runs import run

    config = run.read(arguments.resume)[0]
    if arguments.game not in (None, config.game):
        raise ValueError(f"--resume {arguments.resume}: the run trains {config.game}, not {arguments.game}")
    for name in ("config", "out", *(key for key in keys() if key != "game")):
        if getattr(arguments, name) is not None:
            raise ValueError(f"{flag(name)} and --resume cannot be combined; the configuration is fixed")
    return config


def _train_flags(arguments: argparse.Namespace, game: Game) -> dict[str, Any]:
    """Return the keys given as flags, with the types of TOML."""
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
    """Parse setup fields as `setup_fields` does; `seats=2,3` gives a list."""
    setup: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name in setup:
            raise ValueError(f"--setup {pair}: {name} is given twice")
        values = [setup_fields(game, [f"{name}={one}"])[name] for one in text.split(",")]
        setup[name] = values if len(values) > 1 else values[0]
    return setup


def _pairs(key: str, pairs: list[str]) -> dict[str, Any]:
    """Parse NAME=VALUE pairs; raise ValueError naming the flag."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.rpartition("=")
        if not name or name in found:
            why = f"{name} is given twice" if name else f"{key} are given as NAME=VALUE"
            raise ValueError(f"{flag(key)} {pair}: {why}")
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
