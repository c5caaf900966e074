from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, run_batch
from octavo.batch.work_directory import can_resume
from octavo.cluster import RayEngine, ray_session
from octavo.errors import ConfigurationError, CorpusFormatError, ExecutionError

pytest.importorskip("ray")
pytestmark = pytest.mark.ray


@pytest.fixture
def session(cluster):
    with ray_session() as found:
        yield found


def test_a_cluster_gives_the_bytes_of_the_local_job(session, index, queries, tmp_path):
    # S5
    for strategy in ("keyword", "hybrid", "temporal"):
        job = BatchJob(
            index=index, queries=queries, out=tmp_path / "local.parquet", strategy=strategy
        )
        if strategy == "temporal":
            job = replace(job, options={"now": "2026-01-01T00:00:00Z"})
        local = run_batch(job)
        found = run_batch(
            replace(job, out=tmp_path / "ray.parquet"), engine=RayEngine(session, workers=3)
        )
        assert (tmp_path / "ray.parquet").read_bytes() == (tmp_path / "local.parquet").read_bytes()
        assert (found.queries, found.hits, found.report) == (
            local.queries,
            local.hits,
            local.report,
        )


def test_query_vectors_reach_the_workers(session, index, queries, tmp_path):
    from octavo.corpus.corpus import Corpus

    corpus = Corpus.open(index)
    some = queries.slice(0, 300)
    vectors = corpus.strategy("vector")._store.embed(some["text"].to_pylist())
    import pyarrow as pa

    with_vectors = some.append_column(
        "v", pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    )
    job = BatchJob(
        index=index, queries=with_vectors, out=tmp_path / "l.parquet", strategy="vector",
        query_vector="v", query_text="text",
    )  # fmt: skip
    run_batch(job)
    run_batch(replace(job, out=tmp_path / "r.parquet"), engine=RayEngine(session, workers=2))
    assert (tmp_path / "l.parquet").read_bytes() == (tmp_path / "r.parquet").read_bytes()


@pytest.fixture
def deadly(deadly_function, documents, tmp_path):
    """A function and an index whose vectors it made."""
    from octavo.corpus.corpus import Corpus

    function = deadly_function
    Corpus.build(documents, tmp_path / "own", embedding=function, threads=1)
    return function, Corpus.open(tmp_path / "own", embedding=function)


def test_a_killed_worker_is_replaced_and_nothing_is_lost(session, deadly, queries, tmp_path):
    function, corpus = deadly
    job = BatchJob(index=corpus, queries=queries, out=tmp_path / "l.parquet", strategy="vector")
    run_batch(job)
    run_batch(replace(job, out=tmp_path / "r.parquet"), engine=RayEngine(session, workers=2))
    assert function.killed() == 1
    assert (tmp_path / "l.parquet").read_bytes() == (tmp_path / "r.parquet").read_bytes()


@pytest.mark.slow
def test_a_lost_machine_costs_nothing(cluster, session, index, queries, tmp_path):
    node = cluster.add_node(num_cpus=2, object_store_memory=100 << 20)
    cluster.wait_for_nodes()
    lost = []

    def lose(event):
        if event.queries >= 256 and not lost:
            lost.append(node)
            cluster.remove_node(node, allow_graceful=False)

    job = BatchJob(index=index, queries=queries, out=tmp_path / "l.parquet", strategy="hybrid")
    run_batch(job)
    run_batch(replace(job, out=tmp_path / "r.parquet"), lose, engine=RayEngine(session, workers=6))
    assert lost
    assert (tmp_path / "l.parquet").read_bytes() == (tmp_path / "r.parquet").read_bytes()


def test_a_block_that_always_ends_its_worker_is_an_error_and_the_rest_can_be_resumed(
    session, deadly, queries, tmp_path, monkeypatch
):
    monkeypatch.setattr("octavo.cluster.calls.PAUSE_SECONDS", 1.0)
    function, corpus = deadly
    function.times = 1_000
    out = tmp_path / "r.parquet"
    job = BatchJob(index=corpus, queries=queries, out=out, strategy="vector")
    with pytest.raises(ExecutionError, match="lost"):
        run_batch(job, engine=RayEngine(session, workers=1))
    assert not out.exists()


def test_a_job_that_was_stopped_goes_on_on_a_cluster(
    session, index, queries, tmp_path, monkeypatch
):
    from octavo.batch import run

    monkeypatch.setattr(run, "PART_QUERIES", 256)
    source = tmp_path / "queries.parquet"
    pq.write_table(queries, source)
    out = tmp_path / "r.parquet"
    job = BatchJob(index=index, queries=source, out=out, strategy="keyword")

    def stop(event):
        if event.queries >= 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(job, stop, engine=RayEngine(session, workers=2))
    assert not out.exists()
    assert can_resume(out)
    summary = run_batch(replace(job, resume=True), engine=RayEngine(session, workers=2))
    assert summary.resumed > 0
    run_batch(replace(job, out=tmp_path / "l.parquet"))
    assert out.read_bytes() == (tmp_path / "l.parquet").read_bytes()


def test_an_error_of_a_worker_is_raised_as_it_was(session, index, queries, tmp_path, monkeypatch):
    from octavo.cluster.searcher import IndexState
    from octavo.corpus.corpus import Corpus

    moved = replace(IndexState.of(Corpus.open(index)), fingerprint="another")
    monkeypatch.setattr(IndexState, "of", staticmethod(lambda _: moved))
    with pytest.raises(CorpusFormatError, match="changed while the job ran"):
        run_batch(
            BatchJob(index=index, queries=queries, out=tmp_path / "r.parquet"),
            engine=RayEngine(session, workers=1),
        )
    assert [entry.name for entry in tmp_path.iterdir()] == []


def test_a_process_that_is_connected_stays_connected(cluster):
    with ray_session() as session:
        assert session.processors == 4
    with pytest.raises(ConfigurationError, match="connected"), ray_session("elsewhere:1"):
        pass
