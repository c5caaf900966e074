"""Small distributions, really installed by pip into a directory, and a process that has them."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import octavo

_SOURCES = Path(octavo.__file__).parents[1]


@dataclass(frozen=True)
class Distribution:
    """One module, and one entry point to something in it."""

    name: str
    group: str
    attribute: str
    code: str

    def wheel(self, directory: Path) -> Path:
        """Write the distribution as a wheel."""
        information = f"{self.name}-1.0.dist-info"
        files = {
            f"{self.name}.py": self.code,
            f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {self.name}\nVersion: 1.0\n",
            f"{information}/WHEEL": (
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            ),
            f"{information}/entry_points.txt": (
                f"[{self.group}]\n{self.name} = {self.name}:{self.attribute}\n"
            ),
        }
        record = "".join(f"{path},{_digest(text)},{len(text)}\n" for path, text in files.items())
        files[f"{information}/RECORD"] = record + f"{information}/RECORD,,\n"
        path = directory / f"{self.name}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def install(directory: Path, *distributions: Distribution) -> Path:
    """Install distributions with pip; return the directory that has them."""
    target = directory / "site"
    target.mkdir()
    wheels = [str(each.wheel(directory)) for each in distributions]
    if wheels:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
        options = ["--disable-pip-version-check", "--no-compile", "--target", str(target)]
        subprocess.run([*command, *options, *wheels], check=True, capture_output=True)
    return target


def run(site: Path, program: str) -> str:
    """Run a program in a process that has what is installed in ``site``; return what it prints."""
    path = os.pathsep.join([str(site), str(_SOURCES)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
