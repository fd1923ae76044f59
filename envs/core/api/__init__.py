"""Environments: any game as a PettingZoo, vector or Gymnasium environment, and observation encoders."""
