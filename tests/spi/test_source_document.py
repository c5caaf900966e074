"""A document as a loader gives it is a value."""

import copy
import pickle

import pytest

from octavo import SourceDocument


def test_metadata_are_copied():
    metadata = {"author": "Ada"}
    document = SourceDocument("a", "text", metadata)
    metadata["author"] = "Bob"
    assert document.metadata == {"author": "Ada"}
    with pytest.raises(TypeError):
        document.metadata["author"] = "Bob"
    assert SourceDocument("a", "text").metadata == {}


def test_it_goes_to_another_process():
    document = SourceDocument("a", "text", {"author": "Ada"})
    assert pickle.loads(pickle.dumps(document)) == copy.deepcopy(document) == document
    assert hash(document) == hash(copy.copy(document))
