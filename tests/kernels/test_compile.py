"""Kernels compile once, and without a cache where none can be kept."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba import types

from octavo.kernels import compile as compiling

compiled_only = pytest.mark.skipif(compiling.jit_disabled(), reason="nothing is compiled at all")

KERNEL = """
from numba import types
from octavo.kernels.compile import kernel

@kernel(types.int64(types.int64))
def doubled(number):
    return number + number

print(doubled(21))
"""


def run_kernel(directory, **environment):
    (directory / "kernel_module.py").write_text(KERNEL)
    return subprocess.run(
        [sys.executable, "-c", "import kernel_module"],
        capture_output=True, text=True, check=True, cwd=directory,
        env={**os.environ, "NUMBA_CACHE_DIR": str(directory / "cache"), **environment},
    ).stdout  # fmt: skip


@compiled_only
def test_damaged_cache_files_are_passed_over(tmp_path):
    assert run_kernel(tmp_path) == "42\n"
    cached = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert {path.suffix for path in cached} == {".nbi", ".nbc"}
    for content in (b"", b"garbage", cached[0].read_bytes()[:40]):
        for path in cached:
            path.write_bytes(content)
        assert run_kernel(tmp_path) == "42\n"


def test_without_a_place_for_the_cache(tmp_path):
    (tmp_path / "cache").write_text("a file where the directory would be")
    assert run_kernel(tmp_path) == "42\n"


def test_without_the_compiler(tmp_path):
    assert run_kernel(tmp_path, NUMBA_DISABLE_JIT="1") == "42\n"
    assert not (tmp_path / "cache").exists()


@compiled_only
@pytest.mark.parametrize("error", [RuntimeError("no locator"), OSError(28, "No space left")])
def test_an_error_of_the_cache_is_no_error_of_the_kernel(monkeypatch, error):
    real, asked = numba.njit, []

    def njit(given, *, cache, **options):
        asked.append(cache)
        if cache:
            raise error
        return real(given, cache=cache, **options)

    # Not numba's own, which it uses itself for what it imports late.
    monkeypatch.setattr(compiling, "numba", SimpleNamespace(njit=njit))
    triple = compiling.kernel(types.int64(types.int64))(lambda number: 3 * number)
    assert triple(5) == 15
    assert asked == [True, False]


def test_read_only_arrays_are_taken_by_read_only_signatures():
    signature = types.float64(compiling.readonly(types.float64))
    first = compiling.kernel(signature)(lambda values: values[0])
    values = np.array([1.5, 2.5])
    assert first(values) == 1.5
    values.flags.writeable = False
    assert first(values) == 1.5


@compiled_only
def test_nothing_is_compiled_before_it_is_called():
    doubled = compiling.kernel(types.int64(types.int64))(lambda number: 2 * number)
    unused = compiling.kernel(types.int64(types.int64))(lambda number: number + "no code")
    assert doubled._compiled is None
    assert doubled(4) == 8
    assert len(doubled.compiled().signatures) == 1
    assert unused._compiled is None


def test_a_kernel_that_another_calls_is_compiled_for_its_own_signature():
    inner = compiling.kernel(types.int64(types.int64))(lambda number: number // 2)
    outer = compiling.kernel(types.int64(types.float64))(lambda number: inner(np.int64(number)))
    assert outer(7.9) == 3
    if not compiling.jit_disabled():
        assert inner.compiled().signatures == [(types.int64,)]


@compiled_only
def test_threads_compile_a_kernel_once(monkeypatch):
    real, made = compiling._compiled, []

    def slow(function, signature):
        made.append(function)
        time.sleep(0.05)
        return real(function, signature)

    monkeypatch.setattr(compiling, "_compiled", slow)
    negated = compiling.kernel(types.int64(types.int64))(lambda number: -number)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(negated, range(4))) == [0, -1, -2, -3]
    assert len(made) == 1


def test_two_processes_compile_at_once(tmp_path):
    (tmp_path / "kernel_module.py").write_text(KERNEL)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", "import kernel_module"],
            stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert [process.communicate(timeout=60)[0] for process in both] == ["42\n", "42\n"]
    assert run_kernel(tmp_path) == "42\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_cache_directory_that_is_read_only(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    assert run_kernel(tmp_path) == "42\n"
    assert not list((tmp_path / "cache").iterdir())


def test_a_cache_that_may_be_read_and_not_written(tmp_path):
    assert run_kernel(tmp_path) == "42\n"
    places = [place for place in (tmp_path / "cache").rglob("*") if place.is_dir()]
    for place in places:
        place.chmod(0o500)
    try:
        assert run_kernel(tmp_path) == "42\n"
    finally:
        for place in places:
            place.chmod(0o700)
