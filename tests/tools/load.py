"""Load test of the server: time from a move to the next view, memory of a table, and malformed messages.

    .venv/bin/python tests/tools/load.py --tables 200 --seconds 60 --pause 3

The tables cover the games in turn. At each a simulated person makes a random move some seconds after each question,
against the agent of the quick start. The server has its own process; all persons share another one.
"""

import argparse
import asyncio
import json
import random
import re
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np
import websockets

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from browsing import running

from sobremesa import envs

GARBAGE = [
    "",
    "[",
    "{}",
    "null",
    '{"do":"play"}',
    '{"do":"play","moment":0,"action":-1}',
    '{"do":"nothing"}',
    "é" * 500,
]
QUICK = 0.2  # mean seconds for a move that stay below the rate limit of messages


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def sit_down(home, game):
    """Open a table by the quick start of the lobby; return the token of the seat."""
    data = urllib.parse.urlencode({"game": game, "quick": 1}).encode()
    address, opener = "/tables", urllib.request.build_opener(_Stay)
    while True:
        try:
            opener.open(urllib.request.Request(home + address, data, {"Origin": home})).close()
        except urllib.error.HTTPError as answer:
            address, data = answer.headers["Location"], None
        if seat := re.search(r"/seat/([\w-]+)", address):
            return seat[1]
        assert address.startswith("/opening/"), "no table was opened"


async def play(home, token, seconds, pause, lot, waits):
    """Play at a table for so many seconds."""
    end = time.perf_counter() + seconds
    async with connect(home, token) as socket:
        shown = await view(socket)
        while time.perf_counter() < end and not shown["over"]:
            if shown["mine"]:
                await asyncio.sleep(lot.uniform(0, 2 * pause))
                action = lot.choice(shown["actions"])[0]
                began = time.perf_counter()
                await socket.send(json.dumps({"do": "play", "moment": shown["moment"], "action": action}))
                shown = await view(socket)
                waits.append(time.perf_counter() - began)
            else:
                shown = await view(socket)


async def insult(home, token, count):
    """Send `count` malformed messages below the rate limit; return the number of refusals."""
    refused = 0
    async with connect(home, token) as socket:
        while not (first := await view(socket))["mine"]:
            pass  # agents that begin play first
        for number in range(count):
            await socket.send(GARBAGE[number % len(GARBAGE)])
            refused += json.loads(await socket.recv())["what"] == "refused"
            await asyncio.sleep(0.1)  # below the rate limit
    async with connect(home, token) as socket:
        last = await view(socket)
        changed = {key: (first.get(key), last.get(key)) for key in first | last if first.get(key) != last.get(key)}
        assert not changed, f"garbage changed a table: {changed}"
    return refused


def connect(home, token):
    return websockets.connect(f"{home.replace('http', 'ws')}/wire/{token}", origin=home, max_size=2**22)


async def view(socket):
    shown = json.loads(await socket.recv())
    assert shown["what"] == "frame", shown
    return shown


def memory(process):
    """Return the memory of a process in MiB."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


async def everybody(home, tokens, seconds, pause):
    waits = []
    await asyncio.gather(
        *(play(home, token, seconds, pause, random.Random(number), waits) for number, token in enumerate(tokens))
    )
    return waits


async def all_insults(home, tokens, messages):
    return sum(await asyncio.gather(*(insult(home, token, messages // len(tokens)) for token in tokens)))


def main(tables, seconds, pause, garbage):
    with tempfile.TemporaryDirectory() as folder, running(folder) as (home, server):
        for game in envs.games():  # compiles its kernels and loads its agents
            asyncio.run(everybody(home, [sit_down(home, game)], 5, QUICK))
        before = memory(server)
        tokens = [sit_down(home, envs.games()[number % len(envs.games())]) for number in range(tables)]
        waits = np.array(asyncio.run(everybody(home, tokens, seconds, pause)))
        median, slow = 1000 * np.quantile(waits, [0.5, 0.95])
        print(f"{tables} tables, {len(waits):,} moves: {median:.0f} ms at the median, {slow:.0f} ms at 95 %")
        print(f"{(memory(server) - before) / tables:.2f} MiB a table")
        if garbage:
            fresh = [sit_down(home, envs.games()[number % len(envs.games())]) for number in range(50)]
            print(f"{asyncio.run(all_insults(home, fresh, garbage)):,} of {garbage:,} malformed messages refused")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=3.0, help="mean seconds of a person for a move")
    parser.add_argument("--garbage", type=int, default=10_000, help="malformed messages")
    arguments = parser.parse_args()
    main(arguments.tables, arguments.seconds, arguments.pause, arguments.garbage)
