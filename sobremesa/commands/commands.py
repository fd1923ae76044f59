"""What the subcommands do; each takes the parsed arguments and returns the exit code."""

import argparse
import dataclasses
import itertools
import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import meet_all
from sobremesa.agents.arena.play import Rows, Score, score
from sobremesa.agents.arena.play import play as play_rows
from sobremesa.agents.arena.teams import TeamScore, team_score
from sobremesa.agents.exported import load_bot
from sobremesa.agents.foreign.agent import is_foreign
from sobremesa.agents.human import Human
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.check import ContractBroken, check_contract, check_pieces, rules_hash
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.secrets import SecretLeaked, check_secrets, views
from sobremesa.progress import progress
from sobremesa.report import show
from sobremesa.report.tables import aligned, print_scores, short
from sobremesa.training.config import MASKABLE_PPO, TrainConfig, default_for, find, from_dict, played_setups, read

MANY_STEPS = 10**12  # more than any number of minutes allows
AGENT_HELP = "names of agents, folders of bots, python:FILE.py:FUNCTION, or command:TEXT"


def games(arguments: argparse.Namespace) -> int:
    """List the games, or tell all about one."""
    if arguments.game is None:
        for name in envs.games():
            game = envs.load(name)
            seats = f"{game.seat_range[0]}-{game.seat_range[-1]} seats"
            print(
                f"{name:24} {game.title['es']} / {game.title['en']}; {seats}; agents: {', '.join(agents.names(game))}"
            )
        return 0
    game = envs.load(arguments.game)
    print(f"{game.title['es']} / {game.title['en']}   id sobremesa/{game.id}   rules {rules_hash(game)}")
    print(f"actions {game.num_actions}, observation {game.layout.size}, agents {', '.join(agents.names(game))}\n")
    print("Setup fields:")
    for option in game.options:
        print(f"  {option.name:16} {option.doc}; {option.allowed()} (default {option.default!r})")
    print("\n" + game.help("en"))
    return 0


def play(arguments: argparse.Namespace) -> int:
    """Seat a person among agents."""
    game = envs.load(arguments.game)
    seed = drawn_seed(arguments.seed)
    setup = read_setup(game, arguments.setup, "--seats")
    named = ([] if arguments.seats == 1 else ["scripted"]) if arguments.against is None else arguments.against
    others = [_opponent(name, game) for name in named]
    seats = max(len(others) + 1, game.seat_range[0]) if arguments.seats is None else arguments.seats
    if seats not in game.seat_range:
        raise ValueError(f"{game.name}: {seats} seats are not allowed; it takes {game.options[0].allowed()}")
    if len(others) >= seats:
        raise ValueError(f"--against names {len(others)} others; at --seats {seats} there is room for {seats - 1}")
    mine = seed % seats if arguments.seat is None else arguments.seat
    if mine not in range(seats):
        raise ValueError(f"--seat {mine} is not at the table; it takes 0 to {seats - 1}")
    sitting = list(itertools.islice(itertools.cycle(others), seats - 1))
    sitting.insert(mine, Human(arguments.language))
    print(f"{game.title[arguments.language]}   --seed {seed} --seat {mine}")
    show.play(game, sitting, seed, arguments.language, **setup)
    return 0


def train(arguments: argparse.Namespace) -> int:
    """Train as the configuration and the flags say."""
    from sobremesa.training import algorithms
    from sobremesa.training.evaluation import read_scores

    if arguments.resume is not None:
        config, folder = _resumed(arguments), arguments.resume
    else:
        config, folder = _configured(arguments)
    print(f"Training in {folder}; Ctrl-C stops and keeps what was learnt.", flush=True)
    with progress("train") as update:
        if arguments.resume is not None:
            record = algorithms.resume(folder, update)[1]
        else:
            record = algorithms.train(config, folder, update)
    if record["best"]:
        print_scores(read_scores(envs.load(config.game), record["best"]))
    rate = record["steps"] / max(record["seconds"], 1e-9)
    print(
        f"{record['status']} after {record['steps']:,} decisions in {record['seconds']:.0f} s ({rate:,.0f}/s): {folder}"
    )
    checkpoint = "" if record["best"] else " --checkpoint last"
    if record["status"] == "interrupted" and config.algorithm != MASKABLE_PPO:
        print(f"to go on: sobremesa train --resume {folder}")
    print(f"next: sobremesa export {folder} -o {folder}/bot{checkpoint}")
    return 130 if record["status"] == "interrupted" else 0


def _configured(arguments: argparse.Namespace) -> tuple[TrainConfig, Path]:
    """Return the configuration of a new run, and its folder."""
    if arguments.game is None:
        raise ValueError(f"train takes a GAME, one of {', '.join(envs.games())}, or --resume RUN")
    game = envs.load(arguments.game)
    values = read(find(arguments.config)) if arguments.config else default_for(game.name)
    if values.setdefault("game", game.name) != game.name:
        raise ValueError(f"the configuration {arguments.config!r} is for {values['game']}, not for {game.name}")
    return from_dict(values | _train_flags(arguments, game)), arguments.out or free_folder(game.name)


