"""*Estafado* in words, English and Spanish: the table, what happens, the cards and the help."""
