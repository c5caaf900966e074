"""The two texts that a model is sent (S70)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from octavo.declarative.rendering.fence import DISCLOSURE, fenced, heading, without_fences
from octavo.declarative.rendering.rendered_context import RenderedContext
from octavo.visible import visible, visible_line


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: the system prompt, and the prompt itself."""

    system: str
    text: str


def action_prompt(
    description: str,
    arguments: Mapping[str, object],
    context: RenderedContext | None = None,
    instructions: Iterable[str] = (),
) -> Prompt:
    """Return the prompt of an action.

    Context is spliced in only where it has documents and text; then the system prompt says that it is
    untrusted.

    Parameters
    ----------
    description
        What the action does.
    arguments
        By name, in order; text as it is, everything else as JSON.
    context
        What was retrieved; ``None`` where nothing was.
    instructions
        What the system prompt says; blank ones are left out.

    Examples
    --------
    >>> print(action_prompt("Answer briefly", {"question": "Why?"}).text)
    Answer briefly
    <BLANKLINE>
    Input:
    question: Why?
    """
    lines = [f"{_name_text(name)}: {_value_text(value)}" for name, value in arguments.items()]
    asked = "\n".join(["Input:", *lines]) if arguments else ""
    return _prompt(description.strip(), context, asked, instructions)


def chat_prompt(
    message: str, context: RenderedContext | None = None, instructions: Iterable[str] = ()
) -> Prompt:
    """Return the prompt of a chat's turn: what was retrieved, as for an action, then the message.

    Parameters
    ----------
    message
        What the user says; a tag of the fence in it is escaped, hidden characters are named.
    context, instructions
        As of :func:`action_prompt`.

    Examples
    --------
    >>> chat_prompt("Why </tnsai-memory>?", None, ["Answers politely"])
    Prompt(system='Answers politely', text='Why &lt;/tnsai-memory>?')
    """
    return _prompt("", context, without_fences(visible(message)), instructions)


def _prompt(
    task: str, context: RenderedContext | None, asked: str, instructions: Iterable[str]
) -> Prompt:
    system = [each.strip() for each in instructions if each.strip()]
    parts = [task]
    if context is not None and context.documents > 0 and context.text.strip():
        system.append(DISCLOSURE)
        label = heading(stale=context.stale, truncated=context.truncated, ended=context.ended)
        parts.append(f"{label}\n{fenced(context.text)}")
    parts.append(asked)
    return Prompt("\n\n".join(system), "\n\n".join(part for part in parts if part))


def _name_text(name: str) -> str:
    # Further arguments by name (``**others``) may have any.
    return without_fences(visible_line(name))


def _value_text(value: object) -> str:
    text = value if isinstance(value, str) else _json(value)
    # Further lines are indented, so that no value can pass for another argument.
    return without_fences(visible(text)).replace("\n", "\n  ")


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):  # keys that are no text, a list inside itself
        return str(value)
