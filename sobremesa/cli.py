"""Command line `sobremesa`: one subcommand for each module of `sobremesa.commands`, one-line errors."""

import argparse
import codecs
import io
import math
import os
import re
import sys
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import NoReturn

from sobremesa import __version__, commands
from sobremesa.envs.core.compile.threads import quota
from sobremesa.envs.core.errors import ArgumentError, MissingExtra, extra_of, file_error, one_line
from sobremesa.interrupts import INTERRUPTED, interrupting


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Print that the arguments `unknown` do not exist, with the nearest option, and exit with 2."""
        given, options = unknown[0].partition("=")[0], {one.lstrip("-"): one for one in self._option_string_actions}
        near = get_close_matches(given.lstrip("-"), options, 1) if given.startswith("-") else []
        self.error(f"unknown argument {' '.join(unknown)}{f'; did you mean {options[near[0]]}?' if near else ''}")


def _help_at_end(words: Sequence[str]) -> list[str]:
    """Return the command line with `--help` at the end: the help of `train` depends on its other options."""
    if not words or words[0].startswith("-"):
        return list(words)
    return [words[0], *sorted(words[1:], key=lambda word: word in ("-h", "--help"))]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return 0 (success), 1 (a check failed), 2 (bad input) or 130 (Ctrl-C)."""
    _open_standard_files()
    _replace_unencodable()
    if quota() < math.inf:  # threads of PyTorch that wait busily would use it up; read when PyTorch is imported
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    command = ""
    try:
        words = _help_at_end(sys.argv[1:] if argv is None else argv)
        arguments, unknown = _build(words[:1]).parse_known_args(words)
        if unknown:
            arguments.parser.refuse(unknown)
        command = arguments.command
        with interrupting(), _print_thread_errors():
            code = int(arguments.run(arguments))
            if sys.stdout is not None:  # None if the shell closed it
                sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader stopped, for example `head`
        _drop_output()
        return 141
    except (ValueError, TypeError, OSError, ImportError, MemoryError, ArithmeticError) as raised:
        print(f"sobremesa: {one_line(_words(_as_missing_extra(raised, command)))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


@contextmanager
def _print_thread_errors() -> Iterator[None]:
    """Print an OSError of a thread in one line: TensorBoard writes from a thread, and the disk may be full."""
    before = threading.excepthook

    def failed(thread: threading.ExceptHookArgs) -> None:
        if isinstance(thread.exc_value, OSError):
            print(f"sobremesa: {one_line(file_error(thread.exc_value))}", file=sys.stderr)
        else:
            before(thread)

    threading.excepthook = failed
    try:
        yield
    finally:
        threading.excepthook = before


def _words(error: Exception) -> str:
    """Return the message of `error` as printed to the user."""
    if isinstance(error, UnicodeEncodeError):
        given = re.split(r"[\s'\"]", error.object[: error.end])[-1]
        return f"{given!r} cannot be encoded on this system; use another name, or set LC_ALL=C.UTF-8"
    if isinstance(error, ArgumentError):
        return error.as_flags()
    if isinstance(error, OSError):
        words = file_error(error)
        return f"standard output: {words}" if error.filename is None and _is_lost() else words
    return str(error) or ("there is not enough memory" if isinstance(error, MemoryError) else repr(error))


def _is_lost() -> bool:
    """Return whether standard output is unwritable; if so drop the buffer, which Python would flush again at exit."""
    try:
        print(flush=True)  # a newline forces a write even if the buffer is empty
    except OSError:
        _drop_output()
        return True
    return False


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ASCII replacements for terminals without Unicode.
_PLAIN = str.maketrans(
    "─═╶╴│║╷╵╲╱┼┬┴┤├┘└┐┌“”«»‘’–—·×→▸±≈▲✓✗☾♥♠♦♣■▁▂▃▄▅▆▇█",
    '----||||\\/+++++++++""""\'\'--.x>>~~^vx)hsdc#########',
    "¿¡",
)


def _open_standard_files() -> None:
    """Open the null device for standard files that the shell closed.

    Otherwise the next opened file would get the number, and what a child process prints would go into it. `sys.stderr`
    is replaced too, since `print` would write messages to standard output instead.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it gets the lowest free number
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _replace_unencodable() -> None:
    """Make standard output and standard error replace characters that their encoding lacks."""
    codecs.register_error("sobremesa", _plain)
    for stream, errors in ((sys.stdout, "sobremesa"), (sys.stderr, "sobremesa"), (sys.stdin, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(ValueError):  # a program that calls `main` has closed it, or has read from it
                stream.reconfigure(errors=errors)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: return ASCII for characters that cannot be encoded, without accents, or ?."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = unicodedata.normalize("NFKD", error.object[error.start : error.end].translate(_PLAIN))
    return "".join(one if one.isascii() else "?" for one in signs if not unicodedata.combining(one)), error.end


# Order in `--help`; other commands follow.
ORDER = (
    "games", "play", "serve", "mcp", "watch", "dataset", "train", "export", "new-bot", "rate", "ladder", "arena",
    "population", "stats", "analyse", "blunders", "exploit", "solve", "report", "benchmark", "bench", "check",
    "results", "submit", "verify",
)  # fmt: skip


def _build(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of the command that `words` begin with; of all commands if they begin with none."""
    parser = _Parser(
        prog="sobremesa",
        description="Reinforcement-learning environments, agents and training for Spanish tabletop games.",
        epilog="`sobremesa COMMAND --help` lists the options of a command and an example.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"sobremesa {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    every = command_names()
    for name in [name for name in every if name in words] or every:
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
        sub.set_defaults(run=command.run, command=name, parser=sub)
    return parser


def _as_missing_extra(error: Exception, command: str) -> Exception:
    """Return `error`, or a MissingExtra if an optional dependency is not installed."""
    name = str(error.name) if isinstance(error, ModuleNotFoundError) else ""
    extra = extra_of(name.partition(".")[0])
    return MissingExtra(f"sobremesa {command} has no module {name!r}: it", extra) if extra else error


def command_names() -> list[str]:
    """Return the names of the commands in the order of `--help`: module names with - for _."""
    found = [module.name.replace("_", "-") for module in iter_modules(commands.__path__)]
    return sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
