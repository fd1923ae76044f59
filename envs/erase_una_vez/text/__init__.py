"""*Érase una vez* in words, English and Spanish: the tale itself, the table, what happens, names and the help."""
