"""Language models as agents: the conversation, its parser, and episodes played in text."""
