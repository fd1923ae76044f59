"""Give every loader of names every spelling of every kind, and report the events of a name alone.

`python strange_names.py FOLDER [split]` runs in a process of its own, because an audit hook cannot be removed. It
prints JSON: the number of names and calls, the refusals, and the events that the hook does not allow. With `split` the
only loader is one that splits a name by itself, which the hook must report.
"""

import contextlib
import dataclasses
import importlib
import itertools
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import msgspec
import torch  # noqa: F401  # before the hook, as all that follows

from sobremesa import agents, envs
from sobremesa.agents.advice import Advisor
from sobremesa.agents.arena import leaderboard_file, replay, tournament
from sobremesa.agents.arena.parcels import bot_folders
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.exported import load_bot, scripted_afterstates
from sobremesa.agents.levels import agent_of
from sobremesa.agents.named import check_allowed, named, programs
from sobremesa.envs.core.compile.cache import cache_folder
from sobremesa.mcp.tables import Tables
from sobremesa.serve.lobby import opening_of
from sobremesa.serve.opponents import Bench, Opponents
from sobremesa.serve.seated import BOT, PERSON, Seated
from sobremesa.serve.store import Store
from sobremesa.serve.table import Opening, Table, open_table
from sobremesa.training import trainer
from sobremesa.training.benchmark import candidates, cells, library, published, sweep, tasks
from sobremesa.training.config.classes import from_dict
from sobremesa.training.runs.evaluation import load_agent

GAME = envs.load("ese_toro_enamorado")
CODE = "open('ran', 'w').close()\n\ndef learn(task, budget, seed):\n    yield 0, None\n\nx = learn\n"
PLACES = ("evil.py", "./evil.py", "evil_package.inner", "solved", "strong")
FUNCTIONS = ("", ":learn", ":x.toml", ":x")
PREFIXES = ("", "python:", "command:", "solved:", "llm:a@http://b/", "solved:python:")
AROUND = ("search({})", "ismcts(strong, rollout={})")
LIES = ("nothing", "file", "folder", "bot")  # at the name itself
HARMLESS = ("strong", "simple", "random", "search(strong)")
_CALLS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "socket.connect",
          "socket.bind", "socket.getaddrinfo", "socket.sendto", "ctypes.dlopen", "os.remove", "os.rename")  # fmt: skip


class Hook:
    """An audit hook; `found` has the events that are not allowed, while a loader is `at` work."""

    def __init__(self, folder):
        self.folder, self.at, self.found = str(folder), "", []
        self.writable = (str(folder / "work"), "/dev/null", str(cache_folder()))
        sys.addaudithook(self)

    def __call__(self, event, values):
        if self.at and (why := self.wrong(event, values)):
            self.found.append((self.at, event, why[:200]))

    def wrong(self, event, values):
        """Return the object of an event that is not allowed, else ""."""
        if event == "import":
            top = str(values[0]).partition(".")[0]
            known = top == "sobremesa" or top in sys.stdlib_module_names or top in sys.modules
            return "" if known else str(values[0])
        if event in ("exec", "compile"):
            file = str(values[0].co_filename if event == "exec" else values[1])
            return file if file.startswith(self.folder) or not file.startswith(("/", "<")) else ""
        if event == "open":
            flags = values[2] or 0
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and isinstance(values[0], (str, bytes))
            return str(values[0]) if writes and not self.inside(os.fsdecode(values[0])) else ""
        if event in ("os.remove", "os.rename"):
            return "" if self.inside(os.fsdecode(values[0])) or values[-1] >= 0 else str(values[0])  # of an open folder
        return str(values) if event in _CALLS else ""

    def inside(self, path):
        return os.path.abspath(path).startswith(self.writable)


def spellings():
    """Return every name."""
    bare = [prefix + place + function for prefix, place, function in itertools.product(PREFIXES, PLACES, FUNCTIONS)]
    return [*HARMLESS, *bare, *(around.format(one) for around in AROUND for one in bare[:: len(FUNCTIONS) + 1])]


def lay_out(folder, names, lies):
    """Make `folder`, with evil files of every place and `lies` at every name, and make it the working folder."""
    (folder / "evil_package").mkdir(parents=True)
    (folder / "work").mkdir()
    for place in ("evil.py", "solved.py", "strong.py", "evil_package/__init__.py", "evil_package/inner.py"):
        (folder / place).write_text(CODE)
    for name in names:
        path = folder / name
        if lies == "nothing" or path.exists() or path.parent.resolve() != folder.resolve() or len(name) > 200:
            continue
        if lies == "file":
            path.write_text(CODE)
        else:
            path.mkdir()
            if lies == "bot":
                (path / "bot.json").write_text("{}")
    os.chdir(folder)
    tempfile.tempdir = str(folder / "work")


def unplayed(*_, **__):
    """Take the place of work that follows when a name is found: no deal is played."""
    raise cells.CellError("not played")


