"""Any game as a PettingZoo AEC environment."""

import copy
import hashlib
import json
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.api.encoders import load_encoder
from sobremesa.envs.core.api.vector import check_options, check_seat, check_seed
from sobremesa.envs.core.errors import IllegalAction, StateMismatch, one_line
from sobremesa.envs.core.game import Game, check_language
from sobremesa.envs.core.picture import render as rendering
from sobremesa.envs.core.sayings import Saying, meanings, telling_now
from sobremesa.envs.core.table import OVER, state_problems, table_kernels

_MAGIC = b"sobremesa state 1\n"
_OF_API_TEST = {"options": 1}
_DICTS = ("rewards", "_cumulative_rewards", "terminations", "truncations")
_HEADER = ("game", "record", "agents", "agent_selection", "skip", *_DICTS)
ILLEGAL_REWARD = -1.0


class TableEnv(AECEnv[str, Any, int]):
    """One table of `game` for agents "seat_0", "seat_1", ….

    An observation is `{"observation": …, "action_mask": (A,) int8}`. The mask is also in `infos[agent]["action_mask"]`,
    and is all zero for a seat that is not to act. All arrays are fresh copies. All seats end together and then receive
    their payoffs as rewards; earlier rewards are 0. Truncation is always False. At the end `infos[agent]["figures"]`
    has further results as numbers, for example the rounds and a score; `ending` names how the deal ended.

    `agent_selection` names the seat to act to the caller. No view contains it in a game with hidden turns.

    Args:
        game: the game.
        render_mode: None, "ansi" (text), "svg", "rgb_array" or "human" (a window).
        encoder: the form of observations: "flat", "blocks", "text", or one that you registered.
        language: of texts and pictures, "en" or "es".
        viewer: draw the view of this seat; None draws the open table.
        setup: the game's setup fields.

    Raises:
        TypeError, ValueError: for another argument or value, with the allowed ones.
    """

    def __init__(
        self,
        game: Game,
        *,
        render_mode: str | None = None,
        encoder: str = "flat",
        language: str = "en",
        viewer: int | None = None,
        **setup: Any,
    ) -> None:
        super().__init__()
        self.game = game
        self.render_mode = render_mode
        self.language = check_language(language)
        self._camera = rendering.Camera(game, render_mode, language)
        self.metadata = {
            "name": game.id.replace("-", "_"),
            "render_modes": list(rendering.MODES),
            "render_fps": rendering.FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self._setup = game.new_tables(1, setup)
        self._states = self._setup.copy()
        count = int(self._states["seats"][0])
        self.viewer = check_seat(game, "viewer", viewer, count)
        self.possible_agents = [f"seat_{seat}" for seat in range(count)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation = np.zeros(game.layout.size, np.float32)  # of the seat to act
        self._mask = np.zeros(game.num_actions, np.int8)
        self._encoder = load_encoder(encoder)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": self._encoder.space(game),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._sayings: list[Saying] = []
        self._seeds = np.random.default_rng()
        self._bind()

    def _bind(self) -> None:
        self._kernels = table_kernels(self.game)
        self._play = self._kernels.step
        self._nothing = np.zeros(self.game.num_actions, np.int8)
        self._nothing.flags.writeable = False  # shared by the infos of waiting seats

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a deal. The same `seed` gives the same deal; without one, deals follow from the last seed.

        There are no `options`: any raises ValueError, except `{"options": 1}`, which PettingZoo's `api_test` passes.
        """
        if options != _OF_API_TEST:
            check_options(self.game, options)
        if seed is None:
            seed = int(self._seeds.integers(2**63))
        else:
            self._seeds = np.random.default_rng(check_seed(seed))
        self._states[:] = self._setup
        self._sayings = []
        seat = self._kernels.reset(self._states, check_seed(seed), self._observation, self._mask)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}
        self._skip_agent_selection = None
        self._turn_to(seat)

    def step(self, action: int | None) -> None:
        """Play `action` for `agent_selection`; for a terminated agent the only action is None.

        Raises:
            IllegalAction: with game, seat, ply, action and the legal actions; the state is unchanged.
        """
        if not self.agents:
            raise IllegalAction(f"{self.game.id}: the deal is over, or none has begun; call reset")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        try:
            number = index(action)  # type: ignore[arg-type]
            allowed = number >= 0 and self._mask[number] and action is not True and action is not False
        except (TypeError, IndexError, OverflowError):
            allowed = False
        if not allowed:
            raise IllegalAction.at(self.game, self._states, action, self._mask)
        self.infos[agent] = {"action_mask": self._nothing}
        self._turn_to(self._play(self._states, number, self._observation, self._mask))

    def say(self, text: str, language: str = "", action: int | None = None) -> int:
        """Tell a sentence in own words for `agent_selection`, in a game of tales, and return its action.

        Without a `language` it is recognized. Without an `action` the sentence means the likeliest one. Texts are in
        what is rendered, and not in `get_state`.

        Raises:
            ValueError: the table does not take the sentence, or not for `action`; the state is unchanged.
        """
        agent = self.agent_selection if getattr(self, "agents", None) else ""
        telling = telling_now(self.game, self._states) if agent and not self.terminations[agent] else None
        if telling is None:
            raise ValueError(f"{self.game.id}: no sentence in own words can be told now")
        saying = telling.listen(self._states, text, language or telling.language(text))
        stands = dict(meanings(self.game, self._states, saying, saying.language))
        if not stands or action not in (None, *stands):
            raise ValueError(f"{self.game.id}: the sentence can stand for {', '.join(stands.values()) or 'no action'}")
        chosen = next(iter(stands)) if action is None else int(action)
        telling.say(self._states, chosen, saying)
        self._sayings.append(saying)
        self.step(chosen)
        return chosen

    def _turn_to(self, seat: int) -> None:
        if seat == OVER:
            self._finish()
        else:
            agent = self.agent_selection = self.possible_agents[seat]
            self.infos[agent] = {"action_mask": self._mask.copy()}
        if self.render_mode == "human":
            self._camera.draw(self._states, self.viewer, self._sayings)

    def _finish(self) -> None:
        payoffs = np.zeros(self.game.max_seats, np.float32)
        self._kernels.payoff(self._states, payoffs)
        for agent, payoff in zip(self.agents, payoffs.tolist(), strict=False):
            self.rewards[agent] = payoff
            self.terminations[agent] = True
        self._tell_figures()
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    @property
    def ending(self) -> str:
        """How the deal ended, in English; "" before the end, or if the game does not name it."""
        return self.game.ending(self._states)

    def _tell_figures(self) -> None:
        told: dict[str, Any] = {"action_mask": self._nothing, "figures": self.game.ended(self._states)}
        self.infos = {agent: told.copy() for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the mask of `agent` as fresh arrays."""
        running = agent == self.agent_selection and not self.terminations.get(agent, True)  # removed: in no dict
        if running:
            observation, mask = self._observation.copy(), self._mask.copy()
        else:
            observation, mask = np.empty_like(self._observation), np.zeros_like(self._mask)
            self._kernels.observe(self._states, self._seat_of[agent], observation)
        if self._encoder.name != "flat":
            view = make_view(self.game, self._states, self._seat_of[agent], new_stream(0))
            view = view._replace(mask=mask, sayings=tuple(self._sayings))
            return {"observation": self._encoder.encode(view, self.language), "action_mask": mask}
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """Return the observations of all seats, `(seats, D)` float32, for a centralized critic."""
        out = np.zeros((len(self.possible_agents), self.game.layout.size), np.float32)
        for seat, row in enumerate(out):
            self._kernels.observe(self._states, seat, row)
        return out

    def render(self) -> Any:
        """Return text, SVG or `(height, width, 3)` uint8 for `render_mode`; "human" draws the window and returns
        None."""
        return self._camera.draw(self._states, self.viewer, self._sayings)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._camera.close()

    def clone(self) -> "TableEnv":
        """Return an independent copy of this environment, its deal and its random streams."""
        other = object.__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def get_state(self) -> bytes:
        """Return the deal in play as bytes for `set_state`, here or in another process.

        The bytes contain hidden information: do not give them to an agent.
        """
        header = {
            "game": self.game.id,
            "record": _record_digest(self.game),
            "agents": self.agents,
            "agent_selection": self.agent_selection if self.agents else None,
            "skip": getattr(self, "_skip_agent_selection", None),
            **{name: getattr(self, name, {}) for name in _DICTS},
        }
        body = json.dumps(header).encode() + b"\n" + self._states.tobytes()
        return _MAGIC + hashlib.sha256(body).digest() + body

    def set_state(self, saved: bytes) -> None:
        """Continue a deal that `get_state` saved.

        Raises:
            StateMismatch: the bytes are damaged, or of another game, version or setup; the environment is unchanged.
        """
        header, states = _open(self.game, saved)
        was, now = self.game.setup(states), self.game.setup(self._setup)
        if was != now:
            raise StateMismatch(f"{self.game.id}: this state was saved at a table with {was}, this one has {now}")
        kept = self._kept(header, states)
        self._states[:] = states
        self._sayings = []
        self.agents = kept["agents"]
        for name in _DICTS:
            setattr(self, name, kept[name])
        self._skip_agent_selection = kept["skip"]
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}
        if self._states["over"][0]:
            self._tell_figures()
        if self.agents:
            agent = self.agent_selection = kept["agent_selection"]
            self._kernels.observe(self._states, self._seat_of[agent], self._observation)
            self._kernels.legal(self._states, self._mask)
            if not self.terminations[agent]:
                self.infos[agent] = {"action_mask": self._mask.copy()}

    def _kept(self, header: dict[str, Any], states: np.ndarray) -> dict[str, Any]:
        """Return the part of the `header` that must match `states`; raise StateMismatch if it does not.

        It follows from the state, the number of agents left, and whether an illegal action ended the deal.
        """
        lefts = range(len(self.possible_agents) + 1)
        possible = [self._header_of(states, left, ended=True) for left in lefts]
        if not states["over"][0]:
            possible.append(self._header_of(states, lefts[-1], ended=False))
        for kept in possible:
            if all(header[name] == value for name, value in kept.items()):
                return kept
        given = one_line(str({name: header[name] for name in possible[0]}), 400)
        raise StateMismatch(f"{self.game.id}: agents and rewards that do not fit the saved deal: {given}")

    def _header_of(self, states: np.ndarray, left: int, ended: bool) -> dict[str, Any]:
        """Return the header for `left` remaining agents; a deal can have `ended` before it is over."""
        everybody, seat = self.possible_agents, int(states["seat"][0])
        agents = everybody[len(everybody) - left :]
        paid = np.zeros(self.game.max_seats, np.float32)
        if states["over"][0]:
            self._kernels.payoff(states, paid)
        elif ended:  # by an illegal action (wrapped.py)
            paid[seat] = ILLEGAL_REWARD
        payoffs = dict(zip(everybody, paid.tolist(), strict=False))
        dead = ended and left < len(everybody)  # dead steps have begun
        return {
            "agents": agents,
            "agent_selection": (agents[0] if ended else everybody[seat]) if agents else None,
            "skip": everybody[0] if dead and agents else None,
            "rewards": {agent: 0 if dead else payoffs[agent] for agent in agents},
            "_cumulative_rewards": {agent: payoffs[agent] for agent in agents},
            "terminations": dict.fromkeys(agents, ended),
            "truncations": dict.fromkeys(agents, False),
        }

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_kernels", "_play", "_nothing", "_camera", "_bare")
        kept = {name: value for name, value in self.__dict__.items() if name not in left_out}
        for name in ("_states", "_setup", "_observation", "_mask"):
            kept[name] = kept[name].copy()
        for name in (*_DICTS, "agents", "infos", "_seeds", "_sayings"):
            if name in kept:
                kept[name] = copy.deepcopy(kept[name])
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._camera = rendering.Camera(self.game, self.render_mode, self.language)
        self._bind()


def _record_digest(game: Game) -> str:
    return hashlib.sha256(repr(game.state.descr).encode()).hexdigest()[:16]


def _open(game: Game, saved: bytes) -> tuple[dict[str, Any], np.ndarray]:
    if not isinstance(saved, bytes) or not saved.startswith(_MAGIC):
        raise StateMismatch(f"{game.id}: these are not bytes of a state saved by this version of get_state")
    seal, body = saved[len(_MAGIC) : len(_MAGIC) + 32], saved[len(_MAGIC) + 32 :]
    if hashlib.sha256(body).digest() != seal:
        raise StateMismatch(f"{game.id}: these bytes are damaged or cut short")
    head, _, raw = body.partition(b"\n")
    try:
        header = json.loads(head)
    except (ValueError, RecursionError) as error:
        raise StateMismatch(f"{game.id}: the header is not JSON: {one_line(str(error), 200)}") from None
    if not isinstance(header, dict) or sorted(header) != sorted(_HEADER):
        raise StateMismatch(f"{game.id}: the header is not an object with {', '.join(_HEADER)}")
    if header["game"] != game.id:
        raise StateMismatch(f"{game.id}: this state was saved in {one_line(str(header['game']), 200)}")
    if header["record"] != _record_digest(game) or len(raw) != game.state.itemsize:
        raise StateMismatch(f"{game.id}: this state was saved by another build of the game, with other fields")
    states = np.frombuffer(raw, game.state).copy()
    try:
        game.setup(states)
        problems = state_problems(game, states)
    except (ArithmeticError, LookupError, ValueError) as error:  # numbers outside every table
        problems = [str(error)]
    if problems:
        raise StateMismatch(f"{game.id}: this is not a valid state of the game: {'; '.join(problems)}")
    return header, states
