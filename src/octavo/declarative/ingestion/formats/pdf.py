"""PDF: a section a page (the extra ``pdf``)."""

import io
from typing import Any

from octavo.declarative.ingestion.failures import DamagedSource
from octavo.declarative.ingestion.limits import IngestionLimits
from octavo.declarative.ingestion.resource import Resource
from octavo.declarative.ingestion.sections import Outline, Section
from octavo.declarative.ingestion.times import instant_text
from octavo.errors import SourceLoadingError, told
from octavo.importing import optional


def read_pdf(resource: Resource, limits: IngestionLimits) -> Outline:
    """Return the pages of a PDF file that have text; scans have none.

    Raises
    ------
    DamagedSource
        It is no PDF.
    SourceLoadingError
        It is encrypted with a password, or damaged.
    """
    content = resource.whole(limits.file_bytes)
    if not content:
        return Outline(Section(None, "", ""))
    if b"%PDF-" not in content[:1_024]:
        raise DamagedSource("expected PDF, found another beginning")
    library = optional("pypdf", "pdf", "reading PDF")
    try:
        reader = library.PdfReader(io.BytesIO(content))
        locked = reader.is_encrypted and not reader.decrypt("")
        texts = [] if locked else [page.extract_text() for page in reader.pages]
        fields = {} if locked else _declared(reader)
    except Exception as error:  # the library raises whatever damage leads to
        raise SourceLoadingError(f"{resource.label}: reading PDF failed: {told(error)}") from error
    if locked:
        raise SourceLoadingError(f"{resource.label}: expected a PDF without password, found one")
    root = Section(None, "", "")
    for number, text in enumerate(texts, 1):
        # What fonts map to NUL or to half a character is no text.
        clean = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()
        if clean:
            page = Section(f"Page {number}", f"page-{number}", clean, page=number)
            root.children.append(page)
    return Outline(root, fields)


def _declared(reader: Any) -> dict[str, object]:  # noqa: ANN401
    information = reader.metadata
    if information is None:
        return {}
    fields: dict[str, object] = {}
    for key in ("title", "author", "subject"):
        value = getattr(information, key, None)
        if isinstance(value, str) and value.strip():
            fields[key] = value.strip()
    for key, attribute in (("modified", "modification_date"), ("created", "creation_date")):
        try:
            instant = instant_text(getattr(information, attribute, None))
        except ValueError:  # a date that cannot be read is none
            instant = None
        if instant is not None:
            fields[key] = instant
    return fields
