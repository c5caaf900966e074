import os
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo import Corpus
from octavo.batch import BatchJob, run_batch
from octavo.cluster import RayBuilder, RayEngine, ray_session
from octavo.cluster.session import ATTEMPTS
from octavo.errors import ExecutionError, InvalidArgumentError
from octavo.shards import ShardedCorpus

pytest.importorskip("ray")
pytestmark = pytest.mark.ray
OPTIONS = {"embedding": "hash", "metadata": ["tier"], "timestamp": "at"}


@pytest.fixture
def session(cluster):
    with ray_session() as found:
        yield found


@pytest.fixture
def sharded(session, documents, tmp_path):
    """Three shards, built by two workers."""
    out = tmp_path / "sharded"
    return ShardedCorpus.build(documents, out, 3, builder=RayBuilder(session, 2), **OPTIONS)


def test_shards_built_by_workers_are_those_built_here(session, sharded, documents, tmp_path):
    here = ShardedCorpus.build(documents, tmp_path / "here", 3, **OPTIONS)
    queries = ["red fox", "whale", "stone cloud fire"]
    for one, other in zip(sharded.shards, here.shards, strict=True):
        found, expected = Corpus(one.snapshot()), Corpus(other.snapshot())
        assert found.search_batch(queries) == expected.search_batch(queries)
        assert len(found) == len(expected)
    assert not list((tmp_path / "sharded").rglob("*.arrow.tmp"))
    assert not list((tmp_path / "sharded").rglob(".scratch"))


@pytest.mark.parametrize("strategy", ["keyword", "vector", "hybrid"])
def test_shards_on_a_cluster_give_what_a_single_index_gives(
    session, sharded, index, queries, tmp_path, strategy
):
    # S5, S6, S8
    job = BatchJob(
        index=index,
        queries=queries,
        out=tmp_path / "single.parquet",
        strategy=strategy,
        filters={"tier": "a"},
    )
    run_batch(job)
    run_batch(
        replace(job, index=sharded.path, out=tmp_path / "sharded.parquet"),
        engine=RayEngine(session, 2),
    )
    assert (tmp_path / "sharded.parquet").read_bytes() == (tmp_path / "single.parquet").read_bytes()


def test_a_killed_holder_of_shards_is_replaced(session, sharded, queries, tmp_path, monkeypatch):
    from octavo.cluster import ray_engine

    made = []

    class Remembering(ray_engine.RayShards):
        def __init__(self, session, holders):
            super().__init__(session, holders)
            made.extend(set(holders.values()))

    monkeypatch.setattr(ray_engine, "RayShards", Remembering)
    killed = []

    def kill_one(event):
        if event.queries >= 256 and not killed:
            killed.append(made[0])
            session.ray.kill(made[0], no_restart=False)

    job = BatchJob(index=sharded, queries=queries, out=tmp_path / "r.parquet")
    run_batch(job, kill_one, engine=RayEngine(session, 2))
    run_batch(replace(job, out=tmp_path / "l.parquet"))
    assert killed
    assert (tmp_path / "r.parquet").read_bytes() == (tmp_path / "l.parquet").read_bytes()


def test_a_killed_build_of_a_shard_is_run_again(session, documents, deadly_function, tmp_path):
    here = ShardedCorpus.build(documents, tmp_path / "here", 2, embedding=deadly_function)
    assert deadly_function.killed() == 0
    there = ShardedCorpus.build(
        documents,
        tmp_path / "there",
        2,
        builder=RayBuilder(session, 2),
        embedding=deadly_function,
    )
    assert deadly_function.killed() == 1
    asked = {"queries": ["red fox", "whale"], "strategy": "vector", "max_results": 50}
    assert there.search_batch(**asked) == here.search_batch(**asked)
    assert not list((tmp_path / "there").rglob(".scratch"))


