"""Compiling: the decorator over Numba, its disk cache, and the tools that kernels are made with."""
