"""Deals in the terminal and as animations: `sobremesa play` and `sobremesa watch`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.arena.score import nature
from sobremesa.agents.human import Human, Quit
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.deal import Ply, deal_between, outcome, payoffs
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import SEAT_SIGNS, Game
from sobremesa.envs.core.sayings import Saying, TaleWords, sayings_of, words_of
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.wording import picture_of, plainly
from sobremesa.report.film import Scenes, ViewerFilm, page, write_gif
from sobremesa.report.thinking import Thinker

_COLOURS = ("bright_red", "bright_blue", "bright_green", "bright_yellow", "bright_magenta", "bright_cyan")  # of seats
_PARAGRAPH = "\n\n"  # the first paragraph of a game's help states the aim

_WORDS = {
    "en": {
        "won": "wins", "shared": "share the win", "together": "All win", "lost": "All lose",
        "alone": "The deal is won", "lost alone": "The deal is lost",
        "open": "Open table", "you": "(you)", "revealed": "All is revealed:",
        "how": "Type a move by its name, or by its number where moves are numbered.\n"
               "Type hint for a hint, ? for the rules, and q to leave.",
    },
    "es": {
        "won": "gana", "shared": "comparten la victoria", "together": "Ganan todos",
        "lost": "Pierden todos", "alone": "Partida ganada", "lost alone": "Partida perdida",
        "open": "Mesa abierta", "you": "(tú)", "revealed": "Todo queda a la vista:",
        "how": "Escribe la jugada por su nombre, o por su número si las hay numeradas.\n"
               "Escribe pista para una pista, ? para ver las reglas y q para salir.",
    },
}  # fmt: skip


def board(game: Game, language: str) -> Path | None:
    """Return the path of the picture (SVG) that comes with `game`, None without one.

    Without one for `language`, this is `board.svg`.
    """
    return next(iter([*home.matching(game, f"board.{language}.svg"), *home.matching(game, "board.svg")]), None)


def play(
    game: Game, seated: Sequence[Agent], called: Sequence[str], seed: int, language: str, **setup: Any
) -> list[Ply]:
    """Play a deal with the one Human among `seated`, printing the moves of the others from that view.

    `called` has the name of each agent to show. The end reveals all hidden information. Returns the plies, [] if the
    person left.
    """
    words = _WORDS[language]
    mine = next(seat for seat, agent in enumerate(seated) if isinstance(agent, Human))
    names = [words["you"] if seat == mine else name for seat, name in enumerate(called)]
    tell = seated[mine].tell = in_colour()  # type: ignore[attr-defined]
    tell(seating(game, names, language))
    tell(f"\n{game.words.help(language).split(_PARAGRAPH)[0]}\n\n{words['how']}")
    plies: list[Ply] = []
    try:
        for ply in deal_between(game, seated, seed, **setup):
            plies.append(ply)
            if ply.action == OVER:
                whole = words_of(game, sayings_of(plies)).describe(ply.states, None, language)
                tell(f"\n{words['revealed']}\n\n{whole}")
                tell("\n" + result(game, ply.states, names, language))
                return plies
            said = sayings_of(plies)
            for sentence in words_of(game, said).tell(ply.states, ply.action, outcome(game, ply), mine, language):
                tell("  " + _named(sentence, names))
    except (Quit, KeyboardInterrupt):
        pass
    return []


def in_colour() -> Callable[[str], None]:
    """Return a function that prints text, with rich in colour: one colour for each seat, inputs in bold."""
    try:
        from rich.console import Console
        from rich.highlighter import Highlighter
        from rich.text import Text
    except ImportError:
        return print

    class Seats(Highlighter):
        def highlight(self, text: Text) -> None:
            for sign, colour in zip(SEAT_SIGNS, _COLOURS, strict=True):
                text.highlight_regex(sign, f"bold {colour}")
            text.highlight_regex(r"^ +\d+\) .*|(?<=: )[+-]\d\.\d\d", "bold")

    console = Console(highlighter=Seats(), soft_wrap=True, markup=False, emoji=False)
    return lambda text: console.print(text)


def _named(sentence: str, names: Sequence[str]) -> str:
    """Return a sentence of the story with the name of each seat behind its sign."""
    for sign, name in zip(SEAT_SIGNS, names, strict=False):
        sentence = sentence.replace(sign, f"{sign} {name}")
    return sentence


def seating(game: Game, names: Sequence[str], language: str) -> str:
    """Return one line with the sign, role and agent of each seat."""
    return " · ".join(_seated(game, seat, name, language) for seat, name in enumerate(names))


def _seated(game: Game, seat: int, name: str, language: str) -> str:
    roles = nature(game).roles
    role = f"{roles[language][seat]}: " if roles else ""
    return f"{SEAT_SIGNS[seat]} {role}{name}"


def watch_text(
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
) -> str:
    """Return a deal as text in the view of `viewer` (None: everything), with value estimates of `thinker`."""
    parts, words = [seating(game, names, language)], words_of(game, sayings_of(plies))
    for ply, caption in captioned(game, plies, names, viewer, language, thinker):
        parts.append(words.describe(ply.states, viewer, language))
        parts.append(caption)
    if isinstance(words, TaleWords) and viewer is not None:  # the open table has the whole tale already
        parts.append(words.tale(plies[-1].states, language))
    return "\n\n".join(parts)


def captioned(
    game: Game,
    plies: Iterable[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
) -> Iterator[tuple[Ply, str]]:
    """Yield each ply with its caption: the events, value estimates of `thinker`, at the end the result.

    If the turns are hidden, a `viewer` gets the events between two of its decisions together: the number of plies would
    reveal which players had a choice.
    """
    number = 0
    start: Ply | None = None
    told: list[str] = []
    said: list[Saying] = []
    for ply in plies:
        said += [ply.saying] if ply.saying is not None else []
        known = "turns" not in game.hidden or viewer in (None, ply.seat) or ply.action == OVER
        if told and start is not None and known:
            number += 1
            thought = thinker.at(start, language) if thinker and viewer in (None, start.seat) else ""
            yield start, f"{number}. {_sentences(told)}" + f" [{thought}]" * bool(thought)
            start, told = None, []
        if ply.action == OVER:
            yield ply, result(game, ply.states, names, language)
            return
        start = ply if start is None else start
        told += words_of(game, said).tell(ply.states, ply.action, outcome(game, ply), viewer, language)


def _sentences(told: Sequence[str]) -> str:
    """Join events into one line, with semicolons after those that are not sentences."""
    return " ".join(one if one[-1] in ".!?" else f"{one};" for one in told).rstrip(";")


def result(game: Game, states: np.ndarray, names: Sequence[str], language: str) -> str:
    """Return one line with the winners and the payoff of each seat."""
    paid = ", ".join(f"{payoff:+.2f}" for payoff in payoffs(game, states))
    return f"{verdict(game, states, names, language)}  [{paid}]"


def verdict(game: Game, states: np.ndarray, names: Sequence[str], language: str) -> str:
    """Return a sentence that names the winners; a team wins or loses, and so does a single player."""
    paid, words = payoffs(game, states), _WORDS[language]
    if not nature(game).rated:
        if len(paid) == 1:
            return words["alone" if paid.any() else "lost alone"]
        return words["together" if paid.any() else "lost"]
    best = np.flatnonzero(paid == paid.max()).tolist()
    winners = ", ".join(_seated(game, seat, names[seat], language) for seat in best)
    return f"{winners} {words['won' if len(best) == 1 else 'shared']}"


def film(
    path: Path,
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
) -> None:
    """Write a deal to `path` as an animation: .html (a page with play and step) or .gif.

    A page without a `viewer` opens with the open table and also offers the view of each seat.
    """
    if path.suffix.lower() == ".html":
        everybody = [None, *range(len(names))] if viewer is None and game.hidden else [viewer]
        sights = [sight(game, plies, names, one, language, thinker) for one in everybody]
        write_whole(path, page(f"{game.words.title[language]}: {seating(game, names, language)}", sights, language))
    elif path.suffix.lower() == ".gif":
        write_gif(path, sight(game, plies, names, viewer, language).scenes)
    else:
        raise ValueError(f"{path}: an animation is written as .html or .gif")


def sight(
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
    *,
    narrow: bool = False,
) -> ViewerFilm:
    """Return a deal in the view of `viewer` (None: everything), with value estimates of `thinker`.

    `narrow` selects pictures for phones, where the game has them.
    """
    shown = list(captioned(game, plies, names, viewer, language, thinker))
    draw = picture_of(game.words, narrow)
    return ViewerFilm(
        name=_WORDS[language]["open"] if viewer is None else _seated(game, viewer, names[viewer], language),
        scenes=Scenes(lambda states: draw(states, viewer, language), [ply.states for ply, _ in shown]),
        captions=[plainly(game.words, one, language) for _, one in shown],
        plies=[int(ply.states["ply"][0]) for ply, _ in shown],
    )
