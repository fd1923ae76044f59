"""Pictures of *Ese Toro enamorado*."""
