"""The agent behind Wyckoff Desk, without Qt: usable from a terminal, a test or the window."""
