"""What `sobremesa bench` measures, and the libraries beside which it does."""
