"""Agents: random, scripted, human, external and search agents, exported bots, and the arena where they meet."""

from sobremesa.agents.arena.pairings import compare
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Score
from sobremesa.agents.builtin import PRETRAINED, SCRIPTED, names, scripted_names
from sobremesa.agents.loading import load, make_seat_env, make_seat_vec
from sobremesa.envs.core.agent import Agent, KernelAgent, View

__all__ = [
    "PRETRAINED",
    "SCRIPTED",
    "Agent",
    "KernelAgent",
    "Results",
    "Score",
    "View",
    "compare",
    "load",
    "make_seat_env",
    "make_seat_vec",
    "names",
    "play",
    "scripted_names",
]  # fmt: skip
