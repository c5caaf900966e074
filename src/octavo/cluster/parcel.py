"""What is sent to a worker, opened where an error of opening it can be told."""

import pickle
import socket
from dataclasses import dataclass
from typing import Any

from octavo.errors import ConfigurationError, told
from octavo.version import __version__


@dataclass(frozen=True, slots=True)
class Parcel:
    """A value on its way to another process, by value.

    What Ray unpacks itself and cannot, it reports as a lost worker.

    Parameters
    ----------
    content
        The value, pickled.
    version
        Of the octavo that sent it.
    """

    content: bytes
    version: str

    @staticmethod
    def of(value: object) -> "Parcel":
        """Pack a value.

        Raises
        ------
        ConfigurationError
            It holds a function or an option that cannot be sent to another process.
        """
        from ray import cloudpickle  # noqa: PLC0415 - of an extra; here it is installed

        try:
            content: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
        except (TypeError, pickle.PicklingError) as error:
            raise ConfigurationError(
                "cluster: expected options and an embedding function that can be sent to another "
                f"process: {told(error)}"
            ) from error
        return Parcel(content, __version__)

    def open(self) -> Any:  # noqa: ANN401 - what was packed
        """Unpack the value.

        Raises
        ------
        ConfigurationError
            This process has another octavo, or lacks a module.
        """
        here = f"a worker on {socket.gethostname()}"
        if self.version != __version__:
            raise ConfigurationError(
                f"cluster: expected octavo {self.version} on every machine, found {__version__} in "
                f"{here}"
            )
        try:
            return pickle.loads(self.content)  # noqa: S301 - of this cluster
        except Exception as error:
            raise ConfigurationError(
                f"cluster: {here} cannot load an option or the embedding function, whose modules "
                f"must be importable on every machine: {told(error)}"
            ) from error
