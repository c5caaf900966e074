import pytest

from octavo.cli.failures import message, reported
from octavo.errors import InvalidArgumentError


def failing(error: BaseException):
    def command() -> None:
        raise error

    return reported(command)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InvalidArgumentError("a:\n  b"), "octavo: a: b"),
        (OSError(28, "No space left on device", "/x/y"), "octavo: /x/y: No space left on device"),
        (OSError("odd"), "octavo: odd"),
        (FileNotFoundError(), "octavo: FileNotFoundError"),
    ],
)
def test_errors_become_one_line_and_1(capsys, monkeypatch, error, line):
    monkeypatch.delenv("OCTAVO_TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as end:
        failing(error)()
    assert end.value.code == 1
    assert capsys.readouterr().err == f"{line}\n"


def test_the_traceback_can_be_had(monkeypatch):
    monkeypatch.setenv("OCTAVO_TRACEBACK", "1")
    with pytest.raises(InvalidArgumentError):
        failing(InvalidArgumentError("a"))()


def test_an_interrupt_is_130(capsys):
    with pytest.raises(SystemExit) as end:
        failing(KeyboardInterrupt())()
    assert end.value.code == 130
    assert capsys.readouterr().err == "octavo: interrupted\n"


def test_bugs_keep_their_traceback():
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())()


def test_a_message_is_never_empty():
    assert message(OSError()) == "OSError"
