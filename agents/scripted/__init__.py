"""Scripted bots: a module for each game, with the kernels `simple` and `strong`."""
