"""What stands around the conversation: lists, tasks, status."""
