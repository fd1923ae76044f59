"""External agents: they play like other agents, get the information of one seat, and can lose only their own deals."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from foreigners import COMMAND, GOOD, SHORT, children, command, function, state_of, wait_until
from lowest import LOWEST
from rooms import ENCIERRO, TORO, with_defaults

from sobremesa import agents
from sobremesa.agents import KernelAgent
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.play import agent_keys, play
from sobremesa.agents.arena.score import win_rate
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.external.agent import FAULTS, Fault, is_timeout
from sobremesa.envs.core.agent import agent_seed, make_view, new_stream
from sobremesa.envs.core.blocks import powers
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.seats import forfeit, share_win
from sobremesa.envs.core.seeds import DEAL, seed_of, seeds_of

PROTOCOL = Path(agents.__file__).parent / "external" / "PROTOCOL.md"
LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")


def load(spec, time_limit=20.0, start_limit=30.0):
    agent = agents.load(spec)
    agent.time_limit, agent.start_limit = time_limit, start_limit
    return agent


def assert_same_deals(rows, others):
    for name in ("seeds", "seating", "payoffs", "plies", "forfeits", "reasons"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(others, name))


@pytest.fixture(autouse=True)
def _no_process_is_left():
    before = children() if Path("/proc").exists() else set()
    yield
    if Path("/proc").exists():
        assert not {pid for pid in children() - before if state_of(pid)}


def examples():
    """Return the Python blocks of PROTOCOL.md: a function, and a command."""
    return re.findall(r"^```python\n(.*?)^```$", PROTOCOL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_protocol_examples_play_as_an_agent_in_process(tmp_path):
    as_function, as_command = examples()
    (tmp_path / "first.py").write_text(as_command, encoding="utf-8")
    assert {line.split()[1] for line in as_command.splitlines() if line.startswith("import")} == {"json", "sys"}
    for spec in (function(tmp_path, as_function), f"command:{sys.executable} {tmp_path / 'first.py'}"):
        rows = play(TORO, [load(spec), RANDOM], 3, seed=4, **SHORT)
        assert not rows.lost()
        assert_same_deals(play(TORO, [LOWEST, RANDOM], 3, seed=4, secret=rows.secret, **SHORT), rows)


def test_seats_of_one_agent_play_as_copies_in_this_process_do(tmp_path):
    agent = load(function(tmp_path, GOOD))
    rows = play(ENCIERRO, [RANDOM, agent], 1, seed=2, seated=[0, 1, 1])
    assert_same_deals(rows, play(ENCIERRO, [RANDOM, LOWEST], 1, seed=2, secret=rows.secret, seated=[0, 1, 1]))


def test_time_is_measured_for_agents_that_are_asked_from_here(tmp_path):
    code = "import time\ndef act(view):\n    time.sleep(0.02)\n    return view.legal[0]\n"
    rows = play(TORO, [load(function(tmp_path, code)), RANDOM], 1, **SHORT)
    mine = rows.seating == 0
    assert np.isnan(rows.seconds[~mine]).all()
    assert (rows.seconds[mine] > 0.02).all()
    assert np.isnan(play(TORO, [LOWEST, RANDOM], 1, **SHORT).seconds).all()


# What it does wrong.

ENDLESS = "while True: os.write(1, b'x' * 4096)"
FAULTY = {
    "raises": (True, "def act(view):\n    raise ValueError('boom')", "error: ValueError: boom"),
    "hangs": (True, "import time\ndef act(view):\n    time.sleep(600)", "timeout: no answer within 0.5 s"),
    "plays an illegal action": (True, "def act(view):\n    return int((view.mask == 0).argmax())",
                                r"illegal: action \d+ \(.+\) at seat \d"),
    "names no action": (True, "def act(view):\n    return 10 ** 9", "illegal: .* names no action at seat"),
    "returns nonsense": (True, "def act(view):\n    return view", "illegal: .*namespace.* names no action"),
    "says yes": (True, "def act(view):\n    return True", "illegal: .*True.* names no action"),
    "exits": (True, "import os, sys\ndef act(view):\n    print('bye', file=sys.stderr, flush=True)\n    os._exit(3)",
              "crash: exit status 3; standard error: bye"),
    "is killed": (True, "import os\ndef act(view):\n    os.kill(os.getpid(), 9)", "crash: killed by signal 9"),
    "fails to load": (True, "raise RuntimeError('no model')\ndef act(view): pass",
                      "crash: exit status 1; standard error: RuntimeError: no model .agent_0.py, line 1. .as it was"),
    "has no such function": (True, "other = 1", "crash: .* has no function 'act'"),
    "never starts": (True, "import time\ntime.sleep(600)\ndef act(view): pass",
                     "(timeout: no answer within 0.5 s .as it was started|gave up: .*timeout)"),
    "prints garbage": (False, "say(protocol=2); read(); print('hello', flush=True); time.sleep(600)",
                       r"protocol error: 'hello' is no JSON object"),
    "says a list": (False, "say(protocol=2); read(); print('[1]', flush=True); time.sleep(600)",
                    "protocol error: .*no JSON"),
    "speaks unasked": (False, "say(protocol=2); print('x', flush=True)\nfor line in sys.stdin: say(action=0)",
                       "protocol error: 'x' is no JSON"),
    "never ends its line": (False, f"say(protocol=2); read()\n{ENDLESS}",
                            "protocol error: a line of more than 65,536 bytes"),
    "prints endlessly from the start": (False, ENDLESS, "protocol error: .* of more than 65,536 bytes"),
    "shouts": (False, "say(protocol=2)\nwhile True: print('xx', file=sys.stderr)", "timeout: .*; standard error: xx"),
    "speaks another protocol": (False, "say(protocol=1); time.sleep(600)", "protocol error: .*'protocol': 1.* is not"),
    "says more than hello": (False, "say(protocol=2, protocl=2); time.sleep(600)", "protocol error: .* is not"),
    "names no decision": (False, "say(protocol=2); read(); say(action=0)\ntime.sleep(600)",
                          r'protocol error: .*names no decision. Answer {"decision": \d+, "action": n}'),
    "names another decision": (False, "say(protocol=2); read(); say(decision=1, action=0)\ntime.sleep(600)",
                               "protocol error: .*not played: 1 is not the present decision"),
    "misspells its action": (False, "say(protocol=2); asked = read(); say(decision=asked['decision'], acton=0)\n"
                             "time.sleep(600)", "protocol error: .*no argument 'acton'; did you mean action?"),
    "closes its output": (False, "say(protocol=2); read(); os.close(1); time.sleep(600)", "crash: it closed"),
    "names a long action": (False, "say(protocol=2); read(); print('{\"action\": ' + '9' * 5000 + '}', flush=True)\n"
                            "time.sleep(600)", "protocol error: "),
    "nests deeply": (False, "say(protocol=2); read(); print('[' * 60000, flush=True); time.sleep(600)",
                     "protocol error: "),
    "answers in odd signs": (False, "say(protocol=2); n = read()['decision']\n"
                             "say(decision=n, error='\\ud800\\x1b[31m\\nred'); time.sleep(600)",
                             r"error: \[31m red$"),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTY)
def test_what_it_does_wrong_forfeits_its_deals_and_no_others(what, tmp_path):
    is_function, code, reason = FAULTY[what]
    # What hangs must be quick here; what else is slow to start on a busy machine must not be.
    limits = {"start_limit": 0.5} if what == "never starts" else {"time_limit": 0.5} if "timeout" in reason else {}
    agent = load(function(tmp_path, code) if is_function else command(tmp_path, code), **limits)
    rows = play(TORO, [agent, RANDOM], 1, seed=3, **SHORT)
    assert (win_rate(rows).forfeits, win_rate(rows, 1).forfeits, win_rate(rows).value) == (2, 0, 0)
    assert [name for name, _ in rows.lost()] == [agent.name] * 2
    for _, why in rows.lost():
        assert re.match(reason, why), why
        assert why.isprintable()
        assert is_timeout(why) == (" no answer within" in why)
    assert rows.payoffs.tolist() == [[-1, 1], [1, -1]]
    assert rows.forfeits.tolist() == [0, 1]
    assert not np.isnan(rows.seconds[rows.seating == 0]).any()


def test_a_fault_costs_one_deal_and_a_new_process_plays_the_next(tmp_path):
    code = (
        f"from pathlib import Path\nfolder = Path({str(tmp_path)!r})\n"
        + """
