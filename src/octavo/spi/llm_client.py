"""Asking a language model."""

from collections.abc import AsyncIterator, Iterator
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


@runtime_checkable
class StreamingLLMClient(Protocol):
    """Completes a prompt piece by piece; a client may be this and the others."""

    def stream(self, system: str, prompt: str) -> Iterator[str]:
        """Return the pieces of the model's answer, in order."""
        ...


@runtime_checkable
class AsyncStreamingLLMClient(Protocol):
    """Completes a prompt piece by piece, without holding up the event loop."""

    def stream_async(self, system: str, prompt: str) -> AsyncIterator[str]:
        """Return the pieces of the model's answer, in order."""
        ...
