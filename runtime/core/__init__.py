"""Provider-neutral values of the runtime: messages, events, approvals, deadlines. No I/O."""
