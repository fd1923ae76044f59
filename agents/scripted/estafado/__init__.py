"""The scripted bots of *Estafado*; `bots` holds them."""
