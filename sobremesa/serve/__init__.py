"""Tables in a browser: people and agents at one table, each with what its seat sees and nothing else."""
