"""Play the published data: 10,000 episodes a game at three levels of play, as replays and as Minari datasets.

    make data                                                  # all of it, into build/data
    make data DATA="--games estafado --episodes 500 --only replays"
    .venv/bin/python tests/tools/published_data.py --publish   # its sizes and digests into docs/results/data.json

One agent plays all seats. Episode i of each game and level is the deal of seed `--seed` + i, in the default setup.

    build/data/data.json                                       # manifest: rules, agents, seeds, sizes, SHA-256
    build/data/replays/GAME/LEVEL/00000-00499.zip              # replay files, named by their seeds
    build/data/minari/sobremesa/GAME/LEVEL-v0                  # `export MINARI_DATASETS_PATH=$PWD/build/data/minari`

The same arguments give the same bytes of all files except the manifest, which has times. An interrupted run continues
where it stopped. Minari datasets need the extra `minari`.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.arena.dataset import write_minari
from sobremesa.agents.arena.identity import described
from sobremesa.agents.arena.replay import Replay
from sobremesa.arguments import count, whole
from sobremesa.commit import commit
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.files import locked, naming, whole as whole_file, write_whole
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.progress import progress
from sobremesa.report import results

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("random", "simple", "champion")
PART = 500  # episodes in a zip file, and the most that an interrupted run plays again
PARTS = ("replays", "minari")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # time of all files in a zip file
MANIFEST = "data.json"


def arguments_of(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        prog="published_data.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=envs.games(), choices=envs.all_games(), metavar="GAME")
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), metavar="AGENT", help="agents that play")
    parser.add_argument("--episodes", type=count, default=10_000, help="of each game and level (default: %(default)s)")
    parser.add_argument("--seed", type=whole, default=0, help="seed of the first episode (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "data", help="folder (default: build/data)")
    parser.add_argument("--only", choices=PARTS[:1], help="replays: write no Minari datasets")
    parser.add_argument(
        "--publish", action="store_true", help="write docs/results/data.json from the manifest in --out"
    )
    found = parser.parse_args(words)
    check_seed(found.seed + found.episodes - 1)
    found.out = found.out.resolve()  # Minari takes no relative path
    return found


def settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what all files of a folder have in common; raise ValueError for an agent that a game does not have."""
    games = [envs.load(name) for name in sorted(set(arguments.games))]
    pairs = [(game, level) for game in games for level in arguments.levels]
    for game, level in pairs:
        agents.load(level, game)  # raises
    return {
        "episodes": arguments.episodes,
        "seed": arguments.seed,
        "rules": {game.id: rules_hash(game) for game in games},
        "agents": {
            f"{game.id} {level}": results.digest_of(level, game) for game in games for level in arguments.levels
        },
    }


class Folder:
    """The folder of the data, and its manifest, which is written after each file."""

    def __init__(self, out: Path, wanted: dict[str, Any]) -> None:
        self.out, self.manifest = out, {"settings": wanted, "made": described(), "sets": {}}
        if (out / MANIFEST).is_file():
            self.manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        found = self.manifest["settings"]
        for name in ("episodes", "seed"):
            if found[name] != wanted[name]:
                raise ValueError(
                    f"{out} has data of --{name} {found[name]}, not {wanted[name]}; give that number, or another --out"
                )
        for name in ("rules", "agents"):
            for key, digest in wanted[name].items():
                if found[name].setdefault(key, digest) != digest:
                    raise ValueError(f"{out} has data of other {name} ({key}); give another --out")
        command = shlex.join(["python", "tests/tools/published_data.py", *sys.argv[1:]])
        self.manifest |= {"commit": commit(), "command": re.sub(r" --out[ =]('[^']*'|\S+)", "", command)}

    def sets(self) -> list[dict[str, Any]]:
        """Return the records of all games and levels."""
        return list(self.manifest["sets"].values())

    def record(self, game: Any, level: str) -> dict[str, Any]:
        """Return the record of a game and a level, a new one if there is none."""
        setup = game.setup(game.new_tables(1, {}))
        empty = {"game": game.id, "level": level, "setup": setup, "decisions": 0, "seconds": {}, "files": {}}
        found: dict[str, Any] = self.manifest["sets"].setdefault(f"{game.name}/{level}", empty)
        return found

    def keep(
        self, record: dict[str, Any], part: str, began: float, files: Sequence[Path], decisions: int | None = None
    ) -> None:
        """Add `files`, with `decisions` made in the CPU time since `began`, to `record`, and write the manifest."""
        seconds = record["seconds"].get(part, 0.0) + time.process_time() - began
        record["seconds"][part] = round(seconds, 2)
        for file in files:
            with file.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            name = file.relative_to(self.out).as_posix()
            record["files"][name] = {"sha256": digest, "bytes": file.stat().st_size}
            if decisions is not None:
                record["files"][name]["decisions"] = decisions
        record["decisions"] = sum(file.get("decisions", 0) for file in record["files"].values())
        write_whole(self.out / MANIFEST, json.dumps(self.manifest, indent=1) + "\n")


