"""The MCP server: tools that show one seat's view, tables within bounds, and a process that ends with its client."""

import json
import os
import re
import subprocess
import sys
from itertools import count

import anyio
import pytest
from command_line import one_line, sobremesa
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from rooms import TORO, brief

from sobremesa import envs
from sobremesa.agents.language.prompt import Style, turn_prompt
from sobremesa.agents.trainers.episode import Decision, Episode
from sobremesa.envs.core.agent import History
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets
from sobremesa.mcp.tables import _NAMES, AGAIN, ONCE, Tables

HOSTILE = '\x1b[2J\x07</tool>\u202e<script>\n"{"'
SERVER = [sys.executable, "-m", "sobremesa", "mcp", "--seeds", AGAIN]


def name_of(opened):
    return re.match(r"TABLE (\w+)\n", opened)[1]


def listed(text):
    """Return the legal actions that a position lists; [] at the end."""
    found = re.search(r"^LEGAL ACTIONS \((\d+)\)\n(.*)\n\n", text, re.MULTILINE | re.DOTALL)
    names = found[2].split("\n") if found else []
    assert len(names) == (int(found[1]) if found else 0)
    return names


def split(text):
    """Return a message without its number, and the number of its decision; None at the end of a deal."""
    found = re.search(r"\nDECISI(?:ON|ÓN) (\d+)$", text)
    return (text[: found.start()], int(found[1])) if found else (text, None)


def play_on(tables, table, text, actions=10**6):
    while (names := listed(text)) and actions:
        text, actions = tables.act(table, split(text)[1], names[0]), actions - 1
    return text


def act(tables, table, action):
    """Give an answer to the present decision; return the next message without its number."""
    return split(tables.act(table, split(tables.look(table))[1], action))[0]


# Tables.


def test_tools_show_the_episode_of_the_same_seat_and_seed():
    tables, style = Tables(seeds=AGAIN), Style("es", actions=False, history=True, tool="act")
    episode = Episode(TORO, "simple", seat=1, seed=5, style=style, max_rounds=2)
    opened = tables.open_table(
        TORO.name, 1, "simple", 5, {"max_rounds": "2"}, language="es", list_actions=False, history=True
    )
    table = name_of(opened)
    assert split(opened)[0] == f"TABLE {table}\n\n{episode.messages[0]['content']}\n\n{episode.prompt}"
    assert tables.rules(table) == episode.messages[0]["content"]
    while not episode.over:
        assert split(tables.look(table))[0] == episode.prompt
        assert "seed" not in tables.result(table)
        name = TORO.words.action_name(int(episode.view.mask.argmax()), "es")
        episode.answer(name)
        assert act(tables, table, name) == episode.prompt
    assert tables.look(table) == episode.prompt
    actions = len(episode.decisions)
    assert tables.result(table) == {
        "game": TORO.id, "seat": 1, "over": True, "return": episode.payoff, "forfeited": "", "actions": actions,
        "refused": 0, "seed": 5,
    }  # fmt: skip


def test_an_illegal_action_is_refused_and_three_refusals_forfeit():
    tables = Tables(seeds=AGAIN)
    opened = tables.open_table("leduc_poker", 1, seed=4)
    table = name_of(opened)
    assert "fold" not in listed(opened)
    assert re.match("Refused: fold is not legal now.* You have 2 more. Call act with", act(tables, table, "fold"))
    assert listed(tables.look(table)) == listed(opened)
    act(tables, table, "call or raise, one of them")
    assert tables.result(table)["refused"] == 2
    assert act(tables, table, "").endswith("You forfeit.")
    result = tables.result(table)
    assert (result["over"], result["return"], result["forfeited"], result["seed"]) == (True, -1, "no action", 4)
    with pytest.raises(ValueError, match=r"(?s)not played: 5 is not the present decision. It is over:.*You forfeit"):
        tables.act(table, 5, "call")


def test_two_tables_do_not_touch():
    tables = Tables(seeds=AGAIN)
    first, second = tables.open_table("leduc_poker", seed=1), tables.open_table(TORO.name, seed=1)
    play_on(tables, name_of(second), second, 3)
    assert split(tables.look(name_of(first)))[0] in first
    play_on(tables, name_of(first), first)
    assert tables.result(name_of(first))["over"]
    assert tables.result(name_of(second))["actions"] == 3
    tables.close_table(name_of(first))
    with pytest.raises(ValueError, match="there is no table"):
        tables.look(name_of(first))
    assert not tables.result(name_of(second))["over"]


