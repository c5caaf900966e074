"""Random changes of an index, by several readers and writers, against a dictionary.

After every step each strategy gives what it gives over the documents that are there, and readers
that did not refresh what they gave before.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from octavo import Corpus, InvalidArgumentError
from octavo.storage.commit.commit import CommitStep
from tests.corpus.update_model import (
    EDGE_TABLE,
    IDS,
    OPTIONS,
    TIERS,
    Document,
    ModelStore,
    answers,
    require_documents,
    require_same,
    strategies_of,
    strategies_of_model,
    table,
)

WORDS = st.sampled_from(("fox", "whale", "owl", "heron"))
DOCUMENTS = st.builds(
    Document,
    text=st.lists(WORDS, max_size=4).map(" ".join),
    title=st.none() | WORDS,
    source=st.none() | st.sampled_from(("s1", "s2")),
    # Often no parent, so that most states are forests.
    parent=st.sampled_from((*[None] * 9, "d0", "d1", "d5")),
    # Rarely in the future, which temporal retrieval refuses where it finds it.
    days=st.none() | st.sampled_from((*range(1, 20), -9)),
    tier=st.none() | st.sampled_from(TIERS),
    summary=st.none() | WORDS,
    vector=st.none() | st.tuples(*[st.sampled_from((-1.0, 0.0, 1.0, 2.0))] * 3),
)
NAMES = st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True)
BATCHES = st.dictionaries(st.sampled_from(IDS), DOCUMENTS, min_size=1, max_size=4)
OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(("add", "upsert", "repeat")), BATCHES),
    st.tuples(st.just("touch"), NAMES),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("delete_where"), st.fixed_dictionaries({"tier": st.sampled_from(TIERS)})),
    st.tuples(st.just("delete_where"), st.fixed_dictionaries({"entryId": st.sampled_from(IDS)})),
    st.tuples(st.just("refused"), BATCHES),
)


class StoppedError(Exception):
    """What ends a transaction before its time."""


class UpdatedIndex(RuleBasedStateMachine):
    """One index, the corpus that mostly writes, and readers of whatever state they opened."""

    @initialize(documents=BATCHES, block_max=st.booleans())
    def build(self, documents, block_max):
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "index"
        # The first vector fixes the dimensions.
        self.documents = {**documents, "d0": Document("fox", vector=(1.0, 0.0, 0.0))}
        self.options = {**OPTIONS, "edges": EDGE_TABLE, "block_max": block_max, "threads": 1}
        self.corpus = Corpus.build(table(self.documents.items()), self.path, **self.options)
        self.readers = [(Corpus.open(self.path), None, None)]
        self.steps = 0

    @rule(
        operations=st.lists(OPERATIONS, min_size=1, max_size=3),
        end=st.sampled_from(("commit", "commit", "commit", "raise", *CommitStep)),
        by_reader=st.booleans(),
    )
    def transaction(self, operations, end, by_reader):
        """Change the index in one block, which ends well, raises, or is stopped in the commit."""
        corpus = self.readers[0][0] if by_reader else self.corpus
        generation = self.present_generation()
        documents = dict(self.documents)

        def listen(stage, _rows):
            if stage == end:
                raise StoppedError

        try:
            with corpus.writer(threads=1, progress=listen) as writer:
                for name, argument in operations:
                    documents = self.operate(writer, name, argument, documents)
                listen(end if end == "raise" else None, 0)
        except StoppedError:
            assert self.present_generation() == generation
        else:
            self.documents = documents
            if by_reader:
                self.readers[0] = (corpus, None, None)
        self.corpus.refresh()

    def operate(self, writer, name, argument, documents):
        """Do one operation and return what the documents then are."""
        if name == "delete":
            gone = documents.keys() & set(argument)
            assert writer.delete([*argument, "nobody"]) == len(gone)
        elif name == "delete_where":
            ((key, value),) = argument.items()
            gone = {
                each
                for each, document in documents.items()
                if value == {"tier": document.tier, "entryId": each}[key]
            }
            assert writer.delete_where(argument) == len(gone)
        elif name in {"upsert", "touch"}:
            if name == "touch":  # as they are
                argument = {each: documents[each] for each in argument if each in documents}
            new = {each: one for each, one in argument.items() if documents.get(each) != one}
            assert writer.upsert(table(argument.items())) == len(new)
            return {**without(documents, new), **new}
        elif name == "add":
            if documents.keys() & argument.keys():
                with pytest.raises(InvalidArgumentError, match="not in the index yet"):
                    writer.add(table(argument.items()))
                return documents
            assert writer.add(table(argument.items())) == len(argument)
            return {**documents, **argument}
        else:
            self.refuse(writer, name, argument)
            return documents
        return without(documents, gone)

    def refuse(self, writer, name, argument):
        """Ask for what cannot be done, the fault in the last of the documents."""
        pairs = list(argument.items())
        if name == "repeat":
            with pytest.raises(InvalidArgumentError, match="every id once"):
                writer.upsert(table([*pairs, pairs[0]]))
            return
        wrong = table([*pairs, ("wrong", Document("fox", vector=(1.0, float("nan"), 0.0)))])
        with pytest.raises(InvalidArgumentError):
            writer.upsert(wrong)
        with pytest.raises(InvalidArgumentError):
            writer.delete_where({"no such key": "top"})
        with pytest.raises(InvalidArgumentError):
            writer.delete_where({})

    @rule()
    def compact(self):
        self.corpus.compact(threads=1)
        snapshot = self.corpus.keyword_index
        assert (snapshot.live, snapshot.rows) == (None, len(self.documents))
        assert len(snapshot.segments) == 1

    @rule(number=st.integers(0, 1))
    def refresh(self, number):
        """Move one reader to the present; it may be the corpus that writes."""
        if number < len(self.readers):
            reader = self.readers[number][0]
            assert reader.refresh() is reader
            self.readers[number] = (reader, None, None)

    @rule()
    def reopen(self):
        self.corpus = Corpus.open(self.path)

    @precondition(lambda self: len(self.readers) < 2)
    @rule()
    def open_reader(self):
        self.readers.append((Corpus.open(self.path), None, None))

    @invariant()
    def every_strategy_answers_as_from_scratch(self):
        corpus, documents = self.corpus, self.documents
        assert len(corpus) == len(documents)
        snapshot = corpus.keyword_index
        store = ModelStore(documents, snapshot)
        found = answers(strategies_of(corpus))
        require_same(found, answers(strategies_of_model(store, documents)))
        require_documents(corpus, documents)
        told = corpus.info()
        assert told.documents == len(documents)
        assert told.deleted_rows == snapshot.rows - len(documents)
        assert told.empty_texts == sum(not each.words for each in documents.values())
        assert told.null_vectors == sum(each.vector is None for each in documents.values())
        self.readers = [
            (reader, found, dict(documents)) if kept is None else (reader, kept, then)
            for reader, kept, then in self.readers
        ]
        self.steps += 1  # readers take turns, since each costs as much as the check above
        reader, kept, then = self.readers[self.steps % len(self.readers)]
        assert len(reader) == len(then)
        if kept is not found:
            require_same(answers(strategies_of(reader)), kept)

    def present_generation(self):
        return Corpus.open(self.path).info().generation

    def teardown(self):
        if not hasattr(self, "corpus"):
            return
        with self.directory:
            self.ends_as_built_from_scratch()

    def ends_as_built_from_scratch(self):
        self.corpus.compact(threads=1)
        verified = self.corpus.verify()
        assert verified.whole, verified.problems
        assert verified.documents == len(self.documents)
        if any(each.vector for each in self.documents.values()):  # else a build is refused
            again = Path(self.directory.name) / "again"
            built = Corpus.build(table(self.documents.items()), again, **self.options)
            require_same(answers(strategies_of(self.corpus)), answers(strategies_of(built)))


def without(documents, names):
    return {each: one for each, one in documents.items() if each not in names}


def run(examples, steps):
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    long = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=quiet,
        print_blob=True,
    )
    run_state_machine_as_test(UpdatedIndex, settings=long)


def test_any_changes_leave_what_was_built_from_scratch():  # S5 S6 S7 S8 S13 S21 S26 S27
    run(examples=8, steps=10)


@pytest.mark.slow
def test_many_changes_leave_what_was_built_from_scratch():  # S5 S6 S7 S8 S13
    run(examples=150, steps=30)
