"""The tale of a storytelling game as a page (HTML)."""

from collections.abc import Sequence

from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import TaleWords, sayings_of, words_of
from sobremesa.report import show
from sobremesa.report.page import render
from sobremesa.report.players import counted_from_one

MOST = 3  # pictures of a paragraph
LETTERS = 160  # of a paragraph next to a picture


def page(
    game: Game, plies: Sequence[Ply], names: Sequence[str], language: str, links: Sequence[tuple[str, str]] = ()
) -> str:
    """Return a self-contained page with the tale of a deal: a paragraph for each turn, with its teller and pictures.

    A picture shows a thing where the tale first tells of it. `links` are addresses with their words. The game must have
    a tale.
    """
    states, words = plies[-1].states, words_of(game, sayings_of(plies))
    assert isinstance(words, TaleWords)
    told, seen = [], set[int]()
    for seat, text, things in words.paragraphs(states, language):
        new = [thing for thing in dict.fromkeys(things) if thing not in seen]
        seen |= {*new}
        pictures = [words.vignette(thing, language) for thing in new[: min(MOST, 1 + len(text) // LETTERS)]]
        told.append({"seat": seat, "name": names[seat], "text": text, "pictures": pictures})
    return render(
        "tale",
        language=language,
        title=game.words.title[language],
        paragraphs=told,
        links=links,
        seating=counted_from_one(show.seating(game, names, language)),
        result=counted_from_one(show.verdict(game, states, names, language)),
    )
