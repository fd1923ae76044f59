"""The text of a view is complete: a reader rebuilds the observation from it, in both languages."""

import importlib

import pytest
from read_prompts import check_reading

import sobremesa

STRONG, RANDOM = ("strong",), ("random",)
DEALS = {  # agents in turn, seats, further setup fields
    "ese_toro_enamorado": (
        (STRONG, 2, {"max_rounds": 5, "duplicates": "forbidden"}),
        (RANDOM, 3, {"max_rounds": 4, "max_vueltas": 6, "fence_bounce": "try_again", "rosemary": "anywhere"}),
        (("strong", "random"), 4, {"board": "small", "mountains": "by_night", "round_end": "moon_waits",
                                   "rosemary_chain": False, "duplicates": "unlimited", "max_rounds": 5}),
        (RANDOM, 2, {"mountains": "fixed", "round_end": "full_lap", "shore_tiles": False, "max_rounds": 4}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEALS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_an_observation_is_rebuilt_from_text(name, language):
    game, read = sobremesa.load(name), importlib.import_module(f"read_{name}").read
    for number, (agents, seats, setup) in enumerate(DEALS[name]):
        names = [agents[seat % len(agents)] for seat in range(seats)]
        assert check_reading(game, read, setup, names, number, language) == set()
