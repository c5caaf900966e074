"""One reader for each format."""
