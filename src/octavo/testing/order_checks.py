"""How answers relate to each other: repeated, concurrent, shorter, in a batch (S5, S6, S12)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from octavo.spi import GraphMetadata, HierarchyMetadata, RAGContext, RetrievedDocument
from octavo.spi.metadata import ENTRY_ID
from octavo.testing.strategy_hooks import LOWEST_SCORE, StrategyHooks, all_told
from octavo.testing.violation import does_not_apply, refuse, require


class OrderChecks(StrategyHooks):
    """Checks of answers against each other."""

    def test_the_same_call_gives_the_same_answer(self) -> None:  # S6
        """Nothing depends on what was asked before, nor on which object is asked."""
        other = self.strategy()
        for query in self.queries():
            first = all_told(self.found(query))
            for _ in range(3):
                require(all_told(self.found(query)) == first, "S6", f"{query!r}: answers differ")
            again = other.retrieve(query, RAGContext(self.most, LOWEST_SCORE))
            require(all_told(again) == first, "S6", f"{query!r}: another object answers otherwise")

    def test_threads_get_the_same_answers(self) -> None:  # S6
        """Concurrent calls do not meet."""
        queries = list(self.queries())
        expected = [all_told(self.found(query)) for query in queries]
        if not self.repeatable(queries, expected):
            raise does_not_apply("answers differ even one by one")
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(self.found, queries * 4))
        for query, wanted, answer in zip(queries * 4, expected * 4, answers, strict=True):
            require(all_told(answer) == wanted, "S6", f"{query!r}: threads get other answers")

    def test_top_k_is_a_prefix(self) -> None:  # S12
        """Fewer results are the first of more results, scores included."""
        for query in self.queries():
            whole = all_told(self.found(query))
            limits = {*range(1, min(len(whole), 12) + 1), max(1, len(whole) - 1)}
            for limit in sorted(limits):
                if all_told(self.found(query, limit=limit))[:limit] == whole[:limit]:
                    continue
                if not self.repeatable([query], [whole]):
                    raise does_not_apply("answers differ for the same call")
                refuse("S12", f"{query!r}: top {limit} is not the start of the whole")

    def test_a_batch_is_a_loop(self) -> None:  # S5
        """The same hits in the same order with the same scores, in one call."""
        batch = self._batch()
        queries = [*self.queries(), "", *self.queries()]
        for limit in (1, 3, self.most):
            context = RAGContext(limit, LOWEST_SCORE)
            rows = batch(queries, context).to_pylist()
            for number, query in enumerate(queries):
                found = [row for row in rows if row["query_id"] == str(number)]
                alone = self.subject.retrieve(query, context)
                ids = [_id(each) for each in alone]
                require(
                    [(row["rank"], repr(row["score"])) for row in found]
                    == [(rank, repr(each.score)) for rank, each in enumerate(alone, 1)]
                    and all(
                        row["id"] == each for row, each in zip(found, ids, strict=True) if each
                    ),
                    "S5",
                    f"{query!r}: retrieve_batch and retrieve differ at max_results={limit}",
                )

    def test_an_empty_batch_has_the_same_columns(self) -> None:  # S5
        """No queries give no rows, and nothing else changes."""
        batch = self._batch()
        some, none = batch(list(self.queries()), RAGContext()), batch([], RAGContext())
        require(none.num_rows == 0, "S5", f"no queries gave {none.num_rows} rows")
        require(
            none.schema.names[:4] == some.schema.names[:4],
            "S5",
            f"columns: expected {some.schema.names[:4]}, found {none.schema.names[:4]}",
        )

    def test_a_batch_refuses_what_is_no_string(self) -> None:  # S2 S5
        """One bad query among good ones is a type error."""
        batch = self._batch()
        try:
            batch([*self.queries(), 3], RAGContext())
        except TypeError:
            return
        refuse("S2", "retrieve_batch with a number among the queries: expected TypeError")

    def _batch(self) -> Any:  # noqa: ANN401 - a method that only some strategies have
        batch = getattr(self.subject, "retrieve_batch", None)
        if batch is None:
            raise does_not_apply("the strategy has no retrieve_batch")
        return batch


def _id(document: RetrievedDocument) -> str:
    """Return the id by which a table knows the document; empty where its metadata do not tell."""
    keys = (ENTRY_ID, HierarchyMetadata.ID, GraphMetadata.NODE_ID)
    return next((document.metadata[key] for key in keys if document.metadata.get(key)), "")
