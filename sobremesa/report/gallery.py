"""Galleries: static folders with an animation and a picture of each deal, an index page, and a list."""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from markupsafe import Markup

from sobremesa.agents.stored import read_object, structured
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.report import film, show
from sobremesa.report.page import render
from sobremesa.report.thinking import Thinker

FORMAT = 1
_LIST = "gallery.json"
_WORDS = {
    "en": {"title": "Deals of Sobremesa", "plies": "{} plies"},
    "es": {"title": "Partidas de Sobremesa", "plies": "{} jugadas"},
}


@dataclasses.dataclass(frozen=True)
class GalleryDeal:
    """A deal of a gallery; its film is `name`.html and its picture `name`.svg."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w-]+$")]
    title: str
    seating: str
    result: str
    plies: int
    seed: int


class GalleryError(ValueError):
    """A gallery list that cannot be read."""


def add(
    folder: Path,
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    seed: int,
    language: str,
    thinker: Thinker | None = None,
) -> Path:
    """Add the film of a deal to the gallery in `folder` and return its path; an equal deal is replaced.

    Creates the folder if needed. Raises GalleryError if its list cannot be read.
    """
    there = read(folder)
    folder.mkdir(parents=True, exist_ok=True)
    told = repr((game.id, list(names), seed, [ply.action for ply in plies], language))
    name = f"{game.name}-{seed}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"
    file = folder / f"{name}.html"
    show.film(file, game, plies, names, None, language, thinker)
    write_whole(folder / f"{name}.svg", game.words.scene(plies[len(plies) // 2].states, None, language))
    seating, result = show.seating(game, names, language), show.result(game, plies[-1].states, names, language)
    shown = GalleryDeal(name, game.words.title[language], seating, result, len(plies) - 1, seed)
    there = [one for one in there if one.name != name] + [shown]
    fields = {"format": FORMAT, "deals": [dataclasses.asdict(one) for one in there]}
    write_whole(folder / _LIST, json.dumps(fields, ensure_ascii=False, indent=1) + "\n")
    write_whole(folder / "index.html", _index(there, language))
    return file


def read(folder: Path) -> list[GalleryDeal]:
    """Return the deals of the gallery in `folder`, [] for a new one; raise GalleryError for a wrong list."""
    file = folder / _LIST
    if not (file.exists() or file.is_symlink()):
        return []
    found = read_object(file, "gallery", FORMAT, GalleryError, inside=True)
    return structured(found.get("deals"), list[GalleryDeal], file, GalleryError)


def _index(deals: Sequence[GalleryDeal], language: str) -> str:
    style = Markup((film.PLAYER / "player.css").read_text(encoding="utf-8").strip())
    return render("gallery", language=language, words=_WORDS[language], style=style, deals=deals)
