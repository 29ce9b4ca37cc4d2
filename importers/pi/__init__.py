"""Sessions of the pi coding agent: trees of entries in files, and what they say about threads."""
