"""One seat of any game as a Gymnasium environment; agents play the other seats (of many tables: gym_vector.py).

A step goes from a decision of mine to my next one: whatever the others do meanwhile happens inside, and the reward is
what the game pays me in between, which is my payoff when the deal ends and 0 before.
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
from sobremesa.envs.core.api.vector import check_options, check_seat
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game, check_language
from sobremesa.envs.core.picture import render as rendering

LEARNER = 0  # the place of OUTSIDE among a match's agents here
ILLEGAL = ("lose", "resample", "raise")  # what may become of an action that the mask forbids
MASK = "action_mask"


class SeatEnv(gymnasium.Env[Any, int]):
    """One seat of one table; agents play the others.

    The mask is in `info["action_mask"]` and comes from `action_masks()` too, where sb3-contrib looks for it. With the
    last step `info["figures"]` says what else there is to say of the deal, as in `TableEnv`. Where an action was not
    allowed `info["illegal"]` is True.

    Args:
        game: the game.
        opponents: agents for the other seats, drawn anew for each seat of each deal.
        seat: my seat, or None for another one each deal, all alike.
        render_mode: None, "ansi", "svg", "rgb_array" or "human"; pictures show what my seat sees.
        encoder: how observations are written, as in `TableEnv`.
        language: of texts and pictures, "en" or "es".
        illegal: what becomes of an action that the mask forbids: "lose" ends the deal, -1 for me, as PettingZoo has it;
            "resample" plays a random allowed one in its place; "raise" raises IllegalAction with nothing changed. What
            is no action of the game is refused in all three.
        dict_keys: names of the observation and of the mask, to have both in one dict as the observation: `("obs",
            "mask")` is where Tianshou looks, `("observations", "action_mask")` where RLlib does. None: no such dict.
        setup: the game's setup fields.

    Raises:
        TypeError, ValueError: for an argument that is not among these, naming what is allowed.
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
        """Deal and play up to my first decision; deals that end before it are dealt anew.

        The same `seed` gives the same deal; without one, deals follow from the last seed given. There are no `options`:
        any raises ValueError.
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
            match.settle()
            if not match.over[0]:
                break
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._seen(), {MASK: self._mask()}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play `action` and up to my next decision.

        Raises IllegalAction, with nothing changed, for what is no action of the game; for one that is not allowed now
        if `illegal` says so.
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
            match.settle()
            self._over = bool(match.over[0])
            if self._over:
                reward, info["figures"] = float(match.payoffs[0, self.my_seat]), self.game.ended(match.states)
        else:
            self._over, reward = True, ILLEGAL_REWARD
        if self.render_mode == "human":
            self.render()
        return self._seen(), reward, self._over, False, {MASK: self._mask()} | info

    def _number(self, action: Any) -> int:
        """Return `action` as an int; raise IllegalAction for what is none, or may not be played and is to raise."""
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

    def action_masks(self) -> np.ndarray:
        """Return what I may do now, `(A,)` bool."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return text, SVG or `(height, width, 3)` uint8 of what my seat sees; with "human" show it in a window."""
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
    """Return the space of observations, and what makes one of what is seen and a mask."""
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
    """Return who sits at the other seats: at a table of one nobody does, and nobody need be named."""
    if (not opponents and seats > 1) or not all(isinstance(agent, Agent) for agent in opponents):
        raise ValueError(f"opponents={opponents!r} is not allowed; it takes agents, one at least")
    return list(opponents) or [OUTSIDE]
