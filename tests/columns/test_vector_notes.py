"""Which model made a column, over inputs of all kinds."""

import json
from itertools import permutations

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.columns.sources import resolve_inputs
from octavo.columns.vector_notes import KnownModel, noted_model
from octavo.embeddings.vector_model import VectorModel
from octavo.errors import InvalidArgumentError, SourceLoadingError

KEY = "octavo.embedding"  # as docs/embedding-models.md has it


def column(model, name="vector"):
    """A table of one vector, which says which model made it."""
    note = None if model is None else {KEY: json.dumps({"model": model})}
    field = pa.field(name, pa.list_(pa.float32(), 2), metadata=note)
    return pa.table([pa.array([[1.0, 0.0]], field.type)], schema=pa.schema([field]))


def noted(*models, **given):
    return noted_model(resolve_inputs([column(model) for model in models]), "vector", **given)


def test_all_kinds_of_inputs(tmp_path):
    table = column("hash:64")
    pq.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "b.feather")
    with pa.ipc.new_stream(tmp_path / "c.arrow", table.schema) as stream:
        stream.write_table(table)
    (tmp_path / "d.jsonl").write_text('{"vector": [1.0, 0.0]}\n')
    found = [noted_model([each], "vector") for each in resolve_inputs(str(tmp_path))]
    assert found == [VectorModel("hash:64")] * 3 + [None]
    assert noted_model(resolve_inputs(table.to_batches()[0]), "vector") == VectorModel("hash:64")


def test_what_says_nothing_is_believed():
    for models in permutations([None, "openai:m", None]):
        assert noted(*models) == VectorModel("openai:m")
    assert noted(None, None) is None
    assert noted(None, "function") is None


@given(st.lists(st.sampled_from([None, "openai:m", "model2vec:org/M", "openai:n"]), min_size=1))
def test_order_and_silence_change_nothing(models):
    """The names before the colon and the hub's owner aside, there is one model or it is refused."""
    named = {model.rpartition(":")[2].rpartition("/")[2].lower() for model in models if model}
    if len(named) > 1:
        with pytest.raises(InvalidArgumentError):
            noted(*models)
    else:
        found = noted(*models)
        assert (None if found is None else found.specification) == next(filter(None, models), None)


def test_another_column_is_not_asked():
    assert noted_model(resolve_inputs(column("openai:m", "other")), "vector") is None


def test_two_models_are_refused(tmp_path):
    for name, model in (("a", None), ("b", "openai:small"), ("c", "openai:large")):
        pq.write_table(column(model), tmp_path / f"{name}.parquet")
    with pytest.raises(InvalidArgumentError) as caught:
        noted_model(resolve_inputs(str(tmp_path)), "vector")
    message = str(caught.value)
    assert message.startswith(
        f"{tmp_path}/c.parquet: column 'vector': expected vectors of the model"
    )
    assert "'openai:small'" in message
    assert f"{tmp_path}/b.parquet" in message
    assert "'openai:large'" in message


def test_what_is_known_is_kept():
    known = KnownModel(VectorModel("openai:m", {"query_prompt": "q"}), "the index i")
    assert noted(None, known=known) == known.model
    assert noted("openai:M", known=known) == known.model
    with pytest.raises(InvalidArgumentError, match=r"'openai:m' as in the index i, found those of"):
        noted("openai:n", known=known)


def test_damage_names_the_input():
    broken = column("openai:m")
    field = broken.schema.field("vector").with_metadata({KEY: "{"})
    broken = pa.table(broken.columns, schema=pa.schema([field]))
    with pytest.raises(SourceLoadingError, match="^table: its metadata of vectors is damaged"):
        noted_model(resolve_inputs(broken), "vector")
