"""Dirty surroundings for commands: packages that misbehave, variables, and a folder that cannot be written."""

import re
import sys
from pathlib import Path

import sobremesa
from sobremesa import agents, envs, training
from sobremesa.envs import GROUP as GAMES
from sobremesa.training.config.registry import GROUP as ALGORITHMS

# What a package does when it is imported; each of them for each group of entry points.
PACKAGES = {
    "exits": "import sys\nsys.exit('usage: exits')",
    "exits_well": "raise SystemExit",
    "parses": "import argparse\nargparse.ArgumentParser().parse_args(['--no-such-option'])",
    "raises": "raise ValueError('first line\\nsecond line \\x1b[31m')",
    "raises_a_base": "class Odd(BaseException): pass\nraise Odd('odd')",
    "shouts": "import sys\nprint('NOISE ' * 99)\nsys.stdout.write('NOISE')\nsys.stderr.write('noise\\n')",
    "is_broken": "def (:",
    "Has_Capitals": "GAME = ALGORITHM = None",
}
_NAME = re.compile(
    r"environ(?:\.get\(|\.setdefault\(|\[)\s*\"(\w+)\"|^(?:KEY|OTHER_KEY|_FILE|_FOLDER).*$", re.MULTILINE
)
_CAPITALS = re.compile(r'"([A-Z][A-Z_]+)"')
_SOURCES = (sobremesa, envs, agents, training)
VALUES = ("socks5://user:password@127.0.0.1:9", "\N{SNOWMAN}", " ", "/nowhere", "x" * 5_000)
LINUX = sys.platform == "linux"
KEPT = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # numbers for other libraries, which stop at nonsense


def install(folder, ways=PACKAGES):
    """Write the packages into `folder`, as pip installs them; return how many entry points they have."""
    for way in ways:
        module = f"dirty_{way}"
        (folder / f"{module}.py").write_text(PACKAGES[way])
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        points = [f"[{group}]\n{module}-v1 = {module}\n" for group in (GAMES, ALGORITHMS)]
        (info / "entry_points.txt").write_text("\n".join(points))
    return 2 * len(ways)


def variables():
    """Return the names of all variables that the library's own files read, and those of proxies and certificates."""
    found = {"SSL_CERT_FILE", "SSL_CERT_DIR"}
    for package in _SOURCES:
        for file in Path(package.__path__[0]).rglob("*.py"):
            for match in _NAME.finditer(file.read_text(encoding="utf-8")):
                found |= {match[1]} if match[1] else set(_CAPITALS.findall(match[0]))
    proxies = {f"{name}_proxy" for name in ("http", "https", "all", "no", "ftp", "socks")}
    return sorted(found - set(KEPT) | proxies | {name.upper() for name in proxies})


def dirty(site, turn=0):
    """Return variables with values that no program can use, and packages of `site` that misbehave.

    Another `turn` gives each variable another of the VALUES.
    """
    found = {name: VALUES[(place + turn) % len(VALUES)] for place, name in enumerate(variables())}
    # One that names a cache names a folder, and kernels would be compiled anew.
    return found | {"SOBREMESA_CACHE_DIR": "", "SOBREMESA_QUIET": "1", "XDG_CACHE_HOME": "", "PYTHONPATH": str(site)}


# A program that runs commands one after another and writes what they print and return.
DRIVER = """
import io, json, os, sys
lines, found, ends = json.loads(sys.argv[1]), sys.argv[2], []
from sobremesa import cli
for words in lines:
    closed, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    try:
        code = cli.main(words)
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    ends.append([code, sys.stdout.buffer.getvalue().decode("ascii")])
    sys.stdout = closed
with open(found, "w", encoding="ascii") as file:
    json.dump(ends, file)
"""


def closed(words, out=True):
    """Return a command that runs `words` in a folder without write access, without input and, if so, output."""
    script = f'cd "$0" && exec "$@" <&- {"" if out else ">&-"}'
    return ["/bin/sh", "-c", script, "/proc" if LINUX else "/", *map(str, words)]


def python(*words):
    """Return a command that runs this Python."""
    return [sys.executable, "-P", *words]
