"""The word that the graph knows OpenCode by."""

DRIVER = "opencode"
