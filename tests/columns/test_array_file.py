from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from octavo.columns.array_file import open_array, save_array
from octavo.errors import CorpusCorruptError

OPEN_FILES = Path("/proc/self/fd")


@given(array=arrays(np.int64, array_shapes(min_dims=1, max_dims=3, min_side=0)))
def test_arrays_come_back(array, tmp_path_factory):
    path = tmp_path_factory.mktemp("arrays") / "a.npy"
    save_array(path, array)
    assert np.array_equal(np.load(path), array)  # numpy reads them too
    found = open_array(path, np.int64, array.shape)
    assert np.array_equal(found, array)
    assert not found.flags.writeable


def test_arrays_of_numpy_are_read(tmp_path):
    array = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    np.save(tmp_path / "a.npy", array)
    assert np.array_equal(open_array(tmp_path / "a.npy", np.float64, (3, 4)), array)


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="no list of open files")
def test_no_file_stays_open(tmp_path):
    save_array(tmp_path / "a.npy", np.arange(5))
    before = len(list(OPEN_FILES.iterdir()))
    held = [open_array(tmp_path / "a.npy", np.int64, (5,)) for _ in range(20)]
    assert len(list(OPEN_FILES.iterdir())) == before
    (tmp_path / "a.npy").unlink()
    assert all(array.tolist() == [0, 1, 2, 3, 4] for array in held)


def _with_header(**changes: object) -> bytes:
    file = BytesIO()
    header = {"descr": "<i8", "fortran_order": False, "shape": (5,), **changes}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(40)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x02\x00" + bytes(200),
        _with_header()[:-1],  # cut off
        _with_header(shape=(6,)),
        _with_header(shape=(-1,)),
        _with_header(shape=(2**70,)),
        _with_header(descr="|O"),
        _with_header(descr="<f8"),
        _with_header(shape=(5, 1)),
    ],
)
def test_what_is_no_such_array_is_damage(tmp_path, content):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    for shape in ((5,), None):
        with pytest.raises(CorpusCorruptError, match=r"a\.npy: expected"):
            open_array(path, np.int64, shape)


def test_a_missing_file_is_damage(tmp_path):
    with pytest.raises(CorpusCorruptError, match="No such file"):
        open_array(tmp_path / "a.npy", np.int64, (0,))
