"""How *Bandido Alcatraz* looks: pieces, cards and tunnels, hands, and the bay around them, for scene.py."""
