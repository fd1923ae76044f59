"""Golden playthroughs: whole deals as text, to be read beside the rules, replayed line by line.

`REGENERATE=1 pytest tests/test_playthroughs.py` plays the actions of each file again and writes what they give now; a
file that was deleted is played anew by the agents that it is to show.
"""

import goldens
import pytest
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO
from scale import LONG_IN_PLAIN

from sobremesa import agents
from sobremesa.envs.core.playthrough import replay, write

pytestmark = [pytest.mark.kernels, pytest.mark.walks]

# File name -> game, agents, seed, how it is written, setup
RECIPES = {
    "kuhn.txt": (KUHN, ("random", "random"), 3, {"every": 1}),
    "toro_2_first_rounds.txt": (TORO, ("strong", "simple"), 1, {"every": 1, "max_rounds": 3}),
    "toro_2_new_moon.txt": (TORO, ("strong", "random"), 2, {"every": 5, "max_rounds": 4, "fence_bounce": "try_again"}),
    "toro_3_spanish.txt": (TORO, ("simple", "strong", "simple"), 3, {"every": 10, "language": "es"}),
    "toro_4_fixed.txt": (TORO, ("strong", "simple", "strong", "simple"), 4, {"every": 25, "mountains": "fixed"}),
    "toro_2_small_board.txt": (TORO, ("strong", "strong"), 5, {"every": 10, "board": "small", "shore_tiles": False}),
    "toro_3_full_lap.txt": (
        TORO,
        ("simple", "random", "strong"),
        6,
        {"every": 10, "round_end": "full_lap", "rosemary": "anywhere", "rosemary_chain": False, "max_rounds": 8},
    ),
    "toro_4_moon_waits.txt": (
        TORO,
        ("random", "simple", "strong", "random"),
        7,
        {"every": 10, "round_end": "moon_waits", "duplicates": "forbidden", "max_vueltas": 6, "max_rounds": 12},
    ),
    "encierro_2_whole.txt": (ENCIERRO, ("strong", "simple"), 1, {"every": 12}),
    "encierro_3_spanish.txt": (ENCIERRO, ("strong", "simple", "strong"), 2, {"every": 15, "language": "es"}),
    "encierro_4_conflict.txt": (
        ENCIERRO,
        ("strong", "random", "simple", "strong"),
        3,
        {"every": 20, "deck": "conflict"},
    ),
    "encierro_5_swept.txt": (ENCIERRO, ("strong", "strong", "simple", "random", "strong"), 4, {"every": 20}),
    "estafado_three_rabbits.txt": (ESTAFADO, ("random", "random"), 169, {"every": 12}),
    "estafado_sunset_spanish.txt": (ESTAFADO, ("random", "random"), 435, {"every": 50, "language": "es"}),
    "estafado_eagle_rulebook.txt": (ESTAFADO, ("random", "random"), 599, {"every": 30, "reading": "rulebook"}),
    "estafado_bear_options.txt": (
        ESTAFADO,
        ("random", "random"),
        345,
        {"every": 30, "evading_faces": 4, "rolls": "any", "bear_blocks": False},
    ),
    "bandido_1_escape.txt": (BANDIDO, ("simple",), 143, {"every": 8, "difficulty": "easy", "solo_hand": "six"}),
    "bandido_2_escape.txt": (BANDIDO, ("simple", "simple"), 55, {"every": 9}),
    "bandido_2_stopped.txt": (BANDIDO, ("simple", "simple"), 273, {"every": 6, "early_stop": True}),
    "bandido_3_spanish.txt": (
        BANDIDO,
        ("simple", "simple", "simple"),
        275,
        {"every": 15, "language": "es"},
    ),
    "bandido_4_signals.txt": (
        BANDIDO,
        ("simple", "random", "simple", "simple"),
        34,
        {"every": 12, "difficulty": "easy", "signals": True},
    ),
}
# Tales, each in both languages.
TALES = {
    "erase_2_plain": (("strong", "strong"), 11, {}),
    "erase_3_strict": (("strong", "simple", "random"), 134, {"strictness": "strict", "change_ending": True}),
    "erase_4_votes": (
        ("strong", "random", "simple", "strong"),
        144,
        {"judge": "votes", "between_cards": 1, "protest_penalty": True},
    ),
    "erase_5_chain": (("strong",) * 5, 126, {"chain": True, "hook": "manual", "special_tells": True}),
    "erase_6_mixed": (
        ("simple", "strong", "random", "strong", "simple", "strong"),
        52,
        {
            "judge": "mixed",
            "rejected": "kept",
            "beginners": 2,
            "pass_draw": "before",
            "begins": "letter",
            "strictness": "normal",
        },
    ),
}
RECIPES |= {
    f"{name}_{language}.txt": (ERASE, tellers, seed, {"every": 50, "language": language, **setup})
    for name, (tellers, seed, setup) in TALES.items()
    for language in ("en", "es")
}
LARGEST = 900_000  # bytes of all files together


