"""OpenSpiel's exact answers beside ours, on Kuhn and Leduc poker: values of the games, of policies, and NashConv.

Payoffs are told in chips, as OpenSpiel has them. The games' values are those of OpenSpiel's linear program.
"""

import re
import sys

import numpy as np
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import expected_game_score, exploitability, lp_solver, sequence_form_lp

from sobremesa import agents, envs
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.solve import normalised, respond, solve, uniform
from sobremesa.agents.exact.tree import enumerate_tree

CHIPS = {"kuhn_poker": 2, "leduc_poker": 13}  # in a payoff of 1
CLOSE = 1e-6
ITERATIONS = 50_000
lp_solver.DEFAULT_SOLVER_KWARGS.clear()  # those of another solver than the one that is installed here


def our_key(name, seen):
    """Return (seat, card, public card, actions of each round) of what a seat sees, by block."""
    seat, card = 1 - int(seen["first"][0]), int(seen["card"].argmax())
    if name == "kuhn_poker":
        last = int(seen["last"].argmax())
        actions = {0: {2: "", 1: "pb"}, 1: {0: "p", 1: "b"}}[seat][last]
        return seat, card, None, actions, ""
    public = int(seen["public"].argmax()) if seen["public"].any() else None
    rounds = ["".join(str(one.argmax()) for one in played if one.any()) for played in seen["history"]]
    return seat, card, public, *rounds


def their_key(name, state):
    """Return the same of an OpenSpiel state."""
    seat = state.current_player()
    text = state.information_state_string(seat)
    if name == "kuhn_poker":
        return seat, int(text[0]), None, text[1:], ""
    found = re.search(r"\[Private: (\d)\].*?(?:\[Public: (\d)\])?\[Round1: ([\d ]*)\]\[Round2: ([\d ]*)\]", text)
    public = re.search(r"\[Public: (\d)\]", text)
    rounds = [found[place].replace(" ", "") for place in (3, 4)]
    return seat, int(found[1]), int(public[1]) if public else None, *rounds


def theirs(name, game, tree, policy):
    """Return `policy` over the slots of `tree` as a tabular policy of OpenSpiel's."""
    rows = np.zeros(tree.masks.shape)
    rows[tree.masks > 0] = policy
    blocks = [tree.game.layout.split(seen) for seen in tree.observations()]
    known = {our_key(name, seen): row for seen, row in zip(blocks, rows, strict=True)}
    assert len(known) == len(rows)
    table = policies.TabularPolicy(game)
    assert len(table.states) == len(known), f"{len(table.states)} information sets, {len(known)} here"
    for number, state in enumerate(table.states):
        table.action_probability_array[number] = known[their_key(name, state)]
    return table


def compare(name):
    """Compare the two libraries on a game; return how many figures differ."""
    chips, game, tree = CHIPS[name], pyspiel.load_game(name), enumerate_tree(envs.load(name))
    value = sequence_form_lp.solve_zero_sum_game(game, "HIGHS")[0]
    rng, solution = np.random.default_rng(1), solve(tree, ITERATIONS)
    tried = {
        "uniform": uniform(tree),
        "random weights": normalised(tree, rng.random(len(tree.actions)) ** 3),
        "simple": policy_of(agents.load("simple", tree.game), tree),
        "strong": policy_of(agents.load("strong", tree.game), tree),
        "CFR+": solution.policy,
    }
    rows = [("value of the game", solution.response.value * chips, value)]
    for told, policy in tried.items():
        found, table = respond(tree, policy), theirs(name, game, tree, policy)
        score = expected_game_score.policy_value(game.new_initial_state(), [table, table])[0]
        rows.append((f"value of {told}", found.value * chips, score))
        rows.append((f"NashConv of {told}", 2 * found.exploitability * chips, exploitability.nash_conv(game, table)))
    wrong = 0
    for told, ours, other in rows:
        differs = abs(ours - other) > CLOSE
        wrong += differs
        print(f"{name}, {told}: {ours:.9f}, OpenSpiel {other:.9f}{'  DIFFERS' if differs else ''}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(int(sum(compare(name) for name in CHIPS)))  # a NumPy number would exit with 1
