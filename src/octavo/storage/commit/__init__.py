"""How a change becomes the index: the lock, the steps of a commit, what a crash leaves behind."""
