"""How *Corre el encierro* looks: the course, cards and pieces, with art as .svg."""
