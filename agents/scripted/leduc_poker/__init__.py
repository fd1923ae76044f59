"""The scripted bots of Leduc poker; `bots` holds them."""
