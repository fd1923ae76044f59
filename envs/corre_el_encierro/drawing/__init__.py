"""Pictures of *Corre el encierro*: the course, cards and pieces, with art as .svg."""