number = len(list(folder.glob('started*')))
(folder / f'started{number}').touch()
def act(view):
    assert number != 1
    return view.legal[0]
"""
    )
    rows = play(TORO, [load(function(tmp_path, code)), RANDOM], 3, **SHORT)
    # Process 0 plays all deals of the first seating, 1 fails in the first deal of the second, 2 plays on.
    assert [why.partition(":")[0] for why in rows.reasons] == ["", "error", "", "", "", ""]
    assert len(list(tmp_path.glob("started*"))) == 3


def test_after_many_faults_in_a_row_it_is_not_started_again(tmp_path):
    code = f"open({str(tmp_path / 'started')!r}, 'a').write('x')\ndef act(view):\n    return -1\n"
    rows = play(TORO, [load(function(tmp_path, code)), RANDOM], FAULTS + 2, **SHORT)
    kinds = [why.partition(":")[0] for why in rows.reasons]
    assert kinds == ["illegal"] * 2 * FAULTS + ["gave up"] * 4
    assert (tmp_path / "started").read_text() == "x" * 2 * FAULTS
    assert not any(map(is_timeout, rows.reasons))


def test_forfeits_by_time_are_recognised():
    gave_up = "gave up: too many faults in a row, the last of them: "
    assert all(is_timeout(prefix + "timeout: no answer within 5 s") for prefix in ("", gave_up))
    others = ["crash: exit status 1; standard error: timeout: none", "death: exit status 3", "error: silence: none"]
    assert not any(is_timeout(prefix + reason) for reason in others for prefix in ("", gave_up))


def test_a_forfeit_pays_as_a_win_that_all_others_share(tmp_path):
    for seats in ENCIERRO.seat_range:
        states = ENCIERRO.new_tables(1, {"seats": seats})
        states["over"] = 1
        states["winner"][0, :seats] = [0] + [1] * (seats - 1)
        paid = np.zeros(ENCIERRO.max_seats, np.float32)
        share_win(states[0], paid)
        assert forfeit(ENCIERRO, seats, 0).tolist() == paid[:seats].tolist()
    together = with_defaults(ENCIERRO)
    object.__setattr__(together, "cooperative", True)
    assert forfeit(together, 3, 1).tolist() == [0, 0, 0]
    bad = load(function(tmp_path, "def act(view):\n    return -1\n"))
    rows = play(ENCIERRO, [bad, RANDOM], 1, seated=[0, 1, 1])
    for row, seat in enumerate(rows.forfeits):
        assert rows.payoffs[row, seat] == -1 / 2
        assert rows.payoffs[row].sum() == pytest.approx(0, abs=1e-6)


@LINUX
def test_what_it_has_started_ends_with_it(tmp_path):
    code = (
        f"import subprocess\nfile = {str(tmp_path / 'pids')!r}\n"
        + """
