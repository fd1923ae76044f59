"""Prompts: a view in words, as a function of the view, the language and the style."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import View
from sobremesa.envs.core.game import SEAT_SIGNS, Game, check_language
from sobremesa.envs.core.words import load_words

ATTEMPTS = 3  # answers to one decision, before the deal is forfeited
_TEXTS = load_words(__file__)


@dataclass(frozen=True)
class Style:
    """What a prompt contains.

    `language` is "en" or "es". `actions` lists the legal actions. `history` adds all events of the deal that the player
    has seen; without it a prompt has those since the player's last action. Raises ValueError for another language.
    """

    language: str = "en"
    actions: bool = True
    history: bool = False

    def __post_init__(self) -> None:
        check_language(self.language)


def texts(section: str, style: Style) -> dict[str, str]:
    """Return the texts of `section` of the TOML files in the language of `style`."""
    found: dict[str, str] = _TEXTS[section][style.language]
    return found


def rules_prompt(view: View, style: Style, attempts: int = ATTEMPTS) -> str:
    """Return the first message (role "system"): the player's seat, the rules in short, and how to answer."""
    game, words = view.game, texts("rules", style)
    together = "aim_together" if game.cooperative else "aim"
    listed = words["listed" if style.actions else "unlisted"]
    return "\n\n".join(
        (
            _opening(view, style),
            f"{words['head']}\n{game.words.help(style.language).strip()}",
            f"{words['answer_head']}\n{words[together]}\n{words['answer'].format(listed=listed, attempts=attempts)}",
        )
    )


def _opening(view: View, style: Style) -> str:
    game, words = view.game, texts("rules", style)
    setup = game.setup(view.state)
    seats = setup["seats"]
    kind = "role" if game.roles else "alone" if seats == 1 else "seat"
    return words[kind].format(
        title=game.words.title[style.language],
        seat=SEAT_SIGNS[view.seat],
        seats=seats,
        role=game.roles[style.language][view.seat] if game.roles else "",
        setup=", ".join(f"{name}={value}" for name, value in setup.items()),
    )


def turn_prompt(view: View, style: Style) -> str:
    """Return the message (role "user") for one decision: events, position and legal actions."""
    words = texts("turn", style)
    *before, since = view.history
    parts = []
    if style.history and any(before):
        parts.append(_section(words["before"], (line for group in before for line in group)))
    if since:
        parts.append(_section(words["since" if before else "begun"], since))
    parts.append(f"{words['position']}\n{view.game.words.describe(view.state, view.seat, style.language).strip()}")
    if style.actions:
        names = action_names(view.game, view.mask, style)
        parts.append(_section(words["legal"].format(count=len(names)), names))
    parts.append(words["ask"])
    return "\n\n".join(parts)


def _section(head: str, lines: Any) -> str:
    return "\n".join([head, *lines])


def action_names(game: Game, mask: np.ndarray, style: Style) -> list[str]:
    """Return the names of the legal actions of `mask` `(A,)`."""
    return [game.words.action_name(int(action), style.language) for action in np.flatnonzero(mask)]


def end_prompt(game: Game, states: np.ndarray, events: tuple[str, ...], payoff: float, style: Style) -> str:
    """Return the last message of a deal: `events` since the player's last action, the open table, and the payoff."""
    words = texts("end", style)
    parts = [_section(texts("turn", style)["since"], events)] if events else []
    table = game.words.describe(states, None, style.language).strip()
    return "\n\n".join([*parts, f"{words['over']}\n{table}", words["result"].format(payoff=payoff)])
