"""Asking a language model."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class LLMClient(Protocol):
    """Completes a prompt."""

    def complete(self, system: str, prompt: str) -> str:
        """Return the model's answer to ``prompt``, under the system prompt ``system``."""
        ...


@runtime_checkable
class AsyncLLMClient(Protocol):
    """Completes a prompt without holding up the event loop; a client may be this and the other."""

    async def complete_async(self, system: str, prompt: str) -> str:
        """Return the model's answer to ``prompt``, under the system prompt ``system``."""
        ...
