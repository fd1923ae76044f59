"""Search: agents that think ahead at the table, over worlds that their seat holds possible, in every game."""
