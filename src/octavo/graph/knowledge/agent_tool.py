"""A tool as an agent sees it: a name, a description, a schema, and something to call."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from octavo.errors import InvalidArgumentError, plain_text, shown


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One argument of a tool: a string, or a whole number from 1.

    Parameters
    ----------
    name
        The keyword of the function that is called.
    description
        What the agent is told about it.
    kind
        ``str`` or ``int``.
    required
        Whether the agent must give it; one that need not be given may be ``None``.
    """

    name: str
    description: str
    kind: type[str] | type[int] = str
    required: bool = False

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the argument."""
        if self.kind is str:
            return {"type": "string", "minLength": 1, "description": self.description}
        return {"type": "integer", "minimum": 1, "description": self.description}


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool that an agent can call.

    Parameters
    ----------
    name, description
        As the agent sees them.
    parameters
        The arguments.
    function
        What is called, with keyword arguments; it checks their values.
    """

    name: str
    description: str
    parameters: tuple[ToolParameter, ...]
    function: Callable[..., Any]

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of all arguments: an object that has no others."""
        return {
            "type": "object",
            "properties": {each.name: each.schema for each in self.parameters},
            "required": [each.name for each in self.parameters if each.required],
            "additionalProperties": False,
        }

    def call(self, arguments: Mapping[str, object] | str) -> str:
        """Call the function with what an agent gave, and return the answer as JSON.

        Parameters
        ----------
        arguments
            A mapping, or the text of a JSON object.

        Raises
        ------
        InvalidArgumentError
            The text is no JSON object, an argument is missing, unknown or of another type, or the
            function refuses its value. The message is meant for the agent too.
        """
        given = self._read(arguments)
        known = {each.name: each for each in self.parameters}
        for name in given:
            if name not in known:
                raise InvalidArgumentError(
                    f"{self.name}: expected arguments among {', '.join(known)}, found {shown(name)}"
                )
        for each in self.parameters:
            if each.required and given.get(each.name) is None:
                raise InvalidArgumentError(f"{self.name}: {each.name}: expected, but missing")
        return json.dumps(self.function(**given), ensure_ascii=False)

    def _read(self, arguments: Mapping[str, object] | str) -> dict[str, object]:
        text = plain_text(arguments)
        if text is not None:
            try:
                arguments = json.loads(text or "{}")
            except (ValueError, RecursionError) as error:
                raise InvalidArgumentError(
                    f"{self.name}: expected a JSON object: {error}"
                ) from error
        if not isinstance(arguments, Mapping):
            raise InvalidArgumentError(
                f"{self.name}: expected a JSON object, found {type(arguments).__name__}"
            )
        return dict(arguments)
