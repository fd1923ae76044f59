"""Serve the games to a language model: a server of the Model Context Protocol over standard input and output."""

import argparse
import os
import signal
import sys

from sobremesa.arguments import count, minutes
from sobremesa.interrupts import leave
from sobremesa.mcp.lines import claimed
from sobremesa.mcp.tables import IDLE, MOST, NEVER, SEEDS, Tables

EXAMPLE = "sobremesa mcp --tables 4"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--tables", type=count, default=MOST, help=f"maximum number of open tables (default: {MOST})")
    parser.add_argument(
        "--idle", type=minutes, default=IDLE, metavar="MINUTES",
        help=f"minutes without a call, after which a table closes (default: {IDLE:g})",
    )  # fmt: skip
    parser.add_argument(
        "--seeds", choices=SEEDS, default=NEVER,
        help="whether a client may name the seed of a deal; a client that repeats a deal knows its hidden cards "
        f"(default: {NEVER})",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Answer calls until the client goes."""
    if sys.stdin is None or sys.stdout is None:
        raise ValueError("standard input or output is closed; a client starts `sobremesa mcp` and talks to it there")
    if sys.stdin.isatty():
        print("Waiting for a client on standard input; Ctrl-C ends the server.", file=sys.stderr)
    with claimed() as (given, answers):
        from sobremesa.mcp.server import serve

        signal.signal(signal.SIGINT, leave)  # the thread that reads would keep the process
        serve(Tables(arguments.tables, arguments.idle, arguments.seeds), given, answers)
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(0)  # to end the interpreter in order takes seconds on a busy machine
