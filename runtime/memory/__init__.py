"""What outlives the context of a model: the archive of compacted messages."""