def test_a_build_that_always_ends_its_worker_is_an_error(
    session, documents, deadly_function, tmp_path
):
    deadly_function.times = 1_000
    with pytest.raises(ExecutionError, match="building shards: a worker was lost"):
        ShardedCorpus.build(
            documents,
            tmp_path / "index",
            1,
            builder=RayBuilder(session, 1),
            embedding=deadly_function,
        )
    assert deadly_function.killed() == ATTEMPTS
    assert not list((tmp_path / "index").glob("generation-*"))


def test_a_bad_document_is_refused_before_a_worker_begins(session, tmp_path):
    documents = pa.table({"id": ["a", None], "text": ["x", "y"]})
    with pytest.raises(InvalidArgumentError, match="found null in row 1"):
        ShardedCorpus.build(
            documents, tmp_path / "index", 2, builder=RayBuilder(session), embedding="none"
        )
    assert not list(tmp_path.rglob("*.arrow"))


def test_what_a_build_of_a_shard_raises_is_raised(session, tmp_path):
    documents = pa.table({"id": ["a", "a"], "text": ["x", "y"]})
    with pytest.raises(InvalidArgumentError, match="'a'"):
        ShardedCorpus.build(
            documents, tmp_path / "index", 2, builder=RayBuilder(session), embedding="none"
        )
    assert not (tmp_path / "index" / "shards.json").exists()


class Fails:
    """An embedding function that marks each call of a worker and fails."""

    def __init__(self, marks):
        self.marks, self.owner = marks, os.getpid()

    def __call__(self, text):
        if os.getpid() != self.owner:
            (self.marks / str(os.getpid())).touch()
            raise ValueError("out of order")
        return [1.0]


def test_the_first_build_that_fails_stops_the_rest(session, documents, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    begun = []

    class Counting(RayBuilder):
        def run(self, builds):
            return super().run(begun.append(each) or each for each in builds)

    with pytest.raises(ExecutionError, match="out of order"):
        ShardedCorpus.build(
            documents, tmp_path / "index", 9, builder=Counting(session, 2), embedding=Fails(marks)
        )
    assert list(marks.iterdir())
    assert len(begun) == 2
    assert not list((tmp_path / "index").glob("generation-*"))


class Build:
    """Stands in for the build of a shard: gives its number."""

    def __init__(self, number):
        self.number = number

    def with_threads(self, _):
        return self

    def run(self):
        return self.number


def test_builds_are_told_in_order_as_they_are_done(session):
    begun = []
    builds = (begun.append(number) or Build(number) for number in range(20))
    told = RayBuilder(session, 2).run(builds)
    assert next(told) == 0
    assert len(begun) < 20
    assert list(told) == list(range(1, 20))
    assert list(RayBuilder(session, 2).run([])) == []


def test_the_command_line_builds_and_searches_on_a_cluster(cluster, documents, queries, tmp_path):
    from typer.testing import CliRunner

    from octavo.cli.main import app

    pq.write_table(documents, tmp_path / "docs.parquet")
    pq.write_table(queries.slice(0, 300), tmp_path / "queries.parquet")
    run = CliRunner()
    given = [str(tmp_path / "docs.parquet"), "--embedding", "hash"]
    for options in (["--shards", "2", "--engine", "ray"], []):
        out = tmp_path / f"index{len(options)}"
        done = run.invoke(app, ["index", *given, "--out", str(out), *options])
        assert done.exit_code == 0, done.output
        batch = ["batch", str(out), str(tmp_path / "queries.parquet"), "--out", f"{out}.parquet"]
        done = run.invoke(app, [*batch, *options[2:]])
        assert done.exit_code == 0, done.output
    assert (tmp_path / "index4.parquet").read_bytes() == (tmp_path / "index0.parquet").read_bytes()
    for wrong in (["--engine", "ray"], ["--shards", "2", "--workers", "2"]):
        done = run.invoke(app, ["index", *given, "--out", str(tmp_path / "no"), *wrong])
        assert done.exit_code == 2
