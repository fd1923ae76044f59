"""Report of a ladder: ratings, matrix of win rates, balance of the seats, and replays."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.replay import Replay, plies
from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.game import Game
from sobremesa.report import film
from sobremesa.report.ladder_words import WORDS, interval, labels, method, notes, seat_labels, table_line, words_of
from sobremesa.report.page import Bar, render, scale
from sobremesa.report.show import seating, sight


def report(
    game: Game, ladder: Leaderboard, replays: Sequence[Replay], language: str, limit: float | None = None,
    forfeits: Sequence[Mapping[str, Any]] = (),
) -> str:  # fmt: skip
    """Return the report (HTML) of `ladder` with `replays`.

    `limit` is the time limit for a move of external agents in seconds, None without external agents; `forfeits` comes
    from `forfeits.found`.
    """
    kind, words, seats = nature(game), words_of(game, language), _seats(game, ladder, language)
    names, form = labels(game, ladder, language), kind.form
    ratings = [
        Bar(names[one.agent], one.value, one.low, one.high,
            words["fixed"] if one.agent in ladder.anchors else interval(one.low, one.high, form, language))
        for one in ladder.rungs
    ]  # fmt: skip
    ratings = [row._replace(say=f"{row.value:{form}} ({row.say})") for row in ratings]
    ahead = [
        [names[one.agent], f"{one.ahead.mean:+{form}}", interval(one.ahead.low, one.ahead.high, f"+{form}", language)]
        for one in ladder.rungs
        if one.ahead is not None
    ]
    by_seat = [[name, *(f"{rate:.3f}" for rate in rates)] for name, rates in ladder.by_seat.items()]
    fair = kind.baseline(len(seats)) or 0.0
    return render(
        "ladder",
        title=words["title"].format(title=game.words.title[language]),
        language=language,
        words=words,
        kind=kind,
        ladder=ladder,
        line=table_line(game, ladder, language),
        names=[names[name] for name in ladder.agents],
        ratings=ratings,
        rating_ends=scale(ratings) if kind.rated else kind.limits,
        ahead=ahead,
        fair=fair,
        seats=seats,
        seat_ends=scale(seats, 0.8 * fair, 1.2 * fair),
        by_seat=[[words["agent"], *(seat.label for seat in seats)], *by_seat],
        deals=[_deal(game, one, language) for one in replays],
        method=[*notes(game, ladder, language), *method(game, ladder, language, limit), *_lost(forfeits, language)],
    )


def _lost(forfeits: Sequence[Mapping[str, Any]], language: str) -> list[str]:
    who = ", ".join(f"{one['agent']} {one['rows']:,} ({one['kind']})" for one in forfeits)
    return [WORDS[language]["forfeits"].format(who=who)] if who else []


def _seats(game: Game, ladder: Leaderboard, language: str) -> list[Bar]:
    """Return the win rate of each seat, [] in cooperative games."""
    return [
        Bar(label, *one, f"{one.mean:.3f} ({interval(one.low, one.high, '.3f', language)})")
        for label, one in zip(seat_labels(game, ladder, language), ladder.seats, strict=True)
    ]


def _deal(game: Game, replay: Replay, language: str) -> dict[str, Any]:
    """Return the open table of a deal: its title, a page (HTML) to play it, and the height of its picture by width."""
    title = seating(game, replay.agents, language)
    shown = sight(game, list(plies(replay, game)), replay.agents, None, language)
    box = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', shown.scenes[0])
    return {
        "title": title,
        "page": film.page(f"{title}   --seed {replay.seed}", [shown], language),
        "ratio": float(box[2]) / float(box[1]) if box else 1.0,
    }
