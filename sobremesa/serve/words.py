"""Texts of the pages in each language, read from words.toml."""

import tomllib
from pathlib import Path

_FOUND = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

WORDS: dict[str, dict[str, str]] = {language: found["words"] for language, found in _FOUND.items()}
REFUSALS: dict[str, dict[str, str]] = {language: found["refusals"] for language, found in _FOUND.items()}
