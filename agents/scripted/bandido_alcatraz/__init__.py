"""The scripted bots of *Bandido Alcatraz*; `bots` holds them."""
