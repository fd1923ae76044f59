"""Golden playthroughs: whole deals as text, to be read beside the rules, replayed line by line.

`REGENERATE=1 pytest tests/envs/core/test_playthroughs.py` replays the actions of each file and rewrites it. If a file
is missing, or its actions are no longer legal, the agents of its recipe play a new deal: the first one that ends with
the figures the recipe asks for.
"""

import itertools

import goldens
import pytest
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO
from scale import LONG_IN_PLAIN

from sobremesa import agents
from sobremesa.envs.core.deal import deal_between, outcome, random_deal
from sobremesa.envs.core.testing.playthrough import replay, write

pytestmark = [pytest.mark.kernels, pytest.mark.walks]

ESCAPED, STOPPED = {"end": "all closed, escaped"}, {"end": "stopped early"}
# File name -> game, agents, figures of the end (names as they are, numbers at least so large), how it is written, setup
RECIPES = {
    "kuhn.txt": (KUHN, ("random", "random"), {}, {"every": 1}),
    "toro_2_first_rounds.txt": (TORO, ("strong", "simple"), {}, {"every": 1, "max_rounds": 3}),
    "toro_2_new_moon.txt": (TORO, ("strong", "random"), {}, {"every": 5, "max_rounds": 4, "fence_bounce": "try_again"}),
    "toro_3_spanish.txt": (TORO, ("simple", "strong", "simple"), {}, {"every": 10, "language": "es"}),
    "toro_4_fixed.txt": (TORO, ("strong", "simple", "strong", "simple"), {}, {"every": 25, "mountains": "fixed"}),
    "toro_2_small_board.txt": (TORO, ("strong", "strong"), {}, {"every": 10, "board": "small", "shore_tiles": False}),
    "toro_3_full_lap.txt": (
        TORO,
        ("simple", "random", "strong"),
        {},
        {"every": 10, "round_end": "full_lap", "rosemary": "anywhere", "rosemary_chain": False, "max_rounds": 8},
    ),
    "toro_4_moon_waits.txt": (
        TORO,
        ("random", "simple", "strong", "random"),
        {},
        {"every": 10, "round_end": "moon_waits", "duplicates": "forbidden", "max_vueltas": 6, "max_rounds": 12},
    ),
    "encierro_2_whole.txt": (ENCIERRO, ("strong", "simple"), {"end": "at the Plaza"}, {"every": 12}),
    "encierro_3_spanish.txt": (
        ENCIERRO,
        ("strong", "simple", "strong"),
        {"turns": 20},
        {"every": 15, "language": "es"},
    ),
    "encierro_4_conflict.txt": (
        ENCIERRO,
        ("strong", "random", "simple", "strong"),
        {"sweeps": 1},
        {"every": 20, "deck": "conflict"},
    ),
    "encierro_5_swept.txt": (
        ENCIERRO,
        ("strong", "strong", "simple", "random", "strong"),
        {"sweeps": 2},
        {"every": 20},
    ),
    "estafado_three_rabbits.txt": (ESTAFADO, ("random", "random"), {"end": "three rabbits (fox)"}, {"every": 12}),
    "estafado_sunset_spanish.txt": (
        ESTAFADO,
        ("random", "random"),
        {"end": "sunset (crow)"},
        {"every": 50, "language": "es"},
    ),
    "estafado_eagle_rulebook.txt": (
        ESTAFADO,
        ("random", "random"),
        {"end": "eagle on crow (fox)"},
        {"every": 30, "reading": "rulebook"},
    ),
    "estafado_bear_options.txt": (
        ESTAFADO,
        ("random", "random"),
        {"end": "bear on fox (crow)"},
        {"every": 30, "evading_faces": 4, "rolls": "any", "bear_blocks": False},
    ),
    "bandido_1_escape.txt": (BANDIDO, ("simple",), ESCAPED, {"every": 8, "difficulty": "easy", "solo_hand": "six"}),
    "bandido_2_escape.txt": (BANDIDO, ("simple", "simple"), ESCAPED, {"every": 9}),
    "bandido_2_stopped.txt": (BANDIDO, ("simple", "simple"), STOPPED, {"every": 6, "early_stop": True}),
    "bandido_3_spanish.txt": (
        BANDIDO,
        ("simple", "simple", "simple"),
        ESCAPED,
        {"every": 15, "language": "es"},
    ),
    "bandido_4_signals.txt": (
        BANDIDO,
        ("simple", "random", "simple", "simple"),
        {"end": "no cards left"},
        {"every": 12, "difficulty": "easy", "signals": True},
    ),
}
# Tales, each in both languages.
TALES = {
    "erase_2_plain": (("strong", "strong"), {"interrupted": 1}, {}),
    "erase_3_strict": (
        ("strong", "simple", "random"),
        {"protested": 2, "wrong claims": 1},
        {"strictness": "strict", "change_ending": True},
    ),
    "erase_4_votes": (
        ("strong", "random", "simple", "strong"),
        {"interrupted": 1, "protested": 1},
        {"judge": "votes", "between_cards": 1, "protest_penalty": True},
    ),
    "erase_5_chain": (("strong",) * 5, {"interrupted": 1}, {"chain": True, "hook": "manual", "special_tells": True}),
    "erase_6_mixed": (
        ("simple", "strong", "random", "strong", "simple", "strong"),
        {"interrupted": 1, "protested": 1, "passed": 1},
        {
            "judge": "mixed",
            "rejected": "kept",
            "beginners": 2,
            "pass_draw": "before",
            "begins": "letter",
            "strictness": "strict",
        },
    ),
}
RECIPES |= {
    f"{name}_{language}.txt": (
        ERASE,
        tellers,
        {"end": "an ending", **shown},
        {"every": 50, "language": language, **setup},
    )
    for name, (tellers, shown, setup) in TALES.items()
    for language in ("en", "es")
}
LARGEST = 950_000  # bytes of all files together


