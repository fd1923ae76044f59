"""The commands of `sobremesa`, a module each.

The first line of a module's docstring says what the command does; `EXAMPLE` is a line to try, `add_arguments(parser)`
declares what it takes, and `run(arguments)` does it and returns the exit code. A module in this folder is a command:
nothing else names it.
"""
