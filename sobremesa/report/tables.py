"""Tables in the terminal: columns in line, and the scores of agents."""

from collections.abc import Sequence

from sobremesa.agents.arena.play import Score
from sobremesa.agents.arena.teams import TeamScore

LONGEST_SHOWN = 32  # characters of an agent's name
_INTERVAL = "95 % interval"


def print_scores(scores: Sequence[Score] | Sequence[TeamScore]) -> None:
    """Print a table of scores."""
    teams = [_of_team(one) for one in scores if isinstance(one, TeamScore)]
    if teams:
        head = ["team", "reference", "seats", "success", _INTERVAL, "ahead by", _INTERVAL, "beats"]
        print("\n".join(aligned([head, *teams])))
        return
    head = ["candidate", "reference", "seats", "share", _INTERVAL, "fair", "beats", "by seat", "variance"]
    print("\n".join(aligned([head, *(_of_seat(one) for one in scores if isinstance(one, Score))])))


def _of_seat(one: Score) -> list[str]:
    return [
        short(one.candidate), short(one.reference), str(one.seats), f"{one.share:.3f}",
        f"{one.low:.3f} to {one.high:.3f}", f"{one.fair:.3f}", "yes" if one.beats else "no",
        " ".join(f"{share:.2f}" for share in one.by_seat), f"x {one.variance_ratio:.2f}",
    ]  # fmt: skip


def _of_team(one: TeamScore) -> list[str]:
    return [
        short(one.candidate), short(one.reference), str(one.seats), f"{one.share:.3f}",
        f"{one.low:.3f} to {one.high:.3f}", f"{one.lead:+.3f}", f"{one.lead_low:+.3f} to {one.lead_high:+.3f}",
        "yes" if one.beats else "no",
    ]  # fmt: skip


def short(name: str) -> str:
    """Return `name` as printed tables have it: where it is too long its end alone, which tells agents apart."""
    return name if len(name) <= LONGEST_SHOWN else "…" + name[1 - LONGEST_SHOWN :]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return `rows` as lines with aligned columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table of `rows`, the first of which is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
