"""Threads, runs and edges: their shapes, the promises of the store, and the store itself."""
