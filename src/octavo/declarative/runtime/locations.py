"""Where a request may read its DIRECT sources: nowhere but inside what was declared (S71)."""

import os
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from octavo.declarative.declarations.enums import KnowledgeType, KnowledgeUse
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.ingestion.globs import PathFilter
from octavo.declarative.ingestion.walk import absolute_path
from octavo.errors import ConfigurationError, InvalidArgumentError, shown


def check_locations(paths: Mapping[str, str], sources: Iterable[Knowledge]) -> None:
    """Refuse a location that reads anything that its source does not declare.

    A file must lie below the declared directory, links resolved, and be one that ``include`` and
    ``exclude`` admit; a directory can be named where its source has neither. A URL must begin with the
    declared one; one that is declared with a query has no others inside. Names of other sources are an
    engine's business and not looked at.

    Parameters
    ----------
    paths
        Locations by the names of sources.
    sources
        What grounds the action or the chat.

    Raises
    ------
    InvalidArgumentError
        Naming the source and the location.
    """
    for source in sources:
        if source.name not in paths or source.use is not KnowledgeUse.DIRECT:
            continue
        location = paths[source.name]
        match source.type:
            case KnowledgeType.FILE:
                inside = _is_file_inside(source, location)
            case KnowledgeType.URL:
                inside = _is_url_inside(source.path, location)
            case _:
                raise InvalidArgumentError(
                    f"source_paths: {source.name!r} is a {source.type} source, which has no location"
                )
        if not inside:
            raise InvalidArgumentError(
                f"source_paths: {source.name!r}: expected a location inside the declared "
                f"{shown(source.path)} that it admits, found {shown(location)}"
            )


def _is_file_inside(source: Knowledge, location: str) -> bool:
    if not source.path:
        return False
    try:
        root, place = (os.path.realpath(absolute_path(each)) for each in (source.path, location))
    except (ConfigurationError, OSError, ValueError):  # a NUL, a loop of links
        return False
    if place == root:
        return True
    if not place.startswith(root.rstrip(os.sep) + os.sep):
        return False
    below = os.path.relpath(place, root).replace(os.sep, "/")
    admitted = PathFilter.of(source.include, source.exclude)
    if os.path.isdir(place) and (source.include or source.exclude):  # noqa: PTH112
        return False  # patterns speak of paths below the declared directory, not below this one
    return admitted.admits(below)


def _is_url_inside(declared: str, location: str) -> bool:
    try:
        root, place = urlsplit(declared), urlsplit(location)
        same = (root.scheme, root.netloc) == (place.scheme, place.netloc)
    except ValueError:
        return False
    if declared == location:
        return True
    path = unquote(place.path)
    names = {name.partition(";")[0] for name in path.split("/")}  # servers drop such parameters
    if not same or not root.netloc or root.query or "\\" in path or ".." in names:
        return False
    return place.path.startswith(root.path.rstrip("/") + "/")
