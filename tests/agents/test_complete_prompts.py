"""The text of a view is complete: a reader rebuilds the observation from it, in both languages."""

import importlib
from pathlib import Path

import pytest
from read_prompts import check_reading

import sobremesa

ROOT = Path(__file__).parents[2]
STRONG, RANDOM, MIXED = ("strong",), ("random",), ("strong", "random")
LEFT_OUT = {  # by game and block: the numbers, and the reason
    "erase_una_vez": {
        "things": "how well each thing could be told now: advice that follows from the tables of the tale",
        "cards": "the same of the reader's cards, and how far the last sentence tells of each",
        "told": "whether a card that was laid without a sentence had been told of before",
        "sentence": "whether a sentence without a card was new, in votes and once another player has taken over",
        "turn": "the counts of the turn, while a player passes or the table votes",
        "case": "whether the judge would take an ending that is put to the vote",
    },
    "estafado": {
        "backs": "for the Crow: which slots hold the Fox's cards; the text has their number",
    },
}
DEALS = {  # agents in turn, seats, seed, further setup fields
    "ese_toro_enamorado": (
        (STRONG, 2, 0, {"max_rounds": 5, "duplicates": "forbidden"}),
        (RANDOM, 2, 1, {"mountains": "fixed", "round_end": "full_lap", "shore_tiles": False, "max_rounds": 4}),
        (RANDOM, 3, 2, {"max_rounds": 4, "max_vueltas": 6, "fence_bounce": "try_again", "rosemary": "anywhere"}),
        (MIXED, 4, 0, {"board": "small", "mountains": "by_night", "round_end": "moon_waits", "rosemary_chain": False,
                       "duplicates": "unlimited", "max_rounds": 8}),
    ),
    "corre_el_encierro": (
        (MIXED, 2, 0, {"deck": "conflict"}),
        (RANDOM, 3, 1, {"deck": "last_stretch"}),
        (STRONG, 4, 9, {}),  # a stolen card may be in two hands
        (RANDOM, 5, 54, {}),
    ),
    "bandido_alcatraz": (
        (RANDOM, 1, 20, {"signals": True}),  # a map wider than a page
        (STRONG, 1, 44, {"solo_hand": "six"}),
        (STRONG, 2, 37, {}),  # a hand is set aside
        (MIXED, 3, 5, {"signals": True}),
        (STRONG, 4, 7, {"difficulty": "easy"}),
    ),
    "erase_una_vez": (
        (RANDOM, 2, 0, {"strictness": "strict", "beginners": 1, "change_ending": True, "max_sentences": 40}),
        (STRONG, 3, 1, {"judge": "votes", "max_sentences": 40}),
        (RANDOM, 4, 2, {"judge": "votes", "hook": "manual", "rejected": "kept", "max_sentences": 20}),
        (MIXED, 5, 4, {"judge": "mixed", "chain": True, "special_tells": True, "max_sentences": 20}),
        (RANDOM, 6, 4, {"auto_protest": True, "between_cards": 1, "reshuffle": False, "max_sentences": 20}),
    ),
    "estafado": (
        (STRONG, 2, 0, {}),
        (RANDOM, 2, 1, {"reading": "rulebook", "rolls": "any", "bear_blocks": False}),
        (MIXED, 2, 2, {"evading_faces": 1}),
        (RANDOM, 2, 3, {"reading": "dusk", "evading_faces": 5}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEALS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_an_observation_is_rebuilt_from_text(name, language):
    game, read = sobremesa.load(name), importlib.import_module(f"read_{name}").read
    shown, left_out = set(), set()
    for agents, seats, seed, setup in DEALS[name]:
        names = [agents[seat % len(agents)] for seat in range(seats)]
        found = check_reading(game, read, setup, names, seed, language)
        shown, left_out = shown | found[0], left_out | found[1]
    assert shown == {block.name for block in game.layout}
    assert left_out == set(LEFT_OUT.get(name, ()))


def test_the_documents_list_all_numbers_left_out():
    rows = [f"| `{name}` | `{block}` | {why} |\n" for name, blocks in LEFT_OUT.items() for block, why in blocks.items()]
    assert "|---|---|---|\n" + "".join(rows) + "\n" in (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
