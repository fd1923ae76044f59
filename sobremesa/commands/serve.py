"""Serve the games in the browser, for one or several people and agents."""

import argparse
import ipaddress
from pathlib import Path

from sobremesa.arguments import count, integer

EXAMPLE = "sobremesa serve --bot runs/demo/bot"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--host", default="127.0.0.1",
        help="address to listen at; 0.0.0.0 accepts connections from other machines (default: 127.0.0.1)",
    )  # fmt: skip
    parser.add_argument("--port", type=integer, default=8642, help="port, or 0 for a free one (default: 8642)")
    parser.add_argument(
        "--folder", type=Path, default=Path("runs/tables"),
        help="folder of tables and replays; a restarted server resumes them (default: runs/tables)",
    )  # fmt: skip
    parser.add_argument(
        "--bot", nargs="+", action="extend", default=[], metavar="AGENT",
        help="agents to offer: bot folders, python:FILE.py:FUNCTION, command:TEXT or llm:MODEL@URL (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-host", nargs="+", action="extend", default=[], metavar="NAME",
        help="further host names of the server (default: its addresses and localhost)",
    )  # fmt: skip
    parser.add_argument("--tables", type=count, default=500, help="maximum number of open tables (default: 500)")
    parser.add_argument("--list", action="store_true", help="print the open tables of --folder and exit (default: off)")
    parser.add_argument(
        "--close", nargs="+", action="extend", default=[], metavar="NAME",
        help="close tables of --folder, named as --list prints them, and exit; 'untouched' closes those without moves, "
        "'all' all of them; use --close=NAME if a name begins with -",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted, or list and close tables."""
    if arguments.list or arguments.close:
        from sobremesa.serve.operator import close, lines

        if arguments.close:
            print("\n".join(close(arguments.folder, arguments.close)))
        if arguments.list:
            print("\n".join(lines(arguments.folder)))
        return 0
    from sobremesa.serve.run import serve

    if not 0 <= arguments.port < 65_536:
        raise ValueError(f"--port {arguments.port} is not allowed; it takes 0 to 65535")
    if not arguments.host.strip():
        raise ValueError("--host '' is not allowed; it takes an address, for example 127.0.0.1 or 0.0.0.0")
    if not _local_only(arguments.host):
        print("Anyone who can reach this machine can open tables, and anyone with a seat's link can play there. "
              "Without HTTPS the connection can be read on the way.")  # fmt: skip
    return serve(
        arguments.host, arguments.port, arguments.folder, arguments.bot, [arguments.host, *arguments.allow_host],
        arguments.tables,
    )  # fmt: skip


def _local_only(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
