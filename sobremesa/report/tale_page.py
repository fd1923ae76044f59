"""The tale of a storytelling game as a page (HTML)."""

from collections.abc import Sequence

import numpy as np

from sobremesa.envs.core.game import Game
from sobremesa.report import show
from sobremesa.report.page import render


def page(game: Game, states: np.ndarray, names: Sequence[str], language: str) -> str:
    """Return a self-contained page with the tale of `(1,)` `states`: a paragraph for each turn, with its teller.

    The game must have a tale.
    """
    assert game.words.paragraphs is not None
    told = [
        {"seat": teller, "name": names[teller], "text": text}
        for teller, text in game.words.paragraphs(states, language)
    ]
    return render(
        "tale",
        language=language,
        title=game.words.title[language],
        paragraphs=told,
        seating=show.seating(game, names, language),
        result=show.result(game, states, names, language),
    )
