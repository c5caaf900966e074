"""What the markup within lines says: links, roles, code, emphasis (Markdown, reST, HTML)."""

import re
from dataclasses import dataclass

from octavo.graph.text.written_name import GAP, WrittenName
from octavo.spi import EntityKind

# Every branch begins with a literal: so the search goes from one such character to the next.
_INLINE = re.compile(
    r":(?P<role>[A-Za-z][\w:+.-]{0,30}):`(?P<role_text>[^`]{1,200})`"
    r"|``(?P<literal>[^`]{1,80})``"
    r"|`(?P<rest_text>[^`<>]{0,150})<(?P<rest_url>[^`<>]{1,500})>`__?"
    r"|`(?P<code>[^`]{1,80})`_{0,2}"
    r"|\[(?P<text>[^\[\]]{1,150})\]\(<?(?P<url>[^()\s<>]{1,500})>?(?:\s+\"[^\"\n]{0,200}\")?\)"
    r"|\[[^\[\]\n]{1,100}\]:[ \t]+(?P<named>[^\s<>]{1,500})"
    r"|\.\.[ ]_[^\n:]{1,100}:[ \t]+(?P<target>[^\s<>]{1,500})"
    r"|<a\s[^<>]{0,200}?href\s*=\s*[\"']?(?P<href>[^\"'\s<>]{1,500}+)[^<>]{0,200}+>(?P<anchor>[^<]{0,150})"
    r"|\*\*(?P<bold>[^*\n]{2,80})\*\*(?P<colon>\s*[:—–]|\s+-\s)?"
    r"|<(?P<auto>(?:https?|ftp)://[^\s<>]{1,500}+)>"
    r"|</?[A-Za-z][^<>]{0,300}+>"
    r"|https?://(?P<http>[^\s<>\"'`|]{1,500})|ftp://(?P<ftp>[^\s<>\"'`|]{1,500})"
)
_EXPLICIT = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_CODE = re.compile(r"[\w.:@/$()-]+")
_MOST_WORDS = 6
_LONGEST_SERIES = 4  # letters of a role that stands for a series of documents


@dataclass(frozen=True, slots=True)
class InlineMarkup:
    """A text and what its inline markup says.

    Parameters
    ----------
    text
        As long as the original: markup is :data:`GAP`, all other words are where they were.
    names
        In the order of the text.
    links
        The targets of links, in the order of the text.
    """

    text: str
    names: list[WrittenName]
    links: list[str]


def read_inline_markup(text: str) -> InlineMarkup:
    """Return what the inline markup of a text says; linear in the text."""
    names: list[WrittenName] = []
    links: list[str] = []

    def read(match: re.Match[str]) -> str:
        if match["role"]:
            _read_role(match, names, links)
        elif match["literal"] or match["code"]:
            code = match["literal"] or match["code"]
            if not _CODE.fullmatch(code):  # words: what they name is found as elsewhere
                return match[0].replace("`", GAP)
            names.append(WrittenName(*match.span(), code, EntityKind.IDENTIFIER))
        elif match["bold"]:
            _read_bold(match, names)
        else:
            _read_link(match, names, links)
        return GAP * len(match[0])

    return InlineMarkup(_INLINE.sub(read, text), names, links)


def _read_role(match: re.Match[str], names: list[WrittenName], links: list[str]) -> None:
    """Read a role of reST, such as ``:pep:`8``` or ``:doc:`the guide </guide>```."""
    role, explicit = match["role"], _EXPLICIT.fullmatch(match["role_text"])
    shown, target = explicit.groups() if explicit else ("", match["role_text"])
    target = target.strip().lstrip("~!")
    number = target.partition("#")[0]
    if number.isdecimal():
        series = role.upper() if len(role) <= _LONGEST_SERIES else role
        names.append(WrittenName(*match.span(), f"{series} {int(number)}", EntityKind.REFERENCE))
    elif role in {"doc", "download"}:
        links.append(target)
    elif role not in {"ref", "math", "raw"} and _CODE.fullmatch(target):
        names.append(WrittenName(*match.span(), target, EntityKind.IDENTIFIER))
    if 0 < len(shown.split()) <= _MOST_WORDS:
        names.append(WrittenName(*match.span(), shown, EntityKind.LINK))


def _read_bold(match: re.Match[str], names: list[WrittenName]) -> None:
    if len(match["bold"].split()) <= _MOST_WORDS:
        defines = match["colon"] is not None or match["bold"].rstrip().endswith(":")
        kind = EntityKind.DEFINITION if defines else EntityKind.QUOTATION
        names.append(WrittenName(*match.span(), match["bold"], kind, defines))


def _read_link(match: re.Match[str], names: list[WrittenName], links: list[str]) -> None:
    targets = ("rest_url", "url", "named", "target", "href", "auto")
    target = next((match[name] for name in targets if match[name]), "")
    if match["http"] or match["ftp"]:
        target = match[0].rstrip(".,;:!?)]}")
    if target:
        links.append(target)
    shown = match["rest_text"] or match["text"] or match["anchor"] or ""
    if 0 < len(shown.split()) <= _MOST_WORDS:
        names.append(WrittenName(*match.span(), shown, EntityKind.LINK))
