"""How *Corre el encierro* looks: the course, cards and pieces, for scene.py; the art is .svg."""
