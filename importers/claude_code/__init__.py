"""Sessions and agents of Claude Code: chains of messages, and what they say about threads."""
