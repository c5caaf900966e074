"""An agent's conversation, grounded by what its own class declares (S71, S72)."""
