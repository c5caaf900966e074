"""Documents as Arrow columns, results as flat arrays."""
