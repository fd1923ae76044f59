"""The reference games: contract, secrets and texts, and the rules of Leduc poker."""

import dataclasses
import json
from collections import Counter

import goldens
import numpy as np
import pytest
from scale import scaled

import sobremesa
from sobremesa import agents, cli, envs
from sobremesa.envs.core.deal import deal_between, deal_by, payoffs, random_deal
from sobremesa.envs.core.table import OVER, state_problems
from sobremesa.envs.core.testing.check import check_contract, rules_hash
from sobremesa.envs.core.testing.secrets import check_secrets
from sobremesa.envs.leduc_poker.observe import LAYOUT
from sobremesa.envs.leduc_poker.rules import CALL, FOLD, MOST_CHIPS, NO_CARD, NUM_CARDS, RAISE

pytestmark = pytest.mark.kernels

LEDUC = envs.load("leduc_poker")
every_room = pytest.mark.parametrize("game", [*map(envs.load, envs.reference_games())], ids=lambda game: game.name)


def test_they_are_listed_apart_and_loaded_by_name_and_id(capsys):
    assert not set(envs.games()) & set(envs.reference_games())
    assert envs.all_games() == envs.games() + envs.reference_games()
    assert envs.load("leduc_poker-v1") is LEDUC
    assert cli.main(["games"]) == 0
    listed = capsys.readouterr().out
    assert listed.index("estafado") < listed.index("Reference games") < listed.index("leduc_poker")
    assert sobremesa.make("leduc_poker").possible_agents == ["seat_0", "seat_1"]


def test_their_names_are_taken():
    with pytest.raises(ValueError, match="'leduc_poker' is registered already"):
        envs.register(dataclasses.replace(LEDUC, version=2))


@every_room
def test_they_keep_the_contract_and_their_secrets(game):
    assert check_contract(game, 5)["plies"] > 5
    tally = check_secrets(game, deals=4, every=1)
    assert tally["differed"] > tally["worlds"] / 5


@every_room
def test_their_rules_are_the_recorded_ones(game):
    known = json.loads(goldens.read("hashes.json"))
    if goldens.REGENERATE:
        goldens.rewrite(
            "hashes.json", json.dumps({**known, game.id: rules_hash(game)}, indent=2, sort_keys=True) + "\n"
        )
    assert rules_hash(game) == known[game.id]


@every_room
def test_their_scripted_agents_play(game):
    seated = [agents.load(name, game) for name in ("simple", "strong")]
    for seed in range(10):
        *plies, end = deal_between(game, seated, seed)
        assert all(ply.mask[ply.action] for ply in plies)
        assert payoffs(game, end.states).sum() == 0


def leduc_deal(cards, public, *actions):
    """Return the end of a deal of Leduc poker with these cards."""
    moves = iter(actions)

    def choose(states, seat, mask):
        states["card"][0] = cards
        if states["public"][0] != NO_CARD:
            states["public"] = public
        return next(moves)

    *_, end = deal_by(LEDUC, 0, {}, choose)
    assert end.seat == OVER
    assert next(moves, None) is None
    return end.states


J1, J2, Q1, Q2, K1, K2 = range(NUM_CARDS)


@pytest.mark.parametrize(
    ("cards", "public", "actions", "won"),
    [
        ((K1, Q1), J1, (CALL, CALL, CALL, CALL), 1),
        ((Q1, K1), Q2, (CALL, CALL, CALL, CALL), 1),  # a pair
        ((K1, J1), J2, (RAISE, RAISE, CALL, RAISE, RAISE, CALL), -13),
        ((K1, K2), J1, (RAISE, CALL, RAISE, CALL), 0),  # equal ranks
        ((J1, K1), None, (RAISE, FOLD), 1),
        ((J1, K1), None, (CALL, RAISE, FOLD), -1),
        ((K1, J1), Q1, (CALL, RAISE, CALL, CALL, RAISE, RAISE, FOLD), 7),
    ],
)
def test_l4_what_is_won(cards, public, actions, won):
    paid = payoffs(LEDUC, leduc_deal(cards, public, *actions))
    assert paid * MOST_CHIPS == pytest.approx([won, -won])


def test_l2_folds_need_a_due_bet_and_raises_are_two_a_round():
    allowed = []

    def raise_if_possible(_, __, mask):
        allowed.append(tuple(mask))
        return RAISE if mask[RAISE] else CALL

    list(deal_by(LEDUC, 0, {}, raise_if_possible))
    assert allowed == [(0, 1, 1), (1, 1, 1), (1, 1, 0)] * 2


def test_l1_l3_every_deal_is_as_likely_as_any_other():
    count, deals = scaled(2000), Counter()
    for seed in range(count):
        *_, end = deal_by(LEDUC, seed, {}, lambda *_: CALL)
        deals[(*end.states["card"][0].tolist(), int(end.states["public"][0]))] += 1
    assert all(len({*cards}) == 3 for cards in deals)
    for place in range(3):
        seen = Counter(dict.fromkeys(range(NUM_CARDS), 0))
        for cards, times in deals.items():
            seen[cards[place]] += times
        assert all(abs(times - count / NUM_CARDS) < 5 * (count / NUM_CARDS) ** 0.5 for times in seen.values())


def test_l5_a_seat_sees_all_bets_and_only_its_own_card():
    for seed in range(20):
        for ply in random_deal(LEDUC, seed):
            if ply.seat == OVER:
                continue
            state, seen = ply.states[0], LAYOUT.split(ply.observation)
            assert np.flatnonzero(seen["card"]).tolist() == [state.card[ply.seat]]
            assert not seen["shown"].any()
            assert seen["history"].sum() == ply.states["ply"][0]
            assert (seen["pot"] * MOST_CHIPS).round().tolist() == [state.pot[ply.seat], state.pot[1 - ply.seat]]


def test_a_state_of_leduc_that_cannot_be_is_told():
    state = list(random_deal(LEDUC, 3))[-1].states
    assert not state_problems(LEDUC, state)
    for field, value in (("card", 1), ("pot", 12), ("raises", 2), ("public", 9), ("history", 0), ("seat", 3)):
        wrong = state.copy()
        wrong[field] = value
        assert state_problems(LEDUC, wrong), field
