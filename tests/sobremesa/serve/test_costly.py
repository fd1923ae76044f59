"""Blunder reports: judged by the information of the seat at that time, and cached."""

import asyncio

import numpy as np
import pytest
from kuhn import ALWAYS, BET, GAME as KUHN, PASS
from rooms import ENCIERRO

from sobremesa import agents
from sobremesa.agents.arena import blunders
from sobremesa.agents.arena.blunders import costly
from sobremesa.envs.core.deal import deal_between, deal_by
from sobremesa.envs.core.table import table_kernels
from sobremesa.serve.blunders import shown
from sobremesa.serve.reviews import Studies

QUEEN, KING = 1, 2


def kuhn_deal(card, other, answer):
    """Return a deal in which the first seat bets on its card `other`, and the second one answers on its `card`."""
    for seed in range(100):
        plies = list(deal_by(KUHN, seed, {}, lambda states, seat, mask: BET if seat == 0 else answer))
        if plies[0].states["deck"][0, :2].tolist() == [other, card]:
            return plies
    raise AssertionError("no such deal")


def test_blunder_and_its_cost_are_found():
    found = costly(KUHN, kuhn_deal(KING, QUEEN, PASS), [1], 0, ALWAYS)
    assert [(one.ply, one.seat, one.played, one.better) for one in found] == [(1, 1, PASS, BET)]
    assert found[0].worth == pytest.approx(0.25)  # half a unit lost, where one could be won
    assert found[0].gain == pytest.approx(0.75)
    assert 0.7 < found[0].low < 0.75 < found[0].high < 0.78  # it has a width, though all worlds are alike


def test_good_decision_with_bad_luck_costs_nothing():
    plies = kuhn_deal(QUEEN, KING, BET)  # half of those who bet here hold less
    assert plies[-1].states["pot"].tolist() == [[2, 2]]
    assert not costly(KUHN, plies, [1], 0, ALWAYS)


def test_bad_decision_with_good_luck_costs():
    plies = kuhn_deal(QUEEN, KING, PASS)
    (found,) = costly(KUHN, plies, [1], 0, ALWAYS)  # by what it knew; to pass was best as the cards lay
    assert found.better == BET
    assert 0 < found.low < found.gain < found.high
    assert found.gain == pytest.approx(0.25, abs=0.1)


def test_decisions_of_other_seats_are_ignored():
    assert not costly(KUHN, kuhn_deal(KING, QUEEN, PASS), [0], 0, ALWAYS)


def test_many_decisions_are_sampled_evenly(monkeypatch):
    looked = []
    monkeypatch.setattr(blunders, "MOST", 4)
    monkeypatch.setattr(blunders, "_decision", lambda game, ply, number, agent, seed: looked.append(number))
    monkeypatch.setattr(blunders, "_worst_decisions", lambda *_: [])
    plies = [*kuhn_deal(KING, QUEEN, PASS)[:1]] * 10
    assert not costly(KUHN, plies, [0], 0, ALWAYS)
    assert looked == [0, 2, 5, 7]


def test_blunders_ignore_hidden_information(monkeypatch):
    """What it finds is the same in every world that each seat held possible at its decision."""
    for name, value in {"ROLLOUTS": 600, "GLANCE": 4, "SECOND": 6, "WORLDS": 10, "WITHIN": -1e6, "REPORTED": 6}.items():
        monkeypatch.setattr(blunders, name, value)
    monkeypatch.setattr(blunders, "varied", lambda gains: True)  # with WITHIN: whatever was found is reported
    simple = agents.load("simple", ENCIERRO)
    plies = [ply for ply in deal_between(ENCIERRO, [simple] * 3, 3) if ply.mask.sum() > 1][:30]
    elsewhere = [ply._replace(states=ply.states.copy()) for ply in plies]
    for number, ply in enumerate(elsewhere):
        table_kernels(ENCIERRO).redeal(ply.states, ply.seat, number)
    assert sum(one.states.tobytes() != other.states.tobytes() for one, other in zip(plies, elsewhere, strict=True)) > 20
    found = costly(ENCIERRO, plies, range(3), 7)
    assert len(found) > 3
    assert costly(ENCIERRO, elsewhere, range(3), 7) == found


def test_number_of_rollouts_is_bounded(monkeypatch):
    played, payoffs = [], blunders.Rollouts.payoffs

    def counted(self, worlds, candidates, chances):
        played.append(len(worlds) * len(candidates))
        return payoffs(self, worlds, candidates, chances)

    monkeypatch.setattr(blunders.Rollouts, "payoffs", counted)
    costly(KUHN, kuhn_deal(KING, QUEEN, PASS) * 1000, [1], 0, ALWAYS)
    looks = blunders.LEFT * (1 + blunders.OTHERS) * blunders.SECOND + blunders.AGAIN * 2 * blunders.WORLDS
    assert sum(played) <= blunders.ROLLOUTS + looks


def test_actions_are_named_in_each_language():
    plies = kuhn_deal(KING, QUEEN, PASS)
    (found,) = shown(KUHN, costly(KUHN, plies, [1], 0, ALWAYS), plies)
    assert found["played"] == {"en": "pass", "es": "pasar"}
    assert found["more"] == {"en": "about 8 games in 10", "es": "unas 8 de cada 10 partidas"}


def test_a_study_is_made_once_and_the_oldest_are_dropped():
    made = []

    async def work(call, *arguments):
        await asyncio.sleep(0.01)
        return call(*arguments)

    def study(name, size):
        made.append(name)
        if size < 0:
            raise ValueError(name)
        return b"." * size

    async def ask():
        studies = Studies(work, most=100)
        assert len(set(await asyncio.gather(*(studies.of("a", study, "a", 60) for _ in range(5))))) == 1
        leaver = asyncio.ensure_future(studies.of("b", study, "b", 30))
        other = asyncio.ensure_future(studies.of("b", study, "b", 30))
        await asyncio.sleep(0)
        leaver.cancel()
        assert len(await other) == 30
        await studies.of("a", study, "a", 60)
        await studies.of("c", study, "c", 30)  # b was asked for longest ago
        await studies.of("a", study, "a", 60)
        with pytest.raises(ValueError, match="d"):
            await studies.of("d", study, "d", -1)
        with pytest.raises(ValueError, match="d"):
            await studies.of("d", study, "d", -1)
        await studies.of("b", study, "b", 30)

    asyncio.run(ask())
    assert made == ["a", "b", "c", "d", "d", "b"]


def test_figures_follow_from_the_seed():
    plies = kuhn_deal(QUEEN, KING, PASS)
    assert costly(KUHN, plies, [1], 1, ALWAYS) == costly(KUHN, plies, [1], 1, ALWAYS)
    gains = {costly(KUHN, plies, [1], seed, ALWAYS)[0].gain for seed in range(5)}
    assert np.ptp(list(gains)) > 0
