"""Tables in the terminal and in Markdown."""

from collections.abc import Sequence

from sobremesa.agents.arena.score import Score, nature
from sobremesa.envs.core.game import Game
from sobremesa.report.ladder_words import interval

LONGEST_SHOWN = 32  # characters of an agent's name
_INTERVAL = "95 % interval"


def print_scores(game: Game, scores: Sequence[Score]) -> None:
    """Print a table of scores without empty columns."""
    value = "payoff" if any(one.role for one in scores) else nature(game).value
    head = ["candidate", "role", "reference", "opponents", "seats", value, _INTERVAL, "baseline", "ahead by", _INTERVAL,
            "beats", "by seat", "variance"]  # fmt: skip
    columns = [column for column in zip(head, *map(_cells, scores), strict=True) if any(column[1:])]
    print("\n".join(aligned(list(zip(*columns, strict=True)))))


def _cells(one: Score) -> list[str]:
    return [
        short(one.candidate), one.role, short(one.reference), " + ".join(map(short, one.opponents)), str(one.seats),
        f"{one.value:.3f}", interval(one.low, one.high, ".3f", "en"), f"{one.baseline:.3f}", f"{one.lead:+.3f}",
        interval(one.lead_low, one.lead_high, "+.3f", "en"), "yes" if one.beats else "no",
        " ".join(f"{rate:.2f}" for rate in one.by_seat), f"x {one.variance_ratio:.2f}" if one.by_seat else "",
    ]  # fmt: skip


def short(name: str) -> str:
    """Return `name`, or its end if it is too long."""
    return name if len(name) <= LONGEST_SHOWN else "…" + name[1 - LONGEST_SHOWN :]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return `rows` as lines with aligned columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def folded(rows: Sequence[Sequence[str]], width: int = 100) -> list[str]:
    """Return `rows` as aligned lines of at most `width` characters if columns allow it: the rest in tables below."""
    lines, columns = list[str](), list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    first = 1
    while first < len(columns):
        last, used = first, widths[0]
        while last < len(columns) and (last == first or used + 2 + widths[last] <= width):
            used, last = used + 2 + widths[last], last + 1
        lines += ["", *aligned(list(zip(columns[0], *columns[first:last], strict=True)))]
        first = last
    return lines[1:]


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table of `rows`, the first of which is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
