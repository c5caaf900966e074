"""What a URL loader may do."""

from dataclasses import dataclass

from octavo.errors import InvalidArgumentError, checked_count, real_number, shown


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """Bounds of fetching.

    Parameters
    ----------
    allow_local_addresses
        Whether addresses that are not of the public internet may be connected to.
    max_bytes
        The largest response, decompressed.
    max_redirects
        How many redirects are followed.
    connect_seconds, read_seconds
        How long a connection, and the next bytes, may take.
    total_seconds
        How long all of it may take, however steadily bytes come.
    """

    allow_local_addresses: bool = False
    max_bytes: int = 16 << 20
    max_redirects: int = 5
    connect_seconds: float = 10.0
    read_seconds: float = 20.0
    total_seconds: float = 60.0

    def __post_init__(self) -> None:
        checked_count("max_bytes", self.max_bytes)
        checked_count("max_redirects", self.max_redirects, 0)
        for name in ("connect_seconds", "read_seconds", "total_seconds"):
            seconds = real_number(getattr(self, name))
            if seconds is None or not 0 < seconds < float("inf"):
                raise InvalidArgumentError(
                    f"{name}: expected a positive number, found {shown(getattr(self, name))}"
                )
