"""Tournaments: matches, rows on disk, and that no row is lost or repeated if a process dies."""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command_line import sobremesa
from foreigners import GOOD, SHORT, function, state_of, wait_until
from kuhn import GAME as KUHN
from matches import assert_same_rows
from rooms import ENCIERRO, TORO, with_defaults

from sobremesa import agents, envs
from sobremesa.agents import stored
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.results import Results, ResultsError, problems, read, write
from sobremesa.agents.arena.schedule import Piece, matches, pieces, plan
from sobremesa.agents.arena.standings import standings
from sobremesa.agents.arena.tournament import TournamentError
from sobremesa.agents.arena.workers import WorkerFailed, run_tasks
from sobremesa.envs.core.seeds import DEAL, check_secret, seeds_of

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")


def tiny(specs=("random", "simple", "strong"), **changes):
    """Return the schedule of a tournament of Toro that takes moments."""
    given = {"deals": 5, "seed": 3, "piece": 2, "external_piece": 2, **SHORT, **changes}
    return plan(TORO, specs, **given)


def begun(folder, schedule=None):
    tournament.begin(folder, schedule or tiny())
    return folder


def assert_same(matches_, others):
    """Assert that all rows are the same, the time used apart."""
    assert len(matches_) == len(others)
    for mine, theirs in zip(matches_, others, strict=True):
        assert_same_rows(mine, theirs)


# The schedule.


@pytest.mark.parametrize("limit", [2, 2.0, 0.5])
def test_a_schedule_is_read_as_it_was_written(tmp_path, limit):
    schedule = tiny(time_limit=limit)
    assert tournament.read_schedule(begun(tmp_path / "t", schedule)).key() == schedule.key()


def test_pairs_meet_once_at_two_seats_and_both_ways_at_more():
    schedule = tiny(seats=[2, 3])
    assert matches(schedule, 2) == [(0, 1), (0, 2), (1, 2)]
    assert matches(schedule, 3) == [(0, 1, 1), (0, 2, 2), (1, 0, 0), (1, 2, 2), (2, 0, 0), (2, 1, 1)]


def test_mixed_adds_tables_of_agents_that_differ():
    schedule = tiny(seats=[2, 3], mixed=True)
    assert matches(schedule, 2) == [(0, 1), (0, 2), (1, 2)]
    assert matches(schedule, 3)[6:] == [(0, 1, 2)]


def test_in_a_cooperative_game_teams_are_of_one_agent_or_of_two(monkeypatch):
    together = with_defaults(TORO)
    object.__setattr__(together, "cooperative", True)
    monkeypatch.setattr(envs, "load", lambda name: together)
    schedule = tiny(("random", "simple"))
    assert matches(schedule, 3) == [(0, 0, 0), (1, 1, 1)]
    mixed = msgspec.structs.replace(schedule, mixed=True)
    assert matches(mixed, 3) == [(0, 0, 0), (1, 1, 1), (0, 1, 1), (1, 0, 0)]
    assert matches(mixed, 2) == [(0, 0), (1, 1), (0, 1)]
    assert Piece(0, 0, (1, 1, 1), range(1)).seatings() == [(1, 1, 1)]  # its cyclic seatings are one


def test_pieces_hold_every_deal_of_every_match_once():
    schedule = tiny(seats=[2, 3], deals=5, piece=2)
    every = pieces(schedule)
    assert [piece.number for piece in every] == list(range(len(every)))
    dealt = [(piece.match, deal) for piece in every for deal in piece.deals]
    assert sorted(dealt) == [(match, deal) for match in range(9) for deal in range(5)]
    assert Piece(0, 0, (0, 1, 1), range(1)).seatings() == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]


