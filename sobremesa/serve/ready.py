"""Preparation of games: their kernels are compiled in background threads.

A client that opens a table waits for its game only; other tables continue.
"""

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sobremesa import agents, envs
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.picture.pointing import pointable_scene
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.serve.deal import Deal
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.table import Refused

AT_ONCE = 4  # games; Numba compiles one kernel at a time, but loads cached ones meanwhile
PLIES = 4  # played and drawn to compile a table's code
FIRST_WAIT, LONGEST_WAIT = 10.0, 1800.0  # seconds before a retry; doubled after each failure

_LOG = logging.getLogger("sobremesa.serve")


class Ready:
    """Games that are prepared or in preparation; for use in the event loop only."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, "ready")
        self._begun: dict[str, asyncio.Future[None]] = {}
        self._failed: dict[str, tuple[float, float]] = {}  # time of the failure, seconds until the retry

    def begin(self, game: str) -> asyncio.Future[None]:
        """Start the preparation of `game`, unless it has started; return its future.

        The future raises Refused on failure; a later call tries again.
        """
        loop = asyncio.get_running_loop()
        if game not in envs.games():  # its tables are rejected later, with the reason
            nothing: asyncio.Future[None] = loop.create_future()
            nothing.set_result(None)
            return nothing
        begun = self._begun.get(game)
        if begun is None or (begun.done() and begun.exception() is not None and self._may_try(game)):
            begun = self._begun[game] = loop.run_in_executor(self._pool, self._make, game)
            begun.add_done_callback(retrieve_error)
        return begun

    def _make(self, game: str) -> None:
        try:
            prepare(game)
        except Exception:
            _LOG.exception("failed to prepare %s", game)
            waited = self._failed.get(game, (0.0, 0.0))[1]
            self._failed[game] = time.monotonic(), min(max(2 * waited, FIRST_WAIT), LONGEST_WAIT)
            raise Refused("not ready") from None

    def _may_try(self, game: str) -> bool:
        failed, wait = self._failed.get(game, (0.0, 0.0))
        return time.monotonic() >= failed + wait

    async def of(self, game: str) -> None:
        """Wait until `game` is prepared."""
        await asyncio.shield(self.begin(game))  # a client that leaves does not cancel it for others

    def close(self) -> None:
        """Stop preparing games."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def retrieve_error(done: asyncio.Future[Any]) -> None:
    """Retrieve the error of a future, so that asyncio does not log it if no client waits any more."""
    if not done.cancelled():
        done.exception()


def prepare(name: str) -> None:
    """Compile the code for a table of the game `name` with its default opponent.

    Other agents, films and hints are compiled on first use.
    """
    game = envs.load(name)
    rules_hash(game)
    deal = Deal(game, {"seats": game.default_seats}, 0)
    fair = agents.load(Opponents().fair(game), game)
    while not deal.over and len(deal.plies) < PLIES:
        view = make_view(game, deal.states, deal.seat, new_stream(len(deal.plies)))
        for viewer in (deal.seat, None, *([PUBLIC] if game.words.public else [])):
            pointable_scene(game, view.state, viewer, LANGUAGES[0])
            game.words.describe(view.state, viewer, LANGUAGES[0])
        deal.play(int(fair.act(view)))
        deal.log(PUBLIC, LANGUAGES[0], len(deal.plies))
    world = deal.states.copy()
    table_kernels(game).redeal(world, 0, 0)
