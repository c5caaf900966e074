"""One writer for each format of results."""
