"""Three placeholders, and no others."""

import pytest

from octavo.declarative import ResolvedSearch, Search
from octavo.errors import ConfigurationError


@pytest.mark.parametrize(
    "text",
    [
        "${content}",
        "[Source: ${source}]\n${content}\n\n",
        "${score}${score}${content}",
        "$content $$ {} ${content}",
    ],
)
def test_known_placeholders_and_any_other_text(text):  # S70
    assert Search(context_format=text).context_format == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("${contnt}", r"no placeholder '\$\{contnt\}'; .*did you mean 'content'\?"),
        ("${Content}", r"no placeholder '\$\{Content\}'; .*did you mean 'content'\?"),
        ("${}", r"no placeholder '\$\{\}'"),
        ("${ content }", "no placeholder"),
        ("${content} ${title}", r"'\$\{title\}'"),
        ("", r"expected \$\{content\} in it, found ''"),
        ("${source}", r"expected \$\{content\}"),
        ("$content", r"expected \$\{content\}"),
        ("${content", "is not closed"),
        ("${content${source}}", "is not closed"),
    ],
)
def test_others_are_refused(text, told):  # S70
    with pytest.raises(ConfigurationError, match=rf"^Search: context_format: .*{told}"):
        Search(context_format=text)


def test_the_default_shows_source_and_content():  # S62
    assert ResolvedSearch().context_format == "[Source: ${source}]\n${content}\n\n"
