"""Runs: the folder of a run, its loop, checkpoints and evaluations."""
