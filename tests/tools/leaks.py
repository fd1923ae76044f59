"""Compare the bytes of each client with those in other worlds, over random deals of all games.

At moments of a deal the frame of each client is made twice: of the true table, and of a table whose hidden part is
resampled for the seat of the client. The bytes must be equal. Further checks:

- The frames of the plies that a client is shown one by one are compared in the same way.
- Onlookers get no secret of any seat: their frames are equal in the worlds of every seat. In games with hidden turns
  they see no table. Their event log has only sentences that every seat gets in the same words.
- The view of a seat, from which hints and agents follow, is equal too.
- In games with hidden turns, the frames of waiting seats do not change while other seats decide.

`test_every_answer_is_the_same_in_other_worlds` checks pages, headers and refusals.

    .venv/bin/python tests/tools/leaks.py --deals 10000

A deal follows from its number alone. A stopped run prints the number to continue with (`--from`).
"""

import argparse
import contextlib
import copy
import importlib
import importlib.util
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sobremesa import envs
from sobremesa.envs.core import news
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.testing.secrets import redealt
from sobremesa.serve.frames import frame, status, step, steps
from sobremesa.serve.seated import PERSON, Seated
from sobremesa.serve.store import Store
from sobremesa.serve.table import Opening, Refused, open_table

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

TOGETHER = 50  # deals that share a store
LATEST = 3  # plies whose sentences are made again in other worlds, each time


class Leaked(AssertionError):
    """A client got information that its seat cannot have; the message names the deal, ply and client."""


def makers(game, setup):
    """Return samplers of worlds: the game's own `redeal`, and the reference sampler of the tests, if any."""
    found = [redealt(game)]
    chained = game.name == "erase_una_vez" and setup["chain"]  # the reference sampler lacks this option
    if not chained and importlib.util.find_spec(f"worlds_{game.name}"):
        obvious = importlib.import_module(f"worlds_{game.name}").sample_world
        found.append(lambda states, seat, seed: obvious(states, seat, np.random.default_rng(seed)))
    return found


def elsewhere(table, seat, since, sample, seed):
    """Return `table` in worlds that fit the information of `seat`, for the plies that it saw from `since` on."""
    twin = copy.copy(table)
    twin.deal = deal = copy.copy(table.deal)
    deal.plies, now = list(deal.plies), table.shown(seat)
    for number in range(since, min(now + 1, len(deal.plies))):
        deal.plies[number] = deal.plies[number]._replace(states=_world(deal.at(number), seat, sample, seed + number))
    if now == len(deal.plies):
        deal.states = _world(deal.states, seat, sample, seed + now)
    # The log of onlookers has only sentences of all seats, which `Look._look_on` checks.
    deal._logs = {one: list(told if one[0] == PUBLIC else told[:since]) for one, told in deal._logs.items()}
    return twin


def _world(states, seat, sample, seed):
    """Return a world of `seat` with the true news, which only `tell` reads and the secrets kit checks."""
    world = sample(states, seat, seed)
    for field in news.fields_of(states.dtype):
        world[field] = states[field]
    return world


class Look:
    """Comparison of a table with other worlds, for all viewers; `show(table, viewer, language)` returns bytes."""

    def __init__(self, table, where, show=frame):
        self.table, self.where, self.show = table, where, show
        self.makers = makers(table.game, table.game.setup(table.deal.states))
        self.since = dict.fromkeys((PUBLIC, *range(table.deal.seats)), 0)  # earlier plies are checked
        self.frames = self.bytes = self.differed = 0
        self.here = {}  # bytes of the true table, by viewer and width

    def __call__(self, language, number):
        table, deal = self.table, self.table.deal
        sample = self.makers[number % len(self.makers)]
        for seat in range(deal.seats):
            shown = table.shown(seat)
            since = max(self.since[seat], shown - LATEST)
            deal.log(seat, language, since)
            deal.log(PUBLIC, language, shown)
            twin = elsewhere(table, seat, since, sample, 1000 * number)
            self.differed += twin.deal.at(shown).tobytes() != deal.at(shown).tobytes()
            self._compare(seat, seat, twin, language)
            if _known(table, seat) != _known(twin, seat):
                raise Leaked(f"{self.where}, ply {len(deal.plies)}: the view of seat {seat} in its own world")
            self._compare_steps(seat, twin, language, since)
            if not table.secret_turns:
                self._compare(PUBLIC, seat, twin, language)
        self._look_on(language)
        self.here.clear()
        self.since = {viewer: table.shown(viewer) for viewer in self.since}

    def _compare(self, viewer, seat, twin, language):
        """Compare the bytes of `viewer` here and in a world of `seat`."""
        narrow = {} if self.show is not frame else {"narrow": self.frames % 2 == 1}
        shown = (viewer, *narrow.values())
        if shown not in self.here:
            self.here[shown] = self.show(self.table, viewer, language, **narrow)
        here, there = self.here[shown], self.show(twin, viewer, language, **narrow)
        self._count(here, viewer)
        if here != there:
            who = "onlookers, in a world of" if viewer == PUBLIC else "in its own world"
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: {who} seat {seat}")

    def _compare_steps(self, seat, twin, language, since):
        """Compare the frames of the plies that `seat` is shown one by one."""
        for ply in steps(self.table, seat, since - 1):
            here, there = (step(one, seat, language, self.frames % 2 == 1, ply) for one in (self.table, twin))
            self._count(here, seat)
            if here != there:
                raise Leaked(f"{self.where}, ply {ply}, shown at {len(self.table.deal.plies)}: seat {seat}")

    def _look_on(self, language):
        told = self.show(self.table, PUBLIC, language)
        self._count(told, PUBLIC)
        shown = json.loads(told)
        never = ["actions", "links", "mine", "over"] + (["scene", "text"] if self.table.secret_turns else [])
        drawn = [shown[name] for name in never if shown[name]]
        heard = [set(self.table.deal.log(seat, language, self.table.shown(PUBLIC))) for seat in self.since if seat >= 0]
        if drawn or not all(set(shown["told"]) <= one for one in heard):
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: onlookers")

    def _count(self, content, viewer):
        self.frames += 1
        self.bytes += len(content)
        if str(self.table.opening.seed).encode() in content:
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: viewer {viewer} gets the seed")

    def back(self):
        """Follow a take-back of the table."""
        self.since = {viewer: min(since, self.table.shown(viewer)) for viewer, since in self.since.items()}


