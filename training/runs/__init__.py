"""Runs: folder, loop, checkpoints and evaluations."""
