"""Kill writers, everywhere, and look at what they leave: a process that forks writers and checkers.

``python -m tests.storage.kill_harness DIRECTORY --kills 30 --seed 1`` prints one JSON line a kill.

A writer is forked from a warmed-up process, runs a script of writes on an index, and says after each
that it is done. It is killed by SIGKILL: when a step of a commit or another stage is told, before
its n-th change of the file system, after a random time, or when it has said that it is done; in half
of the cases the power fails too (:mod:`tests.storage.power_cut`). Then a checker, forked as well, must find exactly the state after
the last write that was done, or after the one that was under way, through every search; the index
must be whole; and the next write must work and leave nothing behind.
"""

import argparse
import json
import os
import random
import select
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from octavo import Corpus, CorpusFormatError
from octavo.storage.commit.commit import CommitStep
from octavo.storage.format.layout import LOCK, LOCK_HOLDER, MANIFEST, MANIFEST_COPY
from octavo.storage.format.manifest import read_manifest
from tests.storage.manifest_editing import named_paths
from tests.storage.power_cut import Recorder, begin_notes, cut_power
from tests.storage.unmerged import unmerged

DIMENSIONS = 64
DEADLINE = 120.0
"""Seconds after which a forked process counts as hanging."""

State = Mapping[str, int] | None
"""The version of each document by its id; ``None`` where there is no index."""
Progress = Callable[[str, int], None]


def text(identity: str, version: int) -> str:
    """A text whose last word no other document or version has."""
    return f"every document {identity} only{identity}v{version}"


def vector(identity: str, version: int) -> list[float]:
    """A unit vector that depends on both."""
    rng = np.random.default_rng([int(identity[1:]), version])
    values = rng.standard_normal(DIMENSIONS)
    return (values / np.linalg.norm(values)).astype(np.float32).tolist()


def table(state: Mapping[str, int]) -> pa.Table:
    """The documents of a state as an input of octavo."""
    return pa.table(
        {
            "id": list(state),
            "text": [text(*item) for item in state.items()],
            "group": [f"g{int(identity[1:]) % 3}" for identity in state],
            "v": pa.array(
                [vector(*item) for item in state.items()], pa.list_(pa.float32(), DIMENSIONS)
            ),
        }
    )


def edges(documents: Mapping[str, int]) -> pa.Table | None:
    """A chain of the documents and one that never is; none for an even number of documents."""
    if len(documents) % 2 == 0:
        return None
    ids = list(documents)
    return pa.table({"head": ids, "relation": ["next"] * len(ids), "tail": [*ids[1:], "d999"]})


@dataclass(frozen=True)
class Write:
    """One write: what to do, and the state that it leaves."""

    name: str
    run: Callable[[Path, Progress], object]
    after: State


def some_documents(chance: random.Random, version: int) -> dict[str, int]:
    """Up to 40 documents of one version."""
    numbers = chance.sample(range(80), chance.randrange(1, 40))
    return {f"d{number:03d}": version for number in numbers}


def build(path: Path, documents: Mapping[str, int], progress: Progress) -> Corpus:
    """Build an index, or replace it."""

    def listen(event: Any) -> None:
        if hasattr(event, "stage"):
            progress(event.stage, event.rows)

    return Corpus.build(
        table(documents),
        path,
        edges=edges(documents),
        embedding="column:v",
        metadata=["group"],
        overwrite=True,
        threads=1,
        progress=listen,
    )


def overwrite(chance: random.Random, _before: State, version: int) -> Write:
    """Replace the index, or build the first."""
    documents = some_documents(chance, version)
    return Write("overwrite", lambda path, told: build(path, documents, told), documents)


def tune(chance: random.Random, before: State, _version: int) -> Write:
    """Change how vectors are searched; the documents stay."""
    target = chance.choice((0.7, 0.8, 0.9, 1.0))

    def run(path: Path, told: Progress) -> None:
        kind = "graph" if target < 1 else "automatic"
        vectors = [vector(f"d{number:03d}", 0) for number in range(30)]
        Corpus.open(path).tune(
            target,
            queries=[""] * len(vectors),
            query_vectors=vectors,
            vector_index=kind,
            threads=1,
            progress=told,
        )

    return Write("tune", run, before)


