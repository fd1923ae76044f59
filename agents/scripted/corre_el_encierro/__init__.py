"""The scripted bots of *Corre el encierro*; `bots` holds them."""
