"""Episodes in text: one player is given prompts and answers in words; agents play the other seats."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.language.parser import Understood, parse_answer, refusal
from sobremesa.agents.language.prompt import ATTEMPTS, Style, end_prompt, rules_prompt, turn_prompt
from sobremesa.agents.loading import load
from sobremesa.envs.core.agent import Agent, History, View, agent_seed, make_view, new_stream
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.api.vector import check_seat, check_seed
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seats import forfeit

Message = dict[str, str]  # "role" and "content", as in chat APIs


class Decision(NamedTuple):
    """A decision of the player: the answers, and how they were read; the last one has the action, if there is one."""

    prompt: str
    answers: tuple[str, ...]
    read: tuple[Understood, ...]


class Episode:
    """One deal of `game`, in which the player at `seat` is given prompts and answers in words.

    Loop until `over`: send `messages`, get an answer, pass it to `answer`. After `attempts` refused answers to one
    decision the player forfeits the deal. `payoff` is the result of the player in [-1, 1] (cooperative: [0, 1]), None
    before the end; `forfeited` is "" or the kind of the last refusal.

    Args:
        game: the game.
        opponents: agents, or names that `agents.load` takes, for the other seats in order from seat 0; fewer are
            repeated in turn.
        seat: the player's seat.
        seed: of the deal and of the opponents. The same seed and answers give the same episode.
        style: language and parts of the prompts.
        attempts: answers to one decision.
        setup: the game's setup fields.

    Raises:
        ValueError: a seat, a seed, a setup field, `attempts` or an opponent is not allowed.
    """

    def __init__(
        self,
        game: Game,
        opponents: str | Agent | Sequence[str | Agent] = "strong",
        *,
        seat: int = 0,
        seed: int = 0,
        style: Style | None = None,
        attempts: int = ATTEMPTS,
        **setup: Any,
    ) -> None:
        if attempts < 1:
            raise ValueError(f"attempts={attempts} is not allowed; it takes a whole number from 1")
        self.game, self.seed, self.style, self.attempts = game, check_seed(seed), style or Style(), attempts
        tables = game.new_tables(1, setup)
        self.seats = int(tables["seats"][0])
        self.seat = int(check_seat(game, "seat", seat, self.seats) or 0)
        others = _seated(game, opponents, self.seats - 1)
        self._match = Match(game, [OUTSIDE, *others], tables, stepwise=True)
        places = iter(range(1, self.seats))
        self._match.seating[0, : self.seats] = [0 if one == self.seat else next(places) for one in range(self.seats)]
        self._history = History(game, self.seat, self.style.language)
        self._stream = new_stream(agent_seed(self.seed, self.seat))
        self.messages: list[Message] = []
        self.decisions: list[Decision] = []
        self.actions: list[int] = []  # of all seats, by ply
        self.payoff: float | None = None
        self.forfeited = ""
        self._match.deal(np.zeros(1, np.int64), np.array([self.seed]))
        self._play_on()

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.payoff is not None

    @property
    def view(self) -> View:
        """The view of the player."""
        return make_view(self.game, self._match.states, self.seat, self._stream, self._history)

    @property
    def prompt(self) -> str:
        """The last message for the player."""
        return next((one["content"] for one in reversed(self.messages) if one["role"] == "user"), "")

    def answer(self, text: str, cut: bool = False) -> Understood:
        """Read the player's answer to the current decision; return how it was read.

        A legal action is played, and the deal continues to the player's next decision or to its end. Otherwise a
        message with the refusal is added. `cut` states that a limit of length ended the answer. An empty answer stays
        in `messages` as an empty message, which some endpoints refuse. Raises ValueError if the episode is over.
        """
        if self.over:
            raise ValueError("the episode is over; begin another one")
        view = self.view
        read = parse_answer(text, self.game, view.mask, self.style.language, cut, view.state)
        self.messages.append({"role": "assistant", "content": text})
        last = self.decisions[-1]
        last = self.decisions[-1] = last._replace(answers=(*last.answers, text), read=(*last.read, read))
        if read.action is not None:
            self._play(read.action)
            self._play_on()
            return read
        left = self.attempts - len(last.answers)
        self.messages.append({"role": "user", "content": refusal(read, view, self.style, left)})
        if not left:
            self.forfeited = read.kind
            self.payoff = float(forfeit(self.game, self.seats, self.seat)[self.seat])
        return read

    def _play(self, action: int) -> None:
        before = self._match.states.copy()
        self._match.step(np.zeros(1, np.int64), np.array([action]))
        self._history.add(before, action, self._match.states)
        self.actions.append(action)

    def _play_on(self) -> None:
        """Play for the opponents up to the player's next decision or the end, and add the message for the player."""
        first = np.zeros(1, np.int64)
        while self._match.waiting()[0] > 0:
            self._play(int(self._match.decide(first)[0]))
        if self._match.over[0]:
            self.payoff = float(self._match.payoffs[0, self.seat])
            message = end_prompt(self.view, self._match.states, self.payoff, self.style)
        else:
            message = turn_prompt(self.view, self.style)
            self.decisions.append(Decision(message, (), ()))
        if not self.messages:
            self.messages.append({"role": "system", "content": rules_prompt(self.view, self.style, self.attempts)})
        self.messages.append({"role": "user", "content": message})


def _seated(game: Game, opponents: str | Agent | Sequence[str | Agent], count: int) -> list[Agent]:
    """Return `count` agents: `opponents`, repeated in turn."""
    several = opponents if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]
    given = [load(one, game) for one in several]
    if len(given) > count > 0 or not given:
        raise ValueError(f"{len(given)} opponents are given; this table takes 1 to {count}")
    return list(itertools.islice(itertools.cycle(given), count))
