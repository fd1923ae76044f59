"""Prompts: a view in words, as a function of the view, the language and the style."""

from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import View
from sobremesa.envs.core.api.obfuscated import ObfuscatedWords
from sobremesa.envs.core.deal import payoffs, random_deal
from sobremesa.envs.core.game import SEAT_SIGNS, Game, check_language
from sobremesa.envs.core.sayings import FENCE, words_of
from sobremesa.envs.core.seats import forfeit
from sobremesa.envs.core.wording import PromptWords
from sobremesa.envs.core.words import load_words

_DEALS = 400  # for the range of payoffs of a game without a list of winners
ATTEMPTS = 3  # answers to one decision, before the deal is forfeited
_TEXTS = load_words(__file__)


@dataclass(frozen=True)
class Style:
    """What a prompt contains.

    `language` is "en" or "es". `actions` lists the legal actions. `history` adds all events of the deal that the player
    has seen; without it a prompt has those since the player's last action. `tool` is the name of the tool that takes
    the action, for a player who calls tools. Raises ValueError for another language.
    """

    language: str = "en"
    actions: bool = True
    history: bool = False
    tool: str = ""

    def __post_init__(self) -> None:
        check_language(self.language)


def texts(section: str, style: Style) -> dict[str, str]:
    """Return the texts of `section` of the TOML files in the language of `style`."""
    found: dict[str, str] = _TEXTS[section][style.language]
    return found


def rules_prompt(view: View, style: Style, attempts: int = ATTEMPTS) -> str:
    """Return the first message (role "system"): the player's seat, the rules in short, and how to answer."""
    game, words = view.game, texts("rules", style)
    listed = words["listed" if style.actions else "unlisted"]
    details = game.words.details(view.state, style.language).strip()
    how = words["answer_tool" if style.tool else "answer"].format(listed=listed, attempts=attempts, tool=style.tool)
    return "\n\n".join(
        (
            _opening(view, style),
            f"{words['head']}\n{game.words.help(style.language).strip()}",
            *([details] if details else []),
            f"{words['answer_head']}\n{_aim(view, style)}\n{how}",
        )
    )


def _aim(view: View, style: Style) -> str:
    """Return the payoffs, as the game's `payoff` gives them at this table."""
    game, words, seats = view.game, texts("rules", style), int(view.state["seats"][0])
    if game.cooperative:
        return words["aim_together"]
    lost = f"{float(forfeit(game, seats, view.seat)[view.seat]):.2g}"
    if "winner" not in (game.state.names or ()):
        low, high = payoff_range(game, seats)
        return words["aim_range"].format(low=f"{low:.2g}", high=f"{high:.2g}", forfeit=lost)
    ways = {"win": [0], "lose": [1], "two": [0, 1]}
    paid = {name: f"{_paid(game, view.state, winners, seats):.2g}" for name, winners in ways.items()}
    return words["aim" if seats == 2 else "aim_shared"].format(**paid, seats=seats, forfeit=lost)


def _paid(game: Game, states: np.ndarray, winners: list[int], seats: int) -> float:
    """Return the payoff of seat 0 if `winners` win the deal of the `(1,)` state `states`."""
    ended = states.copy()
    ended["over"], ended["winner"] = 1, 0
    ended["winner"][0, winners] = 1
    return float(payoffs(game, ended)[0])


@cache
def payoff_range(game: Game, seats: int) -> tuple[float, float]:
    """Return the lowest and the highest payoff of random deals at a table of so many seats."""
    ends = (deque(random_deal(game, seed, {"seats": seats}), maxlen=1).pop() for seed in range(_DEALS))
    paid = np.array([payoffs(game, end.states) for end in ends])
    return float(paid.min()), float(paid.max())


def _opening(view: View, style: Style) -> str:
    game, words = view.game, texts("rules", style)
    setup = game.setup(view.state)
    seats = setup.pop("seats")
    usual = {option.name: option.default for option in game.options}
    other = ", ".join(f"{name}={value}" for name, value in setup.items() if value != usual[name])
    if isinstance(game.words, ObfuscatedWords):
        other = game.words.renaming.there(other, style.language)
    kind = "role" if game.roles else "alone" if seats == 1 else "seat"
    return words[kind].format(
        title=game.words.title[style.language],
        seat=SEAT_SIGNS[view.seat],
        seats=seats,
        role=game.roles[style.language][view.seat] if game.roles else "",
        setup=words["setup"].format(setup=other) if other else "",
    )


def turn_prompt(view: View, style: Style) -> str:
    """Return the message (role "user") for one decision: events, position and legal actions."""
    words = texts("turn", style)
    parts, before = _since(view, style), view.history[:-1]
    if style.history and any(before):
        parts.insert(0, _section(words["before"], (line for group in before for line in group)))
    parts = _own_words(view, style) + parts
    table = _described(view, view.state, view.seat, style)
    parts.append(f"{words['position']}\n{table}")
    if style.actions:
        names = action_names(view.game, view.mask, style)
        parts.append(_section(words["legal"].format(count=len(names)), names))
    parts.append(ask(style))
    return "\n\n".join(parts)


def _own_words(view: View, style: Style) -> list[str]:
    """Return the line on sentences in players' own words; an empty list without such sentences."""
    return [texts("turn", style)["own_words"].format(*FENCE)] if view.sayings else []


def _described(view: View, states: np.ndarray, seat: int | None, style: Style) -> str:
    """Return the `(1,)` state `states` in words, as `seat` sees it or open for None."""
    words = words_of(view.game, view.sayings, fenced=True)
    text: str = (words.read if isinstance(words, PromptWords) else words.describe)(states, seat, style.language)
    return text.strip()


def _since(view: View, style: Style) -> list[str]:
    """Return the section of the events since the player's last action; an empty list without events."""
    words, (*before, since) = texts("turn", style), view.history
    return [_section(words["since" if before else "begun"], since)] if since else []


def _section(head: str, lines: Any) -> str:
    return "\n".join([head, *lines])


def ask(style: Style) -> str:
    """Return the line that asks for an action."""
    return texts("turn", style)["ask_tool" if style.tool else "ask"].format(tool=style.tool)


def answer_text(game: Game, action: int, style: Style) -> str:
    """Return an answer that names `action`."""
    return texts("turn", style)["answer"].format(name=game.words.action_name(action, style.language))


def action_names(game: Game, mask: np.ndarray, style: Style) -> list[str]:
    """Return the names of the legal actions of `mask` `(A,)`."""
    return [game.words.action_name(int(action), style.language) for action in np.flatnonzero(mask)]


def end_prompt(view: View, states: np.ndarray, payoff: float, style: Style) -> str:
    """Return the last message of a deal: events since the player's last action, the open table, and the payoff.

    `view` is that of the player at the end, `states` the `(1,)` state.
    """
    words = texts("end", style)
    parts = _own_words(view, style) + _since(view, style)
    table = _described(view, states, None, style)
    return "\n\n".join([*parts, f"{words['over']}\n{table}", words["result"].format(payoff=payoff)])
