"""Speed measurements of `sobremesa bench`."""
