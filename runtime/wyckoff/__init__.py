"""Pure chart analysis after Richard Wyckoff: arrays in, records out. No I/O, no clock, numpy only."""
