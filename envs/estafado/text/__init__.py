"""Texts of *Estafado*: the table, events, cards and help, in English and Spanish."""
