"""Chat and emotes of a table: the latest short lines of its players, in memory only."""

from collections import deque

from sobremesa.serve.guard import Bucket
from sobremesa.serve.table import Refused

LONGEST = 120  # characters of a line
KEPT = 30  # lines
RATE, BURST = 0.5, 4  # lines of a seat a second in the long run, and at once
EMOTES = ("😀", "😂", "😮", "😴", "❤")


class Chat:
    """The latest lines of a table; for use in the event loop only."""

    def __init__(self) -> None:
        self.count = 0  # lines so far
        self.lines: deque[tuple[int, str]] = deque(maxlen=KEPT)  # seats and texts, the oldest first
        self._buckets: dict[int, Bucket] = {}  # of the seats

    def add(self, seat: int, text: str) -> None:
        """Add a line of `seat`, without signs that cannot be printed.

        Raises Refused for an empty or too long line, and above the rate of the seat.
        """
        text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
        if not 0 < len(text) <= LONGEST:
            raise Refused("message")
        if not self._buckets.setdefault(seat, Bucket(RATE, BURST)).take():
            raise Refused("fast")
        self.lines.append((seat, text))
        self.count += 1
