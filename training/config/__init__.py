"""Configurations: dataclasses whose fields are keys of TOML files, and the registry of algorithms."""
