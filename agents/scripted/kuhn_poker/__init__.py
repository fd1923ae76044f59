"""The scripted bots of Kuhn poker; `bots` holds them."""
