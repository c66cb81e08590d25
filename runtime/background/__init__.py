"""Long work beside the conversation: queued, shown, stopped, run again, and remembered over a restart."""
