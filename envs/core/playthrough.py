"""Golden playthroughs: a deal as text that a person reads beside the rulebook and a machine replays line by line."""

import hashlib
import json
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent, make_view, new_stream
from sobremesa.envs.core.chance import derive
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER, table_kernels


def write(game: Game, agents: list[Agent], seed: int, language: str = "en", every: int = 1, **setup: Any) -> str:
    """Play one deal between `agents`, one a seat, and return it as text.

    Each ply is a line: its number, the seat, the action by name, how many were allowed, and a digest of the state and
    of all observations before it. Every so many plies the open table is described in full.
    """
    kernels = table_kernels(game)
    states = game.new_tables(1, {"seats": len(agents), **setup})
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    streams = [new_stream(int(derive(seed, 1, seat))) for seat in range(len(agents))]
    lines = [
        f"game: {game.id}",
        f"setup: {json.dumps(game.setup(states))}",
        f"seed: {seed}",
        f"agents: {', '.join(agent.name for agent in agents)}",
        f"language: {language}",
        f"every: {every}",
        "",
    ]
    seat = kernels.deal(states, seed, observation, mask)
    while seat != OVER:
        action = agents[seat].act(make_view(game, states, int(seat), streams[seat]))
        lines += _ply(game, states, mask, action, language, every)
        seat = kernels.play(states, action, observation, mask)
    lines += [*_table(game, states, language), _payoffs(game, states), f"digest: {_digest(game, states)}", ""]
    return "\n".join(lines)


def replay(game: Game, text: str) -> str:
    """Play the actions of a playthrough again and return the text that they give now; equal texts mean equal rules.

    Raises ValueError, naming the line, where an action is not allowed any more.
    """
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    if fields["game"] != game.id:
        raise ValueError(f"this playthrough is of {fields['game']}, not of {game.id}")
    names = [line.split(" | ")[1] for line in body.splitlines() if line.startswith("ply ")]
    actors = iter([game.parse_action(name, fields["language"]) for name in names])

    class Recorded:
        name = ""

        def act(self, view: Any) -> int:
            action = next(actors, 0)
            if not view.mask[action]:
                ply = int(view.state["ply"][0])
                raise ValueError(f"ply {ply}: {game.action_name(action, fields['language'])!r} is not allowed")
            return action

    agents: list[Agent] = []
    for name in fields["agents"].split(", "):
        actor = Recorded()
        actor.name = name
        agents.append(actor)
    setup = json.loads(fields["setup"])
    return write(game, agents, int(fields["seed"]), fields["language"], int(fields["every"]), **setup)


def _ply(game: Game, states: np.ndarray, mask: np.ndarray, action: int, language: str, every: int) -> list[str]:
    ply, seat = int(states["ply"][0]), int(states["seat"][0])
    table = _table(game, states, language) if ply % every == 0 else []
    line = f"ply {ply}, seat {seat} | {game.action_name(action, language)} | of {mask.sum()} | {_digest(game, states)}"
    return [*table, line]


def _table(game: Game, states: np.ndarray, language: str) -> list[str]:
    return ["", *(f"    {line}".rstrip() for line in game.describe(states, None, language).splitlines()), ""]


def _payoffs(game: Game, states: np.ndarray) -> str:
    payoffs = np.zeros(game.max_seats, np.float32)
    table_kernels(game).pay(states, payoffs)
    return f"payoffs: {', '.join(f'{payoff:+.3f}' for payoff in payoffs[: int(states['seats'][0])])}"


def _digest(game: Game, states: np.ndarray) -> str:
    digest = hashlib.sha256(states.tobytes())
    observation = np.zeros(game.layout.size, np.float32)
    for seat in range(int(states["seats"][0])):
        table_kernels(game).look(states, seat, observation)
        digest.update(observation.tobytes())
    return digest.hexdigest()[:8]
