"""Golden playthroughs: a deal as readable text that can be replayed line by line."""

import json
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.deal import Ply, deal_between, digest, outcome, payoffs
from sobremesa.envs.core.game import SEAT_SIGNS, Game


def write(game: Game, agents: list[Agent], seed: int, language: str = "en", every: int = 1, **setup: Any) -> str:
    """Play one deal between `agents`, one per seat, and return it as text.

    A line for each ply has its number, the seat, the action, the number of legal actions, and a digest of state and
    observations before it. Sentences about the events follow. After `every` plies comes a description of the open
    table.
    """
    *plies, end = deal_between(game, agents, seed, **setup)
    lines = [
        f"game: {game.id}",
        f"setup: {json.dumps(game.setup(end.states))}",
        f"seed: {seed}",
        f"agents: {', '.join(agent.name for agent in agents)}",
        f"language: {language}",
        f"every: {every}",
        "",
    ]
    for ply in plies:
        lines += _lines(game, ply, language, every)
    paid = ", ".join(f"{payoff:+.3f}" for payoff in payoffs(game, end.states))
    lines += [*_table(game, end.states, language), f"payoffs: {paid}", f"digest: {digest(game, end.states)}", ""]
    return "\n".join(lines)


def replay(game: Game, text: str) -> str:
    """Play the actions of a playthrough again and return the new text; the rules are the same if the texts are equal.

    Raises ValueError with the ply of an action that is now illegal.
    """
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    if fields["game"] != game.id:
        raise ValueError(f"this playthrough is of {fields['game']}, not of {game.id}")
    names = [line.split(" | ")[1] for line in body.splitlines() if line.startswith("ply ")]
    actors = iter([game.words.parse_action(name, fields["language"]) for name in names])

    class Recorded:
        name = ""

        def act(self, view: View) -> int:
            action = next(actors, 0)
            if not view.mask[action]:
                ply = int(view.state["ply"][0])
                raise ValueError(f"ply {ply}: {game.words.action_name(action, fields['language'])!r} is not allowed")
            return action

    agents: list[Agent] = []
    for name in fields["agents"].split(", "):
        actor = Recorded()
        actor.name = name
        agents.append(actor)
    setup = json.loads(fields["setup"])
    return write(game, agents, int(fields["seed"]), fields["language"], int(fields["every"]), **setup)


def _lines(game: Game, ply: Ply, language: str, every: int) -> list[str]:
    number = int(ply.states["ply"][0])
    table = _table(game, ply.states, language) if number % every == 0 else []
    name = game.words.action_name(ply.action, language)
    told = game.words.tell(ply.states, ply.action, outcome(game, ply), None, language)
    head = f"ply {number}, seat {ply.seat} | {name} | of {ply.mask.sum()} | {digest(game, ply.states)}"
    more = [f"  {sentence}" for sentence in told if sentence != f"{SEAT_SIGNS[ply.seat]} {name}"]
    return [*table, head, *more]


def _table(game: Game, states: np.ndarray, language: str) -> list[str]:
    return ["", *(f"    {line}".rstrip() for line in game.words.describe(states, None, language).splitlines()), ""]
