"""An index as it is read: its segments, columns, vectors and structures at one generation."""
