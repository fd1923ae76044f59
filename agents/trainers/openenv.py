"""OpenEnv: a server that opens a table for each session and closes it when the client leaves or falls silent."""

import secrets
from functools import partial
from threading import Lock
from typing import Any

from sobremesa.agents.trainers.deals import Deals
from sobremesa.agents.trainers.episode import Episode
from sobremesa.agents.trainers.idle import App, close_idle
from sobremesa.envs.core.errors import MissingExtra

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State
except ImportError:
    raise MissingExtra("the server for OpenEnv", "openenv") from None

_TURN = Lock()  # sessions have threads of their own, and their opponents are the same agents


class Answer(Action):
    """An answer of the model; `cut` states that a limit of length ended it."""

    answer: str
    cut: bool = False


class Messages(Observation):
    """The new messages for the model, and the kind of refusal that forfeited the episode, otherwise "".

    An episode that has ended is `done` and has a `reward`.
    """

    messages: list[dict[str, str]]
    forfeited: str = ""


class Table(Environment):
    """The table of one session. The server sets the game and the opponents; a client sets the seed of a deal."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, deals: Deals) -> None:
        super().__init__()
        self._deals = deals
        self._closed = False
        self._clear()

    def _clear(self, episode_id: str | None = None) -> None:
        self._episode: Episode | None = None
        self._episode_id = episode_id

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Messages:
        """Begin the deal of `seed`, by default a random one; return the rules and the first decision."""
        if self._closed:
            raise ValueError("this session is closed; connect again")
        self._clear(episode_id)
        with _TURN:
            self._episode = self._deals.episode(secrets.randbits(32) if seed is None else seed)
        return self._seen(self._episode, len(self._episode.messages))

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> Messages:
        """Read an answer; return the next decision, the refusal, or the end of the game."""
        if self._episode is None:
            raise ValueError("no game has begun in this session; reset it first")
        with _TURN:
            self._episode.answer(action.answer, action.cut)
        return self._seen(self._episode, 1)

    def _seen(self, episode: Episode, new: int) -> Messages:
        reward = self._deals.reward(episode) if episode.over else None
        return Messages(messages=episode.messages[-new:], forfeited=episode.forfeited, done=episode.over, reward=reward)

    @property
    def state(self) -> State:
        """The id of the episode and the number of answers in it."""
        answers = sum(len(one.answers) for one in self._episode.decisions) if self._episode else 0
        return State(episode_id=self._episode_id, step_count=answers)

    def close(self) -> None:
        """Drop the episode; the table does not open again."""
        self._closed = True
        self._clear()


def make_app(deals: Deals, tables: int = 64, idle: float = 600.0) -> App:
    """Return an ASGI application that serves `deals`, for example to `uvicorn.run`.

    Args:
        deals: the deals that every session plays.
        tables: sessions at once; a client beyond them is refused.
        idle: seconds without a message after which a session is closed.
    """
    limits = ConcurrencyConfig(max_concurrent_envs=tables, session_timeout=idle)  # sessions without a WebSocket
    app = create_fastapi_app(partial(Table, deals), Answer, Messages, concurrency_config=limits, env_name=deals.game)
    return close_idle(app, idle)
