"""Write ``unicode.npz``, the code-point tables of the analyser, from ``unicodedata``.

The tables are shipped, so that tokens do not depend on the Python that runs octavo. This file
needs the standard library only; run it by path with the newest Python at hand::

    python3.13 src/octavo/analysis/generate_tables.py src/octavo/analysis/unicode.npz

The output is deterministic: the same Unicode version gives the same bytes.
"""

import struct
import sys
import unicodedata
import zipfile
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path

SEPARATOR, LETTER, UPPER, DIGIT, MARK, BIGRAM, JOINER, IGNORED = range(8)
CODE_POINTS = 0x110000

# Scripts written without spaces between words, by the first words of their characters' names.
_BIGRAM_NAMES = (
    "CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER",
    "IDEOGRAPHIC CLOSING", "VERTICAL IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA", "HENTAIGANA", "HANGUL",
    "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip
# Default_Ignorable_Code_Point beyond category Cf (DerivedCoreProperties.txt).
_IGNORED_RANGES = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF),
)  # fmt: skip
# A zero-width space parts words (Thai, Khmer), although its category is Cf.
_EXCEPTIONS = {ord("_"): JOINER, ord("."): JOINER, 0x200B: SEPARATOR}


def character_class(code_point: int) -> int:
    """Return the class of a code point: one of the constants of this module."""
    if code_point in _EXCEPTIONS:
        return _EXCEPTIONS[code_point]
    category = unicodedata.category(chr(code_point))
    if category in ("Cf", "Me") or any(low <= code_point <= high for low, high in _IGNORED_RANGES):
        return IGNORED
    if category in ("Lu", "Lt"):
        return UPPER
    if category[0] in "LN" and unicodedata.name(chr(code_point), "").startswith(_BIGRAM_NAMES):
        return DIGIT if category in ("Nd", "No") else BIGRAM
    return {"L": LETTER, "N": DIGIT, "M": MARK}.get(category[0], SEPARATOR)


def character_fold(code_point: int) -> str:
    """Return the full case fold of a code point; decimal digits of every script become ASCII."""
    decimal = unicodedata.decimal(chr(code_point), None)
    return chr(code_point).casefold() if decimal is None else str(decimal)


def tables() -> dict[str, tuple[str, Sequence[int]]]:
    """Return every array of the file: NumPy type code and values by name.

    ``class_starts`` and ``class_values`` are the runs of equal class. ``fold_from`` and
    ``fold_to`` list the code points that fold to another one; a negative ``fold_to`` is
    ``-1 - row`` of ``expansions``, three code points a row, padded with zeros.
    """
    starts, values = [], []
    for value, run in groupby(range(CODE_POINTS), key=character_class):
        starts.append(next(iter(run)))
        values.append(value)
    fold_from: list[int] = []
    fold_to: list[int] = []
    expansions: list[int] = []
    for code_point in range(CODE_POINTS):
        fold = character_fold(code_point)
        if fold != chr(code_point):
            fold_from.append(code_point)
            if len(fold) == 1:
                fold_to.append(ord(fold))
            else:
                fold_to.append(-1 - len(expansions) // 3)
                expansions += [ord(character) for character in fold.ljust(3, "\0")]
    version = [int(part) for part in unicodedata.unidata_version.split(".")]
    return {
        "class_starts": ("<i4", starts),
        "class_values": ("|u1", values),
        "fold_from": ("<i4", fold_from),
        "fold_to": ("<i4", fold_to),
        "expansions": ("<i4", expansions),
        "unicode_version": ("<i4", version),
    }


def npy(type_code: str, values: Iterable[int]) -> bytes:
    """Return a one-dimensional array in NumPy's file format, version 1.0."""
    numbers = list(values)
    header = repr({"descr": type_code, "fortran_order": False, "shape": (len(numbers),)})
    padded = header + " " * (-(len(header) + 11) % 64) + "\n"
    form = {"<i4": "i", "|u1": "B"}[type_code]
    body = struct.pack(f"<{len(numbers)}{form}", *numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded.encode("ascii") + body


def write(path: Path) -> None:
    """Write all tables as one ``.npz`` file with fixed time stamps."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, (type_code, values) in tables().items():
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, npy(type_code, values))
    path.write_bytes(content.getvalue())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("unicode.npz"))
