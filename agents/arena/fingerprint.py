"""What must be the same on all machines that play for one another: rows follow from it, whoever has played them."""

import hashlib
import importlib.util
import platform
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from sobremesa import envs
from sobremesa.envs.core.testing.check import rules_hash

PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "torch")
_ROOMS = ("sobremesa", "sobremesa.envs", "sobremesa.agents", "sobremesa.training", "sobremesa.configs")
_READ = (".py", ".csv", ".json", ".toml", ".onnx")  # endings of the files that the library runs or reads


def described(games: Sequence[str] = ()) -> dict[str, str]:
    """Return what this machine plays with, by what it is called: the library, Python, packages, rules of `games`."""
    found = {"Sobremesa": f"{_version('sobremesa')} of source {source_digest()[:12]}"}
    found |= {"Python": platform.python_version(), "processor": platform.machine()}
    found |= {package: _version(package) for package in PACKAGES}
    return found | {f"rules of {game}": rules_hash(envs.load(game)) for game in games}


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Return what differs between two machines as `described` tells them, in words; "" if nothing does."""
    told = ours if theirs.get("Sobremesa") == ours["Sobremesa"] else theirs  # another version may tell less
    names = [name for name in ours if name in told and theirs.get(name) != ours[name]]
    return ", ".join(f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})" for name in names)


@cache
def source_digest() -> str:
    """Return a digest of all files of the library that are run or read; of its installed form and its source alike."""
    found: dict[str, bytes] = {}
    for room in _ROOMS:
        spec = importlib.util.find_spec(room)
        for top in (spec and spec.submodule_search_locations) or ():
            for file in Path(top).rglob("*"):
                if file.suffix in _READ and file.is_file():
                    found[f"{room}/{file.relative_to(top)}".replace(".", "/")] = file.read_bytes()
    parts = hashlib.sha256()
    for name in sorted(found):
        parts.update(f"{name} {hashlib.sha256(found[name]).hexdigest()}\n".encode())
    return parts.hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
