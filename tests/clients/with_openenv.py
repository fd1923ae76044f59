"""OpenEnv: its client at a server of ours over a socket, and a day of sessions in simulated time."""

import asyncio
import gc
import json
import random
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import weakref
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from openenv import GenericEnvClient
from openenv.core.env_server import http_server
from websockets.sync.client import connect

from sobremesa import envs
from sobremesa.agents.trainers import Deals, openenv
from sobremesa.agents.trainers.episode import Episode
from sobremesa.agents.trainers.openenv import Table, make_app

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fake_time import FastLoop, Socket

DAY, EVERY, IDLE, TABLES = 24 * 3600.0, 10.0, 600.0, 64
MADE = weakref.WeakSet()
DEALS = Deals("kuhn_poker", "random")


@contextmanager
def served(deals, **limits):
    """Serve `deals` on a free port of this machine; yield the address."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_app(deals, **limits), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Watched(Table):
    """A table that is counted while it is open."""

    def __init__(self, deals):
        super().__init__(deals)
        MADE.add(self)


def open_tables():
    """Return the number of tables that servers hold open."""
    return sum(not one._closed for one in list(MADE))


def the_client_plays_each_game():
    for game in envs.games():
        deals = Deals(game, "random")
        with served(deals) as address, GenericEnvClient(base_url=address).sync() as client:
            for seed in (1, 2):
                result, expected = client.reset(seed=seed, episode_id=f"e{seed}"), deals.episode(seed)
                assert result.observation["messages"] == expected.messages
                while not result.done:
                    answer = first_legal(expected)
                    expected.answer(answer)
                    step = {"answer": answer, "decision": result.observation["decision"]}
                    result = client.step(step)
                    assert client.step(step).observation == result.observation, "a repeat plays nothing"
                    assert result.observation["messages"] == expected.messages[-1:]
                assert result.reward == deals.reward(expected)
                assert client.state()["episode_id"] == f"e{seed}"
                assert client.state()["step_count"] == len(expected.decisions)
    print(f"the client played 2 deals of {len(envs.games())} games over a socket")


def first_legal(episode):
    view = episode.view
    return f"ACTION: {episode.game.words.action_name(int(view.mask.argmax()), episode.style.language)}"


def errors_reach_the_client():
    with served(DEALS, tables=1) as address, GenericEnvClient(base_url=address).sync() as client:
        for call, why in (
            (lambda: client.step({"answer": "bet", "decision": 1}), "no game has begun"),
            (lambda: client.reset(seed=-1), "seed=-1 is not allowed"),
            (lambda: client.reset(seed="x"), "seed='x' is not allowed"),
            (lambda: client.reset(sead=1), "no argument 'sead'; did you mean seed?"),
            (lambda: client.step({}), "no game has begun"),
        ):
            assert why in refused(call)
        result = client.reset(seed=1)
        assert not result.done
        assert "the answer names no decision. The present decision is" in refused(
            lambda: client.step({"answer": "bet"})
        )
        assert "no argument 'answr'; did you mean answer?" in refused(lambda: client.step({"answr": "bet"}))
        for _ in range(3):
            result = client.step({"answer": "nonsense", "decision": result.observation["decision"]})
        assert (result.done, result.reward, result.observation["forfeited"]) == (True, -1.0, "no action")
        refused(GenericEnvClient(base_url=address).sync().reset)  # a second session gets no table


def refused(call):
    """Return the error of a call."""
    try:
        call()
    except RuntimeError as error:
        print(f"refused: {str(error)[:90]}")
        return str(error)
    raise AssertionError("no error")


def silent_and_lost_clients_are_closed():
    with served(DEALS, tables=16, idle=1.0) as address:
        before = threading.active_count()
        for number in range(200):
            wait_for(lambda: open_tables() < 16)
            link = connect(address.replace("http", "ws") + "/ws", ping_interval=None).__enter__()  # left open
            link.send('{"type": "reset", "data": {"seed": 1}}')
            link.recv()
            if number % 2:
                link.socket.shutdown(socket.SHUT_RDWR)  # without a close frame
        wait_for(lambda: open_tables() == 0)
        wait_for(lambda: threading.active_count() <= before + 101)  # our own 100 silent ends have a thread each
        with GenericEnvClient(base_url=address).sync() as client:
            assert not client.reset(seed=1).done
    print("200 clients left or fell silent; no table stayed open, and the next client got one")


async def session(app, kind, rng):
    """Be one client of `app` of some kind: it plays, leaves in the middle, falls silent, or never says a word."""
    link = Socket(app)
    if kind != "half-open":
        decision = decision_in(await link.ask({"type": "reset", "data": {"seed": rng.randrange(1000)}}))
        for _ in range(2 if kind == "plays" else 1):
            await asyncio.sleep(rng.uniform(0, IDLE / 2))
            step = {"answer": rng.choice(["bet", "pass", "?"]), "decision": decision}
            decision = decision_in(await link.ask({"type": "step", "data": step}))
    if kind == "plays":
        await link.send({"type": "close"})
    elif kind == "drops":
        link.drop()
    await link.ended()


def decision_in(message):
    """Return the number of the decision in a message of the server; None at the end of an episode."""
    return json.loads(message["text"])["data"].get("observation", {}).get("decision")


async def soak(app, counts):
    """Open a session every `EVERY` seconds for a day, and note each hour what the server holds."""
    loop, rng = asyncio.get_running_loop(), random.Random(1)
    sessions, most, hours = set(), 0, []
    while loop.time() < DAY:
        kind = rng.choice(list(counts))
        counts[kind] += 1
        task = loop.create_task(session(app, kind, rng))
        sessions.add(task)
        task.add_done_callback(sessions.discard)
        await asyncio.sleep(EVERY)
        most = max(most, len(sessions))
        if loop.time() // 3600 > len(hours):
            gc.collect()
            alive = sum(type(one) is Episode for one in gc.get_objects())
            hours.append((open_tables(), alive, len(asyncio.all_tasks()), tracemalloc.get_traced_memory()[0]))
    await asyncio.gather(*sessions)
    return most, hours


def a_day_leaves_nothing_behind():
    counts = dict.fromkeys(("plays", "drops", "falls silent", "half-open"), 0)
    loop = FastLoop()
    http_server.time = loop  # the clock of its reaper
    tracemalloc.start()
    most, hours = loop.run_until_complete(soak(make_app(DEALS, tables=256, idle=IDLE), counts))
    gc.collect()
    print(f"a day of {sum(counts.values())} sessions: {counts}; at most {most} at once")
    print("hour: tables, episodes, tasks, MB:", *(f"{h + 1}: {t}, {e}, {k}, {m / 1e6:.1f};" for h, (t, e, k, m) in
          list(enumerate(hours))[::6]))  # fmt: skip
    assert open_tables() == 0
    assert max(tables for tables, *_ in hours) < 256
    assert max(memory for *_, memory in hours[2:]) < 1.1 * hours[1][3]


def the_example_has_what_its_tools_want():
    tool, folder = (
        Path(sys.executable).with_name("openenv"),
        Path(__file__).resolve().parents[2] / "examples" / "openenv",
    )
    subprocess.run([tool, "validate", folder, "--level", "static", "--skip-build"], check=True)
    sys.path.insert(0, str(folder))
    from server.app import app

    assert callable(app)


if __name__ == "__main__":
    the_example_has_what_its_tools_want()
    openenv.Table = Watched
    the_client_plays_each_game()
    errors_reach_the_client()
    silent_and_lost_clients_are_closed()
    a_day_leaves_nothing_behind()
