"""Who decides whether a write may happen, and the record of every decision."""
