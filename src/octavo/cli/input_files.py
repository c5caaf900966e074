"""Files of commands that may lie elsewhere."""

from typing import Any

import typer


def input_files(context: typer.Context, given: list[str]) -> list[Any]:
    """Return inputs with copies in the place of URIs; copies are removed when the command ends.

    Raises
    ------
    SourceLoadingError, ConfigurationError, InvalidArgumentError
        As :func:`octavo.columns.remote_inputs.local_inputs`.
    """
    from octavo.columns.remote_inputs import local_inputs  # noqa: PLC0415

    return [*context.with_resource(local_inputs(given))]