def act(view):
    import os
    inner = subprocess.Popen(['sleep', '600'])
    with open(file, 'a') as out:
        print(os.getpid(), inner.pid, file=out)
    return -1
"""
    )
    play(TORO, [load(function(tmp_path, code)), RANDOM], 1, **SHORT)
    started = (tmp_path / "pids").read_text().split()
    assert len(started) == 4
    assert wait_until(lambda: all(state_of(pid) in (None, "Z") for pid in started))


def test_an_error_in_process_ends_external_agents(tmp_path):
    class Broken:
        name = "broken"

        def act(self, view):
            return -1

    with pytest.raises(ValueError, match="is illegal"):
        play(TORO, [load(function(tmp_path, GOOD)), Broken()], 1, **SHORT)


# What it is told.

TELLS = """
import json, os, sys
out = open(os.path.join(FOLDER, f"told-{os.getpid()}"), "a")
for line in sys.stdin:
    out.write(line)
    out.flush()
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"protocol": 2}), flush=True)
    elif message["type"] == "act":
        print(json.dumps({"decision": message["decision"], "action": message["legal"][-1]}), flush=True)
"""


def told(folder):
    """Return the messages of each process."""
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in sorted(folder.glob("told-*"))]


def test_it_is_told_what_its_seat_sees_and_nothing_else(tmp_path):
    file = tmp_path / "teller.py"
    file.write_text(TELLS.replace("FOLDER", repr(str(tmp_path))))
    agent = load(f"command:{sys.executable} {file}")
    seen = []

    class Watching:
        """As `agent`, noting what an agent in this process is given."""

        name = "watching"

        def act(self, view):
            seen.append((view.seat, view.observation.tolist(), view.mask.nonzero()[0].tolist()))
            return int(view.mask.nonzero()[0][-1])

    rows = play(TORO, [agent, RANDOM], 2, seed=9, **SHORT)
    play(TORO, [Watching(), RANDOM], 2, seed=9, secret=rows.secret, **SHORT)
    talks = told(tmp_path)
    assert len(talks) == 2  # one process for each seating
    acts = [message for talk in talks for message in talk if message["type"] == "act"]
    key = repr
    mine = [(message["seat"], message["observation"], message["legal"]) for message in acts]
    assert sorted(mine, key=key) == sorted(seen, key=key)
    for talk in talks:
        hello = talk[0]
        assert [hello[name] for name in ("type", "protocol", "game", "seat")] == ["hello", 2, TORO.id, talk[1]["seat"]]
        assert hello["actions"] == [TORO.words.action_name(action, "en") for action in range(TORO.num_actions)]
        assert [block["name"] for block in hello["layout"]] == [block.name for block in TORO.layout]
        deals = list(dict.fromkeys(message["deal"] for message in talk[1:]))
        assert deals == list(range(1, len(deals) + 1))
        ends = {message["deal"]: message for message in talk if message["type"] == "end"}
        assert list(ends) == deals
        for message in ends.values():
            assert message["payoff"] in rows.payoffs
            assert message["seat"] == hello["seat"]
    for message in acts:
        fields = {"type", "decision", "deal", "seat", "setup", "seed", "observation", "legal", "names", "text"}
        assert message.keys() == fields
        assert message["setup"]["board"] == "small"
        assert message["names"] == [TORO.words.action_name(action, "en") for action in message["legal"]]
        assert message["seed"] in {
            agent_seed(key, message["seat"]) % 2**53 for key in agent_keys(9, range(2), rows.secret, 1)
        }
    everything = "".join(file.read_text() for file in tmp_path.glob("told-*"))
    for seed in set(rows.seeds.tolist()):
        assert str(seed) not in everything
    assert rows.secret not in everything


def test_small_seeds_do_not_reveal_the_deals(tmp_path):
    """The attack: the agent works out the seed that it would be told in each deal of each arena with a small seed."""
    file = tmp_path / "teller.py"
    file.write_text(TELLS.replace("FOLDER", repr(str(tmp_path))))
    table = {}
    for deal in (seed_of(DEAL, seed, number) for seed in range(20) for number in range(20)):
        table |= {agent_seed(deal, seat) % 2**53: deal for seat in range(2)}

    def found(**secret):
        rows = play(TORO, [load(f"command:{sys.executable} {file}"), RANDOM], 2, seed=7, **SHORT, **secret)
        acts = [message for talk in told(tmp_path) for message in talk if message["type"] == "act"]
        for one in tmp_path.glob("told-*"):
            one.unlink()
        assert len({message["seed"] for message in acts}) == 4
        return rows, [table.get(message["seed"]) for message in acts]

    rows, guesses = found(secret="")  # without a secret the agent has them all
    assert set(guesses) == set(rows.seeds.tolist())
    rows, guesses = found()
    assert set(guesses) == {None}
    assert not set(rows.seeds.tolist()) & set(table.values())
    # Who is told the secret can verify the deals, and that the agents' seeds were drawn apart.
    assert rows.seeds.tolist() == np.repeat(seeds_of(DEAL, 7, range(2), rows.secret), 2).tolist()
    assert found(secret=rows.secret)[0].seeds.tolist() == rows.seeds.tolist()
    assert found()[0].secret != rows.secret


def test_a_function_is_given_arrays(tmp_path):
    code = """
