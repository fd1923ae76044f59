"""The kind of a name, decided by its text and by which files exist, before any file is loaded or imported.

`named` dispatches every name of an agent or algorithm, typed by a user or read from a file. A file may come from a
stranger, so `check_allowed` refuses each name in it that would start a program or contact a server.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from sobremesa.agents.exact.solved import is_solved
from sobremesa.agents.external.agent import PYTHON, NotAllowed, is_external
from sobremesa.agents.language.model import is_model
from sobremesa.agents.search.spec import agents_within, is_search
from sobremesa.agents.stored import LONGEST_NAME

Kind = Literal["python", "command", "model", "solved", "search", "configuration", "bot", "function", "agent"]
PROGRAMS: tuple[Kind, ...] = ("python", "command", "function", "model")  # these run a program or contact a server
_LONGEST = 600  # characters of a name that an error shows


class Named(NamedTuple):
    """A name and its kind.

    "python" and "command" are external agents, "model" is a language model, "solved" is a policy file, "search" is a
    search over other agents, "configuration" is a TOML file or one of the given names, "bot" is the folder of an
    exported bot, "function" is a learning function (`FILE.py:FUNCTION` or `package.module:FUNCTION`). Any other name is
    an "agent" of a game, or unknown.
    """

    spec: str
    kind: Kind

    def programs(self) -> list[str]:
        """Return the names in `spec`, also within a search, that would run a program or contact a server.

        Raises ValueError if the name of a search cannot be parsed.
        """
        if self.kind == "search":
            return [program for spec in agents_within(self.spec) for program in named(spec).programs()]
        return [self.spec] if self.kind in PROGRAMS else []


def named(spec: object, configurations: Collection[str] = ()) -> Named:
    """Return the kind of `spec`; `configurations` are the names of the library's configurations."""
    text = str(spec)
    if is_external(text):
        kind: Kind = "python" if text.startswith(PYTHON) else "command"
    elif is_model(text):
        kind = "model"
    elif is_solved(text):
        kind = "solved"
    elif is_search(text):
        kind = "search"
    elif text in configurations or (text.endswith(".toml") and _exists(Path(text))):
        kind = "configuration"
    elif _exists(Path(text) / "bot.json"):
        kind = "bot"
    elif ":" in text:
        kind = "function"
    else:
        kind = "agent"
    return Named(text, kind)


def check_allowed(specs: Iterable[object], where: object) -> None:
    """Raise NotAllowed if one of `specs`, in the file or folder `where`, would start a program or contact a server."""
    for spec in specs:
        for program in named(spec).programs():
            shown = repr(program) if len(program) <= _LONGEST else f"{program[:_LONGEST]!r}..."
            does = "contact" if is_model(program) else "start"
            raise NotAllowed(
                f"{where} would {does} {shown}; read it first, then allow it with --allow-commands "
                "(in Python allow_commands=True)"
            )


def _exists(path: Path) -> bool:
    try:
        return len(str(path)) <= LONGEST_NAME + len("/bot.json") and path.exists()
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        return False
