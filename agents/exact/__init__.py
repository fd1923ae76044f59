"""Exact answers for small games: their whole tree, near-equilibria by CFR+, best responses, exploitability."""
