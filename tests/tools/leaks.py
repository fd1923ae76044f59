"""What crosses the wire, set beside what would cross it in other worlds: of fuzzed deals over all games.

At moments of a deal each client's frame is made twice, of the table as it is and of a table whose hidden part was dealt
anew for that client's seat; the bytes must be the same. Who looks on may know nothing that is a secret of any seat:
what it is shown must be the same in the worlds of every seat, it is shown no table where turns are hidden, and told
nothing but what every seat is told in the same words. A seat's view itself must be the same, as hints and agents
follow from it. Where turns are hidden, nothing may change for those who wait while others are asked. Pages, headers and
refusals are tried by `test_every_answer_is_the_same_in_other_worlds`: before its end no deal has a part in them.

    .venv/bin/python tests/tools/leaks.py --deals 10000

A deal follows from its number alone. A run that stops before its end says with which number to go on (`--from`).
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
from sobremesa.serve.frames import frame, status
from sobremesa.serve.store import Store
from sobremesa.serve.table import PERSON, Opening, Refused, Seated, open_table

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

TOGETHER = 50  # deals that share a store
LATEST = 3  # plies whose sentences are told anew in other worlds, each time


class Leaked(AssertionError):
    """A client was sent something that its seat cannot know; the message names the deal, ply and client."""


def makers(game, setup):
    """Return samplers of worlds: the game's own `redeal`, and the slow one that tests have, where there is one."""
    found = [redealt(game)]
    chained = game.name == "erase_una_vez" and setup["chain"]  # an option that its slow one does not know
    if not chained and importlib.util.find_spec(f"worlds_{game.name}"):
        obvious = importlib.import_module(f"worlds_{game.name}").sample_world
        found.append(lambda states, seat, seed: obvious(states, seat, np.random.default_rng(seed)))
    return found


def elsewhere(table, seat, since, sample, seed):
    """Return `table` in worlds that `seat` holds possible, as far as it has been shown it from ply `since` on."""
    twin = copy.copy(table)
    twin.deal = deal = copy.copy(table.deal)
    deal.plies, now = list(deal.plies), table.shown(seat)
    for number in range(since, min(now + 1, len(deal.plies))):
        deal.plies[number] = deal.plies[number]._replace(states=_world(deal.at(number), seat, sample, seed + number))
    if now == len(deal.plies):
        deal.states = _world(deal.states, seat, sample, seed + now)
    # What those who look on are told is what all seats are told, each in worlds of its own: `Look._look_on` tries it.
    deal._logs = {one: list(told if one[0] == PUBLIC else told[:since]) for one, told in deal._logs.items()}
    return twin


def _world(states, seat, sample, seed):
    """Return a world of `seat`, with the news of what happened, which `tell` alone reads, and which the kit tries."""
    world = sample(states, seat, seed)
    for field in news.fields_of(states.dtype):
        world[field] = states[field]
    return world


class Look:
    """Looks at a table through all eyes, each time in other worlds; `show(table, viewer, language)` gives bytes."""

    def __init__(self, table, where, show=frame):
        self.table, self.where, self.show = table, where, show
        self.makers = makers(table.game, table.game.setup(table.deal.states))
        self.since = dict.fromkeys((PUBLIC, *range(table.deal.seats)), 0)  # what each viewer was told before was tried
        self.frames = self.bytes = self.differed = 0
        self.here = {}  # what was shown of the table as it is, by viewer and width

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
            if not table.secret_turns:
                self._compare(PUBLIC, seat, twin, language)
        self._look_on(language)
        self.here.clear()
        self.since = {viewer: table.shown(viewer) for viewer in self.since}

    def _compare(self, viewer, seat, twin, language):
        """Compare what `viewer` is shown here and in a world of `seat`."""
        narrow = {} if self.show is not frame else {"narrow": self.frames % 2 == 1}
        shown = (viewer, *narrow.values())
        if shown not in self.here:
            self.here[shown] = self.show(self.table, viewer, language, **narrow)
        here, there = self.here[shown], self.show(twin, viewer, language, **narrow)
        self._count(here, viewer)
        if here != there:
            who = "those who look on, in a world of" if viewer == PUBLIC else "in its own world"
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: {who} seat {seat}")

    def _look_on(self, language):
        told = self.show(self.table, PUBLIC, language)
        self._count(told, PUBLIC)
        shown = json.loads(told)
        never = ["actions", "links", "mine", "over"] + (["scene", "text"] if self.table.secret_turns else [])
        drawn = [shown[name] for name in never if shown[name]]
        heard = [set(self.table.deal.log(seat, language, self.table.shown(PUBLIC))) for seat in self.since if seat >= 0]
        if drawn or not all(set(shown["told"]) <= one for one in heard):
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: those who look on")

    def _count(self, content, viewer):
        self.frames += 1
        self.bytes += len(content)
        if str(self.table.opening.seed).encode() in content:
            raise Leaked(f"{self.where}, ply {len(self.table.deal.plies)}: viewer {viewer} is told the seed")

    def back(self):
        """Take back what was taken back at the table."""
        self.since = {viewer: min(since, self.table.shown(viewer)) for viewer, since in self.since.items()}


