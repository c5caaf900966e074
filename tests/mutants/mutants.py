"""Small changes of the code, each breaking one rule, each with the test that must then fail.

White space in ``before`` matches any white space, so formatting does not matter. It must occur
exactly once in its file; a fast test says so where the code has moved on.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A change of one file under ``src/octavo``, and the test that finds it."""

    rule: str
    breaks: str
    file: str
    before: str
    after: str
    test: str

    @property
    def is_kernel(self) -> bool:
        """Whether compiled code changes, whose callers' caches would not notice."""
        return self.file.startswith("kernels/")


RULES_TEST = "tests/conformance/test_rules.py::"
CONTRACT_TEST = "tests/conformance/test_strategies.py::"
UPDATED_TEST = "tests/conformance/test_updated.py::"
USER_TEST = "tests/conformance/test_user_strategies.py::"
SELECTIVITY_TEST = "tests/conformance/test_selectivity.py::"

MUTANTS = (
    Mutant(
        "S1",
        "names are compared with regard to case",
        "corpus/options.py",
        "_FACTORIES.get(name.lower())",
        "_FACTORIES.get(name)",
        "tests/corpus/test_corpus.py::test_strategies_are_named_without_regard_to_case",
    ),
    Mutant(
        "S2",
        "a list is returned",
        "strategies/columnar.py",
        "return tuple( RetrievedDocument(",
        "return list( RetrievedDocument(",
        CONTRACT_TEST + "TestKeyword::test_an_answer_is_a_tuple_of_documents",
    ),
    Mutant(
        "S3",
        "metadata are copied",
        "spi/document.py",
        "MappingProxyType({} if metadata is None else metadata)",
        "MappingProxyType(dict(metadata or {}))",
        CONTRACT_TEST + "TestKeyword::test_metadata_is_a_read_only_view",
    ),
    Mutant(
        "S4",
        "the filter map is not copied",
        "spi/context.py",
        "MappingProxyType(dict(filters))",
        "MappingProxyType(filters)",
        "tests/spi/test_context.py::test_filters_are_copied",
    ),
    Mutant(
        "S5",
        "scores of a batch are rounded to float32",
        "strategies/table.py",
        '"score": pa.array(hits.scores, pa.float64())',
        '"score": pa.array(hits.scores.astype(np.float32).astype(np.float64))',
        CONTRACT_TEST + "TestHybrid::test_a_batch_is_a_loop",
    ),
    Mutant(
        "S6",
        "ties go to the higher row",
        "kernels/top_k.py",
        "rows[first] < rows[second]",
        "rows[first] > rows[second]",
        "tests/kernels/test_top_k.py::test_select_best_is_a_sort_that_is_cut",
    ),
    Mutant(
        "S7",
        "every row of a segment that knows the value is admitted",
        "columns/filters.py",
        "admitted[start : start + len(codes)] &= codes == code",
        "admitted[start : start + len(codes)] |= codes == code",
        CONTRACT_TEST + "TestVector::test_filters_admit_only_their_value",
    ),
    Mutant(
        "S8",
        "the keyword strategy cuts before it filters",
        "strategies/keyword.py",
        "index.rank_keyword(queries.texts, context.max_results, selection)",
        "index.rank_keyword(queries.texts, context.max_results, index.select({}))\n"
        "        if selection.admitted is not None:\n"
        "            hits = hits.keep(selection.admitted[hits.rows])",
        SELECTIVITY_TEST + "test_as_many_as_match_come_back[build-keyword]",
    ),
    Mutant(
        "S8",
        "deleted rows take places where there is a filter",
        "columns/filters.py",
        "if self._live is None else self._live.copy()",
        "",
        UPDATED_TEST + "test_it_answers_as_if_built_from_what_is_left[block_max-vector]",
    ),
    Mutant(
        "S9",
        "filters are not pushed into inner stages",
        "strategies/inner.py",
        "RAGContext(depth, LOWEST_SCORE, context.metadata_filters)",
        "RAGContext(depth, LOWEST_SCORE)",
        USER_TEST + "test_what_a_strategy_is_asked",
    ),
    Mutant(
        "S9",
        "a filtered parent is returned",
        "kernels/parent_expansion.py",
        "if level == 0 or admitted.shape[0] == 0 or admitted[node]:",
        "if True:",
        RULES_TEST + "test_a_filtered_parent_is_climbed_through",
    ),
    Mutant(
        "S10",
        "min_score is exclusive",
        "columns/hits.py",
        "self.scores >= min_score",
        "self.scores > min_score",
        CONTRACT_TEST + "TestKeyword::test_min_score_is_inclusive",
    ),
    Mutant(
        "S10",
        "an inner stage drops negative scores",
        "strategies/inner.py",
        "LOWEST_SCORE = -sys.float_info.max",
        "LOWEST_SCORE = 0.0 * sys.float_info.max",
        USER_TEST + "test_a_negative_score_is_not_lost_inside",
    ),
    Mutant(
        "S11",
        "tiers are filtered without regard to case",
        "memory/entries.py",
        "_TIER_CODES_BY_NAME.get(value, -1)",
        "_TIER_CODES_BY_NAME.get(value.upper(), -1)",
        CONTRACT_TEST + "TestMemoryKeyword::test_filters_are_exact_and_case_sensitive",
    ),
    Mutant(
        "S11",
        "reserved prefixes are free for columns",
        "columns/schema.py",
        "name in RESERVED_KEYS or name.startswith(RESERVED_PREFIXES)",
        "name in RESERVED_KEYS",
        "tests/columns/test_schema.py::test_reserved_metadata_names_are_refused",
    ),
    Mutant(
        "S12",
        "streams are only as deep as the answer",
        "strategies/inner.py",
        "return max(configured or DEFAULT_CANDIDATE_DEPTH, context.max_results)",
        "return context.max_results",
        CONTRACT_TEST + "TestHybrid::test_top_k_is_a_prefix",
    ),
    Mutant(
        "S13",
        "a score may be NaN",
        "spi/document.py",
        "if score != score:",
        "if False:",
        "tests/spi/test_document.py::test_score_is_a_number_and_never_nan",
    ),
    Mutant(
        "S14",
        "the candidate depth is 99",
        "strategies/inner.py",
        "DEFAULT_CANDIDATE_DEPTH = 100",
        "DEFAULT_CANDIDATE_DEPTH = 99",
        USER_TEST + "test_what_a_strategy_is_asked",
    ),
    Mutant(
        "S15",
        "the worst of two duplicates is kept",
        "strategies/returned.py",
        "best.setdefault(identity_of(document), (score, document))",
        "best[identity_of(document)] = (score, document)",
        USER_TEST + "test_the_best_of_the_same_document_is_kept",
    ),
    Mutant(
        "S15",
        "a NaN score of a user's strategy passes",
        "strategies/returned.py",
        "any(score != score for score, _ in scored)",
        "False",
        USER_TEST + "test_a_nan_score_is_an_execution_failure",
    ),
    Mutant(
        "S16",
        "title and content run together",
        "columns/document_batch.py",
        r'newline = pa.scalar("\n", pa.large_string())',
        'newline = pa.scalar("", pa.large_string())',
        "tests/columns/test_document_batch.py::test_searchable_text",
    ),
    Mutant(
        "S20",
        "an all-zero query votes in a fusion",
        "strategies/vector.py",
        "if bool(voting.all()):",
        "if True:",
        RULES_TEST + "test_hybrid",
    ),
    Mutant(
        "S20",
        "a query that is not finite reaches native code",
        "engines/vector/queries.py",
        "if not finite.all():",
        "if False:",
        "tests/engines/vector/test_flat.py::test_bad_queries_never_reach_native_code",
    ),
    Mutant(
        "S21",
        "a repeated query term counts once",
        "engines/keyword/queries.py",
        "if term.repetitions == 1 else",
        "if term.repetitions >= 1 else",
        RULES_TEST + "test_keyword",
    ),
    Mutant(
        "S22",
        "scores are divided by all streams, empty ones too",
        "kernels/rrf.py",
        "float(max(non_empty, 1))",
        "float(streams)",
        RULES_TEST + "test_hybrid",
    ),
    Mutant(
        "S23",
        "a fused graph is reported as absent",
        "strategies/hybrid.py",
        "GraphStream.ABSENT if self._graph is None else GraphStream.FUSED",
        "GraphStream.ABSENT",
        RULES_TEST + "test_hybrid_with_a_graph",
    ),
    Mutant(
        "S24",
        "hops cost nothing",
        "graph/best_first.py",
        "label.score * self._bounds.depth_decay",
        "label.score",
        RULES_TEST + "test_graph",
    ),
    Mutant(
        "S24",
        "the fence is open",
        "graph/store_walk.py",
        "not self._allowed_sources or node.source in self._allowed_sources",
        "True",
        RULES_TEST + "test_graph",
    ),
    Mutant(
        "S25",
        "a variant that repeats the original counts",
        "strategies/multi_query.py",
        'seen = {query.strip(), ""}',
        'seen = {""}',
        RULES_TEST + "test_multi_query",
    ),
    Mutant(
        "S26",
        "the climb goes one level too far",
        "kernels/parent_expansion.py",
        "if level == max_depth or",
        "if level > max_depth or",
        RULES_TEST + "test_hierarchical",
    ),
    Mutant(
        "S26",
        "a fence does not stop the climb",
        "kernels/parent_expansion.py",
        "allowed.shape[0] > 0 and not allowed[node]",
        "False",
        RULES_TEST + "test_hierarchical",
    ),
    Mutant(
        "S26",
        "a deleted document is a root",
        "strategies/hierarchy_index.py",
        "alone if self._live is None else alone & self._live",
        "alone",
        "tests/strategies/test_hierarchy_index.py::test_a_deleted_row_is_no_node",
    ),
    Mutant(
        "S27",
        "a fresh negative score ranks below an old one",
        "kernels/temporal_decay.py",
        "1.0 + floor - multiplier",
        "multiplier",
        RULES_TEST + "test_temporal",
    ),
    Mutant(
        "S28",
        "the descent goes one level too far",
        "strategies/reasoning.py",
        "if depth == self.bounds.max_depth:",
        "if depth > self.bounds.max_depth:",
        RULES_TEST + "test_reasoning",
    ),
    Mutant(
        "S29",
        "a boolean is an integer",
        "errors.py",
        "if isinstance(value, Integral) and not isinstance(value, bool):",
        "if isinstance(value, Integral):",
        RULES_TEST + "test_counts_are_integers[True]",
    ),
    Mutant(
        "S30",
        "no blank line between documents",
        "strategies/pipeline.py",
        r'return "\n\n".join(',
        r'return "\n".join(',
        RULES_TEST + "test_pipeline",
    ),
    Mutant(
        "S31",
        "the first entry of an id stays",
        "memory/changes.py",
        "self.written[written.entry.id] = written",
        "self.written.setdefault(written.entry.id, written)",
        RULES_TEST + "test_stores",
    ),
    Mutant(
        "S32",
        "documents are numbered from 0",
        "strategies/pipeline.py",
        "enumerate(documents, 1)",
        "enumerate(documents, 0)",
        RULES_TEST + "test_the_references_example",
    ),
    Mutant(
        "S44",
        "an application's function is looked up anew",
        "storage/query_embedding.py",
        "if self._function is None:",
        "if True:",
        "tests/storage/test_build.py::test_an_application_function_embeds_documents_and_queries",
    ),
    Mutant(
        "S45",
        "longer tokens weigh more",
        "kernels/hash_embedding.py",
        "_LONG_TOKEN = 7",
        "_LONG_TOKEN = 8",
        "tests/embeddings/test_hash_embedding.py::test_golden_vector_of_a_sentence",
    ),
    Mutant(
        "S81",
        "defaults do not stand back",
        "graph/providers.py",
        "[each for each in claimants if not each.provider.is_default] or claimants",
        "claimants",
        "tests/graph/test_providers.py::test_a_claiming_non_default_drops_the_defaults",
    ),
    Mutant(
        "S84",
        "a label can leave its backticks",
        "graph/neo4j/schema.py",
        'name.replace("`", "``")',
        "name",
        "tests/graph/neo4j/test_schema.py::test_a_name_is_refused_or_stays_inside_its_backticks",
    ),
    Mutant(
        "S84",
        "the environment wins over code",
        "graph/neo4j/settings.py",
        'found = known.get(URI_VARIABLE, "") if uri is None else uri',
        'found = known.get(URI_VARIABLE, "") or uri or ""',
        "tests/graph/neo4j/test_settings.py::test_the_environment_and_what_wins_over_it",
    ),
    Mutant(
        "S84",
        "the password is shown with the settings",
        "graph/neo4j/settings.py",
        'password: str = field(default="", repr=False)',
        'password: str = field(default="")',
        "tests/graph/neo4j/test_settings.py::test_the_password_is_not_shown",
    ),
    Mutant(
        "S85",
        "the first of several claimants serves",
        "graph/providers.py",
        "if len(chosen) > 1:",
        "if len(chosen) > 9:",
        "tests/graph/test_providers.py::test_two_non_default_claimants_are_a_configuration_error",
    ),
    Mutant(
        "S82",
        "an article is part of an identity",
        "graph/identity.py",
        'key.partition(" ")[2] if key.startswith(_ARTICLES) else key',
        "key",
        "tests/graph/test_identity.py::test_examples",
    ),
    Mutant(
        "S82",
        "a word that everything has connects everything",
        "graph/entities/build.py",
        "(mentions.sentence >= 0) & ~everywhere[mentions.entity]",
        "mentions.sentence >= 0",
        "tests/graph/test_in_memory_graph_store.py::test_co_occurrence_is_bounded",
    ),
    Mutant(
        "S83",
        "instances are kept alive",
        "graph/knowledge/tools.py",
        "weakref.WeakValueDictionary()",
        "{}",
        "tests/graph/knowledge/test_store.py::test_it_is_read_when_it_is_asked",
    ),
    Mutant(
        "S83",
        "letters outside ASCII make words",
        "graph/knowledge/triples.py",
        '"[a-z0-9]+"',
        'r"[^\\W_]+"',
        "tests/graph/knowledge/test_store.py::test_a_query_without_ascii_letters_or_digits_matches_nothing",
    ),
)
