"""A deal in a terminal: its events as lines, or a table that is redrawn in place."""

import shutil
import textwrap
import time
from collections.abc import Callable, Sequence

from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import TaleWords, sayings_of, words_of
from sobremesa.report import show
from sobremesa.report.thinking import Thinker

CLEAR = "\x1b[H\x1b[J"  # moves to the upper left corner and clears the screen
EVENTS = 3  # captions above the table


def events(
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
) -> str:
    """Return the events of a deal in the view of `viewer`, a line a ply, then the last table and the result."""
    *told, (end, result) = show.captioned(game, plies, names, viewer, language, thinker)
    lines = [show.seating(game, names, language), "", *(caption for _, caption in told)]
    words = words_of(game, sayings_of(plies))
    lines += ["", words.describe(end.states, viewer, language), "", result]
    if isinstance(words, TaleWords) and viewer is not None:  # the open table has the whole tale already
        lines += ["", words.tale(end.states, language)]
    return "\n".join(lines)


def replay(
    game: Game,
    plies: Sequence[Ply],
    names: Sequence[str],
    viewer: int | None,
    language: str,
    thinker: Thinker | None = None,
    seconds: float = 1.0,
    write: Callable[[str], object] = print,
    wait: Callable[[float], object] = time.sleep,
) -> None:
    """Show a deal on a terminal: each table takes the place of the last one for `seconds`, under the latest events.

    A table that is higher than the terminal is cut below, except the last one.
    """
    told: list[str] = []
    head, words = show.seating(game, names, language), words_of(game, sayings_of(plies))
    for ply, caption in show.captioned(game, plies, names, viewer, language, thinker):
        width, height = shutil.get_terminal_size()
        lines = [head, ""]
        for one in told[-EVENTS:]:
            lines += textwrap.wrap(one, width - 1, subsequent_indent="   ")
        lines += ["", *words.describe(ply.states, viewer, language).splitlines()]
        last = ply is plies[-1]
        write(CLEAR + "\n".join(lines if last else lines[: height - 1]))
        if last:
            write("\n" + caption)
            return
        told.append(caption)
        wait(seconds)