def _known(table, seat):
    """Return all that the view of `seat` holds: hints follow from it."""
    view = table.view(seat)
    return view.state.tobytes(), view.observation.tobytes(), view.mask.tobytes(), view.stream.tobytes()


class Waiting:
    """Those who wait while others are asked in secret: what they are shown stays as it is, and so do their wishes."""

    def __init__(self, table, where):
        self.table, self.where, self.lot, self.before = table, where, random.Random(where), {}

    def look(self):
        """Look at what is shown before somebody plays, while somebody wishes to take back and nobody has answered."""
        if not self.table.secret_turns:
            return
        if self.table.take_back is None and self.lot.random() < 0.03:
            with contextlib.suppress(Refused):
                self.table.request_take_back(self.lot.randrange(self.table.deal.seats))
        viewers = (PUBLIC, *range(self.table.deal.seats)) if self.table.take_back else ()
        self.before = {one: self._shown(one) for one in viewers if not self.table.to_act(one)}

    def _shown(self, viewer):
        return self.table.shown(viewer), status(self.table, viewer, "en")

    def same(self):
        """Look again after it: raise Leaked where something has changed for whoever waits still."""
        for viewer, shown in self.before.items():
            if not self.table.deal.over and not self.table.to_act(viewer) and self._shown(viewer) != shown:
                ply = len(self.table.deal.plies)
                raise Leaked(f"{self.where}, ply {ply}: viewer {viewer} could tell that somebody was asked")
        if self.lot.random() < 0.1:
            self.withdraw()

    def withdraw(self):
        if self.table.take_back:
            self.table.agree(self.table.take_back.seat, False)


def fuzz(game, store, number, every, show=frame, plies=None):
    """Play a deal by lot, or so many `plies`, with wrong and repeated moves and take-backs; look now and then."""
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
        table.play(seat, moment, action)  # said twice
        waiting.same()
        if lot.random() < 0.02 and not table.deal.over:
            waiting.withdraw()
            table.request_take_back(seat)
            for other in range(seats):
                if table.take_back is not None and other != seat:
                    table.agree(other, True)
            look.back()
        if (lot.random() < 1 / every or table.version == 6) and not table.deal.over:
            look(lot.choice(LANGUAGES), len(table.deal.plies) + 1)
    return look


def _anything(table, lot):
    """Say anything: it is a move, or refused with nothing changed."""
    before, seat = table.version, lot.randrange(table.deal.seats)
    try:
        table.play(seat, lot.randrange(-2, 40), lot.randrange(-2, table.game.num_actions + 2))
    except Refused:
        assert table.version == before


def main(deals, every, first=0, minutes=None, told=print):
    """Fuzz so many `deals` from number `first` on, turn by turn of each game; return what was compared.

    Stops earlier where that has taken so many `minutes` of the processor; the next number is in what it returns.
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
    parser.add_argument("--every", type=int, default=60, help="look about every so many plies")
    parser.add_argument("--minutes", type=float, help="of the processor, after which to stop")
    arguments = parser.parse_args()
    print(main(arguments.deals, arguments.every, arguments.first, arguments.minutes), sys.version.split()[0])
