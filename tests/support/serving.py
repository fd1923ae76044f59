"""Helpers that open tables of the server and play at them."""

import json
import random
from urllib.parse import urljoin

from sobremesa.serve.frames import frame
from sobremesa.serve.opponents import Bench
from sobremesa.serve.table import BOT, PERSON, Opening, Seated

HOME = "http://127.0.0.1:8642"
LONG = 600  # seconds; tests never see the waiting page
SEED = 8_642_097_531_864_209_753  # unlikely to appear in a frame by chance


def opening(game, people=1, seats=None, seed=SEED, agent="simple", **setup):
    """Return the settings of a table: people at the first seats, `agent` at the others."""
    seats = seats or game.default_seats
    seated = [Seated(PERSON, f"person {seat}") for seat in range(people)]
    seated += [Seated(BOT, agent, agent)] * (seats - people)
    return Opening(game.name, {**setup, "seats": seats}, seed, tuple(seated), 0)


def landed(answer):
    """Return the path to which an answer redirects."""
    return urljoin(str(answer.request.url), answer.headers["location"]).removeprefix(HOME)


def seen(table, seat, language="en"):
    """Return the parsed frame of a seat."""
    return json.loads(frame(table, seat, language))


def play_on(table, choose=None, plies=None):
    """Play a table to its end or for `plies`; people use `choose(frame)`, or play at random."""
    bench, lot = Bench(table), random.Random(1)
    choose = choose or (lambda shown: lot.choice(shown["actions"])[0])
    while not table.deal.over and (plies is None or plies > 0):
        seat = table.deal.seat
        if table.opening.seated[seat].kind == BOT:
            table.play_agent(seat, table.version, bench.ask(seat, table.version))
        else:
            shown = seen(table, seat)
            table.play(seat, shown["moment"], choose(shown))
        plies = None if plies is None else plies - 1
    return table
