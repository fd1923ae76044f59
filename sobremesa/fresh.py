"""What is generated in the rooms: tables in their READMEs and a picture; `python -m sobremesa.fresh` writes it anew.

A table stands between two marks, `<!-- layout -->` and `<!-- /layout -->`, and so for `actions` and `options`, and for
those that a single room has, as `cards` of *Estafado*.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.envs.bandido_alcatraz import cards as alcatraz
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import Game
from sobremesa.envs.erase_una_vez import tables as tale
from sobremesa.envs.estafado import cards


def layout_table(game: Game) -> str:
    """Return a Markdown table of the blocks of the observation."""
    rows = [
        (f"`{block.name}`", _span(game.layout.start(block.name), block.size), _shape(block.shape),
         f"{block.low:g} to {block.high:g}", block.doc)
        for block in game.layout
    ]  # fmt: skip
    total = ("", f"{game.layout.size} numbers", "", "", "")
    return _table(("block", "numbers", "shape", "range", "what it holds"), [*rows, total])


def action_table(game: Game) -> str:
    """Return a Markdown table of the actions: runs of neighbours whose names begin with the same word."""
    runs = []
    for _, run in groupby(range(game.num_actions), lambda action: game.action_name(action, "en").split()[0]):
        actions = list(run)
        examples = [f"`{game.action_name(actions[0], language)}`" for language in ("en", "es")]
        runs.append((_span(actions[0], len(actions)), *examples, str(len(actions))))
    total = ("", "", "", str(game.num_actions))
    return _table(("numbers", "first of them", "in Spanish", "how many"), [*runs, total])


def option_table(game: Game) -> str:
    """Return a Markdown table of the setup fields."""
    rows = [
        (f"`{option.name}`", f"`{option.default!r}`", option.allowed().replace("'", "`"), option.doc)
        for option in game.options
    ]
    return _table(("field", "default", "takes", "what it means"), rows)


_EFFECTS = {
    cards.RABBIT: "rabbit #{}", cards.YIKES: "yikes", cards.OUCH: "ouch", cards.LOSE_TURN: "lose a turn",
    cards.LEAP: "leap {}", cards.TUNNEL: "tunnel", cards.PEEK_ADJACENT: "peeks at {} neighbours",
    cards.PEEK_ANYWHERE: "peeks at {} anywhere", cards.SWAP_TWO: "swap two", cards.WATER_DIVE: "water dive {}",
    cards.BEAR_SKIP: "bear skips", cards.STEAL: "steal", cards.HURRICANE_BLOWS: "hurricane",
}  # fmt: skip


def card_table(_: Game) -> str:
    """Return a Markdown table of the cards of *Estafado*."""
    rows = [
        (card.name, card.spanish, str(card.copies), ", ".join(_symbols(card)) or "nothing", card.name_from,
         card.effects_from)
        for card in cards.CARDS
    ]  # fmt: skip
    total = ("", "", str(sum(card.copies for card in cards.CARDS)), "", "", "")
    return _table(("card", "in Spanish", "copies", "what it does", "name from", "effects from"), [*rows, total])


def _symbols(card: cards.Card) -> list[str]:
    """Return what a card does, in order, and the symbols that are no effects."""
    marks = {"keeps face-up": card.keeps_up, "do not swap": card.no_swap, "serves once": card.one_shot}
    return [_EFFECTS[effect].format(amount) for effect, amount in card.effects] + [
        name for name in marks if marks[name]
    ]


_PICTURES = {alcatraz.PLAIN: "", alcatraz.RAINCOAT: "raincoat", alcatraz.ROPE: "rope", alcatraz.EXIT: "EXIT"}


def shape_table(_: Game) -> str:
    """Return a Markdown table of the cards of *Bandido Alcatraz*."""
    rows = [
        (card.a, card.b or "none", "ab"[card.flooded] if card.flooded != alcatraz.NO_HALF else "",
         _PICTURES[card.picture], str(card.copies))
        for card in alcatraz.CARDS
    ]  # fmt: skip
    total = ("", "", "", "", str(alcatraz.NUM_CARDS))
    return _table(("tunnels of half a", "of half b", "flooded", "shows", "copies"), [*rows, total])


def endings_table(_: Game) -> str:
    """Return a Markdown table of the endings of *Érase una vez* and what they ask for."""
    names = {thing.id: thing.name for thing in tale.THINGS} | dict(zip(tale.FACTS, tale.FACT_WORDS["en"], strict=True))
    rows = [
        (ending.id, ending.spanish, ending.english,
         "; ".join(" or ".join(names[one] for one in clause) for clause in ending.clauses),
         ", ".join(names[one] for one in ending.blockers))
        for ending in tale.ENDINGS
    ]  # fmt: skip
    return _table(("", "in Spanish", "in English", "asks for", "barred if"), rows)


TABLES: dict[str, Callable[[Game], str]] = {"layout": layout_table, "actions": action_table, "options": option_table}
OF_ROOMS: dict[str, dict[str, Callable[[Game], str]]] = {
    "bandido_alcatraz": {"cards": shape_table},
    "erase_una_vez": {"endings": endings_table},
    "estafado": {"cards": card_table},
}  # besides these, by game


def fresh(game: Game, text: str) -> str:
    """Return `text`, a README, with each marked table as the game now has it; raise ValueError if a mark is missing."""
    for name, table in (TABLES | OF_ROOMS.get(game.name, {})).items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
            raise ValueError(f"{game.name}: its README must hold {start.strip()} and {end}, once each")
        before, rest = text.split(start)
        text = before + start + table(game) + end + rest.split(end)[1]
    return text


def readme(game_name: str) -> Path:
    """Return the README of a room."""
    return Path(envs.__path__[0]) / game_name / "README.md"


def _span(start: int, count: int) -> str:
    return f"{start} to {start + count - 1}" if count > 1 else str(start)


def _shape(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(cells) + " |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def picture(game: Game) -> str:
    """Return an SVG of the open table in the middle of a deal between the best scripted agents."""
    best = agents.load(agents.scripted_names(game)[-1], game)
    plies = list(deal_between(game, [best] * game.max_seats, seed=1))
    return game.scene(plies[len(plies) // 4].states, None, "en")


def main() -> None:
    """Write the tables and the picture of every room anew."""
    for name in envs.games():
        path = readme(name)
        path.write_text(fresh(envs.load(name), path.read_text(encoding="utf-8")), encoding="utf-8")
        path.with_name("board.svg").write_text(picture(envs.load(name)), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
