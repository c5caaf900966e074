"""A demonstration on real text: the documentation strings of the running Python installation."""
