"""Guards of a turn: code that keeps a model from running in circles, past the question, or away from the evidence."""