def test_pieces_with_an_external_agent_have_their_own_size(tmp_path):
    every = pieces(tiny(("random", "simple", function(tmp_path, GOOD)), piece=5, external_piece=2))
    sizes = [(0, 5), (1, 2), (1, 2), (1, 1), (2, 2), (2, 2), (2, 1)]
    assert [(piece.match, len(piece.deals)) for piece in every] == sizes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"specs": ("random",)}, "not enough agents"),
        ({"specs": ()}, "not enough agents"),
        ({"specs": ("random", "random")}, "random#[0-9a-f]{8} is named 2 times"),
        ({"specs": ("random", "nobody")}, "no agent 'nobody'; there are"),
        ({"seats": []}, "give one or more numbers of players as seats"),
        ({"seats": [9]}, "seats=9 is not allowed"),
        ({"deals": 0}, "deals=0 is not allowed; it takes a whole number from 1"),
        ({"deals": 1.5}, "deals=1.5 is not allowed"),
        ({"piece": True}, "piece=True is not allowed"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"secret": "1234"}, "secret='1234' is not allowed; it takes 32 hex digits"),
        ({"time_limit": 0}, r"time_limit=0\.0 is not allowed; it takes seconds above 0"),
        ({"start_limit": float("nan")}, "start_limit=nan is not allowed"),
        ({"board": "round"}, "board='round' is not allowed"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        tiny(**changes)


# Results on disk.


def test_rows_come_back_as_they_were_written(tmp_path):
    bad = agents.load(function(tmp_path, "def act(view):\n    raise ValueError('«ñ»')\n"))
    for others in ([bad, agents.load("random")], [agents.load("random"), agents.load("simple", TORO)]):
        rows = play(TORO, others, 2, **SHORT)._replace(secret="")  # the schedule beside them keeps it
        write(tmp_path / "rows.npz", rows, "key")
        found = read(tmp_path / "rows.npz", "key", 4)
        for name in Results._fields:
            np.testing.assert_array_equal(getattr(found, name), getattr(rows, name))
            if isinstance(getattr(rows, name), np.ndarray):
                assert getattr(found, name).dtype == getattr(rows, name).dtype
        assert found.lost() == rows.lost()


def test_rows_written_before_tokens_were_counted_are_read(tmp_path):
    file = tmp_path / "rows.npz"
    write(file, play(TORO, [agents.load("random")] * 2, 2, **SHORT), "mine")
    with np.load(file) as archive:
        older = {name: archive[name] for name in archive.files if name != "tokens"}
    np.savez_compressed(file, **older)
    assert not read(file, "mine", 4).tokens.any()


def test_damaged_or_foreign_rows_are_refused(tmp_path):
    file = tmp_path / "rows.npz"
    write(file, play(TORO, [agents.load("random")] * 2, 2, **SHORT), "mine")
    whole = file.read_bytes()
    with pytest.raises(ResultsError, match=r"belong to another arena \(mine, not yours\)"):
        read(file, "yours", 4)
    middle = len(whole) // 2
    sound = read(file, "mine", 4)
    for place in range(0, len(whole), 3):  # a bit that falls over is found out, or is of no importance
        flipped = bytearray(whole)
        flipped[place] ^= 1
        file.write_bytes(flipped)
        with contextlib.suppress(ResultsError):
            assert_same([read(file, "mine", 4)], [sound])
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, agents=np.array([{}], object), seeds=np.array([{}], object))
    for damaged in (b"", whole[:middle], whole[:-1], b"PK\x03\x04", b"x" * 99, pickled.read_bytes()):
        file.write_bytes(damaged)
        with pytest.raises(ResultsError, match=r"rows\.npz: "):
            read(file, "mine", 4)
    np.savez(file, seeds=np.zeros(2))
    with pytest.raises(ResultsError, match="not the results of an arena"):
        read(file, "mine", 4)
    np.save(tmp_path / "array.npy", np.zeros(2))
    shutil.copy(tmp_path / "array.npy", file)
    with pytest.raises(ResultsError, match="not the results of an arena"):
        read(file, "mine", 4)


