"""Training data: self-play tables, opponents, rollout and replay buffers, samples from rollouts."""
