"""Open, search and verify indexes that somebody has tampered with, in processes that may crash.

``python -m tests.storage.hostile_harness DIRECTORY --attacks 200 --seed 1`` prints one JSON line an
attack: what was done, and how it ended: ``refused`` by a typed error, ``works``, or anything else.
"""

import argparse
import json
import os
import pickle
import random
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from octavo import Corpus, OctavoError
from octavo.storage.format.layout import MANIFEST, SEGMENTS
from octavo.storage.format.manifest import read_manifest
from tests.storage.kill_harness import build, change, forked, tune, vector
from tests.storage.manifest_editing import named_parts, named_paths, rewrite_manifest
from tests.storage.unmerged import unmerged

BATCH = 20
"""Attacks a forked process tries; one that crashes is found by the number it said last."""


class Payload:
    """Leaves a file when it is unpickled."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.canary),)


def prepare(path: Path) -> None:
    """Build an index of several segments, with dead rows, edges, vectors and block-max postings."""
    state = {f"d{number:03d}": 0 for number in range(61)}
    build(path, state, lambda *_: None)
    with unmerged():
        for version in (1, 2):
            write = change(random.Random(version), state, version)
            write.run(path, lambda *_: None)
            state = dict(write.after or {})
    for seed in range(20):
        write = tune(random.Random(seed), state, 3)
        if seed == 0 or not list(path.rglob("*.faiss")):
            write.run(path, lambda *_: None)


def use(path: Path) -> str:
    """Open and search in every way; say how it ended."""
    try:
        corpus = Corpus.open(path)
        for strategy in ("keyword", "vector", "hybrid"):
            options = {} if strategy == "keyword" else {"query_vector": vector("d001", 0)}
            for filters in ({}, {"group": "g1"}):
                for hit in corpus.search(
                    "every document", strategy=strategy, filters=filters, max_results=50, **options
                ):
                    len(hit.content)
        words = [f"document onlyd{number:03d}v0" for number in range(0, 60, 7)]
        corpus.search_batch(words, strategy="keyword", threads=1)
        walk(corpus)
        corpus.info()
        corpus.verify()
    except (OctavoError, OSError) as error:
        return f"refused: {type(error).__name__}"
    except MemoryError:
        return "refused: MemoryError"
    return "works"


def walk(corpus: Corpus) -> None:
    """Walk over the graph, if there is one, and read edges."""
    if corpus.keyword_index.graph_columns is not None:
        for hit in corpus.search("every document onlyd001v0", strategy="graph", max_results=50):
            len(hit.content)
            corpus.graph.edges(hit.metadata["graph.nodeId"])


def damage(path: Path, chance: random.Random, canary: Path) -> str:
    """Change one file or a few in one of many ways."""
    chosen = chance.choice(named_paths(path))
    content = bytearray(chosen.read_bytes())
    kind = chance.choice(("flip", "flips", "cut", "grow", "lengths", "swap", "pickle", "zeros"))
    if kind in {"flip", "flips"} and content:
        for _ in range(1 if kind == "flip" else 20):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del content[chance.randrange(len(content) + 1) :]
    elif kind == "grow":
        content += chance.randbytes(chance.randrange(1, 200))
    elif kind == "lengths" and len(content) >= 8:
        place = chance.choice((chance.randrange(len(content) - 7), len(content) - 8, 0))
        number = chance.choice((2**63 - 1, 2**31 - 1, 2**64 - 1, 2**32, 0))
        content[place : place + 8] = number.to_bytes(8, "little")
    elif kind == "swap":
        content = bytearray(chance.choice(named_paths(path)).read_bytes())
    elif kind == "pickle" and chosen.suffix == ".npy":
        np.save(chosen, np.array([Payload(canary)], object), allow_pickle=True)
        content = bytearray(chosen.read_bytes())
    elif kind == "pickle" and chosen.suffix == ".arrow":
        content = with_extension_type(bytes(content), canary)
    elif kind == "zeros":
        content = bytearray(len(content))
    chosen.write_bytes(content)
    return f"{kind} {chosen.relative_to(path)}"


def with_extension_type(content: bytes, canary: Path) -> bytearray:
    """Give the first column of an Arrow file a type that old readers would unpickle."""
    found = pa.ipc.open_file(content).read_all()
    metadata = {
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": pickle.dumps(Payload(canary)),
    }
    schema = found.schema.set(0, found.schema.field(0).with_metadata(metadata))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_table(found.cast(schema))
    return bytearray(sink.getvalue().to_pybytes())


def name_again(path: Path) -> None:
    """Have the manifest state the sizes and checksums that the files have now."""

    def state(body: dict[str, Any]) -> None:
        for part, files in named_parts(body):
            for name, entry in files.items():
                content = (path / part / name).read_bytes()
                entry.update(size=len(content), crc32=f"{zlib.crc32(content):08x}")

    rewrite_manifest(path, state)


HOSTILE = (
    -1, 0, 1, 7, 2**31, 2**63, 2**64, 10**30, 1.5, True, None, "", "x", ".", "..", "../../secret",
    "/etc/passwd", "a\\b", "a\0b", "keyword/0/../../..", "\ud800", [], {}, [[]], ["../.."], "os:system",
    {"file": "../x", "rows": 1}, "99999999", "live", "keyword",
)  # fmt: skip


def edit(body: Any, chance: random.Random) -> str:
    """Put a hostile value at a random place of a manifest."""
    place, where = body, []
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return "nothing"
        key = chance.choice(keys)
        where.append(str(key))
        if isinstance(place[key], dict | list) and place[key] and chance.random() < 0.85:
            place = place[key]
            continue
        value = chance.choice(HOSTILE)
        if isinstance(place, dict) and chance.random() < 0.2:
            name = value if isinstance(value, str) else str(value)
            place[name] = place.pop(key)
            return f"{'.'.join(where)} renamed {name!r}"
        if chance.random() < 0.1:
            del place[key]
            return f"{'.'.join(where)} removed"
        place[key] = value
        return f"{'.'.join(where)} = {value!r}"


def link_out(path: Path, chance: random.Random, outside: Path) -> str:
    """Move a file or directory out of the index and leave a link to it."""
    segment = path / SEGMENTS / read_manifest(path).segments[0].name
    kinds = [chance.choice(named_paths(path)), segment, path / SEGMENTS, path / MANIFEST]
    kinds += [entry.parent for entry in named_paths(path) if entry.parent != segment]
    chosen = chance.choice(kinds)
    relative = chosen.relative_to(path)
    unnamed = chance.random() < 0.5
    if unnamed:  # so that no check of named files can find it

        def forget(body: dict[str, Any]) -> None:
            for part, files in named_parts(body):
                for name in [*files]:
                    if f"{part}/{name}".startswith(str(relative)):
                        del files[name]

        rewrite_manifest(path, forget)
    shutil.rmtree(outside, ignore_errors=True)
    outside.mkdir()
    chosen.rename(outside / chosen.name)
    chosen.symlink_to(outside / chosen.name)
    return f"link {relative}{' unnamed' if unnamed else ''}"


def attack(base: Path, home: Path, number: int, seed: int) -> tuple[str, str]:
    """Tamper with a copy of the index, use it, and return what was done and how it ended."""
    chance = random.Random(f"{seed} {number}")
    path, canary = home / "index", home / "canary"
    shutil.copytree(base, path)
    kind = chance.choice(("damage", "damage", "named damage", "named damage", "manifest", "link"))
    done = [kind]
    if kind == "manifest":
        for _ in range(chance.choice((1, 1, 1, 3))):
            rewrite_manifest(path, lambda body: done.append(edit(body, chance)))
    elif kind == "link":
        done.append(link_out(path, chance, home / "outside"))
    else:
        done += [damage(path, chance, canary) for _ in range(chance.choice((1, 1, 2)))]
        if kind == "named damage":
            name_again(path)
    result = use(path)
    if kind == "link" and result == "works" and not done[1].startswith(f"link {MANIFEST}"):
        result = "read outside the index"
    if canary.exists():
        result = "unpickled"
    shutil.rmtree(path, ignore_errors=True)
    return ", ".join(done), result


def flip_after_opening(base: Path, home: Path, number: int, seed: int) -> tuple[str, str]:
    """Change bytes of files that are open and mapped, and go on searching."""
    chance = random.Random(f"late {seed} {number}")
    path = home / "index"
    shutil.copytree(base, path)
    corpus = Corpus.open(path)
    query = np.array(vector("d001", 0))
    done = []
    result = "works"
    for _ in range(5):
        chosen = chance.choice(named_paths(path))
        size = chosen.stat().st_size
        with chosen.open("r+b") as file:
            for _ in range(chance.choice((1, 50)) if size else 0):
                place = chance.randrange(size)
                file.seek(place)
                old = file.read(1)[0]
                file.seek(place)
                file.write(bytes([old ^ (1 << chance.randrange(8))]))
        done.append(str(chosen.relative_to(path)))
        try:
            for strategy in ("keyword", "vector", "hybrid"):
                options = {} if strategy == "keyword" else {"query_vector": query}
                for hit in corpus.search(
                    "every document onlyd001v0", strategy=strategy, max_results=50, **options
                ):
                    len(hit.content)
            walk(corpus)
        except OctavoError as error:
            result = f"refused: {type(error).__name__}"
    shutil.rmtree(path)
    return f"late: {', '.join(done)}", result


def main() -> None:
    """Attack as often as asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--attacks", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    base = options.directory / "base"
    options.directory.mkdir(parents=True, exist_ok=True)
    prepare(base)
    if use(base) != "works":
        raise RuntimeError("the untouched index does not work")
    first = 0
    while first < options.attacks:
        numbers = range(first, min(first + BATCH, options.attacks))

        def run(say: Callable[[str], None], numbers: range = numbers) -> None:
            for number in numbers:
                home = options.directory / str(number)
                home.mkdir()
                say(f"begun {number}")
                work = flip_after_opening if number % 5 == 4 else attack
                done, result = work(base, home, number, options.seed)
                say(json.dumps({"number": number, "done": done, "result": result}))
                shutil.rmtree(home)

        said, code = forked(run)
        lines = [line for line in said if line.startswith("{")]
        print(*lines, sep="\n", flush=True)
        first += len(lines)
        if len(lines) < len(numbers):
            crash = {"number": first, "done": said[-1][-1500:], "result": f"crash {code}"}
            print(json.dumps(crash), flush=True)
            first += 1


if __name__ == "__main__":
    main()
