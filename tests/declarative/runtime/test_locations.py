"""No location leads out of what a source declares (S71)."""

import pytest

from octavo.declarative import Knowledge
from octavo.declarative.runtime.locations import check_locations
from octavo.errors import InvalidArgumentError


def refused(location, source):
    with pytest.raises(InvalidArgumentError, match=f"source_paths: {source.name!r}"):
        check_locations({source.name: str(location)}, [source])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "docs" / "a").mkdir(parents=True)
    (tmp_path / "docs-other").mkdir()
    for path in ("docs/a/x.md", "docs/y.md", "docs/.secret.md", "docs-other/z.md", "z.md"):
        (tmp_path / path).write_text(f"text of {path}")
    return tmp_path


def declared(place, **members):
    return Knowledge("notes", path=str(place / "docs"), use="DIRECT", **members)


# S71
@pytest.mark.parametrize("inside", ["docs", "docs/", "docs/y.md", "docs/a", "docs/a/../y.md"])
def test_what_is_inside_is_read(place, inside):
    check_locations({"notes": f"{place}/{inside}"}, [declared(place)])


# S71
@pytest.mark.parametrize(
    "outside",
    ["", "..", "z.md", "docs/../z.md", "docs/a/../../z.md", "docs-other", "docs-other/z.md"],
)
def test_what_is_outside_is_refused(place, outside):
    refused(f"{place}/{outside}", declared(place))


@pytest.mark.parametrize(
    "wrong", ["/", "/etc/passwd", "docs\0", "file:///docs", "~", "\\\\host\\docs"]
)
def test_other_places_are_refused(place, wrong, monkeypatch):
    monkeypatch.chdir(place)
    refused(wrong, declared(place))
    check_locations({"notes": "docs/y.md"}, [declared(place)])  # S61: from the working directory


def test_links_are_resolved(place):
    (place / "docs" / "out.md").symlink_to(place / "z.md")
    (place / "docs" / "out").symlink_to(place / "docs-other")
    (place / "docs" / "in").symlink_to(place / "docs" / "a")
    (place / "docs" / "loop").symlink_to("loop")
    for outside in ("out.md", "out", "out/z.md"):
        refused(place / "docs" / outside, declared(place))
    check_locations({"notes": str(place / "docs" / "in" / "x.md")}, [declared(place)])
    # A root that is itself a link is what it leads to.
    (place / "root").symlink_to(place / "docs")
    source = Knowledge("notes", path=str(place / "root"), use="DIRECT")
    check_locations({"notes": str(place / "docs" / "y.md")}, [source])
    refused(place / "z.md", source)


def test_include_and_exclude_hold(place):
    refused(place / "docs" / ".secret.md", declared(place))
    source = declared(place, exclude=["a"])
    refused(place / "docs" / "a" / "x.md", source)
    refused(place / "docs" / "a", source)
    check_locations({"notes": str(place / "docs" / "y.md")}, [source])
    source = declared(place, include=["a/*.md"])
    refused(place / "docs" / "y.md", source)
    check_locations({"notes": str(place / "docs" / "a" / "x.md")}, [source])


@pytest.mark.parametrize(
    ("location", "inside"),
    [
        ("https://example.org/docs", True),
        ("https://example.org/docs/a.html", True),
        ("https://example.org/docs/a?b=c", True),
        ("https://example.org/docs-other", False),
        ("https://example.org/docs/../secret", False),
        ("https://example.org/docs/%2e%2e/secret", False),
        ("https://example.org/docs/%252e%252e/secret", True),  # a name, decoded once
        ("https://example.org/docs/..;x/secret", False),
        ("https://example.org/docs/..%3b/secret", False),
        ("https://example.org/docs/..a/b;c", True),
        ("https://example.org/docs\\..\\secret", False),
        ("https://example.org/docs/..\\secret", False),
        ("https://example.org@evil.test/docs/a", False),
        ("https://user@example.org/docs/a", False),
        ("https://example.org:444/docs/a", False),
        ("http://example.org/docs/a", False),
        ("https://example.org.evil.test/docs/a", False),
        ("//example.org/docs/a", False),
        ("file:///docs/a", False),
        ("https://[example.org/docs/a", False),
    ],
)
def test_urls(location, inside):
    source = Knowledge("notes", type="URL", path="https://example.org/docs", use="DIRECT")
    if inside:
        check_locations({"notes": location}, [source])
    else:
        refused(location, source)


def test_other_sources_have_no_location(place):
    for kind in ("MEMORY", "DATABASE"):
        refused("/x", Knowledge("notes", type=kind, use="DIRECT"))
    refused("/x", Knowledge("notes", use="DIRECT"))
    # Of sources that are not given whole nothing is read; an engine may make of it what it will.
    check_locations({"notes": "/x", "unknown": "/y"}, [Knowledge("notes", path="/docs")])


def test_a_declared_query_admits_no_other(place):  # S71
    url = "https://example.org/docs?tenant=a"
    source = Knowledge("notes", type="URL", path=url, use="DIRECT")
    check_locations({"notes": url}, [source])
    for other in ("/x?tenant=b", "/x", "/x?tenant=a", "?tenant=b"):
        refused(f"https://example.org/docs{other}", source)
