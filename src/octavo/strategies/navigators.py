"""Navigators as an application brings them: objects, or plain functions (S28, S43)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from octavo.errors import (
    ConfigurationError,
    ExecutionError,
    OctavoError,
    ProviderUnavailableError,
    plain_text,
    shown,
    told,
)
from octavo.spi import NodeView, TreeNavigator

Choose: TypeAlias = Callable[[str, NodeView, Sequence[NodeView], str], str | None]


@dataclass(frozen=True, slots=True)
class BoundNavigator:
    """A navigator and the model that it serves.

    Parameters
    ----------
    name
        How messages call the navigator.
    choose
        Its choice.
    model
        The exact name of the model.
    """

    name: str
    choose: Choose
    model: str

    def chosen(self, query: str, node: NodeView, children: Sequence[NodeView]) -> object:
        """Return whatever the navigator answers.

        Raises
        ------
        OctavoError
            As the navigator raised it.
        ExecutionError
            It raised anything else.
        """
        try:
            return self.choose(query, node, children, self.model)
        except OctavoError:
            raise
        except Exception as error:
            raise ExecutionError(f"navigator {self.name}: raised {told(error)}") from error


def bind_navigator(navigator: TreeNavigator | Choose, model: str) -> BoundNavigator:
    """Return the navigator for a model; a plain function serves every model.

    Raises
    ------
    ConfigurationError
        The model is blank or no string, or the navigator is neither a navigator nor callable.
    ProviderUnavailableError
        The navigator does not serve the model.
    ExecutionError
        Its ``supports`` raised.
    """
    if not isinstance(model, str) or not model.strip():
        raise ConfigurationError(f"model: expected a non-blank name, found {shown(model)}")
    if isinstance(navigator, TreeNavigator):
        name = type(navigator).__name__
        if not _supports(navigator, name, model):
            raise ProviderUnavailableError(f"navigator {name}: does not serve the model {model!r}")
        return BoundNavigator(name, navigator.choose, model)
    if not callable(navigator):
        raise ConfigurationError(
            "navigator: expected an object with supports and choose, or a function "
            f"(query, node, children, model), found {type(navigator).__name__}"
        )
    name = plain_text(getattr(navigator, "__name__", None)) or type(navigator).__name__
    return BoundNavigator(name, navigator, model)


def _supports(navigator: TreeNavigator, name: str, model: str) -> bool:
    try:
        return bool(navigator.supports(model))
    except OctavoError:
        raise
    except Exception as error:
        raise ExecutionError(f"navigator {name}: supports raised {told(error)}") from error
