"""Plain text: whole where it is small, streamed where it is large."""

from collections.abc import Iterator
from typing import Final

from octavo.declarative.ingestion.decoding import decoded, decoded_blocks
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Section, TextBlock

_BLOCK_CHARACTERS: Final = 1 << 22


def read_text(resource: Resource, limits: IngestionLimits) -> Outline | Iterator[TextBlock]:
    """Return a text as one section or, beyond ``file_bytes``, in blocks."""
    if resource.size > limits.file_bytes:
        return _blocks(resource)
    text = decoded(resource.whole(limits.file_bytes), resource.charset)
    return Outline(Section(None, "", text, 1, (0, len(text))), {}, text)


def _blocks(resource: Resource) -> Iterator[TextBlock]:
    line = 1
    with resource.opened() as file:
        for block in decoded_blocks(file, resource.charset, _BLOCK_CHARACTERS):
            yield TextBlock(block, line)
            line += block.count("\n")
