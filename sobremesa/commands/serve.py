"""Play in a browser, alone or with others, against agents."""

import argparse
import ipaddress
from pathlib import Path

from sobremesa.arguments import count, integer

EXAMPLE = "sobremesa serve --bot runs/demo/bot"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--host", default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, this machine alone; 0.0.0.0: all that can reach this one)",
    )  # fmt: skip
    parser.add_argument(
        "--port", type=integer, default=8642, help="port to listen at, 0 for any that is free (default: 8642)"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path("runs/tables"),
        help="where tables and replays are kept; a server started there again goes on (default: runs/tables)",
    )  # fmt: skip
    parser.add_argument(
        "--bot", nargs="+", action="extend", default=[], metavar="AGENT",
        help="agents of your own to offer: folders of bots, python:FILE.py:FUNCTION, or command:TEXT",
    )  # fmt: skip
    parser.add_argument(
        "--allow-host", nargs="+", action="extend", default=[], metavar="NAME",
        help="names that the server goes by, beside its addresses and localhost",
    )  # fmt: skip
    parser.add_argument("--tables", type=count, default=500, help="the most deals under way (default: 500)")
    parser.add_argument(
        "--list", action="store_true",
        help="print the tables of --folder that are neither over nor closed, and exit; a server may run there",
    )  # fmt: skip
    parser.add_argument(
        "--close", action="append", default=[], metavar="NAME",
        help="close a table of --folder, named as --list prints it, for good, and exit; --close=NAME where it begins "
        "with -; a server that runs there follows within seconds",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted, or list and close tables."""
    if arguments.list or arguments.close:
        from sobremesa.serve.operator import close, lines

        for name in arguments.close:
            print(close(arguments.folder, name))
        if arguments.list:
            print("\n".join(lines(arguments.folder)))
        return 0
    from sobremesa.serve.run import serve

    if not 0 <= arguments.port < 65_536:
        raise ValueError(f"--port {arguments.port} is not allowed; it takes 0 to 65535")
    if not arguments.host.strip():
        raise ValueError("--host '' is not allowed; it takes an address: 127.0.0.1, or 0.0.0.0 for all of this machine")
    if not _this_machine_alone(arguments.host):
        print("everybody who can reach this machine can open tables; who has a seat's link sits there; without HTTPS "
              "others on the way can read along")  # fmt: skip
    return serve(
        arguments.host, arguments.port, arguments.folder, arguments.bot, [arguments.host, *arguments.allow_host],
        arguments.tables,
    )  # fmt: skip


def _this_machine_alone(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
