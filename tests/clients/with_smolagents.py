"""`sobremesa mcp` with version 1 of the SDK, and with the tools of smolagents, which needs that version."""

import asyncio
import os
import re
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from smolagents import ToolCollection

from sobremesa import envs

HERE = Path(sys.executable).with_name("sobremesa")
OTHER = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "sobremesa"  # with version 2 of the SDK


def first_action(text):
    """Return the first legal action of a position, or None at the end of a deal."""
    found = re.search(r"^LEGAL ACTIONS \(\d+\)\n(.*)$", text, re.MULTILINE)
    return found[1] if found else None


def decision_of(text):
    """Return the number of the decision that a message asks for."""
    return int(text.rsplit(maxsplit=1)[-1])


async def play_by_the_sdk(command):
    """Play a deal of each game with the client of the SDK."""
    parameters = StdioServerParameters(command=str(command), args=["mcp", "--seeds", "again"], env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()

        async def call(tool, **arguments):
            result = await session.call_tool(tool, arguments)
            assert not result.isError, result
            return result

        for game in envs.games():
            text = (await call("open_table", game=game, seed=1)).content[0].text
            table = re.match(r"TABLE (\w+)", text)[1]
            while (action := first_action(text)) is not None:
                text = (await call("act", table=table, decision=decision_of(text), action=action)).content[0].text
            result = (await call("result", table=table)).structuredContent
            assert result["over"]
            assert not result["refused"]
            print(f"{game}: {result['actions']} actions, return {result['return']:+.2f}", flush=True)


def play_by_smolagents(command):
    """Play a deal of Leduc poker with the tools as smolagents gives them to its agents."""
    parameters = StdioServerParameters(command=str(command), args=["mcp", "--seeds", "again"], env=dict(os.environ))
    with ToolCollection.from_mcp(parameters, trust_remote_code=True, structured_output=False) as collection:
        tools = {tool.name: tool for tool in collection.tools}
        text = tools["open_table"](game="leduc_poker", setup={"seats": 2})
        table = re.match(r"TABLE (\w+)", text)[1]
        while (action := first_action(text)) is not None:
            text = tools["act"](table=table, decision=decision_of(text), action=action)
        assert '"over": true' in tools["result"](table=table)


for program in (HERE, OTHER):
    if program.exists():
        print(f"== server {program}", flush=True)
        asyncio.run(play_by_the_sdk(program))
        play_by_smolagents(program)
