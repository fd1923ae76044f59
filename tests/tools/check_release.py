"""Check a wheel in empty environments: `python tests/tools/check_release.py dist/sobremesa-*.whl`.

For every Python, with the newest and with the lowest dependencies that the wheel allows, and for each set of extras, uv
installs the wheel, all games are played, and commands of the extras run. The wheel of the bots is in the same folder.
Only binary packages are installed. The last lines are a table; the exit code is 1 if a row failed or if no Python was
found.

The Pythons are those of the wheel's classifiers that are on PATH or that pyenv has. Lowest is separate for each Python,
since old releases have no packages for new ones. Options of uv come from its environment, for example
UV_TORCH_BACKEND=cpu. The file needs only the standard library and uv, so it also runs in a chroot.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple

SMOKE = Path(__file__).with_name("release_smoke.py")
UV = "uv==0.13.9"
SETS = ("", "bots,render,serve,language,mcp", "train")
CHOICES = ("newest", "lowest")
GAME = "ese_toro_enamorado"
COMMANDS = {  # by the extra that they need; they run in this order in one folder
    "": ["--help", "games", f"watch {GAME} simple random --seed 1 --plain"],
    "bots": [f"watch {GAME} trained simple --seed 1 --plain"],
    "render": [f"watch {GAME} simple random --seed 1 --out deal.gif"],
    "serve": ["serve --help"],
    "language": ["watch kuhn_poker llm:stub simple --seed 1 --plain"],
    "mcp": ["mcp --help"],
    "train": [
        f"train {GAME} --steps 2000 --tables 16 --evaluate-deals 4 --out run",
        "export run --out bot",
        f"rate {GAME} bot --deals 4",
        "report run bot",
    ],
}


class Row(NamedTuple):
    """The result of one environment."""

    python: str
    choice: str  # of CHOICES
    extras: str
    seconds: float
    versions: str  # of the direct dependencies
    fault: str  # "" if all passed


def metadata(wheel: Path) -> dict[str, list[str]]:
    """Return the values of the fields in the metadata of `wheel`."""
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        fields = HeaderParser().parsestr(opened.read(name).decode())
    return {name: fields.get_all(name, []) for name in fields}


def direct(fields: dict[str, list[str]], extras: str) -> list[str]:
    """Return the dependencies of the library and of `extras`, with their other markers."""
    wanted = []
    for requirement in fields["Requires-Dist"]:
        extra = re.search(r"(?:; | and )extra == \"([\w-]+)\"$", requirement)
        if extra is None:
            wanted.append(requirement)
        elif extra[1] in extras.split(","):
            wanted.append(requirement[: extra.start()])
    return wanted


def pythons(fields: dict[str, list[str]]) -> dict[str, str]:
    """Return the interpreter of each Python in the classifiers, or "" where there is none."""
    numbers = [one.rpartition(" ")[2] for one in fields["Classifier"] if re.search(r"Python :: 3\.\d+$", one)]
    return {number: next(filter(works, candidates(number)), "") for number in numbers}


def candidates(number: str) -> list[str]:
    """Return where the Python `number`, such as "3.12", may be."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [f"python{number}", *map(str, sorted(pyenv.glob(f"versions/{number}.*/bin/python"), reverse=True))]


def works(python: str) -> bool:
    """Return whether the interpreter `python` starts; a shim of pyenv may not."""
    return bool(shutil.which(python)) and run([python, "-c", ""], Path.cwd())[0] == 0


