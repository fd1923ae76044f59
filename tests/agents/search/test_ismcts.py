"""The tree of `ismcts`: counts, priors, memory, and known answers."""

import dataclasses

import numpy as np
import pytest
import tictactoe
from kuhn import ALWAYS, BET, GAME as KUHN, NONE, PASS, observe
from kuhn_tree import J, K, Q
from tictactoe import GAME as TICTACTOE

from sobremesa import agents, envs
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.search import ismcts, tree
from sobremesa.agents.search.ismcts import Ismcts, TreeBudget
from sobremesa.agents.search.policies import policy_kernels
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between, random_deal
from sobremesa.envs.core.table import OVER


def searcher(game, **budget):
    return Ismcts("ismcts", game, RANDOM, TreeBudget(**budget))


def view_of(game, seat, holds, seed=0):
    """Return the view of `seat` at the first of its decisions in random deals of which `holds(state)` is true."""
    for deal in range(200):
        for ply in random_deal(game, deal):
            if ply.seat == seat and holds(ply.states[0]):
                return make_view(game, ply.states, seat, new_stream(seed))
    raise AssertionError


def held(card, last):
    return lambda state: state.deck[state.seat] == card and state.last == last


def empty_board(seed=0):
    return view_of(TICTACTOE, 0, lambda state: True, seed)


def kept_tree(agent):
    ((_, kept),) = agent._deals.items()
    return kept.tree


# What is counted.


def test_what_a_tree_counts_adds_up():
    agent, view = searcher(TICTACTOE, simulations=300), empty_board()
    thought = agent.think(view)
    grown = kept_tree(agent)
    key = tree.hash_view(0, view.observation.view(np.uint32))
    root = grown.nodes[tree.find_node(grown.nodes, key)]
    edges = grown.edges[[tree.find_edge(grown.edges, key, action) for action in range(9)]]
    assert root["visits"] == edges["visits"].sum() == sum(line.trials for line in thought.lines) == 300
    # All nine are legal at each pass; an edge counts those since it was tried first.
    assert edges["available"].max() == 299
    assert (edges["visits"] - 1 <= edges["available"]).all()
    used = grown.edges[grown.edges["key"] != 0]
    assert np.abs(used["totals"].sum(1)).max() == 0  # what one wins the other loses
    assert used["totals"].any()
    nodes, held, refused = grown.used
    assert 150 < nodes <= 300  # one a simulation, none where the deal ends before
    assert (nodes, held, refused) == (np.count_nonzero(grown.nodes["key"]), len(used), 0)


def chosen(visits, available, totals, likely=(), trust=0.5, explore=1.0):
    """Return what is chosen at a node of three actions, those with visits tried before."""
    room = tree.make_tree(TICTACTOE, 8)
    node = np.zeros(1, tree.NODE)[0]
    node.key = 12345
    for place, (action, odds) in enumerate(likely):
        node.likely[place], node.odds[place] = action, odds
    for action, count in enumerate(visits):
        if count:
            place = -1 - tree.find_edge(room.edges, node.key, action)
            tree._add_edge(room.edges, room.used, node.key, action, place)
            edge = room.edges[place]
            edge.visits, edge.available, edge.totals[1] = count, available[action], totals[action]
    mask = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0], np.int8)
    buffers = np.zeros(9, np.int64), np.zeros(9)
    return tree.select(node, room.edges, 1, mask, *buffers, explore, trust, new_stream(0)[0])


@pytest.mark.kernels
def test_the_highest_upper_bound_is_chosen():
    """worth + explore * prior * sqrt(availability + 1) / (1 + visits), worth of what was not tried the mean of all."""
    assert chosen([4, 4, 4], [12, 12, 12], [1.0, 2.0, 0.0]) == 1  # all else alike the best one
    assert chosen([9, 1, 9], [19, 19, 19], [0.9, 0.0, 0.9]) == 1  # 0 + 1/3 * sqrt(20) / 2 against 0.1 + ... / 10
    assert chosen([9, 1, 9], [19, 19, 19], [9.0, 0.0, 0.9]) == 0  # 1 + 0.15 against 0.75
    assert chosen([5, 5, 5], [5, 99, 5], [1.0, 0.0, 1.0]) == 1  # available often and tried no more: 0.56 against 0.34
    assert chosen([5, 5, 0], [10, 10, 0], [0.0, 0.0, 0.0]) == 2  # not tried: 0 + 1/3 * sqrt(11)
    assert chosen([5, 5, 0], [10, 10, 0], [5.0, 0.0, 0.0], explore=0.1) == 0  # 1 against a mean of a half
    assert chosen([1, 1, 1], [3, 3, 3], [0.0, 0.0, 0.0], likely=[(2, 1.0)]) == 2
    assert chosen([1, 1, 1], [3, 3, 3], [0.2, 0.0, 0.0], likely=[(2, 1.0)], trust=0.0) == 0
    assert chosen([1, 1, 1], [3, 3, 3], [0.0, 0.0, 0.0], likely=[(0, 0.3), (1, 0.5)]) == 1


@pytest.mark.kernels
def test_nodes_keep_the_most_likely_actions():
    node, chances = np.zeros(1, tree.NODE)[0], np.zeros(40, np.float32)
    chances[[7, 3, 30]] = 0.25, 0.5, 0.125
    tree.keep_likely(node, chances)
    assert node.likely[:3].tolist() == [3, 7, 30]
    assert node.odds.tolist() == [0.5, 0.25, 0.125, 0, 0, 0, 0, 0]
    chances[:] = np.linspace(0, 1, 40)
    tree.keep_likely(node, chances)
    assert node.likely.tolist() == list(range(39, 31, -1))


