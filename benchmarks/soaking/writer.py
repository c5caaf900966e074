"""The writer of a soak: commits at a steady pace, each published before it is made."""

import argparse
import json
import time

import numpy as np

from octavo import Corpus
from soaking.documents import IDLE_SHARE, States, documents_of, resting

COMPACT_EVERY, ROLL_BACK_EVERY = 100, 15
PATIENCE = 120.0
"""Seconds more than half as long again, which a busy machine may take."""


class ChangedMindError(Exception):
    """Ends a transaction that is rolled back."""


class Writer:
    """Makes changes, and knows what must come of them."""

    def __init__(self, told: argparse.Namespace) -> None:
        self.told = told
        self.documents = documents_of(told)
        self.states = States(told.directory)
        self.corpus = Corpus.open(told.directory / "index")
        self.numbers, self.versions = self.states.at(self.generation)
        self.next = int(self.numbers.max()) + 1
        self.rng = np.random.default_rng(told.seed)

    @property
    def generation(self) -> int:
        return self.corpus.info().generation

    def run(self) -> None:
        told, spent, times = self.told, [], []
        interval = told.seconds * (1 - IDLE_SHARE) / told.commits
        due = 0.0
        for number in range(1, told.commits + 1):
            while resting(now := time.time() - told.started) or now < due:
                time.sleep(0.005)
            due = max(due + interval, now - interval)
            began = time.time()
            if number % ROLL_BACK_EVERY == 0:
                self._roll_back()
                times.append(("rollback", began, time.time()))
            middle = time.time()
            kind = self.commit(number)
            times.append((kind, middle, time.time()))
            spent.append(time.time() - began)
            if time.time() - told.started > told.seconds * 1.5 + PATIENCE:
                break  # far too slow to end in time: the report says how many there were
        (told.directory / "writer.json").write_text(
            json.dumps({"commits": times, "busy": sum(spent), "wrong": []})
        )

    def commit(self, number: int) -> str:
        """Do one thing; return what it was."""
        if number % COMPACT_EVERY == 0:
            self._publish(self.numbers, self.versions)
            self.corpus = self.corpus.compact(threads=1)
            self._done()
            return "compaction"
        numbers, versions = self.numbers, self.versions
        size = int(self.rng.integers(1, 21))
        kind = self.rng.choice(["add", "upsert", "delete", "mixed"], p=[0.2, 0.45, 0.2, 0.15])
        if len(numbers) < self.told.documents * 0.95:
            kind = "add"
        deleted = self.rng.choice(numbers, size, replace=False)
        changed = self.rng.choice(np.setdiff1d(numbers, deleted), size, replace=False)
        if kind in ("delete", "mixed"):
            numbers, versions = _without(numbers, versions, deleted)
        if kind in ("upsert", "mixed"):
            written = np.stack([changed, _versions_of(numbers, versions, changed) + 1])
            # One document comes unchanged: it keeps its row.
            same = np.setdiff1d(numbers, changed)[:1]
            unchanged = np.stack([same, _versions_of(numbers, versions, same)])
            numbers, versions = _without(numbers, versions, changed)
            numbers = np.concatenate([numbers, written[0]])
            versions = np.concatenate([versions, written[1]])
            table = self.documents.table(*np.concatenate([written, unchanged], axis=1))
        if kind in ("add", "mixed"):
            new = np.arange(self.next, self.next + size)
            self.next += size
            numbers = np.concatenate([numbers, new])
            versions = np.concatenate([versions, np.zeros(size, np.int64)])
        self._publish(numbers, versions)
        with self.corpus.writer(threads=1) as writer:
            if kind in ("delete", "mixed"):
                found = writer.delete([f"d{one}" for one in deleted.tolist()] + ["nobody"])
                _expect("deleted", size, found)
            if kind in ("upsert", "mixed"):
                _expect("written", size, writer.upsert(table))
            if kind in ("add", "mixed"):
                found = writer.add(self.documents.table(new, np.zeros(size, np.int64)))
                _expect("added", size, found)
        self.numbers, self.versions = numbers, versions
        self._done()
        return str(kind)

    def _publish(self, numbers: np.ndarray, versions: np.ndarray) -> None:
        self.states.publish(self.generation + 1, numbers, versions)

    def _done(self) -> None:
        _expect("documents", len(self.numbers), len(self.corpus))
        self.states.acknowledge(self.generation)

    def _roll_back(self) -> None:
        before = self.generation
        try:
            with self.corpus.writer(threads=1) as writer:
                writer.delete([f"d{one}" for one in self.numbers[:50].tolist()])
                new = np.arange(self.next, self.next + 3)
                writer.add(self.documents.table(new, np.zeros(3, np.int64)))
                raise ChangedMindError  # noqa: TRY301
        except ChangedMindError:
            _expect("generation after a rollback", before, self.generation)


def _without(
    numbers: np.ndarray, versions: np.ndarray, gone: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isin(numbers, gone)
    return numbers[kept], versions[kept]


def _versions_of(numbers: np.ndarray, versions: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    order = np.argsort(numbers)
    return versions[order[np.searchsorted(numbers[order], wanted)]]


def _expect(what: str, expected: int, found: int) -> None:
    if found != expected:
        raise SystemExit(f"writer: {what}: expected {expected}, found {found}")