def _resumed(arguments: argparse.Namespace) -> TrainConfig:
    """Return the configuration of the run to go on with; it cannot be changed."""
    from sobremesa.training import run

    config = run.read(arguments.resume)[0]
    if arguments.game not in (None, config.game):
        raise ValueError(f"--resume {arguments.resume}: that run is of {config.game}, not of {arguments.game}")
    for name in ("config", "out", *(key.name for key in dataclasses.fields(TrainConfig) if key.name != "game")):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --resume: a run keeps its configuration")
    return config


def export(arguments: argparse.Namespace) -> int:
    """Write a bot."""
    from sobremesa.training.export import export as write_bot

    manifest = write_bot(arguments.folder, arguments.out, arguments.checkpoint, arguments.choice)
    parity = manifest["parity"]
    print(
        f"{arguments.out}: plays {manifest['game']}; torch and onnxruntime agree to "
        f"{parity['largest_difference']:.1e} on {parity['observations']:,} observations"
    )
    return 0


def exploit(arguments: argparse.Namespace) -> int:
    """Train against a fixed bot and print what can be won from it."""
    from sobremesa.training import exploit as exploits

    game = _game_of(arguments)
    check_folders(arguments, "json")
    setup: dict[str, Any] = read_setup(game, arguments.setup, "--seats")
    setup["seats"] = arguments.seats or game.default_seats
    budget = {name: getattr(arguments, name) for name in ("steps", "minutes", "threads")}
    changes = {name: value for name, value in budget.items() if value is not None}
    if arguments.minutes is not None and arguments.steps is None:
        changes["steps"] = MANY_STEPS
    config = exploits.configure(game, arguments.bot, changes | {"setup": setup, "seed": arguments.seed})
    folder = arguments.out or free_folder("exploit")
    print(f"Training against {arguments.bot} in {folder}; Ctrl-C stops and measures what was learnt.", flush=True)
    with progress("exploit") as update:
        found = exploits.exploit(config, game, folder, arguments.deals, update)
    table = [["bot", "seats", "trained on", "payoff of the response", "by seat"]]
    for one in found:
        by_seat = " ".join(f"{payoff:+.2f}" for payoff in one.by_seat)
        wins = f"{one.payoff:+.3f} ({one.low:+.3f} to {one.high:+.3f})"
        table.append([short(one.bot), str(one.seats), f"{one.steps:,}", wins, by_seat])
    print("\n".join(aligned(table)))
    print(
        f"\n{arguments.deals} deals held out, each in all seatings, 95 % intervals; --seed {arguments.seed}: {folder}"
    )
    print("a lower bound of what a best response wins; a seat that plays as the bot does wins 0 on average")
    if arguments.json:
        rows = [one._asdict() for one in found]
        written = {"seed": arguments.seed, "config": dataclasses.asdict(config), "results": rows}
        write_whole(arguments.json, json.dumps(written, indent=1))
    return 0


def _game_of(arguments: argparse.Namespace) -> Game:
    """Return the game to exploit a bot in: as given, or as the bot's manifest says."""
    if arguments.game is not None:
        game = envs.load(arguments.game)
        agents.load(arguments.bot, game)
        return game
    if is_foreign(arguments.bot):
        raise ValueError(f"{arguments.bot}: a foreign agent does not say what it plays; name the game by --game")
    if not Path(arguments.bot).exists():
        raise ValueError(
            f"{arguments.bot}: no such folder; to exploit an agent that comes with a game, name it by --game"
        )
    return envs.load(load_bot(Path(arguments.bot)).manifest["game"])


