"""The scripted bots of *Ese Toro enamorado*; `bots` holds them."""
