"""Git commit of the library and the command, recorded with results."""

import shlex
import subprocess
import sys
from pathlib import Path


def commit() -> str:
    """Return the commit, with a note on local changes, or "unknown" outside a repository."""
    folder = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        done = subprocess.run(
            ("git", "-C", str(folder), *words), capture_output=True, encoding="utf-8", errors="replace", check=True
        )
        return done.stdout.strip()

    try:
        if not git("ls-files", __file__):  # installed inside another repository
            return "unknown"
        return git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def command() -> str:
    """Return the command line of this process, as a shell takes it."""
    return shlex.join(["sobremesa", *sys.argv[1:]])


def made_now() -> dict[str, str]:
    """Return commit and command of a result."""
    return {"commit": commit(), "command": command()}
