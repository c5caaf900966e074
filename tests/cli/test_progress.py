import io

from octavo.cli.progress import listener, progress


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


def test_the_steps_of_a_commit_are_one_stage():
    from octavo.storage.build.stages import Stage
    from octavo.storage.commit.commit import CommitStep

    told = []
    listen = listener(lambda *event: told.append(event), 30)
    listen(Stage.READING, 30)
    for stage in (Stage.LIVE_ROWS, Stage.MANIFEST, *CommitStep):
        listen(stage, 1_000)
    assert told == [("reading", 30, 30), *[("committing", 1_000, 1_000)] * (2 + len(CommitStep))]
