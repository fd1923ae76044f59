"""Checks that every game must pass: the contract, the secrets kit, golden playthroughs."""
