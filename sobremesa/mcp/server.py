"""The server: the tools of `Tables` over standard input and output."""

import inspect
from collections.abc import Mapping
from typing import Any, TextIO

import anyio
from pydantic import ValidationError

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:  # mcp 1
    from mcp.server.fastmcp import FastMCP as MCPServer  # type: ignore[attr-defined,no-redef]
    from mcp.server.fastmcp.exceptions import ToolError  # type: ignore[import-not-found,no-redef]
from mcp.server.stdio import stdio_server

from sobremesa.agents.decisions import NotPresent, check_names
from sobremesa.envs.core.errors import one_line
from sobremesa.mcp.lines import Lines
from sobremesa.mcp.tables import Tables

INSTRUCTIONS = """\
Board and card games with hidden information. Call open_table to take a seat, then act until the deal is over; result \
returns your return. An action names the decision that it is chosen for, so send one action and wait for its result."""


class Server(MCPServer):
    """A server with the tools of `tables`; wrong arguments get an error in plain words."""

    def __init__(self, tables: Tables) -> None:
        super().__init__("sobremesa", instructions=INSTRUCTIONS, log_level="WARNING")
        texts = (tables.list_games, tables.open_table, tables.look, tables.act, tables.rules, tables.close_table)
        for tool in texts:
            self.tool(structured_output=False)(tool)
        self.tool()(tables.result)
        self._parameters = {tool.__name__: inspect.signature(tool).parameters for tool in (*texts, tables.result)}

    async def call_tool(self, name: str, arguments: dict[str, Any], *context: Any) -> Any:
        """Call a tool; raise ToolError, whose text the client shows, for wrong arguments and refused calls."""
        parameters: Mapping[str, inspect.Parameter] = self._parameters.get(name, {})
        needed = [one.name for one in parameters.values() if one.default is inspect.Parameter.empty]
        try:
            if name in self._parameters:
                check_names(name, arguments, parameters, needed)
            return await super().call_tool(name, arguments, *context)
        except ToolError as error:
            raise _plain(error.__cause__, arguments) or error from None
        except ValueError as error:
            raise ToolError(one_line(str(error))) from None


def _plain(cause: BaseException | None, arguments: dict[str, Any]) -> ToolError | None:
    """Return the error of a tool in plain words; None if its cause is a fault of ours."""
    if isinstance(cause, NotPresent):
        return ToolError(str(cause))
    if isinstance(cause, ValidationError):
        found: dict[str, list[str]] = {}
        for one in cause.errors(include_url=False):
            found.setdefault(str(one["loc"][0]), []).append(one["msg"][0].lower() + one["msg"][1:])
        wrong = [f"{name}={arguments.get(name)!r:.60}: {' or '.join(why)}" for name, why in found.items()]
        return ToolError(one_line("; ".join(wrong)))
    return ToolError(one_line(str(cause))) if isinstance(cause, ValueError | TypeError | ImportError) else None


def serve(tables: Tables, given: TextIO, answers: TextIO) -> None:
    """Answer the calls in the lines of `given` until it ends or the client goes away."""
    try:
        anyio.run(_serve, Server(tables), given, answers)
    except* OSError:  # the client no longer reads
        pass


async def _serve(server: Server, given: TextIO, answers: TextIO) -> None:
    inner = vars(server).get("_lowlevel_server") or vars(server)["_mcp_server"]  # the second of mcp 1
    async with stdio_server(Lines(given), anyio.wrap_file(answers)) as streams:  # type: ignore[arg-type]
        await inner.run(*streams, inner.create_initialization_options())
