"""Vectors as a stream into one .npy file."""

import numpy as np
import pytest

from octavo.errors import CorpusCorruptError
from octavo.storage.vector_file import VectorWriter, open_array


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
