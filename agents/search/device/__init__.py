"""Search on a GPU; this package needs PyTorch."""
