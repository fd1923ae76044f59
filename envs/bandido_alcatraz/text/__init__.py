"""*Bandido Alcatraz* in words: the table and its map, the story, and the names of moves."""
