"""The measures, a file for each group."""
