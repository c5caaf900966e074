"""A sharded index on disk: one file that names a generation of shards, each an index of its own.

``shards.json`` is replaced in one step, so a build that is stopped leaves what was there. Beside
each shard lies ``NAME.positions.npy``: int64, for each of its rows the position of the document
among all documents of the build, rising. By these, results tie as those of a single index do.
"""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from octavo.errors import CorpusCorruptError, CorpusFormatError
from octavo.storage.format.durable import replace_file
from octavo.storage.format.layout import SHARDS

VERSION = 1
SCRATCH = ".scratch"

_GENERATION = re.compile("generation-[0-9]{8,}")


@dataclass(frozen=True, slots=True)
class ShardsDescription:
    """What ``shards.json`` says.

    Parameters
    ----------
    version
        Of this format.
    generation
        Counts the builds; names the directory of the shards.
    documents
        The number in each shard.
    contents
        Of each shard, by :func:`octavo.shards.contents.contents_digest`.
    """

    version: int
    generation: int
    documents: tuple[int, ...]
    contents: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of documents in all shards."""
        return sum(self.documents)

    def write(self, index: Path) -> None:
        """Make these shards the state of an index."""
        content = json.dumps(asdict(self), indent=1) + "\n"
        replace_file(index / SHARDS, content.encode())


def is_sharded(index: Path) -> bool:
    """Whether a directory holds a sharded index."""
    return (index / SHARDS).is_file()


def generation_directory(index: Path, generation: int) -> Path:
    """Return the directory of the shards of one build."""
    return index / f"generation-{generation:08d}"


def generations(index: Path) -> list[Path]:
    """Return the directories that builds made, of the present shards and of others."""
    return [
        entry
        for entry in index.iterdir()
        if _GENERATION.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
    ]


def next_generation(index: Path) -> int:
    """Return a number that no build on disk has; only who holds the lock may ask."""
    names = [entry.name for entry in index.iterdir() if _GENERATION.fullmatch(entry.name)]
    return max((int(name.partition("-")[2]) for name in names), default=0) + 1


def shard_directory(generation: Path, number: int) -> Path:
    """Return the directory of a shard: an ordinary index."""
    return generation / f"{number:05d}"


def positions_file(generation: Path, number: int) -> Path:
    """Return the file with the positions of a shard's rows among all documents."""
    return generation / f"{number:05d}.positions.npy"


def read_description(index: Path) -> ShardsDescription:
    """Read ``shards.json``.

    Raises
    ------
    CorpusFormatError
        It is missing, or of a newer format.
    CorpusCorruptError
        It is damaged.
    """
    path = index / SHARDS
    if not is_sharded(index):
        raise CorpusFormatError(f"{index}: expected a sharded index, found no {SHARDS}")
    try:
        body = json.loads(path.read_bytes())
        version = _count(body["version"])
        if version > VERSION:
            raise CorpusFormatError(
                f"{path}: written by format {version}, this octavo reads up to {VERSION}; "
                "install a newer octavo"
            )
        documents = tuple(_count(each) for each in body["documents"])
        contents = tuple(str(each) for each in body["contents"])
        if not documents or len(documents) != len(contents):
            raise ValueError("expected a count and a digest of each shard")  # noqa: TRY301
        return ShardsDescription(version, _count(body["generation"]), documents, contents)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorpusCorruptError(f"{path}: expected a description of shards: {error}") from error


def unchanging(index: Path) -> CorpusFormatError:
    """Return the error of a change of documents: shards are built together."""
    found = read_description(index)
    folder, shards = generation_directory(index, found.generation), len(found.documents)
    return CorpusFormatError(
        f"{index}: expected a single octavo index, found a sharded one: its {shards} shards, in "
        f"{folder}, are built together, and none can be changed by itself; build it again from all "
        f"its documents: octavo index DOCUMENTS --out {index} --shards {shards} --overwrite"
    )


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"expected a count, found {value!r}")
    return value