def play(game, names, shown, arrangement):
    """Play the first deal that ends with the figures `shown`, and return it as text."""
    seated = [agents.load(name, game) for name in names]
    setup = {name: value for name, value in arrangement.items() if name not in ("every", "language")}

    def ends_so(seed):
        *_, end = deal_between(game, seated, seed, **setup)
        seen = game.ended(end.states)
        return all(
            seen[name] == value if isinstance(value, str) else seen[name] >= value for name, value in shown.items()
        )

    return write(game, seated, next(filter(ends_so, itertools.count(1))), **arrangement)


def again(game, recorded, recipe):
    """Return what a recorded deal gives now; where its actions are not allowed any more, another deal."""
    try:
        return replay(game, recorded)
    except ValueError:
        return play(game, *recipe)


@pytest.mark.parametrize(
    # A tale's Spanish words are those of the compiled mode: in plain Python its English half says how the deal goes.
    "name",
    [pytest.param(name, marks=LONG_IN_PLAIN if name.endswith("_es.txt") else ()) for name in RECIPES],
)
def test_a_recorded_deal_replays_to_the_letter(name):
    game, *recipe = RECIPES[name]
    recorded = goldens.read(name) if (goldens.FOLDER / name).exists() else None
    if goldens.REGENERATE:
        goldens.rewrite(name, again(game, recorded, recipe) if recorded else play(game, *recipe))
    assert recorded is not None, f"{name} is missing: REGENERATE=1 plays it"
    assert replay(game, recorded).splitlines() == recorded.splitlines()


def test_there_are_no_other_files_and_they_are_small():
    others = ("actions_", "refused", "story_", "typed_")  # pages of other tests
    files = [file for file in goldens.FOLDER.glob("*.txt") if not file.name.startswith(others)]
    assert {file.name for file in files} == set(RECIPES)
    assert sum(file.stat().st_size for file in files) < LARGEST


def test_a_deal_says_its_game_setup_seed_agents_and_payoffs():
    lines = goldens.read("kuhn.txt").splitlines()
    head = ["game: kuhn-v1", 'setup: {"seats": 2}', "seed: 1", "agents: random, random", "language: en", "every: 1"]
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
    changed = recorded.replace("seed: 1", "seed: 2")
    assert replay(KUHN, changed) != changed


def test_an_action_that_became_illegal_is_named_with_its_ply():
    recorded = goldens.read("toro_2_first_rounds.txt")
    first = next(line for line in recorded.splitlines() if line.startswith("ply 0,"))
    changed = recorded.replace(first, first.replace(first.split(" | ")[1], "stay"))
    with pytest.raises(ValueError, match="ply 0: 'stay' is not allowed"):
        replay(TORO, changed)


def test_a_deal_of_another_game_is_refused():
    with pytest.raises(ValueError, match="this playthrough is of kuhn-v1, not of ese_toro_enamorado-v1"):
        replay(TORO, goldens.read("kuhn.txt"))


def test_what_an_action_leads_to_asks_the_state_alone():
    ply = next(random_deal(KUHN, 3))
    bare = ply._replace(observation=ply.observation[:0], mask=ply.mask[:0])
    assert outcome(KUHN, bare).tobytes() == outcome(KUHN, ply).tobytes()