def _known(table, seat):
    """Return the view of `seat` as bytes; hints follow from it."""
    view = table.view(seat)
    return view.state.tobytes(), view.observation.tobytes(), view.mask.tobytes(), view.stream.tobytes()


class Waiting:
    """Viewers that wait while another seat decides in secret: their frames and requests must not change."""

    def __init__(self, table, where):
        self.table, self.where, self.lot, self.before = table, where, random.Random(where), {}

    def look(self):
        """Keep the frames before a move, during an unanswered request to take back."""
        if not self.table.secret_turns:
            return
        if self.table.take_back is None and self.lot.random() < 0.03:
            with contextlib.suppress(Refused):
                seat = self.lot.randrange(self.table.deal.seats)
                self.table.request_take_back(seat, self.table.moment(seat))
        viewers = (PUBLIC, *range(self.table.deal.seats)) if self.table.take_back else ()
        self.before = {one: self._shown(one) for one in viewers if not self.table.to_act(one)}

    def _shown(self, viewer):
        return self.table.shown(viewer), status(self.table, viewer, "en")

    def same(self):
        """Compare the frames after the move; raise Leaked if one of a viewer that still waits has changed."""
        for viewer, shown in self.before.items():
            if not self.table.deal.over and not self.table.to_act(viewer) and self._shown(viewer) != shown:
                ply = len(self.table.deal.plies)
                raise Leaked(f"{self.where}, ply {ply}: viewer {viewer} can see that another seat decided")
        if self.lot.random() < 0.1:
            self.withdraw()

    def withdraw(self):
        if self.table.take_back:
            self.table.agree(self.table.take_back.seat, self.table.take_back.number, False)


def fuzz(game, store, number, every, show=frame, plies=None):
    """Play a random deal, or `plies` of it, with wrong and repeated moves and take-backs, and compare at times."""
    lot = random.Random(f"{game.name} {number}")
    setup = lot.choice(setups(game))
    seats = setup.get("seats", game.default_seats)
    seated = tuple(Seated(PERSON, f"person {seat}") for seat in range(seats))
    seed = lot.randrange(2**62, 2**63)
    table = open_table(store, Opening(game.name, {**setup, "seats": seats}, seed, seated, PUBLIC))
    look = Look(table, f"{game.id}, deal {number}, setup {setup}", show)
    waiting = Waiting(table, look.where)
    while not table.deal.over and (plies is None or table.version < plies):
        if lot.random() < 0.1:
            _anything(table, lot)
            if table.deal.over:
                break
        seat, moment = table.deal.seat, table.moment(table.deal.seat)
        action = int(lot.choice(np.flatnonzero(table.deal.mask)))
        waiting.look()
        table.play(seat, moment, action)
        table.play(seat, moment, action)  # sent twice
        waiting.same()
        if lot.random() < 0.02 and not table.deal.over:
            waiting.withdraw()
            table.request_take_back(seat, table.moment(seat))
            for other in range(seats):
                if table.take_back is not None and other != seat:
                    table.agree(other, table.take_back.number, True)
            look.back()
        if (lot.random() < 1 / every or table.version == 6) and not table.deal.over:
            look(lot.choice(LANGUAGES), len(table.deal.plies) + 1)
    return look


def _anything(table, lot):
    """Send a random message: it is a move, or refused without a change."""
    before, seat = table.version, lot.randrange(table.deal.seats)
    try:
        table.play(seat, lot.randrange(-2, 40), lot.randrange(-2, table.game.num_actions + 2))
    except Refused:
        assert table.version == before


def main(deals, every, first=0, minutes=None, told=print):
    """Fuzz `deals` deals from number `first` on, over all games in turn; return the counts.

    Stops after `minutes` of CPU time; the result has the next number.
    """
    games = [envs.load(name) for name in envs.games()]
    tally = {"from": first, "next": first, "deals": 0, "frames": 0, "bytes": 0, "differed": 0}
    while tally["deals"] < deals and (minutes is None or time.process_time() < 60 * minutes):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "tables.sqlite")
            for number in range(tally["next"], min(tally["next"] + TOGETHER, first + deals)):
                look = fuzz(games[number % len(games)], store, number, every)
                for name in ("frames", "bytes", "differed"):
                    tally[name] += getattr(look, name)
                tally["deals"] += 1
                tally["next"] += 1
            store.close()
        told(tally, f"{time.process_time() / 60:.1f} CPU minutes", flush=True)
    return tally


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=10_000)
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first deal")
    parser.add_argument("--every", type=int, default=60, help="plies between two comparisons, on average")
    parser.add_argument("--minutes", type=float, help="most CPU minutes")
    arguments = parser.parse_args()
    print(main(arguments.deals, arguments.every, arguments.first, arguments.minutes), sys.version.split()[0])
