"""Threads, runs and edges: their shapes, the store's promises, and the Neo4j store that keeps them."""
