"""Providers, one a file: what they can do, as data."""
