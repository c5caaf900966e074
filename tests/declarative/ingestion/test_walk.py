"""Which files a declaration means (S61, S66)."""

import os
from pathlib import Path

import pytest

from octavo import ConfigurationError, SourceLoadingError
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.globs import PathFilter
from octavo.declarative.ingestion.loading import load_documents
from octavo.declarative.ingestion.walk import found_files

TREE = ("a.md", "a.txt", "b/a.md", "b/c/d.md", "b/c/e.txt", ".hidden.md", ".git/x.md", "z.md")


@pytest.fixture
def root(write):
    return write(dict.fromkeys(TREE, "x"))


def paths(root, include=(), exclude=()):
    return [each.path for each in found_files(str(root), PathFilter.of(include, exclude))]


def test_order_and_hidden_files(root):
    assert paths(root) == ["a.md", "a.txt", "b/a.md", "b/c/d.md", "b/c/e.txt", "z.md"]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (["*.md"], [], ["a.md", "b/a.md", "b/c/d.md", "z.md"]),
        (["**/*.md"], [], ["a.md", "b/a.md", "b/c/d.md", "z.md"]),
        (["b/*.md"], [], ["b/a.md"]),
        (["b/**"], [], ["b/a.md", "b/c/d.md", "b/c/e.txt"]),
        (["b/**/*.md"], [], ["b/a.md", "b/c/d.md"]),
        (["b/c"], [], ["b/c/d.md", "b/c/e.txt"]),
        (["c/"], [], ["b/c/d.md", "b/c/e.txt"]),
        ([], ["b"], ["a.md", "a.txt", "z.md"]),
        ([], ["**/c/**", "*.txt"], ["a.md", "b/a.md", "z.md"]),
        (["[az].md"], [], ["a.md", "b/a.md", "z.md"]),
        (["[!a].md"], ["b/**"], ["z.md"]),
        (["?.txt"], [], ["a.txt", "b/c/e.txt"]),
        ([".*.md"], [], [".hidden.md"]),
        ([".git/*"], [], [".git/x.md"]),
        (["A.md"], [], []),
        ("*.txt", "b/**", ["a.txt"]),
    ],
)
def test_patterns(root, include, exclude, expected):
    assert paths(root, include, exclude) == expected


@pytest.mark.parametrize(
    "pattern", ["", " ", "/etc/*", "../x", "a/../b", "a\\b", "a//b", 5, "[z-a]"]
)
def test_patterns_that_lead_elsewhere(root, pattern):
    with pytest.raises(ConfigurationError, match="include: "):
        paths(root, [pattern])


def test_a_single_file_is_its_own_root(root):
    assert paths(root / ".hidden.md") == [".hidden.md"]
    assert paths(root / "a.md", ["*.txt"]) == []


def test_a_missing_source(tmp_path, declared):  # S66
    with pytest.raises(SourceLoadingError, match="nowhere") as caught:
        list(load_documents(declared(tmp_path / "nowhere")))
    assert caught.value.reason == "SOURCE_LOADING"


@pytest.mark.parametrize("path", ["", "  ", "a\0b"])
def test_a_path_that_is_none(declared, path):
    with pytest.raises(ConfigurationError, match="path: "):
        list(load_documents(declared(path)))


def test_an_empty_source_is_valid(write, declared):  # S66
    write({})
    assert list(load_documents(declared())) == []
    write({"empty.md": "", "blank.txt": " \n\n", "none.json": "", "none.csv": "", "none.pdf": ""})
    write({"head.csv": "a,b\n", "none.yaml": "# nothing\n", "none.html": "", "none.parquet": b""})
    assert list(load_documents(declared())) == []


class TestLinks:
    def test_links_inside_are_followed(self, root):
        # As configurations are mounted: names that link into a hidden folder.
        (root / ".data").mkdir()
        (root / ".data" / "conf.md").write_text("x")
        (root / "conf.md").symlink_to(root / ".data" / "conf.md")
        (root / "linked").symlink_to(".data")
        assert paths(root, ["conf.md"]) == ["conf.md", "linked/conf.md"]

    def test_links_out_of_the_root_are_refused(self, root, tmp_path):
        (tmp_path / "secret.md").write_text("secret")
        (root / "link.md").symlink_to(tmp_path / "secret.md")
        with pytest.raises(SourceLoadingError, match=r"link\.md: expected links that end below"):
            paths(root)
        assert "link.md" not in paths(root, exclude=["link.md"])
        (root / "link.md").unlink()
        (root / "folder").symlink_to(tmp_path)
        with pytest.raises(SourceLoadingError, match="folder: expected links that end below"):
            paths(root)

    def test_a_name_that_begins_like_the_root_is_outside(self, root, tmp_path):
        other = tmp_path / "files-other"
        other.mkdir()
        (other / "a.md").write_text("x")
        (root / "link.md").symlink_to(other / "a.md")
        with pytest.raises(SourceLoadingError, match="expected links that end below"):
            paths(root)

    def test_loops_end(self, root):
        (root / "b" / "up").symlink_to(root)
        (root / "b" / "self").symlink_to(".")
        (root / "x").symlink_to("y")
        (root / "y").symlink_to("x")
        assert paths(root, exclude=["x", "y"]) == paths(root, exclude=["x", "y", "up", "self"])
        with pytest.raises(SourceLoadingError, match="x: "):
            paths(root)

    def test_many_links_to_each_other_end(self, tmp_path):
        root = tmp_path / "web"
        for name in "abcdefgh":
            (root / name).mkdir(parents=True)
            (root / name / "file.md").write_text("x")
        for name in "abcdefgh":
            for other in "abcdefgh":
                (root / name / f"to-{other}").symlink_to(root / other)
        assert len(paths(root)) <= 2 * 8

    def test_a_broken_link(self, root):
        (root / "broken.md").symlink_to("nowhere.md")
        with pytest.raises(SourceLoadingError, match=r"broken\.md: expected a readable"):
            paths(root)
        assert "broken.md" not in paths(root, ["*.txt"])

    def test_a_link_that_takes_a_files_place_is_not_followed(self, root, tmp_path, declared):
        (tmp_path / "secret.md").write_text("secret")
        loader = FileLoader()
        found = list(loader.files(declared()))
        (root / "a.md").unlink()
        (root / "a.md").symlink_to(tmp_path / "secret.md")
        with pytest.raises(SourceLoadingError, match=r"a\.md: reading it failed"):
            list(loader.documents(declared(), found[0]))

    def test_the_root_may_be_a_link(self, root, tmp_path):
        (tmp_path / "link").symlink_to(root)
        found = list(found_files(str(tmp_path / "link"), PathFilter.of((), ())))
        assert found[0].label == str(tmp_path / "link" / "a.md")


def test_other_kinds_of_files(root, declared):
    os.mkfifo(root / "pipe.md")
    assert "pipe.md" not in paths(root)
    with pytest.raises(SourceLoadingError, match=r"pipe\.md: expected a file or directory"):
        list(load_documents(declared(root / "pipe.md")))


def test_folders_deeper_than_python_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    depth = 1_200
    for _ in range(depth):
        os.mkdir("a")  # noqa: PTH102 - the path from here, not the whole
        os.chdir("a")
    Path("f.txt").write_text("x")
    try:
        assert paths(tmp_path) == ["a/" * depth + "f.txt"]
    finally:  # what removes temporary folders calls itself, too
        Path("f.txt").unlink()
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("a")  # noqa: PTH106
