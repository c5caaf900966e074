"""Kernels compile once, and without a cache where none can be kept."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import types

from octavo.kernels import compile as compiling

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


@pytest.mark.parametrize("error", [RuntimeError("no locator"), OSError(28, "No space left")])
def test_an_error_of_the_cache_is_no_error_of_the_kernel(monkeypatch, error):
    real, asked = numba.njit, []

    def njit(signature, *, cache, **options):
        asked.append(cache)
        if cache:
            raise error
        return real(signature, cache=cache, **options)

    monkeypatch.setattr(compiling.numba, "njit", njit)
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
