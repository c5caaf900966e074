"""Reports as one HTML page that needs nothing else: no network, no other file, no script to be read."""
