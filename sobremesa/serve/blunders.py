"""Blunder reports for the pages, in words of each language."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sobremesa.agents.arena.blunders import Costly
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.wording import shown_name
from sobremesa.report.verdicts import difference


def shown(game: Game, found: Sequence[Costly], plies: Sequence[Ply]) -> list[dict[str, Any]]:
    """Return blunders in `plies` for the pages: what they cost and the names of actions, in words of each language."""
    name_of = partial(shown_name, game.words)
    return [
        {
            "ply": one.ply,
            "seat": one.seat,
            "more": {language: difference(one.gain, language) for language in LANGUAGES},
            **{
                name: {language: name_of(getattr(one, name), language, plies[one.ply].states) for language in LANGUAGES}
                for name in ("played", "better")
            },
        }
        for one in found
    ]
