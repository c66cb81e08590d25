"""What the window shows, without widgets: models that follow the runtime's events."""
