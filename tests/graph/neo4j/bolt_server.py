"""A real server that speaks Bolt and Cypher, installed, started, killed and restarted by tests."""

import base64
import contextlib
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import filelock

# Ships its own Java; only its files are used, so that none of its dependencies is needed.
PACKAGE = "arcadedb_embedded"
REQUIREMENT = "arcadedb-embedded==26.10.2.post1"
USER, PASSWORD, DATABASE = "neo4j", "test-password", "neo4j"
ROOT_PASSWORD = "root-password"  # the server's own administrator
_START = 180.0  # seconds; a busy machine is slow
_WATCH = "import os, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), 9)"


class ServerMissingError(Exception):
    """There is no server here, and none can be installed."""


def package_folder() -> Path:
    """Return the folder of the server, installed into a cache where it is not there.

    Raises
    ------
    ServerMissingError
        It cannot be installed.
    """
    found = importlib.util.find_spec(PACKAGE)
    if found is not None and found.submodule_search_locations:
        return Path(found.submodule_search_locations[0])
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = root / "octavo-tests" / REQUIREMENT
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(f"{folder}.lock"):
            if not (folder / PACKAGE / "jars").is_dir():
                _install(folder)
    except OSError as error:
        raise ServerMissingError(f"{REQUIREMENT} cannot be installed: {error}") from error
    return folder / PACKAGE


def _install(folder: Path) -> None:
    """Install into a folder that is there whole or not at all."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    reason = "there is no pip"
    # An environment may be without pip; only files are wanted, so that of any Python will do.
    for python in dict.fromkeys((sys.executable, f"{sys.base_prefix}/bin/python3")):
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--retries", "1"]
        command += ["--timeout", "15", "--target", str(part), REQUIREMENT]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = str(error)
            continue
        if done.returncode == 0:
            part.rename(folder)
            return
        reason = (done.stderr.strip().splitlines() or [reason])[-1]
    shutil.rmtree(part, ignore_errors=True)
    raise ServerMissingError(f"{REQUIREMENT} cannot be installed: {reason}")


def free_port() -> int:
    """Return a port that no connection takes while a server is away: the system gives out others."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as found:
            found.bind(("127.0.0.1", port))
            return port


def _has_unread(port: int) -> bool:
    """Return whether a connection to a port holds bytes that nobody has read."""
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            _, local, _, state, queues, *_ = line.split()
            established = state == "01"
            if established and local.endswith(f":{port:04X}") and not queues.endswith(":00000000"):
                return True
    return False


class BoltServer:
    """One server over one folder, on ports of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._package = package_folder()
        self.port, self._http = free_port(), free_port()
        self._process: subprocess.Popen | None = None
        self._watcher: subprocess.Popen | None = None

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server where it does not run, and wait until it answers.

        Raises
        ------
        RuntimeError
            It does not start.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self._end(signal.SIGKILL)  # what is left of one that crashed
        properties = {
            "server.rootPath": self._folder,
            "server.logsDirectory": self._folder / "log",
            "server.rootPassword": ROOT_PASSWORD,
            "server.mode": "development",
            "server.httpIncomingHost": "127.0.0.1",
            "server.httpIncomingPort": self._http,
            "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt.host": "127.0.0.1",
            "bolt.port": self.port,
            "bolt.defaultDatabase": DATABASE,
            "bolt.maxMessageSize": 268435456,
            "server.defaultDatabases": f"{DATABASE}[{USER}:{PASSWORD}:admin]",
        }
        command = [str(self._package / "jre/bin/java"), "-Xmx1g", "-XX:TieredStopAtLevel=1"]
        command += ["--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"]
        command += [f"-Darcadedb.{name}={value}" for name, value in properties.items()]
        command += ["-cp", f"{self._package}/jars/*", "com.arcadedb.server.ArcadeDBServer"]
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, cwd=self._folder, start_new_session=True
            )
        self._watch(self._process.pid)
        end = time.monotonic() + _START
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > end:
                text = (self._folder / "output.txt").read_text(errors="replace")
                self.kill()
                raise RuntimeError(f"the server did not start: {text[-500:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    @contextlib.contextmanager
    def paused(self):
        """Let the server answer nothing for a while."""
        process = self._process
        process.send_signal(signal.SIGSTOP)
        # Until its last thread stands still, it may answer.
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)  # nothing where it was killed meanwhile

    def wait_for_question(self) -> None:
        """Wait until a server that is paused was sent what it has not read."""
        end = time.monotonic() + 60
        while not _has_unread(self.port):
            if time.monotonic() > end:
                raise RuntimeError("the server was sent nothing")
            time.sleep(0.01)

    def sql(self, command: str) -> None:
        """Run what Cypher has no words for on this server, such as full-text indexes."""
        body = json.dumps({"language": "sql", "command": command}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._http}/api/v1/command/{DATABASE}", data=body, method="POST"
        )
        token = base64.b64encode(f"root:{ROOT_PASSWORD}".encode()).decode()
        request.add_header("Authorization", f"Basic {token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30):
                pass
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")) from None

    def _watch(self, process: int) -> None:
        """End the server with this process, however that ends."""
        self._watcher = subprocess.Popen(
            [sys.executable, "-S", "-c", _WATCH, str(process)],
            stdin=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def _is_ready(self) -> bool:
        address = f"http://127.0.0.1:{self._http}/api/v1/ready"
        try:
            with urllib.request.urlopen(address, timeout=1) as answer:
                return answer.status == 204
        except OSError:
            return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.kill()
            watcher.communicate()
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)