def run(words: Sequence[str | Path], folder: Path) -> tuple[int, str]:
    """Run a program in `folder`, without the settings of Python of this process; return its exit code and output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    kept["SOBREMESA_CACHE_DIR"] = str(folder / "kernels")
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode(errors="replace")


def install_steps(python: str, wheel: Path, extras: str, choice: str, uv: str, folder: Path) -> list[list[str | Path]]:
    """Return the commands that make the environment `folder`/env and install `wheel`; that of the bots is beside it."""
    wanted = f"sobremesa[{extras}] @ {wheel.resolve().as_uri()}" if extras else str(wheel.resolve())
    asked = [*direct(metadata(wheel), extras), wanted]  # uv calls lowest only what it is asked for
    how = {"newest": "highest", "lowest": "lowest-direct"}[choice]
    install: list[str | Path] = [uv, "pip", "install", "--quiet", "--only-binary", ":all:", "--resolution", how]
    install += ["--find-links", wheel.resolve().parent]  # the wheel of the bots
    return [
        [uv, "venv", "--quiet", "--no-python-downloads", "--python", python, folder / "env"],
        [*install, "--find-links", wheel.resolve().parent, "--python", folder / "env" / "bin" / "python", *asked],
    ]


def uv_of(folder: Path) -> str:
    """Return the program uv, installed in `folder` if it is not on PATH."""
    if found := shutil.which("uv"):
        return found
    for words in (
        [sys.executable, "-m", "venv", folder],
        [folder / "bin" / "python", "-m", "pip", "install", "-q", UV],
    ):
        code, output = run(words, folder)
        if code:
            sys.exit(f"exit {code}: {' '.join(map(str, words))}\n{output}")
    return str(folder / "bin" / "uv")


def smoke_steps(extras: str, games: Sequence[str], folder: Path) -> list[list[str | Path]]:
    """Return the commands that try the installed library."""
    python = folder / "env" / "bin" / "python"
    words = [words for extra in ["", *extras.split(",")] for words in COMMANDS.get(extra, [])]
    commands = [[python.with_name("sobremesa"), *one.split()] for one in dict.fromkeys(words)]
    return [[python, "-I", SMOKE, *games], *commands]


def try_one(python: str, choice: str, extras: str, games: Sequence[str], wheel: Path, uv: str) -> Row:
    """Make an environment, install, and try; remove the environment."""
    began, fault = time.monotonic(), ""
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        env = folder / "env"
        steps = install_steps(python, wheel, extras, choice, uv, folder)
        for words in [*steps, *smoke_steps(extras, games, folder)]:
            code, output = run(words, folder)
            if code:
                fault = f"exit {code}: {' '.join(map(str, words))}\n{output[-3000:]}"
                break
        number = run([python, "-c", "import platform; print(platform.python_version())"], folder)[1].strip()
        names = [re.split(r"[^\w.-]", one)[0] for one in direct(metadata(wheel), extras)]
        versions = installed(env / "bin" / "python", list(dict.fromkeys(names)), folder)
    return Row(number, choice, extras, time.monotonic() - began, versions, fault)


def installed(python: Path, names: list[str], folder: Path) -> str:
    """Return the installed versions of the packages `names`."""
    code = (
        "import sys; from importlib.metadata import distributions\n"
        "have = {one.name.lower().replace('_', '-'): one.version for one in distributions()}\n"
        "print(*(f\"{name} {have[name.lower().replace('_', '-')]}\" for name in sys.argv[1:]\n"
        "    if name.lower().replace('_', '-') in have), sep=', ')\n"
    )
    return run([python, "-c", code, *names], folder)[1].strip() if python.exists() else ""


def table(rows: list[Row]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| Python | dependencies | extras | result | versions |", "|---|---|---|---|---|"]
    for row in rows:
        result = "failed" if row.fault else "passed"
        lines.append(f"| {row.python} | {row.choice} | {row.extras or 'none'} | {result} | {row.versions} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try every combination that was asked for; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("wheel", type=Path, help="file of the wheel")
    parser.add_argument("--python", nargs="+", help="interpreters (default: those of the classifiers that are found)")
    parser.add_argument("--versions", nargs="+", choices=CHOICES, default=CHOICES, help="of dependencies")
    parser.add_argument("--extras", nargs="+", default=SETS, help="sets such as bots,render (default: %(default)s)")
    parser.add_argument("--games", nargs="+", default=(), help="to play (default: all)")
    asked = parser.parse_args(arguments)
    if not asked.wheel.is_file():
        parser.error(f"there is no wheel {asked.wheel}; make dist builds it")
    found = pythons(metadata(asked.wheel)) if asked.python is None else {one: one for one in asked.python}
    for number in [number for number, python in found.items() if not python]:
        print(f"Python {number} is not on this machine: left out")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="tools-") as tools:
        uv = uv_of(Path(tools))
        for python in filter(None, found.values()):
            for choice in asked.versions:
                for extras in asked.extras:
                    rows.append(try_one(python, choice, extras, asked.games, asked.wheel, uv))
                    state = f"FAULT: {rows[-1].fault}" if rows[-1].fault else "passed"
                    print(f"{rows[-1].seconds:5.0f} s, {python} {choice} [{extras}]: {state}", flush=True)
    print(table(rows))
    return 0 if rows and not any(row.fault for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
