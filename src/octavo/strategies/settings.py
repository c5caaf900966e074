"""What a table of results was made by: kept once, in the metadata of its schema.

Together with the parts, which are columns, these settings are all that a score depends on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from octavo.errors import InvalidArgumentError
from octavo.spi import RAGContext
from octavo.version import __version__

METADATA_KEY: Final = b"octavo.ledger"

OWN_FORMULA: Final = "own"
"""The formula of a strategy that is not octavo's: its scores have no parts."""

StageSettings: TypeAlias = Mapping[str, Any]
"""A strategy as plain JSON values: ``strategy`` (its name), ``formula`` (whose parts it has), its own
settings, and the same of the strategy inside it under ``child``, of a hybrid's graph under ``graph``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How results were asked for.

    Parameters
    ----------
    strategy
        The strategy and those inside it.
    max_results, min_score, filters
        As in :class:`octavo.RAGContext`.
    version
        The version of octavo that made the results.
    """

    strategy: StageSettings
    max_results: int = 10
    min_score: float = 0.0
    filters: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__

    @staticmethod
    def of(strategy: StageSettings, context: RAGContext) -> "RunSettings":
        """Return the settings of a call with ``context``."""
        return RunSettings(
            strategy=strategy,
            max_results=context.max_results,
            min_score=float(context.min_score),
            filters=dict(context.metadata_filters),
        )

    def to_json(self) -> str:
        """Return the settings as JSON, the same text for the same settings."""
        body = {
            "octavo": self.version,
            "strategy": self.strategy,
            "max_results": self.max_results,
            "min_score": self.min_score,
            "filters": self.filters,
        }
        return json.dumps(body, sort_keys=True)

    @staticmethod
    def from_json(text: str | bytes, origin: str) -> "RunSettings":
        """Read settings back.

        Parameters
        ----------
        text
            What :meth:`to_json` gave.
        origin
            What messages call the place where it was found.

        Raises
        ------
        InvalidArgumentError
            It is something else.
        """
        try:
            body = json.loads(text)
            stage = body["strategy"]
            checked_stage(stage)
            return RunSettings(
                strategy=stage,
                max_results=int(body["max_results"]),
                min_score=float(body["min_score"]),
                filters={str(key): str(value) for key, value in body["filters"].items()},
                version=str(body["octavo"]),
            )
        except (
            *(ValueError, KeyError, TypeError, AttributeError),
            *(OverflowError, RecursionError),
        ) as error:
            raise InvalidArgumentError(
                f"{origin}: expected the settings of a run in the metadata "
                f"{METADATA_KEY.decode()!r}, found something else ({error})"
            ) from error

    def metadata(self) -> dict[bytes, bytes]:
        """Return the settings as metadata of an Arrow schema."""
        return {METADATA_KEY: self.to_json().encode()}

    @staticmethod
    def from_metadata(
        metadata: Mapping[bytes, bytes] | None, origin: str = "table"
    ) -> "RunSettings | None":
        """Return the settings that a schema carries; ``None`` where it has none.

        Raises
        ------
        InvalidArgumentError
            They are damaged.
        """
        text = (metadata or {}).get(METADATA_KEY)
        return None if text is None else RunSettings.from_json(text, origin)


def checked_stage(stage: object) -> None:
    """Refuse what is no description of a strategy, at any depth.

    Raises
    ------
    TypeError, KeyError
        It is none.
    """
    if not isinstance(stage, dict):
        raise TypeError(f"strategy: expected an object, found {type(stage).__name__}")
    for name in ("strategy", "formula"):
        if not isinstance(stage[name], str):
            raise TypeError(f"{name}: expected a text, found {type(stage[name]).__name__}")
    for name in ("child", "graph"):
        if stage.get(name) is not None:
            checked_stage(stage[name])
