"""Transcript formats, one a package: bytes in, records out."""