def test_what_is_alike_is_tried_in_any_order():
    assert len({searcher(KUHN, simulations=1).act(view_of(KUHN, 0, lambda _: True, seed)) for seed in range(20)}) == 2


# What it is told.


@kernel
def look(state, seat, out):
    state.ply += 100
    observe(state, seat, out)


@kernel
def count_looks(state, out):
    out[:] = state.ply // 100


@kernel
def likes_to_bet(observation, mask, arrays, chances):
    chances[PASS], chances[BET] = 0.2, 0.8


def test_nodes_use_the_prior_and_random_rollouts_skip_views(monkeypatch):
    """In one simulation the likelier action is tried, and only the root is looked at; the game pays for looks here."""
    counting = dataclasses.replace(KUHN, observe=look, payoff=count_looks)
    told = policy_kernels(ALWAYS)._replace(weigh=likes_to_bet)
    monkeypatch.setattr(ismcts, "policy_kernels", lambda agent: told if agent is ALWAYS else policy_kernels(agent))
    for trust, actions in ((0.5, {BET}), (0.0, {PASS, BET})):
        agent = Ismcts("ismcts", counting, ALWAYS, TreeBudget(simulations=1, trust=trust), RANDOM)
        thoughts = [agent.think(view_of(KUHN, 0, held(Q, NONE), seed)) for seed in range(20)]
        assert {thought.action for thought in thoughts} == actions
        assert {line.payoff for thought in thoughts for line in thought.lines} == {1.0}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["ese_toro_enamorado", "bandido_alcatraz"])
def test_a_trained_bot_tells_a_tree_what_it_would_do(name):
    game = envs.load(name)
    bot, agent = agents.load("trained", game), agents.load("ismcts(trained, simulations=1, rollout=random)", game)
    for number, ply in enumerate(random_deal(game, 1, plies=40)):
        if number % 8 == 0:
            view = make_view(game, ply.states, ply.seat, new_stream(0))
            logits = bot.logits(view.observation[None], view.mask[None])[0].astype(float)
            assert logits[agent.act(view)] == pytest.approx(logits[view.mask > 0].max())


# Room.


def test_views_have_hashes_of_their_own():
    layout = np.zeros((300, 40), np.float32)
    rng = np.random.default_rng(0)
    layout[np.arange(300), rng.integers(40, size=300)] = rng.integers(1, 9, size=300)
    rows = np.unique(layout, axis=0)
    found = {int(tree.hash_view(seat, row.view(np.uint32))) for row in rows for seat in (0, 1)}
    assert len(found) == 2 * len(rows)
    assert 0 not in found


def test_a_tree_of_so_many_bytes_is_made():
    for nodes in (1, 100, 5000):
        made = tree.make_tree(KUHN, nodes)
        assert sum(array.nbytes for array in made) - made.used.nbytes == tree.tree_bytes(KUHN, nodes)
        assert len(made.nodes) * tree.FULLEST >= nodes


def test_a_full_tree_says_so_once_and_plays_on():
    agent = searcher(TICTACTOE, simulations=400, nodes=8)
    with pytest.warns(RuntimeWarning, match="a tree of 8 nodes is full and grows no more") as told:
        ends = [list(deal_between(TICTACTOE, [agent, RANDOM], seed))[-1] for seed in range(3)]
    assert [end.action for end in ends] == [OVER] * 3
    assert len(told) == 1
    assert len(agent.think(empty_board()).lines) > 1  # as far as it has grown it is of use
    assert agent.full


@pytest.mark.parametrize(("nodes", "refused", "kept"), [(4000, 0, True), (300, 0, False), (4000, 1, False)])
def test_a_tree_that_has_no_room_for_a_decision_begins_again(nodes, refused, kept):
    agent, roots = searcher(TICTACTOE, simulations=200, nodes=nodes), []
    for ply in deal_between(TICTACTOE, [agent, RANDOM], 0):
        if ply.seat == 0:
            roots.append(len(next(iter(agent._deals.values())).roots))
            kept_tree(agent).used[2] = refused
    assert (roots == list(range(1, len(roots) + 1))) == kept
    assert len(roots) > 2


# Known answers.


def test_kuhn_worlds_are_dealt_anew_for_each_simulation():
    """Who calls with the queen meets jack and king alike; who does not loses what was put in."""
    paid = {line.action: line.payoff for line in searcher(KUHN).think(view_of(KUHN, 1, held(Q, BET))).lines}
    assert paid[PASS] == -0.5
    assert paid[BET] == pytest.approx(0, abs=0.1)


def test_kuhn_a_single_observers_tree_does_not_bluff():
    """Betting with the jack would win against queens that fear the king; in the tree they answer as though they knew.

    For the same reason a king is paid no more for betting than for waiting: nobody pays to see it.
    """
    paid = {
        line.action: line.payoff
        for line in searcher(KUHN, simulations=4000).think(view_of(KUHN, 0, held(J, NONE))).lines
    }
    assert paid[BET] < -0.9
    assert paid[PASS] > -0.6
    paid = {
        line.action: line.payoff
        for line in searcher(KUHN, simulations=4000).think(view_of(KUHN, 0, held(K, NONE))).lines
    }
    assert paid[BET] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("marks", [[1, 1, 0, 2, 2, 0, 0, 0, 0], [1, 0, 2, 0, 0, 0, 2, 0, 1]])
def test_tic_tac_toe_each_seat_takes_what_is_its_own(marks):
    """Whoever moves can end a line: on the first board each its own, on the second both in the middle."""
    states = tictactoe.GAME.new_tables(1, {})
    states["marks"][0] = marks
    for seat in (0, 1):
        states["seat"] = seat
        found = searcher(TICTACTOE).act(make_view(TICTACTOE, states, seat, new_stream(0)))
        assert found == ({0: 2, 1: 5}[seat] if marks[1] else 4)
