"""Variants of games: setups that a seed draws, each of them balanced."""

import json

import pytest
from rooms import GAMES

from sobremesa import agents, envs
from sobremesa.agents.arena.play import play
from sobremesa.arguments import setup_fields
from sobremesa.envs.core import home
from sobremesa.envs.core.api.obfuscated import obfuscated
from sobremesa.report.results import FOLDER

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
UNEVEN = 0.2  # most that a seat's mean payoff may be from zero
ESCAPES = 0.25, 0.9  # of all deals, in a cooperative game


@every_game
def test_seeds_draw_two_or_three_variants(game):
    found = home.variants(game)
    assert len(found) in (2, 3)
    drawn = [envs.variant(game.name, seed) for seed in range(3 * len(found))]
    assert drawn == [envs.variant(game.name, seed) for seed in range(3 * len(found))]
    for first in range(0, len(drawn), len(found)):
        assert sorted(map(str, drawn[first : first + len(found)])) == sorted(map(str, found))
    assert setup_fields(game, ["variant=1"]) == envs.variant(game.name, 1)
    assert home.variants(obfuscated(game, 1)) == found


@every_game
def test_scripted_agents_finish_every_variant(game):
    for name in agents.scripted_names(game):
        seated = [agents.load(name, game)] * game.default_seats
        usual, *rest = [play(game, seated, 3, seed=1, **setup) for setup in [{}, *home.variants(game)]]
        for rows in rest:
            assert rows.plies.all()
            assert not rows.forfeited()
            assert usual.too_long is None or rows.too_long.sum() <= usual.too_long.sum()


@every_game
def test_published_variants_are_balanced(game):
    tables = json.loads((FOLDER / "variants.json").read_text(encoding="utf-8"))
    rows = [row for row in tables["balance"]["rows"] if game.id in row["games"]]
    usual, *rest = rows
    assert usual["setup"] == {}
    assert [row["setup"] for row in rest] == home.variants(game)
    for row in rest:
        payoffs, too_long = row["cells"][3:5]
        paid = [float(one.replace("−", "-")) for one in payoffs.split()]
        even = ESCAPES[0] <= paid[0] <= ESCAPES[1] if game.cooperative else max(map(abs, paid)) <= UNEVEN
        assert even, (row["setup"], paid)
        assert too_long <= usual["cells"][4]


def test_a_game_without_variants_and_a_bad_file_are_refused():
    with pytest.raises(ValueError, match="no variants"):
        envs.variant("kuhn_poker", 0)
    with pytest.raises(ValueError, match=r"home/variants.toml of estafado: .*no option 'moons'"):
        home.variants(envs.load("estafado"), {"moons": [1]})
    with pytest.raises(ValueError, match="evading_faces=9 is not allowed"):
        home.variants(envs.load("estafado"), {"evading_faces": [9]})
