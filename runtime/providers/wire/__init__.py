"""What all network providers share: addresses, the HTTP client and what it sees, problems and their words, tool names and schemas.

Nothing here imports an SDK or its transport before a request is made.
"""
