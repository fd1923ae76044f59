"""Frames: JSON objects that show a client its table.

Pictures and texts come from the determinization in the seat's view, so they cannot reveal hidden information. Only the
event log uses true states, through `Words.tell`, which the secrets tests check. Onlookers receive the information that
all seats share. In games with secret turns they see no table, since a changed picture would reveal a decision, but the
finished turns of a tale: that the teller changes is no secret. After the deal, every client sees the true state.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.deal import payoffs
from sobremesa.envs.core.game import PUBLIC, Game
from sobremesa.envs.core.picture.pointing import pointable_scene
from sobremesa.envs.core.sayings import Saying, TaleWords, telling_now, words_of
from sobremesa.envs.core.wording import entry_of, in_order
from sobremesa.report import show
from sobremesa.report.players import counted_from_one
from sobremesa.serve.guides import lesson
from sobremesa.serve.seated import PERSON
from sobremesa.serve.table import Table, seat_link
from sobremesa.serve.words import WORDS

LINES = 80  # latest sentences of the event log in a frame
TURNS = 40  # latest paragraphs of a tale in a frame
MOST_STEPS = 60  # plies that a client is shown one by one


def frame(table: Table, viewer: int, language: str, narrow: bool = False) -> bytes:
    """Return the frame of `viewer` (a seat or PUBLIC) as UTF-8 JSON; the bytes change only when its view changes.

    `narrow` selects the picture for phones.
    """
    with table.lock:
        shown = _frame(table, viewer, language, narrow)
    return encode(shown)


def steps(table: Table, viewer: int, seen: int) -> range:
    """Return the plies after `seen` that `viewer` is shown one by one before the current state, the latest at most.

    With secret turns there are none: their number would reveal who had a choice.
    """
    now = table.shown(viewer)
    return range(0) if table.secret_turns else range(max(seen + 1, now - MOST_STEPS), now)


def step(table: Table, viewer: int, language: str, narrow: bool, ply: int) -> bytes:
    """Return the frame of `viewer` as it was before `ply`, without moves."""
    with table.lock:
        if ply >= table.shown(viewer):  # taken back meanwhile
            return b""
        log = table.deal.log(viewer, language, ply)
        shown = status(table, viewer, language) | _picture(table, viewer, language, narrow, ply)
        shown |= {"mine": False, "asked": table.deal.plies[ply].seat, "told": log[-LINES:], "count": len(log)}
    return encode({**shown, "actions": [], "over": None, "wish": None, "guide": None})


def encode(message: dict[str, Any]) -> bytes:
    """Encode `message` as compact UTF-8 JSON."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _frame(table: Table, viewer: int, language: str, narrow: bool) -> dict[str, Any]:
    over = _over(table, viewer, language) if table.deal.over else None
    return {**status(table, viewer, language), **_picture(table, viewer, language, narrow, None), "over": over}