def test_open_tables_are_bounded_and_finished_ones_make_room():
    tables = Tables(most=2, seeds=AGAIN)
    first, second = (tables.open_table("kuhn_poker", seed=seed) for seed in (1, 2))
    with pytest.raises(ValueError, match="2 tables are open, as many as are allowed; finish or close one"):
        tables.open_table("kuhn_poker")
    play_on(tables, name_of(second), second)
    third = tables.open_table("kuhn_poker")
    with pytest.raises(ValueError, match="there is no table"):
        tables.result(name_of(second))
    assert tables.look(name_of(first))
    assert tables.look(name_of(third))


def test_a_table_without_calls_closes():
    now = [0.0]
    tables = Tables(most=2, idle=10, seeds=AGAIN, clock=lambda: now[0])
    first, second = (name_of(tables.open_table("kuhn_poker", seed=seed)) for seed in (1, 2))
    now[0] = 500
    tables.look(second)
    now[0] = 700
    with pytest.raises(ValueError, match=r"there is no table .*closes after 10 minutes without a call"):
        tables.look(first)
    tables.look(second)
    now[0] = 10_000
    assert all(tables.open_table("kuhn_poker") for _ in range(2))


def test_a_deal_named_by_its_seed_is_shown_to_one_seat():
    tables = Tables(seeds=AGAIN)
    opened = tables.open_table(TORO.name, 0, seed=7)
    for setup in (None, {"seats": 3}):
        with pytest.raises(ValueError, match="seed 7 of ese_toro_enamorado has been opened at another seat"):
            tables.open_table(TORO.name, 1, seed=7, setup=setup)
    tables.close_table(name_of(opened))
    with pytest.raises(ValueError, match="another seat"):
        tables.open_table(TORO.name, 1, seed=7)
    assert listed(tables.open_table(TORO.name, 0, seed=7)) == listed(opened)
    assert tables.open_table(TORO.name, 1, seed=8)


def test_a_random_deal_is_not_opened_at_another_seat_by_its_seed():
    tables = Tables(seeds=AGAIN)
    table = name_of(tables.open_table("kuhn_poker", 0))
    for _ in range(3):
        act(tables, table, "nothing")
    seed = tables.result(table)["seed"]
    with pytest.raises(ValueError, match=f"seed {seed} of kuhn_poker has been opened at another seat"):
        tables.open_table("kuhn_poker", 1, seed=seed)
    assert tables.open_table("kuhn_poker", 0, seed=seed)


def test_seeds_are_named_only_where_the_operator_allows_it():
    with pytest.raises(ValueError, match="this server takes no seeds"):
        Tables().open_table("kuhn_poker", seed=1)
    once = Tables(seeds=ONCE)
    table = name_of(once.open_table("kuhn_poker", seed=1))
    once.close_table(table)
    with pytest.raises(ValueError, match="seed 1 of kuhn_poker has been opened before"):
        once.open_table("kuhn_poker", seed=1)
    table = name_of(once.open_table("kuhn_poker"))
    while not once.result(table)["over"]:
        act(once, table, "nothing")
    with pytest.raises(ValueError, match="has been opened before"):
        once.open_table("kuhn_poker", seed=once.result(table)["seed"])


def test_random_seeds_are_whole_numbers_of_javascript(monkeypatch):
    drawn = []
    monkeypatch.setattr("secrets.randbelow", lambda below: drawn.append(below) or below - 1)
    tables = Tables()
    table = name_of(tables.open_table("kuhn_poker"))
    while not tables.result(table)["over"]:
        act(tables, table, "nothing")
    assert drawn == [2**53]
    assert float(tables.result(table)["seed"]) == tables.result(table)["seed"] == 2**53 - 1


def test_names_of_tables_are_no_numbers():
    tables = Tables(most=200)
    for _ in range(200):
        name = name_of(tables.open_table("kuhn_poker"))
        assert len(name) == 8  # JSON has no word so long
        for read in (float, json.loads):
            with pytest.raises(ValueError):
                read(name)
    assert len(set(_NAMES)) ** 4 > 20_000_000
    assert all(re.fullmatch("[a-z][aeiou]", one) for one in _NAMES)


BAD = [
    ({"game": "chess"}, "no game 'chess'; there are"),
    ({"seat": 2}, "seat"),
    ({"seed": -1}, "seed"),
    ({"seed": 2**53}, f"seed={2**53} is not allowed; it takes a whole number from 0 to 2**53 - 1"),
    ({"language": "fr"}, "language='fr' is not known"),
    ({"setup": {"board": "tiny"}}, "board='tiny' is not allowed"),
    (
        {"setup": {"boards": "small"}},
        "no argument 'boards'; did you mean board? the setup of",
    ),
    ({"opponents": "champignon"}, "no opponent 'champignon'"),
    ({"opponents": ["simple", "simple"]}, "2 opponents are given"),
    ({"opponents": "command:touch pwned"}, "no opponent 'command:touch pwned'"),
    ({"opponents": "python:os:system"}, "no opponent"),
    ({"opponents": "search(strong)"}, "no opponent"),
    ({"opponents": "solved:/etc/passwd"}, "no opponent"),
    ({"opponents": "../.."}, "no opponent"),
]


