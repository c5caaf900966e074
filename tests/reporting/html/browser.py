"""A headless Chromium, driven through a pipe by its own protocol: no port, no network, no library."""

import json
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Return the program, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab; what it logged and asked the network for is kept in ``events``."""

    def __init__(self, program: str, profile: Path) -> None:
        self._closing = ExitStack()
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def take_pipes() -> None:  # Chromium reads descriptor 3 and writes descriptor 4
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
                "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=take_pipes,  # noqa: PLW1509 - it only copies descriptors
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._read = self._closing.enter_context(os.fdopen(ours_in, "rb", buffering=0))
        self._write = self._closing.enter_context(os.fdopen(ours_out, "wb", buffering=0))
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._closing.close()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and return its result; events that come meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, page: Path, scheme: str = "light") -> None:
        """Load a page as who prefers light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.send("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str, **more: Any) -> None:
        """Press and release a key, as a user does."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        given = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0])), **more}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **given)
        self.send("Input.dispatchKeyEvent", type="keyUp", **given)

    def complaints(self) -> list[dict[str, Any]]:
        """Return what the page wrote to the console, raised, or asked the network for."""
        self.run("0")
        wrong = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        return [
            event
            for event in self.events
            if event.get("method") in wrong
            or (
                event.get("method") == "Network.requestWillBeSent"
                and not event["params"]["request"]["url"].startswith("data:,")
                and event["params"].get("type") != "Document"
            )
        ]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = self._read.read(1 << 16)
            assert piece, "the browser has gone"
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)