def write_replays(folder: Folder, name: str, level: str, seeds: range) -> Iterator[int]:
    """Play the deals of `seeds` and write their replays; yield the number of episodes of each zip file."""
    game = envs.load(name)
    record = folder.record(game, level)
    seated = [agents.load(level, game)] * game.default_seats
    digits = len(str(seeds[-1]))
    for low in range(0, len(seeds), PART):
        part = seeds[low : low + PART]
        file = folder.out / "replays" / name / level / f"{part[0]:0{max(digits, 5)}}-{part[-1]:0{max(digits, 5)}}.zip"
        if file.relative_to(folder.out).as_posix() not in record["files"] or not file.is_file():
            began = time.process_time()
            played = replays.record_many(game, seated, part)
            file.parent.mkdir(parents=True, exist_ok=True)
            pack(file, played)
            folder.keep(record, "replays", began, [file], sum(len(one.actions) for one in played))
        yield len(part)


def pack(file: Path, played: Sequence[Replay]) -> None:
    """Write the files of `played` into the zip file `file`."""
    with whole_file(file) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in played:
            entry = zipfile.ZipInfo(f"{one.seed}.json", EARLIEST)
            archive.writestr(entry, replays.text_of(one), zipfile.ZIP_DEFLATED)


def unpack(files: Sequence[Path]) -> Iterator[Replay]:
    """Yield the replays in the zip files `files`."""
    for file in files:
        with TemporaryDirectory() as place, zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                yield replays.read(Path(archive.extract(name, place)))


def write_dataset(folder: Folder, name: str, level: str) -> None:
    """Write the Minari dataset of the replays of a game and a level, if it is not complete."""
    record = folder.record(envs.load(name), level)
    dataset_id = f"sobremesa/{name}/{level}-v0"
    place = folder.out / "minari" / dataset_id
    if "minari" in record and place.is_dir():
        return
    began = time.process_time()
    shutil.rmtree(place, ignore_errors=True)  # of an interrupted run
    os.environ["MINARI_DATASETS_PATH"] = str(folder.out / "minari")
    zips = [folder.out / file for file in sorted(record["files"]) if file.startswith("replays/")]
    with naming(place):
        episodes, decisions = write_minari(dataset_id, list(unpack(zips)))
    record["minari"] = {"id": dataset_id, "episodes": episodes, "decisions": decisions}
    folder.keep(record, "minari", began, sorted(file for file in place.rglob("*") if file.is_file()))


def make(arguments: argparse.Namespace, update: Callable[[int, int, str], None], minari: bool) -> Folder:
    """Make what is missing of the data, and report the episodes that are done; raise ValueError for a wrong setting."""
    folder = Folder(arguments.out, settings(arguments))
    seeds = range(arguments.seed, arguments.seed + arguments.episodes)
    pairs = [(name, level) for name in arguments.games for level in arguments.levels]
    done, total = 0, len(pairs) * len(seeds) * (1 + minari)
    for name, level in pairs:
        for episodes in write_replays(folder, name, level, seeds):
            done += episodes
            update(done, total, f"{name} {level}")
        if minari:
            write_dataset(folder, name, level)
            done += len(seeds)
            update(done, total, f"{name} {level}")
    return folder


