"""Agents, roles, and how an action is carried out (S69, S75, S77)."""
