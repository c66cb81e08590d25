"""The window: depends on `runtime`, never the other way."""
