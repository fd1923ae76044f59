"""Write the template of an external agent: a bot in Python or any other language."""

import argparse
import shlex
import textwrap
from pathlib import Path

from sobremesa import envs
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game

EXAMPLE = "sobremesa new-bot ese_toro_enamorado bots/first"
FORMS = ("python", "command")
BOT, README = "bot.py", "README.md"

_PYTHON = '''\
"""A bot for {title}: `act` chooses an action at each decision. {readme} shows how to try it."""

import random


def act(view):
    """Return one of `view.legal`, the numbers of the legal actions.

    `view.names` are their names in the same order. `view.text` is the observation in words, `view.blocks` the same as
    arrays by name. Your prints appear on standard error.
    """
    chance = random.Random(f"{{view.seed}} {{view.text}}")  # the same deal, the same choice
    return chance.choice(view.legal)
'''

_COMMAND = '''\
"""A bot for {title} that reads and writes lines of JSON, as a program in any language can. See {readme}.

Write only answers to standard output, one line each, and flush every line. Write debug output to standard error.
"""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":  # once: the game, the names of all actions, the layout of observations
        print(json.dumps({{"protocol": 2}}), flush=True)
    elif message["type"] == "act":  # at each decision: "legal" are numbers of actions, "text" is the view in words
        chance = random.Random(f"{{message['seed']}} {{message['text']}}")  # the same deal, the same choice
        action = chance.choice(message["legal"])
        print(json.dumps({{"decision": message["decision"], "action": action}}), flush=True)
'''

_README = """\
# A bot for {title}

`{bot}` plays a random legal action. These commands check it in a few seconds, rate it, and show a deal:

    {commands}

`agents/external/PROTOCOL.md` of Sobremesa describes the messages, the time limits and the consequences of errors. Flush
every line: a buffered answer counts as no answer.

{game} has {actions} actions, and these parts of an observation{where}, in order:

| name | shape | from | to | content |
|---|---|---|---|---|
{blocks}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("folder", metavar="DIR", type=Path, help="new or empty folder for the bot")
    parser.add_argument(
        "--form", choices=FORMS, default="python",
        help="python: a function; command: a program that reads and writes lines of JSON (default: python)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write a bot that plays at random and print the next commands."""
    game, folder = envs.load(arguments.game), arguments.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} already exists and is not an empty folder; give a new or empty one")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(game, folder, arguments.form).items():
        write_whole(folder / name, text)
    print(f"{folder / BOT} plays {game.id} at random. Now:")
    print("\n".join(f"  {line}" for line in commands(game, folder, arguments.form)))
    return 0


def files(game: Game, folder: Path, form: str) -> dict[str, str]:
    """Return the files of a new bot by their names."""
    title = game.words.title["en"]
    blocks = [
        f"| `{block.name}` | {block.shape} | {block.low:g} | {block.high:g} | {block.doc} |" for block in game.layout
    ]
    readme = _README.format(
        title=title,
        bot=BOT,
        commands="\n    ".join(commands(game, folder, form)),
        game=game.id,
        actions=game.num_actions,
        where=" (`view.blocks`)" if form == "python" else "",
        blocks="\n".join(blocks),
    )
    start = _PYTHON if form == "python" else _COMMAND
    return {BOT: textwrap.dedent(start).format(title=title, readme=README), README: readme}


def commands(game: Game, folder: Path, form: str) -> list[str]:
    """Return the command lines that check, rate and watch a new bot."""
    file = folder / BOT
    spec = shlex.quote(f"python:{file}:act" if form == "python" else f"command:python3 {shlex.quote(str(file))}")
    return [
        f"sobremesa rate {game.name} {spec} --dry-run",
        f"sobremesa rate {game.name} {spec} --deals 200",
        f"sobremesa watch {game.name} {' '.join([spec] * game.default_seats)}",
    ]
