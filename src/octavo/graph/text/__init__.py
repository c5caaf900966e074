"""What a text names, found by how it is written: no model, any script."""
