"""The report of a ladder: one page with the ladder, who beats whom, the balance of the seats, and deals to watch."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sobremesa.agents.arena.leaderboard import Standings
from sobremesa.agents.arena.replay import Replay, plies
from sobremesa.envs.core.game import Game
from sobremesa.report import film, page
from sobremesa.report.ladder_words import WORDS, interval, labels, method, seat_labels, table_line
from sobremesa.report.page import Bar
from sobremesa.report.show import seating, sight


def report(
    game: Game, ladder: Standings, replays: Sequence[Replay], language: str, limit: float | None = None,
    forfeits: Sequence[Mapping[str, Any]] = (),
) -> str:  # fmt: skip
    """Return the report (HTML) of `ladder`, in which `replays` can be watched.

    `limit` is how many seconds foreign agents had for a move, None if there were none; `forfeits` are those of
    `forfeits.found`.
    """
    words = WORDS[language]
    names = labels(game, ladder, language)
    form = ".3f" if game.cooperative else ".0f"
    rows = [
        Bar(names[one.agent], one.value, one.low, one.high,
            words["fixed"] if one.agent in ladder.anchors else interval(one.low, one.high, form, language))
        for one in ladder.rungs
    ]  # fmt: skip
    rows = [row._replace(say=f"{row.value:{form}} ({row.say})") for row in rows]
    parts = [
        f'<p class="quiet">{page.text(table_line(game, ladder, language))}</p>',
        page.heading(words["ladder"], words["team note" if game.cooperative else "ladder note"]),
        page.bars(rows, (0, 1) if game.cooperative else page.scale(rows)),
        *_ahead(ladder, names, form, language),
        *_matrix(game, ladder, names, language),
        *(_balance(game, ladder, language) if ladder.seats else []),
        *([page.heading(words["replays"]), *(_deal(game, one, language) for one in replays)] if replays else []),
        page.heading(words["method"]),
        *(f"<p>{page.text(line)}</p>" for line in [*method(game, ladder, language, limit), *_lost(forfeits, language)]),
    ]
    return page.write(words["title"].format(title=game.title[language]), language, parts)


def _lost(forfeits: Sequence[Mapping[str, Any]], language: str) -> list[str]:
    who = ", ".join(f"{one['agent']} {one['rows']:,} ({one['kind']})" for one in forfeits)
    return [WORDS[language]["forfeits"].format(who=who)] if who else []


def _ahead(ladder: Standings, names: dict[str, str], form: str, language: str) -> list[str]:
    words = WORDS[language]
    rows = [
        [names[one.agent], f"{one.ahead.mean:+{form}}", interval(one.ahead.low, one.ahead.high, f"+{form}", language)]
        for one in ladder.rungs
        if one.ahead is not None
    ]
    return ["<p></p>", page.table([[words["agent"], words["ahead"], words["interval"]], *rows])] if rows else []


def _matrix(game: Game, ladder: Standings, names: dict[str, str], language: str) -> list[str]:
    words = WORDS[language]
    heads = [names[name] for name in ladder.agents]
    if game.cooperative:
        return [
            page.heading(words["lead"], words["lead note"]),
            page.heat(heads, ladder.matrix, 0, (-0.5, 0.5), "+.3f"),
        ]
    fair = 1 / len(ladder.seats)
    note = words["matrix note"].format(fair=fair)
    return [page.heading(words["matrix"], note), page.heat(heads, ladder.matrix, fair, (0, 1), ".3f")]


def _balance(game: Game, ladder: Standings, language: str) -> list[str]:
    words = WORDS[language]
    seats = seat_labels(game, ladder, language)
    rows = [
        Bar(label, *one, f"{one.mean:.3f} ({interval(one.low, one.high, '.3f', language)})")
        for label, one in zip(seats, ladder.seats, strict=True)
    ]
    by_agent = [[name, *(f"{share:.3f}" for share in shares)] for name, shares in ladder.by_seat.items()]
    fair = 1 / len(seats)
    return [
        page.heading(words["role balance" if game.roles else "balance"], words["balance note"]),
        page.bars(rows, page.scale(rows, 0.8 * fair, 1.2 * fair), fair),
        "<p></p>",
        page.table([[words["agent"], *seats], *by_agent]),
    ]


def _deal(game: Game, replay: Replay, language: str) -> str:
    """Return the open table of a deal, to be played and stepped through."""
    title = seating(game, replay.agents, language)
    shown = sight(game, list(plies(replay, game)), replay.agents, None, language)
    box = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', shown.scenes[0])
    ratio = float(box[2]) / float(box[1]) if box else 1
    return page.frame(film.page(f"{title}   --seed {replay.seed}", [shown], language), title, ratio)
