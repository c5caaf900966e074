"""What scrolls on its own where it does not fit."""

from octavo.reporting.html.element import Element, Node, element


def scrolling(
    content: Node, label: str, *, identifier: str | None = None, kind: str | None = None
) -> Element:
    """Return a group around content, so that it and not the page scrolls, by keyboard too.

    It is no landmark: a page has dozens of them.

    Parameters
    ----------
    content
        What may be wider or taller than there is room.
    label
        What it is called.
    identifier
        Where links lead; unique on the page.
    kind
        A class for the style.
    """
    return element(
        "div",
        content,
        id=identifier,
        class_="scroll" if kind is None else f"scroll {kind}",
        role="group",
        aria_label=label,
        tabindex=0,
    )
