"""Keeps a conversation inside the window of its model: a summary with what must not be lost takes the place of old messages."""
