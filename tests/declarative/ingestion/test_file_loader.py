"""What the FILE loader makes of declarations: metadata, units, context, selection, formats."""

import os
from enum import Enum

import pytest

from octavo import ConfigurationError, SourceLoadingError
from octavo.declarative.ingestion.file_loader import FileLoader
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.loading import load_documents

SMALL = FileLoader(IngestionLimits(chunk_characters=40))
SECTIONS = "---\ntags: [a, b]\nlang: en\n---\n# Top\n\nHello there.\n\n## One\n\nFirst one.\n\nSecond.\n\n## Two\n\nOther.\n"


def contents(documents):
    return [document.content for document in documents]


def ids(documents):
    return [document.id.removeprefix("docs/") for document in documents]


def test_the_source_is_the_absolute_path(load, tmp_path, monkeypatch, declared):  # S61
    (document,) = load({"a/b.txt": "text"})
    assert document.metadata["source"] == str(tmp_path / "files" / "a" / "b.txt")
    assert document.metadata["path"] == "a/b.txt"
    monkeypatch.chdir(tmp_path)
    (relative,) = load_documents(declared("files/a/b.txt"))
    assert relative.metadata["source"] == document.metadata["source"]
    assert relative.id == "docs/b.txt"


def test_all_metadata_is_text(load):
    front = "a: 1\nb: 1.0\nc: true\nd: 2024-05-01\ne: [x, 2]\nf: {g: h}\nz: null\n"
    (document,) = load({"a.md": f"---\n{front}---\ntext"})
    assert {key: document.metadata.get(key) for key in ("a", "b", "c", "d", "e", "f.g", "z")} == {
        "a": "1",
        "b": "1",
        "c": "true",
        "d": "2024-05-01",
        "e": "x, 2",
        "f.g": "h",
        "z": None,
    }
    assert all(isinstance(each, str) for each in document.metadata.values())


def test_a_file_cannot_forge_what_octavo_says(load):  # S11
    front = "source: other\npath: x\ntnsai.chat.tenant: other\nhierarchy.parentId: y\nentryId: z\n"
    (document,) = load({"a.md": f"---\n{front}---\ntext"})
    assert document.metadata["source"].endswith("a.md")
    assert document.metadata["path"] == "a.md"
    assert not {"tnsai.chat.tenant", "hierarchy.parentId", "entryId"} & set(document.metadata)


def test_long_values_are_no_metadata(load):
    (document,) = load({"a.json": f'[{{"text": "x", "long": "{"y" * 1025}", "short": "s"}}]'})
    assert "long" not in document.metadata
    assert document.metadata["short"] == "s"


class TestTimes:  # S27
    def stamp(self, documents):
        return documents[0].metadata.get("temporal.timestamp")

    def test_the_time_of_the_file(self, write, declared):
        path = write({"a.txt": "x"}) / "a.txt"
        os.utime(path, ns=(0, 1_714_557_600_250_000_000))
        assert self.stamp(list(load_documents(declared()))) == "2024-05-01T10:00:00.250000Z"

    @pytest.mark.parametrize(
        ("front", "expected"),
        [
            ("date: 2024-05-01", "2024-05-01T00:00:00Z"),
            ("date: 2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"),
            ("date: '2024-05-01 10:00'", "2024-05-01T10:00:00Z"),
            ("date: 2020-01-01\nupdated: 2021-01-01", "2021-01-01T00:00:00Z"),
            ("date: 2020-01-01\nupdated: in spring", "2020-01-01T00:00:00Z"),
        ],
    )
    def test_a_declared_date_wins(self, load, front, expected):
        assert self.stamp(load({"a.md": f"---\n{front}\n---\ntext"})) == expected

    def test_a_record_has_its_own(self, load):
        documents = load({"a.jsonl": '{"text": "x", "created_at": "2024-05-01T10:00:00Z"}'})
        assert self.stamp(documents) == "2024-05-01T10:00:00Z"

    def test_what_claims_to_be_an_instant_must_be_one(self, load):
        with pytest.raises(SourceLoadingError, match=r"a\.md: temporal\.timestamp"):
            load({"a.md": "---\ntemporal.timestamp: soon\n---\ntext"})


class TestUnits:
    def test_small_documents_stay_whole(self, load):  # S66
        assert contents(load({"a.md": SECTIONS})) == [SECTIONS.split("---\n")[2].strip()]

    def test_large_ones_are_cut_where_they_must(self, load):  # S66
        documents = load({"a.md": SECTIONS}, [SMALL])
        assert ids(documents) == ["a.md", "a.md#one", "a.md#two"]
        assert documents[1].content == "## One\n\nFirst one.\n\nSecond."

    def test_document(self, load):
        assert ids(load({"a.md": SECTIONS}, [SMALL], unit="DOCUMENT")) == ["a.md"]

    def test_section(self, load):
        assert ids(load({"a.md": SECTIONS}, unit="SECTION")) == ["a.md", "a.md#one", "a.md#two"]

    def test_paragraph(self, load):
        documents = load({"a.md": SECTIONS}, unit="PARAGRAPH")
        assert contents(documents)[2:5] == ["## One", "First one.", "Second."]
        assert documents[4].metadata["hierarchy.parentId"] == "docs/a.md#one"
        assert (documents[4].metadata["line_start"], documents[4].metadata["line_end"]) == (
            "13",
            "13",
        )

    def test_record(self, load):
        long = "word " * 20
        documents = load(
            {"a.json": f'[{{"text": "{long}"}}]', "b.txt": long}, [SMALL], unit="RECORD"
        )
        assert ids(documents) == ["a.json#1", "b.txt"]

    def test_a_long_record_is_cut(self, load):
        documents = load({"a.json": f'[{{"id": "x", "text": "{"word " * 20}"}}]'}, [SMALL])
        assert ids(documents) == ["a.json#id:x", "a.json#id:x@2", "a.json#id:x@3"]
        assert documents[2].metadata["hierarchy.parentId"] == "docs/a.json#id:x"

    def test_an_unknown_one(self, load):
        with pytest.raises(ConfigurationError, match="unit: expected one of AUTO.*found 'PAGE'"):
            load({"a.md": "x"}, unit="PAGE")

    def test_members_of_other_enums(self, load):
        unit = Enum("KnowledgeUnit", "DOCUMENT SECTION").SECTION
        assert len(load({"a.md": SECTIONS}, unit=unit)) == 3


