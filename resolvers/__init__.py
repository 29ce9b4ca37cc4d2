"""What the product does, one verb a file."""
