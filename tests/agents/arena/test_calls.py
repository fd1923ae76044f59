"""The calls of the arena: a ladder, a rating, a test and a tournament without the command line."""

import numpy as np
import pytest

from sobremesa import agents, envs
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.ladder import fitting
from sobremesa.envs.core.errors import ArgumentError

TORO = envs.load("ese_toro_enamorado")
SHORT = {"board": "small", "max_rounds": 1}


def rows(found):
    return [(match.agents, match.seeds.tolist(), match.payoffs.tolist()) for match in found.matches]


def test_an_interrupted_tournament_resumes_with_equal_results(tmp_path, monkeypatch):
    given = {"deals": 6, "seed": 4, "piece": 2, **SHORT}
    once = agents.Machines(processes=1)
    whole = agents.tournament(TORO, ["random", "simple"], tmp_path / "whole", machines=once, **given)
    play, pieces = tournament._play_piece, []

    def interrupted(*asked):
        if len(pieces) == 2:
            raise KeyboardInterrupt
        pieces.append(play(*asked))

    monkeypatch.setattr(tournament, "_play_piece", interrupted)
    with pytest.raises(KeyboardInterrupt):
        agents.tournament(TORO, ["random", "simple"], tmp_path / "part", machines=once, **given)
    assert len(list((tmp_path / "part").glob("rows-*.npz"))) == 2
    monkeypatch.undo()
    again = agents.resume_tournament(tmp_path / "part", machines=once)
    assert rows(again) == rows(whole)
    assert again.ratings == whole.ratings
    assert again.anchor.startswith("random#")


def test_a_rating_is_of_the_deals_of_a_match():
    found = agents.rate(TORO, "strong", ["random"], deals=5, seed=3)
    alone = agents.compare(TORO, agents.load("strong", TORO), agents.load("random", TORO), 5, seed=3)
    assert found.scores == [alone]
    (placing,) = found.placings  # strong is on the ladder
    assert placing.rating.rating == fitting(TORO, {}).ladder.frozen["strong"]
    assert placing.against == ()


def test_a_ladder_of_new_agents_is_rated_from_the_published_one():
    found = agents.ladder(TORO, ["search(random, worlds=2, rollout=random)"], deals=2, seed=1)
    published = fitting(TORO, {}).ladder.frozen
    assert found.ladder.anchors == {name: published[name] for name in ("random", "simple", "strong")}
    assert found.secret == ""
    assert all(np.isfinite(match.payoffs).all() for match in found.matches)


@pytest.mark.parametrize(
    ("call", "told", "flags"),
    [
        (lambda: agents.Machines(processes=2, cluster="auto"), "processes and cluster", "--processes and --cluster"),
        (lambda: agents.Machines(piece=3), "piece needs processes or", "--piece needs --processes or"),
        (lambda: agents.Machines(processes=-1), "processes=-1 is not allowed", "--processes -1 is not allowed"),
        (lambda: agents.Machines(processes=2, piece=0), "piece=0 is not allowed", "--piece 0 is not allowed"),
        (lambda: agents.ladder(TORO, deals=0), "deals=0 is not allowed", "--deals 0 is not allowed"),
        (lambda: agents.rate(TORO, "simple", deals=0), "deals=0 is not allowed", "--deals 0 is not allowed"),
        (lambda: agents.rate(TORO, "simple", "strong"), "it takes a list of names", "it takes a list of names"),
        (lambda: agents.ladder(TORO, ["simple"], search_deals=5), "search_deals=5 needs", "--search-deals 5 needs"),
        (lambda: agents.rate(TORO, "simple", ["simple"]), "against names only simple", "--against names only simple"),
        (lambda: agents.rate(TORO, "simple", width=20), "width=20 is not allowed: ", "--width 20 is not allowed: "),
        (lambda: agents.ahead_of(TORO, "simple", "simple"), "than names only simple", "--than names only simple"),
    ],
)  # fmt: skip
def test_refused_arguments_are_named_as_parameter_and_flag(call, told, flags):
    with pytest.raises(ArgumentError) as refused:
        call()
    assert told in str(refused.value)
    assert flags in refused.value.as_flags()
