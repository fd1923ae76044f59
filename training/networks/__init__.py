"""Networks: policies, value networks and losses, over float32 or uint8 observations."""

LARGEST_WEIGHTS = 2**31  # bytes of a file of weights
