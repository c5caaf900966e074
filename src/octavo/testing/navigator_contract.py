"""What a tree navigator must keep, as checks that a test class inherits (S28)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import ClassVar

from octavo.spi import NodeView, TreeNavigator
from octavo.testing.violation import does_not_apply, require

_ROOT = NodeView("root", "Everything", "All there is.")
_FAMILIES: tuple[tuple[NodeView, ...], ...] = (
    (NodeView("only", "The only child", "Nothing beside it."),),
    (NodeView("a", "Foxes", "Red and grey ones."), NodeView("b", "Whales", "Large and blue.")),
    (NodeView("a"), NodeView("b"), NodeView("c")),
    (NodeView("a", "Same", "Same"), NodeView("b", "Same", "Same")),
    (NodeView("\u72d0", "\u8d64\u3044\u72d0", None), NodeView(" spaced id ", None, "\U0001f98a")),
    tuple(NodeView(f"n{number}", f"Section {number}") for number in range(300)),
)


class TreeNavigatorContract:
    """Inherit it in a test class, and say which navigator, model and queries.

    Attributes
    ----------
    model
        A model that the navigator supports.
    unsupported_model
        One that it does not; ``None`` where it takes any.
    deterministic
        Whether the same call gives the same choice; models often do not.
    """

    model: ClassVar[str] = "fake"
    unsupported_model: ClassVar[str | None] = "octavo.testing: no such model"
    deterministic: ClassVar[bool] = True

    def navigator(self) -> TreeNavigator:
        """Return the navigator under test."""
        raise NotImplementedError("navigator(): return the navigator under test")

    def queries(self) -> Sequence[str]:
        """Return queries; with one of them it chooses a child of :meth:`families`."""
        return ("whales", "red foxes", "section 7", "only child", "nothing of this")

    def families(self) -> Sequence[Sequence[NodeView]]:
        """Return the children that it is offered, one sequence a call."""
        return _FAMILIES

    @cached_property
    def subject(self) -> TreeNavigator:
        """The navigator, made once for each check."""
        return self.navigator()

    def test_it_is_a_navigator(self) -> None:  # S28
        """The two methods exist."""
        require(
            isinstance(self.subject, TreeNavigator),
            "S28",
            f"expected `supports` and `choose`, found {type(self.subject).__name__}",
        )

    def test_it_says_which_models_it_supports(self) -> None:  # S28
        """The answer is a boolean, and another model is refused."""
        require(self.subject.supports(self.model) is True, "S28", f"supports({self.model!r})")
        if self.unsupported_model is not None:
            require(
                self.subject.supports(self.unsupported_model) is False,
                "S28",
                f"supports({self.unsupported_model!r}): expected False",
            )

    def test_it_chooses_something(self) -> None:
        """The checks have something to look at."""
        require(
            any(self._choices(query) != [None] * len(self.families()) for query in self.queries()),
            "contract",
            "queries() and families(): expected a choice of a child, found none",
        )

    def test_a_choice_was_offered(self) -> None:  # S28
        """The id of a child, or nothing."""
        for query in (*self.queries(), "", " \t", 'quote " and (', "\U0001f98a"):
            for children, choice in zip(self.families(), self._choices(query), strict=True):
                offered = [child.id for child in children]
                require(
                    choice is None or choice in offered,
                    "S28",
                    f"{query!r}: chose {choice!r}, offered were {offered[:5]}",
                )

    def test_the_children_are_left_unchanged(self) -> None:  # S28
        """A list that is offered stays as it was."""
        for query in self.queries():
            for children in self.families():
                offered = list(children)
                self.subject.choose(query, _ROOT, offered, self.model)
                require(offered == list(children), "S28", f"{query!r}: the children were changed")

    def test_the_same_call_gives_the_same_choice(self) -> None:  # S6 S28
        """In every thread."""
        if not self.deterministic:
            raise does_not_apply("the navigator is not deterministic")
        queries = list(self.queries())
        expected = [self._choices(query) for query in queries]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(self._choices, queries * 4))
        require(answers == expected * 4, "S6", "choices differ between calls")

    def _choices(self, query: str) -> list[str | None]:
        return [
            self.subject.choose(query, _ROOT, children, self.model) for children in self.families()
        ]
