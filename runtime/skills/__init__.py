"""Skills: instructions for a kind of task, known to the model by name and read when they are needed."""
