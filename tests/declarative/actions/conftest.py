"""Chats share rules with actions, and are proved beside them."""

from tests.declarative.chat.conftest import world

__all__ = ["world"]
