"""Vectors as a stream into one .npy file."""

import numpy as np
import pytest

from octavo.columns.array_file import open_array, save_array
from octavo.errors import CorpusCorruptError
from octavo.storage.format.vector_file import VectorWriter


@pytest.mark.parametrize("sizes", [[], [0], [1], [3, 0, 70_000], [5, 5]])
def test_numpy_reads_what_was_streamed(tmp_path, sizes):
    path = tmp_path / "vectors.npy"
    blocks = [np.random.default_rng(n).random((n, 3), np.float32) for n in sizes]
    with VectorWriter(path, 3) as writer:
        for block in blocks:
            writer.write(block)
    expected = np.concatenate([np.zeros((0, 3), np.float32), *blocks])
    np.testing.assert_array_equal(np.load(path), expected)
    np.testing.assert_array_equal(open_array(path, np.float32, expected.shape), expected)


def test_an_error_inside_leaves_the_file_closed(tmp_path):
    with pytest.raises(RuntimeError), VectorWriter(tmp_path / "v.npy", 2) as writer:
        raise RuntimeError
    assert writer._file.closed


@pytest.mark.parametrize(
    "array", [np.zeros((2, 3)), np.zeros((3, 3), np.float32), np.zeros(6, np.float32)]
)
def test_another_dtype_or_shape_is_corrupt(tmp_path, array):
    np.save(tmp_path / "v.npy", array)
    with pytest.raises(CorpusCorruptError, match=r"v\.npy: expected float32"):
        open_array(tmp_path / "v.npy", np.float32, (2, 3))


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"x" * 500])
def test_damage_is_corrupt(tmp_path, content):
    (tmp_path / "v.npy").write_bytes(content)
    with pytest.raises(CorpusCorruptError, match=r"v\.npy"):
        open_array(tmp_path / "v.npy", np.float32, (2, 3))


def test_a_pickle_is_never_loaded(tmp_path):
    np.save(tmp_path / "v.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(CorpusCorruptError):
        open_array(tmp_path / "v.npy", np.float32, (1,))


@pytest.mark.parametrize(
    "array", [np.arange(5), np.zeros((0,), np.uint64), np.ones((2, 3), np.bool_)]
)
def test_numpy_reads_what_was_saved(tmp_path, array):
    save_array(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)
    opened = open_array(tmp_path / "a.npy", array.dtype.type, array.shape)
    np.testing.assert_array_equal(opened, array)


def test_a_damaged_header_of_any_kind_is_corrupt(tmp_path):
    save_array(tmp_path / "a.npy", np.arange(5))
    whole = (tmp_path / "a.npy").read_bytes()
    for position in range(10, 100):
        for byte in b"\x00'\\(\n\xff":
            damaged = bytearray(whole)
            damaged[position] = byte
            (tmp_path / "a.npy").write_bytes(damaged)
            try:
                found = open_array(tmp_path / "a.npy", np.int64, (5,))
            except CorpusCorruptError:
                continue
            assert found.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.bool_])
def test_other_types_are_streamed_too(tmp_path, dtype):
    expected = np.random.default_rng(3).integers(0, 2, (5, 4)).astype(dtype)
    with VectorWriter(tmp_path / "v.npy", 4, dtype) as writer:
        writer.write(expected[:2])
        writer.write(expected[2:])
    np.testing.assert_array_equal(open_array(tmp_path / "v.npy", dtype, (5, 4)), expected)
