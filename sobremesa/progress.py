"""Progress on standard error with the time left: a bar in a terminal with rich, plain lines otherwise."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[..., None]  # (done, total[, activity])


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """Yield a function of (done, total[, activity]) that shows the progress of `label`."""
    try:
        from rich import progress as bars
        from rich.console import Console
    except ImportError:
        yield _lines(label)
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(label)
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(elapsed_when_finished=False),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label)

        def update(done: int, total: int, doing: str = "") -> None:
            bar.update(task, completed=min(done, total), total=total, description=f"{label} {doing}".strip())

        yield update


def _lines(label: str) -> Progress:
    """Return a function that prints a line at each tenth, with the estimated time left."""
    last, began, first = -1, time.monotonic(), -1

    def update(done: int, total: int, doing: str = "") -> None:
        nonlocal last, first, began
        tenth = 10 * done // max(total, 1)
        if first < 0:  # work before this call does not count in the estimate
            first = done
        elif tenth < last:  # a new part begins
            first, began = done, time.monotonic()
        if tenth != last:
            last = tenth
            left = (time.monotonic() - began) * (total - done) / (done - first) if done > first else 0.0
            note = (
                f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left" if left > 0 else ""
            )
            note += f" ({doing})" if doing else ""
            print(f"{label}: {min(done, total):,} of {total:,}{note}", file=sys.stderr, flush=True)

    return update
