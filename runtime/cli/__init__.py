"""`wyckoff …` in a terminal."""
