"""Environments in text for trainers of language models: TRL, OpenEnv, verifiers and SkyRL."""

from sobremesa.agents.trainers.deals import Deals

__all__ = ["Deals"]
