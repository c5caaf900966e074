"""The tokenizer's rules in plain Python: regular expressions over one letter a character."""

import itertools
import re
import unicodedata

BIGRAM_NAMES = re.compile(
    "(CJK UNIFIED|CJK COMPATIBILITY) IDEOGRAPH|(VERTICAL )?IDEOGRAPHIC (ITERATION|NUMBER|CLOSING)"
    "|HIRAGANA|KATAKANA|HENTAIGANA|HANGUL|THAI|LAO|KHMER|MYANMAR"
)
DEFAULT_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
# L lower or other letter, s the letter s, U upper, D digit, M mark, B bigram script, I ignored.
WORD = "[LsUD][LsUDM]*"
COMPOUND = re.compile(rf"{WORD}((?=[_.])_*\.?_*{WORD})*")
RUN = re.compile("(BM*)+")
CAMEL = re.compile("(?<=[Ls])(?=U)|(?<=D)(?=U[Ls])|(?<=U)(?=U(L|s[Ls]))")


def letter(character: str) -> str:
    category = unicodedata.category(character)
    if character in "_.s":
        return character
    if character == "\u200b":
        return " "
    if category in ("Cf", "Me") or DEFAULT_IGNORABLE.match(character):
        return "I"
    if category in ("Lu", "Lt"):
        return "U"
    spaceless = BIGRAM_NAMES.match(unicodedata.name(character, ""))
    if spaceless and (category[0] == "L" or category == "Nl"):
        return "B"
    return {"L": "L", "N": "D", "M": "M"}.get(category[0], " ")


def fold(text: str) -> str:
    """Fold, with digits of every script as ASCII digits, and cut to 255 characters."""
    characters = []
    for character in text:
        digit = unicodedata.decimal(character, None)
        characters.append(character.casefold() if digit is None else str(digit))
    return "".join(characters)[:255]


def tokens(text: str) -> list[str]:
    text = unicodedata.normalize("NFKC", text)
    text = "".join(character for character in text if letter(character) != "I")
    kinds = "".join(map(letter, text))
    found = []
    at = 0
    while at < len(text):
        if compound := COMPOUND.match(kinds, at):
            found += compound_tokens(text[at : compound.end()], kinds[at : compound.end()])
            at = compound.end()
        elif run := RUN.match(kinds, at):
            starts = [at + m.start() for m in re.finditer("B", run.group())] + [run.end()]
            pairs = list(zip(starts, starts[2:], strict=False)) or [(at, run.end())]
            found += [fold(text[begin:end]) for begin, end in pairs]
            at = run.end()
        else:
            at += 1
    return found


def compound_tokens(text: str, kinds: str) -> list[str]:
    words = [match.span() for match in re.finditer(WORD, kinds)]
    found = [fold(text)] if len(words) > 1 else []
    for begin, end in words:
        found.append(fold(text[begin:end]))
        bases = [at for at in range(begin, end) if kinds[at] != "M"]
        base_kinds = "".join(kinds[at] for at in bases)
        cuts = [bases[match.start()] for match in CAMEL.finditer(base_kinds)]
        bounds = [begin, *cuts, end]
        if cuts:
            found += [fold(text[b:e]) for b, e in itertools.pairwise(bounds)]
    return found
