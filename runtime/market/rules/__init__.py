"""Trading rules of the A-share exchanges: boards, lots, price limits, fees, T+1. Data with the day from which it holds."""
