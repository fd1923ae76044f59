"""Split the wheel of the library in two: `python tests/tools/split_wheel.py dist/sobremesa-*.whl`, after a build.

The wheel `sobremesa` loses the graphs of all bots, which are most of its bytes; their manifests stay, so each agent has
its name in every installation. The wheel `sobremesa_bots` gets the graphs of `trained` and `champion`, in the same
folders, and the extras that play bots require it. Graphs of agents that only test others are in the source distribution
alone. The files keep their times, so two builds of a commit give the same bytes.
"""

import base64
import hashlib
import re
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

GRAPH = re.compile(r"/home/(rivals/)?[^/]+/policy\.onnx$")
PLAY_BOTS = ("bots", "train")  # extras
MADE = "WHEEL"  # a file of the metadata whose time is that of all others
ABOUT = """Metadata-Version: 2.4
Name: sobremesa-bots
Version: {version}
Summary: Graphs of the exported bots of Sobremesa
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: sobremesa=={version}
"""

Files = Mapping[str, bytes]


def split(wheel: Path) -> tuple[Path, Path]:
    """Replace `wheel` by one without graphs, and write `sobremesa_bots` next to it; return both paths.

    Raises ValueError for a wheel without graphs.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {one.filename: archive.read(one) for one in archive.infolist()}
        time = next(one.date_time for one in archive.infolist() if one.filename.endswith(f".dist-info/{MADE}"))
    graphs = {name: found for name in files if (found := GRAPH.search(name))}
    if not graphs:
        raise ValueError(f"{wheel}: has no graphs of bots; it was split already")
    version = wheel.name.split("-")[1]
    own, other = (f"{name}-{version}.dist-info" for name in ("sobremesa", "sobremesa_bots"))
    kept = {name: content for name, content in files.items() if name not in graphs}
    kept[f"{own}/METADATA"] = _requiring(kept[f"{own}/METADATA"].decode(), version).encode()
    bots = {name: files[name] for name, found in graphs.items() if not found[1]}
    bots[f"{other}/METADATA"] = ABOUT.format(version=version).encode()
    for name in (MADE, "licenses/LICENSE"):
        bots[f"{other}/{name}"] = files[f"{own}/{name}"]
    paths = wheel, wheel.with_name(wheel.name.replace("sobremesa-", "sobremesa_bots-"))
    for path, content, folder in zip(paths, (kept, bots), (own, other), strict=True):
        _write(path, content, folder, time)
    return paths


def _requiring(metadata: str, version: str) -> str:
    """Return the metadata in which the extras that play bots require their graphs."""
    for extra in PLAY_BOTS:
        line = f"Provides-Extra: {extra}\n"
        if line not in metadata:
            raise ValueError(f"the wheel has no extra {extra!r}, which should require sobremesa-bots")
        metadata = metadata.replace(line, f'{line}Requires-Dist: sobremesa-bots=={version}; extra == "{extra}"\n')
    return metadata


def _write(path: Path, files: Files, folder: str, time: tuple[int, int, int, int, int, int]) -> None:
    record = f"{folder}/RECORD"
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items() if name != record]
    fresh = path.with_name(f".{path.name}")
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in {**files, record: "\n".join([*rows, f"{record},,", ""]).encode()}.items():
            entry = zipfile.ZipInfo(name, time)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, content)
    fresh.replace(path)


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/tools/split_wheel.py WHEEL")
    try:
        for made in split(Path(sys.argv[1])):
            print(f"{made}: {made.stat().st_size / 1e6:.2f} MB")
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"split_wheel: {error}")
