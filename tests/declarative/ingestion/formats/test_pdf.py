"""PDF: pages, properties, passwords."""

import io

import pytest
from pypdf import PdfReader, PdfWriter

from octavo import ConfigurationError, SourceLoadingError


def pdf(*texts, password=None):
    """Write a PDF by hand, since pypdf writes no text."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(texts)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    page = "/Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >>"
    for number, text in enumerate(texts):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects += (
            f"<< {page} /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        )
    out, offsets = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start, size = len(out), len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    out += f"startxref\n{start}\n%%EOF\n"
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(out.encode())))
    writer.add_metadata({"/Title": "Manual", "/ModDate": "D:20240501100000+00'00'"})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_small_documents_stay_whole(load):
    (document,) = load({"a.pdf": pdf("First page.", "", "Third page.")})
    assert document.id == "docs/a.pdf"
    assert document.content == "First page.\n\nThird page."
    assert document.metadata["title"] == "Manual"
    assert document.metadata["temporal.timestamp"] == "2024-05-01T10:00:00Z"


def test_pages(load):
    documents = load({"a.pdf": pdf("First page.", "", "Third page.")}, unit="SECTION")
    assert [(each.id, each.content, each.metadata.get("page")) for each in documents] == [
        ("docs/a.pdf", "Manual", None),
        ("docs/a.pdf#page-1", "First page.", "1"),
        ("docs/a.pdf#page-3", "Third page.", "3"),
    ]


def test_a_password(load):
    with pytest.raises(SourceLoadingError, match=r"a\.pdf: expected a PDF without password"):
        load({"a.pdf": pdf("Secret.", password="x")})
    assert load({"a.pdf": pdf("Open.", password="")})[0].content == "Open."


@pytest.mark.parametrize("content", [b"%PDF-1.4\n", pdf("text")[:200]])
def test_damage(load, content):
    with pytest.raises(SourceLoadingError, match=r"a\.pdf: "):
        load({"a.pdf": content})


def test_no_pdf(load):
    with pytest.raises(ConfigurationError, match=r"a\.txt: expected PDF"):
        load({"a.txt": "text"}, format="PDF")