def status(table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return the parts of the frame that need no picture: seats, turn, event log, take-back request, links."""
    log = table.deal.log(viewer, language, table.shown(viewer))
    return {
        "what": "frame",
        "moment": table.moment(viewer),
        "seat": viewer,
        "mine": table.to_act(viewer),
        "asked": _seat_to_act(table, viewer),
        "seats": _seats(table, viewer, language),
        "told": log[-LINES:],
        "count": len(log),
        "wish": _take_back(table, viewer),
        "links": _links(table, viewer),
        "trouble": table.trouble,
        "unsaved": table.unsaved,
        "guide": lesson(table, viewer, language),
        "chat": table.chats,
    }


def _picture(table: Table, viewer: int, language: str, narrow: bool, ply: int | None) -> dict[str, Any]:
    """Return the scene (SVG) before `ply` or now, its text, the question, and the legal actions."""
    game, draw = table.game, partial(pointable_scene, table.game, narrow=narrow)
    if table.deal.over and ply is None:
        states, sayings = table.deal.states, table.deal.sayings()
        text = words_of(game, sayings).describe(states, None, language)
        tale = _tale(game, states, sayings, language)
        return {"scene": draw(states, None, language), "text": counted_from_one(text), "actions": [], **tale}
    if viewer == PUBLIC:
        states = table.public_state(ply)
        if not game.words.public:
            tale = _tale(game, states, table.deal.sayings(ply), language, finished=True)
            return {"scene": "", "text": "", "actions": [], **tale}
        text = game.words.describe(states, PUBLIC, language)
        return {"scene": draw(states, PUBLIC, language), "text": counted_from_one(text), "actions": []}
    view = table.view(viewer, ply)
    return {
        "scene": draw(view.state, viewer, language),
        "text": counted_from_one(words_of(game, view.sayings).describe(view.state, viewer, language)),
        "actions": actions(game, view, language),
        "asks": game.words.asks(view.state, viewer, language) if table.to_act(viewer) else "",
        **_pen(table, view, language),
        **_tale(game, view.state, view.sayings, language),
    }


def _tale(
    game: Game, states: np.ndarray, sayings: Sequence[Saying], language: str, finished: bool = False
) -> dict[str, Any]:
    """Return the latest turns of the tale as [seat, text], and how many are left out before; nothing without a tale.

    With `finished`, the turn of the present teller is left out.
    """
    words = words_of(game, sayings)
    if not isinstance(words, TaleWords):
        return {}
    turns = [[turn.seat, turn.text] for turn in words.paragraphs(states, language)]
    turns = turns[:-1] if finished else turns
    return {"tale": turns[-TURNS:], "earlier": max(0, len(turns) - TURNS)}


def _pen(table: Table, view: View, language: str) -> dict[str, Any]:
    """Return the characters that a sentence in own words may have now, 0 where none may be told, and its cards."""
    telling = telling_now(table.game, view.state) if table.to_act(view.seat) else None
    if telling is None:
        return {"words": 0}
    words, state = table.game.words, view.state
    cards = [(action, entry_of(words, action, language, state)[1]) for action in telling.cards(state)]
    return {"words": telling.longest, "cards": cards}


def actions(game: Game, view: View, language: str) -> list[list[Any]]:
    """Return the legal actions of `view` as [action, heading, name]; a heading may be empty."""
    found: list[list[Any]] = []
    legal = np.flatnonzero(view.mask).tolist()
    for action in in_order(game.words, view.state, legal):
        head, tail = entry_of(game.words, action, language, view.state)
        found.append([action, head if tail else "", tail or head])
    return found


def _seat_to_act(table: Table, viewer: int) -> int | None:
    """Return the seat to act; None if the deal is over or turns are secret."""
    if table.deal.over or (table.secret_turns and not table.to_act(viewer)):
        return None
    return table.deal.seat


def _seats(table: Table, viewer: int, language: str) -> list[dict[str, Any]]:
    roles = nature(table.game).roles.get(language)
    names, called = table.names(language, viewer), table.names(language)
    return [
        {
            "name": names[seat],
            "called": called[seat],
            "role": roles[seat] if roles else "",
            "person": one.kind == PERSON,
            "you": seat == viewer,
        }
        for seat, one in enumerate(table.opening.seated)
    ]


def _take_back(table: Table, viewer: int) -> dict[str, Any] | None:
    """Return the open take-back request: its number and seat, and whether `viewer` has agreed."""
    if table.take_back is None or viewer == PUBLIC:
        return None
    return {"number": table.take_back.number, "seat": table.take_back.seat, "agreed": viewer in table.take_back.agreed}


def _links(table: Table, viewer: int) -> list[list[Any]]:
    """Return [seat, link, whether its page has been opened] for each invitation; only the host receives them."""
    if viewer == PUBLIC or viewer != table.opening.host:
        return []
    others = [seat for seat in table.people if seat != viewer]
    return [[seat, seat_link(seat, table.tokens[seat]), seat in table.joined] for seat in [*others, PUBLIC]]


def _outcome(game: Game, states: np.ndarray, seat: int) -> str:
    """Return the key in WORDS of the result of `seat`."""
    paid = payoffs(game, states)
    if game.cooperative:
        return ("all" if len(paid) > 1 else "you") + (" won" if paid.any() else " lost")
    if paid[seat] < paid.max():
        return "you lost"
    return "you won" if (paid == paid.max()).sum() == 1 else "you shared"


def _over(table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return the result, seed and links of a finished deal."""
    states, link = table.deal.states, seat_link(PUBLIC, table.tokens[PUBLIC])
    outcome = "" if viewer == PUBLIC else _outcome(table.game, states, viewer)
    return {
        "result": show.verdict(table.game, states, table.names(language, viewer), language),
        "say": WORDS[language]["over"],
        "outcome": outcome and WORDS[language][outcome],
        "names": outcome in ("", "you lost", "you shared"),  # whether `result` names somebody else
        "seed": str(table.opening.seed),  # JavaScript numbers are exact up to 53 bits only
        "tale": f"{link}/tale" if isinstance(table.game.words, TaleWords) else "",
        "plies": len(table.deal.plies),
        "next": table.next_links.get(viewer, ""),
        "link": link,
    }
