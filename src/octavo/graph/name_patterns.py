"""How names look in running text: references, identifiers, quotations, capitals, scripts."""

import re
import sys
import unicodedata
from functools import cache

_SPACE = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)"  # a line may end, a paragraph may not
_PARTICLES = (
    "of|for|de|du|des|del|della|di|da|do|dos|la|le|von|van|der|den|zu|zur|al|el|bin|ibn|ben|y|e"
)

# Patterns begin with the characters that a match can begin with, and look back from there: so the
# search goes from one such character to the next.
_FREE = r"(?<![\w/.@-].)"  # nothing before the first character belongs to the same word

SERIES = re.compile(
    # PEP 8, RFC 2119, ISO 8859-1, CVE-2021-3177, ECMA-262; PEPs 3107, 484 and 526
    rf"[A-Z]{_FREE}[A-Z]{{1,9}}+(?:(?:{_SPACE}|-)(?P<number>\d{{1,7}}+(?:-\d+)*+)(?!\w)"
    rf"|s(?P<numbers>{_SPACE}\d{{1,7}}+"
    rf"(?:(?:,(?:{_SPACE}(?:and|or))?|{_SPACE}(?:and|or|&)){_SPACE}\d{{1,7}}+)*+)(?!\w))"
)
"""Explicit references to documents with numbers."""

SERIES_NAME = re.compile("[A-Z]+")

ITEM = re.compile(
    # issue #12, bug 1234, GH-77, bpo-1234, pull request #5
    rf"[iIbBtTgGpP]{_FREE}(?:ssue|ug|icket|po|[hH]|[rR]|ull[ ]request)"
    r"[ \u00a0]?[#-]?[ \u00a0]?(?P<number>\d{1,7}+)(?!\w)"
)
"""Explicit references to what a tracker numbers."""

CLAUSE = re.compile(
    # § 1-204.01, Article 5, Art. 17a, 第3条
    r"(?:§§?\s?|A(?<!\w.)rt(?:icle|ículo|ikel|icolo|\.)\s)(?P<number>\d+\w*(?:[-–.:]\w+)*+)"
    r"|第[\d〇一二三四五六七八九十百千]{1,9}[条條章]"
)
"""Explicit references to parts of laws."""

NUMBERS = re.compile(r"\d+")

IDENTIFIER = re.compile(
    # A word of small letters alone ends the attempt at once.
    r"(?<![\w.@/-])(?=[^\W\d]?[^\W_A-Z]*+[A-Z_.:(])(?:"
    r"[^\W\d]\w++(?:(?:\.|::)[^\W\d]\w++)++(?:\(\))?"  # os.path.join, std::vector
    r"|[^\W_]\w*?_\w*+(?:\(\))?|__?[^\W\d_]\w*+(?:\(\))?"  # snake_case, __init__, MAX_SIZE
    r"|[^\W\d]\w++\(\)"  # call()
    r"|[a-z]+[A-Z]\w*+|[A-Z][a-z0-9]+[A-Z]\w*+)"  # camelCase, CamelCase
)
"""Names that only a program would have."""

QUOTATION = re.compile(
    "\"(?<!\\w.)([^\"\\n]{2,60}+)\"(?!\\w)|“([^“”]{2,60}+)”|«\\s?([^«»]{2,60}+)»|„([^„“”]{2,60}+)[“”]"
    "|「([^「」]{2,40}+)」|『([^『』]{2,40}+)』|《([^《》]{2,40}+)》|〈([^〈〉]{2,40}+)〉"
)
"""A phrase in quotation marks or title marks."""

JAPANESE = re.compile("[一-鿿々〆ァ-ヺー]{2,12}+")
"""Runs of Han and Katakana; names only where Hiragana separates them."""

HIRAGANA = re.compile("[ぁ-ゖ]")

ACRONYM = re.compile(r"\(([A-Z][A-Za-z]{1,7})s?\)")

DEFINES = re.compile(
    r"\s*(?:\([^()]{1,40}\)\s*)?(?:"
    r"(?:is|are|was|were)\san?\b|(?:means|refers\sto|denotes|stands\sfor)\b"
    r"|(?:ist|sind)\seine?\b|(?:est|sont)\s(?:une?|des)\b"
    r"|es\suna?\b|è\suna?\b|är\sen\b|— это\b|[—–:]\s|是|とは|は、)"
)
"""What follows a name that its sentence defines."""

_FUNCTION_WORDS = frozenset(
    """a about above after again all also although an and any are as at be because been before being
    below between both but by can could did do does during each either even every few first for from
    further given had has have he hence her here his how however i if in instead into is it its just
    last later least less let like likewise many may might more moreover most much must my neither
    never next no nor not note nothing now of on once one only or other others otherwise our out over
    per perhaps please rather same second see several she should similarly since so some still such
    than that the their them then there therefore these they third this those though through thus to
    today together too two under unless unlike until up upon us use used using usually very was we
    were what when where whereas whether which while who whose why will with within without would yet
    yes you your true false none null e.g i.e
    aber als am an auf aus bei das dass dem den der des die dies diese doch durch ein eine einem einen
    er es für hat ich im in ist kein mit nach nicht noch nur ob oder ohne seit sich sie sind über um
    und von vor war was wenn wer wie wir wird zu zum zur
    au aux avec ce ces cette dans de des donc du elle elles en est et il ils je la le les leur lorsque
    mais nous on ou par pas pour quand que qui sa sans se selon ses si son sur un une vous
    al como con cuando del desde donde el ella ellas ellos en entre era es esta este esto hay la las lo
    los más no para pero por porque que se según si sin sobre su sus también todo un una y ya
    che con da dal della delle di e gli il lo ma nel non per più questa questo sono una uno
    de een en het is maar met niet op te van voor zijn""".split()
)

_INSIDE = frozenset(
    "section figure fig table chapter step page example part appendix version line note item".split()
)


def is_function_word(word: str) -> bool:
    """Whether a word, in lower case, names nothing in one of a few European languages."""
    return word in _FUNCTION_WORDS


def is_inside_reference(words: list[str]) -> bool:
    """Whether words such as ``Section 3`` point to a place within the same document."""
    return len(words) == 2 and words[0].lower() in _INSIDE and words[1][:1].isdecimal()


@cache
def capitalised() -> re.Pattern[str]:
    """Return the pattern of capitalised phrases in any script that has capitals."""
    upper = _ranges("Lu", "Lt")
    rest = r"\w*+(?:[-’'&.][^\W_]\w*+)*+"
    word = rf"[{upper}]{rest}"
    return re.compile(
        rf"[{upper}](?<!\w.){rest}(?:{_SPACE}(?:(?:{_PARTICLES}){_SPACE}(?:the{_SPACE})?)?{word})*+"
        rf"(?:{_SPACE}\d+(?:\.\d+)*+(?!\w))?"
    )


def _ranges(*categories: str) -> str:
    """Return the characters of some categories, as the inside of a character class."""
    found: list[list[int]] = []
    for point in range(min(sys.maxunicode, 0x1FFFF)):  # no capitals are beyond
        if unicodedata.category(chr(point)) in categories:
            if found and found[-1][1] == point - 1:
                found[-1][1] = point
            else:
                found.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)
