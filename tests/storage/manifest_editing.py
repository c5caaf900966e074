"""Manifests with other content and a checksum that fits, as an attacker would make them."""

import json

from octavo.storage.layout import MANIFEST, MANIFEST_COPY
from octavo.storage.manifest_json import body_checksum


def rewrite_manifest(index, change):
    """Change the body of an index's manifest, in both copies."""
    body = json.loads((index / MANIFEST).read_bytes())
    del body["checksum"]
    change(body)
    content = json.dumps({**body, "checksum": body_checksum(body)})
    for name in (MANIFEST, MANIFEST_COPY):
        (index / name).write_text(content)
