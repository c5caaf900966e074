"""Reading an Arrow file while it is written."""

import numpy as np
import pyarrow as pa

from octavo.columns.document_batch import DocumentBatch
from octavo.columns.documents_file import DocumentLayout, DocumentsWriter
from octavo.columns.written_batches import WrittenBatches


def batch(start, stop):
    return pa.record_batch({"a": np.arange(start, stop), "b": [str(n) for n in range(start, stop)]})


def test_batches_are_there_as_soon_as_they_are_written(tmp_path):
    written = WrittenBatches(tmp_path / "file")
    assert list(written.batches()) == []
    with (
        pa.OSFile(str(tmp_path / "file"), "wb") as file,
        pa.ipc.new_file(file, batch(0, 1).schema) as writer,
    ):
        for number in range(5):
            writer.write_batch(batch(10 * number, 10 * number + 10))
            written.add()
            if number != 1:  # two at once as well
                found = pa.Table.from_batches(written.batches())
                assert found.column("a").to_pylist() == list(range(10 * number + 10))
    assert pa.Table.from_batches(written.batches()).to_pydict() == batch(0, 50).to_pydict()


def test_a_writer_gives_its_rows_back(tmp_path):
    texts = [f"text {number}" for number in range(25)]
    documents = pa.array(texts, pa.large_string())
    with DocumentsWriter(
        tmp_path / "d", tmp_path / "v", DocumentLayout(), rows_per_batch=4
    ) as writer:
        assert writer.stored() == []
        for start in range(0, 25, 3):
            piece = documents.slice(start, 3)
            writer.write(DocumentBatch(ids=piece, content=piece))
            found = [text for each in writer.stored() for text in each.column("id").to_pylist()]
            assert found == texts[: start + 3]
