"""Search: agents that play rollouts or grow a tree over determinizations before they act, in every game."""
