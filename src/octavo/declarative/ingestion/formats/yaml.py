"""YAML: several documents, or a list, are records; a mapping is a document."""

from collections.abc import Iterator, Mapping
from itertools import chain

from octavo.declarative.ingestion.decoding import decoded
from octavo.declarative.ingestion.formats.value_tree import value_outline
from octavo.declarative.ingestion.formats.yaml_values import yaml_documents
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Record


def read_yaml(resource: Resource, limits: IngestionLimits) -> Outline | Iterator[Record]:
    """Return the records or the sections of a YAML file."""
    text = decoded(resource.whole(limits.file_bytes), resource.charset)
    documents = yaml_documents(text, limits)
    first = next(documents, None)
    if first is None:
        return iter(())
    second = next(documents, None)
    if second is not None:
        stream = chain((first, second), documents)
        return (Record(number, *each) for number, each in enumerate(stream, 1))
    value = first[0]
    if isinstance(value, list):
        return (Record(number, each) for number, each in enumerate(value, 1))
    if isinstance(value, Mapping):
        return value_outline(value, text)
    return iter((Record(1, *first),))