def act(view):
    assert view.observation.dtype == "float32" and view.mask.dtype == "int8", "types"
    assert view.mask.nonzero()[0].tolist() == view.legal, "mask"
    assert sum(block.size for block in view.blocks.values()) == len(view.observation), "blocks"
    assert len(view.actions) == len(view.mask), "actions"
    assert [view.actions[action] for action in view.legal] == view.names, "names"
    print("this is no answer", input is None)
    return view.mask.argmax()  # one of NumPy's numbers
"""
    rows = play(TORO, [load(function(tmp_path, code)), RANDOM], 1, seed=4, **SHORT)
    assert_same_deals(rows, play(TORO, [LOWEST, RANDOM], 1, seed=4, secret=rows.secret, **SHORT))


def test_no_process_is_given_a_deal_twice(tmp_path):
    code = (
        f"import os\nfile = {str(tmp_path / 'deals')!r}\n"
        + """
def act(view):
    with open(file, 'a') as out:
        print(os.getpid(), view.deal, view.seat, view.seed, file=out)
    return view.legal[0]
"""
    )
    play(ENCIERRO, [load(function(tmp_path, code)), RANDOM], 2, seated=[0, 0, 1])
    lines = {tuple(line.split()) for line in (tmp_path / "deals").read_text().splitlines()}
    for pid in {line[0] for line in lines}:
        mine = [line for line in lines if line[0] == pid]
        assert len({line[2] for line in mine}) == 1  # one seat
        assert len({line[3] for line in mine}) == len({line[1] for line in mine}) == len(mine) <= 2


# Elsewhere.


def test_it_plays_outside_the_arena_and_faults_raise(tmp_path):
    good, bad = (load(function(tmp_path, code)) for code in (GOOD, "def act(view):\n    raise KeyError(1)\n"))
    plies = [ply.action for ply in deal_between(TORO, [good, RANDOM], 5, **SHORT)]
    assert plies == [ply.action for ply in deal_between(TORO, [LOWEST, RANDOM], 5, **SHORT)]
    with pytest.raises(Fault, match=r"agent_\d.py:act, seat 0: error: KeyError: 1"):
        list(deal_between(TORO, [bad, RANDOM], 5, **SHORT))
    env = agents.make_seat_env(TORO.name, good, seats=2, **SHORT)
    _, info = env.reset(seed=0)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    env.unwrapped.close()
    good.stop()
    bad.stop()


def test_its_processes_end_with_it(tmp_path):
    agent = load(function(tmp_path, GOOD))
    before = children() if Path("/proc").exists() else set()
    first = next(deal_between(TORO, [LOWEST, LOWEST], 5, **SHORT))
    agent.act(make_view(TORO, first.states, first.seat, new_stream(1)))
    assert not Path("/proc").exists() or children() - before
    del agent  # the fixture sees to it that none is left


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:nowhere.py:act", "there is no file nowhere.py"),
        ("python:no.such.module:act", "there is no module no.such.module"),
        ("python:act", "it takes python:FILE.py:FUNCTION"),
        ("python:x.py:", "it takes python:FILE.py:FUNCTION"),
        ("python:x.py:a b", "it takes python:FILE.py:FUNCTION"),
        ("command:", "there is no program ''"),
        ("command:no-such-program --fast", "there is no program 'no-such-program'"),
        ("command:'open", "No closing quotation"),
    ],
)
def test_what_names_nobody_is_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.load(spec, TORO)


def test_a_module_is_found_and_not_run_here(tmp_path, monkeypatch):
    package = tmp_path / "somebody"
    package.mkdir()
    (package / "__init__.py").write_text("import os\nHERE = os.getpid()\n")
    (package / "player.py").write_text("from somebody import HERE\n" + GOOD)
    monkeypatch.chdir(tmp_path)
    agent = load("python:somebody.player:act")
    assert "somebody" not in sys.modules
    assert not play(TORO, [agent, RANDOM], 1, **SHORT).lost()
    assert "somebody" not in sys.modules


# Who it is.


def test_two_builds_of_one_name_are_two_agents(tmp_path):
    spec = function(tmp_path, GOOD)
    first = identity(agents.load(spec))
    assert re.fullmatch(r".*agent_0.py:act#[0-9a-f]{8}", first)
    assert identity(agents.load(spec)) == first
    Path(spec.split(":")[1]).write_text(GOOD + "# another build\n")
    assert identity(agents.load(spec)) != first
    told_to = command(tmp_path, "pass")
    second = identity(agents.load(told_to))
    Path(told_to.split()[-1]).write_text(COMMAND)
    assert identity(agents.load(told_to)) != second
    assert identity(agents.load(told_to + " --fast")).partition("#")[2] != second.partition("#")[2]


def test_kernels_are_known_by_what_they_are():
    names = [identity(agents.load(name, TORO)) for name in agents.names(TORO)]
    assert len({name.partition("#")[2] for name in names}) == len(names)
    assert identity(RANDOM) == identity(KernelAgent("random", RANDOM.kernel)) == names[0]
    assert identity(KernelAgent("random", LOWEST.kernel)) != names[0]
    with pytest.raises(ValueError, match="has no identity"):
        identity(type("Nobody", (), {"name": "nobody"})())


def test_powers_are_rounded_to_the_nearest_number():
    """NumPy's powers differ in the last bit between processors: the tenth of 0.35 is nearly halfway."""
    assert powers(0.35, 11)[10] == 2.7585473535156234e-05
    assert powers(0.03, 2).tolist() == [1, 0.03]
