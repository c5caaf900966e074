import io

from octavo.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_rate_and_amount(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as update:
        for done in (0, 500, 1_000):
            update("queries", done, 1_000)
    shown = terminal.getvalue()
    assert "queries" in shown
    assert "1000/1000" in shown
    assert "/s" in shown


def test_a_pipe_sees_nothing(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with progress() as update:
        update("queries", 1, None)
    assert pipe.getvalue() == ""
