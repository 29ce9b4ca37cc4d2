"""Codex homes: rollout files, the state database, and what they say about threads."""