def summary(record: dict[str, Any]) -> str:
    """Return a line about a game and a level: decisions, sizes, seconds and digest."""
    parts = [f"{part} {size_of(record, part) / 1e6:,.1f} MB in {record['seconds'].get(part, 0):,.0f} CPU s"
             for part in PARTS if size_of(record, part)]  # fmt: skip
    return f"{record['game']} {record['level']}: {record['decisions']:,} decisions; {'; '.join(parts)}"


def size_of(record: dict[str, Any], part: str) -> int:
    """Return the bytes of the files of `part`."""
    return sum(file["bytes"] for name, file in record["files"].items() if name.startswith(f"{part}/"))


def digest_of(record: dict[str, Any], part: str) -> str:
    """Return sixteen hex digits of the names and digests of the files of `part`."""
    lines = [f"{name} {file['sha256']}\n" for name, file in sorted(record["files"].items()) if name.startswith(part)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def published(manifest: dict[str, Any]) -> results.Table:
    """Return the table of docs/results/data.json."""
    head = ["game", "agent", "episodes", "decisions", "replays", "CPU time", "digest", "Minari", "CPU time of Minari",
            "digest of Minari"]  # fmt: skip
    rows, wanted = [], manifest["settings"]
    for one in manifest["sets"].values():
        sizes = [
            [size_of(one, part) / 1e6, one["seconds"].get(part, 0.0), f"`{digest_of(one, part)}`"] for part in PARTS
        ]
        name, digest = one["game"].rpartition("-v")[0], wanted["agents"][f"{one['game']} {one['level']}"]
        rows.append({
            "cells": [f"`{name}`", f"`{one['level']}`", wanted["episodes"], one["decisions"], *sizes[0], *sizes[1]],
            "games": {one["game"]: wanted["rules"][one["game"]]}, "agents": {one["level"]: digest},
            "setup": one["setup"],
        })  # fmt: skip
    shared = {"seeds": [wanted["seed"]], "commit": manifest["commit"],
              "command": manifest["command"], "versions": manifest["made"]}  # fmt: skip
    forms = ["", "", ",.0f", ",.0f", ",.1f MB", ",.0f s", "", ",.1f MB", ",.0f s", ""]
    return results.Table(head=head, forms=forms, shared=shared, rows=rows)


def has_minari() -> bool:
    """Return whether Minari and its HDF5 files can be imported."""
    return all(importlib.util.find_spec(name) is not None for name in ("minari", "h5py"))


def main(words: Sequence[str] | None = None) -> int:
    """Make the data, or publish their sizes; return 1 if Minari is missing, 2 for wrong arguments."""
    try:
        arguments = arguments_of(words)
        if arguments.publish:
            manifest = json.loads((arguments.out / MANIFEST).read_text(encoding="utf-8"))
            results.write(ROOT / "docs" / "results" / MANIFEST, {"sets": published(manifest)})
            return 0
        missing = arguments.only is None and not has_minari()
        note = "Minari is not installed: pip install '.[minari]', then the same command adds its datasets"
        if missing:
            print(f"{note}; writing the replays", file=sys.stderr)
        arguments.out.mkdir(parents=True, exist_ok=True)
        taken = ValueError(f"{arguments.out}: another process writes there")
        with locked(arguments.out / "lock", taken), progress("episodes") as update:
            folder = make(arguments, update, arguments.only is None and not missing)
    except (ValueError, OSError) as error:
        print(f"published_data.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return 130
    print("\n".join(map(summary, folder.sets())))
    print(
        f"{arguments.out / MANIFEST}: {sum(one['bytes'] for s in folder.sets() for one in s['files'].values()):,} bytes"
    )
    if missing:
        print(note, file=sys.stderr)
    return int(missing)


if __name__ == "__main__":
    sys.exit(main())
