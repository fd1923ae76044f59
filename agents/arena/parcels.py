"""Parcels: files and bots sent to machines without a shared disk, identified by their content.

A parcel is a list of (name, bytes) as MessagePack; no part of it is unpickled. A machine unpacks it once, into a folder
named by its digest.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from sobremesa.agents.builtin import names
from sobremesa.agents.exported import GRAPH, LARGEST_GRAPH, MANIFEST
from sobremesa.agents.loading import load, load_sampled
from sobremesa.agents.named import BotFolder, External, Model, Named, Sampled, Search, SolvedFile, named
from sobremesa.agents.search.spec import load_search
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.compile.cache import cache_folder
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.envs.core.game import Game

Files = list[tuple[str, bytes]]  # names within a folder, and what is in them


class ParcelError(ValueError):
    """Data from another machine does not match its digest or its names."""


def digest(parcel: bytes) -> str:
    """Return the digest of a parcel."""
    return hashlib.sha256(parcel).hexdigest()


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return `files`, by name, as a parcel."""
    return msgspec.msgpack.encode(sorted(files.items()))


def pack_bot(folder: Path) -> bytes:
    """Return the bot in `folder` as a parcel; it keeps the name of its folder."""
    return pack({f"{folder.name}/{part}": read_inside(folder, part, LARGEST_GRAPH) for part in (MANIFEST, GRAPH)})


def unpacked(named: str, fetch: Callable[[], bytes]) -> Path:
    """Return the folder with the content of the parcel of digest `named`; `fetch` it if it is missing.

    Raises ParcelError for another parcel, or if there is no folder for it.
    """
    kernels = cache_folder()
    if kernels is None:
        raise ParcelError("no home folder to unpack it into; set SOBREMESA_CACHE_DIR on each node")
    place = kernels.with_name(f"{kernels.name}.carried")
    folder = place / named
    if folder.is_dir():
        return folder
    parcel = fetch()
    if digest(parcel) != named:
        raise ParcelError(f"a parcel of {len(parcel):,} bytes does not have the digest {named}")
    place.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{named}.", suffix=".partial", dir=place))
    try:
        write_all(partial, msgspec.msgpack.decode(parcel, type=Files))
        os.rename(partial, folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def read_all(folder: Path, before: dict[str, bytes]) -> Files:
    """Return the files in `folder` that differ from `before`, by name."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    found = [(name, (folder / name).read_bytes()) for name in names]
    return [(name, content) for name, content in found if before.get(name) != content]


def write_all(folder: Path, files: Files) -> None:
    """Write `files` into `folder`, each whole or not at all; raise ParcelError for a name outside it."""
    for name, content in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or "\0" in name:
            raise ParcelError(f"{name!r:.200} is not the name of a file in the folder")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / path, content)


def check_travels(specs: Iterable[object]) -> None:
    """Raise ValueError for an agent that cannot be sent to another machine.

    These are external agents, solved policies, and language models, whose key is on this machine.
    """
    for spec in specs:
        if isinstance(one := spec if isinstance(spec, Named) else named(spec), External | SolvedFile | Model):
            raise ValueError(
                f"{one_line(one.spec, 200)} is not allowed on a cluster: it plays where its files are, a language "
                "model where its key is, and only bots are carried there; leave out --cluster"
            )


def bot_folders(specs: Iterable[str], game: Game) -> dict[str, Path]:
    """Return the folders of bots in `specs`, also inside search agents, by their names there.

    Raises ValueError for an agent that cannot be sent to another machine.
    """
    found: dict[str, Path] = {}

    def look(one: Named, _: Game | None) -> Agent:
        check_travels([one])
        agent: Agent
        match one:
            case Search():
                agent = load_search(one, game, look)
            case Sampled():
                agent = load_sampled(one, game, look)
            case _:
                agent = load(one, game)
        if isinstance(one, BotFolder):
            found[one.spec] = one.path
        return agent

    for spec in specs:
        look(named(spec, names(game)), game)
    return found
