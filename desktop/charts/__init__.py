"""Charts of stocks: bars, the engine's marks, levels. Knows nothing of the agent."""
