"""The page around a report: head, landmarks, style and script, all in one document."""

import base64
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from octavo.reporting.html.element import Element, Node, element, render


def section(identifier: str, title: str, *content: Node) -> Element:
    """Return a part of the page under a heading of the second level.

    Parameters
    ----------
    identifier
        Unique on the page.
    title
        What the heading, and the link in the navigation, says.
    content
        What stands below.
    """
    heading = f"{identifier}-heading"
    return element(
        "section",
        element("h2", title, id=heading),
        *content,
        id=identifier,
        aria_labelledby=heading,
    )


def page(title: str, lead: Sequence[Node], sections: Sequence[Element], *, made_by: str) -> str:
    """Return a whole document that loads nothing, and says so to the browser.

    Its policy (CSP) forbids all network, and every script and style but its own two, which are
    named by their hashes: even markup that slipped in could not run. The same input gives the same
    text.

    Parameters
    ----------
    title
        Of the document, and its heading.
    lead
        What stands under the heading.
    sections
        From :func:`section`; the navigation links them.
    made_by
        What made the page, for the foot.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )
    head = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
    )
    body = (
        element("a", "Skip to the report", href="#report", class_="skip"),
        element("header", element("h1", title), *lead, _navigation(sections)),
        element("main", *sections, id="report", tabindex=-1),
        element("footer", element("p", made_by)),
        element("p", id="announcement", role="status", aria_live="polite", class_="unseen"),
    )
    # Style and script are files of this package, no text of a user: the only text not escaped. The
    # empty icon keeps browsers from asking a server for one.
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            f"<head>{_rendered(head)}",
            '<link rel="icon" href="data:,">',
            f"<style>{style}</style>",
            "</head>",
            f"<body>{_rendered(body)}",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        )
    )


def _rendered(nodes: Sequence[Node]) -> str:
    return "\n".join(render(node) for node in nodes)


def _navigation(sections: Sequence[Element]) -> Element:
    links = []
    for each in sections:
        heading = each.children[0]
        words = heading.children if isinstance(heading, Element) else (heading,)
        links.append(element("li", element("a", *words, href=f"#{dict(each.attributes)['id']}")))
    return element("nav", element("ul", *links), aria_label="Parts of the report")


def _part(name: str) -> str:
    return files("octavo.reporting.html").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()
