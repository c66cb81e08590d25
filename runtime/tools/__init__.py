"""Tools that a model can call: one definition each, and the executor that runs them."""
