"""How *Estafado* looks: the land, the ring and the floor, cards, tokens and panels, for scene.py; the art is .svg."""
