"""Agents: random, scripted, human, external and search agents, exported bots, and the arena where they meet."""

from sobremesa.agents.arena.analysis import Analysis, analyse
from sobremesa.agents.arena.blunders import Blunder, Blunders, find_blunders
from sobremesa.agents.arena.dataset import Episode, episodes, read as read_dataset, write as write_dataset, write_minari
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.ladder import ladder
from sobremesa.agents.arena.pairings import compare
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.population import Population, population
from sobremesa.agents.arena.rate import ahead_of, rate
from sobremesa.agents.arena.ratings import Ladder, Rating, fit as fit_ratings, place as place_rating
from sobremesa.agents.arena.replay import (
    Replay,
    ReplayError,
    read as read_replay,
    record as record_replay,
    verify as verify_replay,
    write as write_replay,
)
from sobremesa.agents.arena.results import Results, ResultsError
from sobremesa.agents.arena.schedule import Schedule, plan as plan_tournament
from sobremesa.agents.arena.score import Score
from sobremesa.agents.arena.standings import Standings, resume_tournament, tournament
from sobremesa.agents.arena.tournament import (
    TournamentError,
    begin as begin_tournament,
    play as play_tournament,
    read as read_tournament,
)
from sobremesa.agents.arena.workers import Machines
from sobremesa.agents.builtin import SCRIPTED, bot_folders, names, scripted_names
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.solve import Response, Solution, respond, solve
from sobremesa.agents.exact.tree import GameTree, enumerate_tree
from sobremesa.agents.external.agent import Fault
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.loading import load, make_seat_env, make_seat_vec
from sobremesa.agents.named import NotAllowed
from sobremesa.agents.networks.runtime import BotError
from sobremesa.agents.search.improve import Line, SearchResult
from sobremesa.envs.core.agent import (
    Afterstates,
    Agent,
    BatchAgent,
    CompiledAgent,
    DealAgent,
    KernelAgent,
    PolicyAgent,
    RecurrentAgent,
    StochasticAgent,
    View,
)

__all__ = [  # noqa: RUF022
    # Agents.
    "Agent", "View", "KernelAgent", "CompiledAgent", "BatchAgent", "RecurrentAgent", "DealAgent", "PolicyAgent",
    "StochasticAgent", "Afterstates", "load", "names", "scripted_names", "identity", "bot_folders", "SCRIPTED",
    "BotError", "Fault", "EndpointFailed", "NotAllowed", "Line", "SearchResult",
    # Environments against agents.
    "make_seat_env", "make_seat_vec",
    # Matches, tournaments and ratings.
    "play", "compare", "rate", "ahead_of", "ladder", "population", "Population", "tournament", "resume_tournament",
    "Machines", "Standings", "Results", "ResultsError", "Score", "Schedule", "plan_tournament", "begin_tournament",
    "play_tournament", "read_tournament", "TournamentError", "fit_ratings", "place_rating", "Ladder", "Rating",
    "analyse", "Analysis", "find_blunders", "Blunders", "Blunder",
    # Replays and datasets.
    "Replay", "ReplayError", "record_replay", "read_replay", "write_replay", "verify_replay", "read_dataset",
    "write_dataset", "Episode", "episodes", "write_minari",
    # Exact answers.
    "GameTree", "enumerate_tree", "solve", "Solution", "respond", "Response", "policy_of",
]  # fmt: skip
