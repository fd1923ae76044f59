"""The tale of a storytelling game as a page (HTML)."""

from collections.abc import Sequence

from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import TaleWords, sayings_of, words_of
from sobremesa.report import show
from sobremesa.report.page import render


def page(game: Game, plies: Sequence[Ply], names: Sequence[str], language: str) -> str:
    """Return a self-contained page with the tale of a deal: a paragraph for each turn, with its teller.

    The game must have a tale.
    """
    states, words = plies[-1].states, words_of(game, sayings_of(plies))
    assert isinstance(words, TaleWords)
    paragraphs = words.paragraphs(states, language)
    told = [{"seat": teller, "name": names[teller], "text": text} for teller, text in paragraphs]
    return render(
        "tale",
        language=language,
        title=game.words.title[language],
        paragraphs=told,
        seating=show.seating(game, names, language),
        result=show.result(game, states, names, language),
    )
