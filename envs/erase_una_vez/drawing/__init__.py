"""The parts of the picture of *Érase una vez*: the book with the tale, cards, hands and endings; art in SVG files."""
