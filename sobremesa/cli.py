"""The command `sobremesa`: one parser, a subcommand for each module of `sobremesa.commands`, errors of one line."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import NoReturn

from sobremesa import __version__, commands
from sobremesa.envs.core.errors import MissingExtra, extra_of, one_line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all is well, 1 if a check failed, 2 for bad input."""
    command = ""
    try:
        arguments = _build().parse_args(argv)
        command = arguments.command
        code = int(arguments.run(arguments))
        if sys.stdout is not None:  # as it is where a shell has closed it
            sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read along has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, TypeError, OSError, ImportError, MemoryError, ArithmeticError) as raised:
        error = _explained(raised, command)
        words = str(error) or ("there is not enough memory" if isinstance(error, MemoryError) else repr(error))
        print(f"sobremesa: {one_line(words)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


# The order in which one needs them; commands that are not named here follow.
ORDER = (
    "games", "play", "serve", "watch", "dataset", "train", "export", "new-bot", "rate", "ladder", "arena", "stats",
    "analyse", "exploit", "solve", "report", "benchmark", "bench", "check",
)  # fmt: skip


def _build() -> argparse.ArgumentParser:
    parser = _Parser(prog="sobremesa", description="Spanish tabletop games for reinforcement learning.")
    parser.add_argument("-V", "--version", action="version", version=f"sobremesa {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for name in command_names():
        command = import_module(f"sobremesa.commands.{name.replace('-', '_')}")
        doc = str(command.__doc__).partition("\n")[0]
        sub = subparsers.add_parser(
            name,
            help=doc[0].lower() + doc[1:].rstrip("."),
            description=doc,
            epilog=f"example: {command.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, command=name)
    return parser


def _explained(error: Exception, command: str) -> Exception:
    """Return `error`, or in place of a module that is missing the extra that brings it."""
    name = str(error.name) if isinstance(error, ModuleNotFoundError) else ""
    extra = extra_of(name.partition(".")[0])
    return MissingExtra(f"sobremesa {command} has no module {name!r}: it", extra) if extra else error


def command_names() -> list[str]:
    """Return the names of the commands, in their order: those of the modules of the folder, with - for _."""
    found = [module.name.replace("_", "-") for module in iter_modules(commands.__path__)]
    return sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
