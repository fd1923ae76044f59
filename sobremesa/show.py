"""Deals to take part in or to look at: `sobremesa play` and `sobremesa watch`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.human import Human, Quit
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.deal import Ply, deal_between, payoffs
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER

_WORDS = {
    "en": {
        "seat": "Seat", "won": "wins", "shared": "share the win", "together": "All win", "lost": "All lose",
        "bye": "Until next time.",
    },
    "es": {
        "seat": "Asiento", "won": "gana", "shared": "comparten la victoria", "together": "Ganan todos",
        "lost": "Pierden todos", "bye": "Hasta la próxima.",
    },
}  # fmt: skip


def play(game: Game, seated: Sequence[Agent], seed: int, language: str, **setup: Any) -> None:
    """Let the one Human among `seated` play a deal, and tell what the others do as that seat sees it."""
    mine = next(seat for seat, agent in enumerate(seated) if isinstance(agent, Human))
    words = _WORDS[language]
    try:
        for ply in deal_between(game, seated, seed, **setup):
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
    paid = payoffs(game, states)
    words = _WORDS[language]
    if game.cooperative:
        verdict = words["together" if paid.any() else "lost"]
    else:
        best = np.flatnonzero(paid == paid.max()).tolist()
        winners = ", ".join(f"{words['seat']} {seat} ({names[seat]})" for seat in best)
        verdict = f"{winners} {words['won' if len(best) == 1 else 'shared']}"
    return f"{verdict}  [{', '.join(f'{payoff:+.2f}' for payoff in paid)}]"


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