def change(
    chance: random.Random, before: State, version: int, *, merging: bool | None = None
) -> Write:
    """Add, upsert and delete in one transaction, which merges segments or leaves them apart."""
    old = dict(before or {})
    added = {
        identity: version
        for identity in some_documents(chance, version)
        if identity not in old and chance.random() < 0.5
    }
    upserted = {identity: version for identity in old if chance.random() < 0.3}
    deleted = [identity for identity in old if identity not in upserted and chance.random() < 0.2]
    after = {**old, **added, **upserted}
    for identity in deleted:
        del after[identity]

    merging = chance.random() < 0.5 if merging is None else merging

    def run(path: Path, told: Progress) -> None:
        with (
            nullcontext() if merging else unmerged(),
            Corpus.open(path).writer(threads=1, progress=told) as writer,
        ):
            if added:
                writer.add(table(added))
            if upserted:
                writer.upsert(table(upserted))
            if deleted:
                writer.delete(deleted)

    return Write("change", run, after)


def change_apart(chance: random.Random, before: State, version: int) -> Write:
    """The same, so that a compaction has something to do."""
    return change(chance, before, version, merging=False)


def compact(_chance: random.Random, before: State, _version: int) -> Write:
    """Merge all segments."""
    return Write(
        "compact", lambda path, told: Corpus.open(path).compact(threads=1, progress=told), before
    )


Make = Callable[[random.Random, State, int], Write]
"""Makes a write that follows a state; what is new gets the version given."""

WRITES: dict[str, Make] = {
    "overwrite": overwrite,
    "tune": tune,
    "change": change,
    "compact": compact,
}
"""A repair is killed in ``test_repair.py``: before it, an index is not whole."""


PREPARATIONS: dict[str, Make] = {"change apart": change_apart}


def prepared(name: str) -> list[str]:
    """Return the write, after one that gives it something to do."""
    return ["change apart", name] if name == "compact" else [name]


def script(chance: random.Random, before: State, names: list[str]) -> list[Write]:
    """Writes after each other; the first of an empty place builds."""
    writes: list[Write] = []
    for number, name in enumerate(names):
        state = writes[-1].after if writes else before
        make = overwrite if state is None else {**WRITES, **PREPARATIONS}[name]
        writes.append(make(chance, state, number + 1))
    return writes


@dataclass
class Place:
    """Where a writer is killed: in write number ``write``, at one of four kinds of places."""

    write: int
    step: CommitStep | None = None
    """When this step is told."""
    event: int = 0
    """When the n-th stage is told, from 1."""
    operation: int = 0
    """Before the n-th change of the file system, from 1."""
    seconds: float = 0.0
    """After this time."""
    after: int = 0
    """When it has said that it is done, which is the first to be lost if it was not flushed."""

    def __str__(self) -> str:
        kinds = ("event", "operation", "seconds", "after")
        where = self.step or next(
            f"{kind} {getattr(self, kind)}" for kind in kinds if getattr(self, kind)
        )
        return f"write {self.write}, {where}"