def play(game, names, seed, arrangement):
    return write(game, [agents.load(name, game) for name in names], seed, **arrangement)


@pytest.mark.parametrize(
    # A tale's Spanish words are those of the compiled mode: in plain Python its English half says how the deal goes.
    "name",
    [pytest.param(name, marks=LONG_IN_PLAIN if name.endswith("_es.txt") else ()) for name in RECIPES],
)
def test_a_recorded_deal_replays_to_the_letter(name):
    game, *rest = RECIPES[name]
    recorded = goldens.read(name) if (goldens.FOLDER / name).exists() else None
    if goldens.REGENERATE:
        goldens.rewrite(name, replay(game, recorded) if recorded else play(game, *rest))
    assert recorded is not None, f"{name} is missing: REGENERATE=1 plays it"
    assert replay(game, recorded).splitlines() == recorded.splitlines()


def test_there_are_no_other_files_and_they_are_small():
    files = list(goldens.FOLDER.glob("*.txt"))
    assert {file.name for file in files} == set(RECIPES)
    assert sum(file.stat().st_size for file in files) < LARGEST


def test_a_deal_says_its_game_setup_seed_agents_and_payoffs():
    lines = goldens.read("kuhn.txt").splitlines()
    head = ["game: kuhn-v0", 'setup: {"seats": 2}', "seed: 3", "agents: random, random", "language: en", "every: 1"]
    assert lines[:6] == head
    assert sum(line.startswith("ply ") for line in lines) in (2, 3)
    assert lines[-2].startswith("payoffs: ")
    assert lines[-1].startswith("digest: ")


def test_a_changed_action_changes_the_replay():
    recorded = goldens.read("kuhn.txt")
    assert " | pass | " in recorded or " | bet | " in recorded
    changed = recorded.replace(" | pass | ", " | BET | ").replace(" | bet | ", " | pass | ").replace("BET", "bet")
    assert replay(KUHN, changed) != changed


def test_a_changed_seed_changes_the_replay():
    recorded = goldens.read("kuhn.txt")
    changed = recorded.replace("seed: 3", "seed: 4")
    assert replay(KUHN, changed) != changed


def test_an_action_that_is_not_allowed_any_more_is_named_with_its_ply():
    recorded = goldens.read("toro_2_first_rounds.txt")
    first = next(line for line in recorded.splitlines() if line.startswith("ply 0,"))
    changed = recorded.replace(first, first.replace(first.split(" | ")[1], "stay"))
    with pytest.raises(ValueError, match="ply 0: 'stay' is not allowed"):
        replay(TORO, changed)


def test_a_deal_of_another_game_is_refused():
    with pytest.raises(ValueError, match="this playthrough is of kuhn-v0, not of ese_toro_enamorado-v0"):
        replay(TORO, goldens.read("kuhn.txt"))
