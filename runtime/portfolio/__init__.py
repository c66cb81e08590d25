"""What the person holds: an append-only ledger from which positions, cash and equity are derived."""
