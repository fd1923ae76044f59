"""Texts of a game by language, from TOML files next to a module: `en.toml` and `es.toml`; lists in wrapped lines."""

import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sobremesa.envs.core.game import LANGUAGES, check_language

Texts = dict[str, dict[str, Any]]  # by section, then by language
COLUMNS = 78  # of a terminal
_HARD_SPACE = "\N{NO-BREAK SPACE}"


class _ByLanguage(dict[str, Any]):
    """Texts by language, which refuse other languages."""

    def __missing__(self, language: str) -> Any:
        raise KeyError(check_language(language))


def load_words(module: str) -> Texts:
    """Return the texts next to the file `module` (pass `__file__`): `texts[section][language]`.

    A look-up of another language raises ValueError. Raises ValueError if a file is not valid TOML, or if the languages
    differ in a key or in its `{placeholders}`.
    """
    found = {language: _read(Path(module).with_name(f"{language}.toml")) for language in LANGUAGES}
    first, *others = LANGUAGES
    for other in others:
        differences = sorted({key for key, _ in _keys(found[first]) ^ _keys(found[other])})
        if differences:
            raise ValueError(
                f"{Path(module).with_name(f'{other}.toml')} differs from {first}.toml in {', '.join(differences)};"
                " a key and its {placeholders} must be the same in every language"
            )
    sections = found[first]
    return {one: _ByLanguage((language, found[language][one]) for language in LANGUAGES) for one in sections}


def section(texts: Texts, name: str) -> Callable[..., str]:
    """Return the function that returns section `name` of `texts`, a text, in the language that is its last argument."""
    return lambda *arguments: str(texts[name][arguments[-1]])


def renamed(
    texts: Texts, names: Callable[[str], Iterable[str]] = lambda language: ()
) -> Callable[[str], dict[str, Any]]:
    """Return `Words.renamed` from section `renamed` of `texts`, with the further `names` of a language."""

    def declared(language: str) -> dict[str, Any]:
        found = texts["renamed"][language]
        return {**found, "words": " ".join((found["words"], *names(language)))}

    return declared


def wrapped(lines: Iterable[str], first: str = "", indent: str = "  ") -> list[str]:
    """Return `lines` in lines of at most COLUMNS."""
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, COLUMNS, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
    ]


def listed(head: str, items: Iterable[str], indent: str = "  ", between: str = ", ") -> list[str]:
    """Return `head` and the unbroken `items` in lines of at most COLUMNS; empty without items."""
    joined = between.join(item.replace(" ", _HARD_SPACE) for item in items)
    text = f"{head}: {joined}" if head else joined
    lines = textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False) if joined else []
    return [line.replace(_HARD_SPACE, " ") for line in lines]


def by_name(lines: Iterable[str]) -> dict[str, str]:
    """Return the texts of lines such as "Name, Name: text" by each name."""
    found: dict[str, str] = {}
    for line in lines:
        names, _, text = line.partition(": ")
        found |= dict.fromkeys(names.split(", "), text)
    return found


def blocks(text: str) -> list[tuple[str, str]]:
    """Return the paragraphs and list items of a text in plain Markdown, each with its mark and in one line.

    An item begins with the mark `-` or a number such as `2.`; the mark of a paragraph is "". A block ends at an empty
    line, at the next mark, and at a line that begins left of its own text.
    """
    found: list[tuple[str, str]] = []
    left: int | None = None  # column of the open block's text
    for line in text.splitlines():
        marked = re.match(r" *(-|\d+\.) +", line)
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            left = None
        elif marked is not None:
            left = marked.end()
            found.append((marked[1], line[left:].strip()))
        elif left is None or indent < left:
            left = indent
            found.append(("", line.strip()))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None


def _keys(texts: dict[str, Any], above: str = "") -> set[tuple[str, str]]:
    """Return each key, `section.key` in a section, with the placeholders of its text."""
    found: set[tuple[str, str]] = set()
    for key, value in texts.items():
        if isinstance(value, dict):
            found |= _keys(value, f"{above}{key}.")
        else:
            found.add((above + key, " ".join(sorted(re.findall(r"{[^}]*}", value if isinstance(value, str) else "")))))
    return found