@dataclass
class Writer:
    """What runs in the forked writer: counts, and dies where it should."""

    place: Place
    write: int = 0
    events: int = 0
    operations: int = 0
    stages: list[str] = field(default_factory=list)

    def told(self, stage: str, _rows: int) -> None:
        self.events += 1
        self.stages.append(str(stage))
        if self.write == self.place.write and (
            self.place.step is stage or self.events == self.place.event
        ):
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Count what changes the file system."""
        for name in ("fsync", "replace", "unlink", "mkdir", "rmdir"):
            setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **options: Any) -> Any:
            self.operations += 1
            if self.write == self.place.write and self.operations == self.place.operation:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*args, **options)

        return counted

    def run(self, path: Path, writes: list[Write], done: Callable[[str], None]) -> None:
        """Do the writes, and say after each what it took."""
        for self.write, write in enumerate(writes):
            self.events = self.operations = 0
            started = time.perf_counter()
            write.run(path, self.told)
            seconds = time.perf_counter() - started
            done(
                json.dumps(
                    {"events": self.events, "operations": self.operations, "seconds": seconds}
                )
            )
            if self.write == self.place.write and self.place.after:
                os.kill(os.getpid(), signal.SIGKILL)


def forked(
    work: Callable[[Callable[[str], None]], None], kill_after: float = 0.0
) -> tuple[list[str], int]:
    """Run ``work`` in a forked process; return the lines that it said and how it ended."""
    readable, writable = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(readable)
            work(lambda line: os.write(writable, line.encode() + b"\n") and None)
            os._exit(0)
        except BaseException:  # noqa: BLE001 - reported, then the process ends
            os.write(writable, ("error: " + traceback.format_exc()).encode())
            os._exit(1)
    os.close(writable)
    said, ends = b"", time.monotonic() + (kill_after or DEADLINE)
    killed = False
    while True:
        left = ends - time.monotonic()
        if left <= 0 and not killed:
            os.kill(process, signal.SIGKILL)
            killed = True
        if not select.select([readable], [], [], max(left, 0.0) if not killed else None)[0]:
            continue
        piece = os.read(readable, 1 << 16)
        if not piece:
            break
        said += piece
    os.close(readable)
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    if killed and not kill_after:
        return [*said.decode().splitlines(), "error: it hangs"], code
    return said.decode().split("\n")[:-1] if b"error:" not in said else [said.decode()], code


def check_state(path: Path, state: State) -> str | None:
    """Return how the index differs from ``state``, ``None`` where it does not."""
    try:
        corpus = Corpus.open(path)
    except CorpusFormatError as error:
        return None if state is None else str(error)
    if state is None:
        return "there is an index"
    if len(corpus) != len(state):
        return f"{len(corpus)} documents instead of {len(state)}"
    everything = {"max_results": 200, "min_score": -1.0}
    query = next(iter(state), "d000")
    for strategy, options in (
        ("keyword", {}),
        ("vector", {"query_vector": vector(query, 0)}),
        ("hybrid", {"query_vector": vector(query, 0), "candidate_depth": 200}),
    ):
        found = {
            hit.metadata["entryId"]: hit.content
            for hit in corpus.search("every document", strategy=strategy, **options, **everything)
        }
        if found != {identity: text(identity, version) for identity, version in state.items()}:
            return f"{strategy}: found {sorted(found.items())}"
    if not state:
        return None
    words = corpus.search_batch(
        [text(*item).split()[-1] for item in state.items()],
        strategy="keyword",
        max_results=3,
        threads=1,
    )
    if words["id"].to_pylist() != list(state):
        return f"words find {words['id'].to_pylist()}"
    vectors = np.array([vector(*item) for item in state.items()], np.float32)
    near = corpus.search_batch(
        [""] * len(state), strategy="vector", query_vectors=vectors, max_results=1, threads=1
    )
    if near["id"].to_pylist() != list(state) or min(near["score"].to_pylist()) < 0.9999:
        return f"vectors find {near['id'].to_pylist()}, {near['score'].to_pylist()}"
    return None


def remains(path: Path) -> set[str]:
    """Return what is in the directory and belongs to no present state."""
    named = {LOCK, LOCK_HOLDER, MANIFEST, MANIFEST_COPY}
    named |= {each.relative_to(path).as_posix() for each in named_paths(path)}
    directories = {str(parent) for name in named for parent in Path(name).parents}
    found = {entry.relative_to(path).as_posix() for entry in path.rglob("*")}
    return found - named - directories


def matching(path: Path, states: list[State]) -> tuple[int, list[str | None]]:
    """Return which of the states it is, -1 for none, and how it differs from each."""
    differences = [check_state(path, state) for state in states]
    return (differences.index(None) if None in differences else -1), differences


def check(path: Path, states: list[State], make_next: Make, say: Callable[[str], None]) -> None:
    """Find one of ``states``, whole, and write on."""
    place, differences = matching(path, states)
    if place < 0:
        return say(f"neither state: {differences}")
    state = states[place]
    if state is not None and not (checked := Corpus.open(path).verify()).whole:
        return say(f"not whole: {[str(problem) for problem in checked.problems]}")
    write = (overwrite if state is None else make_next)(random.Random(1), state, 9)
    generation = None if state is None else read_manifest(path).generation
    write.run(path, lambda _stage, _rows: None)
    if read_manifest(path).generation == generation:  # there was nothing to do
        write = overwrite(random.Random(2), state, 10)
        write.run(path, lambda _stage, _rows: None)
    if (difference := check_state(path, write.after)) is not None:
        return say(f"after the next write, {write.name}: {difference}")
    if left := remains(path):
        return say(f"left behind: {sorted(left)}")
    if not (checked := Corpus.open(path).verify()).whole:
        return say(f"then not whole: {[str(problem) for problem in checked.problems]}")
    return say("right")


@dataclass
class Harness:
    """Everything about a run."""

    directory: Path
    seed: int
    costs: dict[str, dict[str, float]] = field(default_factory=dict)
    """What each kind of write takes: events, operations, seconds."""

    def prepare(self) -> None:
        """Warm up, and build the index that most scripts start from."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.base = {f"d{number:03d}": 0 for number in range(40)}
        # Done in this process, so that imports and kernels are warm in all that are forked from it.
        build(self.directory / "base", self.base, lambda *_: None)
        if (difference := check_state(self.directory / "base", self.base)) is not None:
            raise RuntimeError(difference)
        for name in WRITES:
            path = self.directory / f"warm-{name}"
            shutil.copytree(self.directory / "base", path)
            writes = script(random.Random(self.seed), self.base, prepared(name))

            def run(
                say: Callable[[str], None], path: Path = path, writes: list[Write] = writes
            ) -> None:
                writer = Writer(Place(-1))
                writer.install()
                writer.run(path, writes, say)

            said, code = forked(run)
            if code:
                raise RuntimeError(said)
            self.costs[name] = json.loads(said[-1])
            shutil.rmtree(path)

    def kill(
        self, number: int, place: Place | None = None, names: list[str] | None = None
    ) -> dict[str, Any] | None:
        """Kill up to four writers in a row and check; ``None`` where none was killed.

        After each the state is found through every search; the slower checks come after the last.
        """
        chance = random.Random(f"{self.seed} {number}")
        fresh = chance.random() < 0.2 and place is None  # the first write of nothing is a build
        power = chance.random() < 0.5
        home, notes = (self.directory / f"{kind}{number}" for kind in ("index", "notes"))
        home.mkdir()
        path = home / "index"
        if not fresh:
            shutil.copytree(self.directory / "base", path)
        begin_notes(home, notes)
        states: list[State] = [None if fresh else self.base]
        lives = []
        for life in range(chance.randrange(1, 5)):
            before = states
            if life:  # the next begins from what the killed one left
                states = [self.found(path, states)]
            writes = script(
                chance, states[0], names or chance.choices(list(WRITES), k=chance.randrange(1, 4))
            )
            where = place or self.random_place(chance, writes)
            killed, done = self.life(path, writes, where, notes if power else None)
            states = [states[0], *(each.after for each in writes)][done : done + 2]
            if power and not done:  # what was found need not be on the disk until a write is done
                states += before
            if not killed:
                break
            all_names = [each.name for each in writes]
            killed_in = all_names[where.write]
            lives.append({"writes": all_names, "write": killed_in, "place": str(where)})
            place = names = None
        report = {"number": number, "lives": lives, "power": power, "fresh": fresh}
        if lives:
            if power and killed:
                report["lost"] = cut_power(home, notes, chance)
            again = WRITES[chance.choice(list(WRITES))]
            said, code = forked(lambda say: check(path, states, again, say))
            report["result"] = said[-1] if said else f"the checker ended with {code}"
        if report.get("result", "right") == "right":
            shutil.rmtree(home)
            shutil.rmtree(notes)
        return report if lives else None

    def found(self, path: Path, states: list[State]) -> State:
        """Return the state that the index is in."""
        said, _ = forked(lambda say: say(json.dumps(matching(path, states))))
        place, differences = json.loads(said[0])
        if place < 0:
            raise RuntimeError(f"neither state: {differences}")
        return states[place]

    def life(
        self, path: Path, writes: list[Write], place: Place, notes: Path | None
    ) -> tuple[bool, int]:
        """Run a writer; return whether it was killed, and how many writes it had done."""

        def write(say: Callable[[str], None]) -> None:
            writer = Writer(place)
            if notes is not None:
                Recorder(path.parent, notes).install()
            writer.install()
            writer.run(path, writes, say)

        said, code = forked(write, kill_after=place.seconds)
        if (code != 0 and code != -signal.SIGKILL) or (said and "error:" in said[-1]):
            raise RuntimeError(f"the writer failed ({code}), {place}: {said}")
        return code != 0, len(said)

    def random_place(self, chance: random.Random, writes: list[Write]) -> Place:
        """Anywhere in any of the writes."""
        write = chance.randrange(len(writes))
        costs = self.costs[writes[write].name]
        kind = chance.choice(("events", "operations", "operations", "seconds", "after"))
        if kind == "after":
            return Place(write, after=1)
        if kind == "seconds":
            before = sum(self.costs[each.name]["seconds"] for each in writes[:write])
            return Place(write, seconds=before + chance.random() * costs["seconds"] + 0.001)
        nth = chance.randrange(1, int(costs[kind]) + 1)
        return Place(write, event=nth) if kind == "events" else Place(write, operation=nth)

    def named_places(self) -> list[tuple[list[str], Place]]:
        """Every step of the commit in every kind of write; the kinds take turns."""
        return [
            (prepared(name), Place(len(prepared(name)) - 1, step=step))
            for step in CommitStep
            for name in WRITES
        ]


def main() -> None:
    """Kill as often as asked for: first at the named steps, as far as that goes, then anywhere."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--named", type=int, default=10_000, help="how many of them at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    harness = Harness(options.directory, options.seed)
    harness.prepare()
    named = harness.named_places()
    if options.named < len(named):  # each step once, in turn with one kind of write
        named = [named[i * len(WRITES) + i % len(WRITES)] for i in range(len(CommitStep))]
    named = named[: options.named]
    kills = number = 0
    while kills < options.kills:
        names, place = named[number] if number < len(named) else (None, None)
        report = harness.kill(number, place, names)
        number += 1
        if report is not None:
            kills += len(report["lives"])
            print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
