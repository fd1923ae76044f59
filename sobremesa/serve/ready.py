"""Games are made ready: on a new machine their kernels are compiled, which takes a while.

In threads that nothing else waits for: who opens a table of a game waits for that one alone, and no other table does.
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

AT_ONCE = 4  # games; Numba compiles one kernel at a time, but those that were kept are read in between
PLIES = 4  # played and drawn once, as a table does
FIRST_WAIT, LONGEST_WAIT = 10.0, 1800.0  # seconds until what has failed is tried again: twice as long each time

_LOG = logging.getLogger("sobremesa.serve")


class Ready:
    """The games that are ready, or on their way; used in the event loop alone."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, "ready")
        self._begun: dict[str, asyncio.Future[None]] = {}
        self._failed: dict[str, tuple[float, float]] = {}  # when, and for how long it is not tried again

    def begin(self, game: str) -> asyncio.Future[None]:
        """Begin to make the game called `game` ready, unless that has begun; return what is done when it is.

        It raises Refused where that cannot be done; some time later it is tried again.
        """
        loop = asyncio.get_running_loop()
        if game not in envs.games():  # its tables are refused, with the reason
            nothing: asyncio.Future[None] = loop.create_future()
            nothing.set_result(None)
            return nothing
        begun = self._begun.get(game)
        if begun is None or (begun.done() and begun.exception() is not None and self._may_try(game)):
            begun = self._begun[game] = loop.run_in_executor(self._pool, self._make, game)
            begun.add_done_callback(looked_at)
        return begun

    def _make(self, game: str) -> None:
        try:
            make_ready(game)
        except Exception:
            _LOG.exception("%s cannot be made ready", game)
            waited = self._failed.get(game, (0.0, 0.0))[1]
            self._failed[game] = time.monotonic(), min(max(2 * waited, FIRST_WAIT), LONGEST_WAIT)
            raise Refused("not ready") from None

    def _may_try(self, game: str) -> bool:
        failed, wait = self._failed.get(game, (0.0, 0.0))
        return time.monotonic() >= failed + wait

    async def of(self, game: str) -> None:
        """Wait until the game called `game` is ready."""
        await asyncio.shield(self.begin(game))  # whoever leaves does not stop it for the others

    def close(self) -> None:
        """Make no more games ready."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def looked_at(done: asyncio.Future[Any]) -> None:
    """Retrieve the error of something that perhaps nobody waits for any more, which asyncio would log otherwise."""
    if not done.cancelled():
        done.exception()


def make_ready(name: str) -> None:
    """Have all compiled that a table of the game called `name` needs against the agent that a newcomer meets.

    Other agents are compiled when they are first asked, and so is what can be asked for beside the deal.
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
        deal.told(PUBLIC, LANGUAGES[0], len(deal.plies))
    world = deal.states.copy()
    table_kernels(game).redeal(world, 0, 0)
