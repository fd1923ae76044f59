"""Web server for the browser table: people and agents play together, and each client receives its seat's view only."""
