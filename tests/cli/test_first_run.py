import importlib
import logging
import sys

import pytest

from octavo.cli.first_run import NOTICE, tell_of_compiling

LOGGER = logging.getLogger("octavo.kernels.compile")


@pytest.fixture(autouse=True)
def _as_before():
    before = LOGGER.level, LOGGER.propagate, LOGGER.handlers[:]
    yield
    LOGGER.level, LOGGER.propagate, LOGGER.handlers = before


def test_a_terminal_is_told_once(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    tell_of_compiling()
    for name in ("first", "second"):
        LOGGER.info("compiled %s", name)
    assert capsys.readouterr().err.splitlines() == [NOTICE]


def test_a_pipe_is_told_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    tell_of_compiling()
    LOGGER.info("compiled it")
    assert capsys.readouterr().err == ""


def test_a_compiled_kernel_is_reported_and_a_cached_one_is_not(tmp_path, caplog, monkeypatch):
    from numba import types

    from octavo.kernels.compile import jit_disabled, kernel

    if jit_disabled():
        pytest.skip("nothing is compiled")
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    source = tmp_path / "doubled_for_test.py"
    source.write_text("def doubled(value):\n    return value + value\n")
    monkeypatch.syspath_prepend(tmp_path)
    doubled = importlib.import_module("doubled_for_test").doubled
    with caplog.at_level(logging.INFO, logger=LOGGER.name):
        for _ in range(2):
            assert kernel(types.int64(types.int64))(doubled)(4) == 8
    assert [record.getMessage().split(";")[0] for record in caplog.records] == ["compiled doubled"]
