"""Output for people: tables, HTML pages and animations."""
