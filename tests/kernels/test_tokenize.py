import hashlib
import os
import subprocess
import sys
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo.analysis.buffers import TextBuffers, text_array
from octavo.analysis.tokenizer import tokenize, tokenize_buffers
from octavo.kernels import tokenize as kernel
from octavo.kernels.compile import jit_disabled
from tests.kernels import tokenizer_oracle

# Pieces on which the rules turn, so that random text meets them often.
PIECES = [
    *"aszASZ019_.- \u00ad\u200b\u200d\u0301\u3099ßİ文字あカ한กำ้",
    "Dž", "ﬁ", "٣", "ↁ", "𐐀", "\U0001d518", "①", "1️⃣", "..", "__", "URLs", "HTTPServer", "getX", "é", "ΐ",
]  # fmt: skip
ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))
TEXTS = st.lists(st.sampled_from(PIECES) | ASSIGNED, max_size=40).map("".join)


def tokens(text: str) -> list[str]:
    return tokenize(pa.array([text], pa.large_string()))[0].as_py().split(" ") if text else []


def assert_same(text: str) -> None:
    joined = tokenize(pa.array([text], pa.large_string()))[0].as_py()
    assert joined == " ".join(tokenizer_oracle.tokens(text))


# S21
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("os.path.joinPath", "os.path.joinpath os path joinpath join path"),
        ("HTTPServer", "httpserver http server"),
        ("URLs and PDFs, IDs", "urls and pdfs ids"),
        ("PDFsReader", "pdfsreader pdfs reader"),
        ("URLsplit", "urlsplit ur lsplit"),
        ("utf8 sha256 H264 Base64Encoder", "utf8 sha256 h264 base64encoder base64 encoder"),
        ("MAX_VALUE", "max_value max value"),
        ("__init__", "init"),
        ("user__name", "user__name user name"),
        ("wait...what a..b", "wait what a b"),
        ("self._client", "self._client self client"),
        ("3.14 U.S.", "3.14 3 14 u.s u s"),
        ("x._.y a._", "x y a"),
        ("Straße ΣΊΣΥΦΟΣ", "strasse σίσυφοσ"),
        ("日本語", "日本 本語"),
        ("第3章 ひ", "第 3 章 ひ"),
        ("한국어", "한국 국어"),
        ("ง่าย", "ง่า าย"),
        ("soft\u00adhyphen zero\u200bwidth a\u200db", "softhyphen zero width ab"),
        ("\uff11\uff12 ٣٤ ①", "12 34 1"),
        ("\u0301 \u0301a _ . ._", "a"),
        ("don't e-mail", "don t e mail"),
        ("", ""),
        (" \t\n!?", ""),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert tokenize(pa.array([text], pa.large_string()))[0].as_py() == expected


@given(TEXTS)
@settings(max_examples=200, deadline=None)
@example("UR\u0301Ls")
@example("A\u0301Bs\u0301c")
@example("a_\u00ad._b")
@example("ΐ" * 300)
@example("x" * 254 + "ß")
@example("文" + "\u3099" * 300 + "字")
def test_equals_the_rules_in_plain_python(text: str) -> None:
    assert_same(text)


def test_assigned_characters_alone_and_within_a_word() -> None:
    characters = [
        chr(code_point)
        for code_point in range(0, 0x110000, 3 if not jit_disabled() else 97)
        if unicodedata.category(chr(code_point)) not in ("Cs", "Cn", "Co")
        and not 0x3400 < code_point < 0x9FFF
        and not 0xAC00 < code_point < 0xD7A3
        and not 0x17000 < code_point < 0x18CFF
        and not 0x20000 < code_point < 0x323AF
    ]
    texts = [f"{character} a{character}b" for character in characters]
    found = tokenize(pa.array(texts, pa.large_string())).to_pylist()
    wrong = [
        text
        for text, joined in zip(texts, found, strict=True)
        if joined != " ".join(tokenizer_oracle.tokens(text))
    ]
    assert wrong == []


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_bytes_that_are_no_utf8_neither_crash_nor_leave(data: bytes) -> None:
    buffers = TextBuffers(np.frombuffer(data, np.uint8), np.array([0, len(data)], np.int64))
    found = tokenize_buffers(buffers)
    joined = found.data.tobytes().decode("utf-8")
    assert joined == " ".join(joined.split())


@pytest.mark.parametrize(
    "unit",
    ["aB", "a.", "a_", "_", "._", "A\u0301", "\u00ad", "文", "ΐ.", "İx_", "A", "a", "\u0301"],
)
def test_hostile_repetition_fits(unit: str) -> None:
    # A quadratic walk over 200,000 characters would hold the suite for minutes.
    count = 200_000 if not jit_disabled() else 2_000
    text = unit * count
    joined = tokenize(pa.array([text], pa.large_string()))[0].as_py()
    assert len(joined.encode()) <= kernel.OUTPUT_FACTOR * len(text.encode())
    assert max(map(len, joined.split(" "))) <= kernel.TOKEN_CHARACTERS


def test_output_grows_beyond_the_first_guess() -> None:
    # Bigrams take more than twice their input, the first guess is one and a half.
    texts = ["文字列検索" * 20] * 500 + ["a"] * 500
    found = tokenize(pa.array(texts, pa.large_string())).to_pylist()
    assert found == [" ".join(tokenizer_oracle.tokens(text)) for text in texts]


def test_rows_are_those_of_the_slice() -> None:
    texts = pa.array(["a b", "cD", "", "é", "x_y"], pa.large_string())
    assert tokenize(texts.slice(1, 3)).to_pylist() == ["cd c d", "", "é"]
    assert tokenize(texts.slice(2, 0)).to_pylist() == []


SAMPLE = [
    "os.path.joinPath HTTPServer URLs", "Straße ΐ İ ٣ ﬁ 1️⃣", "日本語テキスト 한국어 ง่าย", "", "ÉCOLE_x..y",
    "a" * 300 + "B" * 300,
]  # fmt: skip
PROGRAM = f"""
import hashlib, pyarrow as pa
from octavo.analysis.tokenizer import tokenize
texts = tokenize(pa.array({SAMPLE!r}, pa.large_string()))
print(hashlib.sha256("\\n".join(texts.to_pylist()).encode()).hexdigest())
"""


def test_same_bytes_without_compilation_and_with_another_hash_seed() -> None:
    here = "\n".join(" ".join(tokenizer_oracle.tokens(text)) for text in SAMPLE)
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "7"}
    printed = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert printed == hashlib.sha256(here.encode()).hexdigest()
    assert tokenize(text_array_of(SAMPLE)).to_pylist() == here.split("\n")


def text_array_of(texts: list[str]) -> pa.LargeStringArray:
    data = "".join(texts).encode()
    offsets = np.cumsum([0, *(len(text.encode()) for text in texts)]).astype(np.int64)
    return text_array(TextBuffers(np.frombuffer(data, np.uint8), offsets))
