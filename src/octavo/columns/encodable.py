"""Whether a string is text that UTF-8, and so Arrow, can hold."""


def encodable(text: str) -> bool:
    """Return whether a string is Unicode text, that is, has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