def test_oversized_rows_are_refused_before_unpacking(tmp_path):
    file = tmp_path / "rows.npz"
    rows = play(TORO, [agents.load("random")] * 2, 2, **SHORT)
    write(file, rows._replace(seconds=np.zeros((10**7, 2), np.float32)), "mine")
    assert file.stat().st_size < 10**6
    tracemalloc.start()
    with pytest.raises(ResultsError, match=r"would unpack to 80,\d\d\d,\d\d\d bytes, and 4 rows take .* at most"):
        read(file, "mine", 4)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_rows_that_cannot_be_are_found_out():
    rows = play(TORO, [agents.load("random")] * 2, 2, **SHORT)
    assert problems(rows) == []
    wrong = {
        "seating has shape": {"seating": rows.seating[0]},
        "seeds has shape": {"seeds": rows.seeds[:2]},
        "plies is of float64": {"plies": rows.plies.astype(float)},
        "seating names no agent, as in row 0": {"seating": rows.seating + 2},
        "payoffs are not of a game, as in row 0": {"payoffs": rows.payoffs * 3 + 2},
        "plies are negative": {"plies": -rows.plies},
        "seconds are negative": {"seconds": rows.payoffs * 0 - 1},
        "forfeits name no seat": {"forfeits": rows.forfeits + 3, "reasons": ("x",) * 4},
        "forfeits and reasons do not fit, as in row 1": {"reasons": ("", "timeout", "", "")},
    }
    for problem, fields in wrong.items():
        assert any(found.startswith(problem) for found in problems(rows._replace(**fields))), problem
    unequal = rows.payoffs.copy()
    unequal[3] = (1, 0)
    assert problems(rows._replace(payoffs=unequal)) == ["payoffs are not of a game, as in row 3"]


# Playing.


def test_rows_are_those_of_the_arena_with_identities_for_names(tmp_path):
    schedule = tiny()
    tournament.play(begun(tmp_path / "t", schedule))
    found = tournament.read(tmp_path / "t")
    for rows, (one, other) in zip(found, matches(schedule, 2), strict=True):
        both = [agents.load(schedule.specs[place], TORO) for place in (one, other)]
        plain = play(TORO, both, 5, seed=3, **SHORT)
        assert rows.agents == (schedule.agents[one], schedule.agents[other])
        assert_same([rows._replace(agents=plain.agents)], [plain])


def test_deals_of_external_agents_come_from_a_stored_secret(tmp_path):
    specs = ("random", function(tmp_path, GOOD))
    folder = begun(tmp_path / "t", tiny(specs, deals=2))
    tournament.play(folder, allow_commands=True)
    kept = json.loads((folder / "arena.json").read_text())["secret"]
    (rows,) = tournament.read(folder)
    assert rows.secret == check_secret(kept) != ""
    assert rows.seeds.tolist() == np.repeat(seeds_of(DEAL, 3, range(2), kept), 2).tolist()
    for file in folder.glob("rows-*.npz"):
        file.unlink()
    tournament.play(folder, allow_commands=True)  # it goes on with its own secret
    assert_same(tournament.read(folder), [rows])
    other = begun(tmp_path / "other", tiny(specs, deals=2))
    tournament.play(other, allow_commands=True)
    assert not set(tournament.read(other)[0].seeds.tolist()) & set(rows.seeds.tolist())
    again = begun(tmp_path / "again", tiny(specs, deals=2, secret=kept))
    tournament.play(again, allow_commands=True)
    assert_same(tournament.read(again), [rows])


def test_agents_of_the_library_need_no_secret():
    assert tiny().secret == ""
    assert tiny(secret="0" * 32).secret == "0" * 32


def test_progress_is_told_in_deals(tmp_path):
    told = []
    tournament.play(begun(tmp_path / "t"), 1, lambda *numbers: told.append(numbers))
    assert told[0] == (0, 15)
    assert told[-1] == (15, 15)
    assert told == sorted(told)


