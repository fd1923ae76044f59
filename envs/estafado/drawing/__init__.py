"""Pictures of *Estafado*: the land, the ring and the floor, cards, tokens and panels, with art as .svg."""
