"""The server: the tools of `Tables` over standard input and output."""

import functools
import sys
from collections.abc import Callable
from typing import Any

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:  # mcp 1
    from mcp.server.fastmcp import FastMCP as MCPServer  # type: ignore[attr-defined,no-redef]
    from mcp.server.fastmcp.exceptions import ToolError  # type: ignore[import-not-found,no-redef]

from sobremesa.envs.core.errors import one_line
from sobremesa.mcp.tables import Tables

INSTRUCTIONS = """\
Board and card games with hidden information. Call open_table to take a seat, then act until the deal is over; result \
returns your return."""


def make_server(tables: Tables) -> MCPServer:
    """Return a server with the tools of `tables`."""
    server = MCPServer("sobremesa", instructions=INSTRUCTIONS, log_level="WARNING")
    texts = (tables.list_games, tables.open_table, tables.look, tables.act, tables.rules, tables.close_table)
    for tool in texts:
        server.tool(structured_output=False)(_refusing(tool))
    server.tool()(_refusing(tables.result))
    return server


def serve(tables: Tables) -> None:
    """Answer calls until the client closes standard input or goes away."""
    try:
        make_server(tables).run("stdio")
    except* OSError:  # the client no longer reads
        pass
    if sys.stdout.closed:  # by mcp 1
        sys.stdout = None  # type: ignore[assignment]


def _refusing(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return `tool` with bad input and missing extras as errors that the client shows in one line."""

    @functools.wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except (ValueError, TypeError, ImportError) as error:
            raise ToolError(one_line(str(error))) from None

    return call