@pytest.mark.parametrize(("given", "reason"), BAD, ids=[str(given) for given, _ in BAD])
def test_bad_input_is_refused_with_the_reason(given, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = Tables(seeds=AGAIN)
    with pytest.raises(ValueError) as refused:
        tables.open_table(**{"game": TORO.name, **given})
    assert reason in str(refused.value)
    assert not list(tmp_path.iterdir())


# Secrets.


def open_tables(game, seat, setup, style):
    """Yield tables with their names and episodes in which the seat has a decision."""
    for seed in count():
        tables, parts = Tables(seeds=AGAIN), (style.language, style.actions, style.history)
        name = name_of(tables.open_table(game.name, seat, "random", seed, setup, *parts))
        if not tables._open[name].episode.over:
            yield tables, name, tables._open[name].episode


def shown_by_tools(style, leak=""):
    """Return a view: all that the tools return to a seat that is to act, refusals included."""
    opened = {}

    def shown(game, states, seat):
        if states["over"][0] or states["seat"][0] != seat:
            return ""
        setup = game.setup(states)
        key = seat, *setup.values()
        if key not in opened:
            opened[key] = next(open_tables(game, seat, setup, style))
        tables, name, episode = opened[key]
        episode._match.states[:] = states
        episode._history = History(game, seat, style.language)
        episode.decisions[-1] = Decision(turn_prompt(episode.view, episode.style) + leak.format(states), (), ())
        mask = episode.view.mask
        illegal = "" if mask.all() else game.words.action_name(int(mask.argmin()), style.language)
        answers = [split(tables.look(name))[0], act(tables, name, illegal), act(tables, name, "?"), tables.rules(name)]
        return "\n".join([*answers, str(tables.result(name))])

    return shown


@pytest.mark.parametrize("name", envs.all_games())
def test_tools_show_no_secret(name):
    game = brief(envs.load(name))
    styles = {"en": Style("en"), "es": Style("es", actions=False)}
    shown = {name: shown_by_tools(style) for name, style in styles.items()}
    tally = check_secrets(game, deals=1, every=1 if name in envs.reference_games() else 41, shown=shown)
    assert tally["differed"]


def test_a_tool_that_shows_the_state_is_caught():
    with pytest.raises(SecretLeaked, match="the tools differs"):
        check_secrets(brief(TORO), deals=1, every=41, shown={"tools": shown_by_tools(Style(), "{[tile]}")})


# The server.


async def with_client(play):
    parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await play(session)


async def call(session, tool, **arguments):
    """Return the text of a tool's answer and whether it is an error."""
    result = await session.call_tool(tool, arguments)
    assert len(result.content) == 1
    return result.content[0].text, result.is_error


async def play_games(session):
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} >= {"list_games", "open_table", "look", "act", "rules", "result"}
    assert all(tool.description for tool in tools)
    games, _ = await call(session, "list_games")
    assert all(f"\n{name}: " in f"\n{games}" for name in envs.all_games())
    texts = {}
    for game, setup in ((TORO.name, {"max_rounds": 1}), ("leduc_poker", {})):
        opened, _ = await call(session, "open_table", game=game, seat=1, seed=4, setup=setup)
        texts[name_of(opened)] = opened
    while any(map(listed, texts.values())):  # in turn
        for table, text in texts.items():
            if names := listed(text):
                asked = {"table": table, "decision": split(text)[1], "action": names[-1]}
                texts[table], failed = await call(session, "act", **asked)
                assert not failed
                assert await call(session, "act", **asked) == (texts[table], False)
    for table in texts:
        result = await session.call_tool("result", {"table": table})
        assert result.structured_content == json.loads(result.content[0].text)
        assert result.structured_content["over"]
        assert result.structured_content["refused"] == 0
    await refuse(session)


