"""Every clause of the rules is stated in the prompts, in both languages, or listed as one that no prompt needs."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sobremesa import envs
from sobremesa.agents.language.prompt import Style, payoff_range, rules_prompt, turn_prompt
from sobremesa.envs.bandido_alcatraz.text.map import ends_by_place
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import payoffs, random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.table import OVER
from sobremesa.envs.ese_toro_enamorado.board import NEIGHBOURS, NO_NODE, NODE_NAMES

ROOT = Path(__file__).parents[3]
FACTS = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
CLAUSE = re.compile(r"^- \*\*(C\d+\.\d+)\*\*", re.MULTILINE)


def views(name, seed=0, **setup):
    game = envs.load(name)
    for ply in random_deal(game, seed, setup, plies=200):
        if ply.seat != OVER:
            yield make_view(game, ply.states, ply.seat, new_stream(0))


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", FACTS)
def test_every_clause_is_in_the_inventory(name):
    clauses = CLAUSE.findall((ROOT / "envs" / name / "RULES.md").read_text(encoding="utf-8"))
    assert len(clauses) > 20
    assert set(clauses) == set(FACTS[name])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", FACTS)
def test_prompts_state_every_fact(name, language):
    view = next(views(name))
    rules, position = flat(rules_prompt(view, Style(language))), flat(turn_prompt(view, Style(language)))
    missing = {}
    for clause, fact in FACTS[name].items():
        if isinstance(fact, str):
            assert len(fact) > 20
            continue
        *where, english, spanish = fact
        said = english if language == "en" else spanish
        if said not in (position if where else rules):
            missing[clause] = said
    assert not missing


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", ["ese_toro_enamorado", "corre_el_encierro", "erase_una_vez"])
def test_payoffs_in_prompts_are_those_of_the_game(name, seats):
    game, stated = envs.load(name), set()
    for seed in range(40):
        *_, end = random_deal(game, seed, {"seats": seats} | ({"max_sentences": 15} if name == "erase_una_vez" else {}))
        winners, paid = int(end.states["winner"][0].sum()), payoffs(game, end.states)
        if winners == 1:
            stated |= {f"{float(one):.2g}" for one in paid}
        elif winners == 2 < seats:
            stated.add(f"{float(paid.max()):.2g}")
    text = rules_prompt(next(views(name, seats=seats)), Style())
    aim = next(line for line in text.split("\n") if line.startswith("Your result is"))
    assert stated
    assert stated <= set(re.findall(r"-?\d+\.?\d*", aim.replace(",", "").replace(".\n", "")))


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_a_game_of_chips_states_its_range_of_payoffs(name):
    game = envs.load(name)
    low, high = payoff_range(game, 2)
    assert (low, high) == (-high, high)
    assert f"Your result is from {low:.2g} to {high:.2g}" in rules_prompt(next(views(name)), Style())


@pytest.mark.parametrize("board", ["standard", "small"])
def test_a_prompt_of_toro_has_all_paths_in_words(board):
    view = next(views("ese_toro_enamorado", board=board))
    text = rules_prompt(view, Style())
    for node, near in enumerate(NEIGHBOURS[view.state["board"][0]]):
        others = [NODE_NAMES[one] for one in near if one != NO_NODE]
        assert (f"\n{NODE_NAMES[node]}: {', '.join(others)}" in text) == bool(others)


def test_a_prompt_of_toro_counts_the_markers_left():
    left = {view.state["markers"][0].sum(0).tobytes(): view for view in views("ese_toro_enamorado", 3, max_rounds=6)}
    assert len(left) > 1
    for view in left.values():
        waxing, full, waning, new = (4 - view.state["markers"][0].sum(0)).tolist()
        line = f"Markers left: waxing {waxing}, full {full}, waning {waning}, new {new} (of 4 each)"
        assert line in turn_prompt(view, Style())


def test_a_prompt_of_bandido_has_the_whole_map_and_its_ends():
    widest = 0
    for seed in (20, 21, 44):
        for view in views("bandido_alcatraz", seed, seats=1):
            text, state = turn_prompt(view, Style()), view.state[0]
            for (x, y, side), number in ends_by_place(state).items():
                step_x, step_y = ((0, -1), (1, 0), (0, 1), (-1, 0))[side]
                way = ("north", "east", "south", "west")[side]
                assert f"end {number} leads from ({x}, {y}) {way} to ({x + step_x}, {y + step_y})" in text
            count = int(state.cells)
            span = int(np.ptp(state.cell_x[:count])) + 1
            widest = max(widest, span)
            assert max(map(len, text.split("\n"))) >= 3 * span
    assert widest > 23  # columns of a page of the map
