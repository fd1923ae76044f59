"""One deal of any game, ply by ply: between agents, or at random."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.agent import Agent, agent_seed, forget_deals, histories, make_view, new_stream
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.record import copied, to_bytes
from sobremesa.envs.core.sayings import Saying, TellingAgent, say, telling_of
from sobremesa.envs.core.table import OVER, table_kernels

Move = int | tuple[int, Saying]  # an action, and the words of a sentence if they are the player's own


class Ply(NamedTuple):
    """The position before `action`; at the end seat and action are OVER. The arrays are copies."""

    states: np.ndarray  # (1,)
    seat: int  # to act
    action: int
    observation: np.ndarray  # (D,) float32, of the seat to act
    mask: np.ndarray  # (A,) int8
    saying: Saying | None = None  # the words of the action, if they are the player's own


@kernel
def _choose(streams, mask):
    return pick(streams[0], mask)


def deal_between(game: Game, seated: Sequence[Agent], seed: int, **setup: Any) -> Iterator[Ply]:
    """Play one deal between the agents `seated`, one per seat; the same arguments give the same deal."""
    seeds = [agent_seed(seed, seat) for seat in range(len(seated))]
    streams = [new_stream(one) for one in seeds]
    forget_deals(seated, seeds)
    seen = histories(game, seated)
    last: list[tuple[np.ndarray, int]] = []  # the state before the last action, and that action
    said: list[Saying] = []

    def choose(states: np.ndarray, seat: int, _: np.ndarray) -> Move:
        for before, played in last:
            for history in seen.values():
                history.add(before, played, states, said)
        agent = seated[seat]
        view = make_view(game, states, seat, streams[seat], seen.get(seat))._replace(sayings=tuple(said))
        action = agent.act(view)
        telling = telling_of(game)
        saying = agent.said() if isinstance(agent, TellingAgent) and telling is not None else None
        last[:] = [(states.copy(), action)] if seen else []
        if saying is None or telling is None:
            return action
        if telling.listen(states, saying.text, saying.language) != saying:
            raise ValueError(f"{agent.name}: the mentions are not those of the sentence {saying.text!r}")
        said.append(saying)
        return action, saying

    return deal_by(game, seed, {**setup, "seats": len(seated)}, choose)


def random_deal(game: Game, seed: int, setup: dict[str, Any] | None = None, plies: int | None = None) -> Iterator[Ply]:
    """Play a deal with random legal actions drawn from `seed`, to the end or for `plies` plies."""
    stream = new_stream(agent_seed(seed, 0))

    def choose(_: np.ndarray, __: int, mask: np.ndarray) -> int:
        return int(_choose(stream, mask)) if mask.any() else OVER  # only a broken game allows nothing

    return islice(deal_by(game, seed, setup or {}, choose), plies)


def deal_by(
    game: Game, seed: int, setup: Mapping[str, Any], choose: Callable[[np.ndarray, int, np.ndarray], Move]
) -> Iterator[Ply]:
    """Play a deal in which `choose(states, seat, mask)` returns each action, in a game of tales perhaps with its words.

    Raises ValueError for words that cannot mean their action.
    """
    kernels = table_kernels(game)
    states = game.new_tables(1, setup)
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    seat = int(kernels.reset(states, seed, observation, mask))
    while seat != OVER:
        move = choose(states, seat, mask)
        action, saying = move if isinstance(move, tuple) else (move, None)
        before = copied(states)
        if saying is not None:
            say(game, states, action, saying)
        yield Ply(before, seat, action, observation.copy(), mask.copy(), saying)
        seat = int(kernels.step(states, action, observation, mask))
    yield Ply(states.copy(), OVER, OVER, observation.copy(), mask.copy())


def outcome(game: Game, ply: Ply) -> np.ndarray:
    """Return the `(1,)` state after the action of `ply`, chance included."""
    after = ply.states.copy()
    if ply.saying is not None:
        say(game, after, ply.action, ply.saying)
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    table_kernels(game).step(after, ply.action, observation, mask)
    return after


def payoffs(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the payoffs of the `(1,)` state `states`, `(seats,)` float32; zeros before the end."""
    paid = np.zeros(game.max_seats, np.float32)
    table_kernels(game).payoff(states, paid)
    return paid[: int(states["seats"][0])]


def digest(game: Game, states: np.ndarray, action: int | None = None, saying: Saying | None = None) -> str:
    """Return eight hex digits of the `(1,)` state, of all observations there, and of `action` and `saying` if given."""
    found = hashlib.sha256(to_bytes(states, game.later))
    observation = np.zeros(game.layout.size, np.float32)
    for seat in range(int(states["seats"][0])):
        table_kernels(game).observe(states, seat, observation)
        found.update(observation.tobytes())
    if action is not None:
        found.update(np.int64(action).tobytes())
    if saying is not None:
        found.update(json.dumps(saying).encode())
    return found.hexdigest()[:8]
