"""Algorithms: one module each."""
