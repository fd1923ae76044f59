"""OpenEnv: a server that opens a table for each session and closes it when the client leaves or falls silent."""

import secrets
from functools import partial
from threading import Lock
from typing import Any

from sobremesa.agents.decisions import EXACT, Decisions, check_names
from sobremesa.agents.trainers.deals import Deals
from sobremesa.agents.trainers.episode import Episode
from sobremesa.agents.trainers.idle import App, close_idle
from sobremesa.envs.core.errors import MissingExtra

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State
    from pydantic import ConfigDict
except ImportError:
    raise MissingExtra("the server for OpenEnv", "openenv") from None

__all__ = ["make_app"]

_TURN = Lock()  # sessions have threads of their own, and their opponents are the same agents


class Answer(Action):
    """An answer of the model to the decision with the number `decision`; both are needed.

    `cut` states that a limit of length ended it.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"required": ["answer", "decision"]})  # see `step`

    answer: str | None = None
    decision: int | str | None = None
    cut: bool = False


class Messages(Observation):
    """The new messages for the model, the number of its decision, and the kind of refusal that forfeited the episode.

    An episode that has ended is `done`, and has a `reward` and no decision. `forfeited` is "" without a forfeit.
    """

    messages: list[dict[str, str]]
    decision: int | None = None
    forfeited: str = ""


class Table(Environment):
    """The table of one session. The server sets the game and the opponents; a client sets the seed of a deal.

    Numbers of decisions rise over all episodes of a session, so an answer to an earlier episode is refused.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, deals: Deals) -> None:
        super().__init__()
        self._deals = deals
        self._closed = False
        self._decisions: Decisions[Messages] = Decisions()
        self._clear()

    def _clear(self, episode_id: str | None = None) -> None:
        self._episode: Episode | None = None
        self._episode_id = episode_id

    def reset(self, seed: int | None = None, episode_id: str | None = None, **unknown: Any) -> Messages:
        """Begin the deal of `seed`, by default a random one; return the rules and the first decision."""
        check_names("reset", unknown, ("seed", "episode_id"))
        if self._closed:
            raise ValueError("this session is closed; connect again")
        with _TURN:
            episode = self._deals.episode(secrets.randbelow(EXACT) if seed is None else seed)
        self._clear(episode_id)
        self._episode = episode
        self._decisions = Decisions(str(episode.seed).encode(), self._decisions.count + 1)
        return self._seen(episode, len(episode.messages), self._decisions.number)

    def step(self, action: Answer, timeout_s: float | None = None, **unknown: Any) -> Messages:
        """Read an answer; return the next decision, the refusal, or the end of the game.

        A repeated answer gets the observation of the first one and plays nothing. Raises ValueError, which shows the
        present decision, for an answer that names another decision or none.
        """
        check_names("step", [*unknown, *(action.model_extra or ())], ("answer", "decision", "cut"))
        episode, text = self._episode, action.answer
        if episode is None:
            raise ValueError("no game has begun in this session; reset it first")
        if text is None:
            raise ValueError("a step needs the answer of the model in `answer`")

        def play(following: int) -> Messages:
            episode.answer(text, action.cut)
            return self._seen(episode, 1, following)

        with _TURN:
            return self._decisions.once(action.decision, (text, action.cut), play, self._show)

    def _show(self) -> str:
        """Return the present decision, or the end of the episode, for an error."""
        episode = self._episode
        assert episode is not None
        where = "The episode is over." if episode.over else f"The present decision is {self._decisions.number}:"
        return f"{where}\n\n{episode.prompt}"

    def _seen(self, episode: Episode, new: int, number: int) -> Messages:
        over = episode.over
        reward = self._deals.reward(episode) if over else None
        return Messages(
            messages=episode.messages[-new:], decision=None if over else number, forfeited=episode.forfeited,
            done=over, reward=reward,
        )  # fmt: skip

    @property
    def state(self) -> State:
        """The id of the episode, the number of answers in it, and the number and text of the present decision."""
        episode = self._episode
        if episode is None:
            return State(episode_id=self._episode_id)
        answers = sum(len(one.answers) for one in episode.decisions)
        decision = None if episode.over else self._decisions.number
        return State(episode_id=self._episode_id, step_count=answers, decision=decision, prompt=episode.prompt)

    def close(self) -> None:
        """Drop the episode; the table does not open again."""
        self._closed = True
        self._clear()


def make_app(deals: Deals, tables: int = 64, idle: float = 600.0) -> App:
    """Return an ASGI application that serves `deals`, for example to `uvicorn.run`.

    Args:
        deals: the deals that every session plays.
        tables: number of simultaneous sessions; a client beyond them is refused.
        idle: seconds without a message after which a session is closed.
    """
    limits = ConcurrencyConfig(max_concurrent_envs=tables, session_timeout=idle)  # sessions without a WebSocket
    app = create_fastapi_app(partial(Table, deals), Answer, Messages, concurrency_config=limits, env_name=deals.game)
    return close_idle(app, idle)