class TestContext:
    def test_headings(self, load):
        documents = load({"a.md": SECTIONS}, [SMALL], chunk_context="HEADINGS")
        assert [each.metadata["chunk_context"] for each in documents] == [
            *("Top", "Top > One", "Top > Two"),
        ]

    def test_none(self, load):
        documents = load({"a.md": SECTIONS}, [SMALL])
        assert not any("chunk_context" in each.metadata for each in documents)
        assert documents[1].metadata["headings"] == "Top > One"


class TestSelection:
    def test_records(self, load):
        records = '[{"text": "a", "lang": "en", "n": 1}, {"text": "b", "lang": "de", "n": 1}]'
        assert contents(load({"a.json": records}, select=("lang=de", "n=1"))) == ["b"]
        assert contents(load({"a.json": records}, select={"lang": "en"})) == ["a"]
        assert contents(load({"a.json": records}, select="lang=fr")) == []

    def test_front_matter_and_lists(self, load):
        assert ids(load({"a.md": SECTIONS, "b.md": "x"}, select=("tags=b",))) == ["a.md"]

    def test_sections_with_those_below(self, load):
        text = SECTIONS.replace("Second.", "### Deep\n\nBelow.")
        documents = load({"a.md": text}, unit="SECTION", select=("title=One", "lang=en"))
        assert ids(documents) == ["a.md#one", "a.md#one/deep"]
        assert "hierarchy.parentId" not in documents[0].metadata
        assert documents[1].metadata["hierarchy.parentId"] == "docs/a.md#one"

    def test_an_entry_without_a_value(self, load):
        with pytest.raises(ConfigurationError, match="select: expected key=value, found 'lang'"):
            load({"a.md": "x"}, select=("lang",))


class TestFormats:
    def test_an_unknown_ending_is_read_by_content(self, load):
        documents = load(
            {"README": "text", "page": "<!DOCTYPE html><p>Hello", "run": "#!/bin/sh\nls"}
        )
        assert [each.metadata["format"] for each in documents] == ["TEXT", "HTML", "CODE"]

    def test_binary_files_below_a_folder_are_passed_over(self, load, declared, tmp_path):
        assert ids(load({"a.png": b"\x89PNG\0\0", "b.txt": "x"})) == ["b.txt"]
        with pytest.raises(SourceLoadingError, match=r"a\.png: expected a document"):
            list(load_documents(declared(tmp_path / "files" / "a.png")))

    def test_damage_is_the_sources_under_auto_and_the_declarations_under_a_format(
        self, load
    ):  # S66
        with pytest.raises(SourceLoadingError, match=r"a\.json: expected JSON"):
            load({"a.json": "{"})
        with pytest.raises(ConfigurationError, match=r"a\.json: expected JSON.*format is JSON"):
            load({"a.json": "{"}, format="JSON")

    @pytest.mark.parametrize("name", ["a.json", "a.html", "a.pdf", "a.py"])
    def test_a_file_of_another_format_is_a_configuration_error(self, load, name):  # S66
        with pytest.raises(ConfigurationError, match=f"{name}: expected MARKDOWN, found"):
            load({name: "x"}, format="MARKDOWN")

    def test_a_strict_format_reads_untold_names(self, load):
        assert contents(
            load({"a": '{"text": "x"}', "b.txt": '{"text": "y"}'}, format="JSON_LINES")
        ) == [
            *("x", "y"),
        ]

    def test_every_text_may_be_read_as_text(self, load):
        assert contents(load({"a.md": "# A", "b.json": "["}, format="TEXT")) == ["# A", "["]

    def test_an_empty_folder_hides_no_mistake(self, load):
        for members in ({"format": "DOCX"}, {"unit": "PAGE"}, {"select": ("x",)}):
            with pytest.raises(ConfigurationError):
                load({}, **members)

    def test_an_unknown_format(self, load):
        with pytest.raises(ConfigurationError, match="format: expected one of AUTO"):
            load({"a.md": "x"}, format="DOCX")


@pytest.mark.parametrize("name", ["en.json", "en.yaml"])
def test_a_flat_mapping_of_many_keys_is_data(load, name):
    most = IngestionLimits().record_fields
    fields = [f'"key{number}": "value {number}"' for number in range(most)]
    contents = {name: "{" + ", ".join([*fields, '"date": "2024-05-01"']) + "}"}
    documents = load(contents)
    assert len(documents) > 30
    assert all(len(each.metadata) < 10 for each in documents)
    assert documents[0].metadata["temporal.timestamp"] == "2024-05-01T00:00:00Z"
    contents = {name: "{" + ", ".join(fields) + "}"}
    assert load(contents)[-1].metadata["key0"] == "value 0"
