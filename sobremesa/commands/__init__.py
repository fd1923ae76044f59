"""Commands of `sobremesa`: every module in this folder is one.

A module has a docstring (its description), `EXAMPLE` (a command line), `add_arguments(parser)`, and `run(arguments)`,
which returns the exit code.
"""
