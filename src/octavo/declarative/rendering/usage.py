"""What a source gave an action (S69)."""

from dataclasses import dataclass

from octavo.declarative.declarations.enums import KnowledgeUse


@dataclass(frozen=True, slots=True)
class KnowledgeUsage:
    """One row for each enabled source that an action names.

    Parameters
    ----------
    source
        The declared name.
    use
        How the source grounds the action.
    documents
        How many of its documents are in the context, after truncation.
    tokens
        How many tokens they are there, format included, as the token counter says.
    truncated
        Whether one of its documents was shortened or dropped; what comes with a later dispatch is
        neither.
    exhausted
        Of use SEQUENTIAL: whether nothing is left for a later dispatch of the scope.
    """

    source: str
    use: KnowledgeUse
    documents: int
    tokens: int
    truncated: bool
    exhausted: bool = False