def test_any_order_and_any_size_of_pieces_give_the_same_rows(tmp_path):
    tournament.play(begun(tmp_path / "one"))
    tournament.play(begun(tmp_path / "other", tiny(piece=50)))
    for number in reversed(range(9)):
        tournament.play_piece(str(begun(tmp_path / "back") if number == 8 else tmp_path / "back"), number)
    whole = tournament.read(tmp_path / "one")
    assert_same(tournament.read(tmp_path / "other"), whole)
    assert_same(tournament.read(tmp_path / "back"), whole)
    files = sorted(file.name for file in (tmp_path / "back").iterdir())
    for name in files:  # no time is measured of kernels: the files are the same to the byte
        assert (tmp_path / "back" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_seats_of_different_numbers_lie_in_one_folder(tmp_path):
    tournament.play(begun(tmp_path / "t", tiny(("random", "simple"), seats=[3, 2], deals=2)))
    assert [rows.seating.shape for rows in tournament.read(tmp_path / "t")] == [(6, 3), (6, 3), (4, 2)]


def test_a_tournament_goes_on_with_what_is_missing(tmp_path):
    tournament.play(begun(tmp_path / "whole"))
    folder = begun(tmp_path / "t")
    with pytest.raises(TournamentError, match="is not finished; continue with --resume"):
        tournament.read(folder)
    calls = []

    def stop(done, total):
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament.play(folder, 1, stop)
    kept = {file.name: file.stat().st_mtime_ns for file in folder.glob("rows-*")}
    assert len(kept) == 2
    (folder / "rows-000005.npz.123.partial").write_bytes(b"half a row")  # by whoever was killed as it wrote
    calls.clear()
    tournament.play(folder, 1, lambda done, total: calls.append(done))
    assert calls[0] == 4
    assert all((folder / name).stat().st_mtime_ns == time for name, time in kept.items())
    assert_same(tournament.read(folder), tournament.read(tmp_path / "whole"))
    tournament.play(folder)  # there is nothing to do


def test_what_has_changed_since_it_began_is_named(tmp_path, monkeypatch):
    spec = function(tmp_path, GOOD)
    folder = begun(tmp_path / "t", tiny(("random", spec), deals=1))
    Path(spec.split(":")[1]).write_text(GOOD + "# better\n")
    with pytest.raises(TournamentError, match=r"the agent python:.*py:act is .*#.*; when the tournament began it was"):
        tournament.play(folder, allow_commands=True)
    other = begun(tmp_path / "other")
    monkeypatch.setitem(stored._TODAY, "rules_hash", lambda game: "changed")
    with pytest.raises(
        TournamentError, match=r"the rules have changed since it was made \(rules_hash '.*has 'changed'"
    ):
        tournament.play(other)


def test_folders_that_hold_something_else_are_refused(tmp_path):
    with pytest.raises(TournamentError, match=r"arena\.json: no tournament there, it cannot be read"):
        tournament.play(tmp_path)
    folder = begun(tmp_path / "t")
    with pytest.raises(TournamentError, match=r"exists and is not .*with --resume"):
        tournament.begin(folder, tiny())
    (tmp_path / "file").write_text("x")
    for occupied in (tmp_path, tmp_path / "file"):
        with pytest.raises(TournamentError, match=r"exists and is not an empty folder$"):
            tournament.begin(occupied, tiny())
    sound = json.loads((folder / "arena.json").read_text())
    damages = {
        "not JSON": "{", "it has format 3; this version": json.dumps(sound | {"format": 3}),
        "this JSON is no tournament": "[]", "Object missing required field `deals`": json.dumps(
            {name: value for name, value in sound.items() if name != "deals"}),
        "Object contains unknown field `moon`": json.dumps(sound | {"moon": 1}),
        r"Expected `int`, got `str` - at `\$.deals`": json.dumps(sound | {"deals": "5"}),
        r"Expected `int`, got `str` - at `\$.seats\[0\]`": json.dumps(sound | {"seats": ["2"]}),
        "changed by hand: piece=0 is not allowed": json.dumps(sound | {"piece": 0}),
        "deals=1000000000000 is not allowed": json.dumps(sound | {"deals": 10**12}),
        "has no option 'moon'": json.dumps(sound | {"setup": {"moon": 1}}),
        "not in setup": json.dumps(sound | {"setup": {"seats": 3}}),
        "named 2 times": json.dumps(sound | {key: sound[key][:1] * 2 for key in ("specs", "agents")}),
        "not enough agents": json.dumps(sound | {"specs": sound["specs"][:2]}),
        "no game 'chess'": json.dumps(sound | {"game": "chess"}),
    }  # fmt: skip
    for message, text in damages.items():
        (folder / "arena.json").write_text(text)
        with pytest.raises(ValueError, match=message):
            tournament.play(folder)


def test_rows_of_another_tournament_or_damaged_ones_stop_it(tmp_path):
    folder, other = begun(tmp_path / "t"), begun(tmp_path / "other", tiny(seed=4))
    tournament.play(folder)
    tournament.play(other)
    file = folder / "rows-000001.npz"
    whole = file.read_bytes()
    shutil.copy(other / file.name, file)
    with pytest.raises(ResultsError, match=r"rows-000001.npz: these rows belong to another arena .* deals again"):
        tournament.play(folder)
    shutil.copy(folder / "rows-000000.npz", file)  # another piece of the same one
    with pytest.raises(ResultsError, match="belong to another"):
        tournament.read(folder)
    file.write_bytes(whole[:-30])
    with pytest.raises(ResultsError, match="or damaged"):
        tournament.play(folder)
    file.unlink()
    tournament.play(folder)
    assert file.read_bytes() == whole


# Processes that die.

SLOW = """
import os, time
HERE = os.path.dirname(os.path.abspath(__file__))
open(os.path.join(HERE, f"pid-{os.getpid()}"), "w").close()
def act(view):
    if os.path.exists(os.path.join(HERE, "slow")):
        time.sleep(0.03)
    return view.legal[0]
"""


@pytest.fixture
def slow(tmp_path):
    """The schedule of a tournament with an agent that is slow while there is a file `slow` beside it."""
    place = tmp_path / "agent"
    place.mkdir()
    (place / "slow").touch()
    return tiny(("random", function(place, SLOW)), deals=12, external_piece=1), place


def kinds_of(place):
    return [int(file.name.partition("-")[2]) for file in place.glob("pid-*")]


@LINUX
@pytest.mark.parametrize("processes", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_a_killed_tournament_leaves_no_process_and_resumes(slow, tmp_path, processes):
    schedule, place = slow
    folder = begun(tmp_path / "t", schedule)
    code = "import sys; from pathlib import Path; from sobremesa.agents.arena import tournament\n" + (
        "if __name__ == '__main__': tournament.play(Path(sys.argv[1]), int(sys.argv[2]), allow_commands=True)"
    )
    (tmp_path / "arena.py").write_text(code)
    arena = subprocess.Popen([sys.executable, tmp_path / "arena.py", folder, str(processes)])
    assert wait_until(lambda: len(list(folder.glob("rows-*.npz"))) >= 2)
    arena.kill()
    arena.wait()
    assert 2 <= len(list(folder.glob("rows-*.npz"))) < 12
    assert wait_until(lambda: all(state_of(pid) in (None, "Z") for pid in kinds_of(place)))
    there = {file.name: file.read_bytes() for file in folder.glob("rows-*.npz")}
    (place / "slow").unlink()
    tournament.play(folder, allow_commands=True)
    assert all((folder / name).read_bytes() == rows for name, rows in there.items())
    whole = begun(tmp_path / "whole", schedule)
    tournament.play(whole, allow_commands=True)
    assert_same(tournament.read(folder), tournament.read(whole))
    assert [len(rows.seeds) for rows in tournament.read(folder)] == [24]


@LINUX
def test_an_agent_that_kills_its_worker_costs_no_row(tmp_path):
    flag = tmp_path / "done"
    code = f"""
import os
def act(view):
    if not os.path.exists({str(flag)!r}):
        open({str(flag)!r}, "w").close()
        stat = open(f"/proc/{{os.getppid()}}/stat").read()  # its keeper, whose parent is the worker
        os.kill(int(stat.rpartition(")")[2].split()[1]), 9)
    return view.legal[0]
"""
    schedule = tiny(("random", function(tmp_path, code)))
    tournament.play(begun(tmp_path / "two", schedule), 2, allow_commands=True)
    assert flag.exists()
    tournament.play(begun(tmp_path / "one", schedule), allow_commands=True)
    assert_same(tournament.read(tmp_path / "two"), tournament.read(tmp_path / "one"))


def mark(folder, task):
    """Do `task` of a test: say who does it, and if it is told to, die or fail."""
    file = Path(folder) / f"{task}-{os.getpid()}"
    file.touch()
    attempts = len(list(Path(folder).glob(f"{task}-*")))
    orders = Path(folder, "orders").read_text()
    if f"die {task} " in orders and (attempts == 1 or "always" in orders):
        os.kill(os.getpid(), signal.SIGKILL)
    if f"fail {task} " in orders:
        raise KeyError("of this task")


def test_a_task_whose_worker_is_killed_is_done_by_another(tmp_path):
    (tmp_path / "orders").write_text("die 1 ")
    done = []
    run_tasks(mark, str(tmp_path), range(4), 2, done.append)
    assert sorted(done) == [0, 1, 2, 3]
    assert len(list(tmp_path.glob("1-*"))) == 2


def test_a_failing_task_is_named_and_no_worker_is_left(tmp_path):
    (tmp_path / "orders").write_text("die 1 always ")
    with pytest.raises(WorkerFailed, match="3 worker processes died at task 1, the last of them with exit code -9"):
        run_tasks(mark, str(tmp_path), range(2), 2, print)
    (tmp_path / "orders").write_text("fail 0 ")
    with pytest.raises(WorkerFailed, match=r"task 0 failed in its worker process\n(?s:.*)KeyError: 'of this task'"):
        run_tasks(mark, str(tmp_path), range(1), 1, print)
    pids = {int(file.name.partition("-")[2]) for file in tmp_path.glob("[0-9]-*")}
    assert wait_until(lambda: all(state_of(pid) in (None, "Z") for pid in pids))


def test_workers_play_what_one_process_plays(tmp_path):
    several = function(tmp_path, "def act(view):\n    return view.legal[0] if view.deal % 2 else -1\n")
    schedule = tiny(("random", "strong", several))
    tournament.play(begun(tmp_path / "one", schedule), 1, allow_commands=True)
    tournament.play(begun(tmp_path / "two", schedule), 2, allow_commands=True)
    assert_same(tournament.read(tmp_path / "two"), tournament.read(tmp_path / "one"))
    assert sum(len(rows.lost()) for rows in tournament.read(tmp_path / "one")) > 0


def test_bots_in_workers_are_identified_by_graph_and_choice(tiny_bot, tmp_path):
    greedy = shutil.copytree(tiny_bot, tmp_path / "bot")
    manifest = json.loads((greedy / "bot.json").read_text())
    (greedy / "bot.json").write_text(json.dumps(manifest | {"choice": "greedy"}))
    schedule = tiny(("random", str(tiny_bot), str(greedy)))
    assert [name.partition("#")[0] for name in schedule.agents[1:]] == ["bot", "bot"]
    tournament.play(begun(tmp_path / "two", schedule), 2)
    tournament.play(begun(tmp_path / "one", schedule), 1)
    rows = tournament.read(tmp_path / "two")
    assert_same(rows, tournament.read(tmp_path / "one"))
    used = rows[2].seconds
    assert (used > 0).any()
    assert not np.isnan(used).any()
    shutil.copy(tiny_bot / "bot.json", greedy)
    with pytest.raises(TournamentError, match=r"the agent .*bot is bot#.*; when the tournament began it was bot#"):
        tournament.play(tmp_path / "two")


# The command.

QUICK = ("--setup", "max_rounds=1", "board=small", "--deals", "1")


def test_the_command_plays_rates_and_lists_forfeits(tmp_path, capsys):
    bad = function(tmp_path, "def act(view):\n    raise ValueError('boom')\n")
    words = ("arena", TORO.name, "random", "simple", bad, *QUICK, "--out", tmp_path / "t", "--json", tmp_path / "j")
    assert sobremesa(*words, "--seats", 2, 3, "--processes", 1) == 0
    out = capsys.readouterr().out
    assert f"Playing in {tmp_path / 't'}" in out
    assert "2 seats: mean win rate of the row's agent" in out
    assert "3 seats: mean win rate of the row's agent" in out
    assert "error: ValueError: boom" in out
    assert re.search(r"Ratings, random#\w+ = 0, fitted to all deals:", out)
    assert "So the two may disagree." in out
    assert re.search(r"\n +\+0  fixed +[\d,]+ deals  random#", out)  # not an interval without a width
    assert "exceeded a time limit" not in out
    results = json.loads((tmp_path / "j").read_text())
    assert results["rows"] == 3 * 2 + 6 * 3
    share = dict(zip(*(results["tables"]["2"][key] for key in ("agents", "share")), strict=True))
    assert next(row for name, row in share.items() if "agent_0" in name) == [None, 0, 0]
    assert [one["rating"] for one in results["ratings"] if one["agent"].startswith("random#")] == [0]
    assert {one["kind"] for one in results["forfeits"]} == {"error"}
    assert sobremesa("arena", "--resume", tmp_path / "t") == 0
    assert capsys.readouterr().out.splitlines()[1:] == out.splitlines()[1:]


def test_ctrl_c_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "_play_piece", stop)
    assert sobremesa("arena", TORO.name, "random", "simple", *QUICK, "--out", tmp_path / "t") == 130
    assert f"to resume: sobremesa arena --resume {tmp_path / 't'}" in capsys.readouterr().out
    monkeypatch.undo()
    assert sobremesa("arena", "--resume", tmp_path / "t") == 0


@LINUX
def test_ctrl_c_leaves_no_process(slow, tmp_path):
    schedule, place = slow
    folder = begun(tmp_path / "t", schedule)
    command = [sys.executable, "-m", "sobremesa", "arena", "--resume", folder, "--processes", "2", "--allow-commands"]
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # ignored where tests run in the background
    arena = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed)
    assert wait_until(lambda: list(folder.glob("rows-*.npz")))
    os.killpg(arena.pid, signal.SIGINT)  # as a terminal does
    out, _ = arena.communicate(timeout=300)
    assert arena.returncode == 130
    assert f"to resume: sobremesa arena --resume {folder}" in out
    assert wait_until(lambda: all(state_of(pid) in (None, "Z") for pid in kinds_of(place)))


