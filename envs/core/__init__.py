"""The parts that all games share; no module here imports a game."""
