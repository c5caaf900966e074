"""The one tantivy schema, and the terms that metadata filters are looked up by.

``body`` holds analysed tokens joined by single spaces; the built-in ``whitespace`` tokenizer gives
them back unchanged and needs no registration (custom ones are not stored with an index). ``row`` is
a fast field because a later merge sorts by it.
"""

import hashlib
from functools import cache

import tantivy

BODY = "body"
FILTER = "filter"
ROW = "row"
FIELDS = (BODY, FILTER, ROW)

META = "meta.json"
"""The file in which tantivy lists the segments of an index."""

LONGEST_FILTER_TERM = 1024
"""Bytes; a longer filter term is replaced by its digest (tantivy drops terms over 65,530 bytes)."""


@cache
def keyword_schema() -> tantivy.Schema:
    """Return the schema that every keyword segment has."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(BODY, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(FILTER, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(ROW, fast=True)
    return builder.build()


def filter_term(key: str, value: str) -> str:
    r"""Return the term that a document with ``value`` under ``key`` is indexed by.

    Two different pairs never share a term: an equals sign or a backslash in the key is escaped, so
    that the first bare equals sign ends the key. A term that is too long for tantivy, or that no
    UTF-8 text can hold (a lone surrogate), becomes a 256-bit digest, marked by a prefix that no
    escaped key begins with.

    Examples
    --------
    >>> filter_term("tier", "SEMANTIC")
    'tier=SEMANTIC'
    >>> print(filter_term("a=b", "c"), filter_term("a", "b=c"))
    a\=b=c a=b=c
    """
    term = key.replace("\\", "\\\\").replace("=", "\\=") + "=" + value
    try:
        encoded = term.encode()
    except UnicodeEncodeError:
        encoded = term.encode(errors="surrogatepass")
    else:
        if len(encoded) <= LONGEST_FILTER_TERM:
            return term
    return "\\#" + hashlib.blake2b(encoded, digest_size=32).hexdigest()
