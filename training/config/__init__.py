"""Configurations of algorithms, and their registry."""
