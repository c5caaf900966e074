import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from octavo.analysis import generate_tables, tables
from octavo.kernels import tokenize as kernel


def assigned(code_points: range) -> list[int]:
    return [c for c in code_points if unicodedata.category(chr(c)) not in ("Cn", "Cs")]


def fold_of(code_point: int) -> str:
    found = tables.code_point_tables()
    fold = int(found.folds[code_point]) if code_point < len(found.folds) else code_point
    if fold >= 0:
        return chr(fold)
    row = found.expansions[3 * (-1 - fold) :][:3]
    return "".join(chr(value) for value in row if value)


def test_the_shipped_tables_agree_with_the_running_python() -> None:
    # Characters that only one of the two Unicode versions knows are left out.
    classes = tables.code_point_tables().classes
    known = assigned(range(0x110000))
    wrong = [
        hex(code_point)
        for code_point in known
        if classes[code_point] != generate_tables.character_class(code_point)
        or fold_of(code_point) != generate_tables.character_fold(code_point)
    ]
    assert wrong == []


def test_generator_and_kernel_mean_the_same_classes() -> None:
    names = ["SEPARATOR", "LETTER", "UPPER", "DIGIT", "MARK", "BIGRAM", "JOINER", "IGNORED"]
    for name in names:
        assert getattr(generate_tables, name) == getattr(kernel, name)


def test_the_output_of_a_fold_is_bounded_as_the_kernel_assumes() -> None:
    ratios = [
        len(fold_of(c).encode()) / len(chr(c).encode())
        for c in range(len(tables.code_point_tables().folds))
        if not 0xD800 <= c <= 0xDFFF
    ]
    assert 3 * (max(ratios) + 1) <= kernel.OUTPUT_FACTOR


def test_folding_an_ascii_character_stays_ascii() -> None:
    # Analyzer.tokens decodes the output of ASCII text as ASCII.
    assert all(fold_of(code_point).isascii() for code_point in range(128))


def test_the_file_is_made_by_the_generator(tmp_path: Path) -> None:
    version = tables.code_point_tables().unicode_version
    if unicodedata.unidata_version != version:
        pytest.skip(f"this Python has Unicode {unicodedata.unidata_version}, the file {version}")
    made = tmp_path / "unicode.npz"
    subprocess.run([sys.executable, generate_tables.__file__, str(made)], check=True)
    shipped = Path(tables.__file__).with_name("unicode.npz")
    with np.load(made) as ours, np.load(shipped) as theirs:
        assert sorted(ours) == sorted(theirs)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])


@pytest.mark.parametrize("values", [[], [1], list(range(300))])
def test_arrays_are_written_as_numpy_reads_them(tmp_path: Path, values: list[int]) -> None:
    path = tmp_path / "array.npy"
    path.write_bytes(generate_tables.npy("<i4", values))
    assert np.load(path).tolist() == values


def test_tables_are_read_only_and_loaded_by_many_threads() -> None:
    tables.code_point_tables.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: tables.code_point_tables().checksum, range(16)))
    assert len(set(found)) == 1
    with pytest.raises(ValueError, match="read-only"):
        tables.code_point_tables().classes[0] = 1
