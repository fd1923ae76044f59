"""Devices: the vector environment on a GPU, from the same kernels as on the processor."""
