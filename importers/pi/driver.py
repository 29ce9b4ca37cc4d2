"""The word that the graph knows pi by."""

DRIVER = "pi"
