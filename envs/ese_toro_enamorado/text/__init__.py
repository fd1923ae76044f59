"""Texts of *Ese Toro enamorado*."""
