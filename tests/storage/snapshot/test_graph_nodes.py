"""A segment without its nodes of the graph is damage, told with the file."""

import pyarrow as pa
import pytest

from octavo import Corpus, CorpusCorruptError
from tests.corpus import hand_made


def test_a_segment_that_lacks_its_nodes_is_named(tmp_path):
    path = tmp_path / "index"
    documents = pa.table({"id": ["a", "b"], "text": ["red fox", "blue whale"]})
    edges = pa.table({"head": ["a"], "tail": ["b"]})
    Corpus.build(documents, path, edges=edges, embedding="none")
    hand_made.append(path, pa.table({"id": ["c"], "text": ["owl"]}), embedding="none")
    with pytest.raises(CorpusCorruptError, match="the manifest needs this file"):
        Corpus.open(path).search("fox", strategy="graph", seeds="keyword")
