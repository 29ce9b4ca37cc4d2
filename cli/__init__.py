"""The `lineage` command."""
