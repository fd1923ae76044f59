"""One seat of any game as a Gymnasium environment; agents play the other seats (gym_vector.py has many tables).

A step runs from one decision of the seat to its next one; the other seats play meanwhile. The reward is the payoff when
the deal ends, and 0 before.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from sobremesa.envs.core.agent import Agent, make_view, new_stream
from sobremesa.envs.core.api.aec import ILLEGAL_REWARD
from sobremesa.envs.core.api.encoders import load_encoder
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.api.spec import WithSpec
from sobremesa.envs.core.api.vector import check_options, check_seat
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game, check_language
from sobremesa.envs.core.picture import render as rendering

LEARNER = 0  # the index of OUTSIDE in the agents of the match
ILLEGAL = ("lose", "resample", "raise")  # results of an illegal action
MASK = "action_mask"


class SeatEnv(WithSpec, gymnasium.Env[Any, int]):
    """One seat of one table; agents play the other seats.

    The mask is in `info["action_mask"]` and in `action_masks()`, where sb3-contrib looks for it. `info["figures"]` of
    the last step has further results, as in `TableEnv`, and `ending` names how the deal ended. After an illegal
    action `info["illegal"]` is True.

    Args:
        game: the game.
        opponents: agents for the other seats, drawn anew for each seat of each deal.
        seat: your seat; None draws one for each deal, with equal chances.
        render_mode: None, "ansi", "svg", "rgb_array" or "human"; pictures show the view of your seat.
        encoder: the form of observations, as in `TableEnv`.
        language: of texts and pictures, "en" or "es".
        illegal: the result of an illegal action: "lose" ends the deal with reward -1, as in PettingZoo; "resample"
            plays a random legal action instead; "raise" raises IllegalAction and changes nothing. A number outside the
            action space raises in all three.
        dict_keys: names in a dict observation, such as `("obs", "mask")` for Tianshou. None: the observation alone.
        setup: the game's setup fields.

    Raises:
        TypeError, ValueError: for another argument or value, with the allowed ones.
    """

    metadata = {"render_modes": list(rendering.MODES), "render_fps": rendering.FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Agent],
        *,
        seat: int | None = None,
        render_mode: str | None = None,
        encoder: str = "flat",
        language: str = "en",
        illegal: str = "lose",
        dict_keys: Sequence[str] | None = None,
        **setup: Any,
    ) -> None:
        self.game = game
        self.illegal = check_illegal(illegal)
        setups = game.new_tables(1, setup)
        self.seat = check_seat(game, "seat", seat, int(setups["seats"][0]))
        self.render_mode = render_mode
        self.language = check_language(language)
        self._camera = rendering.Camera(game, render_mode, language)
        self._encoder = load_encoder(encoder)
        others = seated_others(opponents, int(setups["seats"][0]))
        self._match = Match(game, [OUTSIDE, *others], setups)
        self.my_seat = 0
        self._over = True
        self.observation_space, self._pack = with_mask(self._encoder.space(game), game, dict_keys)
        self.action_space = spaces.Discrete(game.num_actions)  # type: ignore[assignment]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a deal and play up to the first decision of your seat; a deal that ends before it is repeated with a
        new seed.

        The same `seed` gives the same deal; without one, deals follow from the last seed. There are no `options`: any
        raises ValueError.
        """
        check_options(self.game, options)
        super().reset(seed=seed)
        match, first = self._match, np.zeros(1, np.int64)
        count = int(match.setups["seats"][0])
        while True:
            self.my_seat = int(self.np_random.integers(count)) if self.seat is None else self.seat
            match.seating[0] = self.np_random.integers(1, len(match.agents), self.game.max_seats)
            match.seating[0, self.my_seat] = LEARNER
            match.deal(first, self.np_random.integers(2**63, size=1))
            match.advance()
            if not match.over[0]:
                break
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._seen(), {MASK: self._mask()}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play `action` and continue to your next decision.

        Raises IllegalAction, with nothing changed, for a number outside the action space, and for an illegal action
        with `illegal="raise"`.
        """
        match, reward = self._match, 0.0
        info: dict[str, Any] = {}
        number = self._number(action)
        if not match.masks[0, number]:
            info["illegal"] = True
            if self.illegal == "resample":
                number = int(self.np_random.choice(np.flatnonzero(match.masks[0])))
        if match.masks[0, number]:
            match.step(np.zeros(1, np.int64), np.array([number]))
            match.advance()
            self._over = bool(match.over[0])
            if self._over:
                reward, info["figures"] = float(match.payoffs[0, self.my_seat]), self.game.ended(match.states)
        else:
            self._over, reward = True, ILLEGAL_REWARD
        if self.render_mode == "human":
            self.render()
        return self._seen(), reward, self._over, False, {MASK: self._mask()} | info

    def _number(self, action: Any) -> int:
        """Return `action` as an int; raise IllegalAction if it is outside the action space, or illegal with "raise"."""
        if self._over:
            raise IllegalAction(f"{self.game.id}: the deal is over, or none has begun; call reset")
        try:
            number = -1 if isinstance(action, bool) else index(action)
        except TypeError:
            number = -1
        mask = self._match.masks[0]
        if not 0 <= number < len(mask) or (self.illegal == "raise" and not mask[number]):
            raise IllegalAction.at(self.game, self._match.states, action, mask)
        return number

    def _mask(self) -> np.ndarray:
        mask = self._match.masks[0]
        return np.zeros_like(mask) if self._over else mask.copy()

    @property
    def ending(self) -> str:
        """How the deal ended, in English; "" before the end, or if the game does not name it."""
        return self.game.ending(self._match.states)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, `(A,)` bool."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return text, SVG or `(height, width, 3)` uint8 of the view of your seat; "human" shows it in a window."""
        return self._camera.draw(self._match.states, self.my_seat)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._camera.close()

    def _seen(self) -> Any:
        view = make_view(self.game, self._match.states, self.my_seat, new_stream(0))
        if self._over:
            view.mask[:] = 0
        return self._pack(self._encoder.encode(view, self.language), self._mask())


