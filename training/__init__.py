"""Training: fit an agent by a recipe that is right for turn-based games, watch it, export it as a bot."""
