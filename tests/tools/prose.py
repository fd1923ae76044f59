"""Habits that make prose hard to read, counted in Markdown pages and docstrings.

Rates are per 10,000 words. `ANCHORS` are the highest rates of four libraries: Pgx, python-chess, CleanRL, PettingZoo.
Code, tables, generated parts, questions and the changelog are not counted; neither are the rules of the storytelling
game in the second habit, since its players tell a tale.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# A free relative ("what a seat sees", "for who played it"), not a question, "what is/to" or "a player who".
_RELATIVE = (
    r"\b(?:what(?!\s+(?:is|are|was|were|to|if|about|kind|happens|happened|else)\b)|whatever|whoever)\b(?=\s+\w)"
    r"|(?:^|[.;:(]\s*|\b(?:of|for|to|by|from|with|than|as|is|are|see|sees|know|knows|decide|decides)\s+)whom?\b(?=\s+\w)"
)
_SUBJECT = (
    r"\bnobody\b|(?:^|[.;:,(]\s*|\b(?:and|or|but|that|which|if|so|where|when|because|as|than)\s+)(?:nothing|none)\b"
    r"|\b(?:nothing|none)\s+(?:is|are|was|were|has|have|can|may|will|of|in|here|more|before|after)\b"
)
_FIGURATIVE = (
    r"\b(?:besides?|lies?|stands?(?!-)|settle[sd]?|settling|puts? off|goes on|go on|went on|at once"
    r"|of (?:its|their|his) own)\b"
    r"|\bholds?\b(?! (?:the |a |an |its |numba's )?(?:compiler )?lock)"
)
HABITS = {  # of words in lower case, without the value `None`
    "what/who as a noun": _RELATIVE,
    "code that tells or says": r"\b(?:tells?|told|says?|said|asks|asked|hears?|heard|believes?|believed)\b",
    "nobody, nothing, none": _SUBJECT,
    "the one before, the latter": r"\b(?:the (?:one|ones) (?:before|after)|the latter|the former|such (?:a )?ones?)\b",
    "beside, lies, holds, goes on": _FIGURATIVE,
}
ANCHORS = {
    "what/who as a noun": 5.0,
    "code that tells or says": 1.4,
    "nobody, nothing, none": 1.0,
    "the one before, the latter": 1.0,
    "beside, lies, holds, goes on": 9.0,
}
_GENERATED = re.compile(r"<!-- ([\w:/-]+) -->\n.*?<!-- /\1 -->", re.DOTALL)
_SKIPPED = re.compile(r"```.*?```|<!--.*?-->|`[^`]*`|https?://\S+|^\|[^\n]*$|^ {4,}\S[^\n]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`]*`|https?://\S+|>>>.*|\bNone\b(?! of)")
_QUESTION = re.compile(r"[^.!?;:\n]*\?")
_TALE = "erase_una_vez"


def passages(root: Path, folders: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the prose of every Markdown page below `root` and of every module directly in `folders`, with its file."""
    for page in sorted(root.rglob("*.md")):
        inside = page.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts) or inside.parts[0] == "runs"
        if not hidden and inside.name != "CHANGELOG.md":
            yield page, _SKIPPED.sub(" ", _GENERATED.sub("", page.read_text(encoding="utf-8")))
    for folder in folders:
        for file in sorted(folder.glob("*.py")):
            yield file, "\n\n".join(docstrings(file))


def docstrings(file: Path) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and its functions, without code."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield _CODE.sub(" ", text)


def words(text: str) -> int:
    """Return the number of words of `text`."""
    return len(re.findall(r"[^\W\d_]+", text))


def counts(text: str, tale: bool = False) -> dict[str, int]:
    """Return how often each habit occurs in `text`; in a `tale` (the storytelling game) telling is no habit."""
    plain = _QUESTION.sub(" ", text).lower()
    found = {name: len(re.findall(pattern, plain, re.MULTILINE)) for name, pattern in HABITS.items()}
    return found | ({"code that tells or says": 0} if tale else {})


def habits_of(root: Path, folders: Iterable[Path]) -> dict[str, tuple[int, dict[str, int]]]:
    """Return the words and the counts of habits of every file with prose, by its path below `root`."""
    return {
        file.relative_to(root).as_posix(): (words(text), counts(text, _TALE in file.as_posix()))
        for file, text in passages(root, folders)
        if text.strip()
    }


def density(found: Iterable[tuple[int, dict[str, int]]]) -> dict[str, float]:
    """Return how often each habit occurs in 10,000 words, from words and counts of texts."""
    rows = list(found)
    total = max(sum(number for number, _ in rows), 1)
    return {name: 10_000 * sum(count[name] for _, count in rows) / total for name in HABITS}
