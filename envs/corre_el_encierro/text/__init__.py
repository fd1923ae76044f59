"""Texts of *Corre el encierro*: the table, events, cards and help, in English and Spanish."""
