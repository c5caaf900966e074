"""The settings of results in a file of their own, for formats that have no place for them."""

import json
from pathlib import Path

from octavo.errors import InvalidArgumentError
from octavo.storage.format.durable import checksum, replace_file
from octavo.strategies.settings import RunSettings

ENDING = ".ledger.json"


def settings_file(results: Path) -> Path:
    """Return where the settings of a file of results are kept: beside it.

    Examples
    --------
    >>> settings_file(Path("out/run.jsonl")).as_posix()
    'out/run.jsonl.ledger.json'
    """
    return results.with_name(results.name + ENDING)


def write_settings_file(results: Path, settings: RunSettings, content: Path) -> None:
    """Write the settings of results, and the checksum of the file that holds these now.

    Parameters
    ----------
    results
        The final name of the results.
    settings
        How they were asked for.
    content
        The file that is to get this name.
    """
    body = {"results": checksum(content), "settings": json.loads(settings.to_json())}
    replace_file(settings_file(results), f"{json.dumps(body, sort_keys=True)}\n".encode())


def read_settings_file(results: Path) -> RunSettings | None:
    """Return the settings of a file of results; ``None`` where there is no such file.

    Raises
    ------
    InvalidArgumentError
        They are damaged, or belong to other results.
    """
    path = settings_file(results)
    try:
        body = json.loads(path.read_bytes())
        found, settings = body["results"], json.dumps(body["settings"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{path}: expected the settings of results, found something else ({error})"
        ) from error
    if found != checksum(results):
        raise InvalidArgumentError(
            f"{path}: expected the settings of {results}, found those of another file or of an "
            "earlier state; pass settings="
        )
    return RunSettings.from_json(settings, str(path))
