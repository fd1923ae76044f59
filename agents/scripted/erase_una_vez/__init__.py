"""The scripted bots of *Érase una vez*; `bots` holds them."""
