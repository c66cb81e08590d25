"""The agent loop and what surrounds a turn."""
