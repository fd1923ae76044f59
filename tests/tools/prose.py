"""Count the habits that make the project's prose hard to read, in Markdown and docstrings.

Rates are per 10,000 words. Pgx, python-chess, CleanRL and PettingZoo lie near the anchors below.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

HABITS = {  # of words in lower case
    "what/who as a noun": r"\b(?:what|whatever|who|whoever|whom)\b(?=\s+(?!is\b|are\b|was\b|to\b)\w+)",
    "code that tells or says": r"\b(?:tells?|told|says?|said|asks?|asked|hears?|heard|believes?|believed)\b",
    "nobody, nothing, none": r"\b(?:nobody|nothing|none)\b",
    "the one before, the latter": r"\b(?:the (?:one|ones) (?:before|after)|the latter|the former|such (?:a )?ones?)\b",
}
ANCHORS = {  # the highest rate of the four libraries
    "what/who as a noun": 5.0,
    "code that tells or says": 1.4,
    "nobody, nothing, none": 1.0,
    "the one before, the latter": 1.0,
}
_SKIPPED = re.compile(r"```.*?```|<!--.*?-->|`[^`]*`|https?://\S+|^\|.*$|^ {4,}\S.*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`]*`|https?://\S+|>>>.*")


def passages(root: Path, folders: Iterable[Path]) -> Iterator[str]:
    """Give the prose of the Markdown pages below `root` and of the docstrings of the modules in `folders`."""
    for page in sorted(root.rglob("*.md")):
        inside = page.relative_to(root).parts
        if not any(part.startswith(".") for part in inside) and inside[0] != "runs":
            yield re.sub(_SKIPPED, " ", page.read_text(encoding="utf-8"))
    for folder in folders:
        for file in sorted(folder.glob("*.py")):
            yield from docstrings(file)


def docstrings(file: Path) -> Iterator[str]:
    """Give the docstrings of a module, its classes and its functions."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield re.sub(_CODE, " ", text)


def density(texts: Iterable[str]) -> dict[str, float]:
    """Return how often each habit occurs in 10,000 words of `texts`."""
    words, found = 0, dict.fromkeys(HABITS, 0)
    for text in texts:
        words += len(re.findall(r"[^\W\d_]+", text))
        for name, pattern in HABITS.items():
            found[name] += len(re.findall(pattern, text.lower()))
    return {name: 10_000 * number / max(words, 1) for name, number in found.items()}
