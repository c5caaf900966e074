"""What a server of the chat-completions protocol answered, if it is an answer."""

from dataclasses import dataclass
from typing import Any, Final

from octavo.errors import ExecutionError, shown

_SERVER: Final = "the language model server"


def answer_text(answer: Any) -> str:  # noqa: ANN401 - whatever the server sent
    """Return the text of a completion.

    Raises
    ------
    ExecutionError
        There is none: no choice, a refusal, or no completion at all.
    """
    content = _text(answer, "message", "content")
    if content is None:
        raise _no_text(_text(answer, "message", "refusal") or "")
    return content


@dataclass(slots=True)
class StreamedAnswer:
    """An answer that comes in events: its pieces, and whether there was an answer, to its end."""

    _has_text: bool = False
    _refusal: str = ""
    _is_finished: bool = False

    def piece(self, event: Any) -> str:  # noqa: ANN401 - whatever the server sent
        """Return the text of one event, blank where it has none."""
        piece = _text(event, "delta", "content") or ""
        self._has_text = self._has_text or bool(piece)
        self._refusal += _text(event, "delta", "refusal") or ""
        self._is_finished = self._is_finished or bool(
            getattr(_choice(event), "finish_reason", None)
        )
        return piece

    def end(self) -> None:
        """Say that no event follows.

        Raises
        ------
        ExecutionError
            The model refused, or the stream broke off: no event said why the answer is finished.
        """
        if self._refusal and not self._has_text:
            raise _no_text(self._refusal)
        if not self._is_finished:
            raise ExecutionError(f"{_SERVER} broke off its answer before the end")


def _no_text(refusal: str) -> ExecutionError:
    why = f"; it refused: {shown(refusal)[:200]}" if refusal else ""
    return ExecutionError(f"{_SERVER} gave no text{why}")


def _text(answer: Any, part: str, member: str) -> str | None:  # noqa: ANN401
    found = getattr(getattr(_choice(answer), part, None), member, None)
    return found if isinstance(found, str) else None


def _choice(answer: Any) -> object:  # noqa: ANN401
    choices = getattr(answer, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None
