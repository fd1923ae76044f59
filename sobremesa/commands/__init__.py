"""The subcommands of `sobremesa`: one module each, its arguments and its code together."""
