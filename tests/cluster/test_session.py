import socket
import subprocess
import sys
import threading

import pyarrow.parquet as pq
import pytest

from octavo.batch import BatchJob, run_batch
from octavo.cluster import RayBuilder, RayEngine, ray_session
from octavo.corpus.corpus import Corpus
from octavo.errors import ConfigurationError, InvalidArgumentError
from octavo.shards import ShardedCorpus


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'octavo\[ray\]'"), ray_session():
        pass


@pytest.mark.ray
def test_an_address_where_nothing_answers_is_said_so(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray would try for many minutes"))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        with (
            pytest.raises(ConfigurationError, match=f"ray address '{address}': .*nothing answers"),
            ray_session(address),
        ):
            pass
    with pytest.raises(ConfigurationError, match="99999"), ray_session("127.0.0.1:99999"):
        pass


@pytest.mark.ray
def test_what_ray_says_of_an_address_is_passed_on(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)

    def refuse(**_):
        raise ConnectionError("no such cluster")

    monkeypatch.setattr(ray, "init", refuse)
    with (
        pytest.raises(ConfigurationError, match=r"ray address 'auto': .*no such cluster"),
        ray_session("auto"),
    ):
        pass


@pytest.mark.ray
def test_a_cluster_that_does_not_start_is_said_so(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)

    def refuse(**_):
        raise Exception("The current node timed out during startup.")  # noqa: TRY002 - as Ray does

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(ConfigurationError, match="of this machine: .*timed out"), ray_session():
        pass


@pytest.mark.parametrize("processors", [0, -1, True, 1.5, "2"])
def test_a_cluster_has_at_least_one_processor(processors):
    # S29
    with (
        pytest.raises(InvalidArgumentError, match="processors: expected an integer of at least 1"),
        ray_session(processors=processors),
    ):
        pass


@pytest.mark.ray
def test_a_function_that_cannot_be_sent_is_refused(cluster, documents, queries, tmp_path):
    pytest.importorskip("ray")
    lock = threading.Lock()

    def embed(text):
        with lock:
            return [float(len(text)), 1.0]

    corpus = Corpus.build(documents, tmp_path / "index", embedding=embed)
    with ray_session() as session, pytest.raises(ConfigurationError, match="can be sent"):
        run_batch(
            BatchJob(index=corpus, queries=queries, out=tmp_path / "r.parquet", strategy="vector"),
            engine=RayEngine(session, 1),
        )
    with ray_session() as session, pytest.raises(ConfigurationError, match="can be sent"):
        ShardedCorpus.build(
            documents, tmp_path / "shards", 2, builder=RayBuilder(session), embedding=embed
        )
    with ray_session() as session, pytest.raises(InvalidArgumentError, match="workers"):
        RayEngine(session, 0)


@pytest.mark.ray
@pytest.mark.slow
def test_calls_that_nobody_waits_for_leave_no_word(documents, queries, tmp_path):
    pytest.importorskip("ray")
    pq.write_table(documents.drop(["vector"]), tmp_path / "documents.parquet")
    pq.write_table(queries, tmp_path / "queries.parquet")
    script = tmp_path / "script.py"
    script.write_text(ABANDONING)
    command = [sys.executable, script, tmp_path]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    said = [line for line in done.stderr.splitlines() if "authentication_token" not in line]
    assert said == ["embedding Fails: raised ValueError: broken"]
    assert done.stdout == ""


ABANDONING = """
import os, sys, time
from pathlib import Path
from octavo import Corpus, ExecutionError
from octavo.batch import BatchJob, run_batch
from octavo.cluster import RayEngine, ray_session

class Fails:
    owner = os.getpid()
    def __call__(self, text):
        if os.getpid() != self.owner:
            raise ValueError("broken")
        return [1.0, 2.0]

place = Path(sys.argv[1])
index = Corpus.build(place / "documents.parquet", place / "index", embedding=Fails())
queries, out = place / "queries.parquet", place / "r.parquet"
with ray_session(processors=2) as session:
    try:
        run_batch(
            BatchJob(index=index, queries=queries, out=out, strategy="vector"),
            engine=RayEngine(session, 2),
        )
    except ExecutionError as error:
        print(error, file=sys.stderr)
    time.sleep(6)  # Ray waits some seconds for somebody to look
"""
