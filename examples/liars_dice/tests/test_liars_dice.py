"""Tests of the rules of liar's dice, and the checks that every game must pass."""

import numpy as np
import pytest
from liars_dice import GAME
from liars_dice.bots import BOTS
from liars_dice.rules import ACTIONS, FACES, LIAR

from sobremesa.envs import TableEnv
from sobremesa.envs.testing import check_game, rules_hash


def deal(dice, *bids):
    """Return an environment in which the dice have been rolled so and these bids were made."""
    env = TableEnv(GAME)
    env.reset(seed=0)
    env._states["die"][0] = [die - 1 for die in dice]
    for bid in bids:
        env.step(GAME.words.parse_action(bid, "en"))
    return env


def test_the_game_passes_all_checks():
    assert check_game(GAME, deals=20, bots=BOTS)["contract"]["plies"] > 20


def test_the_rules_are_the_recorded_ones():
    assert rules_hash(GAME) == "902405947599b545"  # a change takes a new version of the game


def test_l2_bids_rise_and_liar_needs_a_bid():
    assert np.flatnonzero(deal((1, 2)).infos["seat_0"]["action_mask"]).tolist() == list(range(LIAR))
    mask = deal((1, 2), "1x6").infos["seat_1"]["action_mask"]
    assert np.flatnonzero(mask).tolist() == list(range(FACES, ACTIONS))


@pytest.mark.parametrize(
    ("dice", "bids", "winner"),
    [((5, 2), ("1x5",), 0), ((5, 2), ("1x6",), 1), ((5, 5), ("1x5", "2x5"), 1), ((5, 2), ("1x2", "2x2"), 0)],
)
def test_l3_the_last_bid_decides(dice, bids, winner):
    env = deal(dice, *bids, "liar")
    assert env.rewards == {f"seat_{seat}": 1.0 if seat == winner else -1.0 for seat in range(2)}


def test_l4_a_die_is_seen_by_its_owner():
    text = GAME.words.describe(deal((5, 2), "1x5")._states, 1, "es")
    assert text == "asiento 0: ?\nasiento 1: 2\nva: 1x5"
