"""Pictures: SVG scenes of any game, as pixels, in a window, or for pointing at."""
