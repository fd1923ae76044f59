"""Run the command line in this process, and deals of the game that its tests use."""

from runs import GAME

from sobremesa import agents, cli, envs
from sobremesa.envs.core.deal import deal_between

RULES = envs.load(GAME)
SHORT = ("--setup", "max_rounds=1")


def plies_of(*names, seed, **setup):
    """Return the plies of a deal between these agents."""
    return list(deal_between(RULES, [agents.load(name, RULES) for name in names], seed, **setup))


def sobremesa(*words):
    """Run the command line and return its exit code."""
    try:
        return cli.main([str(word) for word in words])
    except SystemExit as end:
        return end.code


def one_line(text):
    """Assert that `text` is one short line that a terminal shows as it is, and return it."""
    assert text.endswith("\n")
    assert text[:-1].isprintable()
    assert len(text) < 2_000
    return text