def check_illegal(illegal: str) -> str:
    """Return `illegal`; raise ValueError unless it is one of ILLEGAL."""
    if illegal not in ILLEGAL:
        raise ValueError(f"illegal={illegal!r} is not allowed; it takes {', '.join(ILLEGAL)}")
    return illegal


def with_mask(
    space: spaces.Space[Any], game: Game, keys: Sequence[str] | None
) -> tuple[spaces.Space[Any], Callable[[Any, np.ndarray], Any]]:
    """Return the space of observations, and the function that makes one of an observation and a mask."""
    if keys is None:
        return space, _observation_alone
    two = isinstance(keys, (tuple, list)) and len(keys) == 2 and keys[0] != keys[1]
    if not two or not all(isinstance(key, str) and key for key in keys):
        raise ValueError(f"dict_keys={keys!r} is not allowed; it takes None or two names, of observation and mask")
    first, second = keys
    space = spaces.Dict({first: space, second: spaces.Box(0, 1, (game.num_actions,), np.int8)})
    return space, partial(_with_its_mask, first, second)


def _observation_alone(seen: Any, mask: np.ndarray) -> Any:
    return seen


def _with_its_mask(first: str, second: str, seen: Any, mask: np.ndarray) -> dict[str, Any]:
    return {first: seen, second: mask}


def seated_others(opponents: Sequence[Agent], seats: int) -> list[Agent | None]:
    """Return the agents of the other seats; a table with one seat needs none."""
    if (not opponents and seats > 1) or not all(isinstance(agent, Agent) for agent in opponents):
        raise ValueError(f"opponents={opponents!r} is not allowed; it takes at least one agent")
    return list(opponents) or [OUTSIDE]
