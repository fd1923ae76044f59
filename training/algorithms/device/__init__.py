"""Training on a GPU: tables, rollouts and updates whose data stays on the device."""
