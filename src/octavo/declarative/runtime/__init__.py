"""What happens when an action is dispatched: bindings, retrieval in the order of S64, caches, failures."""
