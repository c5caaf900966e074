"""The estimate of tokens, and what counters may say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.declarative.rendering.tokens import TokenCounter, counted, estimated_tokens
from octavo.errors import CancelledError, ExecutionError, RetrievalTimeoutError

# Numbers of cl100k_base, from its published tokenizer.
KNOWN = {
    "Retrieval runs before the LLM executor.": 8,
    "The quick brown fox jumps over the lazy dog.": 10,
    "def add(a, b):\n    return a + b\n": 13,
    "2024-05-01T12:00:00Z": 14,
}


@pytest.mark.parametrize(("text", "tokens"), KNOWN.items())
def test_it_is_near_a_real_tokenizer(text, tokens):
    assert 0.7 * tokens <= estimated_tokens(text) <= 1.5 * tokens


@given(st.text(), st.text())
def test_more_text_never_has_fewer_tokens(text, more):
    assert estimated_tokens(text) <= estimated_tokens(text + more)


SIGNS = st.text("aB1 .\n\té漢", max_size=12)


@given(SIGNS, SIGNS)
def test_parts_have_at_least_the_tokens_of_the_whole(text, more):
    assert estimated_tokens(text + more) <= estimated_tokens(text) + estimated_tokens(more)


@given(st.characters(codec=None))
def test_nothing_that_shows_is_free(character):
    assert estimated_tokens(character) == 1


def test_it_is_a_counter_as_any_function_of_a_text():
    assert isinstance(estimated_tokens, TokenCounter)
    assert counted(len, "abc") == 3


def raising(text):
    raise OSError("no vocabulary")


@pytest.mark.parametrize(
    "counter", [lambda text: -1, lambda text: 1.5, lambda text: None, lambda text: True, raising]
)
def test_a_counter_that_gives_no_number_is_an_execution_failure(counter):
    with pytest.raises(ExecutionError, match="token counter"):
        counted(counter, "abc")


# S43 S50
@pytest.mark.parametrize("error", [CancelledError("stopped"), RetrievalTimeoutError("late")])
def test_a_counters_own_failure_stays_what_it_is(error):
    def counter(text):
        raise error

    with pytest.raises(type(error)) as caught:
        counted(counter, "abc")
    assert caught.value is error
