"""Where prices come from: instruments, calendar, bars, rules of the market. Knows nothing of analysis."""
