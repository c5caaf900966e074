"""A reader of a soak: searches, and compares each answer with what its state must give."""

import argparse
import json
import struct
import time
from typing import Any

import numpy as np

from octavo import Corpus
from soaking.documents import SHADES, States, documents_of

KINDS = ("keyword", "vector", "hybrid")
KEYWORD_DEPTH = 80
DEPTH = 10
CANDIDATES = 100
RRF = 60
CLOSE = 3e-7
"""Vector scores nearer than this may change places: vectors are stored as float32."""
SAMPLE = struct.Struct("<ddB")
"""When, from the start; how long it took; which kind."""


class Reader:
    """Searches, and compares each answer with the state that it holds."""

    def __init__(self, told: argparse.Namespace) -> None:
        self.told = told
        self.documents = documents_of(told)
        self.states = States(told.directory)
        self.rng = np.random.default_rng(told.seed + 1 + told.reader)
        self.corpus = Corpus.open(told.directory / "index")
        self.keys = np.zeros(0, np.int64)
        self.vectors = np.zeros((0, told.dimensions), np.float32)
        self.wrong: list[str] = []
        self.refreshes, self.checked, self.close_calls = [], 0, 0
        self._hold()
        for kind in KINDS:  # nothing is compiled or loaded once the clock runs
            self._search(kind)

    def run(self) -> None:
        told = self.told
        samples = (told.directory / f"samples-{told.reader}.bin").open("wb")
        # One of the readers keeps what it opened for long, the others move on quickly.
        patience = 200 if told.reader == 0 else 10
        number = 0
        with samples:
            while (now := time.time() - told.started) < told.seconds:
                number += 1
                if number % patience == 0:
                    self._refresh()
                kind = number % len(KINDS)
                seconds = self._search(KINDS[kind])
                samples.write(SAMPLE.pack(now, seconds, kind))
                time.sleep(max(0.0, told.started + now + 1 / told.rate - time.time()))
        report = {
            "wrong": self.wrong,
            "checked": self.checked,
            "close_calls": self.close_calls,
            "refreshes": self.refreshes,
        }
        (told.directory / f"reader-{told.reader}.json").write_text(json.dumps(report))

    def _refresh(self) -> None:
        least = max(self.states.acknowledged(), self.generation)
        began = time.perf_counter()
        self.corpus.refresh()
        self.refreshes.append(time.perf_counter() - began)
        if self.corpus.info().generation < least:
            self.wrong.append(f"refresh: expected generation {least} at least, found an older one")
        self._hold()

    def _hold(self) -> None:
        """Read what the index must hold in the state that is open."""
        self.generation = self.corpus.info().generation
        self.numbers, self.versions = self.states.at(self.generation)
        if len(self.corpus) != len(self.numbers):
            self._report("count", len(self.numbers), len(self.corpus))
        keys = (self.numbers << 24) + self.versions
        order = np.argsort(self.keys)
        place = np.searchsorted(self.keys[order], keys)
        place = order[np.minimum(place, len(order) - 1)] if len(order) else place
        known = self.keys[place] == keys if len(order) else np.zeros(len(keys), bool)
        vectors = np.empty((len(keys), self.told.dimensions), np.float32)
        vectors[known] = self.vectors[place[known]]
        vectors[~known] = self.documents.vectors(self.numbers[~known], self.versions[~known])
        self.keys, self.vectors = keys, vectors

    def _search(self, kind: str) -> float:
        number = int(self.rng.choice(self.numbers))
        version = int(self.rng.integers(0, 3))
        shade = str(self.rng.integers(0, SHADES)) if self.rng.random() < 0.3 else None
        vector = self.documents.vectors(np.array([number]), np.array([version]))[0]
        query = self.documents.group_word(number)
        options: dict[str, Any] = {"strategy": kind, "min_score": -1.0}
        options["max_results"] = KEYWORD_DEPTH if kind == "keyword" else DEPTH
        if shade is not None:
            options["filters"] = {"shade": shade}
        if kind != "keyword":
            options["query_vector"] = vector
        began = time.perf_counter()
        hits = self.corpus.search(query, **options)
        seconds = time.perf_counter() - began
        found = [(int(hit.metadata["entryId"][1:]), hit.content) for hit in hits]
        self._check(kind, number, vector, shade, found)
        return seconds

    def _check(
        self, kind: str, number: int, vector: np.ndarray, shade: str | None, found: list
    ) -> None:
        self.checked += 1
        admitted = np.arange(len(self.numbers))
        if shade is not None:
            admitted = admitted[self.versions % SHADES == int(shade)]
        group = number % self.documents.groups
        by_words = admitted[self.numbers[admitted] % self.documents.groups == group]
        if kind == "keyword":
            expected = by_words[:KEYWORD_DEPTH]
        else:
            by_vector, scores = self._nearest(vector, admitted)
            depth = DEPTH if kind == "vector" else CANDIDATES
            if np.any(-np.diff(scores[: depth + 1]) < CLOSE):
                self.close_calls += 1
                return
            expected = by_vector[:DEPTH]
            if kind == "hybrid":
                expected = _fused(by_words[:CANDIDATES], by_vector[:CANDIDATES])[:DEPTH]
        wanted = [
            (int(self.numbers[row]), self.documents.text(self.numbers[row], self.versions[row]))
            for row in expected
        ]
        if wanted != found:
            self._report(f"{kind} for {number} with shade {shade}", wanted, found)

    def _nearest(self, vector: np.ndarray, admitted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest rows and their scores, a few more than are needed."""
        rough = self.vectors[admitted] @ vector
        best = admitted[np.argsort(-rough, kind="stable")[: CANDIDATES + 5]]
        exact = self.vectors[best].astype(np.float64) @ vector.astype(np.float64)
        order = np.lexsort((best, -exact))
        return best[order], exact[order]

    def _report(self, what: str, expected: object, found: object) -> None:
        if len(self.wrong) < 20:
            self.wrong.append(
                f"generation {self.generation}: {what}: expected {expected}, found {found}"
            )


def _fused(by_words: np.ndarray, by_vector: np.ndarray) -> list[int]:
    """Return rows by reciprocal rank fusion; equal scores by row."""
    scores: dict[int, float] = {}
    streams = (by_words.tolist(), by_vector.tolist())
    for rank in range(1, CANDIDATES + 1):
        for stream in streams:
            if rank <= len(stream):
                row = stream[rank - 1]
                scores[row] = scores.get(row, 0.0) + 1.0 / (RRF + rank)
    return sorted(scores, key=lambda row: (-scores[row], row))