class Doors:
    """The loaders: each gets a name as a file of a stranger has it."""

    def __init__(self):
        record = next(one for one in published.records() if one.cell.candidate.kind == "agent")
        self.cell, self.work = record, Path("work")
        tournament.begin(self.work / "arena", plan(GAME, ("random", "simple"), deals=1, board="small", max_rounds=1))
        self.schedule = json.loads((self.work / "arena" / "arena.json").read_text())
        self.manifest = json.loads((agents.bot_folders(GAME)["trained"] / "bot.json").read_text())
        self.ladder = leaderboard_file.frozen_file(GAME).read_text()
        random = agents.load("random", GAME)
        self.replay = replay.record(GAME, [random] * 2, 1, seats=2, board="small", max_rounds=1)
        self.store = Store(self.work / "tables.sqlite")
        self.opponents, self.tools = Opponents(), Tables()
        (self.work / "bot").mkdir()

    def resolver(self, name):
        programs(named(name))

    def gate_and_load(self, name):
        check_allowed([name], "the file")
        agents.load(name, GAME)

    def game(self, name):
        envs.load(name)

    def candidate(self, name):
        candidates.candidate(name)

    def library_cell(self, name):
        self.verify("library", name, {"algorithm": "ppo_selfplay", "opponents": {name: 1.0}})

    def outside_cell(self, name):
        self.verify("outside", name)

    def agent_cell(self, name):
        self.verify("agent", name)

    def verify(self, kind, name, keys=None):
        changed = msgspec.structs.replace(self.cell.cell.candidate, kind=kind, spec=name, keys=keys or {})
        record = msgspec.structs.replace(self.cell, cell=msgspec.structs.replace(self.cell.cell, candidate=changed))
        record.seal = record.sealed()
        sweep.verify(record, record.made)

    def configuration(self, name):
        for key, value in (
            ("opponents", {name: 1.0}), ("evaluate_against", [name]), ("teacher", name), ("start", name),
            ("advised_by", name), ("shaping_by", name), ("roles", name), ("algorithm", name), ("game", name),
        ):  # fmt: skip
            with contextlib.suppress(Exception):
                trainer.train(from_dict({"game": GAME.name, key: value}), self.work / "run")

    def part_of_a_policy(self, name):
        for load in (lambda: Advisor(name, GAME), lambda: scripted_afterstates(Path("bot"), name, GAME)):
            with contextlib.suppress(ValueError):
                load()
        check_allowed([name], "the file")
        load_agent("start", name, GAME)

    def manifest_of_a_bot(self, name):
        for key in ("advised_by", "afterstates", "game", "choice"):
            (self.work / "bot" / "bot.json").write_text(json.dumps(self.manifest | {key: name}))
            with contextlib.suppress(ValueError):
                load_bot(self.work / "bot")

    def tournament(self, name):
        file = self.work / "arena" / "arena.json"
        file.write_text(json.dumps(self.schedule | {"specs": ["random", name], "agents": ["random", name]}))
        tournament.play(self.work / "arena")

    def cluster(self, name):
        bot_folders([name] if not programs(named(name)) else [], GAME)

    def ladder_and_replay(self, name):
        (self.work / "ladder.json").write_text(self.ladder.replace('"trained"', json.dumps(name)))
        leaderboard_file.read(self.work / "ladder.json", GAME)
        replay.write(self.work / "deal.json", dataclasses.replace(self.replay, agents=(name, name)))
        replay.plies(replay.read(self.work / "deal.json"))

    def server(self, name):
        for seat in (f"agent:{name}", f"level:{name}", name):
            with contextlib.suppress(ValueError):
                opening_of({"game": GAME.name, "option.seats": "2", "seat0": "me", "seat1": seat}, self.opponents)
        with contextlib.suppress(ValueError):
            agent_of(name, GAME)
        seated = (Seated(BOT, "a", name), Seated(PERSON, "b"))
        opened = open_table(self.store, Opening(GAME.name, {"seats": 2}, 1, seated, 1))
        Bench(Table(self.store, opened.name))._load(name)

    def by_splitting(self, name):
        """Load a name by a parser of its own, as no loader of the library may."""
        place, _, function = name.rpartition(":")
        sys.path.insert(0, "")
        getattr(importlib.import_module(place.removesuffix(".py")), function)

    def tools_of_models(self, name):
        self.tools.open_table(GAME.name, opponents=name)


def main(folder, split):
    names = spellings()
    for module, work in ((tasks, "score"), (library, "train"), (trainer, "_training"), (tournament, "_play_piece")):
        setattr(module, work, unplayed)
    hook, refused, calls = Hook(folder), Counter(), 0
    for lies in LIES[:1] if split else LIES:
        lay_out(folder / lies, names, lies)
        hook.folder, hook.writable = str(folder / lies), (str(folder / lies / "work"), *hook.writable[1:])
        doors = Doors()
        every = [one for one in vars(Doors) if one not in ("verify", "by_splitting") and not one.startswith("_")]
        every = ["by_splitting"] if split else every
        for door in every:  # later loads of modules happen now
            for name in HARMLESS:
                with contextlib.suppress(Exception):
                    getattr(doors, door)(name)
        for door, name in itertools.product(every, names):
            hook.at, calls = f"{door} of {name!r}, {lies} there", calls + 1
            try:
                getattr(doors, door)(name)
            except Exception as error:
                refused[f"{door}: {type(error).__name__}"] += 1
            hook.at = ""
        doors.store.close()
    ran = [str(path) for path in folder.rglob("ran")]
    print(json.dumps({"names": len(names), "calls": calls, "refused": refused, "found": hook.found, "ran": ran}))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:] == ["split"])
