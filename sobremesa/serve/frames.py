"""Frames: what a client is shown of its table, a JSON object made from what its seat may know.

Pictures and texts are drawn from the world of the seat's view, whose hidden part is a guess that follows from what the
seat sees: even a picture that showed everything would show nothing true. Only the sentences on what happened are told
of true states, by `Words.tell`, which the secrets kit tries. Who looks on is told what every seat is told, and sees
what every seat sees; nothing where it is a secret who is asked, as a picture that changed would tell. When the deal is
over everybody sees all of it.
"""

import json
from functools import partial
from typing import Any

import numpy as np

from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.game import PUBLIC, SEAT_SIGNS, Game
from sobremesa.envs.core.picture.pointing import pointable_scene
from sobremesa.report import show
from sobremesa.serve.table import PERSON, Table, seat_link
from sobremesa.serve.words import WORDS

LINES = 40  # sentences in a frame, the latest


def frame(table: Table, viewer: int, language: str, narrow: bool = False) -> bytes:
    """Return what `viewer`, a seat or PUBLIC, is shown now: UTF-8 JSON, the same bytes while nothing changes for it.

    A `narrow` one has a picture for phones.
    """
    with table.lock:
        shown = _frame(table, viewer, language, narrow)
    return encode(shown)


def encode(message: dict[str, Any]) -> bytes:
    """Return `message` as it crosses the wire."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _frame(table: Table, viewer: int, language: str, narrow: bool) -> dict[str, Any]:
    over = _over(table, viewer, language) if table.deal.over else None
    return {**beside(table, viewer, language), **_picture(table, viewer, language, narrow), "over": over}


def beside(table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return what `viewer` is shown beside the picture."""
    told = table.deal.told(viewer, language, table.shown(viewer))
    return {
        "what": "frame",
        "moment": table.moment(viewer),
        "seat": viewer,
        "mine": table.asked(viewer),
        "asked": _asked(table, viewer),
        "seats": _seats(table, viewer, language),
        "told": told[-LINES:],
        "count": len(told),
        "wish": _wish(table, viewer),
        "links": _links(table, viewer),
        "trouble": table.trouble,
        "unsaved": table.unsaved,
    }


def _picture(table: Table, viewer: int, language: str, narrow: bool) -> dict[str, Any]:
    """Return the scene (SVG), the same in words, and what may be done: [action, heading, name there]."""
    game, draw = table.game, partial(pointable_scene, table.game, narrow=narrow)
    if table.deal.over:
        states = table.deal.states
        text = game.words.describe(states, None, language)
        return {"scene": draw(states, None, language), "text": text, "actions": []}
    if viewer == PUBLIC:
        if not game.words.public:
            return {"scene": "", "text": "", "actions": []}
        world = table.world()
        text = game.words.describe(world, PUBLIC, language)
        return {"scene": draw(world, PUBLIC, language), "text": text, "actions": []}
    view = table.view(viewer)
    return {
        "scene": draw(view.state, viewer, language),
        "text": game.words.describe(view.state, viewer, language),
        "actions": actions(game, view, language),
    }


def actions(game: Game, view: View, language: str) -> list[list[Any]]:
    """Return what the seat of `view` may do, each as [action, heading, name under it]; a heading may be ""."""
    found: list[list[Any]] = []
    for action in np.flatnonzero(view.mask).tolist():
        name = game.words.action_name(action, language)
        head, tail = game.words.entry(action, language) if game.words.entry else ("", name)
        found.append([action, head if tail else "", tail or head])
    return found


def _asked(table: Table, viewer: int) -> int | None:
    """Return who is to act, None where that is nobody's business or the deal is over."""
    if table.deal.over or (table.secret_turns and not table.asked(viewer)):
        return None
    return table.deal.seat


def _seats(table: Table, viewer: int, language: str) -> list[dict[str, Any]]:
    roles = nature(table.game).roles.get(language)
    return [
        {
            "sign": SEAT_SIGNS[seat],
            "name": table.names[seat],
            "role": roles[seat] if roles else "",
            "person": one.kind == PERSON,
            "you": seat == viewer,
        }
        for seat, one in enumerate(table.opening.seated)
    ]


def _wish(table: Table, viewer: int) -> dict[str, Any] | None:
    """Return the wish to take back, if there is one: whose, and whether this viewer has agreed."""
    if table.wish is None or viewer == PUBLIC:
        return None
    return {"seat": table.wish.seat, "agreed": viewer in table.wish.agreed}


def _links(table: Table, viewer: int) -> list[list[Any]]:
    """Return the links that the host gives out, [seat, link]; nobody else has any."""
    if viewer == PUBLIC or viewer != table.opening.host:
        return []
    others = [seat for seat in table.people if seat != viewer]
    return [[seat, seat_link(seat, table.tokens[seat])] for seat in [*others, PUBLIC]]


def _over(table: Table, viewer: int, language: str) -> dict[str, Any]:
    """Return how the deal ended, now that nothing is hidden."""
    states = table.deal.states
    return {
        "result": show.verdict(table.game, states, table.names, language),
        "say": WORDS[language]["over"],
        "seed": str(table.opening.seed),  # a number in a browser has 53 bits
        "tale": table.game.words.tale(states, language) if table.game.words.tale else "",
        "plies": len(table.deal.plies),
        "next": table.next_links.get(viewer, ""),
        "link": seat_link(PUBLIC, table.tokens[PUBLIC]),
    }
