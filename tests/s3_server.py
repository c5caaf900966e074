"""A server on this machine that speaks S3, of the library moto."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyarrow import fs


@contextmanager
def s3_server(scratch: Path) -> Iterator[str]:
    """Start a server with one bucket, ``bucket``, and yield the part of a URI that names it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1"]
    with pytest.MonkeyPatch.context() as environment, (scratch / "log").open("wb") as log:
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        environment.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server = subprocess.Popen([*command, "-p", str(port)], stdout=log, stderr=log)
        try:
            _wait_for(f"http://127.0.0.1:{port}/moto-api/")
            where = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
            system, _ = fs.FileSystem.from_uri(f"s3://bucket?{where}&allow_bucket_creation=true")
            system.create_dir("bucket")
            yield where
        finally:
            server.terminate()
            server.wait(30)


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not start")