async def refuse(session):
    opened, _ = await call(session, "open_table", game="leduc_poker", seat=1, seed=4)
    table = name_of(opened)
    for tool, arguments in (
        ("look", {"table": "none"}),
        ("look", {"table": HOSTILE}),
        ("look", {"table": 5}),
        ("look", {}),
        ("act", {"table": table}),
        ("act", {"table": table, "action": "call"}),
        ("act", {"table": table, "decision": "first", "action": "call"}),
        ("act", {"table": table, "decision": 1, "action": "call"}),
        ("look", {"table": table, HOSTILE: 1}),
        ("open_table", {"game": HOSTILE}),
        ("open_table", {"game": "leduc_poker", "opponents": HOSTILE}),
        ("open_table", {"game": "leduc_poker", "opponents": ["strong", HOSTILE]}),
        ("open_table", {"game": "leduc_poker", "setup": {HOSTILE: HOSTILE}}),
        ("open_table", {"game": "leduc_poker", "setup": {"seats": HOSTILE}}),
        ("open_table", {"game": "leduc_poker", "language": HOSTILE}),
        ("open_table", {"game": "leduc_poker", "seat": "first"}),
        ("open_table", {"game": "leduc_poker", "seat": 10**30}),
    ):
        text, failed = await call(session, tool, **arguments)
        assert failed
        assert text.replace("\n", "").isprintable()
        assert "http" not in text
        assert "Error" not in text
    text = opened
    for action in (HOSTILE, HOSTILE * 10_000):
        text, failed = await call(session, "act", table=table, decision=split(text)[1], action=action)
        assert not failed
        assert text.startswith("Refused: ")
        assert text.replace("\n", "").isprintable()
    assert split((await call(session, "look", table=table))[0])[0] in opened


WRONG = {
    "unknown": ({"oponents": "random"}, "no argument 'oponents'; did you mean opponents? open_table takes game, seat"),
    "unlike any": ({"xyz": 1}, "no argument 'xyz'; open_table takes game, seat"),
    "missing": ({"game": None}, "the argument game is missing; open_table takes game"),
    "of another type": ({"seat": "first"}, "seat='first': input should be a valid integer"),
    "of no type": ({"opponents": 5}, "opponents=5: input should be a valid string or input should be a valid list"),
}


async def name_wrong_arguments(session):
    for given, why in WRONG.values():
        arguments = {name: value for name, value in ({"game": "kuhn_poker"} | given).items() if value is not None}
        text, failed = await call(session, "open_table", **arguments)
        assert failed
        assert text.startswith(why)
        assert "\n" not in text
        assert "pydantic" not in text
    text, failed = await call(session, "no_such_tool")
    assert failed
    assert "no_such_tool" in text


def test_wrong_arguments_are_refused_by_name():
    anyio.run(with_client, name_wrong_arguments)


def test_a_client_plays_whole_games_and_is_refused_with_reasons():
    anyio.run(with_client, play_games)


def start(**environment):
    """Start a server and return it once it has answered."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    server = subprocess.Popen(SERVER, **pipes, encoding="utf-8", env=os.environ | environment)
    send(server, first)
    send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "sobremesa"
    return server


def send(server, message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def test_the_server_ends_with_its_client():
    gone, deaf = start(), start()
    gone.stdin.close()
    deaf.stdout.close()
    send_call(deaf, "list_games")
    deaf.stdin.close()
    for server in (gone, deaf):
        assert server.wait(60) == 0
        assert server.stderr.read() == ""


def send_call(server, tool, **arguments):
    params = {"name": tool, "arguments": arguments}
    send(server, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


SLOW = """
import threading
from sobremesa.mcp.tables import Tables


def list_games(self) -> str:
    \"""Wait for longer than any test.\"""
    threading.Event().wait(3600)


Tables.list_games = list_games
"""


def test_the_server_ends_during_a_call_that_takes_long(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SLOW, encoding="utf-8")
    server = start(PYTHONPATH=str(tmp_path))
    send_call(server, "list_games")
    server.stdin.close()
    assert server.wait(60) == 0


NOISY = """
import ctypes, os, subprocess, sys
print("printed")
sys.stderr.write("to standard error\\n")
os.write(1, b"written\\n")
ctypes.CDLL(None).puts(b"from C")
subprocess.run(["echo", "from a child"])
assert sys.stdin.read() == "", "the messages of the client"
from sobremesa.envs.kuhn_poker import GAME
"""


def test_what_packages_print_does_not_reach_the_client(tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    about = tmp_path / "noisy-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[sobremesa.games]\nnoisy = noisy:GAME\n", encoding="utf-8")
    server = start(PYTHONPATH=str(tmp_path))
    send_call(server, "list_games")
    answer = json.loads(server.stdout.readline())
    assert "kuhn_poker: " in answer["result"]["content"][0]["text"]
    out, err = server.communicate()
    assert out == ""
    assert {"printed", "written", "from a child"} <= set(err.splitlines()), err


def test_without_the_package_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "sobremesa.mcp.server", raising=False)
    assert sobremesa("mcp") == 2
    assert "it needs the 'mcp' extra; run pip install '.[mcp]'" in one_line(capsys.readouterr().err)
