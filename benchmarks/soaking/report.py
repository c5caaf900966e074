"""What a soak found: wrong answers, growth, speed as ratios."""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from octavo import Corpus
from soaking.documents import COLUMNS, States, documents_of, resting
from soaking.reader import KINDS, SAMPLE
from soaking.watch import Watched, measure

LEAST_SECONDS = 120.0
"""A shorter soak does not tell growth from warming up."""


def growth(values: list[float]) -> tuple[float, float]:
    """Return the level after warming up and at the end: medians of the second and last fifth."""
    fifth = max(1, len(values) // 5)
    return median(values[fifth : 2 * fifth] or [0.0]), median(values[-fifth:] or [0.0])


def slope(seconds: list[float], values: list[float]) -> float:
    """Return the growth a minute after warming up, by least squares."""
    start = len(values) // 5
    if len(values) - start < 3:
        return 0.0
    return float(np.polyfit(np.array(seconds[start : len(values)]) / 60, values[start:], 1)[0])


def judge(told: argparse.Namespace, seen: dict[str, Watched], directory: dict) -> dict[str, Any]:
    """Put together what was found; ``problems`` is empty if all is well."""
    problems = [
        f"{name} ended with status {each.process.returncode}"
        for name, each in seen.items()
        if each.process.returncode
    ]
    writer = _read(told.directory / "writer.json", {"commits": [], "busy": 0.0, "wrong": []})
    readers = [
        _read(path, {})
        for name in seen
        if name != "writer" and (path := told.directory / f"{name}.json").exists()
    ]
    problems += [line for report in readers for line in report["wrong"]]
    written = [one for one in writer["commits"] if one[0] != "rollback"]
    if len(written) < told.commits:
        problems.append(f"expected {told.commits} commits, found {len(written)}")
    if not sum(report["checked"] - report["close_calls"] for report in readers):
        problems.append("no answer was checked")
    elapsed = max(directory["seconds"] or [1.0])
    if elapsed >= LEAST_SECONDS:
        problems += growth_problems(seen, directory)
    problems += _final_problems(told)
    size = _fresh_size(told)
    return {
        "problems": problems,
        "seconds": round(elapsed, 1),
        "commits": len(written),
        "rollbacks": len(writer["commits"]) - len(written),
        "commits a second": round(len(written) / elapsed, 2),
        "commit, ms": _percentiles([b - a for kind, a, b in written if kind != "compaction"]),
        "compaction, ms": _percentiles([b - a for kind, a, b in written if kind == "compaction"]),
        "answers checked": sum(report["checked"] for report in readers),
        "answers too close to call": sum(report["close_calls"] for report in readers),
        "refresh, ms": _percentiles([one for each in readers for one in each["refreshes"]]),
        "search": _latencies(told, writer["commits"]),
        "processors": os.cpu_count(),
        "processors in use": round(sum(each.processor for each in seen.values()) / elapsed, 2),
        "writer busy": round(writer["busy"] / elapsed, 2),
        "memory": {name: _levels(each, directory["seconds"]) for name, each in seen.items()},
        "files": {
            "median": median(directory["files"] or [0]),
            "most": max(directory["files"] or [0]),
            "a minute": round(slope(directory["seconds"], directory["files"]), 2),
        },
        "space amplification": {
            "median": round(median(directory["bytes"] or [0]) / size, 2),
            "most": round(max(directory["bytes"] or [0]) / size, 2),
        },
    }


def growth_problems(seen: dict[str, Watched], directory: dict) -> Iterator[str]:
    """Say what was larger at the end than after warming up, beyond what varies."""
    for name, each in seen.items():
        before, after = growth(each.anonymous)
        if after > before * 1.15 + 8:
            yield f"{name}: anonymous memory grew from {before:.0f} to {after:.0f} MB"
        before, after = growth([float(count) for count in each.descriptors])
        if after > before * 1.5 + 20:
            yield f"{name}: open files grew from {before:.0f} to {after:.0f}"
    before, after = growth([float(count) for count in directory["files"]])
    if after > before * 1.5 + 100:
        yield f"files of the index grew from {before:.0f} to {after:.0f}"


def _levels(watched: Watched, seconds: list[float]) -> dict[str, float]:
    return {
        "anonymous MB": round(growth(watched.anonymous)[1], 1),
        "resident MB": round(max(watched.resident or [0.0]), 1),
        "anonymous MB a minute": round(slope(seconds, watched.anonymous), 2),
        "open files": max(watched.descriptors or [0]),
        "open files a minute": round(slope(seconds, list(watched.descriptors)), 2),
    }


def _final_problems(told: argparse.Namespace) -> Iterator[str]:
    """Check every byte, and every document, of what is left."""
    corpus = Corpus.open(told.directory / "index")
    for problem in corpus.verify().problems:
        yield f"verify: {problem}"
    numbers, versions = States(told.directory).at(corpus.info().generation)
    documents = documents_of(told)
    snapshot = corpus.keyword_index
    rows = snapshot.rows_of([f"d{number}" for number in numbers.tolist()])
    if len(corpus) != len(numbers) or (rows < 0).any() or (np.diff(rows) <= 0).any():
        yield "the final documents are not those expected, in the order expected"
        return
    texts = [documents.text(*one) for one in zip(numbers.tolist(), versions.tolist(), strict=True)]
    if [one.content for one in snapshot.documents(rows)] != texts:
        yield "the final texts are not those expected"


def _fresh_size(told: argparse.Namespace) -> int:
    """Return the bytes of an index of the final documents, built from scratch."""
    generation = Corpus.open(told.directory / "index").info().generation
    numbers, versions = States(told.directory).at(generation)
    table = documents_of(told).table(numbers, versions)
    Corpus.build(table, told.directory / "fresh", overwrite=True, **COLUMNS)
    return measure(told.directory / "fresh")[1]


def _latencies(told: argparse.Namespace, commits: list) -> dict[str, Any]:
    """Compare searches while the writer works with those while it rests, by kind."""
    spans = np.array([(a - told.started, b - told.started) for _, a, b in commits]).reshape(-1, 2)
    samples = [
        sample
        for path in sorted(told.directory.glob("samples-*.bin"))
        for sample in SAMPLE.iter_unpack(path.read_bytes())
    ]
    result = {}
    for number, kind in enumerate(KINDS):
        times = np.array([(at, taken) for at, taken, which in samples if which == number])
        times = times.reshape(-1, 2)
        rests = np.array([resting(at) for at in times[:, 0]], bool)
        place = np.searchsorted(spans[:, 0], times[:, 0]) - 1
        inside = (
            (place >= 0) & (spans[np.maximum(place, 0), 1] > times[:, 0]) if len(spans) else ~rests
        )
        idle = times[rests & ~inside, 1]
        if not len(idle) or rests.all() or not inside.any():
            continue
        base = float(np.median(idle))
        result[kind] = {
            "idle, ms": round(1e3 * base, 3),
            "while writing / idle": round(float(np.median(times[~rests, 1])) / base, 2),
            "inside a commit / idle": round(float(np.median(times[inside, 1])) / base, 2),
            "while writing, p95 / idle p95": round(
                float(np.percentile(times[~rests, 1], 95) / np.percentile(idle, 95)), 2
            ),
            "samples": len(times),
        }
    return result


def _percentiles(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    found = np.percentile(np.array(seconds) * 1e3, [50, 95, 99, 100]).round(2).tolist()
    return dict(zip(("p50", "p95", "p99", "most"), found, strict=True))


def _read(path: Path, otherwise: dict) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else otherwise


def lines(name: str, value: object, indent: str = "") -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{indent}{name:<34}{value}"
        return
    if any(isinstance(each, dict) for each in value.values()):
        yield f"{indent}{name}"
        for inner, each in value.items():
            yield from lines(inner, each, indent + "  ")
        return
    yield f"{indent}{name:<34}" + ", ".join(f"{key} {each}" for key, each in value.items())
