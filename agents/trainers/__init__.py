"""Environments in text for trainers of language models: TRL, OpenEnv, verifiers and SkyRL."""

from sobremesa.agents.language.prompt import Style
from sobremesa.agents.trainers.deals import Deals
from sobremesa.agents.trainers.episode import Episode

__all__ = ["Deals", "Episode", "Style"]
