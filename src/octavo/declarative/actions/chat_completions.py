"""What a server of the chat-completions protocol answered, if it is an answer."""

from typing import Any

from octavo.errors import ExecutionError, shown


def answer_text(answer: Any) -> str:  # noqa: ANN401 - whatever the server sent
    """Return the text of a completion.

    Raises
    ------
    ExecutionError
        There is none: no choice, a refusal, or no completion at all.
    """
    content = _first(answer, "message")
    if isinstance(content, str):
        return content
    refusal = getattr(_choice(answer), "message", None)
    refused = getattr(refusal, "refusal", None)
    why = f"; it refused: {shown(refused)[:200]}" if isinstance(refused, str) else ""
    raise ExecutionError(f"the language model server gave no text{why}")


def piece_text(event: Any) -> str:  # noqa: ANN401 - whatever the server sent
    """Return the text of one event of a stream, blank where it has none."""
    content = _first(event, "delta")
    return content if isinstance(content, str) else ""


def _first(answer: Any, part: str) -> object:  # noqa: ANN401
    return getattr(getattr(_choice(answer), part, None), "content", None)


def _choice(answer: Any) -> object:  # noqa: ANN401
    choices = getattr(answer, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None
