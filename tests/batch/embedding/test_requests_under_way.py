"""Jobs that ask a server: how many requests are under way, and what of that the output shows."""

import threading
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from octavo.batch.embedding import EmbedJob, run_embedding
from octavo.batch.work_directory import can_resume
from octavo.embeddings.openai_embedding import OpenAIEmbedding
from octavo.errors import ExecutionError, NonFiniteVectorError, SourceLoadingError
from tests.embeddings.test_openai_embedding import KEY, embedded
from tests.model_servers.model_server import chat_server, raw

BLOCK = 1_024


def meeting(requests):
    """Answer once so many requests are under way, and never more; else refuse."""
    barrier = threading.Barrier(requests)
    lock, now = threading.Lock(), 0

    def turn(server, handler, body):
        nonlocal now
        if body["input"] == ["octavo"]:  # what asks for the dimensions
            embedded(server, handler, body)
            return
        with lock:
            now += 1
            too_many = now > requests
        try:
            barrier.wait(20)
        except threading.BrokenBarrierError:
            too_many = True
        with lock:
            now -= 1
        if too_many:
            raw(b"{}", 400)(server, handler, body)
        else:
            embedded(server, handler, body)

    return turn


def documents(path, rows):
    pq.write_table(pa.table({"text": ["x" * (row % 90) + f"{row}" for row in range(rows)]}), path)
    return path


def job(server, inputs, out, **options):
    model = OpenAIEmbedding("m", server.url, KEY, max_retries=0, **options)
    return EmbedJob(inputs=inputs, out=out, model=model)


@pytest.mark.parametrize(("batch_size", "concurrency"), [(1_024, 3), (256, 6), (512, 8)])
def test_blocks_are_under_way_together(tmp_path, batch_size, concurrency):
    """Requests are always as many as there may be, at the end of a block too."""
    rows = 2 * concurrency * batch_size
    inputs = documents(tmp_path / "t.parquet", rows)
    with chat_server(embedded) as server:
        run_embedding(job(server, inputs, tmp_path / "one.parquet", concurrency=1))
    with chat_server(meeting(concurrency)) as server:
        options = {"batch_size": batch_size, "concurrency": concurrency}
        run_embedding(job(server, inputs, tmp_path / "many.parquet", **options))
    assert len(server.requests) == 1 + rows // batch_size
    one, many = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("one", "many"))
    assert many.equals(one)


def test_what_was_finished_is_kept_and_the_rest_gives_the_same_bytes(tmp_path):
    inputs, out = documents(tmp_path / "t.parquet", 6 * BLOCK), tmp_path / "v.parquet"
    kept, healed = threading.Event(), threading.Event()

    def failing(server, handler, body):
        bad = any(text.endswith(f"x{2 * BLOCK + 5}") for text in body["input"])
        if bad and not healed.is_set():
            kept.wait(20)
            raw(b"{}", 400)(server, handler, body)
        else:
            embedded(server, handler, body)

    def listen(event):
        if event.rows == 2 * BLOCK:
            kept.set()

    with chat_server(failing) as server:
        with pytest.raises(ExecutionError, match="status 400"):
            run_embedding(job(server, inputs, out, batch_size=512), listen)
        healed.set()
        summary = run_embedding(replace(job(server, inputs, out), resume=True))
        run_embedding(job(server, inputs, tmp_path / "whole.parquet"))
    assert summary.resumed == 2 * BLOCK
    assert out.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_who_stops_a_job_stops_its_requests(tmp_path):
    inputs = documents(tmp_path / "t.parquet", 50 * BLOCK)

    def stop(event):
        if event.rows:
            raise KeyboardInterrupt

    with chat_server(embedded) as server, pytest.raises(KeyboardInterrupt):
        run_embedding(job(server, inputs, tmp_path / "v.parquet", batch_size=1_024), stop)
    assert len(server.requests) <= 2 + 2 * 4
    assert can_resume(tmp_path / "v.parquet")


def test_an_input_that_breaks_off_loses_nothing_that_came_before(tmp_path):
    batch = pa.record_batch({"text": [f"t{row}" for row in range(3 * BLOCK)]})

    def batches():
        yield batch
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    events = []
    with chat_server(embedded) as server, pytest.raises(SourceLoadingError, match="disk is gone"):
        run_embedding(job(server, reader, tmp_path / "v.parquet"), events.append)
    assert events[-1].rows == 3 * BLOCK


def bad(*texts, status=None):
    """Refuse requests with one of the texts; without a status their vectors are no numbers."""

    def turn(server, handler, body):
        if not set(texts) & set(body["input"]):
            embedded(server, handler, body)
        elif status is None:
            values = ["NaN" if text in texts else "1.0" for text in body["input"]]
            data = ", ".join(f'{{"embedding": [{value}, 1.0, 1.0]}}' for value in values)
            raw(f'{{"data": [{data}]}}'.encode())(server, handler, body)
        else:
            raw(b'{"error": {"message": "too long"}}', status)(server, handler, body)

    return turn


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, r"too long \(row 1280 of \S+t\.parquet to row 1407 of \S+t\.parquet\)$"),
        (500, r"too long \(row 1280 of \S+t\.parquet to row 1407 of \S+t\.parquet\)$"),
        (None, r"found NaN or infinity \(row 1300 of \S+t\.parquet\)$"),
        (404, "too long$"),
    ],
)
def test_errors_name_the_rows(tmp_path, status, told):
    inputs = documents(tmp_path / "t.parquet", 3 * BLOCK)
    text = pq.read_table(inputs)["text"][1_300].as_py()
    with (
        chat_server(bad(text, status=status)) as server,
        pytest.raises((ExecutionError, NonFiniteVectorError), match=told),
    ):
        run_embedding(job(server, inputs, tmp_path / "v.parquet"))