def test_rows_lost_to_time_are_told(tmp_path, capsys):
    silent = function(tmp_path, "import time\ndef act(view):\n    time.sleep(99)\n")
    words = ("arena", TORO.name, "random", silent, "--setup", "max_rounds=1", "--deals", 1, "--time-limit", 0.3)
    assert sobremesa(*words, "--out", tmp_path / "t", "--processes", 1) == 0
    out = capsys.readouterr().out
    assert "timeout: no answer within 0.3 s" in out
    assert "2 of them exceeded a time limit, so the results depend on the machine" in out


def test_roles_and_teams_have_tables_of_their_own(monkeypatch):
    from sobremesa.commands import arena

    schedule = tiny(("random", "simple"), deals=3)
    rows = [play(TORO, [agents.load(spec, TORO) for spec in schedule.specs], 3, **SHORT)]
    rows = [rows[0]._replace(agents=schedule.agents)]
    asymmetric = with_defaults(KUHN)
    object.__setattr__(asymmetric, "roles", {"en": ("hunter", "prey"), "es": ("cazador", "presa")})
    found = standings(asymmetric, schedule, rows)
    results = arena.results_of(asymmetric, found)
    by_seat = results["tables"]["2"]["by_seat"]
    head = next(line for line in arena.lines_of(asymmetric, found, results) if "as hunter" in line)
    assert "as prey" in head
    shares = (rows[0].payoffs + 1) / 2
    for place in range(2):
        expected = [shares[rows[0].seating[:, seat] == place, seat].mean() for seat in range(2)]
        assert by_seat[place] == pytest.approx(expected)
    together = with_defaults(ENCIERRO)
    object.__setattr__(together, "cooperative", True)
    teams = [one._replace(payoffs=np.ones_like(one.payoffs)) for one in rows]
    found = standings(together, schedule, teams)
    results = arena.results_of(together, found)
    assert [one["rate"] for one in results["teams"]] == [1.0]
    assert any("success of teams" in line for line in arena.lines_of(together, found, results))
