"""Manifests read as JSON: what they name, and ones with other content, as an attacker would make them."""

import json

from octavo.storage.format.layout import MANIFEST, MANIFEST_COPY
from octavo.storage.format.manifest_json import body_checksum


def rewrite_manifest(index, change):
    """Change the body of an index's manifest, in both copies."""
    body = json.loads((index / MANIFEST).read_bytes())
    del body["checksum"]
    change(body)
    content = json.dumps({**body, "checksum": body_checksum(body)})
    for name in (MANIFEST, MANIFEST_COPY):
        (index / name).write_text(content)


def named_parts(body):
    """Yield what a manifest names: each directory within the index, with its files by name."""
    for segment in body["segments"]:
        yield f"segments/{segment['name']}", segment["files"]
    graph = body.get("graph")
    if graph is not None:
        yield f"graph/{graph['name']}", graph["files"]


def named_paths(index):
    """Return every file within the index that its manifest names."""
    body = json.loads((index / MANIFEST).read_bytes())
    return [index / part / name for part, files in named_parts(body) for name in files]
