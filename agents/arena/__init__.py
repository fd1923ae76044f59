"""The arena: agents meet over the same deals in all seatings; scores, ratings and leaderboards follow."""