def report(arguments: argparse.Namespace) -> int:
    """Write the report of a run."""
    from sobremesa.training import report as reports
    from sobremesa.training import run

    config, record = run.read(arguments.folder)
    game = envs.load(config.game)
    bot = agents.load(arguments.bot, game)
    references = [agents.load(name, game) for name in agents.scripted_names(game)]
    setups = played_setups(config, game)
    seats = setups[0]["seats"]
    scores: Sequence[Score] | Sequence[TeamScore]
    if game.cooperative:
        scores, seated = _team_scores(game, bot, references, setups, arguments), [bot] * seats
    else:
        scores = [score(rows) for rows in meetings(game, bot, references, setups, arguments)]
        seated = [bot, *[references[-1]] * (seats - 1)]
    plies = list(deal_between(game, seated, arguments.seed, **setups[0]))
    names = [agent.name for agent in seated]
    show.film(arguments.folder / reports.REPLAY, game, plies, names, None, "en")
    reports.write(arguments.folder, game, config, record, scores, arguments.deals, arguments.seed)
    print_scores(scores)
    print(f"report: {arguments.folder / reports.REPORT}")
    print(f"play against it: sobremesa play {game.name} --against {arguments.bot}")
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Run the contract and the secrets kit and say what was tried."""
    game = envs.load(arguments.game)
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
            kit = check_secrets(game, max(1, arguments.deals // 5), arguments.seed, every=13, progress=update)
    except (ContractBroken, SecretLeaked) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(
        f"secrets: {kit['views']:,} views ({', '.join(views(game))}) were the same in {kit['worlds']:,} sampled "
        f"worlds, {kit['differed']:,} of which differed from the true one; so were {kit['stories']:,} stories"
    )
    print(f"{game.id} is clean, rules {rules_hash(game)}")
    return 0


def meetings(
    game: Game, candidate: Agent, references: list[Agent], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> list[Rows]:
    """Play the candidate among copies of each reference, at each setup; return the rows of each match."""
    found = []
    with progress("rate") as update:
        for setup, reference in itertools.product(setups, references):
            doing = f"against {reference.name} at {setup['seats']}"

            def moved(done: int, total: int, doing: str = doing) -> None:
                update(done, total, doing)

            game.options[0].encode(setup["seats"])  # before it is used as a number
            met, seated = [candidate, reference], [0] + [1] * (setup["seats"] - 1)
            rows = play_rows(game, met, arguments.deals, seed=arguments.seed, seated=seated, progress=moved, **setup)
            found.append(rows)
    return found


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


def check_folders(arguments: argparse.Namespace, *names: str) -> None:
    """Raise ValueError if a file that is to be written has no folder to lie in, or is a folder itself."""
    for name in names:
        path: Path | None = getattr(arguments, name)
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{name} {path}: there is no folder {path.parent}")
        if path is not None and path.is_dir():
            raise ValueError(f"--{name} {path} is a folder; it takes a file to write")


def _opponent(name: str, game: Game) -> Agent:
    """Return an agent; `scripted` is the best scripted one of the game."""
    if name != "scripted":
        return agents.load(name, game)
    return agents.load(agents.scripted_names(game)[-1], game)


def default_table(game: Game) -> list[str]:
    """Return the two best scripted agents of `game`, in turn, for a table of the usual size."""
    return list(itertools.islice(itertools.cycle(agents.scripted_names(game)[-2:]), game.default_seats))


def read_setup(game: Game, pairs: list[str], instead: str) -> dict[str, Any]:
    """Return setup fields from FIELD=VALUE, where the number of seats is said by the argument `instead`.

    Raises ValueError naming the field.
    """
    setup = _setup(game, pairs)
    if "seats" in setup:
        raise ValueError(f"--setup seats={setup['seats']}: the number of seats is given by {instead}")
    return setup


def _setup(game: Game, pairs: list[str]) -> dict[str, Any]:
    """Return setup fields from FIELD=VALUE; raise ValueError naming the field."""
    known = {option.name: option for option in game.options}
    setup = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in known:
            raise ValueError(f"--setup {pair}: {game.name} has the fields {', '.join(known)}, given as FIELD=VALUE")
        if name in setup:
            raise ValueError(f"--setup {pair}: {name} is given twice")
        setup[name] = known[name].parse(text)
    return setup


def _train_flags(arguments: argparse.Namespace, game: Game) -> dict[str, Any]:
    """Return the configuration keys given as flags, as TOML would have them."""
    flags: dict[str, Any] = {}
    for key in dataclasses.fields(TrainConfig):
        given = getattr(arguments, key.name, None)
        if key.name == "game" or given is None:
            continue
        if key.name == "setup":
            flags[key.name] = _setup_lists(game, given)
        elif isinstance(given, list) and key.name == "opponents":
            flags[key.name] = dict(_weight(pair) for pair in given)
        elif isinstance(given, list):
            flags[key.name] = [_number(text) for text in given]
        else:
            flags[key.name] = _number(given)
    return flags


def _setup_lists(game: Game, pairs: list[str]) -> dict[str, Any]:
    """As `_setup`, where `seats=2,3` is a list."""
    setup: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        values = [_setup(game, [f"{name}={one}"])[name] for one in text.split(",")]
        setup[name] = values if len(values) > 1 else values[0]
    return setup


def _weight(pair: str) -> tuple[str, Any]:
    name, _, text = pair.rpartition("=")
    if not name:
        raise ValueError(f"--opponents {pair}: opponents are given as NAME=WEIGHT")
    return name, _number(text)


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def drawn_seed(given: int | None) -> int:
    """Return the seed that was given, or another one each time."""
    return secrets.randbelow(2**31) if given is None else given


def free_folder(name: str) -> Path:
    """Return the folder `runs/<name>-<number>` with the lowest number that there is not."""
    return next(path for number in itertools.count(1) if not (path := Path("runs") / f"{name}-{number}").exists())
