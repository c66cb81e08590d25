"""The offline analyst: what answers when no language model is configured. Rules and templates, labelled as such everywhere."""
