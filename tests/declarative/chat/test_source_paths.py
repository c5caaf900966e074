"""Where a turn reads its DIRECT sources."""

import pytest

from octavo.errors import InvalidArgumentError
from tests.declarative.runtime.conftest import context


# S71 S74
def test_a_turn_reads_its_direct_sources_where_it_says(world):
    files = {"a/one.md": "of a", "b/one.md": "of b"}
    binding = world.binding(world.source(files=files, use="DIRECT"))
    root = world.directory / "notes"

    def read(path):
        found = binding.retrieve("q", context(source_paths={"notes": str(path)}))
        return [each.content for each in found.direct]

    assert read(root / "a") == ["of a"]
    assert read(root / "b" / "one.md") == ["of b"]
    (root / "b" / "one.md").write_text("now")
    assert read(root / "b") == ["now"]  # what is there is not kept
    assert len(binding.retrieve("q").direct) == 2
    with pytest.raises(InvalidArgumentError, match="inside the declared"):
        read(root / ".." / "secret.md")
