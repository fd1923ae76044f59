"""*Bandido Alcatraz* in words: the table and its map, the story, and what people type, for notation.py too."""
