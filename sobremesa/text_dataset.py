"""Replays as text: the prompts of each decision, the action that was played as the answer, and the return.

A file is JSON Lines, one decision a line, as `Row` has its fields; `messages` is a list as in chat APIs.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypedDict

from sobremesa.agents.arena import replay as replays
from sobremesa.agents.language.own_words import invited, sentence_text
from sobremesa.agents.language.prompt import Style, answer_text, rules_prompt, turn_prompt
from sobremesa.envs.core.agent import History, agent_seed, make_view, new_stream
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.files import whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import Saying
from sobremesa.envs.core.table import OVER

Row = TypedDict(
    "Row",
    {
        "messages": list[dict[str, str]],  # system: the rules; user: the prompt; assistant: the answer
        "game": str,
        "version": int,
        "setup": dict[str, Any],
        "seed": int,
        "seat": int,
        "agent": str,  # name of the agent at the seat
        "ply": int,  # of the deal, from 0
        "action": int,
        "return": float,  # payoff of the seat at the end of the deal
    },
)


def rows(replay: replays.Replay, game: Game, style: Style) -> Iterator[Row]:
    """Replay `replay` and yield its decisions; raise ReplayError if it does not fit `game`.

    A prompt is the one that `Episode` gives to a player at that seat in `style`.
    """
    seats = range(len(replay.agents))
    streams = [new_stream(agent_seed(replay.seed, seat)) for seat in seats]
    histories = [History(game, seat, style.language) for seat in seats]
    last: Ply | None = None
    said: list[Saying] = []
    for number, ply in enumerate(replays.plies(replay, game)):
        if last is not None:
            for history in histories:
                history.add(last.states, last.action, ply.states, said)
        last = ply
        if ply.seat == OVER:
            break
        view = make_view(game, ply.states, ply.seat, streams[ply.seat], histories[ply.seat])
        view = view._replace(sayings=tuple(said))
        told = [sentence_text(ply.saying, style)] if ply.saying is not None else []
        said += [ply.saying] if ply.saying is not None else []
        texts = {
            "system": rules_prompt(view, style),
            "user": "\n\n".join(filter(None, (turn_prompt(view, style), invited(view, style)))),
            "assistant": "\n".join((*told, answer_text(game, ply.action, style))),
        }
        yield {
            "messages": [{"role": role, "content": text} for role, text in texts.items()],
            "game": game.name,
            "version": game.version,
            "setup": replay.setup,
            "seed": replay.seed,
            "seat": ply.seat,
            "agent": replay.agents[ply.seat],
            "ply": number,
            "action": ply.action,
            "return": replay.payoffs[ply.seat],
        }


def write(path: Path, deals: Iterable[replays.Replay], style: Style) -> tuple[Game, int]:
    """Write the decisions of `deals`, all of one game, to `path`; return the game and the number of decisions.

    `deals` is read once, so an iterator keeps one replay at a time in memory. Raises ValueError without deals, and
    ReplayError for a replay that does not fit or is of another game than the first; `path` then keeps its former
    content.
    """
    game, count = None, 0
    with whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as out:
        for replay in deals:
            game = game or replays.game_of(replay)
            for row in rows(replay, game, style):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
        if game is None:
            raise ValueError("a dataset takes at least one replay")
    return game, count
