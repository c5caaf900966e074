import sys
from types import ModuleType

import pytest

from octavo.batch import BatchJob, run_batch
from octavo.cluster import RayBuilder, RayEngine, parcel, ray_session
from octavo.corpus.corpus import Corpus
from octavo.errors import ConfigurationError
from octavo.shards import ShardedCorpus

pytest.importorskip("ray")
pytestmark = pytest.mark.ray


@pytest.fixture
def session(cluster):
    with ray_session() as found:
        yield found


@pytest.fixture
def function(monkeypatch):
    """An embedding function of a module that only this process has."""
    module = ModuleType("only_here")
    code = "class Embedding:\n    def __call__(self, text):\n        return [1.0, 2.0]\n"
    exec(code, module.__dict__)
    module.Embedding.__module__ = "only_here"
    monkeypatch.setitem(sys.modules, "only_here", module)
    return module.Embedding()


def test_a_worker_that_lacks_a_module_says_so(session, function, documents, queries, tmp_path):
    corpus = Corpus.build(documents, tmp_path / "index", embedding=function)
    job = BatchJob(index=corpus, queries=queries, out=tmp_path / "r.parquet", strategy="vector")
    with pytest.raises(ConfigurationError, match="No module named 'only_here'"):
        run_batch(job, engine=RayEngine(session, 1))
    with pytest.raises(ConfigurationError, match="No module named 'only_here'"):
        ShardedCorpus.build(
            documents, tmp_path / "shards", 2, builder=RayBuilder(session), embedding=function
        )


def test_workers_with_another_octavo_are_refused(
    session, index, documents, queries, tmp_path, monkeypatch
):
    # S5
    shards = ShardedCorpus.build(documents, tmp_path / "shards", 2, embedding="hash")
    monkeypatch.setattr(parcel, "__version__", "0.0.1")
    for searched in (index, shards):
        job = BatchJob(index=searched, queries=queries, out=tmp_path / "r.parquet")
        with pytest.raises(ConfigurationError, match=r"expected octavo 0\.0\.1 on every machine"):
            run_batch(job, engine=RayEngine(session, 1))
