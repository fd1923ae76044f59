"""Deals to take part in or to look at: `sobremesa play` and `sobremesa watch`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.human import Human, Quit
from sobremesa.envs.core.agent import Agent, make_view, new_stream
from sobremesa.envs.core.chance import derive
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER, table_kernels

_WORDS = {
    "en": {"seat": "Seat", "won": "wins", "shared": "share the win", "you": "you", "bye": "Until next time."},
    "es": {
        "seat": "Asiento",
        "won": "gana",
        "shared": "comparten la victoria",
        "you": "tú",
        "bye": "Hasta la próxima.",
    },
}


class Ply(NamedTuple):
    """A moment of a deal, before `action` is played; at the end seat and action are OVER."""

    states: np.ndarray  # (1,), a copy
    seat: int
    action: int


def deal(game: Game, seated: Sequence[Agent], seed: int, **setup: Any) -> Iterator[Ply]:
    """Play one deal between the agents `seated`, one a seat; the same arguments give the same deal."""
    kernels = table_kernels(game)
    states = game.new_tables(1, {**setup, "seats": len(seated)})
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    streams = [new_stream(int(derive(seed, 1, seat))) for seat in range(len(seated))]
    seat = kernels.deal(states, seed, observation, mask)
    while seat != OVER:
        action = seated[seat].act(make_view(game, states, int(seat), streams[seat]))
        yield Ply(states.copy(), int(seat), action)
        seat = kernels.play(states, action, observation, mask)
    yield Ply(states.copy(), OVER, OVER)


def play(game: Game, seated: Sequence[Agent], seed: int, language: str, **setup: Any) -> None:
    """Let the one Human among `seated` play a deal, and tell what the others do as that seat sees it."""
    mine = next(seat for seat, agent in enumerate(seated) if isinstance(agent, Human))
    words = _WORDS[language]
    try:
        for ply in deal(game, seated, seed, **setup):
            if ply.action == OVER:
                print("\n" + game.describe(ply.states, mine, language))
                print("\n" + result(game, ply.states, [agent.name for agent in seated], language))
            elif ply.seat != mine:
                what = game.seen_action(ply.states, ply.action, mine, language)
                print(f"  {words['seat']} {ply.seat} ({seated[ply.seat].name}): {what}")
    except (Quit, KeyboardInterrupt):
        print("\n" + words["bye"])


def watch_text(game: Game, plies: Sequence[Ply], names: Sequence[str], viewer: int | None, language: str) -> str:
    """Return a deal as text, as `viewer` sees it (None: the open table)."""
    parts = []
    for ply in plies:
        parts.append(game.describe(ply.states, viewer, language))
        parts.append(caption(game, ply, names, viewer, language))
    return "\n\n".join(parts)


def caption(game: Game, ply: Ply, names: Sequence[str], viewer: int | None, language: str) -> str:
    """Return one line on what happens at `ply`, as `viewer` sees it."""
    if ply.action == OVER:
        return result(game, ply.states, names, language)
    number = int(ply.states["ply"][0]) + 1
    what = game.seen_action(ply.states, ply.action, viewer, language)
    return f"{number}. {_WORDS[language]['seat']} {ply.seat} ({names[ply.seat]}): {what}"


def result(game: Game, states: np.ndarray, names: Sequence[str], language: str) -> str:
    """Return one line on who won the deal and what each seat was paid."""
    payoffs = np.zeros(game.max_seats, np.float32)
    table_kernels(game).pay(states, payoffs)
    payoffs = payoffs[: len(names)]
    words = _WORDS[language]
    winners = [f"{words['seat']} {seat} ({names[seat]})" for seat in np.flatnonzero(payoffs == payoffs.max()).tolist()]
    verb = words["won"] if len(winners) == 1 else words["shared"]
    return f"{', '.join(winners)} {verb}  [{', '.join(f'{payoff:+.2f}' for payoff in payoffs)}]"


def film(path: Path, game: Game, plies: Sequence[Ply], names: Sequence[str], viewer: int | None, language: str) -> None:
    """Write a deal to `path` as an animation: .html (a page with play and step) or .gif."""
    from sobremesa import film as films

    scenes = [game.scene(ply.states, viewer, language) for ply in plies]
    captions = [caption(game, ply, names, viewer, language) for ply in plies]
    if path.suffix == ".html":
        films.write_page(path, f"{game.title[language]}: {' - '.join(names)}", scenes, captions)
    elif path.suffix == ".gif":
        films.write_gif(path, scenes)
    else:
        raise ValueError(f"{path}: an animation is written as .html or .gif")
