"""The command line: one file a command, thin, nothing heavy imported before a command runs."""
