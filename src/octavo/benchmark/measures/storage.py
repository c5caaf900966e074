"""Building an index, opening it, and reading documents from it."""

import numpy as np
import pyarrow as pa
import tantivy

from octavo.benchmark.bench import DEPTH, Bench
from octavo.benchmark.checks import require_equal
from octavo.benchmark.measure import Facts, Measure, Pair, Unit
from octavo.benchmark.peers.tantivy_alone import TantivyAlone
from octavo.benchmark.timing import Timed
from octavo.corpus import Corpus

_COLUMNS = ("id", "text", "source", "tier", "parent", "time")


def _build(bench: Bench) -> Pair:
    def bare() -> None:
        documents = bench.documents_for("build")
        TantivyAlone().build(documents)
        np.save(documents.directory / "vectors.npy", documents.vectors)

    def check() -> Facts:
        index = bench.directory / "built"
        bytes_ = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
        return {"bytes on disk": bytes_}

    documents = bench.collection.documents
    return Pair(Timed(lambda: bench.build("built"), documents), Timed(bare, documents), check)


def _open(bench: Bench) -> Pair:
    corpus, directory = bench.corpus.path, bench.directory / "opened"
    directory.mkdir(exist_ok=True)
    np.save(directory / "vectors.npy", bench.unit)
    engine = str(bench.tantivy.directory)

    def bare() -> None:
        tantivy.Index.open(engine).searcher()
        np.load(directory / "vectors.npy", mmap_mode="r")
        pa.ipc.open_file(pa.memory_map(str(bench.collection.path))).read_all()

    def check() -> Facts:
        require_equal("documents", len(Corpus.open(corpus)), bench.collection.documents)
        return {}

    return Pair(Timed(lambda: Corpus.open(corpus)), Timed(bare), check)


def _materialise(bench: Bench) -> Pair:
    rng = np.random.Generator(np.random.PCG64(11))
    draws = [rng.integers(0, bench.collection.documents, DEPTH) for _ in range(64)]
    snapshot = bench.snapshot
    columns = bench.collection.table.select([*_COLUMNS])

    def ours() -> None:
        for rows in draws:
            snapshot.documents(rows)

    def check() -> Facts:
        for rows in draws[:8]:
            expected = [str(text) for text in columns["text"].take(rows).to_pylist()]
            found = [document.content for document in snapshot.documents(rows)]
            require_equal("texts", found, expected)
        return {}

    few = draws[:4]
    return Pair(
        Timed(ours, len(draws)),
        Timed(lambda: [columns.take(rows).to_pylist() for rows in few], len(few)),
        check,
    )


MEASURES = (
    Measure(
        name="storage.build",
        what="Corpus.build: words, vectors, columns",
        unit=Unit.DOCUMENT,
        baseline="tantivy-py in a loop over analysed texts, and np.save",
        prepare=_build,
        rounds=3,
    ),
    Measure(
        name="storage.open",
        what="Corpus.open",
        unit=Unit.CALL,
        baseline="opening tantivy, numpy and Arrow files",
        prepare=_open,
    ),
    Measure(
        name="storage.materialise",
        what="10 documents read by row",
        unit=Unit.CALL,
        baseline="pyarrow.Table.take of the same columns",
        prepare=_materialise,
    ),
)
