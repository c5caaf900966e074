"""What a dispatch is given, and how far that moves its cursors on (S74)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.rendering.rendered_context import RenderedContext, rendered
from octavo.declarative.rendering.tokens import TokenCounter, estimated_tokens
from octavo.declarative.runtime.cursors import Move
from octavo.declarative.runtime.retrieved import Retrieved


@dataclass(frozen=True, slots=True)
class Grounding:
    """A rendered context that may be given once it is settled.

    Several dispatches of one scope may render the same units; the first that settles has them, the
    others render those that come next.

    Parameters
    ----------
    retrieved
        What the runtime gave.
    knowledge
        The action's sources.
    counter
        Counts tokens.
    context
        The rendered context.
    moves
        The steps of cursors over what is in it.
    """

    retrieved: Retrieved
    knowledge: Sequence[Knowledge]
    counter: TokenCounter
    context: RenderedContext
    moves: tuple[Move, ...]

    @classmethod
    def of(
        cls,
        retrieved: Retrieved,
        knowledge: Sequence[Knowledge],
        counter: TokenCounter = estimated_tokens,
    ) -> "Grounding":
        """Render what was retrieved; no cursor moves yet.

        Raises
        ------
        ContextValidationError, ExecutionError
            See :func:`~octavo.declarative.rendering.rendered_context.rendered`.
        """
        context = rendered(retrieved, knowledge, counter)
        moves = tuple(each.move(context.given(each.source)) for each in retrieved.sequential)
        return cls(retrieved, knowledge, counter, context, moves)

    def settle(self) -> bool:
        """Move the cursors on; ``False``, and nothing moves, where another dispatch was faster."""
        return not self.moves or self.moves[0].reading.cursors.advance(self.moves)

    def again(self) -> "Grounding":
        """Render what comes next now, beside everything else that was retrieved."""
        left = tuple(each.again() for each in self.retrieved.sequential)
        return Grounding.of(replace(self.retrieved, sequential=left), self.knowledge, self.counter)

    def give_back(self) -> None:
        """Make its units come next again, after a dispatch that settled and then failed."""
        if self.moves:
            self.moves[0].reading.cursors.give_back(self.moves)
