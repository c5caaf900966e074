"""The processes of a soak, watched once a second: memory, open files, files of the index."""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

LONGEST_START = 300.0
"""Seconds in which all processes must have opened the index and searched once."""


@dataclass
class Watched:
    """What was seen of a process over time."""

    process: subprocess.Popen
    anonymous: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    processor: float = 0.0


def watch(told: argparse.Namespace, index: Path) -> tuple[dict[str, Watched], dict[str, list]]:
    """Run writer and readers to their end; return what was seen, once a second."""
    seen: dict[str, Watched] = {}
    names = ["writer", *(f"reader-{number}" for number in range(told.readers))]
    for name in names:
        seen[name] = Watched(_start(told, name))
    directory: dict[str, list] = {"files": [], "bytes": [], "seconds": []}
    try:
        told.started = _start_together(told, seen)
        while any(each.process.poll() is None for each in seen.values()):
            time.sleep(1.0)
            directory["seconds"].append(time.time() - told.started)
            for each in seen.values():
                _look(each)
            files, size = measure(index)
            directory["files"].append(files)
            directory["bytes"].append(size)
    finally:
        for each in seen.values():
            if each.process.poll() is None:
                each.process.kill()
                each.process.wait()
    return seen, directory


def _start(told: argparse.Namespace, name: str) -> subprocess.Popen:
    role, _, number = name.partition("-")
    command = [sys.executable, sys.argv[0], "--role", role, "--reader", number or "0"]
    for option in ("directory", "seconds", "commits", "documents", "dimensions", "rate", "seed"):
        command += [f"--{option}", str(getattr(told, option))]
    return subprocess.Popen(command)


def _start_together(told: argparse.Namespace, seen: dict[str, Watched]) -> float:
    """Wait until all are ready, then tell them when it starts."""
    deadline = time.time() + LONGEST_START
    while len(list(told.directory.glob("ready-*"))) < len(seen) and time.time() < deadline:
        if any(each.process.poll() is not None for each in seen.values()):
            break
        time.sleep(0.05)
    started = time.time() + 0.5
    partial = told.directory / "start.tmp"
    partial.write_text(str(started))
    partial.replace(told.directory / "start")
    return started


def told_to_start(told: argparse.Namespace) -> float:
    """Say that this process is ready; return the common start, once it has come."""
    (told.directory / f"ready-{told.role}-{told.reader}").touch()
    start = told.directory / "start"
    while not start.exists():
        time.sleep(0.02)
    started = float(start.read_text())
    time.sleep(max(0.0, started - time.time()))
    return started


def _look(watched: Watched) -> None:
    place = Path("/proc") / str(watched.process.pid)
    try:
        lines = dict(
            line.split(":", 1)
            for line in (place / "status").read_text().splitlines()
            if ":" in line
        )
        watched.anonymous.append(int(lines["RssAnon"].split()[0]) / 1024)
        watched.resident.append(int(lines["VmRSS"].split()[0]) / 1024)
        watched.descriptors.append(sum(1 for _ in (place / "fd").iterdir()))
        times = (place / "stat").read_text().rpartition(")")[2].split()
        watched.processor = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, KeyError, ValueError, IndexError):
        return  # it has ended, or the system does not tell


def measure(index: Path) -> tuple[int, int]:
    files = size = 0
    for directory, _, names in os.walk(index):
        for name in names:
            try:
                size += (Path(directory) / name).lstat().st_size
                files += 1
            except FileNotFoundError:
                continue
    return files, size
